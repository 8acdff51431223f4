/* Which public images are under the mask, by whitened squares (an attack of Assay's own, beyond
 * those of InstaHide, Huang, Song, Li and Arora 2020, section 9).
 *
 * Release: x~ = sigma o z, z = sum_j l_j x_j, N x d. Knowledge: public images s, M x d, and how
 * images are mixed: k, and the bound on the shares l. Braverman's score <x~^2, s^2>, less means,
 * treats squared pixels as independent with equal variances. Those of photographs are neither: what
 * all mixtures have in common swamps what one image adds. Here
 *   1. the covariance of x~^2 over all mixtures of k public images is had exactly, from moments of
 *      the public set (whitening.c), and inverted with a small ridge, or on leading components;
 *   2. the matched filter in that metric is for what an image of share l adds to the mean of x~^2,
 *      l^2 (c^2 - v) + 2 l m c, the best of several l (whitened-scores.c);
 *   3. the images found tell signs of the mask, by sign-invariant least squares, and signs tell the
 *      next image (whitened-signs.c), `refine` times;
 *   4. in place of 3, with `starts`: the signs of all pixels together, whose covariance tells what
 *      pixels know of one another, and the whole set of `refine` images (joint-removal.h). It is
 *      not the default, as it came later. What is left without the set: `whitened-removal`.
 * Public images may have been cropped and mirrored before they were mixed: with `all_windows` an
 * image has the largest score that one of its windows has in 2. Steps 3 and 4 take images for what
 * they are, and want refine = 0 then.
 * Unmasked mixtures (transform = plain) have the same in plain pixels, with all signs known.
 *
 * What each step gains on real images: docs/papers/instahide.md.
 *
 * Guess: all public images for each x~, best first. Cost: 8 M d^2 + 2.5 d^3 operations once, step 3
 * as many again, then 4 N M d; leading components cost an eigenvalue problem of order d, which is
 * several times more. Memory: about 28 d^2 + 12 M d + 12 N M bytes, 30 d^2 + 16 M d with step 3. */
#include "attacks/mixtures/mixture-control.h"
#include "attacks/mixtures/mixture-scores.h"
#include "attacks/mixtures/mixture-windows.h"
#include "attacks/whitened/joint-removal.h"
#include "attacks/whitened/whitened-scores.h"
#include "attacks/whitened/whitened-signs.h"

#define FEWEST_COMPONENTS 100
#define USUAL_K 4

enum { SQUARED, PLAIN };
static const char *const transforms[] = { "squared", "plain", NULL };
static const char *const templates[] = { "squares", "shares", NULL };

typedef struct {
  guint transform;
  gint64 k;
  double max_coefficient;
  gint64 components;
  double ridge;
  guint template;
  gint64 refine;
  gint64 keep;
  gint64 starts;
  bool all_windows;
  gint64 shift;
} Whitened;

static WhitenedOptions
options_of (const Whitened *settings, gsize k, const AssayGeometry *geometry)
{
  return (WhitenedOptions){
    .form = settings->transform == PLAIN ? WHITENING_PLAIN : WHITENING_SQUARED,
    .template = settings->template,
    .components = (gsize) settings->components,
    .ridge = settings->ridge,
    .refine = settings->starts == 0 ? (gsize) settings->refine : 0,
    .shares = { .k = k, .max_coefficient = settings->max_coefficient },
    .windows = settings->all_windows ? geometry : NULL,
    .shift = (gsize) settings->shift,
  };
}

static gboolean
check_k (const Whitened *settings, gsize k, GError **error)
{
  if (k < 2 || k > WHITENING_MAX_IMAGES)
    return assay_fail (error, ASSAY_ERROR_PARAMETER,
                       "k = %zu: expected 2 to %d images in each mixture", k, WHITENING_MAX_IMAGES);
  if (settings->starts > 0 && (gsize) settings->refine >= k)
    return assay_fail (error, ASSAY_ERROR_PARAMETER,
                       "refine = %" G_GINT64_FORMAT ": with starts expected at most %zu, as one of "
                       "k = %zu images is private",
                       settings->refine, k - 1, k);
  /* Nobody waits for shares that are all the same. */
  if (settings->max_coefficient * (double) k < 1.2)
    return assay_fail (error, ASSAY_ERROR_PARAMETER,
                       "max_coefficient = %g: expected at least %.3g, 1.2 / k, for mixtures of k = "
                       "%zu images",
                       settings->max_coefficient, 1.2 / (double) k, k);
  return TRUE;
}

