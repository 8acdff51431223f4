/* Removal of public images from single mixtures, and least squares of what it leaves. */
#include "attacks/inversion/mixture-parts.h"

#include <math.h>
#include <string.h>

#include "attacks/inversion/mixture-labels.h"
#include "attacks/mixtures/mixture-windows.h"
#include "attacks/whitened/window-search.h"
#include "core/base/vectors.h"
#include "core/math/linalg.h"

#define SQUARES_RIDGE 0.001
#define COMPONENTS 400        /* by which parts are compared where they were moved */
#define COMPONENTS_RIDGE 0.02 /* in units of the mean variance */
#define EVIDENCE 1.0          /* standard deviations above what the best by chance comes to */
#define CANDIDATES 300        /* public images of a mixture, by their best windows */
#define CANDIDATES_AGAIN 60   /* ... where secrets are known in part */
#define TOGETHER 8            /* mixtures that share them */
#define TURNS 4
#define PRIOR 0.2      /* of pixels of variance 1, beside the rows' errors */
#define FIRM 0.1       /* of the mean residual, below which a row counts no more than others */
#define EXPLAINED 0.06 /* of public pixels' variance that may be left of a mixture */

/* Of PrivateParts, to be written. */
typedef struct {
  float *features;
  double *shares;
  double *errors;
} Private;

void
mixture_parts_clear (MixtureParts *parts)
{
  g_clear_pointer (&parts->rows, assay_matrix_free);
  g_clear_pointer (&parts->directions, assay_matrix_free);
  g_clear_pointer (&parts->partners, g_free);
  g_clear_pointer (&parts->shares, g_free);
  g_clear_pointer (&parts->windows, g_free);
}

/* ---- Removal ---- */

/* What the best of @m scores of images by chance is above their mean, in standard deviations. */
static double
expect_best (gsize m)
{
  return sqrt (2 * log ((double) m));
}

/* The same of scores each of which is the best of many windows'. */
static double
expect_best_window (gsize m)
{
  return sqrt (6) / G_PI * (log ((double) m) - 0.5772);
}

/* Of @n mixtures with the @scores of @m public images each; of those that stand out most not
 * @still, the window of an image that is the image itself. @windows: N x m; NULL: no windows. */
static double
count_standing (const float *scores, const guint16 *windows, gsize still, gsize n, gsize m)
{
  const double expected = EVIDENCE + (windows != NULL ? expect_best_window (m) : expect_best (m));
  g_autofree float *row = g_new (float, m);
  gsize count = 0;

  for (gsize t = 0; t < n; t++) {
    gsize best = 0;

    memcpy (row, scores + t * m, m * sizeof *row);
    assay_standardise (row, m);
    for (gsize s = 1; s < m; s++)
      if (row[s] > row[best])
        best = s;
    count += (double) row[best] > expected && (windows == NULL || windows[t * m + best] != still);
  }
  return (double) count / (double) n;
}

AssayMatrix *
mixture_parts_directions (const ImagePrior *prior, GError **error)
{
  const gsize d = prior->cols;
  AssayMatrix *directions = assay_matrix_new (MIN (COMPONENTS, d), d, error);

  for (gsize c = 0; directions != NULL && c < directions->rows; c++)
    for (gsize j = 0; j < d; j++)
      assay_matrix_row (directions, c)[j]
          = prior->vectors[c * d + j] / sqrtf (prior->values[c] + (float) COMPONENTS_RIDGE);
  return directions;
}

static JointRemoval
removal_of (const MixtureIntake *intake)
{
  return (JointRemoval){ .k = intake->shares.k,
                         .partners = intake->state.n_partners,
                         .max_coefficient = intake->shares.max_coefficient,
                         .noise = intake->noise,
                         .starts = 1 };
}

/* How public images are scored, from which removal begins. */
static WhitenedOptions
squares_of (const MixtureIntake *intake)
{
  return (WhitenedOptions){ .form = WHITENING_SQUARED,
                            .template = WHITENED_SHARES,
                            .ridge = SQUARES_RIDGE,
                            .shares = intake->shares,
                            .noise = intake->noise };
}

