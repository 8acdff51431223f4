/* From masked mixtures back to the secrets, without a trained network: the aim of Carlini et al.
 * 2020, "Is Private Learning Possible with Instance Encoding?", section 5, by statistics alone.
 *
 * Release: N mixtures |x~| (a mask of random signs leaves nothing else), each of two of n secrets
 * and k - 2 public images: instahide-cross, or, with k = 2, instahide-inside.
 * Knowledge: a public set; labels where they are granted; k and n from the release's parameters.
 * By squares, where labels are there and each secret is in 30 mixtures or more:
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
 * By parts, else: public images are taken out of each of 20 mixtures a secret by itself, jointly
 * with its signs (mixture-parts.h); 1 and 2 with what is left, which needs no squares; images by
 * least squares; 5; the pairs of all other mixtures by the squares of these images; 5 with all.
 * Labels give the two weights and say which classes the secrets are of (mixture-labels.h). Where
 * the public set is not the one that was used, nothing is taken out, and step 5 repeats step 3.
 * The other way follows, up to `tries` attempts, until one is sure by its own measure
 * (mixture-fit.h); also with two images for each secret, which training may have mirrored, gathered
 * into groups at the end (mixture-orbits.h). Noise that was added is found in the release
 * (mixture-noise.h), public images on another scale are brought to it or refused (mixture-scale.h),
 * and labels that have nothing to do with the mixtures are not used.
 * With game = pair its guess is which mixtures share a secret: those in which it found the same
 * estimate, beside scores that look at two mixtures alone.
 * Estimates: n images (of mirrored secrets each group both ways), in an order of the attack's own
 * and each up to its sign. Cost: by squares 4 d^3 + n^2 d^2 + N (n_public (k - 2) rounds + 40 n
 * + d) d multiplications, and with labels of C classes N n^2 d / C a matching; by parts 240
 * (k + 10) n d^2 and 20 d^3 more.
 * Measured (bench/mixture-inversion.c, --table main): of 5,000 mixtures of 100 CIFAR-10 images with
 * labels, a median correlation of 0.999 at k = 4 and at 6, in 43 and 56 s of processor time. */
#include <math.h>
#include <string.h>

#include "attacks/inversion/mixture-fit.h"
#include "attacks/inversion/mixture-intake.h"
#include "attacks/inversion/mixture-orbits.h"
#include "attacks/inversion/mixture-play.h"
#include "attacks/mixtures/mixture-control.h"
#include "attacks/mixtures/pair-guess.h"
#include "core/base/free.h"

#define ENOUGH 30           /* mixtures of each secret, from which on squares do with labels */
#define PARTS 20            /* mixtures a secret whose private parts are found */
#define PARTS_OF_NOISE 50   /* ... where there is noise to be averaged */
#define SURE_OF_PARTS 0.8   /* confidence: they explain a good deal of mirrored secrets, too */
#define LEAST_STANDING 0.25 /* of mixtures; with another public set it was 0.15 */
#define MIRRORED 0.2        /* of all groups of images, from which on secrets were mirrored */

enum { RECONSTRUCT, PAIR };
static const char *const games[] = { "reconstruct", "pair", NULL };

typedef struct {
  guint game;
  gint64 pairs;
  gint64 secrets;
  gint64 k;
  double max_coefficient;
  bool labels;
  gint64 matchings;
  gint64 rounds;
  gint64 tries;
} Inversion;

typedef struct {
  gsize n;       /* n, or of mirrored secrets twice as many as groups were found */
  float *images; /* n x d */
  double *fits;  /* n */
  gint64 *pairs; /* N x 2: which of these are in a mixture, the larger share first; -1: not known */
  double confidence;
  gboolean without_labels;
  gboolean is_mirrored;
} Result;

ASSAY_LOCAL_CLEAR (Result, result_clear, g_free (self->images), g_free (self->fits),
                   g_free (self->pairs))

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
take_result (const MixturePlay *play, MixtureState *state, Result *inout_best, GError **error)
{
  const gsize n = play->n_secrets, m = state->n_secrets;
  g_autofree double *fits = g_new0 (double, m);
  g_autofree gsize *groups = g_new0 (gsize, m);
  g_auto (Result) result = { .without_labels = play->labels != NULL && state->labels == NULL,
                             .is_mirrored = play->forms > 1 };
  MixtureGroups gathered;
  double mirrored;

  if (!mixture_fit (state, &result.confidence, fits, error))
    return FALSE;
  if (inout_best->images != NULL && !(result.confidence > inout_best->confidence))
    return TRUE;
  result.n = n;
  result.fits = g_new0 (double, 2 * m);
  if (play->forms == 1) {
    memcpy (result.fits, fits, n * sizeof *fits);
    result.images = g_steal_pointer (&state->images);
  } else {
    result.images = assay_alloc (2 * m, state->cols * sizeof (float), "images", error);
    if (result.images == NULL)
      return FALSE;
    gathered = (MixtureGroups){ .images = result.images, .fits = result.fits, .of = groups };
    mirrored = mixture_orbits_gather (state, fits, &gathered, error);
    result.n = 2 * gathered.n;
    if (mirrored < MIRRORED)
      return mirrored >= 0;
  }
  result.pairs = pairs_of (state, play->forms == 1 ? NULL : groups);
  result_clear (inout_best);
  *inout_best = result;
  result = (Result){ 0 };
  return TRUE;
}

typedef struct {
  gboolean of_parts;
  gsize forms;
} Kind;

#define KINDS 4