static gboolean
check_sizes (const Whitened *settings, gsize n_public, gsize cols, GError **error)
{
  if ((gsize) settings->refine > n_public)
    return assay_fail (error, ASSAY_ERROR_PARAMETER,
                       "refine = %" G_GINT64_FORMAT ": expected at most the %zu public images",
                       settings->refine, n_public);
  if ((gsize) settings->starts > n_public)
    return assay_fail (error, ASSAY_ERROR_PARAMETER,
                       "starts = %" G_GINT64_FORMAT ": expected at most the %zu public images",
                       settings->starts, n_public);
  if (settings->components > 0 && settings->components < FEWEST_COMPONENTS
      && (gsize) settings->components < cols)
    return assay_fail (error, ASSAY_ERROR_PARAMETER,
                       "components = %" G_GINT64_FORMAT ": expected 0, for all %zu, or at least "
                       "%d, because fewer tell images hardly apart",
                       settings->components, cols, FEWEST_COMPONENTS);
  if (settings->transform == PLAIN && settings->components > 0
      && (gsize) settings->components < cols && (gsize) settings->components >= n_public)
    return assay_fail (error, ASSAY_ERROR_PARAMETER,
                       "components = %" G_GINT64_FORMAT ": expected 0, for all, or fewer than the "
                       "%zu public images, whose plain pixels vary in no more",
                       settings->components, n_public);
  return TRUE;
}

/* Which window an image was mixed as differs from mixture to mixture. */
static gboolean
check_windows (const Whitened *settings, GError **error)
{
  return !settings->all_windows || (settings->refine == 0 && settings->starts == 0)
         || assay_fail (error, ASSAY_ERROR_PARAMETER,
                        "all_windows = yes with refine = %" G_GINT64_FORMAT
                        " and starts = %" G_GINT64_FORMAT ": expected 0 of both",
                        settings->refine, settings->starts);
}

static gboolean
check (gconstpointer data, const AssayShape *shape, GError **error)
{
  const Whitened *settings = data;

  if (!check_windows (settings, error)
      || (settings->all_windows && shape->cols > 0
          && !mixture_windows_check (&shape->geometry, (gsize) settings->shift, error)))
    return FALSE;

  if (settings->k != 0 && !check_k (settings, (gsize) settings->k, error))
    return FALSE;
  return shape->n_public == 0 || shape->cols == 0
         || check_sizes (settings, shape->n_public, shape->cols, error);
}

/* Step 4, which takes the place of 3. */
static gboolean
refine_jointly (const Whitened *settings, gsize k, AssayView images, AssayView mixtures,
                float *inout_scores, GError **error)
{
  const JointRemoval options = { .k = k,
                                 .partners = (gsize) settings->refine,
                                 .max_coefficient = settings->max_coefficient,
                                 .is_open = settings->transform == PLAIN,
                                 .starts = (gsize) settings->starts };
  g_auto (ImagePrior) prior = { 0 };

  return settings->starts == 0
         || (image_prior_learn (images, &prior, error)
             && joint_removal (&options, &prior, mixtures, inout_scores, NULL, error));
}

