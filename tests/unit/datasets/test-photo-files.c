/* The dataset `photos`: files that are no photographs, and a cache that never changes a result. */
#include <sys/resource.h>

#include "core/base/parallel.h"
#include "datasets/photographs/jpeg-check.h"
#include "tests/unit/photo-folders.h"

/* ---- Files that are no photographs ---- */

static void
write_part (const char *from, const char *to, double part)
{
  g_autofree char *data = NULL;
  gsize length;

  cr_assert (g_file_get_contents (from, &data, &length, NULL));
  cr_assert (g_file_set_contents (to, data, (gssize) (part * (double) length), NULL));
}

/* One @part-th of the file, from its middle, is left out or becomes zeros. */
static void
write_damaged (const char *from, const char *to, gsize part, gboolean is_cut)
{
  g_autofree char *data = NULL;
  gsize all, at, length;

  cr_assert (g_file_get_contents (from, &data, &all, NULL));
  at = all / 2;
  length = all / part;
  if (is_cut)
    memmove (data + at, data + at + length, all - at - length);
  else
    memset (data + at, 0, length);
  cr_assert (g_file_set_contents (to, data, (gssize) (is_cut ? all - length : all), NULL));
}

static guint32
crc (const guint8 *data, gsize length)
{
  guint32 value = ~0u;

  for (gsize i = 0; i < length; i++) {
    value ^= data[i];
    for (int bit = 0; bit < 8; bit++)
      value = value >> 1 ^ (value & 1 ? 0xedb88320u : 0);
  }
  return ~value;
}

static void
put_u32 (guint8 *at, guint32 value)
{
  for (int i = 0; i < 4; i++)
    at[i] = (guint8) (value >> (24 - 8 * i));
}

/* A PNG whose header says 20,000 x 20,000. */
static GBytes *
make_bomb (const char *from)
{
  char *data;
  gsize length;

  cr_assert (g_file_get_contents (from, &data, &length, NULL));
  put_u32 ((guint8 *) data + 16, 20000);
  put_u32 ((guint8 *) data + 20, 20000);
  put_u32 ((guint8 *) data + 29, crc ((guint8 *) data + 12, 17));
  return g_bytes_new_take (data, length);
}

static void
write_bad (const char *folder, const char *kind, const char *path)
{
  g_autofree char *jpeg = g_build_filename (folder, "b.jpg", NULL);
  g_autofree char *png = g_build_filename (folder, "a.png", NULL);
  g_autoptr (AssayPhoto) flat = NULL;

  if (strcmp (kind, "empty") == 0)
    write_part (png, path, 0);
  else if (strcmp (kind, "JPEG cut in half") == 0)
    write_part (jpeg, path, 0.5);
  else if (strcmp (kind, "JPEG without its last bytes") == 0)
    write_part (jpeg, path, 0.995);
  else if (strcmp (kind, "JPEG cut in its header") == 0)
    write_part (jpeg, path, 0.02);
  else if (strcmp (kind, "JPEG without its middle") == 0)
    write_damaged (jpeg, path, 6, TRUE);
  else if (strcmp (kind, "JPEG with zeros") == 0)
    write_damaged (jpeg, path, 6, FALSE);
  else if (strcmp (kind, "PNG with zeros") == 0)
    write_damaged (png, path, 1000, FALSE);
  else if (strcmp (kind, "PNG cut in half") == 0)
    write_part (png, path, 0.5);
  else if (strcmp (kind, "PNG without its last bytes") == 0)
    write_part (png, path, 0.9995);
  else if (strcmp (kind, "text") == 0)
    cr_assert (g_file_set_contents (path, "Dear reader", -1, NULL));
  else if (strcmp (kind, "GIF") == 0)
    cr_assert (g_file_set_contents (path,
                                    "GIF89a\1\0\1\0\x80\0\0\0\0\0\xff\xff\xff,\0\0\0\0\1\0\1\0\0"
                                    "\2\2D\1\0;",
                                    35, NULL));
  else if (strcmp (kind, "GIF without a width") == 0)
    cr_assert (g_file_set_contents (path, "GIF89a\0\0\1\0\0\0\0;", 14, NULL));
  else if (strcmp (kind, "20000 x 20000") == 0) {
    g_autoptr (GBytes) bomb = make_bomb (png);

    cr_assert (g_file_set_contents (path, g_bytes_get_data (bomb, NULL),
                                    (gssize) g_bytes_get_size (bomb), NULL));
  } else {
    const gsize side = strcmp (kind, "1 x 1") == 0 ? 1 : 64;

    flat = assay_photo_new (side, side, 3, NULL);
    save (flat, path, "compression", "6");
  }
}

