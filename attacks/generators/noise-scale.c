#include "attacks/generators/noise-scale.h"

#include <string.h>

#include "attacks/generators/seed-evidence.h"
#include "core/math/linalg.h"

#define ROUNDS 8

/* What of @noise is in @rows by generalised least squares, <P g, x> / <P g, g> of centred x and g,
 * for P the inverse covariance of @clean rows (NULL: the identity). */
static gboolean
noise_in (const AssayMatrix *clean, const AssayMatrix *rows, const AssayMatrix *noise,
          double *ret_scale, GError **error)
{
  const gsize n = rows->rows, d = rows->cols;
  g_autoptr (AssayMatrix) inverse = NULL;
  g_autofree float *scored = assay_alloc (n, d * sizeof (float), "noise", error);
  double with_rows = 0, with_noise = 0;

  if (clean != NULL && scored != NULL)
    inverse = seed_inverse_covariance (clean, error);
  if (scored == NULL || (clean != NULL && inverse == NULL))
    return FALSE;
  if (inverse != NULL)
    assay_linalg_product_in_parallel (ASSAY_NN, assay_matrix_view (noise),
                                      assay_matrix_view (inverse), scored);
  else
    memcpy (scored, noise->data, n * d * sizeof (float));
  for (gsize i = 0; i < n * d; i++) {
    with_rows += (double) scored[i] * (double) rows->data[i];
    with_noise += (double) scored[i] * (double) noise->data[i];
  }
  *ret_scale = with_noise > 0 ? with_rows / with_noise : 0;
  return TRUE;
}

gboolean
noise_scale_find (const AssayMatrix *rows, const AssayMatrix *noise, double *ret_scale,
                  GError **error)
{
  g_autoptr (AssayMatrix) centred = assay_matrix_copy (assay_matrix_view (rows), error);
  g_autoptr (AssayMatrix) shaken = assay_matrix_copy (assay_matrix_view (noise), error);
  g_autoptr (AssayMatrix) clean = NULL;
  g_autofree double *means = assay_alloc (rows->cols, sizeof (double), "means", error);
  const gsize rounds = rows->cols <= SEED_MOST_COLS ? ROUNDS : 0;

  if (centred == NULL || shaken == NULL || means == NULL)
    return FALSE;
  seed_centre (centred, means);
  seed_centre (shaken, means);
  clean = assay_matrix_copy (assay_matrix_view (centred), error);
  if (clean == NULL || !noise_in (rounds > 0 ? clean : NULL, centred, shaken, ret_scale, error))
    return FALSE;
  for (gsize round = 0; round < rounds; round++) {
    for (gsize i = 0; i < rows->rows * rows->cols; i++)
      clean->data[i] = centred->data[i] - (float) *ret_scale * shaken->data[i];
    if (!noise_in (clean, centred, shaken, ret_scale, error))
      return FALSE;
  }
  return TRUE;
}
