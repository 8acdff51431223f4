/* From masked mixtures back to the secrets, without a trained network: the aim of Carlini et al.
 * 2020, "Is Private Learning Possible with Instance Encoding?", section 5, by statistics alone.
 *
 * Release: N mixtures |x~| (a mask of random signs leaves nothing else), each of two of n secrets
 * and k - 2 public images: instahide-cross, or, with k = 2, instahide-inside.
 * Knowledge: a public set; labels where they are granted; k and n from the release's parameters.
 *   1. Squares of mixtures under the inverse covariance of squared mixtures of public images, and
 *      their spectral embedding, in which nine in ten of the nearest neighbours share a secret
 *      (mixture-embedding.h).
 *   2. Candidates for secrets from the two halves of each neighbourhood, n centres among them, each
 *      mixture as a non-negative combination of two (mixture-clusters.h).
 *   3. Images by phase retrieval for each pixel, with what is public as noise (phase-retrieval.h);
 *      with labels, `matchings` times, pairs again by the squares of these images
 *      (mixture-pairs.h), and images again.
 *   4. One sign for each image rather than for each pixel (sign-tree.h).
 *   5. `rounds` times: public images by a matched filter on what the secrets leave
 *      (public-pursuit.h), which then are noise no more and tell the signs of pixels; images; pairs
 *      by likelihood.
 * Labels give the two weights and say which classes the secrets are of (mixture-labels.h). Where
 * the public set is not the one that was used, step 5 finds nothing, and repeats step 3 instead.
 * It is played up to `tries` times, with another start each time, until it is sure by its own
 * measure (mixture-fit.h); every second time with two images for each secret, which training may
 * have mirrored, gathered into groups at the end (mixture-orbits.h). Noise that was added is found
 * in the release (mixture-noise.h), public images on another scale are brought to it or refused
 * (mixture-scale.h), and labels that have nothing to do with the mixtures are not used.
 * Estimates: n images (of mirrored secrets as many as there are groups), in an order of the
 * attack's own and each up to its sign. Cost: 4 d^3 + n^2 d^2 + N (n_public (k - 2) rounds + 40 n
 * + d) d multiplications, and with labels of C classes N n^2 d / C a matching.
 * Measured (bench/mixture-inversion.c, --table main): of 5,000 mixtures of 100 CIFAR-10 images with
 * labels, a median correlation of 0.999 at k = 4 and at 6, in 43 and 56 s of processor time. */
#include <math.h>
#include <string.h>

#include "attacks/inversion/mixture-clusters.h"
#include "attacks/inversion/mixture-embedding.h"
#include "attacks/inversion/mixture-fit.h"
#include "attacks/inversion/mixture-intake.h"
#include "attacks/inversion/mixture-labels.h"
#include "attacks/inversion/mixture-orbits.h"
#include "attacks/inversion/mixture-pairs.h"
#include "attacks/inversion/phase-retrieval.h"
#include "attacks/inversion/sign-tree.h"
#include "attacks/mixtures/mixture-control.h"
#include "core/base/free.h"

#define LEAST_AGREEMENT 3.0 /* standard deviations, below which labels are taken for invented */
#define MIRRORED 0.2        /* of all groups of images, from which on secrets were mirrored */
#define FOUND_ENOUGH 0.04   /* of all public images in mixtures; by chance it is about 0.01 */

typedef struct {
  gint64 secrets;
  gint64 k;
  double max_coefficient;
  bool labels;
  gint64 matchings;
  gint64 rounds;
  gint64 tries;
} Inversion;

/* What is tried: the attack is played with another start, or with two images for each secret, until
 * it is sure by its own measure. */
typedef struct {
  guint64 start;
  gsize forms;         /* images a secret: 2 where secrets may have been mirrored */
  gsize n_secrets;     /* n, whatever the forms */
  const float *labels; /* NULL: none */
} Try;

typedef struct {
  gsize n;       /* n, or of mirrored secrets as many groups as were found */
  float *images; /* n x d */
  double *fits;  /* n */
  gint64 *pairs; /* N x 2: which of these are in a mixture, the larger share first; -1: not known */
  double confidence;
  gboolean without_labels;
  gboolean is_mirrored;
} Result;

ASSAY_LOCAL_CLEAR (Result, result_clear, g_free (self->images), g_free (self->fits),
                   g_free (self->pairs))

/* ---- Steps ---- */

