/* Averages of several mixtures of one secret (InstaHide, Huang, Song, Li and Arora 2020, sections
 * 2.1 and 5.3, "Average multiple encryptions of the same image").
 *
 * Release: mixtures x~, N x d, k images in each. With m the mean of all of them and G the mixtures
 * of one secret x,
 *   x^ = m + g (mean of x~ over G - m),   g = 1 / E lambda_1:
 * what x is mixed with averages out to the mean image, and x itself stays with its mean
 * coefficient, which the release says (owner_share); 1/k where it says k alone. (Not the same:
 * cross-dataset mixtures with c1 = 0.65 and c2 = 0.3 have .265 at k = 4, and .204 at k = 6.)
 * Under a mask of random signs all x~ average out to 0; `absolute` takes |x~| instead, of which the
 * average grows with |x|: shapes come back, signs do not.
 *
 * Who belongs together:
 *   grouping = if-granted  the grant `groups` tells (the paper's stronger attack); without it as
 *   grouping = found       each one and the `similar` mixtures most like it, by inner product,
 *                          correlation or SSIM (its weaker attack)
 * A step beyond the paper: with `rounds`, what averages have left of other secrets is taken away by
 * joint least squares for all secrets, which needs known groups for its start, mixtures of secrets
 * alone, and no mask (joint-averages.h).
 * Estimates: one of each secret in their order; when groups were found, one for each mixture.
 * Memory: the mixtures once more, and the estimates. */
#include <math.h>

#include "attacks/mixtures/joint-averages.h"
#include "attacks/mixtures/mixture-control.h"
#include "attacks/mixtures/mixture-scores.h"
#include "core/data/kinds/mixtures.h"
#include "core/math/image-quality.h"

enum { IF_GRANTED, FOUND };
enum { INNER_PRODUCT, CORRELATION, SSIM };

#define SSIM_QUERIES 64 /* mixtures that are compared with all others at a time */

static const char *const groupings[] = { "if-granted", "found", NULL };
static const char *const similarities[] = { "inner-product", "correlation", "ssim", NULL };

typedef struct {
  guint grouping;
  guint similarity;
  gint64 similar;
  bool absolute;
  bool centre;
  double gain;
  bool clip;
  gint64 rounds;
} Averaging;

/* ---- Groups that are found ---- */

/* Features whose inner products are the similarity. */
static MixtureOptions
options_of (const Averaging *settings)
{
  const gboolean is_correlation = settings->similarity == CORRELATION;

  return (MixtureOptions){ .form = settings->absolute ? MIXTURE_ABSOLUTE : MIXTURE_PLAIN,
                           .level = settings->absolute || is_correlation,
                           .centre = settings->centre,
                           .unit = is_correlation };
}

static gboolean
rank_by_products (const Averaging *settings, const AssayRelease *release, gsize keep,
                  gint64 *ret_rows, GError **error)
{
  const MixtureOptions options = options_of (settings);
  g_autoptr (AssayMatrix) images = mixture_images (release, error);
  g_autoptr (AssayMatrix) unused = NULL;
  g_auto (MixtureSpace) space = { 0 };

  return images != NULL && mixture_space_learn (&options, images, &space, error)
         && mixture_space_whiten (&space, images, &unused, error)
         && mixture_rank (assay_matrix_view (images), assay_matrix_view (images), keep, ret_rows,
                          error);
}

/* The @keep largest of a row of values, in order; equal ones in theirs. */
static void
take_largest (double *values, gsize n, gsize keep, gint64 *ret_rows)
{
  for (gsize k = 0; k < keep; k++) {
    gsize best = 0;

    for (gsize j = 1; j < n; j++)
      if (values[j] > values[best])
        best = j;
    ret_rows[k] = (gint64) best;
    values[best] = -INFINITY;
  }
}

static gboolean
rank_by_ssim (AssayView images, const AssayGeometry *geometry, gsize keep, gint64 *ret_rows,
              GError **error)
{
  const AssaySsim ssim = { .shape = { geometry->height, geometry->width, geometry->channels },
                           .range = mixture_range (images) };
  g_autoptr (AssaySsimSet) set = NULL;
  g_autofree double *values = NULL;

  if (geometry->height == 0)
    return assay_fail (error, ASSAY_ERROR_MISMATCH,
                       "similarity = ssim: the release does not say what images its rows are");
  set = assay_ssim_set_new (&ssim, images, error);
  values = assay_alloc (SSIM_QUERIES, images.rows * sizeof (double), "similarities", error);
  if (set == NULL || values == NULL)
    return FALSE;
  for (gsize first = 0; first < images.rows; first += SSIM_QUERIES) {
    const gsize count = MIN (SSIM_QUERIES, images.rows - first);

    if (!assay_ssim_set_compare (set, assay_view_rows (images, first, count), values, error))
      return FALSE;
    for (gsize i = 0; i < count; i++)
      take_largest (values + i * images.rows, images.rows, keep, ret_rows + (first + i) * keep);
  }
  return TRUE;
}

