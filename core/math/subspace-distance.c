/* One matrix product gives all of [t'_D; B_D] [t'_Q; B_Q]' for a block of subspaces D and a block
 * of Q. With C = B_D B_Q' (its singular values are the cosines between the two) and
 * v = t'_Q - t'_D, what is left of the rows of B_Q and of v orthogonal to D has the Gram matrix
 *   S = [ I, B_Q v; ., v'v ] - X'X,  X = [ C, B_D v ],  B_D v = B_D t'_Q,  B_Q v = - B_Q t'_D,
 * as t' is orthogonal to its own basis. dist^2 is what remains of v'v in S when its other rows are
 * eliminated (Cholesky's factorization). The largest pivot goes first, so that a direction that
 * both spans hold, in whatever mixture of the rows, ends as a pivot near 0; pivots are squared
 * sines, and one under the cut is left alone. In double they are right to 1e-15 or so, and
 * distances to some 1e-8 of the lengths of t': far below what matching tells apart. */
#include "core/math/subspace-distance.h"

#include <string.h>

#include "core/base/error.h"
#include "core/base/parallel.h"
#include "core/base/vectorise.h"
#include "core/base/vectors.h"
#include "core/math/linalg.h"

#define MIN_SINE2 1e-10 /* 1e-5, squared */

/* ---- Flats ---- */

/* x := x - (x . q) q for each of the @count rows q. */
static void
subtract_parts (double *x, const double *rows, gsize count, gsize cols)
{
  for (gsize i = 0; i < count; i++) {
    const double *q = rows + i * cols;
    double part = 0;

    for (gsize j = 0; j < cols; j++)
      part += x[j] * q[j];
    for (gsize j = 0; j < cols; j++)
      x[j] -= part * q[j];
  }
}

typedef struct {
  const AssaySubspaces *subspaces;
  const gsize *index;
  AssayFlats *flats;
} Filling;

static gboolean
fill_flat (gsize place, G_GNUC_UNUSED guint worker, gpointer data, GError **error)
{
  const Filling *filling = data;
  const AssaySubspaces *subspaces = filling->subspaces;
  const gsize m = subspaces->dimension, d = subspaces->cols;
  const gsize number = filling->index != NULL ? filling->index[place] : place;
  double *translation = filling->flats->stack + place * (m + 1) * d, *basis = translation + d;

  for (gsize j = 0; j < d; j++)
    translation[j] = subspaces->translation[number * d + j];
  for (gsize j = 0; j < m * d; j++)
    basis[j] = subspaces->basis[number * m * d + j];
  if (m > 0 && !assay_linalg_orthonormalize (basis, m, d, error))
    return assay_prefix (error, "subspace %zu: ", number);
  /* Twice: once leaves of a long t what rounding of its length leaves. */
  subtract_parts (translation, basis, m, d);
  subtract_parts (translation, basis, m, d);
  filling->flats->squares[place] = assay_dot_double (translation, translation, d);
  return TRUE;
}

AssayFlats *
assay_flats_new (const AssaySubspaces *subspaces, const gsize *index, gsize count, GError **error)
{
  const gsize m = subspaces->dimension, d = subspaces->cols;
  g_autoptr (AssayFlats) flats = g_new0 (AssayFlats, 1);
  Filling filling = { subspaces, index, flats };

  flats->count = count;
  flats->dimension = m;
  flats->cols = d;
  flats->stack = assay_alloc (count, (m + 1) * d * sizeof (double), "subspaces in double", error);
  if (flats->stack == NULL)
    return NULL;
  flats->squares = assay_alloc (count, sizeof (double), "squared lengths", error);
  if (flats->squares == NULL)
    return NULL;
  return assay_parallel_try (count, fill_flat, &filling, error) ? g_steal_pointer (&flats) : NULL;
}

ASSAY_FREE_FUNC (AssayFlats, assay_flats_free, g_free (self->stack), g_free (self->squares))

/* ---- Pairs ---- */

/* S := S - X'X in its upper triangle; X is @rows x @w. */
ASSAY_VECTORISED static void
subtract_gram (const double *x, gsize rows, gsize w, double *s)
{
  for (gsize i = 0; i < rows; i++)
    for (gsize j = 0; j < w; j++) {
      const double part = x[i * w + j];
      double *row = s + j * w;

      for (gsize k = j; k < w; k++)
        row[k] -= part * x[i * w + k];
    }
}

