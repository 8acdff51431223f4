/* The objective of one bit of ksh and its ascent, in panels of rows. */
#include "defenses/codes/ksh-ascent.h"

#include <math.h>
#include <string.h>

#include "core/base/parallel.h"
#include "core/base/vectorise.h"
#include "core/base/vectors.h"
#include "core/data/matrix.h"

/* Rows that are worked on at once. */
#define PANEL (gsize) 128
/* Steps of the gradient, as the authors' program makes, and the share of the objective that the
 * last ones must add. More steps fit the labelled rows closer, and other rows no better. */
#define MOST_STEPS 500
#define LEAST_GAIN 1e-6
/* Numbers of K from which on a pass over it, of milliseconds, is worth waking other threads for: an
 * ascent is thousands of passes. */
#define PARALLEL_FROM 4000000

/* ---- Products with K and with R, in panels of rows ---- */

typedef struct {
  KshResidual *residual;
  const double *in; /* m: coefficients; or l */
  double *out;      /* l */
} Pass;

ASSAY_VECTORISED static void
ksh_add_scaled (const float *row, double scale, gsize m, double *inout_sums)
{
  for (gsize j = 0; j < m; j++)
    inout_sums[j] += scale * (double) row[j];
}

/* The panels in parallel or in order: the results are the same. */
static void
for_panels (Pass *pass, AssayWork work)
{
  const KshResidual *residual = pass->residual;

  if (residual->l * residual->m >= PARALLEL_FROM)
    assay_parallel_for (residual->panels, work, pass);
  else
    for (gsize p = 0; p < residual->panels; p++)
      work (p, 0, pass);
}

static gsize
panel_end (const KshResidual *residual, gsize panel)
{
  return MIN ((panel + 1) * PANEL, residual->l);
}

/* out = K in. */
static void
project_panel (gsize panel, G_GNUC_UNUSED guint worker, gpointer data)
{
  const Pass *pass = data;
  const KshResidual *residual = pass->residual;

  for (gsize i = panel * PANEL; i < panel_end (residual, panel); i++)
    pass->out[i]
        = assay_lanes_dot_mixed (residual->features + i * residual->m, pass->in, residual->m);
}

/* Z'v and y'v of the panel. */
static void
correlate_panel (gsize panel, G_GNUC_UNUSED guint worker, gpointer data)
{
  const Pass *pass = data;
  const KshResidual *residual = pass->residual;
  const gsize width = residual->n_classes + residual->done;
  double *sums = residual->partial + panel * width;

  memset (sums, 0, width * sizeof (double));
  for (gsize i = panel * PANEL; i < panel_end (residual, panel); i++)
    sums[residual->labels[i]] += pass->in[i];
  for (gsize k = 0; k < residual->done; k++)
    for (gsize i = panel * PANEL; i < panel_end (residual, panel); i++)
      sums[residual->n_classes + k] += residual->signs[k * residual->l + i] * pass->in[i];
}

static void
add_partial (const KshResidual *residual, gsize width, double *ret_sums)
{
  memset (ret_sums, 0, width * sizeof (double));
  for (gsize p = 0; p < residual->panels; p++)
    for (gsize j = 0; j < width; j++)
      ret_sums[j] += residual->partial[p * width + j];
}

/* A Z'v, of groups that share a class with another one. */
static void
share_products (KshResidual *residual)
{
  const gsize n = residual->n_classes;

  if (residual->share == NULL) {
    memcpy (residual->shared, residual->products, n * sizeof (double));
    return;
  }
  for (gsize a = 0; a < n; a++)
    residual->shared[a]
        = assay_dot_double (residual->share + a * n, residual->products, n);
}

/* v' R v; the products of v stay. */
static double
residual_form (KshResidual *residual, const double *v)
{
  Pass pass = { residual, v, NULL };
  double total = 0, squares = 0, done = 0;

  for_panels (&pass, correlate_panel);
  add_partial (residual, residual->n_classes + residual->done, residual->products);
  share_products (residual);
  for (gsize k = 0; k < residual->n_classes; k++) {
    total += residual->products[k];
    squares += residual->products[k] * residual->shared[k];
  }
  for (gsize k = 0; k < residual->done; k++)
    done += residual->products[residual->n_classes + k]
            * residual->products[residual->n_classes + k];
  return (double) residual->bits * (2 * squares - total * total) - done;
}

/* Adds K' ((R v) . (1 - v^2)) of the panel, from the products of v. */
static void
ascend_panel (gsize panel, G_GNUC_UNUSED guint worker, gpointer data)
{
  const Pass *pass = data;
  const KshResidual *residual = pass->residual;
  const double *codes = residual->products + residual->n_classes;
  double *sums = residual->partial + panel * residual->m;
  double scale[PANEL], total = 0;

  memset (sums, 0, residual->m * sizeof (double));
  for (gsize k = 0; k < residual->n_classes; k++)
    total += residual->products[k];
  for (gsize i = panel * PANEL; i < panel_end (residual, panel); i++)
    scale[i % PANEL]
        = (double) residual->bits * (2 * residual->shared[residual->labels[i]] - total);
  for (gsize k = 0; k < residual->done; k++)
    for (gsize i = panel * PANEL; i < panel_end (residual, panel); i++)
      scale[i % PANEL] -= codes[k] * residual->signs[k * residual->l + i];
  for (gsize i = panel * PANEL; i < panel_end (residual, panel); i++)
    ksh_add_scaled (residual->features + i * residual->m,
                    scale[i % PANEL] * (1 - pass->in[i] * pass->in[i]), residual->m, sums);
}

