/* Features of photographs, kept by content.
 *
 * A cache file is named after everything that its content depends on: the sha256 of the file's
 * bytes, the size to which the picture was reduced, and the versions of what reads and describes
 * it. So nothing has to be compared by date, a photograph that was moved is found, and one that was
 * changed is another. In the file stand a header, the keypoints, the descriptors, and the sha256 of
 * all of this:
 *
 *   header | count x AssayKeypoint | count x 128 bytes | 32 bytes
 *
 * It is written under another name and then renamed, so that whoever reads it finds it whole or not
 * at all; and what has been damaged all the same (a full disk, a bad sector) does not have its own
 * checksum, and is made again. */
#include "datasets/features.h"

#include <string.h>

#include <gdk-pixbuf/gdk-pixbuf.h>
#include <vl/generic.h>

#include "core/error.h"
#include "core/matrix.h"

/* To be raised with every change of what is computed here, in sift.c or in photo.c. */
#define EXTRACTOR "assay-sift 1"

#define HASH_TEXT 64
#define HASH_BYTES 32

/* Numbers as the machine has them; one with another byte order finds another @order. */
typedef struct {
  char extractor[16];
  guint32 order;
  guint32 width;
  guint32 height;
  guint32 count;
  char key[HASH_TEXT];
  char picture[HASH_TEXT];
} Header;

#define ORDER 0x01020304u

G_STATIC_ASSERT (sizeof (Header) == 32 + 2 * HASH_TEXT);
G_STATIC_ASSERT (sizeof (AssayKeypoint) == 24);

void
assay_features_free (AssayFeatures *features)
{
  if (features == NULL)
    return;
  g_clear_pointer (&features->keypoints, g_array_unref);
  g_free (features->descriptors);
  g_free (features);
}

char *
assay_features_cache (void)
{
  const char *folder = g_getenv ("ASSAY_CACHE");

  if (folder == NULL)
    return g_build_filename (g_get_user_cache_dir (), "assay", "sift", NULL);
  return *folder != '\0' ? g_build_filename (folder, "sift", NULL) : NULL;
}

/* ---- The cache ---- */

static char *
make_key (GBytes *bytes, gsize largest)
{
  g_autofree char *content = g_compute_checksum_for_bytes (G_CHECKSUM_SHA256, bytes);
  g_autofree char *text
      = g_strdup_printf ("%s\ngdk-pixbuf %s\nvlfeat %s\nlargest %" G_GSIZE_FORMAT "\n%s\n",
                         EXTRACTOR, gdk_pixbuf_version, vl_get_version_string (), largest, content);

  return g_compute_checksum_for_string (G_CHECKSUM_SHA256, text, -1);
}

static void
hash_block (const char *data, gsize length, guint8 *ret_hash)
{
  g_autoptr (GChecksum) checksum = g_checksum_new (G_CHECKSUM_SHA256);
  gsize size = HASH_BYTES;

  g_checksum_update (checksum, (const guchar *) data, (gssize) length);
  g_checksum_get_digest (checksum, ret_hash, &size);
}

/* NULL unless @data is exactly what was written under @key. */
static AssayFeatures *
unpack (const char *data, gsize length, const char *key)
{
  const gsize per_keypoint = sizeof (AssayKeypoint) + ASSAY_SIFT_LENGTH;
  g_autoptr (AssayFeatures) features = NULL;
  guint8 hash[HASH_BYTES];
  Header header;

  if (length < sizeof header + HASH_BYTES)
    return NULL;
  hash_block (data, length - HASH_BYTES, hash);
  memcpy (&header, data, sizeof header);
  if (memcmp (hash, data + length - HASH_BYTES, HASH_BYTES) != 0
      || strncmp (header.extractor, EXTRACTOR, sizeof header.extractor) != 0
      || header.order != ORDER || memcmp (header.key, key, HASH_TEXT) != 0
      || length != sizeof header + header.count * per_keypoint + HASH_BYTES)
    return NULL;
  features = g_new0 (AssayFeatures, 1);
  memcpy (features->picture, header.picture, HASH_TEXT);
  features->width = header.width;
  features->height = header.height;
  features->keypoints = g_array_new (FALSE, FALSE, sizeof (AssayKeypoint));
  g_array_append_vals (features->keypoints, data + sizeof header, header.count);
  features->descriptors = assay_alloc (header.count, ASSAY_SIFT_LENGTH, "descriptors", NULL);
  if (features->descriptors == NULL)
    return NULL;
  memcpy (features->descriptors, data + sizeof header + header.count * sizeof (AssayKeypoint),
          header.count * ASSAY_SIFT_LENGTH);
  return g_steal_pointer (&features);
}

