/* The cache on disk: what comes out is what was put in, or nothing, whatever happened between. */
#include <criterion/criterion.h>
#include <signal.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
#include <utime.h>

#include <glib/gstdio.h>

#include "core/search/disk-cache.h"
#include "tests/reference/fixtures.h"

#define KIND "test"
#define HEADER 112 /* bytes */
#define TRAILER 32

typedef struct {
  char *root;   /* ASSAY_CACHE */
  char *folder; /* of the kind */
  char *key;
  char *path; /* of the key */
} Fixture;

static char *
key_of (const char *text)
{
  return g_compute_checksum_for_string (G_CHECKSUM_SHA256, text, -1);
}

static Fixture
begin (void)
{
  Fixture fixture = { .root = fixture_folder (), .key = key_of ("first") };

  fixture.folder = g_build_filename (fixture.root, KIND, NULL);
  fixture.path = g_build_filename (fixture.folder, fixture.key, NULL);
  g_setenv ("ASSAY_CACHE", fixture.root, TRUE);
  return fixture;
}

static void
end (Fixture *fixture)
{
  fixture_remove (fixture->root);
  g_free (fixture->root);
  g_free (fixture->folder);
  g_free (fixture->key);
  g_free (fixture->path);
}

/* @length bytes, among them zeros and new lines, that @seed decides. */
static GBytes *
content (gsize length, guint seed)
{
  guint8 *data = g_malloc (MAX (length, 1));

  for (gsize i = 0; i < length; i++)
    data[i] = (guint8) ((i * 2654435761u + seed * 40503u) >> 7);
  return g_bytes_new_take (data, length);
}

static void
keep_text (const char *key, const char *text)
{
  g_autoptr (GBytes) bytes = g_bytes_new_static (text, strlen (text));

  assay_disk_cache_keep (KIND, key, bytes);
}

static gboolean
is_kept (const char *kind, const char *key, GBytes *expected)
{
  g_autoptr (GBytes) found = assay_disk_cache_load (kind, key);

  cr_assert (found == NULL || expected == NULL || g_bytes_equal (found, expected),
             "other bytes than were kept");
  return found != NULL;
}

/* A process removes what is left only once. */
static void
keep_in_another_process (const char *key, const char *text)
{
  const pid_t child = fork ();
  int status;

  if (child == 0) {
    keep_text (key, text);
    _exit (0);
  }
  cr_assert_eq (waitpid (child, &status, 0), child);
  cr_assert_eq (status, 0);
}

static guint
count_files (const char *folder)
{
  g_autoptr (GDir) dir = g_dir_open (folder, 0, NULL);
  guint n = 0;

  while (dir != NULL && g_dir_read_name (dir) != NULL)
    n++;
  return n;
}

/* ---- What is kept ---- */

Test (disk_cache, gives_back_what_was_kept)
{
  static const gsize lengths[] = { 0, 1, 31, 32, 33, 4096, 1000003 };
  Fixture fixture = begin ();
  struct stat about;

  cr_expect_not (is_kept (KIND, fixture.key, NULL));
  for (guint i = 0; i < G_N_ELEMENTS (lengths); i++) {
    g_autoptr (GBytes) bytes = content (lengths[i], i);

    assay_disk_cache_keep (KIND, fixture.key, bytes);
    cr_expect (is_kept (KIND, fixture.key, bytes), "%zu bytes", lengths[i]);
    cr_assert_eq (stat (fixture.path, &about), 0);
    cr_expect_eq ((gsize) about.st_size, HEADER + lengths[i] + TRAILER);
    cr_expect_eq (about.st_mode & 0777, 0600);
    cr_expect_eq (count_files (fixture.folder), 1);
  }
  cr_assert_eq (stat (fixture.folder, &about), 0);
  cr_expect_eq (about.st_mode & 0777, 0700);
  end (&fixture);
}

Test (disk_cache, keys_and_kinds_are_apart)
{
  Fixture fixture = begin ();
  g_autofree char *second = key_of ("second");
  g_autoptr (GBytes) one = g_bytes_new_static ("one", 3), two = g_bytes_new_static ("two", 3);

  assay_disk_cache_keep (KIND, fixture.key, one);
  cr_expect_not (is_kept (KIND, second, NULL));
  cr_expect_not (is_kept ("other", fixture.key, NULL));
  assay_disk_cache_keep (KIND, second, two);
  assay_disk_cache_keep ("other", fixture.key, two);
  cr_expect (is_kept (KIND, fixture.key, one));
  cr_expect (is_kept (KIND, second, two));
  cr_expect (is_kept ("other", fixture.key, two));
  end (&fixture);
}

