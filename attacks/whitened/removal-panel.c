/* Panels of mixtures, and shares of the images in them. */
#include "attacks/whitened/removal-panel.h"

#include <string.h>

#include "attacks/mixtures/mixture-state.h"
#include "attacks/whitened/whitening.h"
#include "core/base/vectors.h"
#include "core/math/linalg.h"

#define PRIOR_DEVIATION 0.15 /* of shares */
#define LEAST_SHARE 0.01
#define LEAST_REST 0.05 /* of the private images in their mixture */
#define LEAST_SPREAD 0.02

static Sets
new_sets (const Removal *job, AssayArena *arena, GError **error)
{
  const gsize panel = MASK_SIGNS_PANEL, partners = MAX (job->options->partners, 1);
  const gsize row = job->prior->cols * sizeof (float);

  return (Sets){
    .found = assay_arena_alloc (arena, panel, partners * sizeof (gsize), "sets", error),
    .shares = assay_arena_alloc (arena, panel, partners * sizeof (double), "sets", error),
    .evidence = assay_arena_alloc (arena, panel, sizeof (double), "sets", error),
    .expected = assay_arena_alloc (arena, panel, row, "sets", error),
    .features = assay_arena_alloc (arena, panel, row, "sets", error),
    .noise = assay_arena_alloc (arena, panel, sizeof (double), "sets", error),
  };
}

gboolean
removal_panel_init (const Removal *job, RemovalPanel *panel, GError **error)
{
  const gsize rows = MASK_SIGNS_PANEL, row = job->prior->cols * sizeof (float);
  const gsize scores = job->prior->n * sizeof (float);
  AssayArena *arena = &panel->arena;

  panel->job = job;
  if (!mask_signs_init (job->prior, job->options->is_open, arena, &panel->signs, error))
    return FALSE;
  panel->signs.added = (float) (job->options->noise / (job->prior->unit * job->prior->unit));
  panel->now = new_sets (job, arena, error);
  panel->best = new_sets (job, arena, error);
  panel->given = assay_arena_alloc (arena, rows, scores, "scores", error);
  panel->scores = assay_arena_alloc (arena, rows, scores, "scores", error);
  panel->norms = assay_arena_alloc (arena, rows, scores, "scores", error);
  panel->weighted = assay_arena_alloc (arena, rows, row, "scores", error);
  panel->metric = assay_arena_alloc (arena, rows, row, "scores", error);
  return !arena->has_failed;
}

/* ---- Shares ---- */

static const float *
features_of (const RemovalPanel *panel, gsize i, gsize j)
{
  return panel->job->prior->features
         + panel->now.found[i * panel->job->options->partners + j] * panel->job->prior->cols;
}

void
removal_panel_explain (RemovalPanel *panel, gsize i)
{
  const JointRemoval *options = panel->job->options;
  const gsize d = panel->job->prior->cols;
  const double *shares = panel->now.shares + i * options->partners;
  float *known = panel->signs.known + i * d;
  double left = 1;

  memset (known, 0, d * sizeof *known);
  for (gsize j = 0; j < panel->n_found; j++) {
    const float *features = features_of (panel, i, j);

    for (gsize a = 0; a < d; a++)
      known[a] += (float) shares[j] * features[a];
    left -= shares[j];
  }
  panel->signs.spread[i]
      = MAX (mixture_state_spread (left, options->k - panel->n_found), LEAST_SPREAD);
}

void
removal_panel_take_metric (RemovalPanel *panel, gsize i)
{
  const MaskSigns *signs = &panel->signs;
  const gsize d = panel->job->prior->cols;

  for (gsize a = 0; a < d; a++)
    panel->metric[i * d + a]
        = (float) (1
                   / (signs->spread[i] * (panel->job->prior->values[a] + signs->ridge)
                      + signs->added + signs->noise[i]));
}

/* Shares within their bounds. */
static void
bound_shares (const JointRemoval *options, gsize n, double *shares)
{
  double sum = 0;

  for (gsize j = 0; j < n; j++) {
    shares[j] = CLAMP (shares[j], LEAST_SHARE, options->max_coefficient);
    sum += shares[j];
  }
  for (gsize j = 0; j < n && sum > 1 - LEAST_REST; j++)
    shares[j] *= (1 - LEAST_REST) / sum;
}

gboolean
removal_panel_fit_shares (RemovalPanel *panel, gsize i)
{
  const JointRemoval *options = panel->job->options;
  const gsize d = panel->job->prior->cols, n = panel->n_found;
  const double certain = 1 / (PRIOR_DEVIATION * PRIOR_DEVIATION);
  double *shares = panel->now.shares + i * options->partners;
  double gram[WHITENING_MAX_IMAGES * WHITENING_MAX_IMAGES], right[WHITENING_MAX_IMAGES];
  float *weighted = panel->weighted + i * d;

  removal_panel_take_metric (panel, i);
  for (gsize j = 0; j < n; j++) {
    const float *features = features_of (panel, i, j);

    for (gsize a = 0; a < d; a++)
      weighted[a] = features[a] * panel->metric[i * d + a];
    right[j] = assay_lanes_dot_float (weighted, panel->signs.features + i * d, d)
               + certain / (double) options->k;
    for (gsize l = 0; l <= j; l++)
      gram[j * n + l] = assay_lanes_dot_float (weighted, features_of (panel, i, l), d);
    gram[j * n + j] += certain;
  }
  if (n > 0 && !assay_linalg_solve_spd (n, 1, gram, right, NULL))
    return FALSE;
  memcpy (shares, right, n * sizeof *shares);
  bound_shares (options, n, shares);
  removal_panel_explain (panel, i);
  return TRUE;
}
