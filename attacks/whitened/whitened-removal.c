/* The private part of single mixtures: public images found, and taken away (an attack of Assay's
 * own, where InstaHide, Huang, Song, Li and Arora 2020, section 2.2, has it for Mixup: "once the
 * correct x_i's and their coefficients have been guessed, we obtain x up to a linear scaling").
 *
 * Release: x~ = sigma o z, z = sum_j l_j x_j, N x d, k images each of which `partners` are public;
 * sigma random signs, or, with transform = plain, none. Knowledge: public images s, M x d, and k.
 * Each x~ is attacked by itself, so that nothing is gained by encoding an image only once.
 *   1. public images are ranked for x~ by whitened squares (the attack `whitened`), or, without a
 *      mask, not yet;
 *   2. those of the set, their shares w, and the signs sigma are found jointly under the prior that
 *      what is not known of z is normal with the covariance of public images (joint-removal.h),
 *      from each of the `starts` best first images;
 *   3. what is left of z, divided by 1 - sum w, is the estimate: the private images of x~ as they
 *      were mixed among themselves. With one private image it is this image.
 * Where public images are moved and mirrored before they are mixed, `all_windows` looks for them as
 * they were mixed (window-removal.h).
 * With partners = 0, and with k = 1 (signs alone, over images that are not mixed), nothing is
 * removed: the mean of z given |x~| alone, which is what to compare with.
 *
 * Measured (bench/whitened.c; 200 mixtures of CIFAR-10, 3,718 patches of photographs): the median
 * correlation of the estimate with the private images as they were mixed is 0.992 [0.988, 0.996] at
 * k = 4 and 0.988 [0.983, 0.993] at k = 6; without removal 0.417 and 0.338. A second start gained
 * nothing that could be told.
 *
 * Estimates: one for each mixture, in their order (image-recovery's `of = private-part`). Cost:
 * step 1 that of `whitened`; an eigenvalue problem of order d; for each mixture and start about
 * 6 (partners + 8) rounds of 2 d^2 multiplications, and 2 partners of 2 M d. */
#include "attacks/mixtures/mixture-control.h"
#include "attacks/mixtures/mixture-scores.h"
#include "attacks/mixtures/mixture-windows.h"
#include "attacks/whitened/window-removal.h"

#define USUAL_K 4
#define PRIVATE 2 /* images of a mixture in cross-dataset InstaHide */
#define SQUARES_RIDGE 0.001
#define CONTROL_PARTNERS 4

enum { SQUARED, PLAIN };
static const char *const transforms[] = { "squared", "plain", NULL };

typedef struct {
  guint transform;
  gint64 k;
  gint64 partners;
  double max_coefficient;
  gint64 starts;
  bool all_windows;
  gint64 shift;
  gint64 candidates;
  gint64 components;
} WhitenedRemoval;

/* What is known of the mixtures. */
static gboolean
take_options (const WhitenedRemoval *settings, gint64 k, JointRemoval *ret_options, GError **error)
{
  const gint64 partners = settings->partners >= 0 ? settings->partners : MAX (k - PRIVATE, 0);

  if (k < 1 || k > WHITENING_MAX_IMAGES)
    return assay_fail (error, ASSAY_ERROR_PARAMETER,
                       "k = %" G_GINT64_FORMAT ": expected 1 to %d images in each mixture", k,
                       WHITENING_MAX_IMAGES);
  if (partners >= k)
    return assay_fail (error, ASSAY_ERROR_PARAMETER,
                       "partners = %" G_GINT64_FORMAT ": expected at most %" G_GINT64_FORMAT
                       ", as one of k = %" G_GINT64_FORMAT " images is private",
                       partners, k - 1, k);
  /* Nobody waits for shares that are all the same. */
  if (k > 1 && settings->max_coefficient * (double) k < 1.2)
    return assay_fail (error, ASSAY_ERROR_PARAMETER,
                       "max_coefficient = %g: expected at least %.3g, 1.2 / k, for mixtures of k = "
                       "%" G_GINT64_FORMAT " images",
                       settings->max_coefficient, 1.2 / (double) k, k);
  *ret_options = (JointRemoval){ .k = (gsize) k,
                                 .partners = (gsize) partners,
                                 .max_coefficient = k > 1 ? settings->max_coefficient : 1,
                                 .is_open = settings->transform == PLAIN,
                                 .starts = (gsize) settings->starts };
  return TRUE;
}

