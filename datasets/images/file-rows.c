/* Image files as rows. */
#include "datasets/images/file-rows.h"

#include "core/base/error.h"
#include "core/data/photo.h"
#include "core/data/row-file.h"
#include "datasets/images/cifar-file.h"
#include "datasets/images/idx-file.h"

#define WHITE 255.0f

gboolean
assay_image_file_is_named (const char *specification)
{
  static const char *const endings[] = { ".bin", "-ubyte", "-ubyte.gz", ".idx", ".idx.gz", NULL };
  AssayRowSpan span;
  g_autofree char *name = assay_row_span_split (specification, &span, NULL);

  for (guint i = 0; name != NULL && endings[i] != NULL; i++)
    if (g_str_has_suffix (name, endings[i]))
      return TRUE;
  return FALSE;
}

static AssayImages *
read_file (const char *path, GError **error)
{
  const char *const paths[] = { path, NULL };

  return assay_idx_is_likely (path) ? assay_images_read_idx (path, FALSE, error)
                                    : assay_cifar_read (paths, 0, 0, error);
}

static gboolean
check_size (const AssayImages *images, const AssayGeometry *geometry, GError **error)
{
  if (geometry == NULL || geometry->height == 0
      || (images->height == geometry->height && images->width == geometry->width
          && images->channels == geometry->channels))
    return TRUE;
  return assay_fail (error, ASSAY_ERROR_MISMATCH,
                     "%s: images of %zu x %zu pixels with %zu channel%s; expected %zu x %zu with "
                     "%zu, as the release says",
                     images->source, images->height, images->width, images->channels,
                     assay_channels_plural (images->channels), geometry->height, geometry->width,
                     geometry->channels);
}

static AssayMatrix *
to_numbers (const AssayImages *images, const AssayGeometry *geometry, GError **error)
{
  const gboolean is_scaled = geometry != NULL && geometry->deviation[0] > 0;
  const gsize cols = assay_images_cols (images);
  AssayMatrix *rows = assay_matrix_new (images->count, cols, error);

  for (gsize i = 0; rows != NULL && i < images->count * cols; i++) {
    const gsize c = i % images->channels;
    const double value = images->pixels[i] / WHITE;

    rows->data[i]
        = (float) (is_scaled ? (value - geometry->mean[c]) / geometry->deviation[c] : value);
  }
  return rows;
}

gboolean
assay_image_file_rows (const char *specification, const char *const *folders,
                       const AssayGeometry *geometry, AssayRows **ret_rows, GError **error)
{
  AssayRowSpan span;
  g_autofree char *name = assay_row_span_split (specification, &span, error);
  g_autofree char *path = name != NULL ? assay_row_file_find (name, folders, error) : NULL;
  g_autoptr (AssayImages) images = path != NULL ? read_file (path, error) : NULL;
  g_autoptr (AssayImages) kept = NULL;
  AssayMatrix *rows;
  gsize first = 0, end;

  if (images == NULL || !check_size (images, geometry, error)
      || !assay_row_span_resolve (&span, path, images->count, &first, &end, error))
    return FALSE;
  kept = assay_images_probed (images);
  kept->count = end - first;
  kept->pixels
      = g_memdup2 (assay_images_row (images, first), kept->count * assay_images_cols (kept));
  rows = to_numbers (kept, geometry, error);
  if (rows == NULL)
    return FALSE;
  *ret_rows = assay_rows_take_matrix (rows);
  return TRUE;
}