Test (disk_cache, stands_where_the_environment_says)
{
  Fixture fixture = begin ();
  g_autofree char *usual = g_build_filename (fixture.root, "assay", KIND, fixture.key, NULL);

  g_setenv ("XDG_CACHE_HOME", fixture.root, TRUE);
  g_setenv ("ASSAY_CACHE", "", TRUE);
  cr_expect_not (assay_disk_cache_is_on ());
  keep_text (fixture.key, "one");
  cr_expect_not (is_kept (KIND, fixture.key, NULL));
  cr_expect_eq (count_files (fixture.root), 0);
  g_unsetenv ("ASSAY_CACHE");
  cr_expect (assay_disk_cache_is_on ());
  keep_text (fixture.key, "one");
  cr_expect (g_file_test (usual, G_FILE_TEST_IS_REGULAR), "%s", usual);
  g_setenv ("ASSAY_CACHE", fixture.root, TRUE);
  cr_expect (assay_disk_cache_is_on ());
  cr_expect_not (is_kept (KIND, fixture.key, NULL));
  keep_text (fixture.key, "one");
  cr_expect (g_file_test (fixture.path, G_FILE_TEST_IS_REGULAR), "%s", fixture.path);
  end (&fixture);
}

/* ---- What is damaged ---- */

static void
expect_refused (const Fixture *fixture, const char *data, gsize length, const char *what, gsize at)
{
  /* What replaces a file is brought to the disk, which takes long for thousands. */
  g_unlink (fixture->path);
  cr_assert (g_file_set_contents (fixture->path, data, (gssize) length, NULL));
  cr_assert_not (is_kept (KIND, fixture->key, NULL), "%s %zu", what, at);
}

/* Every length and every bit of a small file, so that no byte of header, content or trailer is
 * without a guard. */
Test (disk_cache, damage_is_noticed)
{
  Fixture fixture = begin ();
  g_autoptr (GBytes) bytes = content (100, 1);
  g_autofree char *data = NULL, *longer = NULL;
  gsize length;

  assay_disk_cache_keep (KIND, fixture.key, bytes);
  cr_assert (g_file_get_contents (fixture.path, &data, &length, NULL));
  cr_assert_eq (length, HEADER + 100 + TRAILER);
  for (gsize at = 0; at < length; at++)
    expect_refused (&fixture, data, at, "cut off at", at);
  for (gsize bit = 0; bit < 8 * length; bit++) {
    data[bit / 8] = (char) (data[bit / 8] ^ 1 << bit % 8);
    expect_refused (&fixture, data, length, "flipped bit", bit);
    data[bit / 8] = (char) (data[bit / 8] ^ 1 << bit % 8);
  }
  longer = g_malloc0 (length + 1);
  memcpy (longer, data, length);
  expect_refused (&fixture, longer, length + 1, "longer by", 1);
  memset (longer, 0, length);
  expect_refused (&fixture, longer, length, "zeros", length);
  assay_disk_cache_keep (KIND, fixture.key, bytes);
  cr_expect (is_kept (KIND, fixture.key, bytes), "not repaired");
  end (&fixture);
}