static guint n_warnings;
static char *last_warning;

static GLogWriterOutput
catch_warning (GLogLevelFlags level, const GLogField *fields, gsize n_fields,
               G_GNUC_UNUSED gpointer data)
{
  n_warnings += (level & (G_LOG_LEVEL_MESSAGE | G_LOG_LEVEL_WARNING | G_LOG_LEVEL_CRITICAL)) != 0;
  for (gsize i = 0; i < n_fields; i++)
    if (strcmp (fields[i].key, "MESSAGE") == 0) {
      g_free (last_warning);
      last_warning = g_strdup (fields[i].value);
    }
  return G_LOG_WRITER_HANDLED;
}

/* Each is refused by its name; skipped it is missed, said once, and changes nothing else. */
Test (photo_files, bad_files_are_refused_or_skipped)
{
  static const struct {
    const char *kind, *name, *says;
  } cases[] = {
    { "empty", "bad.jpg", "expected JPEG or PNG" },
    { "text", "bad.png", "expected JPEG or PNG" },
    { "GIF", "bad.png", "in the format gif; expected JPEG or PNG" },
    { "GIF without a width", "bad.png", "in the format gif; expected JPEG or PNG" },
    { "JPEG cut in its header", "bad.jpg", "expected JPEG or PNG" },
    { "JPEG cut in half", "bad.jpg", "truncated" },
    { "JPEG without its last bytes", "bad.jpg", "truncated" },
    { "JPEG without its middle", "bad.jpg", "damaged" },
    { "JPEG with zeros", "bad.jpg", "damaged" },
    { "PNG with zeros", "bad.png", "PNG" },
    { "PNG cut in half", "bad.png", "truncated" },
    { "PNG without its last bytes", "bad.png", "truncated" },
    { "1 x 1", "bad.png", "1 x 1 pixels" },
    { "20000 x 20000", "bad.png", "20000 x 20000 pixels" },
    { "no keypoints", "bad.png", "without a SIFT keypoint" },
  };
  Fixture fixture = begin ();
  g_autofree char *folder = make_private (&fixture);
  g_autofree char *whole = hash_of (&fixture, "private=private", 7);

  g_log_set_writer_func (catch_warning, NULL, NULL);
  for (gsize i = 0; i < G_N_ELEMENTS (cases); i++) {
    g_autofree char *path = g_build_filename (folder, cases[i].name, NULL), *hash = NULL;

    write_bad (folder, cases[i].kind, path);
    expect_error (&fixture, "private=private", path, cases[i].says);
    cr_expect_eq (n_warnings, (guint) i, "%s", cases[i].kind);
    hash = hash_of (&fixture, "private=private skip_unreadable=yes", 7);
    cr_expect_str_eq (hash, whole, "%s", cases[i].kind);
    cr_assert_eq (n_warnings, (guint) i + 1, "%s", cases[i].kind);
    cr_expect_not_null (strstr (last_warning, path), "%s: %s", cases[i].kind, last_warning);
    cr_expect_not_null (strstr (last_warning, "1 of 4"), "%s: %s", cases[i].kind, last_warning);
    g_remove (path);
  }
  end (&fixture);
}

/* Decoders make a picture of a stream that lacks a sixth of itself. What is left decodes to another
 * number of blocks, but for chance: codes that have lost their place may make up for some blocks,
 * not for sixteen in a hundred. Undamaged streams of any quality are sound. */
