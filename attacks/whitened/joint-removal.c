/* Sets of public images for panels of mixtures. */
#include "attacks/whitened/joint-removal.h"

#include <math.h>
#include <string.h>

#include "attacks/mixtures/mixture-scores.h"
#include "attacks/mixtures/mixture-state.h"
#include "attacks/whitened/mask-signs.h"
#include "attacks/whitened/whitening.h"
#include "core/base/error.h"
#include "core/base/parallel.h"
#include "core/base/vectors.h"
#include "core/math/linalg.h"

#define STEPS 6              /* of signs and shares, for each ridge and each image that is added */
#define OPEN_RIDGE 0.001f    /* without a mask nothing is unsure but the prior */
#define PRIOR_DEVIATION 0.15 /* of shares */
#define FIRST_SHARE 0.05     /* of an image that has just been found */
#define LEAST_SHARE 0.01
#define LEAST_REST 0.05 /* of the private images in their mixture */
#define LEAST_SPREAD 0.02

static const float ridges[] = { 1, 0.3f, 0.1f, 0.03f, 0.01f };

/* What is known of a panel at a time, or was at best. */
typedef struct {
  gsize *found;     /* count x partners: rows of public images */
  double *shares;   /* count x partners */
  double *evidence; /* count */
  float *expected;  /* z', count x d */
  float *features;  /* of the message, count x d */
  double *noise;
} Sets;

typedef struct {
  const JointRemoval *options;
  const ImagePrior *prior;
  AssayView mixtures;
  gint64 *firsts; /* N x starts: the best by the scores given */
  float *scores;
  float *private_part;
  gint has_failed; /* atomic */
} Removal;

/* One worker's panel. */
typedef struct {
  const Removal *job;
  MaskSigns signs;
  Sets now;
  Sets best;
  gsize n_found;
  float *given;    /* standardised scores, count x M */
  float *scores;   /* count x M */
  float *norms;    /* count x M */
  float *weighted; /* count x d */
  float *metric;   /* 1 / (t g + s), count x d */
} Panel;

static void
sets_clear (Sets *sets)
{
  g_free (sets->found);
  g_free (sets->shares);
  g_free (sets->evidence);
  g_free (sets->expected);
  g_free (sets->features);
  g_free (sets->noise);
}

static gboolean
sets_init (const Removal *job, Sets *sets, GError **error)
{
  const gsize panel = MASK_SIGNS_PANEL, partners = MAX (job->options->partners, 1);
  const gsize row = job->prior->cols * sizeof (float);

  return (sets->found = assay_alloc (panel, partners * sizeof (gsize), "sets", error))
         && (sets->shares = assay_alloc (panel, partners * sizeof (double), "sets", error))
         && (sets->evidence = assay_alloc (panel, sizeof (double), "sets", error))
         && (sets->expected = assay_alloc (panel, row, "sets", error))
         && (sets->features = assay_alloc (panel, row, "sets", error))
         && (sets->noise = assay_alloc (panel, sizeof (double), "sets", error));
}

static void
panel_clear (Panel *panel)
{
  mask_signs_clear (&panel->signs);
  sets_clear (&panel->now);
  sets_clear (&panel->best);
  g_free (panel->given);
  g_free (panel->scores);
  g_free (panel->norms);
  g_free (panel->weighted);
  g_free (panel->metric);
}

G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (Panel, panel_clear)

static gboolean
panel_init (const Removal *job, Panel *panel, GError **error)
{
  const gsize rows = MASK_SIGNS_PANEL, row = job->prior->cols * sizeof (float);
  const gsize scores = job->prior->n * sizeof (float);

  panel->job = job;
  return mask_signs_init (job->prior, job->options->is_open, &panel->signs, error)
         && sets_init (job, &panel->now, error) && sets_init (job, &panel->best, error)
         && (panel->given = assay_alloc (rows, scores, "scores", error))
         && (panel->scores = assay_alloc (rows, scores, "scores", error))
         && (panel->norms = assay_alloc (rows, scores, "scores", error))
         && (panel->weighted = assay_alloc (rows, row, "scores", error))
         && (panel->metric = assay_alloc (rows, row, "scores", error));
}

/* ---- Shares ---- */

