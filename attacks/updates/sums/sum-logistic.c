/* The samples of a sum of updates with the logistic loss. */
#include <math.h>
#include <string.h>

#include "attacks/updates/sums/sum-space.h"
#include "core/base/free.h"
#include "core/math/linalg.h"

/* Random starts for each class, iterations of each, and what counts as solved. */
#define STARTS 60
#define ITERATIONS 60
#define SOLVED 1e-4
/* Products x_i' G^+ a_j of samples that belong together are 0 up to this. */
#define APART 1e-2

/* The equations of one class, and room to solve them in. */
typedef struct {
  const SumSpace *space;
  gint64 label;
  gsize n;          /* equations: classes and one */
  double *slopes;   /* classes: a */
  double *curves;   /* classes: d a_k / d score */
  double *inside;   /* rank: U' a */
  double *residual; /* n */
  double *jacobian; /* n x rank */
  double *normal;   /* rank x rank */
  double *step;     /* rank */
} Equations;

static void
equations_init (Equations *equations, const SumSpace *space, gint64 label)
{
  const gsize k = space->classes, r = space->rank, n = k + 1;
  double *room = g_new0 (double, 2 * k + r + n + n * r + r * r + r);

  *equations = (Equations){ .space = space, .label = label, .n = n, .slopes = room };
  equations->curves = room + k;
  equations->inside = equations->curves + k;
  equations->residual = equations->inside + r;
  equations->jacobian = equations->residual + n;
  equations->normal = equations->jacobian + n * r;
  equations->step = equations->normal + r * r;
}

ASSAY_LOCAL_CLEAR (Equations, equations_clear, assay_drop (self->slopes, g_free))

/* a of the sample u, with its derivatives, and U' a. */
static void
fill_slopes (Equations *equations, const double *u)
{
  const SumSpace *space = equations->space;
  const gsize r = space->rank;

  memset (equations->inside, 0, r * sizeof (double));
  for (gsize k = 0; k < space->classes; k++) {
    double score = 0, value;

    for (gsize j = 0; j < r; j++)
      score += space->scores[k * r + j] * u[j];
    value = 1 / (1 + exp (-score));
    equations->curves[k] = value * (1 - value);
    equations->slopes[k] = value - ((gint64) k == equations->label);
    for (gsize j = 0; j < r; j++)
      equations->inside[j] += space->u[k * r + j] * equations->slopes[k];
  }
}

/* (I - U U') a, and u' S^-1 U' a - 1; half of their squares. */
static double
evaluate (Equations *equations, const double *u)
{
  const SumSpace *space = equations->space;
  const gsize r = space->rank, k = space->classes;
  double sum = 0;

  fill_slopes (equations, u);
  equations->residual[k] = -1;
  for (gsize i = 0; i < k; i++) {
    equations->residual[i] = equations->slopes[i];
    for (gsize j = 0; j < r; j++)
      equations->residual[i] -= space->u[i * r + j] * equations->inside[j];
  }
  for (gsize j = 0; j < r; j++)
    equations->residual[k] += u[j] / space->s[j] * equations->inside[j];
  for (gsize i = 0; i < equations->n; i++)
    sum += equations->residual[i] * equations->residual[i] / 2;
  return sum;
}

static void
fill_jacobian (Equations *equations, const double *u)
{
  const SumSpace *space = equations->space;
  const gsize r = space->rank, k = space->classes;

  for (gsize j = 0; j < r; j++) {
    double last = equations->inside[j] / space->s[j];
    g_autofree double *along = g_new0 (double, r);

    for (gsize i = 0; i < k; i++)
      for (gsize q = 0; q < r; q++)
        along[q] += space->u[i * r + q] * equations->curves[i] * space->scores[i * r + j];
    for (gsize i = 0; i < k; i++) {
      double value = equations->curves[i] * space->scores[i * r + j];

      for (gsize q = 0; q < r; q++)
        value -= space->u[i * r + q] * along[q];
      equations->jacobian[i * r + j] = value;
    }
    for (gsize q = 0; q < r; q++)
      last += u[q] / space->s[q] * along[q];
    equations->jacobian[k * r + j] = last;
  }
}

/* One damped step from @u; FALSE: it has no solution. */
static gboolean
find_step (Equations *equations, double damping)
{
  const gsize r = equations->space->rank;

  for (gsize i = 0; i < r; i++) {
    equations->step[i] = 0;
    for (gsize e = 0; e < equations->n; e++)
      equations->step[i] -= equations->jacobian[e * r + i] * equations->residual[e];
    for (gsize j = 0; j < r; j++) {
      double sum = 0;

      for (gsize e = 0; e < equations->n; e++)
        sum += equations->jacobian[e * r + i] * equations->jacobian[e * r + j];
      equations->normal[i * r + j] = sum * (i == j ? 1 + damping : 1) + (i == j ? 1e-18 : 0);
    }
  }
  return assay_linalg_solve_spd (r, 1, equations->normal, equations->step, NULL);
}