static gboolean
check_count (const JointRemoval *options, gsize n_public, GError **error)
{
  if (options->partners <= n_public && options->starts <= n_public)
    return TRUE;
  return assay_fail (error, ASSAY_ERROR_PARAMETER,
                     "partners = %zu, starts = %zu: expected at most the %zu public images",
                     options->partners, options->starts, n_public);
}

static gboolean
check_windows (const WhitenedRemoval *settings, const AssayGeometry *geometry, GError **error)
{
  if (!settings->all_windows)
    return TRUE;
  if (settings->transform == PLAIN || settings->partners == 0
      || settings->starts > settings->candidates)
    return assay_fail (error, ASSAY_ERROR_PARAMETER,
                       "all_windows = yes: expected transform = squared, partners other than 0, "
                       "and candidates = %" G_GINT64_FORMAT " of at least starts = "
                       "%" G_GINT64_FORMAT,
                       settings->candidates, settings->starts);
  return geometry == NULL || mixture_windows_check (geometry, (gsize) settings->shift, error);
}

static gboolean
check (gconstpointer data, const AssayShape *shape, GError **error)
{
  const WhitenedRemoval *settings = data;
  JointRemoval options;

  if (!check_windows (settings, shape->cols > 0 ? &shape->geometry : NULL, error))
    return FALSE;
  /* Of what the release says more is known later. */
  if (settings->k == 0)
    return shape->n_public == 0 || settings->starts <= (gint64) shape->n_public
           || check_count (&(JointRemoval){ .starts = (gsize) settings->starts }, shape->n_public,
                           error);
  return take_options (settings, settings->k, &options, error)
         && (shape->n_public == 0 || check_count (&options, shape->n_public, error));
}

static WhitenedOptions
squares_of (const JointRemoval *options)
{
  return (WhitenedOptions){ .form = WHITENING_SQUARED,
                            .template = WHITENED_SHARES,
                            .ridge = SQUARES_RIDGE,
                            .shares
                            = { .k = options->k, .max_coefficient = options->max_coefficient } };
}

/* All three steps. */
static gboolean
remove_images (const JointRemoval *options, AssayView images, AssayView mixtures,
               float *ret_private, GError **error)
{
  const WhitenedOptions squares = squares_of (options);
  g_auto (ImagePrior) prior = { 0 };
  g_autofree float *scores
      = assay_alloc (mixtures.rows, images.rows * sizeof (float), "scores", error);

  return scores != NULL
         && (options->is_open || options->partners == 0
             || whitened_scores (&squares, images, mixtures, scores, error))
         && image_prior_learn (images, &prior, error)
         && joint_removal (options, &prior, mixtures, scores,
                           &(RemovalResult){ .private_part = ret_private }, error);
}

/* The same, by windows of images of @geometry. */
static WindowRemoval
windows_of (const WhitenedRemoval *settings, const JointRemoval *options,
            const AssayGeometry *geometry, gsize n_public)
{
  WindowRemoval windows
      = { .squares = squares_of (options),
          .joint = *options,
          .candidates = CLAMP ((gsize) settings->candidates, options->partners, n_public),
          .together = 1 };

  windows.squares.windows = geometry;
  windows.squares.shift = (gsize) settings->shift;
  windows.squares.components = (gsize) settings->components;
  return windows;
}

static gboolean
attack (const AssayAttackContext *context, const AssayObservation *seen, AssayGuess *ret_guess,
        GError **error)
{
  const WhitenedRemoval *settings = context->settings;
  const AssayView mixtures = assay_array_view (assay_arrays_get (&seen->release->arrays, "images"));
  const gsize n = assay_rows_count (seen->public_rows), cols = assay_rows_cols (seen->public_rows);
  gint64 k;
  JointRemoval options;
  WindowRemoval windows;
  g_autoptr (AssayMatrix) images = NULL;
  g_autoptr (AssayMatrix) estimates = NULL;

  if (cols != mixtures.cols)
    return assay_fail (error, ASSAY_ERROR_MISMATCH,
                       "public images have %zu numbers; expected %zu, as the mixtures have", cols,
                       mixtures.cols);
  if (!mixture_find_k (seen->release, settings->k, USUAL_K, "k = 1 or more", &k, error)
      || !take_options (settings, k, &options, error) || !check_count (&options, n, error))
    return FALSE;
  if (!check_windows (settings, &seen->release->geometry, error))
    return FALSE;
  windows = windows_of (settings, &options, &seen->release->geometry, n);
  images = mixture_public (seen->release, seen->public_rows, error);
  estimates = images != NULL ? assay_matrix_new (mixtures.rows, cols, error) : NULL;
  if (estimates == NULL
      || !(settings->all_windows && k > 1 ? window_removal (&windows, assay_matrix_view (images),
                                                            mixtures, estimates->data, error)
                                          : remove_images (&options, assay_matrix_view (images),
                                                           mixtures, estimates->data, error)))
    return FALSE;
  assay_arrays_take_matrix (&ret_guess->arrays, "estimates", &estimates);
  return TRUE;
}

