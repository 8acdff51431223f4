/* Pairs of neighbours made of a declared domain.
 *
 * What they have in common is a background: every record at the lower bounds, at the upper ones, or
 * at both in turn; a mean, a median or a threshold behaves differently from one to the other. From
 * there one number, one record or the whole input goes to the other end, or far beyond it. Of
 * distances the difference goes into one number, into all alike, or in opposite directions (the
 * categories of Ding et al. 2018, table 1). The last ones are drawn: corners of the domain and
 * points inside it in turn. */
#include "core/plugin/domain.h"

#include <math.h>

/* How far beyond a bound, in distances of the bounds: what is not clamped is seen, and float32
 * still has room for the numbers inside. */
#define BEYOND 1000
#define N_RANDOM 4
/* Numbers of a record each of which is changed by itself. */
#define MAX_SINGLE 3
/* Of infinite bounds. */
#define WIDTH_OF_NONE 16
#define TRIES 64
#define ALL G_MAXSIZE

typedef enum {
  LOWER,
  UPPER,
  ZIGZAG, /* lower and upper bounds in turn */
  ZAGZIG, /* the other way round */
  MIDDLE,
  BELOW, /* the domain */
  ABOVE,
  ABSENT,
} Level;

typedef enum { ONE, SPREAD, OPPOSITE, ONE_REST_OPPOSITE, PATTERNS } Pattern;

/* The first input is @background but for what goes from @first to @second: number @col of record
 * @row, or ALL of them. Of distances @second is a direction (LOWER: down) and @pattern where the
 * difference goes. */
typedef struct {
  Level background, first, second;
  gsize row, col;
  gsize rows; /* that are there, of those of the domain */
  Pattern pattern;
} Proposal;

/* ---- Which ---- */

static void
add (GArray *all, const AssayDomain *domain, Proposal proposal)
{
  const gboolean is_outside = proposal.first == BELOW || proposal.first == ABOVE
                              || proposal.second == BELOW || proposal.second == ABOVE;

  if (!(is_outside && domain->is_trusted))
    g_array_append_val (all, proposal);
}

/* One number, or one record, that is another one. @n_columns: how many are changed by themselves;
 * 0: the whole record. */
static void
add_changes (GArray *all, const AssayDomain *domain, gsize n_columns)
{
  const gsize last = domain->cols - 1, rows = domain->rows;

  for (gsize i = 0; i < MAX (n_columns, 1); i++) {
    const gsize col = n_columns == 0 ? ALL : i + 1 < n_columns ? i : last;

    add (all, domain, (Proposal){ LOWER, LOWER, UPPER, 0, col, rows, ONE });
    add (all, domain, (Proposal){ UPPER, UPPER, LOWER, rows - 1, col, rows, ONE });
    add (all, domain, (Proposal){ LOWER, LOWER, ABOVE, 0, col, rows, ONE });
    add (all, domain, (Proposal){ UPPER, UPPER, BELOW, 0, col, rows, ONE });
  }
  if (rows > 1 || n_columns > 0)
    add (all, domain, (Proposal){ ZIGZAG, LOWER, UPPER, 0, n_columns > 0 ? 0 : ALL, rows, ONE });
  if (n_columns == 0 && domain->cols > 1)
    add (all, domain, (Proposal){ LOWER, ZIGZAG, ZAGZIG, 0, ALL, rows, ONE });
}

static void
add_records (GArray *all, const AssayDomain *domain)
{
  const gsize rows = domain->rows, last = rows - 1;

  add (all, domain, (Proposal){ LOWER, UPPER, ABSENT, last, ALL, rows, ONE });
  add (all, domain, (Proposal){ UPPER, LOWER, ABSENT, last, ALL, rows, ONE });
  add (all, domain, (Proposal){ LOWER, LOWER, ABSENT, last, ALL, rows, ONE });
  add (all, domain, (Proposal){ UPPER, UPPER, ABSENT, last, ALL, rows, ONE });
  add (all, domain, (Proposal){ LOWER, ABOVE, ABSENT, last, ALL, rows, ONE });
  add (all, domain, (Proposal){ UPPER, BELOW, ABSENT, last, ALL, rows, ONE });
  if (domain->cols > 1)
    add (all, domain, (Proposal){ ZAGZIG, ZIGZAG, ABSENT, last, ALL, rows, ONE });
  if (rows > 2) {
    add (all, domain, (Proposal){ LOWER, UPPER, ABSENT, 1, ALL, 2, ONE });
    add (all, domain, (Proposal){ UPPER, LOWER, ABSENT, 1, ALL, 2, ONE });
  }
}