static gboolean
make_parts (const MixtureIntake *intake, MixtureParts *parts, GError **error)
{
  const gsize n = intake->state.n_mixtures, m = intake->state.n_partners;

  parts->rows = assay_matrix_new (n, intake->state.cols, error);
  parts->partners = assay_alloc (n, m * sizeof (gsize), "public images", error);
  parts->shares = assay_alloc (n, m * sizeof (double), "public images", error);
  if (parts->shift > 0)
    parts->windows = assay_alloc (n, m * sizeof (guint16), "public images", error);
  return parts->rows != NULL && parts->partners != NULL && parts->shares != NULL
         && (parts->shift == 0 || parts->windows != NULL);
}

/* Images as they are. */
static gboolean
take_images (const MixtureIntake *intake, AssayView mixtures, double least_standing,
             MixtureParts *parts, GError **error)
{
  const AssayView publics = assay_matrix_view (intake->public_images);
  const gsize n = mixtures.rows, m = publics.rows;
  const JointRemoval options = removal_of (intake);
  const WhitenedOptions squares = squares_of (intake);
  g_autofree float *scores = assay_alloc (n, m * sizeof (float), "scores", error);
  g_auto (ImagePrior) prior = { 0 };

  if (scores == NULL || !whitened_scores (&squares, publics, mixtures, scores, error))
    return FALSE;
  parts->standing = count_standing (scores, NULL, 0, n, m);
  if (parts->standing < least_standing)
    return TRUE;
  return make_parts (intake, parts, error) && image_prior_learn (publics, &prior, error)
         && (parts->directions = mixture_parts_directions (&prior, error)) != NULL
         && joint_removal (&options, &prior, mixtures, scores,
                           &(RemovalResult){ parts->rows->data, parts->partners, parts->shares },
                           error);
}

/* Of windows, which are ranked by squares. */
static WindowRemoval
windows_of (const MixtureIntake *intake, gsize shift, gsize candidates)
{
  const gsize m = intake->public_images->rows, partners = intake->state.n_partners;
  WindowRemoval removal = { .squares = squares_of (intake),
                            .joint = removal_of (intake),
                            .candidates = CLAMP (candidates, partners, m),
                            .together = TOGETHER };

  removal.squares.windows = &intake->state.geometry;
  removal.squares.shift = shift;
  removal.squares.components = MIN (COMPONENTS, intake->public_images->cols);
  return removal;
}

/* The middle of the first half of all windows. */
static gsize
still_window (gsize shift)
{
  return mixture_windows_count (shift) / 4;
}

/* What ranked windows lead to. */
static gboolean
remove_windows (const MixtureIntake *intake, const WindowRemoval *removal,
                const RankedWindows *ranked, const ImagePrior *prior, MixtureParts *parts,
                GError **error)
{
  WindowResult result;

  if (!make_parts (intake, parts, error)
      || (parts->directions = mixture_parts_directions (prior, error)) == NULL)
    return FALSE;
  result = (WindowResult){ { parts->rows->data, parts->partners, parts->shares }, parts->windows };
  return window_removal_find (removal, ranked, prior, &result, error);
}

/* Windows of them. */
static gboolean
take_windows (const MixtureIntake *intake, AssayView mixtures, double least_standing,
              MixtureParts *parts, GError **error)
{
  const AssayView publics = assay_matrix_view (intake->public_images);
  const gsize n = mixtures.rows, m = publics.rows;
  const WindowRemoval removal = windows_of (intake, parts->shift, CANDIDATES);
  g_autofree float *scores = assay_alloc (n, m * sizeof (float), "scores", error);
  g_autofree guint16 *windows = assay_alloc (n, m * sizeof (guint16), "scores", error);
  const RankedWindows ranked = { publics, mixtures, scores, windows };
  g_auto (ImagePrior) prior = { 0 };

  if (scores == NULL || windows == NULL || !window_removal_rank (&removal, &ranked, error))
    return FALSE;
  parts->standing = count_standing (scores, windows, still_window (parts->shift), n, m);
  return parts->standing < least_standing
         || (image_prior_learn (publics, &prior, error)
             && remove_windows (intake, &removal, &ranked, &prior, parts, error));
}

/* From the mean image on, in the prior's basis and units. */
static void
take_private (const MixtureState *state, const ImagePrior *prior, double image_error, float *room,
              const Private *private)
{
  const gsize n = state->n_mixtures, d = state->cols;

  for (gsize t = 0; t < n; t++) {
    const float *weights = state->weights + MIXTURE_PRIVATE * t;
    float *row = room + t * d;

    private->shares[t] = (double) weights[0] + weights[1];
    private->errors[t]
        = image_error * ((double) weights[0] * weights[0] + (double) weights[1] * weights[1]);
    mixture_state_private_part (state, t, row);
    for (gsize j = 0; j < d; j++)
      row[j] = row[j] / (float) prior->unit - (float) private->shares[t] * prior->image[j];
  }
  assay_linalg_product_in_parallel (ASSAY_NT, assay_view_of (room, n, d),
                                    assay_view_of (prior->vectors, d, d), private->features);
}

