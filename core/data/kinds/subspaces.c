/* Releases of kind subspaces: an affine subspace D = t + span (B) in place of each secret. */
#include "core/data/kinds/subspaces.h"

#include <math.h>
#include <string.h>

#include "core/base/error.h"
#include "core/base/vectors.h"

static const AssayArraySpec arrays[] = {
  { "translation", "nd", ASSAY_FLOAT32, FALSE, 0 },
  { "basis", "nmd", ASSAY_FLOAT32, FALSE, 0 },
  { .name = NULL },
};

static const AssayArraySpec truth[] = {
  { "adversarial", "na", ASSAY_INT64, TRUE, 0 }, /* rows of the database that are in the subspace */
  { .name = NULL },
};

const char *const assay_lifting_variants[]
    = { "random", "adversarial", "hybrid", "sub-hybrid", NULL };

static const AssayParam parameters[]
    = { ASSAY_PARAM_CHOICE (AssaySubspacesParameters, variant, 0, assay_lifting_variants,
                            "Where the directions of the subspace come from"),
        ASSAY_PARAM_INT (AssaySubspacesParameters, adversarial, 0, 0, 4096, "rows",
                         "Rows of the database that are in each subspace"),
        ASSAY_PARAM_INT (AssaySubspacesParameters, sub_databases, 1, 1, 1000000, "",
                         "Parts of the database; a subspace has rows of one of them"),
        ASSAY_PARAM_END };

/* Rows of each basis have length 1 and are orthogonal, to what float32 can hold. */
static gboolean
check_orthonormal (const AssaySubspaces *subspaces, gsize secret, GError **error)
{
  const gsize m = subspaces->dimension, d = subspaces->cols;

  for (gsize i = 0; i < m; i++)
    for (gsize j = 0; j <= i; j++) {
      const float *a = subspaces->basis + (secret * m + i) * d;
      const float *b = subspaces->basis + (secret * m + j) * d;
      const double product = assay_dot (a, b, d);

      if (fabs (product - (i == j)) > 1e-3)
        return assay_fail (error, ASSAY_ERROR_DATA,
                           "basis of secret %zu: rows %zu and %zu have the inner product %g, "
                           "expected %d",
                           secret, j, i, product, i == j);
    }
  return TRUE;
}

static gboolean
check (const AssayRelease *release, GError **error)
{
  const AssaySubspaces subspaces = assay_release_subspaces (release);

  if (subspaces.dimension > subspaces.cols)
    return assay_fail (error, ASSAY_ERROR_MISMATCH, "basis has %zu rows in dimension %zu",
                       subspaces.dimension, subspaces.cols);
  for (gsize i = 0; i < subspaces.count; i++)
    if (!check_orthonormal (&subspaces, i, error))
      return FALSE;
  return TRUE;
}

/* ---- Numbers ----
 *
 * Of D = t + span (B): its point nearest to the origin, t - B'B t, and what the projection B'B
 * makes of each probe. Neither knows which point t of D was released, nor which basis of its
 * directions.
 */

static gsize
count_numbers (const AssayRelease *release, gsize n_probes)
{
  return (1 + n_probes) * assay_release_subspaces (release).cols;
}

/* @scale B'B @vector, added to @inout_sum. */
static void
add_projection (const AssaySubspaces *subspaces, gsize item, const float *vector, double scale,
                float *inout_sum)
{
  const gsize m = subspaces->dimension, d = subspaces->cols;

  for (gsize k = 0; k < m; k++) {
    const float *direction = subspaces->basis + (item * m + k) * d;
    const float along = (float) (scale * assay_dot (direction, vector, d));

    for (gsize j = 0; j < d; j++)
      inout_sum[j] += along * direction[j];
  }
}

static void
numbers (const AssayRelease *release, gsize item, AssayView probes, float *ret_numbers)
{
  const AssaySubspaces subspaces = assay_release_subspaces (release);
  const gsize d = subspaces.cols;
  const float *translation = subspaces.translation + item * d;

  memcpy (ret_numbers, translation, d * sizeof (float));
  add_projection (&subspaces, item, translation, -1, ret_numbers);
  memset (ret_numbers + d, 0, probes.rows * d * sizeof (float));
  for (gsize p = 0; p < probes.rows; p++)
    add_projection (&subspaces, item, assay_view_row (probes, p), 1, ret_numbers + (1 + p) * d);
}

const AssayKind assay_kind_subspaces = {
  .arrays = arrays,
  .truth = truth,
  .parameters = parameters,
  .parameters_size = sizeof (AssaySubspacesParameters),
  .items = ASSAY_ITEM_OF_EACH_SECRET,
  .has_rows = TRUE,
  .check = check,
  .count_numbers = count_numbers,
  .numbers = numbers,
};