/* ---- Averages ---- */

/* Adds @row to the sum of estimate @to. */
static void
add_row (AssayMatrix *sums, gsize to, const float *row)
{
  float *sum = assay_matrix_row (sums, to);

  for (gsize j = 0; j < sums->cols; j++)
    sum[j] += row[j];
}

static AssayMatrix *
average_granted (AssayView images, const gint64 *groups, GError **error)
{
  g_autofree gsize *counts = NULL;
  g_autoptr (AssayMatrix) means = NULL;
  gsize n = 0;

  for (gsize i = 0; i < images.rows; i++)
    n = MAX (n, (gsize) groups[i] + 1);
  counts = assay_alloc (n, sizeof (gsize), "groups", error);
  means = assay_matrix_new (n, images.cols, error);
  if (counts == NULL || means == NULL)
    return NULL;
  for (gsize i = 0; i < images.rows; i++) {
    counts[groups[i]]++;
    add_row (means, (gsize) groups[i], assay_view_row (images, i));
  }
  for (gsize i = 0; i < n; i++)
    for (gsize j = 0; j < images.cols; j++)
      assay_matrix_row (means, i)[j] /= (float) MAX (counts[i], 1);
  return g_steal_pointer (&means);
}

/* Of each mixture and the @keep - 1 others that are most like it. */
static AssayMatrix *
average_found (AssayView images, const gint64 *ranked, gsize keep, GError **error)
{
  g_autoptr (AssayMatrix) means = assay_matrix_new (images.rows, images.cols, error);

  for (gsize i = 0; means != NULL && i < images.rows; i++) {
    gsize n_taken = 1;

    add_row (means, i, assay_view_row (images, i));
    for (gsize k = 0; k < keep && n_taken < keep; k++) {
      const gsize other = (gsize) ranked[i * keep + k];

      if (other == i)
        continue;
      add_row (means, i, assay_view_row (images, other));
      n_taken++;
    }
    for (gsize j = 0; j < images.cols; j++)
      assay_matrix_row (means, i)[j] /= (float) n_taken;
  }
  return g_steal_pointer (&means);
}

static AssayMatrix *
average_similar (const Averaging *settings, const AssayRelease *release, AssayView images,
                 GError **error)
{
  const gsize keep = MIN ((gsize) settings->similar + 1, images.rows);
  g_autofree gint64 *ranked = assay_alloc (images.rows, keep * sizeof (gint64), "groups", error);

  if (ranked == NULL)
    return NULL;
  if (settings->similarity == SSIM ? !rank_by_ssim (images, &release->geometry, keep, ranked, error)
                                   : !rank_by_products (settings, release, keep, ranked, error))
    return NULL;
  return average_found (images, ranked, keep, error);
}

/* x^ = m + g (mean - m), within what pixels can be. */
static gboolean
rescale (const Averaging *settings, const AssayRelease *release, AssayView images,
         AssayMatrix *inout_means, GError **error)
{
  gint64 k = 1;
  const double *share = ASSAY_PARAMETER (release, AssayMixturesParameters, owner_share);
  const AssayGeometry *geometry = &release->geometry;
  const gboolean is_clipped = settings->clip && geometry->white > geometry->black;
  g_autofree double *mean = assay_alloc (images.cols, sizeof (double), "mean image", error);
  double gain;

  if (mean == NULL
      || (!(settings->gain > 0) && share == NULL
          && !mixture_find_k (release, 0, 1, "a gain above 0", &k, error)))
    return FALSE;
  gain = settings->gain > 0 ? settings->gain : share != NULL ? 1 / *share : (double) k;
  for (gsize i = 0; i < images.rows && settings->centre; i++)
    for (gsize j = 0; j < images.cols; j++)
      mean[j] += assay_view_row (images, i)[j] / (double) images.rows;
  for (gsize i = 0; i < inout_means->rows; i++)
    for (gsize j = 0; j < images.cols; j++) {
      float *value = assay_matrix_row (inout_means, i) + j;
      const double whole = mean[j] + gain * (*value - mean[j]);

      *value = (float) (is_clipped ? CLAMP (whole, geometry->black, geometry->white) : whole);
    }
  return TRUE;
}

