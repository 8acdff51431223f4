/* Removal of public images from single mixtures, and least squares of what it leaves. */
#include "attacks/inversion/mixture-parts.h"

#include <math.h>
#include <string.h>

#include "attacks/inversion/mixture-labels.h"
#include "attacks/whitened/joint-removal.h"
#include "attacks/whitened/whitened-scores.h"
#include "core/base/vectors.h"
#include "core/math/linalg.h"

#define SQUARES_RIDGE 0.001
#define EVIDENCE 1.0 /* standard deviations above what the best by chance comes to */
#define TURNS 4
#define PRIOR 0.2      /* of pixels of variance 1, beside the rows' errors */
#define FIRM 0.1       /* of the mean residual, below which a row counts no more than others */
#define EXPLAINED 0.06 /* of public pixels' variance that may be left of a mixture */

void
mixture_parts_clear (MixtureParts *parts)
{
  g_clear_pointer (&parts->rows, assay_matrix_free);
  g_clear_pointer (&parts->partners, g_free);
  g_clear_pointer (&parts->shares, g_free);
}

/* ---- Removal ---- */

/* Of @n mixtures with the @scores of @m public images each. */
static double
count_standing (const float *scores, gsize n, gsize m)
{
  const double expected = sqrt (2 * log ((double) m)) + EVIDENCE;
  g_autofree float *row = g_new (float, m);
  gsize count = 0;

  for (gsize t = 0; t < n; t++) {
    float most = -G_MAXFLOAT;

    memcpy (row, scores + t * m, m * sizeof *row);
    assay_standardise (row, m);
    for (gsize s = 0; s < m; s++)
      most = MAX (most, row[s]);
    count += most > expected;
  }
  return (double) count / (double) n;
}

static gboolean
take_out (const MixtureIntake *intake, AssayView mixtures, float *scores, MixtureParts *parts,
          GError **error)
{
  const JointRemoval options = { .k = intake->shares.k,
                                 .partners = intake->state.n_partners,
                                 .max_coefficient = intake->shares.max_coefficient,
                                 .noise = intake->noise,
                                 .starts = 1 };
  const RemovalResult result = { parts->rows->data, parts->partners, parts->shares };
  const AssayView publics = assay_matrix_view (intake->public_images);
  g_auto (ImagePrior) prior = { 0 };

  return image_prior_learn (publics, &prior, error)
         && joint_removal (&options, &prior, mixtures, scores, &result, error);
}

/* The scores of public images by which removal begins. */
static gboolean
score (const MixtureIntake *intake, AssayView mixtures, float *ret_scores, GError **error)
{
  const WhitenedOptions squares = { .form = WHITENING_SQUARED,
                                    .template = WHITENED_SHARES,
                                    .ridge = SQUARES_RIDGE,
                                    .shares = intake->shares,
                                    .noise = intake->noise };

  return whitened_scores (&squares, assay_matrix_view (intake->public_images), mixtures, ret_scores,
                          error);
}

gboolean
mixture_parts_find (const MixtureIntake *intake, double least_standing, MixtureParts *ret_parts,
                    GError **error)
{
  const MixtureState *state = &intake->state;
  const gsize n = state->n_mixtures, d = state->cols, m = state->n_partners;
  const gsize n_public = intake->public_images->rows;
  const AssayView mixtures = assay_view_of (state->magnitudes, n, d);
  g_autofree float *scores = assay_alloc (n, n_public * sizeof (float), "scores", error);

  if (scores == NULL || !score (intake, mixtures, scores, error))
    return FALSE;
  ret_parts->standing = count_standing (scores, n, n_public);
  if (ret_parts->standing < least_standing)
    return TRUE;
  ret_parts->rows = assay_matrix_new (n, d, error);
  ret_parts->partners = assay_alloc (n, m * sizeof (gsize), "public images", error);
  ret_parts->shares = assay_alloc (n, m * sizeof (double), "public images", error);
  if (ret_parts->rows == NULL || ret_parts->partners == NULL || ret_parts->shares == NULL
      || !take_out (intake, mixtures, scores, ret_parts, error))
    return FALSE;
  for (gsize i = 0; i < n * d; i++)
    ret_parts->rows->data[i] -= (float) intake->plain.image[i % d];
  return TRUE;
}

/* ---- Least squares ---- */

/* The weights of mixture @t as parts of their sum. */
static void
take_parts (const MixtureState *state, gsize t, double *ret_parts)
{
  const float *weights = state->weights + MIXTURE_PRIVATE * t;
  const double sum = MAX ((double) weights[0] + weights[1], 1e-6);

  ret_parts[0] = weights[0] / sum;
  ret_parts[1] = weights[1] / sum;
}

