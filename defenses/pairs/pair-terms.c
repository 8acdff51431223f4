/* With P = X Y' and the sum of terms E (P), dE/dX = S Y and dE/dY = S' X, where S = dE/dP. Rows of
 * P are cut into panels of PANEL, and so are those of the second product: panels do not depend on
 * the number of threads, and nothing is summed across them but the terms, in order. */
#include "defenses/pairs/pair-terms.h"

#include "core/base/parallel.h"
#include "core/math/linalg.h"

#define PANEL 64

gboolean
pair_terms_init (PairTerms *terms, gsize count, gsize bits, AssayArena *arena, GError **error)
{
  terms->count = count;
  terms->bits = bits;
  terms->slopes = assay_arena_alloc (arena, count, count * sizeof (double), "pairs", error);
  terms->part = assay_arena_alloc (arena, count, bits * sizeof (double), "pairs", error);
  terms->sums = assay_arena_alloc (arena, count, sizeof (double), "pairs", error);
  return !arena->has_failed;
}

typedef struct {
  const PairTerms *terms;
  const PairSides *sides;
  PairRow row;
  gconstpointer data;
} Adding;

static void
add_part (const PairTerms *terms, gsize first, gsize count, double *inout_slopes)
{
  for (gsize k = first * terms->bits; k < (first + count) * terms->bits; k++)
    inout_slopes[k] += terms->part[k];
}

/* Terms of the rows x_i of a panel, and what they add to their slopes. */
static void
add_rows (gsize panel, G_GNUC_UNUSED guint worker, gpointer data)
{
  const Adding *adding = data;
  const PairTerms *terms = adding->terms;
  const gsize n = terms->count, bits = terms->bits, first = panel * PANEL;
  const gsize count = MIN (PANEL, n - first);
  const AssayViewDouble y = assay_view_of_doubles (adding->sides->y, n, bits);
  double *slopes = terms->slopes + first * n;

  assay_linalg_product_double (
      ASSAY_NT, assay_view_of_doubles (adding->sides->x + first * bits, count, bits), y, slopes, n);
  for (gsize i = 0; i < count; i++)
    terms->sums[first + i] = adding->row (first + i, adding->data, slopes + i * n);
  assay_linalg_product_double (ASSAY_NN, assay_view_of_doubles (slopes, count, n), y,
                               terms->part + first * bits, bits);
  add_part (terms, first, count, adding->sides->x_slopes);
}

/* What all terms add to the slopes of the rows y_j of a panel. */
static void
add_columns (gsize panel, G_GNUC_UNUSED guint worker, gpointer data)
{
  const Adding *adding = data;
  const PairTerms *terms = adding->terms;
  const gsize n = terms->count, bits = terms->bits, first = panel * PANEL;
  const gsize count = MIN (PANEL, n - first);

  assay_linalg_product_double (ASSAY_TN, (AssayViewDouble){ n, count, n, terms->slopes + first },
                               assay_view_of_doubles (adding->sides->x, n, bits),
                               terms->part + first * bits, bits);
  add_part (terms, first, count, adding->sides->y_slopes);
}

double
pair_terms_add (const PairTerms *terms, const PairSides *sides, PairRow row, gconstpointer data)
{
  Adding adding = { terms, sides, row, data };
  const gsize panels = assay_pieces (terms->count, PANEL);
  double sum = 0;

  assay_parallel_for (panels, add_rows, &adding);
  assay_parallel_for (panels, add_columns, &adding);
  for (gsize i = 0; i < terms->count; i++)
    sum += terms->sums[i];
  return sum;
}

typedef struct {
  AssayViewDouble x, y;
  double *products;
} Product;

static void
multiply_panel (gsize panel, G_GNUC_UNUSED guint worker, gpointer data)
{
  const Product *product = data;
  const gsize n = product->x.rows, first = panel * PANEL, cols = product->x.cols;

  assay_linalg_product_double (
      ASSAY_NT,
      assay_view_of_doubles (product->x.data + first * cols, MIN (PANEL, n - first), cols),
      product->y, product->products + first * n, n);
}

void
pair_products (const double *x, const double *y, gsize count, gsize cols, double *ret_products)
{
  Product product = { assay_view_of_doubles (x, count, cols),
                      assay_view_of_doubles (y, count, cols), ret_products };

  assay_parallel_for (assay_pieces (count, PANEL), multiply_panel, &product);
}