static void
add_any (GArray *all, const AssayDomain *domain)
{
  const gsize rows = domain->rows;

  add (all, domain, (Proposal){ LOWER, LOWER, UPPER, ALL, ALL, rows, ONE });
  add (all, domain, (Proposal){ LOWER, LOWER, ABOVE, ALL, ALL, rows, ONE });
  add (all, domain, (Proposal){ UPPER, UPPER, BELOW, ALL, ALL, rows, ONE });
  add (all, domain, (Proposal){ LOWER, BELOW, ABOVE, ALL, ALL, rows, ONE });
  if (domain->cols > 1) {
    add (all, domain, (Proposal){ LOWER, ZIGZAG, ZAGZIG, ALL, ALL, rows, ONE });
    add (all, domain, (Proposal){ LOWER, LOWER, UPPER, ALL, 0, rows, ONE });
  }
}

/* Of length 1 in the domain's norm: each of @n numbers, if all differ alike. */
static double
equal_step (const AssayDomain *domain, gsize n)
{
  return domain->adjacency == ASSAY_ADJACENCY_L1   ? 1 / (double) n
         : domain->adjacency == ASSAY_ADJACENCY_L2 ? 1 / sqrt ((double) n)
                                                   : 1;
}

/* What goes both ways begins in the middle, as there is no room at a bound. */
static void
add_distances (GArray *all, const AssayDomain *domain)
{
  const gsize n = domain->rows * domain->cols;
  const gboolean can_spread
      = n > 1 && !(domain->is_whole && equal_step (domain, n) * domain->distance < 1);

  for (guint pattern = ONE; pattern < (can_spread ? PATTERNS : SPREAD); pattern++) {
    const Pattern own = (Pattern) pattern;
    const gboolean is_one_way = pattern < OPPOSITE;
    const Level low = is_one_way ? LOWER : MIDDLE, high = is_one_way ? UPPER : MIDDLE;

    add (all, domain, (Proposal){ low, low, UPPER, ALL, ALL, domain->rows, own });
    add (all, domain, (Proposal){ high, high, LOWER, ALL, ALL, domain->rows, own });
    if (is_one_way)
      add (all, domain, (Proposal){ MIDDLE, MIDDLE, UPPER, ALL, ALL, domain->rows, own });
  }
}

static GArray *
list_proposals (const AssayDomain *domain)
{
  GArray *all = g_array_new (FALSE, FALSE, sizeof (Proposal));

  switch (domain->adjacency) {
  case ASSAY_ADJACENCY_NONE:
    break;
  case ASSAY_ADJACENCY_ANY:
    add_any (all, domain);
    break;
  case ASSAY_ADJACENCY_VALUE:
    add_changes (all, domain, MIN (domain->cols, MAX_SINGLE));
    break;
  case ASSAY_ADJACENCY_REPLACE:
    add_changes (all, domain, 0);
    break;
  case ASSAY_ADJACENCY_RECORD:
    add_records (all, domain);
    break;
  case ASSAY_ADJACENCY_L1:
  case ASSAY_ADJACENCY_L2:
  case ASSAY_ADJACENCY_LINF:
    add_distances (all, domain);
    break;
  }
  return all;
}

guint
assay_domain_count_pairs (const AssayDomain *domain)
{
  g_autoptr (GArray) all = list_proposals (domain);

  return all->len > 0 ? all->len + N_RANDOM : 0;
}

/* ---- Numbers ---- */

static double
lower_of (const AssayDomain *domain, gsize col)
{
  if (isfinite (domain->lower[col]))
    return domain->lower[col];
  return isfinite (domain->upper[col]) ? domain->upper[col] - WIDTH_OF_NONE * domain->distance : 0;
}

static double
upper_of (const AssayDomain *domain, gsize col)
{
  return isfinite (domain->upper[col])
             ? domain->upper[col]
             : lower_of (domain, col) + WIDTH_OF_NONE * domain->distance;
}

/* Towards the inside of the domain, where it is a number inside. */
static float
rounded (const AssayDomain *domain, gsize col, double value)
{
  const gboolean is_inside = value >= domain->lower[col] && value <= domain->upper[col];
  float number = (float) (domain->is_whole ? rint (value) : value);

  if (is_inside && (double) number > domain->upper[col])
    number = nextafterf (number, -INFINITY);
  if (is_inside && (double) number < domain->lower[col])
    number = nextafterf (number, INFINITY);
  return number;
}