Test (photo_files, damage_in_jpeg_streams_is_found)
{
  Fixture fixture = begin_with_photographs ();
  g_autofree char *path = g_build_filename (fixture.root, "private", "d.jpg", NULL);
  const char *const qualities[] = { "5", "50", "92", "100" };

  for (gsize q = 0; q < G_N_ELEMENTS (qualities); q++) {
    g_autoptr (AssayPhoto) photo = render (7 + q, 151, 97 + q);
    g_autofree char *data = NULL;
    gsize length, n_found = 0;

    save (photo, path, "quality", qualities[q]);
    cr_assert (g_file_get_contents (path, &data, &length, NULL));
    cr_expect (assay_jpeg_check ((const guint8 *) data, length, 1 << 20, NULL), "quality %s",
               qualities[q]);
    for (gsize i = 0; i < 100; i++) {
      const gsize missing = length / 6, from = length / 2 + i * (length / 3 - 8) / 100;
      g_autofree guint8 *cut = g_memdup2 (data, length);

      memmove (cut + from, cut + from + missing, length - from - missing);
      n_found += !assay_jpeg_check (cut, length - missing, 1 << 20, NULL);
    }
    cr_expect_geq (n_found, 98, "quality %s: %zu of 100", qualities[q], n_found);
  }
  end (&fixture);
}

/* A header that comes to light only while decoding takes no memory either: 1.2 GB it would be. */
Test (photo_files, bombs_are_refused_before_they_are_decoded)
{
  Fixture fixture = begin ();
  g_autofree char *folder = make_private (&fixture);
  g_autofree char *png = g_build_filename (folder, "a.png", NULL);
  g_autoptr (GBytes) bomb = make_bomb (png);
  g_autoptr (GError) error = NULL;
  struct rusage before, after;

  getrusage (RUSAGE_SELF, &before);
  cr_expect_null (assay_photo_decode (bomb, "bomb.png", &error));
  getrusage (RUSAGE_SELF, &after);
  cr_assert (g_error_matches (error, ASSAY_ERROR, ASSAY_ERROR_DATA));
  cr_expect_str_eq (error->message,
                    "bomb.png: 20000 x 20000 pixels; expected at most 67108864 pixels");
  cr_expect_lt (after.ru_maxrss - before.ru_maxrss, 100 * 1024);
  end (&fixture);
}

Test (photo_files, nothing_left_is_an_error)
{
  Fixture fixture = begin ();
  g_autofree char *folder = make_private (&fixture), *public = make_folder (&fixture, "public");
  g_autofree char *path = g_build_filename (public, "bad.png", NULL);

  g_log_set_writer_func (catch_warning, NULL, NULL);
  write_bad (folder, "no keypoints", path);
  expect_error (&fixture, "private=private public=public skip_unreadable=yes", "public: ",
                "every photograph was skipped");
  write_bad (folder, "text", path);
  expect_error (&fixture, "private=public skip_unreadable=yes", "private: ",
                "every photograph was skipped");
  end (&fixture);
}

/* ---- Threads and the cache ---- */

static GPtrArray *
list_cache (const Fixture *fixture)
{
  g_autofree char *folder = g_build_filename (fixture->cache, "sift", NULL);
  g_autoptr (GDir) dir = g_dir_open (folder, 0, NULL);
  GPtrArray *paths = g_ptr_array_new_with_free_func (g_free);
  const char *name;

  while (dir != NULL && (name = g_dir_read_name (dir)) != NULL)
    g_ptr_array_add (paths, g_build_filename (folder, name, NULL));
  return paths;
}

Test (photo_files, threads_and_cache_change_nothing)
{
  Fixture fixture = begin_with_photographs ();
  g_autofree char *whole = NULL;

  assay_parallel_set_threads (1);
  whole = hash_of (&fixture, "private=private", 7);
  for (guint threads = 1; threads <= 2; threads++) {
    const char *const states[] = { "cold", "warm" };

    assay_parallel_set_threads (threads);
    g_setenv ("ASSAY_CACHE", fixture.cache, TRUE);
    for (gsize i = 0; i < G_N_ELEMENTS (states); i++) {
      g_autofree char *hash = hash_of (&fixture, "private=private", 7);
      g_autoptr (GPtrArray) kept = list_cache (&fixture);

      cr_expect_str_eq (hash, whole, "%u threads, %s", threads, states[i]);
      cr_expect_eq (kept->len, 3, "%u threads, %s", threads, states[i]);
    }
    remove_tree (fixture.cache);
  }
  end (&fixture);
}