/* Squares first where they usually suffice, and parts first where they do not. */
static const Kind easy[KINDS] = { { FALSE, 1 }, { TRUE, 1 }, { TRUE, 2 }, { FALSE, 2 } };
static const Kind hard[KINDS] = { { TRUE, 1 }, { TRUE, 2 }, { FALSE, 1 }, { FALSE, 2 } };

/* Finds the parts, if nobody has tried yet. */
static gboolean
find_parts (MixtureIntake *intake, gsize n, MixtureParts *parts, GError **error)
{
  MixtureState *state = &intake->state;
  const gsize total = state->n_mixtures;
  gboolean is_done;

  if (parts->standing >= 0)
    return TRUE;
  state->n_mixtures = MIN (total, (intake->noise > 0 ? PARTS_OF_NOISE : PARTS) * n);
  is_done = mixture_parts_find (intake, LEAST_STANDING, parts, error);
  state->n_mixtures = total;
  return is_done;
}

/* Plays kind after kind, with other starts when all were played, until one is sure. What the
 * mixtures do not allow is left out: parts where there are no public images, or other ones than
 * the attacker has, and mirrored secrets where there is no left and right. */
static gboolean
try_all (const AssayAttackContext *context, MixtureIntake *intake, Result *ret_best, GError **error)
{
  const Inversion *settings = context->settings;
  MixtureState *state = &intake->state;
  const gsize n = state->n_secrets;
  const gboolean may_mirror = state->geometry.height > 1 && 2 * n <= state->n_mixtures;
  const gboolean is_easy
      = state->labels != NULL && state->n_mixtures >= ENOUGH * n && !(intake->noise > 0);
  MixturePlay play = { .stream = context->stream,
                       .n_secrets = n,
                       .labels = state->labels,
                       .matchings = settings->matchings,
                       .rounds = settings->rounds };
  g_auto (MixtureParts) parts = { .standing = state->n_partners > 0 ? -1 : 0 };
  double wanted = ASSAY_SURE;
  gint64 played = 0;
  gboolean is_better;

  for (gsize i = 0; played < settings->tries && !(ret_best->confidence >= wanted); i++) {
    const Kind *kind = (is_easy ? easy : hard) + i % KINDS;

    if (kind->forms > 1 && !may_mirror)
      continue;
    if (kind->of_parts && !find_parts (intake, n, &parts, error))
      return FALSE;
    if (kind->of_parts && parts.rows == NULL)
      continue;
    play.start = (guint64) (i / KINDS);
    play.forms = kind->forms;
    play.parts = kind->of_parts ? &parts : NULL;
    play.beaten = ret_best->images != NULL ? ret_best->confidence : -1;
    if (!mixture_play (&play, intake, &is_better, error)
        || (is_better && !take_result (&play, state, ret_best, error)))
      return FALSE;
    played++;
    wanted = kind->of_parts ? SURE_OF_PARTS : ASSAY_SURE;
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
    g_string_append (text, "secrets were mirrored, and are given both ways; ");
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
  if (settings->game == PAIR) {
    PairEstimates found = { best.pairs, best.fits, MIXTURE_PRIVATE };
    const PairScoring scoring = { settings->pairs, context->stream, pair_guess_shared, &found };

    return pair_guess_make (seen->release, &scoring, ret_guess, error);
  }
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

static AssayGame
plays (gconstpointer data)
{
  const Inversion *settings = data;

  return settings->game == RECONSTRUCT ? ASSAY_GAME_RECONSTRUCT : ASSAY_GAME_PAIR;
}

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

/* Candidates and pairs, of two forms of each secret; private parts, with the scores of public
 * images that they come from. */
ASSAY_MEMORY (memory, Inversion,
              ((8 * MAX (shape->n_released, shape->n_secrets) + 24 * 24 * 2 * shape->n_secrets) * 2
                   * shape->n_secrets
               + MIN (shape->n_released, PARTS * shape->n_secrets)
                     * (4 * shape->cols + shape->n_public))
                      * sizeof (float)
                  + (settings->game == PAIR ? (guint64) settings->pairs * 5 * sizeof (float) : 0))

ASSAY_ATTACK (mixture_inversion, "mixture-inversion",
  .summary = "Recover secrets from masked mixtures of two secrets and public images",
  .reference = { "Carlini et al. 2020, Is Private Learning Possible with Instance Encoding?",
                 "section 5; phase retrieval in place of its networks" },
  ASSAY_SETTINGS (Inversion,
    ASSAY_PARAM_CHOICE (Inversion, game, RECONSTRUCT, games,
                        "Give the images that it finds, or score pairs of mixtures by whether it "
                        "finds the same image in both",
                        ASSAY_PARAM_EXTRA),
    MIXTURE_PARAMETER_PAIRS (Inversion, ASSAY_PARAM_EXTRA),
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
    ASSAY_PARAM_INT (Inversion, tries, 3, 1, 100, "",
                     "The most attempts, until one is sure by its own measure: from squares, from "
                     "the private parts of single mixtures, and both for mirrored secrets",
                     ASSAY_PARAM_EXTRA)),
  /* Magnitudes, squares, both metrics' products; public images in both forms, and to learn from;
   * metrics. */
  .holds = { .items = 4, .publics = 5, .columns = 13 },
  .memory = memory,
  .reads = ASSAY_RELEASE_MIXTURES,
  .needs = ASSAY_GRANT_PUBLIC,
  .game = ASSAY_GAME_RECONSTRUCT,
  .plays = plays,
  .writes = written,
  .draws = draws,
  .attack = attack,
  .control = { .says = "a few smooth images are recovered from their mixtures",
               .make = make_control,
               .at_least = 0.75,
               .within = 0.6 });