/* @turn: where a zigzag stands. */
static float
number_at (const AssayDomain *domain, Level level, gsize col, gsize turn)
{
  const double low = lower_of (domain, col), high = upper_of (domain, col);
  const gboolean is_odd = turn % 2 == 1;

  switch (level) {
  case LOWER:
    return rounded (domain, col, low);
  case UPPER:
    return rounded (domain, col, high);
  case ZIGZAG:
    return rounded (domain, col, is_odd ? high : low);
  case ZAGZIG:
    return rounded (domain, col, is_odd ? low : high);
  case MIDDLE:
    return rounded (domain, col, low / 2 + high / 2);
  case BELOW:
    return rounded (domain, col, low - BEYOND * (high - low));
  case ABOVE:
    return rounded (domain, col, high + BEYOND * (high - low));
  case ABSENT:
    break;
  }
  return NAN;
}

/* ---- Those that were proposed ---- */

static void
fill_background (const AssayDomain *domain, const Proposal *proposal, float *ret_input)
{
  for (gsize r = 0; r < domain->rows; r++)
    for (gsize j = 0; j < domain->cols; j++)
      ret_input[r * domain->cols + j]
          = r < proposal->rows ? number_at (domain, proposal->background, j, r + j) : NAN;
}

static void
change (const AssayDomain *domain, const Proposal *proposal, Level level, float *inout_input)
{
  for (gsize r = 0; r < domain->rows; r++)
    for (gsize j = 0; j < domain->cols; j++)
      if ((proposal->row == ALL || proposal->row == r)
          && (proposal->col == ALL || proposal->col == j))
        inout_input[r * domain->cols + j] = number_at (domain, level, j, j);
}

/* ---- Distances ---- */

/* Number @i of @n. */
static double
direction_of (const AssayDomain *domain, Pattern pattern, gsize i, gsize n)
{
  const double equal = equal_step (domain, n);

  switch (pattern) {
  case ONE:
    return i == 0;
  case SPREAD:
    return equal;
  case OPPOSITE:
    return i < n / 2 ? equal : -equal;
  case ONE_REST_OPPOSITE:
    return i == 0 ? equal : -equal;
  case PATTERNS:
    break;
  }
  return 0;
}

static double
length_of (const AssayDomain *domain, const float *first, const float *second)
{
  double length = 0;

  for (gsize i = 0; i < domain->rows * domain->cols; i++) {
    const double apart = fabs ((double) first[i] - (double) second[i]);

    if (domain->adjacency == ASSAY_ADJACENCY_LINF)
      length = MAX (length, apart);
    else
      length += domain->adjacency == ASSAY_ADJACENCY_L1 ? apart : apart * apart;
  }
  return domain->adjacency == ASSAY_ADJACENCY_L2 ? sqrt (length) : length;
}

/* The second input: the first and @difference, cut at the bounds, and shorter where rounding would
 * make it too long. */
static void
move_by (const AssayDomain *domain, const float *first, const double *difference,
         float *ret_second)
{
  static const double shrink[] = { 1, 1 - 1e-7, 1 - 1e-6, 1 - 1e-4, 1 - 1e-2, 0.5 };

  for (guint t = 0; t < G_N_ELEMENTS (shrink); t++) {
    for (gsize i = 0; i < domain->rows * domain->cols; i++) {
      const gsize col = i % domain->cols;
      const double step = shrink[t] * difference[i] * domain->distance;
      const double value = (double) first[i] + (domain->is_whole ? trunc (step) : step);

      ret_second[i]
          = rounded (domain, col, CLAMP (value, domain->lower[col], domain->upper[col]));
    }
    if (length_of (domain, first, ret_second) <= domain->distance)
      return;
  }
}

static void
fill_distance (const AssayDomain *domain, const Proposal *proposal, float *ret_first,
               float *ret_second)
{
  const gsize n = domain->rows * domain->cols;
  g_autofree double *difference = g_new (double, n);

  for (gsize i = 0; i < n; i++)
    difference[i] = (proposal->second == LOWER ? -1 : 1)
                    * direction_of (domain, proposal->pattern, i, n);
  fill_background (domain, proposal, ret_first);
  move_by (domain, ret_first, difference, ret_second);
}

/* ---- Random ones ---- */

