/* Locality sensitive hashing by random projections (Charikar 2002, "Similarity Estimation
 * Techniques from Rounding Algorithms", section 3): bit j of a row x (1 x d) is
 *   p_j . (x - m) > 0,   p_j ~ N(0, I_d)
 * with m the mean of the training rows, so that hyperplanes go through the middle of the data. Two
 * rows at the angle t from there differ in a bit with probability t / pi. */
#include "core/math/principal.h"
#include "defenses/codes/hash-learning.h"

AssayHashFunction *
lsh_learn (const HashTraining *training, const HashSettings *settings, GError **error)
{
  const gsize bits = (gsize) settings->bits, cols = training->rows.cols;
  g_autoptr (AssayHashFunction) function = NULL;
  g_autofree double *mean = assay_alloc (cols, sizeof (double), "mean", error);
  g_autofree double *normal = assay_alloc (cols, sizeof (double), "projection", error);

  if (mean == NULL || normal == NULL || !hash_rows_check (training->rows, error)
      || !assay_principal_mean (training->rows, mean, error)
      || !(function = assay_hash_function_linear (mean, cols, bits, error)))
    return NULL;
  for (gsize j = 0; j < bits; j++) {
    AssayStream stream = assay_stream (training->stream, j);

    assay_stream_fast_normals (&stream, cols, normal);
    for (gsize a = 0; a < cols; a++)
      assay_matrix_row (function->projection, j)[a] = (float) normal[a];
  }
  return g_steal_pointer (&function);
}

HASH_DEFENSE (lsh, "lsh", HASH_LSH,
  .summary = "Hash codes: signs of random projections",
  .reference = { "Charikar 2002, Similarity Estimation Techniques from Rounding Algorithms",
                 "section 3" },
  ASSAY_SETTINGS (HashSettings,
    HASH_PARAM_BITS (HashSettings),
    HASH_PARAM_TRAINING (HashSettings),
    HASH_PARAM_LEARNS_FROM (HashSettings)));
