/* Features of photographs, kept by content.
 *
 * The key under which they are kept (core/search/disk-cache.c) is made of everything that they
 * depend on: the sha256 of the file's bytes, the size to which the picture was reduced, and the
 * versions of what reads and describes it. So nothing has to be compared by date, a photograph that
 * was moved is found, and one that was changed is another. What is kept:
 *
 *   header | count x AssayKeypoint | count x 128 bytes */
#include "datasets/photographs/features.h"

#include <string.h>

#include <gdk-pixbuf/gdk-pixbuf.h>
#include <vl/generic.h>

#include "core/base/error.h"
#include "core/data/matrix.h"
#include "core/search/disk-cache.h"

#define KIND "sift"

/* To be raised with every change of what is computed here, in sift.c or in photo.c, and of how it
 * is kept. */
#define EXTRACTOR "assay-sift 2"

#define HASH_TEXT 64

typedef struct {
  guint32 width;
  guint32 height;
  guint32 count;
  char picture[HASH_TEXT];
} Header;

G_STATIC_ASSERT (sizeof (Header) == 12 + HASH_TEXT);
G_STATIC_ASSERT (sizeof (AssayKeypoint) == 24);

ASSAY_FREE_FUNC (AssayFeatures, assay_features_free, assay_drop (self->keypoints, g_array_unref),
                 g_free (self->descriptors))

/* ---- What is kept ---- */

static char *
make_key (GBytes *bytes, gsize largest)
{
  g_autofree char *content = g_compute_checksum_for_bytes (G_CHECKSUM_SHA256, bytes);
  g_autofree char *text
      = g_strdup_printf ("%s\ngdk-pixbuf %s\nvlfeat %s\nlargest %zu\n%s\n", EXTRACTOR,
                         gdk_pixbuf_version, vl_get_version_string (), largest, content);

  return g_compute_checksum_for_string (G_CHECKSUM_SHA256, text, -1);
}

static AssayFeatures *
unpack (GBytes *kept)
{
  const gsize per_keypoint = sizeof (AssayKeypoint) + ASSAY_SIFT_LENGTH;
  gsize length;
  const char *data = g_bytes_get_data (kept, &length);
  g_autoptr (AssayFeatures) features = NULL;
  Header header;

  if (length < sizeof header)
    return NULL;
  memcpy (&header, data, sizeof header);
  if (length != sizeof header + header.count * per_keypoint)
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

static GBytes *
pack (const AssayFeatures *features)
{
  GByteArray *data = g_byte_array_new ();
  const guint count = features->keypoints->len;
  Header header = { .width = (guint32) features->width,
                    .height = (guint32) features->height,
                    .count = count };

  memcpy (header.picture, features->picture, HASH_TEXT);
  g_byte_array_append (data, (const guint8 *) &header, sizeof header);
  if (count > 0) {
    g_byte_array_append (data, (const guint8 *) features->keypoints->data,
                         count * (guint) sizeof (AssayKeypoint));
    g_byte_array_append (data, features->descriptors, count * ASSAY_SIFT_LENGTH);
  }
  return g_byte_array_free_to_bytes (data);
}

static AssayFeatures *
load_kept (const char *key)
{
  g_autoptr (GBytes) kept = assay_disk_cache_load (KIND, key);

  return kept != NULL ? unpack (kept) : NULL;
}

static void
keep (const AssayFeatures *features, const char *key)
{
  g_autoptr (GBytes) bytes = pack (features);

  assay_disk_cache_keep (KIND, key, bytes);
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
  g_autofree char *sides = g_strdup_printf ("%zu x %zu\n", grey->width, grey->height);
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
  if (!assay_sift_resize (sift, grey->width, grey->height, error))
    return assay_prefix_null (error, "%s: ", file);
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
assay_features_load (const char *file, gsize largest, AssaySift *sift, GError **error)
{
  g_autoptr (GBytes) bytes = assay_photo_read (file, error);
  g_autofree char *key = NULL;
  AssayFeatures *features;

  if (bytes == NULL)
    return NULL;
  key = make_key (bytes, largest);
  features = load_kept (key);
  if (features == NULL) {
    features = compute (bytes, file, largest, sift, error);
    if (features != NULL)
      keep (features, key);
  }
  return features;
}