static float
draw_number (const AssayDomain *domain, gsize col, gboolean is_corner, AssayStream *stream)
{
  const double low = lower_of (domain, col), high = upper_of (domain, col);
  const double share = assay_stream_uniform (stream);

  return rounded (domain, col,
                  is_corner ? (share < 0.5 ? low : high) : low + share * (high - low));
}

/* A direction of length 1 in the domain's norm; of whole numbers along one of them, or all. */
static void
draw_direction (const AssayDomain *domain, AssayStream *stream, gsize n, double *ret_difference)
{
  const gboolean is_along_one = domain->is_whole && domain->adjacency != ASSAY_ADJACENCY_LINF;
  const gsize one = (gsize) assay_stream_below (stream, n);
  double length = 0;

  for (gsize i = 0; i < n; i++) {
    const double sign = assay_stream_u32 (stream) & 1 ? 1 : -1;

    if (is_along_one || domain->adjacency == ASSAY_ADJACENCY_LINF) {
      ret_difference[i] = is_along_one && i != one ? 0 : sign;
      length = 1;
    } else if (domain->adjacency == ASSAY_ADJACENCY_L1) {
      ret_difference[i] = assay_stream_laplace (stream);
      length += fabs (ret_difference[i]);
    } else {
      ret_difference[i] = assay_stream_normal (stream);
      length += ret_difference[i] * ret_difference[i];
    }
  }
  if (domain->adjacency == ASSAY_ADJACENCY_L2)
    length = sqrt (length);
  for (gsize i = 0; i < n; i++)
    ret_difference[i] /= length;
}

static void
draw_step (const AssayDomain *domain, const float *first, AssayStream *stream, float *ret_second)
{
  const gsize n = domain->rows * domain->cols;
  g_autofree double *difference = g_new (double, n);

  draw_direction (domain, stream, n, difference);
  move_by (domain, first, difference, ret_second);
}

/* What the second input has in place of the first's. */
static void
draw_change (const AssayDomain *domain, gboolean is_corner, AssayStream *stream,
             float *inout_second)
{
  const gsize row = (gsize) assay_stream_below (stream, domain->rows);
  const gsize col = (gsize) assay_stream_below (stream, domain->cols);

  for (gsize r = 0; r < domain->rows; r++)
    for (gsize j = 0; j < domain->cols; j++) {
      float *number = &inout_second[r * domain->cols + j];

      if (domain->adjacency == ASSAY_ADJACENCY_RECORD && r == row)
        *number = NAN;
      else if (domain->adjacency == ASSAY_ADJACENCY_ANY
               || (domain->adjacency == ASSAY_ADJACENCY_REPLACE && r == row)
               || (domain->adjacency == ASSAY_ADJACENCY_VALUE && r == row && j == col))
        *number = draw_number (domain, j, is_corner, stream);
    }
}

static gboolean
are_equal (const float *first, const float *second, gsize n)
{
  for (gsize i = 0; i < n; i++)
    if (first[i] != second[i]) /* NaN is not there */
      return FALSE;
  return TRUE;
}

static void
draw_pair (const AssayDomain *domain, gboolean is_corner, AssayStream *stream, float *ret_first,
           float *ret_second)
{
  const gsize n = domain->rows * domain->cols;

  for (guint t = 0; t < TRIES; t++) {
    for (gsize i = 0; i < n; i++)
      ret_first[i] = ret_second[i] = draw_number (domain, i % domain->cols, is_corner, stream);
    if (domain->adjacency >= ASSAY_ADJACENCY_L1)
      draw_step (domain, ret_first, stream, ret_second);
    else
      draw_change (domain, is_corner, stream, ret_second);
    if (!are_equal (ret_first, ret_second, n))
      return;
  }
}

void
assay_domain_pair (const AssayDomain *domain, guint index, AssayStream *stream, float *ret_first,
                   float *ret_second)
{
  g_autoptr (GArray) all = list_proposals (domain);
  const Proposal *proposal;

  if (index >= all->len) {
    draw_pair (domain, (index - all->len) % 2 == 0, stream, ret_first, ret_second);
    return;
  }
  proposal = &g_array_index (all, Proposal, index);
  if (domain->adjacency >= ASSAY_ADJACENCY_L1) {
    fill_distance (domain, proposal, ret_first, ret_second);
    return;
  }
  fill_background (domain, proposal, ret_first);
  fill_background (domain, proposal, ret_second);
  change (domain, proposal, proposal->first, ret_first);
  change (domain, proposal, proposal->second, ret_second);
}