/* Steps 1 and 2: pairs, and weights from the centres' shares, which are of squares. */
static gboolean
find_pairs (const AssayAttackContext *context, const Try *try, MixtureIntake *intake,
            GError **error)
{
  MixtureState *state = &intake->state;
  const gsize n = state->n_secrets;
  const float expected = (float) mixture_state_expected_share (state);
  g_autofree gsize *classes = g_new (gsize, n);
  g_autoptr (AssayMatrix) embedding = mixture_embedding (
      assay_matrix_view (intake->features), assay_matrix_view (intake->whitened), n + n / 2 + 8,
      context->stream, try->start, error);

  if (embedding == NULL
      || !mixture_clusters_explain (assay_matrix_view (embedding), n, state->pairs, state->weights,
                                    error))
    return FALSE;
  if (state->labels != NULL && mixture_labels_agree (state, context->stream) < LEAST_AGREEMENT)
    state->labels = NULL;
  mixture_labels_find_classes (state, classes);
  for (gsize t = 0; t < state->n_mixtures; t++) {
    float *weights = state->weights + 2 * t, told[2];
    const float a = sqrtf (MAX (weights[0], 0.02f)), b = sqrtf (MAX (weights[1], 0.02f));
    const float share = mixture_labels_share (state, t, expected);
    const MixtureLabels kind = mixture_labels_of (state, t, classes[state->pairs[2 * t]],
                                                  classes[state->pairs[2 * t + 1]], told);

    weights[0] = share * a / (a + b);
    weights[1] = share * b / (a + b);
    if (kind == MIXTURE_LABELS_FIX)
      memcpy (weights, told, sizeof told);
    state->noise[t] = mixture_state_noise (state, 1 - share, state->n_partners);
  }
  return TRUE;
}

/* s^2 starts 12 times too large with two public images, 5 times with four. */
static gboolean
retrieve_anew (MixtureState *state, GError **error)
{
  const PhaseRetrieval cold = { .is_cold = TRUE,
                                .heat = CLAMP (24.0 / (double) MAX (state->n_partners, 1), 5, 12),
                                .rounds = 40 };

  return phase_retrieval (&cold, state, error);
}

static gboolean
match_anew (MixtureIntake *intake, GError **error)
{
  return mixture_pairs_match_squares (&intake->state, intake->precision, intake->whitened->data,
                                      error)
         && retrieve_anew (&intake->state, error);
}

/* What stood out in a public set that was not the one used is forgotten. */
static void
forget_public (MixtureState *state)
{
  memset (state->known, 0, state->n_mixtures * state->cols * sizeof *state->known);
  for (gsize t = 0; t < state->n_mixtures; t++) {
    const float share = state->weights[2 * t] + state->weights[2 * t + 1];

    state->noise[t] = mixture_state_noise (state, 1 - MIN (share, 1), state->n_partners);
  }
}

/* Step 5. */
static gboolean
refine (const Inversion *settings, MixtureIntake *intake, GError **error)
{
  static const PhaseRetrieval warm = { .heat = 3, .rounds = 20 };
  MixtureState *state = &intake->state;
  const double hidden = (double) (state->n_mixtures * state->n_partners);

  for (gint64 round = 0; round < settings->rounds; round++) {
    gsize found = 0;

    if (state->n_partners > 0
        && !public_pursuit (state, &intake->filter, round == 0 ? 0.1 : 0.03, &found, error))
      return FALSE;
    if ((double) found >= FOUND_ENOUGH * hidden) {
      if (found > 0)
        phase_retrieval_turn_pixels (state);
      if (!phase_retrieval (&warm, state, error))
        return FALSE;
      mixture_pairs_search (state);
    } else {
      forget_public (state);
      if (state->labels == NULL)
        break;
      if (!match_anew (intake, error) || !sign_tree_align (state, intake->plain.image, error))
        return FALSE;
    }
  }
  return settings->rounds == 0 || phase_retrieval (&warm, state, error);
}

/* Steps 1 to 5. */
static gboolean
play (const AssayAttackContext *context, const Try *try, MixtureIntake *intake, GError **error)
{
  const Inversion *settings = context->settings;
  MixtureState *state = &intake->state;

  state->labels = try->labels;
  state->n_secrets = try->forms * try->n_secrets;
  g_free (state->images);
  state->images = assay_alloc (state->n_secrets, state->cols * sizeof (float), "images", error);
  if (state->images == NULL || !mixture_intake_centre (intake, error)
      || !find_pairs (context, try, intake, error))
    return FALSE;
  if (!mixture_intake_uncentre (intake, error) || !retrieve_anew (state, error))
    return FALSE;
  for (gint64 i = 0; state->labels != NULL && i < settings->matchings; i++)
    if (!match_anew (intake, error))
      return FALSE;
  return sign_tree_align (state, intake->plain.image, error) && refine (settings, intake, error);
}

