/* Which affine subspaces of a release meet each other.
 *
 * Every pair is looked at twice. A filter works on inner products alone: for a block of subspaces D
 * and a block of subspaces Q one matrix product gives all of [t'_D; B_D] [t'_Q; B_Q]', m + 1 by
 * m + 1 numbers a pair. With C = B_D B_Q' (its singular values are the cosines between the two) and
 * v = t'_D - t'_Q, what is left of the rows of B_Q and of v orthogonal to D has the Gram matrix
 *   S = [ I, B_Q v; ., v'v ] - X'X,  X = [ C, B_D v ],  B_D v = - B_D t'_Q,  B_Q v = B_Q t'_D,
 * and dist^2 is the last pivot of its Cholesky factorization. Pivots are squared sines; where one
 * is below 1e-6, the direction counts as one of D. A sine of that size, squared, is still far above
 * the rounding of S in double, and what is lost by not moving along such a direction is under 1e-3
 * of the way, so that no pair within 1e-2 of the reach can fail the filter by mistake.
 *
 * Squares lose half of the digits: 1e-16 becomes 1e-8, close to what is to be told from 0. So the
 * few pairs that pass are measured by frames_distance, on the vectors themselves.
 *
 * Rounding: with u = 2^-24, t is released to u ||t|| and each row of the basis to u, so the point
 * t + B'c of a subspace moves by at most u (||t|| + sqrt (m) ||c||), and for one of length L,
 * ||c|| <= L + ||t||. Two that shared it are no farther apart than the sum of theirs; and a
 * direction that both have in common turns by at most sqrt (m) u in each. */
#include "attacks/lifting/intersections.h"

#include <float.h>
#include <math.h>
#include <string.h>

#include "core/base/error.h"
#include "core/base/parallel.h"
#include "core/base/vectorise.h"
#include "core/base/vectors.h"
#include "core/data/matrix.h"
#include "core/math/linalg.h"

#define ROUNDING (FLT_EPSILON / 2)
#define BLOCK_ROWS 160 /* stacked rows of D in a product */
#define PANEL_ROWS 544 /* of Q */
#define FILTER_SINE2 1e-6
#define FILTER_REACH 1e-2

/* x := x - (x . q) q for each of the @count rows q. */
static void
subtract_parts (double *x, const double *rows, gsize count, gsize cols)
{
  for (gsize i = 0; i < count; i++) {
    const double *q = rows + i * cols;
    const double part = assay_lanes_dot_double (x, q, cols);

    for (gsize j = 0; j < cols; j++)
      x[j] -= part * q[j];
  }
}

static double *
frame_of (const Frames *frames, gsize index)
{
  return frames->stack + index * (frames->dimension + 1) * frames->cols;
}

/* ---- Frames ---- */

static gboolean
fill_frame (Frames *frames, const AssaySubspaces *subspaces, gsize index, GError **error)
{
  const gsize m = frames->dimension, d = frames->cols;
  double *translation = frame_of (frames, index), *basis = translation + d;

  for (gsize j = 0; j < d; j++)
    translation[j] = subspaces->translation[index * d + j];
  for (gsize j = 0; j < m * d; j++)
    basis[j] = subspaces->basis[index * m * d + j];
  frames->lengths[index] = sqrt (assay_lanes_dot_double (translation, translation, d));
  if (!assay_linalg_orthonormalize (basis, m, d, error))
    return FALSE;
  /* Twice: once leaves of a long t what rounding of its length leaves. */
  subtract_parts (translation, basis, m, d);
  subtract_parts (translation, basis, m, d);
  return TRUE;
}

Frames *
frames_new (const AssaySubspaces *subspaces, GError **error)
{
  const gsize m = subspaces->dimension, d = subspaces->cols;
  g_autoptr (Frames) frames = g_new0 (Frames, 1);

  if (2 * m >= d)
    return assay_fail_null (
        error, ASSAY_ERROR_MISMATCH,
        "subspaces of dimension %zu in %zu columns always meet each other; expected a "
        "dimension under half of the columns",
        m, d);
  frames->count = subspaces->count;
  frames->dimension = m;
  frames->cols = d;
  frames->stack
      = assay_alloc (subspaces->count, (m + 1) * d * sizeof (double), "subspaces in double", error);
  if (frames->stack == NULL)
    return NULL;
  frames->lengths = assay_alloc (subspaces->count, sizeof (double), "lengths", error);
  if (frames->lengths == NULL)
    return NULL;
  for (gsize i = 0; i < frames->count; i++)
    if (!fill_frame (frames, subspaces, i, error))
      return assay_prefix_null (error, "subspace %zu: ", i);
  return g_steal_pointer (&frames);
}