/* Smooth images, of which pixels tell the signs of their neighbours, each of them by itself in one
 * mixture: what is left of it is the secret. Where all windows are tried, which are much alike, a
 * public image that is a small part of a mixture is not found among them: one has half of it. */
static gboolean
make_control (gconstpointer data, AssayStreamKey key, AssayControlCase *ret_case, GError **error)
{
  const WhitenedRemoval *settings = data;
  const gint64 partners = settings->partners > 0  ? settings->partners
                          : settings->k > PRIVATE ? settings->k - PRIVATE
                          : settings->all_windows ? 1
                                                  : CONTROL_PARTNERS;
  const MixtureControl control = { .n_secrets = 24,
                                   .n_public = 1000,
                                   .side = settings->all_windows ? 28 : 24,
                                   .n_sources = PRIVATE,
                                   .n_partners = (gsize) MIN (partners, CONTROL_PARTNERS),
                                   .has_mask = settings->transform == SQUARED,
                                   .window = settings->all_windows ? 7 : 9,
                                   .most_private = settings->all_windows ? 0.5 : 0,
                                   .is_single = TRUE };

  return mixture_control_make (&control, key, ret_case, error);
}

ASSAY_ATTACK (whitened_removal, "whitened-removal",
  .summary = "Find the public images of a single mixture with its signs, and subtract them",
  .reference = { "Assay; after " ASSAY_PAPER_INSTAHIDE,
                 "section 2.2; Rangan, Schniter and Fletcher 2019, Vector Approximate Message "
                 "Passing, for signs" },
  ASSAY_SETTINGS (WhitenedRemoval,
    ASSAY_PARAM_CHOICE (WhitenedRemoval, transform, SQUARED, transforms,
                        "Whether mixtures have a mask of signs: squared, they have, and only "
                        "squared pixels are used; plain, they have none"),
    ASSAY_PARAM_INT (WhitenedRemoval, k, 0, 0, WHITENING_MAX_IMAGES, "images",
                     "Images in each mixture; 0: as the release says, or 4"),
    ASSAY_PARAM_INT (WhitenedRemoval, partners, -1, -1, WHITENING_MAX_IMAGES - 1, "images",
                     "How many of the images are public, which are subtracted; -1: all but two"),
    ASSAY_PARAM_REAL (WhitenedRemoval, max_coefficient, 0.65, 0.02, 1, "",
                      "The largest share that an image may have in a mixture"),
    ASSAY_PARAM_INT (WhitenedRemoval, starts, 1, 1, 1000, "",
                     "First images of a mixture from which the others are looked for"),
    MIXTURE_PARAMETERS_WINDOWS (WhitenedRemoval, ""),
    ASSAY_PARAM_INT (WhitenedRemoval, candidates, 300, 1, 100000, "",
                     "all_windows = yes: public images of each mixture, by their best windows, "
                     "among which those in it are looked for"),
    ASSAY_PARAM_INT (WhitenedRemoval, components, 400, 0, 20000, "",
                     "all_windows = yes: leading components of the covariance that windows are "
                     "ranked by; 0: all")),
  .check = check,
  .holds = { .items = 3, .publics = 6, .columns = 12, .pairs = 1, .per_thread = 16 << 20 },
  .reads = ASSAY_RELEASE_MIXTURES,
  .needs = ASSAY_GRANT_PUBLIC,
  .game = ASSAY_GAME_RECONSTRUCT,
  .attack = attack,
  .control = { .says = "a smooth image is recovered from its mixture with public ones",
               .make = make_control,
               .at_least = 0.5,
               .within = 0.7 });