/* Which images are in each mixture, that of the larger share first. @groups: of each image of the
 * state the one that it has become; NULL: it is the same. */
static gint64 *
pairs_of (const MixtureState *state, const gsize *groups)
{
  gint64 *pairs = g_new (gint64, MIXTURE_PRIVATE * state->n_mixtures);

  for (gsize t = 0; t < state->n_mixtures; t++) {
    const float *weights = state->weights + MIXTURE_PRIVATE * t;
    const gsize first = weights[1] > weights[0] ? 1 : 0;

    for (gsize i = 0; i < MIXTURE_PRIVATE; i++) {
      const gsize image = state->pairs[MIXTURE_PRIVATE * t + (i == 0 ? first : 1 - first)];

      pairs[MIXTURE_PRIVATE * t + i] = (gint64) (groups != NULL ? groups[image] : image);
    }
  }
  return pairs;
}

/* What the state has come to, as one image for each secret, unless it is less sure than what there
 * is, or has found no mirror images where it looked for them. */
static gboolean
take_result (const Try *try, MixtureState *state, Result *inout_best, GError **error)
{
  const gsize n = try->n_secrets, m = state->n_secrets;
  g_autofree double *fits = g_new0 (double, m);
  g_autofree gsize *groups = g_new0 (gsize, m);
  g_auto (Result) result = { .confidence = mixture_fit (state),
                             .without_labels = try->labels != NULL && state->labels == NULL,
                             .is_mirrored = try->forms > 1 };

  MixtureGroups gathered;
  double mirrored;

  if (inout_best->images != NULL && !(result.confidence > inout_best->confidence))
    return TRUE;
  mixture_fit_images (state, fits);
  result.n = n;
  result.fits = g_new0 (double, m);
  if (try->forms == 1) {
    memcpy (result.fits, fits, n * sizeof *fits);
    result.images = g_steal_pointer (&state->images);
  } else {
    result.images = assay_alloc (m, state->cols * sizeof (float), "images", error);
    if (result.images == NULL)
      return FALSE;
    gathered = (MixtureGroups){ .images = result.images, .fits = result.fits, .of = groups };
    mirrored = mixture_orbits_gather (state, fits, &gathered, error);
    result.n = gathered.n;
    if (mirrored < MIRRORED)
      return mirrored >= 0;
  }
  result.pairs = pairs_of (state, try->forms == 1 ? NULL : groups);
  result_clear (inout_best);
  *inout_best = result;
  result = (Result){ 0 };
  return TRUE;
}

/* Every second try takes secrets for mirrored ones, where there is a left and a right. */
static gboolean
try_all (const AssayAttackContext *context, MixtureIntake *intake, Result *ret_best, GError **error)
{
  const Inversion *settings = context->settings;
  MixtureState *state = &intake->state;
  const float *labels = state->labels;
  const gsize n = state->n_secrets;
  const gboolean may_mirror = state->geometry.height > 1 && 2 * n <= state->n_mixtures;

  for (gint64 i = 0; i < settings->tries && !(ret_best->confidence >= ASSAY_SURE); i++) {
    const Try try = { .start = (guint64) (may_mirror ? i / 2 : i),
                      .forms = may_mirror && i % 2 == 1 ? 2 : 1,
                      .n_secrets = n,
                      .labels = labels };

    if (!play (context, &try, intake, error) || !take_result (&try, state, ret_best, error))
      return FALSE;
  }
  return TRUE;
}

static char *
describe (const MixtureIntake *intake, const Result *result)
{
  GString *text = g_string_new (NULL);

  if (intake->noise > 0)
    g_string_append_printf (text, "every number has noise of deviation %.3g; ",
                            sqrt (intake->noise));
  if (intake->is_rescaled)
    g_string_append (text, "public images are on another scale than the release, and were brought "
                           "to it; ");
  if (result->without_labels)
    g_string_append (text, "labels have nothing to do with the mixtures, and were not used; ");
  if (result->is_mirrored)
    g_string_append (text, "secrets were mirrored; ");
  g_string_append_printf (text, "%.0f %% of what is in the mixtures is explained",
                          100 * result->confidence);
  return g_string_free (text, FALSE);
}