/* Whole in itself, sha256 and all, but of another key, kind or version. */
Test (disk_cache, what_is_something_else_is_noticed)
{
  static const gsize places[] = { 12, 16, 32, 96, 104 }; /* version, kind, key, order, length */
  Fixture fixture = begin ();
  g_autofree char *second = key_of ("second"), *other = NULL, *data = NULL;
  g_autofree char *other_kind = g_build_filename (fixture.root, "other", NULL);
  g_autoptr (GBytes) bytes = content (100, 1);
  gsize length;

  assay_disk_cache_keep (KIND, second, bytes);
  other = g_build_filename (fixture.folder, second, NULL);
  cr_assert_eq (g_rename (other, fixture.path), 0);
  cr_expect_not (is_kept (KIND, fixture.key, NULL), "another key");
  assay_disk_cache_keep (KIND, fixture.key, bytes);
  cr_assert_eq (g_rename (fixture.folder, other_kind), 0);
  cr_expect_not (is_kept ("other", fixture.key, NULL), "another kind");
  assay_disk_cache_keep (KIND, fixture.key, bytes);
  cr_assert (g_file_get_contents (fixture.path, &data, &length, NULL));
  for (gsize i = 0; i <= G_N_ELEMENTS (places); i++) {
    g_autoptr (GChecksum) checksum = g_checksum_new (G_CHECKSUM_SHA256);
    g_autofree char *changed = g_memdup2 (data, length);
    gsize size = TRAILER;

    if (i < G_N_ELEMENTS (places))
      changed[places[i]]++;
    g_checksum_update (checksum, (const guchar *) changed, (gssize) (length - TRAILER));
    g_checksum_get_digest (checksum, (guint8 *) changed + length - TRAILER, &size);
    cr_assert (g_file_set_contents (fixture.path, changed, (gssize) length, NULL));
    cr_expect_eq (is_kept (KIND, fixture.key, NULL), i == G_N_ELEMENTS (places), "place %zu", i);
  }
  cr_assert (g_file_set_contents (fixture.path, "Dear reader", -1, NULL));
  cr_expect_not (is_kept (KIND, fixture.key, NULL), "a letter");
  end (&fixture);
}

/* ---- What cannot be written ---- */

Test (disk_cache, folders_that_cannot_be_written_are_no_error)
{
  Fixture fixture = begin ();
  g_autofree char *file = fixture_write (fixture.root, "file", ""), *inner = NULL;

  g_setenv ("ASSAY_CACHE", file, TRUE);
  keep_text (fixture.key, "one");
  cr_expect_not (is_kept (KIND, fixture.key, NULL), "a file for a folder");
  g_setenv ("ASSAY_CACHE", fixture.root, TRUE);
  /* It can be written beside, but not renamed. */
  inner = g_build_filename (fixture.path, "inner", NULL);
  cr_assert_eq (g_mkdir_with_parents (inner, 0700), 0);
  keep_text (fixture.key, "one");
  cr_expect_not (is_kept (KIND, fixture.key, NULL), "a folder for a file");
  cr_expect_eq (count_files (fixture.folder), 1, "a temporary is left");
  if (geteuid () != 0) {
    g_autofree char *second = key_of ("second");

    cr_assert_eq (g_chmod (fixture.folder, 0500), 0);
    keep_text (second, "one");
    cr_expect_not (is_kept (KIND, second, NULL), "a folder without permission");
    cr_assert_eq (g_chmod (fixture.folder, 0700), 0);
  }
  end (&fixture);
}

/* A limit on the size of files fails a write in its middle, as a full disk does. What was there
 * before stays. */
Test (disk_cache, full_disks_are_no_error)
{
  const struct rlimit small = { 65536, RLIM_INFINITY };
  Fixture fixture = begin ();
  g_autofree char *second = key_of ("second");
  g_autoptr (GBytes) one = g_bytes_new_static ("one", 3), large = content (100000, 1);

  assay_disk_cache_keep (KIND, fixture.key, one);
  signal (SIGXFSZ, SIG_IGN);
  cr_assert_eq (setrlimit (RLIMIT_FSIZE, &small), 0);
  assay_disk_cache_keep (KIND, fixture.key, large);
  assay_disk_cache_keep (KIND, second, large);
  cr_expect (is_kept (KIND, fixture.key, one));
  cr_expect_not (is_kept (KIND, second, NULL));
  cr_expect_eq (count_files (fixture.folder), 1, "a temporary is left");
  end (&fixture);
}

/* ---- Interrupted and concurrent writers ---- */

static void
make_old (const char *folder)
{
  const struct utimbuf before = { time (NULL) - 7200, time (NULL) - 7200 };
  g_autoptr (GDir) dir = g_dir_open (folder, 0, NULL);
  const char *name;

  while (dir != NULL && (name = g_dir_read_name (dir)) != NULL) {
    g_autofree char *path = g_build_filename (folder, name, NULL);

    cr_assert_eq (utime (path, &before), 0);
  }
}

