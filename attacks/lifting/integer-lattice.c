/* The integer vectors in the linear span of an affine subspace, as a lattice.
 *
 * Of the d columns k are chosen. With A the span restricted to them (k x w) and Q an orthonormal
 * basis of what is orthogonal to A's range (k x (k - w)), an integer vector x of the span has
 * Q'x_k = 0 up to rounding, and others have not: the rows of [I_k | round (C Q)] span a lattice in
 * which those of the span are short and all others long, so that LLL puts them first (the
 * simultaneous Diophantine approximation of Lenstra, Lenstra and Lovász 1982, section 1.39).
 *
 * Rounding: a basis in float32 is off by about 2e-9 sqrt (128 / d) in each number, and a vector of
 * the span of length L by L times that in each column; C Q'x_k is then of the size of x_k for
 * C = 4e7, whatever L is. LATTICE_FLOAT_PRECISION leaves a factor of four, since the translation is
 * rounded at a greater length. Of k columns, det^(1/k) = C^((k - w)/k) is about how short vectors
 * are that are not of the span; lattice_view_columns takes k such that these are longer by what LLL
 * may miss (1.03^k) and a margin.
 *
 * What was found on k columns is continued to all d by least squares, x = A_d A_k^+ x_k, and kept
 * where every column is an integer: of vectors that are not of the span a share of
 * (2 WITHIN)^(d - k) would be. The kept ones are reduced once more, on all columns.
 *
 * Columns with small numbers come first, since the vectors sought are shorter on them: those where
 * the foot is small, which is close to the mean of the points of D that matter. */
#include "attacks/lifting/integer-lattice.h"

#include <math.h>
#include <string.h>

#include "core/base/vectors.h"
#include "core/math/lattice.h"
#include "core/math/linalg.h"

#define WITHIN 0.02     /* of an integer, or 300 / precision, which dither leaves of 512; ... */
#define MAX_WITHIN 0.3  /* ... and never farther */
#define MARGIN 8.0      /* between vectors of the span and others */
#define LLL_FACTOR 1.03 /* by how much LLL's first vector may be longer than the shortest */
#define MIN_EXTRA 24    /* columns beyond the width, so that a half is not taken for an integer */
#define STEP 32.0       /* from one precision to the next */
#define FINENESS 1e6    /* numbers of the basis are at least so large: rounding them adds little */
#define SMALLEST_FOOT 1e-5 /* of the length of the translation: less is rounding */

/* ---- Spans ---- */

gboolean
span_fill (const AssaySubspaces *subspaces, gsize index, Span *ret_span, GError **error)
{
  const gsize m = subspaces->dimension, d = subspaces->cols;
  const float *translation = subspaces->translation + index * d;
  g_autofree double *frame = g_new (double, (m + 1) * d);
  g_autofree double *foot = g_new (double, d);
  double *basis = frame + d;
  double square = 0;
  gboolean has_foot;

  for (gsize j = 0; j < d; j++)
    foot[j] = translation[j];
  for (gsize j = 0; j < m * d; j++)
    basis[j] = subspaces->basis[index * m * d + j];
  if (m > 0 && !assay_linalg_orthonormalize (basis, m, d, error))
    return FALSE;
  /* Twice: once leaves of a long translation what rounding of its length leaves. */
  for (gsize i = 0; i < 2 * m; i++) {
    const double *direction = basis + (i % m) * d;
    const double part = assay_dot_double (foot, direction, d);

    for (gsize j = 0; j < d; j++)
      foot[j] -= part * direction[j];
  }
  square = assay_dot_double (foot, foot, d);
  has_foot = square > SMALLEST_FOOT * SMALLEST_FOOT * assay_squared_norm (translation, d);
  for (gsize j = 0; j < d && has_foot; j++)
    frame[j] = foot[j] / sqrt (square);
  if (!has_foot)
    memmove (frame, basis, m * d * sizeof (double));
  *ret_span = (Span){ .cols = d,
                      .width = m + has_foot,
                      .frame = g_steal_pointer (&frame),
                      .foot = g_steal_pointer (&foot),
                      .foot2 = has_foot ? square : 0 };
  return TRUE;
}

