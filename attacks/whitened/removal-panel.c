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

double
removal_panel_private_share (const RemovalPanel *panel, gsize i)
{
  const PrivateParts *known = panel->job->options->known;

  return known != NULL ? known->shares[panel->first + i] : 0;
}

const float *
removal_panel_private (const RemovalPanel *panel, gsize i)
{
  const PrivateParts *known = panel->job->options->known;

  return known != NULL ? known->features + (panel->first + i) * panel->job->prior->cols : NULL;
}

/* The variance of what a set leaves of the mixture, of which the share @left is unknown. */
static double
spread_of (const RemovalPanel *panel, gsize i, double left)
{
  const JointRemoval *options = panel->job->options;
  const PrivateParts *known = options->known;

  if (known == NULL)
    return mixture_state_spread (left, options->k - panel->n_found);
  return (panel->n_found < options->partners
              ? mixture_state_spread (left, options->partners - panel->n_found)
              : 0)
         + known->errors[panel->first + i];
}

void
removal_panel_explain (RemovalPanel *panel, gsize i)
{
  const JointRemoval *options = panel->job->options;
  const gsize d = panel->job->prior->cols;
  const double *shares = panel->now.shares + i * options->partners;
  float *known = panel->signs.known + i * d;
  const float *own = removal_panel_private (panel, i);
  double left = 1 - removal_panel_private_share (panel, i);

  if (own != NULL)
    memcpy (known, own, d * sizeof *known);
  else
    memset (known, 0, d * sizeof *known);
  for (gsize j = 0; j < panel->n_found; j++) {
    const float *features = features_of (panel, i, j);

    for (gsize a = 0; a < d; a++)
      known[a] += (float) shares[j] * features[a];
    left -= shares[j];
  }
  panel->signs.spread[i] = MAX (spread_of (panel, i, left), LEAST_SPREAD);
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

/* Shares within their bounds: what they leave is @private_share, where that is known. */
static void
bound_shares (const JointRemoval *options, gsize n, double private_share, double *shares)
{
  const double most = 1 - MAX (private_share, LEAST_REST);
  double sum = 0;

  for (gsize j = 0; j < n; j++) {
    shares[j] = CLAMP (shares[j], LEAST_SHARE, options->max_coefficient);
    sum += shares[j];
  }
  for (gsize j = 0; j < n && sum > most; j++)
    shares[j] *= most / sum;
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
  const float *own = removal_panel_private (panel, i);
  const double private_share = removal_panel_private_share (panel, i);
  const double expected = own != NULL ? certain * (1 - private_share) / (double) options->partners
                                      : certain / (double) options->k;

  removal_panel_take_metric (panel, i);
  for (gsize j = 0; j < n; j++) {
    const float *features = features_of (panel, i, j);

    for (gsize a = 0; a < d; a++)
      weighted[a] = features[a] * panel->metric[i * d + a];
    right[j] = assay_lanes_dot_float (weighted, panel->signs.features + i * d, d)
               - (own != NULL ? assay_lanes_dot_float (weighted, own, d) : 0) + expected;
    for (gsize l = 0; l <= j; l++)
      gram[j * n + l] = assay_lanes_dot_float (weighted, features_of (panel, i, l), d);
    gram[j * n + j] += certain;
  }
  if (n > 0 && !assay_linalg_solve_spd (n, 1, gram, right, NULL))
    return FALSE;
  memcpy (shares, right, n * sizeof *shares);
  bound_shares (options, n, private_share, shares);
  removal_panel_explain (panel, i);
  return TRUE;
}