/* Only an average for each secret can be improved by those of the others. */
static gboolean
refine (const Averaging *settings, const AssayObservation *seen, AssayView images,
        AssayMatrix *inout_estimates, GError **error)
{
  const AssayGeometry *geometry = &seen->release->geometry;
  return seen->groups == NULL || settings->grouping != IF_GRANTED
         || joint_averages (images, (gsize) settings->rounds, geometry->black,
                            settings->clip ? geometry->white : geometry->black, inout_estimates,
                            error);
}

static gboolean
attack (const AssayAttackContext *context, const AssayObservation *seen, AssayGuess *ret_guess,
        GError **error)
{
  const Averaging *settings = context->settings;
  g_autoptr (AssayMatrix) images = mixture_images (seen->release, error);
  g_autoptr (AssayMatrix) estimates = NULL;
  AssayView view;

  if (images == NULL)
    return FALSE;
  for (gsize i = 0; i < images->rows * images->cols && settings->absolute; i++)
    images->data[i] = fabsf (images->data[i]);
  view = assay_matrix_view (images);
  estimates = seen->groups != NULL && settings->grouping == IF_GRANTED
                  ? average_granted (view, seen->groups, error)
                  : average_similar (settings, seen->release, view, error);
  if (estimates == NULL || !rescale (settings, seen->release, view, estimates, error)
      || !refine (settings, seen, view, estimates, error))
    return FALSE;
  assay_arrays_take_matrix (&ret_guess->arrays, "estimates", &estimates);
  return TRUE;
}

/* ---- Control ---- */

/* Where groups are granted, many mixtures of two secrets each; where they are to be found, as many
 * as are averaged, each of one secret and one public image. Of masked ones with positive pixels the
 * absolute values are the mixtures themselves. */
ASSAY_CONTROL (make_control, mixture_control_make, MixtureControl, Averaging, .n_secrets = 16,
               .side = 24, .n_public = settings->grouping == FOUND ? 200 : 0,
               .n_sources = settings->grouping == FOUND ? 1 : 2,
               .n_partners = settings->grouping == FOUND ? 1 : 0,
               .n_epochs
               = settings->grouping == FOUND ? (gsize) MIN (settings->similar + 1, 50) : 80,
               .is_positive = settings->absolute, .has_mask = settings->absolute)

static guint64
memory (gconstpointer data, const AssayShape *shape)
{
  const Averaging *settings = data;
  const guint64 n = shape->n_secrets, mixtures = MAX (shape->n_released, n);

  /* Shares, and the normal equations, of joint least squares. */
  return settings->rounds > 0 ? mixtures * n * sizeof (float) + 2 * n * n * sizeof (double) : 0;
}

ASSAY_ATTACK (averaging, "averaging",
  .summary = "Average the mixtures of one secret, whether these are known or found",
  .reference = { ASSAY_PAPER_INSTAHIDE, "sections 2.1 and 5.3, figure 7" },
  ASSAY_SETTINGS (Averaging,
    ASSAY_PARAM_CHOICE (Averaging, grouping, IF_GRANTED, groupings,
                        "Which mixtures are averaged: those of a group where groups are granted, "
                        "or those found to be similar"),
    ASSAY_PARAM_CHOICE (Averaging, similarity, INNER_PRODUCT, similarities,
                        "Similarity by which mixtures of one secret are found"),
    ASSAY_PARAM_INT (Averaging, similar, 5, 1, 100000, "mixtures",
                     "Mixtures averaged with each one where groups are found"),
    ASSAY_PARAM_BOOL (Averaging, absolute, FALSE,
                      "Whether absolute values are averaged, which a mask of signs does not "
                      "change"),
    ASSAY_PARAM_BOOL (Averaging, centre, TRUE,
                      "Whether the mean image is subtracted before rescaling"),
    ASSAY_PARAM_REAL (Averaging, gain, 0, 0, 1000, "",
                      "Factor by which an average is multiplied; 0: 1 / the mean share of a "
                      "mixture's owner, where the release says it"),
    ASSAY_PARAM_BOOL (Averaging, clip, TRUE,
                      "Whether values are clipped to the range between black and white"),
    ASSAY_PARAM_INT (Averaging, rounds, 0, 0, 10000, "",
                     "Rounds of joint least squares for all secrets, where groups are granted")),
  .holds = { .items = 10, .per_thread = MIXTURE_PANEL_BYTES },
  .memory = memory,
  .reads = ASSAY_RELEASE_MIXTURES,
  .needs = ASSAY_GRANT_NONE,
  .game = ASSAY_GAME_RECONSTRUCT,
  .attack = attack,
  .control = { .says = "an image comes back as the average of its mixtures",
               .make = make_control,
               .at_least = 0.75,
               .within = 0.6 });