static const float *
features_of (const Panel *panel, gsize i, gsize j)
{
  return panel->job->prior->features
         + panel->now.found[i * panel->job->options->partners + j] * panel->job->prior->cols;
}

/* q and t, from the shares. */
static void
explain (Panel *panel, gsize i)
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

static void
take_metric (Panel *panel, gsize i)
{
  const MaskSigns *signs = &panel->signs;
  const gsize d = panel->job->prior->cols;

  for (gsize a = 0; a < d; a++)
    panel->metric[i * d + a]
        = (float) (1
                   / (signs->spread[i] * (panel->job->prior->values[a] + signs->ridge)
                      + signs->noise[i]));
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

/* Least squares of the message. */
static gboolean
fit_shares (Panel *panel, gsize i)
{
  const JointRemoval *options = panel->job->options;
  const gsize d = panel->job->prior->cols, n = panel->n_found;
  const double certain = 1 / (PRIOR_DEVIATION * PRIOR_DEVIATION);
  double *shares = panel->now.shares + i * options->partners;
  double gram[WHITENING_MAX_IMAGES * WHITENING_MAX_IMAGES], right[WHITENING_MAX_IMAGES];
  float *weighted = panel->weighted + i * d;

  take_metric (panel, i);
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
  explain (panel, i);
  return TRUE;
}

/* Rounds of signs and shares for the set that is known. */
static gboolean
infer (Panel *panel, float ridge, gsize rounds)
{
  panel->signs.ridge = ridge;
  for (gsize round = 0; round < rounds; round++) {
    mask_signs_observe (&panel->signs);
    for (gsize i = 0; i < panel->signs.count; i++)
      if (!fit_shares (panel, i))
        return FALSE;
    mask_signs_expect (&panel->signs, round + 1 == rounds ? panel->now.evidence : NULL);
  }
  return TRUE;
}

/* ---- Images ---- */

/* The matched filter of every public image for what the set leaves of the message. */
static void
judge_images (Panel *panel)
{
  const ImagePrior *prior = panel->job->prior;
  const gsize d = prior->cols, m = prior->n, count = panel->signs.count;

  for (gsize i = 0; i < count; i++) {
    take_metric (panel, i);
    for (gsize a = i * d; a < (i + 1) * d; a++)
      panel->weighted[a] = (panel->signs.features[a] - panel->signs.known[a]) * panel->metric[a];
  }
  assay_linalg_product (ASSAY_NT, assay_view_of (panel->weighted, count, d),
                        assay_view_of (prior->features, m, d), panel->scores, m);
  assay_linalg_product (ASSAY_NT, assay_view_of (panel->metric, count, d),
                        assay_view_of (prior->squares, m, d), panel->norms, m);
  for (gsize i = 0; i < count; i++) {
    for (gsize s = i * m; s < (i + 1) * m; s++)
      panel->scores[s] = panel->norms[s] > 0 ? panel->scores[s] / sqrtf (panel->norms[s]) : 0;
    assay_standardise (panel->scores + i * m, m);
  }
}

static gboolean
is_found (const Panel *panel, gsize i, gsize image)
{
  const gsize *found = panel->now.found + i * panel->job->options->partners;

  for (gsize j = 0; j < panel->n_found; j++)
    if (found[j] == image)
      return TRUE;
  return FALSE;
}

/* The next image of each mixture: the best of the scores, with those given or without. */
static void
add_images (Panel *panel, gboolean with_given)
{
  const gsize m = panel->job->prior->n, partners = panel->job->options->partners;

  judge_images (panel);
  for (gsize i = 0; i < panel->signs.count; i++) {
    gsize best = G_MAXSIZE;
    float most = 0;

    for (gsize s = 0; s < m; s++) {
      const float score = panel->scores[i * m + s] + (with_given ? panel->given[i * m + s] : 0);

      if ((best == G_MAXSIZE || score > most) && !is_found (panel, i, s)) {
        best = s;
        most = score;
      }
    }
    panel->now.found[i * partners + panel->n_found] = best;
    panel->now.shares[i * partners + panel->n_found] = FIRST_SHARE;
  }
  panel->n_found++;
}

/* ---- Sets ---- */

static void
copy_set (const Panel *panel, const Sets *from, gsize i, Sets *to)
{
  const gsize d = panel->job->prior->cols, partners = panel->job->options->partners;

  memcpy (to->found + i * partners, from->found + i * partners, partners * sizeof (gsize));
  memcpy (to->shares + i * partners, from->shares + i * partners, partners * sizeof (double));
  memcpy (to->expected + i * d, from->expected + i * d, d * sizeof (float));
  memcpy (to->features + i * d, from->features + i * d, d * sizeof (float));
  to->evidence[i] = from->evidence[i];
  to->noise[i] = from->noise[i];
}

/* Keeps what there is now where nothing better is kept. */
static void
keep_better (Panel *panel, gboolean is_first)
{
  const gsize bytes = panel->signs.count * panel->job->prior->cols * sizeof (float);

  memcpy (panel->now.expected, panel->signs.expected, bytes);
  memcpy (panel->now.features, panel->signs.features, bytes);
  memcpy (panel->now.noise, panel->signs.noise, panel->signs.count * sizeof (double));
  for (gsize i = 0; i < panel->signs.count; i++)
    if (is_first || panel->now.evidence[i] > panel->best.evidence[i])
      copy_set (panel, &panel->now, i, &panel->best);
}

static gboolean
lower_ridge (Panel *panel)
{
  for (gsize r = 1; r < G_N_ELEMENTS (ridges); r++)
    if (!infer (panel, ridges[r], STEPS))
      return FALSE;
  return TRUE;
}

/* Forgets the set, and all that follows from it but the message. */
static void
forget_set (Panel *panel)
{
  panel->n_found = 0;
  for (gsize i = 0; i < panel->signs.count; i++)
    explain (panel, i);
}

/* Step 1, from a first image. */
static gboolean
pursue (Panel *panel, gsize first, gsize start)
{
  const JointRemoval *options = panel->job->options;
  const gsize partners = options->partners;

  panel->n_found = MIN (partners, 1);
  for (gsize i = 0; i < panel->signs.count && partners > 0; i++) {
    panel->now.found[i * partners]
        = (gsize) panel->job->firsts[(first + i) * options->starts + start];
    panel->now.shares[i * partners] = MIN (1 / (double) options->k, options->max_coefficient);
  }
  for (;;) {
    for (gsize i = 0; i < panel->signs.count; i++)
      explain (panel, i);
    mask_signs_forget (&panel->signs);
    if (!infer (panel, ridges[0], STEPS))
      return FALSE;
    if (panel->n_found == partners)
      return TRUE;
    add_images (panel, TRUE);
  }
}

/* Step 3, in the message as it is. */
static gboolean
find_again (Panel *panel)
{
  forget_set (panel);
  while (panel->n_found < panel->job->options->partners) {
    add_images (panel, FALSE);
    /* The spread follows from the shares, and is in their metric. */
    for (gsize i = 0; i < panel->signs.count; i++)
      if (!fit_shares (panel, i) || !fit_shares (panel, i))
        return FALSE;
  }
  return TRUE;
}

static gboolean
find_masked (Panel *panel, gsize first)
{
  const JointRemoval *options = panel->job->options;

  for (gsize start = 0; start < (options->partners > 0 ? options->starts : 1); start++) {
    if (!pursue (panel, first, start) || !lower_ridge (panel))
      return FALSE;
    keep_better (panel, start == 0);
    if (options->partners == 0)
      continue;
    if (!find_again (panel) || !lower_ridge (panel))
      return FALSE;
    keep_better (panel, FALSE);
  }
  return TRUE;
}

static gboolean
find_open (Panel *panel)
{
  panel->signs.ridge = OPEN_RIDGE;
  mask_signs_observe (&panel->signs);
  if (!find_again (panel))
    return FALSE;
  keep_better (panel, TRUE);
  return TRUE;
}

/* ---- Results ---- */

static void
restore_best (Panel *panel)
{
  const JointRemoval *options = panel->job->options;
  const gsize d = panel->job->prior->cols;

  panel->n_found = options->partners;
  for (gsize i = 0; i < panel->signs.count; i++) {
    copy_set (panel, &panel->best, i, &panel->now);
    memcpy (panel->signs.features + i * d, panel->now.features + i * d, d * sizeof (float));
    panel->signs.noise[i] = panel->now.noise[i];
    explain (panel, i);
  }
}

static void
give_scores (Panel *panel, gsize first)
{
  const gsize m = panel->job->prior->n, partners = panel->job->options->partners;

  judge_images (panel);
  for (gsize i = 0; i < panel->signs.count; i++) {
    float *scores = panel->job->scores + (first + i) * m, most = -G_MAXFLOAT;

    for (gsize s = 0; s < m; s++) {
      scores[s] = panel->scores[i * m + s];
      most = MAX (most, scores[s]);
    }
    for (gsize j = 0; j < partners; j++)
      scores[panel->now.found[i * partners + j]] = most + (float) (partners - j);
  }
}

/* (z' - q) / (1 - sum w) + m: q is m and what public images add. */
static void
give_private (Panel *panel, gsize first)
{
  const ImagePrior *prior = panel->job->prior;
  const gsize d = prior->cols, partners = panel->job->options->partners;
  float *known = panel->weighted;

  mask_signs_pixels (&panel->signs, panel->signs.known, known);
  for (gsize i = 0; i < panel->signs.count; i++) {
    float *row = panel->job->private_part + (first + i) * d;
    double left = 1;

    for (gsize j = 0; j < partners; j++)
      left -= panel->now.shares[i * partners + j];
    for (gsize a = 0; a < d; a++)
      row[a] = (float) (prior->unit
                        * ((panel->now.expected[i * d + a] - known[i * d + a]) / left
                           + prior->image[a]));
  }
}

static void
remove_panel (gsize index, guint worker, gpointer data)
{
  Removal *job = data;
  const gsize first = index * MASK_SIGNS_PANEL, m = job->prior->n;
  const gsize count = MIN (MASK_SIGNS_PANEL, job->mixtures.rows - first);
  g_auto (Panel) panel = { 0 };

  (void) worker;
  if (!panel_init (job, &panel, NULL)) {
    g_atomic_int_set (&job->has_failed, 1);
    return;
  }
  mask_signs_open (&panel.signs, assay_view_rows (job->mixtures, first, count));
  memcpy (panel.given, job->scores + first * m, count * m * sizeof (float));
  for (gsize i = 0; i < count; i++)
    assay_standardise (panel.given + i * m, m);
  if (!(job->options->is_open ? find_open (&panel) : find_masked (&panel, first))) {
    g_atomic_int_set (&job->has_failed, 1);
    return;
  }
  restore_best (&panel);
  give_scores (&panel, first);
  if (job->private_part != NULL)
    give_private (&panel, first);
}

gboolean
joint_removal (const JointRemoval *options, const ImagePrior *prior, AssayView mixtures,
               float *inout_scores, float *ret_private, GError **error)
{
  const gsize n = mixtures.rows;
  g_autofree gint64 *firsts
      = assay_alloc (n, options->starts * sizeof (gint64), "first images", error);
  Removal job = { .options = options,
                  .prior = prior,
                  .mixtures = mixtures,
                  .firsts = firsts,
                  .scores = inout_scores,
                  .private_part = ret_private };

  g_return_val_if_fail (options->k >= 2 && options->k <= WHITENING_MAX_IMAGES
                            && options->partners < options->k && options->partners <= prior->n
                            && options->starts >= 1 && options->starts <= prior->n,
                        FALSE);
  if (firsts == NULL
      || (!options->is_open
          && !mixture_order (inout_scores, n, prior->n, options->starts, firsts, error)))
    return FALSE;
  assay_parallel_for ((n + MASK_SIGNS_PANEL - 1) / MASK_SIGNS_PANEL, remove_panel, &job);
  if (job.has_failed)
    return assay_fail (error, ASSAY_ERROR_NUMERIC,
                       "the shares of %" G_GSIZE_FORMAT
                       " public images cannot be fitted; expected mixtures of finite numbers, and "
                       "memory for panels of %d of them",
                       options->partners, MASK_SIGNS_PANEL);
  return TRUE;
}

guint64
joint_removal_memory (gsize n_images, gsize cols)
{
  return (guint64) assay_parallel_threads () * MASK_SIGNS_PANEL * sizeof (float)
         * (15 * (guint64) cols + 3 * (guint64) n_images);
}