static GByteArray *
pack (const AssayFeatures *features, const char *key)
{
  GByteArray *data = g_byte_array_new ();
  const guint count = features->keypoints->len;
  Header header = { .extractor = EXTRACTOR,
                    .order = ORDER,
                    .width = (guint32) features->width,
                    .height = (guint32) features->height,
                    .count = count };
  guint8 hash[HASH_BYTES];

  memcpy (header.key, key, HASH_TEXT);
  memcpy (header.picture, features->picture, HASH_TEXT);
  g_byte_array_append (data, (const guint8 *) &header, sizeof header);
  if (count > 0) {
    g_byte_array_append (data, (const guint8 *) features->keypoints->data,
                         count * (guint) sizeof (AssayKeypoint));
    g_byte_array_append (data, features->descriptors, count * ASSAY_SIFT_LENGTH);
  }
  hash_block ((const char *) data->data, data->len, hash);
  g_byte_array_append (data, hash, sizeof hash);
  return data;
}

static AssayFeatures *
read_kept (const char *path, const char *key)
{
  g_autofree char *data = NULL;
  gsize length;

  return g_file_get_contents (path, &data, &length, NULL) ? unpack (data, length, key) : NULL;
}

/* Without a word where it cannot be done: the features themselves are there. */
static void
keep (const AssayFeatures *features, const char *cache, const char *path, const char *key)
{
  g_autoptr (GByteArray) data = NULL;

  if (g_mkdir_with_parents (cache, 0700) != 0)
    return;
  data = pack (features, key);
  g_file_set_contents_full (path, (const char *) data->data, (gssize) data->len,
                            G_FILE_SET_CONTENTS_CONSISTENT, 0600, NULL);
}

/* ---- Photographs ---- */

static AssayPhoto *
load_grey (GBytes *bytes, const char *file, gsize largest, GError **error)
{
  g_autoptr (AssayPhoto) photo = assay_photo_decode (bytes, file, error);
  g_autoptr (AssayPhoto) grey = NULL;

  if (photo == NULL)
    return NULL;
  grey = assay_photo_grey (photo, error);
  return grey != NULL ? assay_photo_shrink (grey, largest, error) : NULL;
}

/* Two files with the same grey levels are one picture, however they are stored. */
static void
name_picture (const AssayPhoto *grey, char *ret_name)
{
  g_autoptr (GChecksum) checksum = g_checksum_new (G_CHECKSUM_SHA256);
  g_autofree char *sides
      = g_strdup_printf ("%" G_GSIZE_FORMAT " x %" G_GSIZE_FORMAT "\n", grey->width, grey->height);
  g_autofree guint8 *line = g_new (guint8, grey->width);

  g_checksum_update (checksum, (const guchar *) sides, -1);
  for (gsize y = 0; y < grey->height; y++) {
    for (gsize x = 0; x < grey->width; x++)
      line[x] = (guint8) *assay_photo_pixel (grey, x, y);
    g_checksum_update (checksum, line, (gssize) grey->width);
  }
  memcpy (ret_name, g_checksum_get_string (checksum), HASH_TEXT);
}

static AssayFeatures *
compute (GBytes *bytes, const char *file, gsize largest, AssaySift *sift, GError **error)
{
  g_autoptr (AssayPhoto) grey = load_grey (bytes, file, largest, error);
  g_autoptr (AssayFeatures) features = NULL;

  if (grey == NULL)
    return NULL;
  features = g_new0 (AssayFeatures, 1);
  features->width = grey->width;
  features->height = grey->height;
  name_picture (grey, features->picture);
  if (!assay_sift_resize (sift, grey->width, grey->height, error)) {
    g_prefix_error (error, "%s: ", file);
    return NULL;
  }
  features->keypoints = assay_sift_detect (sift, grey, error);
  if (features->keypoints == NULL)
    return NULL;
  features->descriptors
      = assay_alloc (features->keypoints->len, ASSAY_SIFT_LENGTH, "descriptors", error);
  if (features->descriptors == NULL)
    return NULL;
  for (guint i = 0; i < features->keypoints->len; i++)
    assay_sift_describe (sift, &g_array_index (features->keypoints, AssayKeypoint, i),
                         features->descriptors + i * ASSAY_SIFT_LENGTH);
  return g_steal_pointer (&features);
}

AssayFeatures *
assay_features_load (const char *file, gsize largest, AssaySift *sift, const char *cache,
                     GError **error)
{
  g_autoptr (GBytes) bytes = assay_photo_read (file, error);
  g_autofree char *key = NULL, *name = NULL, *path = NULL;
  AssayFeatures *features;

  if (bytes == NULL)
    return NULL;
  if (cache == NULL)
    return compute (bytes, file, largest, sift, error);
  key = make_key (bytes, largest);
  name = g_strconcat (key, ".sift", NULL);
  path = g_build_filename (cache, name, NULL);
  features = read_kept (path, key);
  if (features == NULL) {
    features = compute (bytes, file, largest, sift, error);
    if (features != NULL)
      keep (features, cache, path, key);
  }
  return features;
}