static void
centre_rows (const MixtureIntake *intake, MixtureParts *parts)
{
  const gsize d = intake->state.cols;

  for (gsize i = 0; parts->rows != NULL && i < parts->rows->rows * d; i++)
    parts->rows->data[i] -= (float) intake->plain.image[i % d];
}

gboolean
mixture_parts_find_again (const MixtureIntake *intake, const ImagePrior *prior,
                          const PartsAgain *options, MixtureParts *ret_parts, GError **error)
{
  const MixtureState *state = &intake->state;
  const AssayView publics = assay_matrix_view (intake->public_images);
  const gsize n = state->n_mixtures, m = publics.rows, d = state->cols;
  const AssayView mixtures = assay_view_of (state->magnitudes, n, d);
  g_auto (AssayArena) arena = { 0 };
  const Private private
      = { .features = assay_arena_alloc (&arena, n, d * sizeof (float), "private parts", error),
          .shares = assay_arena_alloc (&arena, n, sizeof (double), "private parts", error),
          .errors = assay_arena_alloc (&arena, n, sizeof (double), "private parts", error) };
  const RankedWindows ranked
      = { publics, mixtures, assay_arena_alloc (&arena, n, m * sizeof (float), "scores", error),
          assay_arena_alloc (&arena, n, m * sizeof (guint16), "scores", error) };
  const PrivateParts known = { private.features, private.shares, private.errors };
  WindowRemoval removal = windows_of (intake, options->shift, CANDIDATES_AGAIN);

  ret_parts->shift = options->shift;
  ret_parts->rows = assay_matrix_new (n, d, error);
  if (arena.has_failed || ret_parts->rows == NULL)
    return FALSE;
  take_private (state, prior, options->image_error, ret_parts->rows->data, &private);
  g_clear_pointer (&ret_parts->rows, assay_matrix_free);
  removal.joint.known = &known;
  if (!window_search (&removal, prior, &ranked, error))
    return FALSE;
  ret_parts->standing
      = count_standing (ranked.scores, ranked.best, still_window (options->shift), n, m);
  if (ret_parts->standing < options->least_standing)
    return TRUE;
  if (!remove_windows (intake, &removal, &ranked, prior, ret_parts, error))
    return FALSE;
  centre_rows (intake, ret_parts);
  return TRUE;
}

gboolean
mixture_parts_find (const MixtureIntake *intake, gsize shift, double least_standing,
                    MixtureParts *ret_parts, GError **error)
{
  const MixtureState *state = &intake->state;
  const AssayView mixtures = assay_view_of (state->magnitudes, state->n_mixtures, state->cols);

  ret_parts->shift = shift;
  if (!(shift > 0 ? take_windows : take_images) (intake, mixtures, least_standing, ret_parts,
                                                 error))
    return FALSE;
  centre_rows (intake, ret_parts);
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
  state->is_smooth = FALSE;
  return TRUE;
}

/* ---- Public images ---- */

static void
take_mixture (const MixtureParts *parts, gsize t, double private_share, double scale,
              MixtureState *state)
{
  const gsize d = state->cols, m = state->n_partners;
  float *known = state->known + t * d;
  g_autofree float *window = g_new (float, d);
  double part[MIXTURE_PRIVATE];

  take_parts (state, t, part);
  for (gsize i = 0; i < MIXTURE_PRIVATE; i++)
    state->weights[MIXTURE_PRIVATE * t + i] = (float) (private_share * part[i]);
  for (gsize i = 0; i < m; i++) {
    const gsize row = parts->partners[t * m + i];
    const float *image = state->public_images + row * d;

    if (parts->windows != NULL)
      mixture_window_take (&state->geometry, parts->shift, parts->windows[t * m + i], image,
                           window);
    else
      memcpy (window, image, d * sizeof *window);
    state->partners[t * m + i] = (gint32) row;
    for (gsize j = 0; j < d; j++)
      known[j] += (float) (scale * parts->shares[t * m + i]) * window[j];
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
