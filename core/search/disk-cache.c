/* What took long to compute, kept on disk.
 *
 * The file FOLDER/KIND/KEY is
 *
 *   header | content | sha256 of both, 32 bytes
 *
 * and the header repeats kind, key and length, so that a file under another's name, one of another
 * version and one that lacks its end are all told by comparing it with the one that is expected.
 *
 * A file is written under another name, KEY.XXXXXX, brought to the disk and then renamed: whoever
 * reads KEY finds it whole or not at all, however the writer ended. What has been damaged all the
 * same (a bad sector, a careless copy) does not have its own sha256. A writer that was killed
 * leaves its KEY.XXXXXX, which nobody reads; the next process that keeps something of the kind
 * removes those that are too old to have a writer. */
#include "core/search/disk-cache.h"

#include <errno.h>
#include <string.h>
#include <time.h>

#include <glib/gstdio.h>

#include "core/data/secret-paths.h"
#include "core/math/linalg.h"

#define HASH_TEXT 64
#define HASH_BYTES 32
#define LEFT_AFTER 3600 /* seconds; no write takes so long */
#define TEMPORARY 7     /* characters that g_file_set_contents_full adds to a name */

/* What is made of rows is kept from so many products on: a quarter of a second on one core. */
#define KEPT_FROM 1e10
/* And from so many for each number of the rows: to take the sha256 of a float costs as much as
 * several hundred products, so that with fewer looking it up takes longer than making it. */
#define KEPT_FROM_PER_NUMBER 1000

/* Numbers as the machine has them; one with another byte order finds another @order. */
typedef struct {
  char format[16];
  char kind[16];
  char key[HASH_TEXT];
  guint64 order;
  guint64 length; /* of the content */
} Header;

#define FORMAT "assay-cache 1"
#define ORDER G_GUINT64_CONSTANT (0x0102030405060708)

G_STATIC_ASSERT (sizeof (Header) == 48 + HASH_TEXT);

static char *
find_folder (const char *kind)
{
  g_autofree char *folder = assay_cache_folder ();

  return folder != NULL ? g_build_filename (folder, kind, NULL) : NULL;
}

gboolean
assay_disk_cache_is_on (void)
{
  return g_strcmp0 (g_getenv ("ASSAY_CACHE"), "") != 0;
}

/* The kernel that OpenBLAS chose for the processor is part of it: another rounds in another way,
 * and what is made must not depend on which machine was the first to use the cache. */
char *
assay_disk_cache_key_of_rows (const AssayRows *rows, double products, const char *maker,
                              const char *settings)
{
  const double numbers = (double) assay_rows_count (rows) * (double) assay_rows_cols (rows);
  g_autofree char *text = NULL;

  if (products < KEPT_FROM || products / numbers < KEPT_FROM_PER_NUMBER
      || !assay_disk_cache_is_on ())
    return NULL;
  text = g_strdup_printf ("%s\n%s\n%s\nrows %s\n", maker, assay_linalg_describe (), settings,
                          assay_rows_sha256 (rows));
  return g_compute_checksum_for_string (G_CHECKSUM_SHA256, text, -1);
}

/* ---- The format ---- */

static gboolean
is_key (const char *name, gsize length)
{
  return length == HASH_TEXT && strspn (name, "0123456789abcdef") >= HASH_TEXT;
}

static Header
make_header (const char *kind, const char *key, gsize length)
{
  Header header = { .format = FORMAT, .order = ORDER, .length = length };

  g_assert (strlen (kind) < sizeof header.kind && is_key (key, strlen (key)));
  memcpy (header.kind, kind, strlen (kind));
  memcpy (header.key, key, HASH_TEXT);
  return header;
}

static void
hash_block (const char *data, gsize length, char *ret_hash)
{
  g_autoptr (GChecksum) checksum = g_checksum_new (G_CHECKSUM_SHA256);
  gsize size = HASH_BYTES;

  g_checksum_update (checksum, (const guchar *) data, (gssize) length);
  g_checksum_get_digest (checksum, (guint8 *) ret_hash, &size);
}