/* Only what this cache has left, and only when no writer can be at it any more. */
Test (disk_cache, what_a_killed_writer_left_is_ignored_and_removed)
{
  Fixture fixture = begin ();
  g_autofree char *second = key_of ("second"), *data = NULL;
  g_autofree char *old = g_strconcat (fixture.path, ".ABC123", NULL);
  g_autofree char *fresh = g_strconcat (fixture.path, ".ABC124", NULL);
  g_autofree char *foreign = g_build_filename (fixture.folder, "notes.ABC123", NULL);
  g_autofree char *copy = g_strconcat (fixture.path, ".copy", NULL);
  gsize length;

  keep_in_another_process (fixture.key, "one");
  cr_assert (g_file_get_contents (fixture.path, &data, &length, NULL));
  cr_assert_eq (g_rename (fixture.path, old), 0);
  cr_expect_not (is_kept (KIND, fixture.key, NULL), "a temporary was read");
  cr_assert (g_file_set_contents (foreign, data, (gssize) length, NULL));
  cr_assert (g_file_set_contents (copy, data, (gssize) length, NULL));
  make_old (fixture.folder);
  cr_assert (g_file_set_contents (fresh, data, (gssize) length, NULL));
  keep_in_another_process (second, "two");
  cr_expect_not (g_file_test (old, G_FILE_TEST_EXISTS));
  cr_expect (g_file_test (fresh, G_FILE_TEST_EXISTS));
  cr_expect (g_file_test (foreign, G_FILE_TEST_EXISTS));
  cr_expect (g_file_test (copy, G_FILE_TEST_EXISTS));
  cr_expect_not (is_kept (KIND, fixture.key, NULL));
  cr_expect (is_kept (KIND, second, NULL));
  end (&fixture);
}

static void
write_for_ever (const Fixture *fixture, GBytes *old, GBytes *new)
{
  for (;;) {
    assay_disk_cache_keep (KIND, fixture->key, new);
    assay_disk_cache_keep (KIND, fixture->key, old);
  }
}

/* Killed after 0 to 19 ms, in the middle of a write as a rule. Something was there before, so that
 * nothing is no longer an answer. */
Test (disk_cache, killed_writers_leave_the_old_or_the_new)
{
  enum { ROUNDS = 20 };
  Fixture fixture = begin ();
  g_autoptr (GBytes) old = content (300000, 1), new = content (200000, 2);
  guint n_new = 0;

  assay_disk_cache_keep (KIND, fixture.key, old);
  for (guint round = 0; round < ROUNDS; round++) {
    g_autoptr (GBytes) found = NULL;
    const pid_t writer = fork ();
    int status;

    if (writer == 0)
      write_for_ever (&fixture, old, new);
    g_usleep (1000 * round);
    kill (writer, SIGKILL);
    cr_assert_eq (waitpid (writer, &status, 0), writer);
    cr_assert (WIFSIGNALED (status));
    found = assay_disk_cache_load (KIND, fixture.key);
    cr_assert (found != NULL && (g_bytes_equal (found, old) || g_bytes_equal (found, new)),
               "round %u", round);
    n_new += g_bytes_equal (found, new);
  }
  cr_log_info ("%u of %u left the new, %u temporaries", n_new, ROUNDS,
               count_files (fixture.folder) - 1);
  end (&fixture);
}

#define WRITERS 4

typedef struct {
  const Fixture *fixture;
  GBytes *bytes;
  guint n_loaded;
} Writer;

static gpointer
write_often (gpointer data)
{
  Writer *writer = data;

  for (guint i = 0; i < 25; i++) {
    assay_disk_cache_keep (KIND, writer->fixture->key, writer->bytes);
    writer->n_loaded += is_kept (KIND, writer->fixture->key, writer->bytes);
  }
  return NULL;
}

Test (disk_cache, concurrent_writers_are_no_trouble)
{
  Fixture fixture = begin ();
  g_autoptr (GBytes) bytes = content (300000, 1);
  GThread *threads[WRITERS];
  Writer writers[WRITERS];

  for (guint i = 0; i < WRITERS; i++) {
    writers[i] = (Writer){ &fixture, bytes, 0 };
    threads[i] = g_thread_new (NULL, write_often, &writers[i]);
  }
  for (guint i = 0; i < WRITERS; i++) {
    g_thread_join (threads[i]);
    cr_expect_eq (writers[i].n_loaded, 25, "writer %u", i);
  }
  cr_expect_eq (count_files (fixture.folder), 1);
  end (&fixture);
}
