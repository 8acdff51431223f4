/* Defenses that make an image coarser. */
#include "defenses/images/image-filter.h"

#include "core/base/parallel.h"
#include "core/data/kinds/vectors.h"

/* Sizes that are not known yet have no columns. */
gboolean
image_filter_check (G_GNUC_UNUSED gconstpointer settings, const AssayShape *shape, GError **error)
{
  return shape->cols == 0 || shape->geometry.height > 0
         || assay_fail (error, ASSAY_ERROR_MISMATCH,
                        "the secrets are rows of %zu numbers; expected images", shape->cols);
}

typedef struct {
  const AssayDefenseContext *context;
  AssayView secrets;
  ImageFilter filter;
  AssayMatrix *filtered;
} Filtering;

static gboolean
filter_one (gsize secret, G_GNUC_UNUSED guint worker, gpointer data, GError **error)
{
  const Filtering *job = data;
  const FilteredImage image = { &job->context->geometry, assay_view_row (job->secrets, secret),
                                assay_matrix_row (job->filtered, secret) };

  return job->filter (job->context->settings, &image, error);
}

gboolean
image_filter_protect (const AssayDefenseContext *context, AssayView secrets, ImageFilter filter,
                      AssayRelease *ret_release, GError **error)
{
  const AssayShape shape = { .cols = secrets.cols, .geometry = context->geometry };
  g_autoptr (AssayMatrix) filtered = NULL;
  Filtering job = { context, secrets, filter, NULL };

  if (!image_filter_check (NULL, &shape, error))
    return FALSE;
  job.filtered = filtered = assay_matrix_new (secrets.rows, secrets.cols, error);
  if (filtered == NULL || !assay_parallel_try (secrets.rows, filter_one, &job, error))
    return FALSE;
  assay_arrays_take_matrix (&ret_release->arrays, "vectors", &filtered);
  ASSAY_SET_PARAMETER (ret_release, AssayVectorsParameters, noise, ASSAY_NOISE_NONE);
  return TRUE;
}