ASSAY_FREE_FUNC (Frames, frames_free, g_free (self->stack), g_free (self->lengths))

/* ---- One pair ---- */

double
frames_rounding_sine (const Frames *frames)
{
  return 2 * sqrt ((double) frames->dimension) * ROUNDING;
}

double
frames_rounding (const Frames *frames, gsize a, gsize b, double length)
{
  const double both = frames->lengths[a] + frames->lengths[b];

  return ROUNDING * (both + sqrt ((double) frames->dimension) * (2 * length + both));
}

/* The longest of the rows @first to @count - 1 is swapped into place @first; its length. */
static double
bring_longest (double *rows, gsize first, gsize count, gsize cols)
{
  double most = -1;
  gsize longest = first;

  for (gsize i = first; i < count; i++) {
    const double square = assay_lanes_dot_double (rows + i * cols, rows + i * cols, cols);

    if (square > most) {
      most = square;
      longest = i;
    }
  }
  for (gsize j = 0; j < cols && longest != first; j++) {
    const double value = rows[first * cols + j];

    rows[first * cols + j] = rows[longest * cols + j];
    rows[longest * cols + j] = value;
  }
  return sqrt (most);
}

/* Gram-Schmidt with pivoting on what is left of B_b orthogonal to a, every row twice, and of
 * v = t'_a - t'_b what is left in the end. */
double
frames_distance (const Frames *frames, gsize a, gsize b, double factor)
{
  const gsize m = frames->dimension, d = frames->cols;
  const double *basis = frame_of (frames, a) + d;
  const double cut = MAX (factor * frames_rounding_sine (frames), 4 * (double) d * DBL_EPSILON);
  g_autofree double *rows = g_memdup2 (frame_of (frames, b) + d, m * d * sizeof (double));
  g_autofree double *gap = g_new (double, d);
  gsize rank = 0;

  for (gsize j = 0; j < d; j++)
    gap[j] = frame_of (frames, a)[j] - frame_of (frames, b)[j];
  for (guint round = 0; round < 2; round++)
    for (gsize i = 0; i < m; i++)
      subtract_parts (rows + i * d, basis, m, d);
  for (; rank < m; rank++) {
    const double sine = bring_longest (rows, rank, m, d);
    double *row = rows + rank * d;
    double length;

    if (sine <= cut)
      break;
    for (guint round = 0; round < 2; round++) {
      subtract_parts (row, basis, m, d);
      subtract_parts (row, rows, rank, d);
    }
    length = sqrt (assay_lanes_dot_double (row, row, d));
    for (gsize j = 0; j < d; j++)
      row[j] /= length;
    for (gsize i = rank + 1; i < m; i++)
      subtract_parts (rows + i * d, row, 1, d);
  }
  for (guint round = 0; round < 2; round++) {
    subtract_parts (gap, basis, m, d);
    subtract_parts (gap, rows, rank, d);
  }
  return sqrt (assay_lanes_dot_double (gap, gap, d));
}

double
frames_point_distance (const Frames *frames, gsize index, const float *point)
{
  const gsize d = frames->cols;
  const double *frame = frame_of (frames, index);
  g_autofree double *gap = g_new (double, d);

  for (gsize j = 0; j < d; j++)
    gap[j] = point[j] - frame[j];
  subtract_parts (gap, frame + d, frames->dimension, d);
  return sqrt (assay_lanes_dot_double (gap, gap, d));
}

/* ---- All pairs ---- */

/* The last pivot of S, its upper triangle in (m + 1) x (m + 1), which it overwrites. */
ASSAY_VECTORISED static double
last_pivot (double *s, gsize m)
{
  const gsize w = m + 1;

  for (gsize p = 0; p < m; p++) {
    const double *pivot_row = s + p * w;

    if (pivot_row[p] <= FILTER_SINE2)
      continue;
    for (gsize j = p + 1; j < w; j++) {
      const double part = pivot_row[j] / pivot_row[p];
      double *row = s + j * w;

      for (gsize k = j; k < w; k++)
        row[k] -= part * pivot_row[k];
    }
  }
  return s[m * w + m];
}