ASSAY_CLEAR_FUNC (Span, span_clear, assay_drop (self->frame, g_free),
                  assay_drop (self->foot, g_free))

/* ---- Columns ---- */

double
lattice_within (double precision)
{
  return CLAMP (300 / precision, WITHIN, MAX_WITHIN);
}

gsize
lattice_view_columns (double precision, gsize width, gsize cols, double length)
{
  for (gsize k = width + MIN_EXTRA; k < cols; k++) {
    const double share = (double) k / (double) cols;
    const double others = (double) (k - width) / (double) k * log (precision);

    if (others > log (MARGIN * length * sqrt (2 * share)) + (double) k * log (LLL_FACTOR))
      return k;
  }
  return cols;
}

/* The @k columns where the foot is smallest, or the first direction where there is no foot. */
static void
choose_columns (const Span *span, gsize k, gsize *ret_columns)
{
  g_autofree AssayRanked *sized = g_new (AssayRanked, span->cols);

  for (gsize j = 0; j < span->cols; j++)
    sized[j] = (AssayRanked){ fabs (span->frame[j]), j };
  assay_rank (sized, span->cols);
  for (gsize i = 0; i < k; i++)
    ret_columns[i] = sized[i].place;
}

/* ---- The lattice of k columns ---- */

/* Orthonormal rows (k x k) of which the first w span the range of the span on these columns, and
 * the others what is orthogonal to it. */
static gboolean
split_columns (const Span *span, const gsize *columns, gsize k, AssayStream *stream,
               double *ret_rows, GError **error)
{
  for (gsize i = 0; i < span->width; i++)
    for (gsize j = 0; j < k; j++)
      ret_rows[i * k + j] = span->frame[i * span->cols + columns[j]];
  for (gsize j = span->width * k; j < k * k; j++)
    ret_rows[j] = assay_stream_between (stream, -1, 1);
  return assay_linalg_orthonormalize (ret_rows, k, k, error);
}

/* The rows [F U | U round (F C Q)] for a basis U of all integer vectors (k x k), of which F U
 * stands in the first k numbers of each of @inout_rows (k x (2k - w)). */
static void
weigh_rows (const double *split, gsize k, gsize w, double precision, gint64 fineness,
            gint64 *inout_rows)
{
  const gsize n_out = k - w, width = k + n_out;
  g_autofree gint64 *weights = g_new (gint64, k * n_out + 1);

  for (gsize i = 0; i < k; i++)
    for (gsize j = 0; j < n_out; j++)
      weights[i * n_out + j] = llrint ((double) fineness * precision * split[(w + j) * k + i]);
  for (gsize i = 0; i < k; i++) {
    gint64 *row = inout_rows + i * width;

    memset (row + k, 0, n_out * sizeof (gint64));
    for (gsize c = 0; c < k; c++)
      for (gsize j = 0; j < n_out && row[c] != 0; j++)
        row[k + j] += row[c] / fineness * weights[c * n_out + j];
  }
}

/* Rows of a reduced basis of [I | round (C Q)], k x (2k - w), whose last numbers are times the
 * fineness; not reduced where the deadline passes. C grows step by step, and what was reduced for
 * one is the start of the next: the rows are then never far from reduced, so that doubles suffice,
 * which they do not for all of C at once. */
static gint64 *
reduce_columns (const Span *span, const double *split, const LatticeView *view,
                gboolean *ret_is_late, GError **error)
{
  const gsize k = view->columns;
  const double precision = view->precision;
  const gint64 fineness = llrint (MAX (1, FINENESS / precision));
  const gsize width = 2 * k - span->width;
  g_autofree gint64 *rows = assay_alloc (k, width * sizeof (gint64), "lattice", error);
  const gsize n_steps = (gsize) MAX (1, ceil (log (precision) / log (STEP)));

  if (rows == NULL)
    return NULL;
  for (gsize i = 0; i < k; i++)
    for (gsize j = 0; j < k; j++)
      rows[i * width + j] = i == j ? fineness : 0;
  for (gsize step = 1; step <= n_steps; step++) {
    weigh_rows (split, k, span->width, precision / pow (STEP, (double) (n_steps - step)), fineness,
                rows);
    if (!assay_lattice_reduce_until (rows, k, width, view->deadline, ret_is_late, error))
      return NULL;
    if (*ret_is_late)
      break;
  }
  for (gsize i = 0; i < k; i++)
    for (gsize j = 0; j < k; j++)
      rows[i * width + j] /= fineness;
  return g_steal_pointer (&rows);
}

