/* Sets of public images for panels of mixtures. */
#include "attacks/whitened/joint-removal.h"

#include <math.h>
#include <string.h>

#include "attacks/mixtures/mixture-scores.h"
#include "attacks/whitened/whitening.h"
#include "core/base/error.h"
#include "core/base/parallel.h"
#include "core/base/vectors.h"
#include "core/math/linalg.h"

#define STEPS 6           /* of signs and shares, for each ridge and each image that is added */
#define OPEN_RIDGE 0.001f /* without a mask nothing is unsure but the prior */
#define FIRST_SHARE 0.05  /* of an image that has just been found */

static const float ridges[] = { 1, 0.3f, 0.1f, 0.03f, 0.01f };

/* Rounds of signs and shares for the set that is known. */
static gboolean
infer (RemovalPanel *panel, float ridge, gsize rounds)
{
  panel->signs.ridge = ridge;
  for (gsize round = 0; round < rounds; round++) {
    mask_signs_observe (&panel->signs);
    for (gsize i = 0; i < panel->signs.count; i++)
      if (!removal_panel_fit_shares (panel, i))
        return FALSE;
    mask_signs_expect (&panel->signs, round + 1 == rounds ? panel->now.evidence : NULL);
  }
  return TRUE;
}

/* ---- Images ---- */

/* The matched filter of every public image for what the set leaves of the message. */
static void
judge_images (RemovalPanel *panel)
{
  const ImagePrior *prior = panel->job->prior;
  const gsize d = prior->cols, m = prior->n, count = panel->signs.count;

  for (gsize i = 0; i < count; i++) {
    removal_panel_take_metric (panel, i);
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
is_found (const RemovalPanel *panel, gsize i, gsize image)
{
  const gsize *found = panel->now.found + i * panel->job->options->partners;

  for (gsize j = 0; j < panel->n_found; j++)
    if (found[j] == image)
      return TRUE;
  return FALSE;
}

/* The next image of each mixture: the best of the scores, with those given or without. */
static void
add_images (RemovalPanel *panel, gboolean with_given)
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
copy_set (const RemovalPanel *panel, const Sets *from, gsize i, Sets *to)
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
keep_better (RemovalPanel *panel, gboolean is_first)
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
lower_ridge (RemovalPanel *panel)
{
  for (gsize r = 1; r < G_N_ELEMENTS (ridges); r++)
    if (!infer (panel, ridges[r], STEPS))
      return FALSE;
  return TRUE;
}

/* Forgets the set, and all that follows from it but the message. */
static void
forget_set (RemovalPanel *panel)
{
  panel->n_found = 0;
  for (gsize i = 0; i < panel->signs.count; i++)
    removal_panel_explain (panel, i);
}

/* Step 1, from a first image. */
static gboolean
pursue (RemovalPanel *panel, gsize first, gsize start)
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
      removal_panel_explain (panel, i);
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
find_again (RemovalPanel *panel)
{
  forget_set (panel);
  while (panel->n_found < panel->job->options->partners) {
    add_images (panel, FALSE);
    /* The spread follows from the shares, and is in their metric. */
    for (gsize i = 0; i < panel->signs.count; i++)
      if (!removal_panel_fit_shares (panel, i) || !removal_panel_fit_shares (panel, i))
        return FALSE;
  }
  return TRUE;
}

static gboolean
find_masked (RemovalPanel *panel, gsize first)
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
find_open (RemovalPanel *panel)
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
restore_best (RemovalPanel *panel)
{
  const JointRemoval *options = panel->job->options;
  const gsize d = panel->job->prior->cols;

  panel->n_found = options->partners;
  for (gsize i = 0; i < panel->signs.count; i++) {
    copy_set (panel, &panel->best, i, &panel->now);
    memcpy (panel->signs.features + i * d, panel->now.features + i * d, d * sizeof (float));
    panel->signs.noise[i] = panel->now.noise[i];
    removal_panel_explain (panel, i);
  }
}

static void
give_scores (RemovalPanel *panel, gsize first)
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

/* What was known of the private images is not to be taken out with the public ones. */
static void
take_off_private (RemovalPanel *panel)
{
  const gsize d = panel->job->prior->cols;

  for (gsize i = 0; i < panel->signs.count; i++) {
    const float *own = removal_panel_private (panel, i);

    for (gsize a = 0; own != NULL && a < d; a++)
      panel->signs.known[i * d + a] -= own[a];
  }
}

/* (z' - q) / (1 - sum w) + m: q is m and what public images add. */
static void
give_private (RemovalPanel *panel, gsize first)
{
  const ImagePrior *prior = panel->job->prior;
  const gsize d = prior->cols, partners = panel->job->options->partners;
  float *known = panel->weighted;

  take_off_private (panel);
  mask_signs_pixels (&panel->signs, panel->signs.known, known);
  for (gsize i = 0; i < panel->signs.count; i++) {
    float *row = panel->job->result.private_part + (first + i) * d;
    double left = 1;

    for (gsize j = 0; j < partners; j++)
      left -= panel->now.shares[i * partners + j];
    if (panel->job->options->known != NULL)
      left = removal_panel_private_share (panel, i);
    for (gsize a = 0; a < d; a++)
      row[a] = (float) (prior->unit
                        * ((panel->now.expected[i * d + a] - known[i * d + a]) / left
                           + prior->image[a]));
  }
}

static void
give_sets (RemovalPanel *panel, gsize first)
{
  const RemovalResult *result = &panel->job->result;
  const gsize partners = panel->job->options->partners, count = panel->signs.count * partners;

  if (result->found != NULL)
    memcpy (result->found + first * partners, panel->now.found, count * sizeof (gsize));
  if (result->shares != NULL)
    memcpy (result->shares + first * partners, panel->now.shares, count * sizeof (double));
}

static void
remove_panel (gsize index, G_GNUC_UNUSED guint worker, gpointer data)
{
  Removal *job = data;
  const gsize first = index * MASK_SIGNS_PANEL, m = job->prior->n;
  const gsize count = MIN (MASK_SIGNS_PANEL, job->mixtures.rows - first);
  g_auto (RemovalPanel) panel = { 0 };

  if (!removal_panel_init (job, &panel, NULL)) {
    g_atomic_int_set (&job->has_failed, 1);
    return;
  }
  panel.first = first;
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
  if (job->result.private_part != NULL)
    give_private (&panel, first);
  give_sets (&panel, first);
}

gboolean
joint_removal (const JointRemoval *options, const ImagePrior *prior, AssayView mixtures,
               float *inout_scores, const RemovalResult *result, GError **error)
{
  const gsize n = mixtures.rows;
  g_autofree gint64 *firsts
      = assay_alloc (n, options->starts * sizeof (gint64), "first images", error);
  Removal job = { .options = options,
                  .prior = prior,
                  .mixtures = mixtures,
                  .firsts = firsts,
                  .scores = inout_scores };

  if (result != NULL)
    job.result = *result;
  g_return_val_if_fail (options->k >= 1 && options->k <= WHITENING_MAX_IMAGES
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
                       "the shares of %zu public images cannot be fitted; expected mixtures of "
                       "finite numbers, and memory for panels of %d of them",
                       options->partners, MASK_SIGNS_PANEL);
  return TRUE;
}