static gboolean
attack (const AssayAttackContext *context, const AssayObservation *seen, AssayGuess *ret_guess,
        GError **error)
{
  const Whitened *settings = context->settings;
  const AssayView mixtures = assay_array_view (assay_arrays_get (&seen->release->arrays, "images"));
  const gsize n = assay_rows_count (seen->public_rows), cols = assay_rows_cols (seen->public_rows);
  const gsize keep = mixture_keep (settings->keep, n);
  WhitenedOptions options;
  gint64 k;
  g_autoptr (AssayMatrix) images = NULL;
  g_autofree float *scores = NULL;
  g_autofree gint64 *candidates = NULL;

  if (settings->all_windows
      && !mixture_windows_check (&seen->release->geometry, (gsize) settings->shift, error))
    return FALSE;
  if (cols != mixtures.cols)
    return assay_fail (error, ASSAY_ERROR_MISMATCH,
                       "public images have %zu numbers; expected %zu, as the mixtures have", cols,
                       mixtures.cols);
  if (!mixture_find_k (seen->release, settings->k, USUAL_K, "k = 2 or more", &k, error)
      || !check_k (settings, (gsize) k, error))
    return FALSE;
  options = options_of (settings, (gsize) k, &seen->release->geometry);
  images = mixture_public (seen->release, seen->public_rows, error);
  if (images == NULL || !check_sizes (settings, n, cols, error))
    return FALSE;
  scores = assay_alloc (mixtures.rows, n * sizeof (float), "scores", error);
  candidates = assay_alloc (mixtures.rows, keep * sizeof (gint64), "candidates", error);
  if (scores == NULL || candidates == NULL
      || !whitened_scores (&options, assay_matrix_view (images), mixtures, scores, error)
      || !refine_jointly (settings, (gsize) k, assay_matrix_view (images), mixtures, scores, error)
      || !mixture_order (scores, mixtures.rows, n, keep, candidates, error))
    return FALSE;
  mixture_take_candidates (ret_guess, mixtures.rows, keep, g_steal_pointer (&candidates));
  return TRUE;
}

ASSAY_CONTROL (make_control, mixture_control_make, MixtureControl, Whitened, .n_secrets = 24,
               .n_public = 100, .side = 24, .n_partners = 2,
               .has_mask = settings->transform == SQUARED)

ASSAY_ATTACK (whitened, "whitened",
  .summary = "Rank public images by whitened squares, and by the signs that found images reveal",
  .reference = { "Assay; after " ASSAY_PAPER_INSTAHIDE, "section 9, Braverman's attack" },
  ASSAY_SETTINGS (Whitened,
    ASSAY_PARAM_CHOICE (Whitened, transform, SQUARED, transforms,
                        "What is whitened: squared pixels, which a mask of signs does not change, "
                        "or plain ones"),
    ASSAY_PARAM_INT (Whitened, k, 0, 0, WHITENING_MAX_IMAGES, "images",
                     "Images in each mixture; 0: as the release says, or 4"),
    ASSAY_PARAM_REAL (Whitened, max_coefficient, 0.65, 0.02, 1, "",
                      "The largest share that an image may have in a mixture"),
    ASSAY_PARAM_INT (Whitened, components, 0, 0, 20000, "",
                     "Leading components of the covariance that are kept; 0: all"),
    ASSAY_PARAM_REAL (Whitened, ridge, 0.001, 1e-6, 1, "",
                      "Ridge added to the variance of each component, as a share of the mean "
                      "variance"),
    ASSAY_PARAM_CHOICE (Whitened, template, WHITENED_SHARES, templates,
                        "What is looked for in squares: the squared image, or what it adds to a "
                        "mixture at one of several shares"),
    ASSAY_PARAM_INT (Whitened, refine, 2, 0, WHITENING_MAX_IMAGES, "images",
                     "Images of each mixture that are found one after the other, each by the signs "
                     "that earlier ones reveal"),
    MIXTURE_PARAMETER_KEEP (Whitened),
    ASSAY_PARAM_INT (Whitened, starts, 0, 0, 1000, "",
                     "First images of a mixture from which all `refine` are found jointly with all "
                     "signs; 0: they are found one after the other",
                     ASSAY_PARAM_EXTRA),
    MIXTURE_PARAMETERS_WINDOWS (Whitened, "; wants refine = 0", ASSAY_PARAM_EXTRA)),
  .check = check,
  .holds = { .items = 4, .publics = 7, .columns = 12, .pairs = 5, .per_thread = 16 << 20 },
  .reads = ASSAY_RELEASE_MIXTURES,
  .needs = ASSAY_GRANT_PUBLIC,
  .game = ASSAY_GAME_LINK,
  .attack = attack,
  .control
  = { .says = "masked Gaussian images hold two of 100 public ones each, and one of these ranks "
              "first",
      .make = make_control,
      .at_least = 0.75 });
