/* Spectral hashing (Weiss, Torralba and Fergus 2008, "Spectral Hashing", section 3): the c
 * smoothest eigenfunctions of rows that are spread evenly over a box. With the min (c, d) leading
 * principal components, y = W'(x - m), and the box [a_i, b_i] of the training rows along component
 * i, the eigenfunctions of the box are products of
 *   cos (k pi (y_i - a_i) / (b_i - a_i)),   k = 1, 2, ...
 * of which products of several are left out, as their signs are those of others combined. Their
 * eigenvalues fall with the frequency k pi / (b_i - a_i): the c lowest are taken, of equal ones
 * that of the earlier component, and the bit is whether the cosine is above 0. */
#include <math.h>

#include "core/math/principal.h"
#include "defenses/codes/hash-learning.h"

typedef struct {
  double low, high;
} Range;

static void
find_ranges (const AssayMatrix *projected, Range *ret_ranges)
{
  for (gsize i = 0; i < projected->cols; i++)
    ret_ranges[i] = (Range){ G_MAXDOUBLE, -G_MAXDOUBLE };
  for (gsize r = 0; r < projected->rows; r++)
    for (gsize i = 0; i < projected->cols; i++) {
      const double y = (double) projected->data[r * projected->cols + i];

      ret_ranges[i].low = MIN (ret_ranges[i].low, y);
      ret_ranges[i].high = MAX (ret_ranges[i].high, y);
    }
}

/* Fills in projection and waves of the lowest frequencies of the first @count components. */
static void
choose_waves (const AssayPrincipal *principal, const Range *ranges, gsize count,
              AssayHashFunction *function)
{
  g_autofree gsize *taken = g_new0 (gsize, count);

  for (gsize j = 0; j < function->projection->rows; j++) {
    gsize best = 0;
    double lowest = INFINITY;

    for (gsize i = 0; i < count; i++) {
      const double frequency = (double) (taken[i] + 1) * G_PI / (ranges[i].high - ranges[i].low);

      if (frequency < lowest) {
        lowest = frequency;
        best = i;
      }
    }
    taken[best]++;
    for (gsize a = 0; a < principal->cols; a++)
      assay_matrix_row (function->projection, j)[a]
          = (float) principal->vectors[best * principal->cols + a];
    assay_matrix_row (function->waves, j)[0] = (float) lowest;
    assay_matrix_row (function->waves, j)[1] = (float) (-lowest * ranges[best].low);
  }
}

AssayHashFunction *
sh_learn (const HashTraining *training, const HashSettings *settings, GError **error)
{
  const gsize bits = (gsize) settings->bits, cols = training->rows.cols;
  g_autoptr (AssayHashFunction) function = NULL;
  g_autoptr (AssayPrincipal) principal
      = assay_principal_new (training->rows, MIN (bits, cols), error);
  g_autoptr (AssayMatrix) projected
      = principal != NULL ? assay_principal_project (principal, training->rows, error) : NULL;
  g_autofree Range *ranges = g_new (Range, MIN (bits, cols));

  if (projected == NULL)
    return NULL;
  if (principal->rank == 0)
    return assay_fail_null (error, ASSAY_ERROR_DATA,
                            "the %zu training rows are all alike; expected rows that vary",
                            training->rows.rows);
  function = assay_hash_function_linear (principal->mean, cols, bits, error);
  if (function == NULL || !(function->waves = assay_matrix_new (bits, 2, error)))
    return NULL;
  find_ranges (projected, ranges);
  choose_waves (principal, ranges, principal->rank, function);
  return g_steal_pointer (&function);
}

HASH_DEFENSE (sh, "sh", HASH_SH,
  .summary = "Hash codes: waves of the lowest frequencies along principal components",
  .reference = { "Weiss, Torralba and Fergus 2008, Spectral Hashing", "section 3" },
  ASSAY_SETTINGS (HashSettings,
    HASH_PARAM_BITS (HashSettings),
    HASH_PARAM_TRAINING (HashSettings),
    HASH_PARAM_LEARNS_FROM (HashSettings)));