/* ---- All columns ---- */

/* The coordinates (w x k: one column a vector) of the span's points that fit the first k numbers of
 * each of the k reduced rows best. */
static gboolean
fit_rows (const Span *span, const gsize *columns, gsize k, const gint64 *reduced,
          double *ret_coordinates, GError **error)
{
  const gsize w = span->width, d = span->cols, width = 2 * k - w;
  g_autofree double *products = g_new0 (double, w *w);

  memset (ret_coordinates, 0, w * k * sizeof (double));
  for (gsize a = 0; a < w; a++)
    for (gsize j = 0; j < k; j++) {
      const double value = span->frame[a * d + columns[j]];

      for (gsize b = 0; b <= a; b++)
        products[a * w + b] += value * span->frame[b * d + columns[j]];
      for (gsize i = 0; i < k; i++)
        ret_coordinates[a * k + i] += value * (double) reduced[i * width + j];
    }
  return assay_linalg_solve_spd (w, k, products, ret_coordinates, error);
}

/* Vector @i of the coordinates on all columns, where each is an integer and not all are 0. */
static gboolean
round_vector (const Span *span, const double *coordinates, const LatticeView *view, gsize i,
              gint64 *ret_row)
{
  const double within = lattice_within (view->precision);
  const gsize k = view->columns;
  gboolean is_zero = TRUE;

  for (gsize j = 0; j < span->cols; j++) {
    double value = 0;

    for (gsize a = 0; a < span->width; a++)
      value += coordinates[a * k + i] * span->frame[a * span->cols + j];
    if (!(fabs (value) < 1e9) || fabs (value - rint (value)) > within)
      return FALSE;
    ret_row[j] = llrint (value);
    is_zero = is_zero && ret_row[j] == 0;
  }
  return !is_zero;
}

gboolean
integer_lattice_find (const Span *span, const LatticeView *view, AssayStream *stream,
                      IntegerLattice *ret_lattice, GError **error)
{
  const gsize k = view->columns, d = span->cols, w = span->width;
  g_autofree gsize *columns = g_new (gsize, k);
  g_autofree double *split = g_new (double, k *k);
  g_autofree double *coordinates = g_new (double, w *k);
  g_autofree gint64 *reduced = NULL;
  g_autofree gint64 *rows = g_new (gint64, w * d);
  gsize rank = 0;
  g_autoptr (GError) singular = NULL;

  g_return_val_if_fail (k > w && k <= d, FALSE);
  choose_columns (span, k, columns);
  *ret_lattice = (IntegerLattice){ 0 };
  /* Columns on which the span has less than its width tell nothing. */
  if (!split_columns (span, columns, k, stream, split, &singular))
    return TRUE;
  reduced = reduce_columns (span, split, view, &ret_lattice->is_late, error);
  if (reduced == NULL)
    return FALSE;
  if (ret_lattice->is_late)
    return TRUE;
  if (!fit_rows (span, columns, k, reduced, coordinates, &singular))
    return TRUE;
  for (gsize i = 0; i < k && rank < w; i++)
    rank += round_vector (span, coordinates, view, i, rows + rank * d);
  if (rank > 1 && !assay_lattice_reduce (rows, rank, d, error))
    return FALSE;
  ret_lattice->rank = rank;
  ret_lattice->rows = g_steal_pointer (&rows);
  return TRUE;
}

ASSAY_CLEAR_FUNC (IntegerLattice, integer_lattice_clear, assay_drop (self->rows, g_free))