/* S := S - X'X, upper triangle; X is m x (m + 1). */
ASSAY_VECTORISED static void
subtract_square (const double *x, gsize m, double *s)
{
  const gsize w = m + 1;

  for (gsize i = 0; i < m; i++)
    for (gsize j = 0; j < w; j++) {
      const double part = x[i * w + j];
      double *row = s + j * w;

      for (gsize k = j; k < w; k++)
        row[k] -= part * x[i * w + k];
    }
}

typedef struct {
  const Frames *frames;
  gsize n_others;
  const double *lengths; /* n: of points that may be shared */
  const double *squares; /* n: ||t'||^2 */
  double factor;
  gsize block; /* subspaces D at a time */
  gsize panel; /* subspaces Q at a time */
  GPtrArray *found;
} Search;

/* What a block of subspaces is searched with. */
typedef struct {
  double *products; /* block w x panel w */
  gsize stride;
  double *x, *s; /* w x w */
} Room;

/* dist^2 of a pair from its @products, [t'_D; B_D] [t'_Q; B_Q]', in the room's. */
static double
filter_square (const Search *search, gsize a, gsize b, const double *products, const Room *room)
{
  const gsize m = search->frames->dimension, w = m + 1, stride = room->stride;
  double *x = room->x, *s = room->s;

  memset (s, 0, w * w * sizeof (double));
  for (gsize i = 0; i < m; i++) {
    const double *row = products + (i + 1) * stride;

    memcpy (x + i * w, row + 1, m * sizeof (double));
    x[i * w + m] = -row[0];
    s[i * w + i] = 1;
    s[i * w + m] = products[i + 1];
  }
  s[m * w + m] = search->squares[a] + search->squares[b] - 2 * products[0];
  subtract_square (x, m, s);
  return last_pivot (s, m);
}

static void
test_pair (const Search *search, gsize a, gsize b, const double *products, const Room *room)
{
  const Frames *frames = search->frames;
  const double length = search->lengths[a];
  const double reach = FILTER_REACH * (frames->lengths[a] + frames->lengths[b] + length);

  if (filter_square (search, a, b, products, room) > reach * reach)
    return;
  if (frames_distance (frames, a, b, search->factor)
      <= search->factor * frames_rounding (frames, a, b, length))
    g_array_append_val (search->found->pdata[a], b);
}

static void
search_block (gsize piece, G_GNUC_UNUSED guint worker, gpointer data)
{
  const Search *search = data;
  const Frames *frames = search->frames;
  const gsize w = frames->dimension + 1, d = frames->cols;
  const gsize first = piece * search->block, n_a = MIN (search->block, frames->count - first);
  const gsize stride = search->panel * w;
  g_autofree double *products = g_new (double, search->block *w *stride);
  g_autofree double *x = g_new (double, w *w);
  g_autofree double *s = g_new (double, w *w);
  const Room room = { products, stride, x, s };

  for (gsize start = 0; start < search->n_others; start += search->panel) {
    const gsize n_b = MIN (search->panel, search->n_others - start);

    assay_linalg_product_double (
        ASSAY_NT, assay_view_of_doubles (frame_of (frames, first), n_a * w, d),
        assay_view_of_doubles (frame_of (frames, start), n_b * w, d), products, stride);
    for (gsize i = 0; i < n_a; i++)
      for (gsize j = 0; j < n_b; j++)
        if (first + i != start + j)
          test_pair (search, first + i, start + j, products + i * w * stride + j * w, &room);
  }
}

GPtrArray *
frames_find_intersections (const Frames *frames, gsize n_others, const double *lengths,
                           double factor, GError **error)
{
  const gsize w = frames->dimension + 1;
  g_autofree double *squares = assay_alloc (frames->count, sizeof (double), "lengths", error);
  Search search = { .frames = frames,
                    .n_others = MIN (n_others, frames->count),
                    .lengths = lengths,
                    .squares = squares,
                    .factor = factor,
                    .block = MAX (1, BLOCK_ROWS / w),
                    .panel = MAX (1, PANEL_ROWS / w) };

  if (squares == NULL)
    return NULL;
  search.found = g_ptr_array_new_with_free_func ((GDestroyNotify) g_array_unref);
  for (gsize i = 0; i < frames->count; i++) {
    squares[i] = assay_lanes_dot_double (frame_of (frames, i), frame_of (frames, i), frames->cols);
    g_ptr_array_add (search.found, g_array_new (FALSE, FALSE, sizeof (gsize)));
  }
  assay_parallel_for ((frames->count + search.block - 1) / search.block, search_block, &search);
  return search.found;
}