/* Rows and columns @p and @q > p of the symmetric S (w x w, upper triangle) change places. */
static void
swap_in_upper (double *s, gsize w, gsize p, gsize q)
{
  double kept = s[p * w + p];

  s[p * w + p] = s[q * w + q];
  s[q * w + q] = kept;
  for (gsize k = p + 1; k < w; k++) {
    double *of_p = s + p * w + k;
    double *of_q = k < q ? s + k * w + q : s + q * w + k;

    if (k == q)
      continue;
    kept = *of_p;
    *of_p = *of_q;
    *of_q = kept;
  }
}

/* Row p of S is eliminated from those below it. */
ASSAY_VECTORISED static void
eliminate (double *s, gsize w, gsize p)
{
  const double *pivot_row = s + p * w;

  for (gsize j = p + 1; j < w; j++) {
    const double part = pivot_row[j] / pivot_row[p];
    double *row = s + j * w;

    for (gsize k = j; k < w; k++)
      row[k] -= part * pivot_row[k];
  }
}

/* What is left of the last of the w = m + 1 rows of S when the others are eliminated. */
static double
last_pivot (double *s, gsize m)
{
  const gsize w = m + 1;

  for (gsize p = 0; p < m; p++) {
    gsize largest = p;

    for (gsize j = p + 1; j < m; j++)
      if (s[j * w + j] > s[largest * w + largest])
        largest = j;
    if (s[largest * w + largest] <= MIN_SINE2)
      break;
    if (largest != p)
      swap_in_upper (s, w, p, largest);
    eliminate (s, w, p);
  }
  return s[m * w + m];
}

/* dist^2 from the products [t'_D; B_D] [t'_Q; B_Q]' of a pair, with @stride between their rows, and
 * @gap2 = v'v; @room for X (m_a x w) and S (w x w). */
static double
subspace_square (const double *products, gsize stride, gsize m_a, gsize m_b, double gap2,
                 double *room)
{
  const gsize w = m_b + 1;
  double *x = room, *s = room + m_a * w;

  memset (s, 0, w * w * sizeof (double));
  for (gsize i = 0; i < m_a; i++) {
    const double *row = products + (i + 1) * stride;

    memcpy (x + i * w, row + 1, m_b * sizeof (double));
    x[i * w + m_b] = row[0];
  }
  for (gsize j = 0; j < m_b; j++) {
    s[j * w + j] = 1;
    s[j * w + m_b] = -products[j + 1];
  }
  s[m_b * w + m_b] = gap2;
  subtract_gram (x, m_a, w, s);
  return last_pivot (s, m_b);
}

gsize
assay_flats_room (const AssayFlatPairs *pairs)
{
  const gsize m_a = pairs->a->dimension, m_b = pairs->b->dimension;

  return pairs->count_a * (m_a + 1) * pairs->count_b * (m_b + 1) + (m_a + m_b + 1) * (m_b + 1);
}

void
assay_flats_squares (const AssayFlatPairs *pairs, double *room, double *ret_squares)
{
  const AssayFlats *a = pairs->a, *b = pairs->b;
  const gsize w_a = a->dimension + 1, w_b = b->dimension + 1, d = a->cols;
  const gsize rows = pairs->count_a * w_a, stride = pairs->count_b * w_b;

  assay_linalg_product_double (
      ASSAY_NT, assay_view_of_doubles (a->stack + pairs->first_a * w_a * d, rows, d),
      assay_view_of_doubles (b->stack + pairs->first_b * w_b * d, stride, d), room, stride);
  for (gsize i = 0; i < pairs->count_a; i++)
    for (gsize j = 0; j < pairs->count_b; j++) {
      const double *products = room + i * w_a * stride + j * w_b;
      const double gap2
          = a->squares[pairs->first_a + i] + b->squares[pairs->first_b + j] - 2 * products[0];

      ret_squares[i * pairs->count_b + j]
          = MAX (0, subspace_square (products, stride, a->dimension, b->dimension, gap2,
                                     room + rows * stride));
    }
}

/* ---- Estimates ---- */

double
assay_flats_memory (gsize count, gsize dimension, gsize cols)
{
  return (double) count * (((double) dimension + 1) * (double) cols + 2) * sizeof (double);
}