void
ksh_project (KshResidual *residual, const double *coefficients, double *ret_margins)
{
  Pass pass = { residual, coefficients, ret_margins };

  for_panels (&pass, project_panel);
}

/* g of the margins (smooth), or their signs. */
double
ksh_gain (KshResidual *residual, const double *margins, gboolean is_smooth, double *ret_values)
{
  for (gsize i = 0; i < residual->l; i++)
    if (is_smooth)
      ret_values[i] = 2 / (1 + exp (-margins[i])) - 1;
    else
      ret_values[i] = margins[i] > 0 ? 1 : -1;
  return residual_form (residual, ret_values);
}

void
ksh_sum_rows (const KshResidual *residual, const double *values, double *ret_sums)
{
  memset (ret_sums, 0, residual->m * sizeof (double));
  for (gsize i = 0; i < residual->l; i++)
    ksh_add_scaled (residual->features + i * residual->m, values[i], residual->m, ret_sums);
}

gsize
ksh_panels (gsize l)
{
  return (l + PANEL - 1) / PANEL;
}

/* ---- Ascent ---- */

/* A point of the ascent: coefficients, K a, and the smooth signs of it. */
typedef struct {
  double *coefficients, *margins, *values;
  double gain;
} Point;

static Point
point_in (const KshResidual *residual, double *storage, gsize which)
{
  double *start = storage + which * (residual->m + 2 * residual->l);

  return (Point){ start, start + residual->m, start + residual->m + residual->l, 0 };
}

static void
swap_points (Point *one, Point *other)
{
  const Point kept = *one;

  *one = *other;
  *other = kept;
}

/* @ret_next: a step of 1 / @inout_steepness along the gradient from @from, shortened until the
 * objective is above the parabola that the convergence of the method rests on. */
static void
step (KshResidual *residual, const Point *from, const double *gradient, double *inout_steepness,
      Point *ret_next)
{
  const double square = assay_dot_double (gradient, gradient, residual->m);

  for (guint halving = 0; halving < 60; halving++, *inout_steepness *= 2) {
    for (gsize j = 0; j < residual->m; j++)
      ret_next->coefficients[j] = from->coefficients[j] + gradient[j] / *inout_steepness;
    ksh_project (residual, ret_next->coefficients, ret_next->margins);
    ret_next->gain = ksh_gain (residual, ret_next->margins, TRUE, ret_next->values);
    if (ret_next->gain >= from->gain + 0.5 * square / *inout_steepness)
      return;
  }
}

/* From @inout_coefficients to where the smooth objective is highest on the way. */
gboolean
ksh_ascend (KshResidual *residual, double *inout_coefficients, GError **error)
{
  const gsize m = residual->m, l = residual->l;
  g_autofree double *storage = assay_alloc (3 * (m + 2 * l) + m, sizeof (double), "steps", error);
  double *gradient = storage + 3 * (m + 2 * l), momentum = 1, steepness = 1;
  Point last, next, ahead;

  if (storage == NULL)
    return FALSE;
  last = point_in (residual, storage, 0);
  next = point_in (residual, storage, 1);
  ahead = point_in (residual, storage, 2);
  memcpy (last.coefficients, inout_coefficients, m * sizeof (double));
  ksh_project (residual, last.coefficients, last.margins);
  last.gain = ksh_gain (residual, last.margins, TRUE, last.values);
  memcpy (ahead.coefficients, last.coefficients, m * sizeof (double));
  memcpy (ahead.margins, last.margins, l * sizeof (double));
  for (guint s = 0; s < MOST_STEPS; s++) {
    const double grown = (1 + sqrt (1 + 4 * momentum * momentum)) / 2;
    const double overshoot = (momentum - 1) / grown;
    Pass pass = { residual, ahead.values, NULL };
    double gained;

    ahead.gain = ksh_gain (residual, ahead.margins, TRUE, ahead.values);
    for_panels (&pass, ascend_panel);
    add_partial (residual, m, gradient);
    step (residual, &ahead, gradient, &steepness, &next);
    gained = next.gain - last.gain;
    if (gained < 0 && momentum > 1) {
      /* Momentum led away: start anew from the best point. */
      memcpy (ahead.coefficients, last.coefficients, m * sizeof (double));
      memcpy (ahead.margins, last.margins, l * sizeof (double));
      momentum = 1;
      continue;
    }
    if (!(gained > LEAST_GAIN * fabs (last.gain)))
      break;
    for (gsize j = 0; j < m; j++)
      ahead.coefficients[j]
          = next.coefficients[j] + overshoot * (next.coefficients[j] - last.coefficients[j]);
    for (gsize i = 0; i < l; i++)
      ahead.margins[i] = next.margins[i] + overshoot * (next.margins[i] - last.margins[i]);
    momentum = grown;
    swap_points (&last, &next);
  }
  memcpy (inout_coefficients, last.coefficients, m * sizeof (double));
  return TRUE;
}
