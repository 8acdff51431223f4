/* Which points of an affine subspace D are integer vectors, up to their scale.
 *
 * With f the foot of D, the point nearest to the origin, D is the plane <v, f> = <f, f> within its
 * span. So an integer vector v of the span, scaled to length 1, is a point of D where
 *   <v, f> / <f, f> = ||v||,
 * and as it is, or by the one factor 1/u for all, where that is u. Both hold to rounding for what
 * D was laid through, and for hardly anything else: of two points their sum is too short. The scale
 * itself need not be known.
 *
 * The vectors of the lattice up to a length are enumerated (Fincke and Pohst 1985) from its reduced
 * basis: first up to that of the longest row, then farther, until the points span the lattice. At
 * ranks where that is too much, the sums and differences of up to three rows are looked at. */
#include "attacks/lifting/integer-points.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/vectors.h"

#define MAX_VECTORS 4000000 /* looked at, for one subspace ... */
#define MAX_STEPS 8000000   /* ... in so many steps, of which most lead to none at high ranks */
#define CLOCK_STEPS 65536   /* between two looks at the clock */
#define MAX_POINTS 4096
#define GROWTH 1.25    /* of the length, from one round to the next ... */
#define MAX_GROWTH 3.0 /* ... up to so many lengths of the longest row */
#define LEAST_TOLERANCE 2e-5

typedef struct {
  const Span *span;
  const IntegerLattice *lattice;
  const PointRules *rules;
  double tolerance;
  double *mu;        /* rank x rank: Gram and Schmidt's coefficients */
  double *squares;   /* rank: squared lengths of the rows that they leave */
  double *heights;   /* rank: <row, f> / <f, f> */
  gint64 *multiples; /* rank: of the vector at hand */
  double reach2;
  guint64 n_seen, n_steps;
  gint64 deadline;
  gboolean is_late;
  GArray *units;  /* of gint64: multiples of the points of unit length ... */
  GArray *plains; /* ... and of those as they are */
} Enumeration;

/* ---- The reduced basis ---- */

static void
orthogonalize (Enumeration *e)
{
  const gsize r = e->lattice->rank, d = e->span->cols;
  g_autofree double *left = g_new (double, r *d);

  for (gsize i = 0; i < r; i++) {
    double *row = left + i * d;

    for (gsize j = 0; j < d; j++)
      row[j] = (double) e->lattice->rows[i * d + j];
    e->heights[i] = assay_dot_double (row, e->span->foot, d) / e->span->foot2;
    for (gsize p = 0; p < i; p++) {
      const double part = assay_dot_double (row, left + p * d, d) / e->squares[p];

      e->mu[i * r + p] = part;
      for (gsize j = 0; j < d; j++)
        row[j] -= part * left[p * d + j];
    }
    e->squares[i] = assay_dot_double (row, row, d);
  }
}

static double
longest_row (const Enumeration *e)
{
  const gsize r = e->lattice->rank, d = e->span->cols;
  double most = 0;

  for (gsize i = 0; i < r; i++) {
    double square = 0;

    for (gsize j = 0; j < d; j++)
      square += (double) e->lattice->rows[i * d + j] * (double) e->lattice->rows[i * d + j];
    most = MAX (most, square);
  }
  return sqrt (most);
}

/* ---- Vectors ---- */

static gint64
common_divisor (const gint64 *values, gsize n)
{
  gint64 divisor = 0;

  for (gsize i = 0; i < n && divisor != 1; i++) {
    gint64 other = ABS (values[i]);

    while (other != 0) {
      const gint64 rest = divisor % other;

      divisor = other;
      other = rest;
    }
  }
  return divisor;
}

/* Keeps the vector at hand, of squared length @square, where it is a point of D. */
static void
look_at (Enumeration *e, double square)
{
  const gsize r = e->lattice->rank;
  const double length = sqrt (square), unit = e->rules->unit;
  double height = 0;

  if (e->rules->length > 0 && fabs (length - e->rules->length) > e->rules->spread)
    return;
  for (gsize i = 0; i < r; i++)
    height += (double) e->multiples[i] * e->heights[i];
  if (fabs (height - length) <= e->tolerance * length && common_divisor (e->multiples, r) == 1)
    g_array_append_vals (e->units, e->multiples, (guint) r);
  else if (fabs (height - unit) <= e->tolerance * unit)
    g_array_append_vals (e->plains, e->multiples, (guint) r);
}