/* One weighted solution. */
static gboolean
solve (const MixtureParts *parts, const double *mean, const double *row_weights,
       MixtureState *state, GError **error)
{
  const gsize n = state->n_secrets, d = state->cols;
  g_autofree double *matrix = assay_alloc (n, n * sizeof (double), "normal matrix", error);
  g_autofree double *right = assay_alloc (n, d * sizeof (double), "images", error);

  if (matrix == NULL || right == NULL)
    return FALSE;
  for (gsize i = 0; i < n; i++)
    matrix[i * n + i] = PRIOR;
  for (gsize t = 0; t < state->n_mixtures; t++) {
    const guint32 *pair = state->pairs + MIXTURE_PRIVATE * t;
    const float *row = assay_matrix_row (parts->rows, t);
    double a[MIXTURE_PRIVATE];

    take_parts (state, t, a);
    for (gsize i = 0; i < MIXTURE_PRIVATE; i++) {
      for (gsize j = 0; j < MIXTURE_PRIVATE; j++)
        matrix[pair[i] * n + pair[j]] += row_weights[t] * a[i] * a[j];
      for (gsize j = 0; j < d; j++)
        right[pair[i] * d + j] += row_weights[t] * a[i] * row[j];
    }
  }
  if (!assay_linalg_solve_spd (n, d, matrix, right, error))
    return FALSE;
  for (gsize i = 0; i < n * d; i++)
    state->images[i] = (float) (right[i] + mean[i % d]);
  return TRUE;
}

/* What the pair of mixture @t leaves of the mean square of its part, in units of public pixels'
 * variance. */
static double
residual (const MixtureParts *parts, const double *mean, const MixtureState *state, gsize t)
{
  const gsize d = state->cols;
  const guint32 *pair = state->pairs + MIXTURE_PRIVATE * t;
  const float *a = state->images + pair[0] * d, *b = state->images + pair[1] * d;
  const float *row = assay_matrix_row (parts->rows, t);
  double part[MIXTURE_PRIVATE], square = 0, variance = 0;

  take_parts (state, t, part);
  for (gsize j = 0; j < d; j++) {
    const double gap = row[j] + mean[j] - part[0] * a[j] - part[1] * b[j];

    square += gap * gap;
    variance += state->variance[j];
  }
  return square / variance;
}

gboolean
mixture_parts_solve (const MixtureParts *parts, const double *mean, MixtureState *state,
                     GError **error)
{
  const gsize n = state->n_mixtures;
  g_autofree double *row_weights = g_new (double, n);

  for (gsize t = 0; t < n; t++)
    row_weights[t] = 1;
  for (gsize turn = 0; turn < TURNS; turn++) {
    double all = 0;

    if (!solve (parts, mean, row_weights, state, error))
      return FALSE;
    for (gsize t = 0; t < n; t++) {
      row_weights[t] = residual (parts, mean, state, t);
      all += row_weights[t] / (double) n;
    }
    for (gsize t = 0; t < n; t++)
      row_weights[t] = 1 / (FIRM + row_weights[t] / MAX (all, 1e-30));
  }
  return TRUE;
}

/* ---- Public images ---- */

static void
take_mixture (const MixtureParts *parts, gsize t, double private_share, double scale,
              MixtureState *state)
{
  const gsize d = state->cols, m = state->n_partners;
  float *known = state->known + t * d;
  double part[MIXTURE_PRIVATE];

  take_parts (state, t, part);
  for (gsize i = 0; i < MIXTURE_PRIVATE; i++)
    state->weights[MIXTURE_PRIVATE * t + i] = (float) (private_share * part[i]);
  for (gsize i = 0; i < m; i++) {
    const gsize row = parts->partners[t * m + i];
    const float *image = state->public_images + row * d;

    state->partners[t * m + i] = (gint32) row;
    for (gsize j = 0; j < d; j++)
      known[j] += (float) (scale * parts->shares[t * m + i]) * image[j];
  }
}

void
mixture_parts_take_public (const MixtureParts *parts, const double *mean, MixtureState *state)
{
  const gsize d = state->cols, m = state->n_partners;

  for (gsize t = 0; t < state->n_mixtures; t++) {
    double public_share = 0, share, rest;

    for (gsize i = 0; i < m; i++) {
      public_share += parts->shares[t * m + i];
      state->partners[t * m + i] = -1;
    }
    share = mixture_labels_share (state, t, (float) (1 - public_share));
    rest = (1 - public_share) * (1 - public_share) * residual (parts, mean, state, t);
    memset (state->known + t * d, 0, d * sizeof *state->known);
    state->noise[t] = mixture_state_noise (state, 1 - share, m);
    if (rest > EXPLAINED + (double) state->added_noise)
      continue;
    take_mixture (parts, t, share, (1 - share) / MAX (public_share, 1e-9), state);
    state->noise[t] = MAX (MIXTURE_LEAST_NOISE + state->added_noise, (float) rest);
  }
}