/* What is in a cache file is really used: its own checksum is its only guard. */
Test (photo_files, cache_is_read_and_named_after_what_it_depends_on)
{
  Fixture fixture = begin_with_photographs ();
  g_autofree char *reduced = NULL;
  g_autoptr (GPtrArray) before = NULL, after = NULL;
  gint64 cold, warm;

  g_setenv ("ASSAY_CACHE", fixture.cache, TRUE);
  cold = g_get_monotonic_time ();
  g_free (hash_of (&fixture, "private=private", 7));
  cold = g_get_monotonic_time () - cold;
  before = list_cache (&fixture);
  for (guint i = 0; i < before->len; i++)
    cr_assert_eq (g_chmod (before->pdata[i], 0400), 0);
  warm = g_get_monotonic_time ();
  g_free (hash_of (&fixture, "private=private", 7));
  warm = g_get_monotonic_time () - warm;
  cr_log_info ("cold %.1f ms, warm %.1f ms", (double) cold / 1e3, (double) warm / 1e3);
  for (guint i = 0; i < before->len; i++) {
    GStatBuf about;

    /* Written anew it would have its old mode. */
    cr_assert_eq (g_stat (before->pdata[i], &about), 0);
    cr_expect_eq (about.st_mode & 0777, 0400);
  }
  reduced = hash_of (&fixture, "private=private largest=100", 7);
  after = list_cache (&fixture);
  cr_expect_eq (after->len, 6);
  end (&fixture);
}

static void
expect_repaired (const Fixture *fixture, const char *path, const char *data, gsize length,
                 const char *whole, const char *what, gsize at)
{
  g_autofree char *hash = hash_of (fixture, "private=private", 7), *again = NULL;
  gsize again_length;

  cr_assert_str_eq (hash, whole, "%s %zu", what, at);
  cr_assert (g_file_get_contents (path, &again, &again_length, NULL), "%s %zu", what, at);
  cr_assert_eq (again_length, length, "%s %zu", what, at);
  cr_assert_arr_eq (again, data, length, "%s %zu", what, at);
}

Test (photo_files, damaged_cache_files_are_made_again)
{
  Fixture fixture = begin_with_photographs ();
  g_autofree char *whole = hash_of (&fixture, "private=private", 7), *data = NULL, *other = NULL;
  g_autoptr (GPtrArray) paths = NULL;
  gsize length, other_length;

  g_setenv ("ASSAY_CACHE", fixture.cache, TRUE);
  g_free (hash_of (&fixture, "private=private", 7));
  paths = list_cache (&fixture);
  cr_assert_eq (paths->len, 3);
  cr_assert (g_file_get_contents (paths->pdata[0], &data, &length, NULL));
  cr_assert (g_file_get_contents (paths->pdata[1], &other, &other_length, NULL));
  for (gsize i = 0; i < 12; i++) {
    const gsize at = i * (length - 1) / 11;
    g_autofree char *damaged = g_memdup2 (data, length);

    damaged[at] = (char) (damaged[at] ^ 1 << i % 8);
    cr_assert (g_file_set_contents (paths->pdata[0], damaged, (gssize) length, NULL));
    expect_repaired (&fixture, paths->pdata[0], data, length, whole, "flipped at", at);
    cr_assert (g_file_set_contents (paths->pdata[0], data, (gssize) at, NULL));
    expect_repaired (&fixture, paths->pdata[0], data, length, whole, "cut off at", at);
  }
  /* Whole in itself, but another photograph's. */
  cr_assert (g_file_set_contents (paths->pdata[0], other, (gssize) other_length, NULL));
  expect_repaired (&fixture, paths->pdata[0], data, length, whole, "exchanged", 0);
  end (&fixture);
}

Test (photo_files, no_cache_is_no_error)
{
  Fixture fixture = begin ();
  g_autofree char *folder = make_private (&fixture);
  g_autofree char *whole = hash_of (&fixture, "private=private", 7), *hash = NULL;
  g_autofree char *file = g_build_filename (folder, "a.png", NULL);

  g_setenv ("ASSAY_CACHE", file, TRUE);
  hash = hash_of (&fixture, "private=private", 7);
  cr_expect_str_eq (hash, whole);
  end (&fixture);
}