/* From the start @inout_u; whether it ends in a solution. */
static gboolean
solve (Equations *equations, double *inout_u, double *room)
{
  const gsize r = equations->space->rank;
  double damping = 1e-2, cost = evaluate (equations, inout_u);

  for (guint i = 0; i < ITERATIONS && cost > 1e-20 && damping < 1e8; i++) {
    double next;

    (void) evaluate (equations, inout_u);
    fill_jacobian (equations, inout_u);
    if (!find_step (equations, damping)) {
      damping *= 10;
      continue;
    }
    for (gsize j = 0; j < r; j++)
      room[j] = inout_u[j] + equations->step[j];
    next = evaluate (equations, room);
    if (next < cost) {
      cost = next;
      damping /= 5;
      memcpy (inout_u, room, r * sizeof (double));
    } else {
      damping *= 5;
    }
  }
  return sqrt (2 * evaluate (equations, inout_u)) < SOLVED;
}

/* ---- Solutions that belong together ---- */

/* A solution with its a as S^-1 U' a, so that x' G^+ a is a product with u. */
typedef struct {
  GArray *u, *dual; /* double: rank of each */
  GArray *labels;   /* gint64 */
} Solutions;

ASSAY_LOCAL_CLEAR (Solutions, solutions_clear, assay_drop (self->u, g_array_unref),
                   assay_drop (self->dual, g_array_unref), assay_drop (self->labels, g_array_unref))

static const double *
entry (const GArray *array, gsize i, gsize rank)
{
  return (const double *) (gpointer) array->data + i * rank;
}

static double
product (const double *a, const double *b, gsize n)
{
  double sum = 0;

  for (gsize i = 0; i < n; i++)
    sum += a[i] * b[i];
  return sum;
}

/* One more solution, unless it is there already. */
static void
keep (Solutions *solutions, const Equations *equations, const double *u)
{
  const SumSpace *space = equations->space;
  const gsize r = space->rank;
  g_autofree double *dual = g_new (double, r);

  for (guint i = 0; i < solutions->labels->len; i++) {
    const double *other = entry (solutions->u, i, r);
    double off = 0;

    for (gsize j = 0; j < r; j++)
      off += (other[j] - u[j]) * (other[j] - u[j]);
    if (g_array_index (solutions->labels, gint64, i) == equations->label
        && off < 1e-4 * product (u, u, r))
      return;
  }
  for (gsize j = 0; j < r; j++)
    dual[j] = equations->inside[j] / space->s[j];
  g_array_append_vals (solutions->u, u, (guint) r);
  g_array_append_vals (solutions->dual, dual, (guint) r);
  g_array_append_val (solutions->labels, equations->label);
}

static gboolean
belong (const Solutions *solutions, gsize i, gsize j, gsize rank)
{
  return fabs (product (entry (solutions->u, i, rank), entry (solutions->dual, j, rank), rank))
             < APART
         && fabs (product (entry (solutions->u, j, rank), entry (solutions->dual, i, rank), rank))
                < APART;
}

/* The largest set of solutions that all belong together that begins with @first, greedily. */
static gsize
gather (const Solutions *solutions, gsize first, gsize rank, gsize *ret_chosen)
{
  gsize count = 0;

  ret_chosen[count++] = first;
  for (gsize i = 0; i < solutions->labels->len && count < rank; i++) {
    gboolean fits = i != first;

    for (gsize j = 0; fits && j < count; j++)
      fits = belong (solutions, i, ret_chosen[j], rank);
    if (fits)
      ret_chosen[count++] = i;
  }
  return count;
}

static void
search_class (const SumSpace *space, gint64 label, AssayStream *stream, Solutions *solutions)
{
  const gsize r = space->rank;
  g_auto (Equations) equations = { 0 };
  g_autofree double *u = g_new (double, 2 * r);

  equations_init (&equations, space, label);
  for (guint start = 0; start < STARTS; start++) {
    const double scale = exp (assay_stream_between (stream, -1, 1.5));

    for (gsize j = 0; j < r; j++)
      u[j] = scale * space->s[j] * assay_stream_normal (stream);
    if (solve (&equations, u, u + r)) {
      (void) evaluate (&equations, u);
      keep (solutions, &equations, u);
    }
  }
}

GPtrArray *
sum_logistic (const SumSpace *space, AssayStream *stream)
{
  const gsize r = space->rank;
  g_auto (Solutions) solutions = { 0 };
  g_autofree gsize *chosen = g_new (gsize, r + 1);
  g_autofree gsize *best = g_new (gsize, r + 1);
  GPtrArray *samples = sum_samples_new ();
  gsize most = 0;

  if (r == 0 || 2 * r > space->classes + 1)
    return samples;
  solutions.u = g_array_new (FALSE, FALSE, sizeof (double));
  solutions.dual = g_array_new (FALSE, FALSE, sizeof (double));
  solutions.labels = g_array_new (FALSE, FALSE, sizeof (gint64));
  for (gsize c = 0; c < space->classes; c++)
    search_class (space, (gint64) c, stream, &solutions);
  for (gsize i = 0; i < solutions.labels->len; i++) {
    const gsize count = gather (&solutions, i, r, chosen);

    if (count <= most)
      continue;
    most = count;
    memcpy (best, chosen, count * sizeof *best);
  }
  for (gsize i = 0; i < most; i++)
    sum_samples_add (samples, space, entry (solutions.u, best[i], r),
                     g_array_index (solutions.labels, gint64, best[i]));
  return samples;
}