static gboolean
is_full (const Enumeration *e)
{
  return e->n_seen >= MAX_VECTORS || e->n_steps >= MAX_STEPS || e->is_late
         || e->units->len + e->plains->len >= MAX_POINTS * e->lattice->rank;
}

/* All multiples of rows @level and below, with those above it as they are and @used of the squared
 * length used up. */
static void
enumerate (Enumeration *e, gsize level, double used)
{
  const gsize r = e->lattice->rank;
  double centre = 0, radius;

  for (gsize i = level + 1; i < r; i++)
    centre -= (double) e->multiples[i] * e->mu[i * r + level];
  radius = sqrt (MAX (0, (e->reach2 - used) / e->squares[level]));
  for (double c = ceil (centre - radius); c <= centre + radius && !is_full (e); c++) {
    const double square = used + (c - centre) * (c - centre) * e->squares[level];

    if (++e->n_steps % CLOCK_STEPS == 0 && e->deadline != 0)
      e->is_late = g_get_monotonic_time () >= e->deadline;
    e->multiples[level] = (gint64) c;
    if (level > 0)
      enumerate (e, level - 1, square);
    else {
      e->n_seen++;
      look_at (e, square);
    }
  }
  e->multiples[level] = 0;
}

/* ---- Points ---- */

/* How many of the @count vectors of multiples are linearly independent. */
static gsize
rank_of (const gint64 *multiples, gsize count, gsize r)
{
  g_autofree double *rows = g_new (double, r *r);
  gsize rank = 0;

  for (gsize i = 0; i < count && rank < r; i++) {
    double *row = rows + rank * r;
    double square = 0, left = 0;

    for (gsize j = 0; j < r; j++)
      row[j] = (double) multiples[i * r + j];
    square = assay_dot_double (row, row, r);
    for (gsize p = 0; p < rank; p++) {
      const double part = assay_dot_double (row, rows + p * r, r);

      for (gsize j = 0; j < r; j++)
        row[j] -= part * rows[p * r + j];
    }
    left = assay_dot_double (row, row, r);
    if (left <= 1e-8 * square)
      continue;
    for (gsize j = 0; j < r; j++)
      row[j] /= sqrt (left);
    rank++;
  }
  return rank;
}

/* The squared length of the vector at hand. */
static double
squared_length (const Enumeration *e)
{
  const gsize r = e->lattice->rank;
  double square = 0;

  for (gsize i = 0; i < r; i++) {
    double part = (double) e->multiples[i];

    for (gsize j = i + 1; j < r; j++)
      part += (double) e->multiples[j] * e->mu[j * r + i];
    square += part * part * e->squares[i];
  }
  return square;
}

/* Looks at the vector at hand plus all sums and differences of up to @most rows from @first on. */
static void
look_at_few (Enumeration *e, gsize first, guint most)
{
  for (gsize i = first; i < e->lattice->rank; i++)
    for (gint64 sign = -1; sign <= 1; sign += 2) {
      e->multiples[i] = sign;
      look_at (e, squared_length (e));
      if (most > 1)
        look_at_few (e, i + 1, most - 1);
      e->multiples[i] = 0;
    }
}

/* Enumerates up to one length after another until the points span the lattice. */
static void
find_points (Enumeration *e)
{
  const gsize r = e->lattice->rank;
  const double longest = longest_row (e);
  const gboolean is_bounded = e->rules->length > 0;
  double reach = is_bounded ? e->rules->length + e->rules->spread : 1.001 * longest;

  for (;;) {
    g_array_set_size (e->units, 0);
    g_array_set_size (e->plains, 0);
    e->reach2 = reach * reach;
    enumerate (e, r - 1, 0);
    reach *= GROWTH;
    if (is_bounded || is_full (e) || reach > MAX_GROWTH * longest
        || rank_of ((const gint64 *) e->units->data, e->units->len / r, r) == r
        || rank_of ((const gint64 *) e->plains->data, e->plains->len / r, r) == r)
      break;
  }
  if (e->n_steps < MAX_STEPS && !e->is_late)
    return;
  g_array_set_size (e->units, 0);
  g_array_set_size (e->plains, 0);
  look_at_few (e, 0, 3);
}

typedef struct {
  double square;
  gboolean is_negative; /* it has a number below 0 */
  const gint64 *vector;
  gsize cols;
} Point;

