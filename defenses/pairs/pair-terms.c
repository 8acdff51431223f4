/* With P = X Y' and the sum of terms E (P), dE/dX = S Y and dE/dY = S' X, where S = dE/dP. A batch
 * takes a few milliseconds, too few to share them between threads. */
#include "defenses/pairs/pair-terms.h"

#include "core/math/linalg.h"

gboolean
pair_terms_init (PairTerms *terms, gsize count, gsize bits, AssayArena *arena, GError **error)
{
  terms->count = count;
  terms->bits = bits;
  terms->slopes = assay_arena_alloc (arena, count, count * sizeof (double), "pairs", error);
  terms->part = assay_arena_alloc (arena, count, bits * sizeof (double), "pairs", error);
  return !arena->has_failed;
}

static void
add_part (const PairTerms *terms, double *inout_slopes)
{
  for (gsize k = 0; k < terms->count * terms->bits; k++)
    inout_slopes[k] += terms->part[k];
}

double
pair_terms_add (const PairTerms *terms, const PairSides *sides, PairRow row, gconstpointer data)
{
  const gsize n = terms->count, bits = terms->bits;
  const AssayViewDouble x = assay_view_of_doubles (sides->x, n, bits);
  const AssayViewDouble y = assay_view_of_doubles (sides->y, n, bits);
  const AssayViewDouble slopes = assay_view_of_doubles (terms->slopes, n, n);
  double sum = 0;

  assay_linalg_product_double (ASSAY_NT, x, y, terms->slopes, n);
  for (gsize i = 0; i < n; i++)
    sum += row (i, data, terms->slopes + i * n);
  assay_linalg_product_double (ASSAY_NN, slopes, y, terms->part, bits);
  add_part (terms, sides->x_slopes);
  assay_linalg_product_double (ASSAY_TN, slopes, x, terms->part, bits);
  add_part (terms, sides->y_slopes);
  return sum;
}

void
pair_products (const double *x, const double *y, gsize count, gsize cols, double *ret_products)
{
  assay_linalg_product_double (ASSAY_NT, assay_view_of_doubles (x, count, cols),
                               assay_view_of_doubles (y, count, cols), ret_products, count);
}