static gboolean
attack (const AssayAttackContext *context, const AssayObservation *seen, AssayGuess *ret_guess,
        GError **error)
{
  const Inversion *settings = context->settings;
  g_auto (MixtureIntake) intake = { 0 };
  g_auto (Result) best = { 0 };
  const MixtureNumbers numbers = { .secrets = settings->secrets,
                                   .k = settings->k,
                                   .max_coefficient = settings->max_coefficient,
                                   .use_labels = settings->labels };

  if (!mixture_intake_init (&numbers, seen, &intake, error))
    return FALSE;
  if (!try_all (context, &intake, &best, error))
    return FALSE;
  ret_guess->says = describe (&intake, &best);
  ret_guess->confidence = best.confidence;
  assay_arrays_take_rows (&ret_guess->arrays, "estimates", ASSAY_FLOAT32, best.n, intake.state.cols,
                          g_steal_pointer (&best.images));
  assay_arrays_take (&ret_guess->arrays, "confidences",
                     assay_array_take (ASSAY_FLOAT64, 1, &best.n, g_steal_pointer (&best.fits)));
  assay_arrays_take_rows (&ret_guess->arrays, "mixture-estimates", ASSAY_INT64,
                          intake.state.n_mixtures, MIXTURE_PRIVATE, g_steal_pointer (&best.pairs));
  ret_guess->is_unordered = TRUE;
  return TRUE;
}

static const AssayArraySpec written[] = {
  { "confidences", "n", ASSAY_FLOAT64, TRUE, 0 }, /* of each estimate, 0 to 1 */
  /* The estimates that are in each mixture, that of the larger share first. */
  { "mixture-estimates", "Nq", ASSAY_INT64, TRUE, 0 },
  { .name = NULL },
};

/* The embedding's start: of the same mixtures some find the secrets, and others nothing. */
static gboolean
draws (G_GNUC_UNUSED gconstpointer settings)
{
  return TRUE;
}

/* ---- Control ---- */

/* 400 mixtures of 10 secrets, each with one of 100 public images, which takes a third of a second.
 * The release says so itself. */
ASSAY_CONTROL (make_control, mixture_control_make, MixtureControl, void, .n_secrets = 10,
               .n_public = 100, .side = 24, .n_sources = MIXTURE_PRIVATE, .n_partners = 1,
               .n_epochs = 40, .has_mask = TRUE, .window = 3)

/* Candidates and pairs, of two forms of each secret. */
ASSAY_MEMORY (memory, void,
              (8 * MAX (shape->n_released, shape->n_secrets) + 24 * 24 * 2 * shape->n_secrets) * 2
                  * shape->n_secrets * sizeof (float))

ASSAY_ATTACK (mixture_inversion, "mixture-inversion",
  .summary = "Recover secrets from masked mixtures of two secrets and public images",
  .reference = { "Carlini et al. 2020, Is Private Learning Possible with Instance Encoding?",
                 "section 5; phase retrieval in place of its networks" },
  ASSAY_SETTINGS (Inversion,
    ASSAY_PARAM_INT (Inversion, secrets, 0, 0, 1000000, "",
                     "How many secrets there are, where the release does not say how many mixtures "
                     "each has"),
    ASSAY_PARAM_INT (Inversion, k, 0, 0, WHITENING_MAX_IMAGES, "images",
                     "Images in each mixture, two of them secret, where the release does not say"),
    ASSAY_PARAM_REAL (Inversion, max_coefficient, 0.65, 0, 1, "",
                      "The largest coefficient of the mixtures (c1), where the release does not "
                      "say"),
    ASSAY_PARAM_BOOL (Inversion, labels, TRUE, "Whether labels are used where they are granted"),
    ASSAY_PARAM_INT (Inversion, matchings, 1, 0, 20, "",
                     "With labels: how often pairs are found from squares before public images are "
                     "looked for"),
    ASSAY_PARAM_INT (Inversion, rounds, 3, 0, 50, "",
                     "How often public images, secrets and pairs are found again in turn"),
    ASSAY_PARAM_INT (Inversion, tries, 2, 1, 100, "",
                     "The most attempts, until one is sure by its own measure; every second one "
                     "allows for mirrored secrets",
                     ASSAY_PARAM_EXTRA)),
  /* Magnitudes, squares, both metrics' products; public images in both forms, and to learn from;
   * metrics. */
  .holds = { .items = 4, .publics = 5, .columns = 13 },
  .memory = memory,
  .reads = ASSAY_RELEASE_MIXTURES,
  .needs = ASSAY_GRANT_PUBLIC,
  .game = ASSAY_GAME_RECONSTRUCT,
  .writes = written,
  .draws = draws,
  .attack = attack,
  .control = { .says = "a few smooth images are recovered from their mixtures",
               .make = make_control,
               .at_least = 0.75,
               .within = 0.6 });