static gboolean
is_sound (const char *data, gsize size, const char *kind, const char *key)
{
  Header expected;
  char hash[HASH_BYTES];

  if (size < sizeof expected + HASH_BYTES)
    return FALSE;
  expected = make_header (kind, key, size - sizeof expected - HASH_BYTES);
  if (memcmp (data, &expected, sizeof expected) != 0)
    return FALSE;
  hash_block (data, size - HASH_BYTES, hash);
  return memcmp (data + size - HASH_BYTES, hash, HASH_BYTES) == 0;
}

/* ---- Reading ---- */

GBytes *
assay_disk_cache_load (const char *kind, const char *key)
{
  g_autofree char *folder = find_folder (kind), *path = NULL, *data = NULL;
  g_autoptr (GBytes) all = NULL;
  gsize size;

  if (folder == NULL)
    return NULL;
  path = g_build_filename (folder, key, NULL);
  if (!g_file_get_contents (path, &data, &size, NULL))
    return NULL;
  if (!is_sound (data, size, kind, key)) {
    g_debug ("%s is damaged, or no file of this cache", path);
    return NULL;
  }
  all = g_bytes_new_take (g_steal_pointer (&data), size);
  return g_bytes_new_from_bytes (all, sizeof (Header), size - sizeof (Header) - HASH_BYTES);
}

/* ---- Writing ---- */

static gboolean
is_left (const char *folder, const char *name)
{
  g_autofree char *path = g_build_filename (folder, name, NULL);
  const gsize length = strlen (name);
  GStatBuf about;

  return length == HASH_TEXT + TEMPORARY && name[HASH_TEXT] == '.' && is_key (name, HASH_TEXT)
         && g_lstat (path, &about) == 0 && about.st_mtime + LEFT_AFTER < time (NULL);
}

static void
remove_left (const char *folder)
{
  g_autoptr (GDir) dir = g_dir_open (folder, 0, NULL);
  const char *name;

  while (dir != NULL && (name = g_dir_read_name (dir)) != NULL)
    if (is_left (folder, name)) {
      g_autofree char *path = g_build_filename (folder, name, NULL);

      g_unlink (path);
    }
}

/* A folder may hold a file for each of many photographs: it is not read with each of them. */
static gboolean
is_first_of_process (const char *folder)
{
  static GMutex lock;
  static GHashTable *known;
  G_GNUC_UNUSED g_autoptr (GMutexLocker) locker = g_mutex_locker_new (&lock);

  if (known == NULL)
    known = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);
  return g_hash_table_add (known, g_strdup (folder));
}

static char *
pack (const char *kind, const char *key, GBytes *bytes, gsize *ret_size)
{
  gsize length;
  const void *content = g_bytes_get_data (bytes, &length);
  const Header header = make_header (kind, key, length);
  const gsize hashed = sizeof header + length;
  char *data = g_try_malloc (hashed + HASH_BYTES);

  if (data == NULL)
    return NULL;
  memcpy (data, &header, sizeof header);
  if (length > 0)
    memcpy (data + sizeof header, content, length);
  hash_block (data, hashed, data + hashed);
  *ret_size = hashed + HASH_BYTES;
  return data;
}

void
assay_disk_cache_keep (const char *kind, const char *key, GBytes *bytes)
{
  g_autofree char *folder = find_folder (kind), *path = NULL, *data = NULL;
  g_autoptr (GError) error = NULL;
  gsize size;

  if (folder == NULL)
    return;
  if (g_mkdir_with_parents (folder, 0700) != 0) {
    g_debug ("%s: %s; nothing is kept there", folder, g_strerror (errno));
    return;
  }
  if (is_first_of_process (folder))
    remove_left (folder);
  path = g_build_filename (folder, key, NULL);
  data = pack (kind, key, bytes, &size);
  if (data == NULL) {
    g_debug ("%s is not kept: no memory", path);
    return;
  }
  if (!g_file_set_contents_full (path, data, (gssize) size,
                                 G_FILE_SET_CONTENTS_CONSISTENT | G_FILE_SET_CONTENTS_DURABLE, 0600,
                                 &error))
    g_debug ("%s", error->message);
}