/* Shortest first; of equal length, the order of their numbers. */
static int
compare_points (gconstpointer a, gconstpointer b)
{
  const Point *x = a, *y = b;

  if (x->square != y->square)
    return x->square < y->square ? -1 : 1;
  for (gsize j = 0; j < x->cols; j++)
    if (x->vector[j] != y->vector[j])
      return x->vector[j] < y->vector[j] ? -1 : 1;
  return 0;
}

/* The vectors that @multiples stand for. Where some have no number below 0, those that have one are
 * left out. */
static void
collect_points (const Enumeration *e, const GArray *multiples, IntegerPoints *ret_points)
{
  const gsize r = e->lattice->rank, d = e->span->cols, count = multiples->len / r;
  g_autofree gint64 *vectors = g_new0 (gint64, count * d + 1);
  g_autofree Point *points = g_new0 (Point, count + 1);
  gsize n_positive = 0, n = 0;

  for (gsize i = 0; i < count; i++) {
    gint64 *vector = vectors + i * d;

    for (gsize b = 0; b < r; b++)
      for (gsize j = 0; j < d; j++)
        vector[j] += g_array_index (multiples, gint64, i * r + b) * e->lattice->rows[b * d + j];
    points[i] = (Point){ .vector = vector, .cols = d };
    for (gsize j = 0; j < d; j++) {
      points[i].square += (double) vector[j] * (double) vector[j];
      points[i].is_negative = points[i].is_negative || vector[j] < 0;
    }
    n_positive += !points[i].is_negative;
  }
  qsort (points, count, sizeof *points, compare_points);
  ret_points->vectors = g_new (gint64, count * d + 1);
  for (gsize i = 0; i < count; i++)
    if (n_positive == 0 || !points[i].is_negative)
      memcpy (ret_points->vectors + n++ * d, points[i].vector, d * sizeof (gint64));
  ret_points->count = n;
}

void
integer_points_find (const Span *span, const IntegerLattice *lattice, const PointRules *rules,
                     const LatticeView *view, IntegerPoints *ret_points)
{
  const gsize r = lattice->rank;
  g_autofree double *mu = g_new0 (double, r *r + 1);
  g_autofree double *squares = g_new0 (double, r + 1);
  g_autofree double *heights = g_new0 (double, r + 1);
  g_autofree gint64 *multiples = g_new0 (gint64, r + 1);
  g_autoptr (GArray) units = g_array_new (FALSE, FALSE, sizeof (gint64));
  g_autoptr (GArray) plains = g_array_new (FALSE, FALSE, sizeof (gint64));
  Enumeration e = { .span = span,
                    .lattice = lattice,
                    .rules = rules,
                    .tolerance = MAX (LEAST_TOLERANCE, 20 / view->precision),
                    .deadline = view->deadline,
                    .mu = mu,
                    .squares = squares,
                    .heights = heights,
                    .multiples = multiples,
                    .units = units,
                    .plains = plains };

  *ret_points = (IntegerPoints){ .rank = r };
  if (r == 0 || span->foot2 == 0)
    return;
  orthogonalize (&e);
  find_points (&e);
  ret_points->is_unit = units->len >= plains->len;
  ret_points->is_cut = is_full (&e) && !e.is_late;
  ret_points->is_late = e.is_late;
  collect_points (&e, ret_points->is_unit ? units : plains, ret_points);
}

void
integer_points_add_coarse (IntegerPoints *points, const IntegerPoints *coarse, gsize cols)
{
  const gsize count = points->count, bytes = cols * sizeof (gint64);

  if (coarse->count == 0 || (count > 0 && coarse->is_unit != points->is_unit))
    return;
  points->is_unit = coarse->is_unit;
  points->vectors = g_renew (gint64, points->vectors, (count + coarse->count) * cols);
  for (gsize i = 0; i < coarse->count; i++) {
    const gint64 *vector = coarse->vectors + i * cols;
    gboolean is_there = FALSE;

    for (gsize p = 0; p < count && !is_there; p++)
      is_there = memcmp (points->vectors + p * cols, vector, bytes) == 0;
    if (!is_there)
      memcpy (points->vectors + points->count++ * cols, vector, bytes);
  }
  points->n_coarse = points->count - count;
}

ASSAY_CLEAR_FUNC (IntegerPoints, integer_points_clear, assay_drop (self->vectors, g_free))
