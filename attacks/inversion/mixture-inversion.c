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
 * the public set is not the one that was used, nothing is taken out, and step 5 repeats step 3 with
 * images that are as smooth as those of the set (smooth-retrieval.h).
 * The other way follows, up to `tries` attempts, until one is sure by its own measure: it explains
 * enough (evidence/mixture-fit.h), or its images are right by halves of the mixtures and nearly all
 * public images are known (evidence/mixture-confidence.h); also with two images for each secret,
 * which training may have mirrored, gathered into groups at the end (mixture-orbits.h); if none is
 * another's mirror image, those that are surest are kept (evidence/mixture-surplus.h), which where
 * much of the public set is unknown misses fewer secrets than one image for each does; and of parts
 * with secrets that it may have moved as well (moved/moved-secrets.h). Where no public image stands
 * out as it is, nor was found so, the windows are looked for that crops and flips make of them: in
 * rounds, with what is known of the secrets (mixture_play_windows), or, where nothing is, by
 * squares in 10 mixtures a secret (whitened/window-removal.h).
 * Images of which no public image is known in the end, while those of others are, have errors in
 * every direction alike, where images have little in most: a Wiener filter takes these out.
 * Noise that was added is found in the release (mixture-noise.h), public images on another scale
 * are brought to it or refused (mixture-scale.h), and labels that have nothing to do with the
 * mixtures are not used.
 * With game = pair its guess is which mixtures share a secret: those in which it found the same
 * estimate, beside scores that look at two mixtures alone.
 * Estimates: n images (of mirrored and moved secrets each both ways), in an order of its own
 * and each up to its sign. Cost: by squares 4 d^3 + n^2 d^2 + N (n_public (k - 2) rounds + 40 n
 * + d) d multiplications, and with labels of C classes N n^2 d / C a matching; by parts 240
 * (k + 10) n d^2 and 20 d^3 more.
 * Measured (bench/mixture-inversion.c, --table main): of 5,000 mixtures of 100 CIFAR-10 images with
 * labels, a median correlation of 0.999 at k = 4 and at 6, in 19 and 24 s of processor time. */
#include <math.h>
#include <string.h>

#include "attacks/inversion/mixture-intake.h"
#include "attacks/inversion/mixture-result.h"
#include "attacks/mixtures/mixture-control.h"
#include "attacks/mixtures/mixture-likeness.h"
#include "attacks/mixtures/pair-guess.h"
#include "core/base/progress/loop.h"

#define ENOUGH 30            /* mixtures of each secret, from which on squares do with labels */
#define PARTS 20             /* mixtures a secret whose private parts are found */
#define PARTS_OF_WINDOWS 10  /* ... where public images were moved, which is dear */
#define PARTS_OF_NOISE 50    /* ... where there is noise to be averaged */
#define SURE_OF_PARTS 0.8    /* explained: they explain a good deal of mirrored secrets, too */
#define SURE_OF_IMAGES 0.9   /* the share of images that are expected to be right ... */
#define SURELY_KNOWN 0.75    /* ... and of public images found; of mirrored secrets it was 0.62 */
#define UNMOVED 0.5          /* of public images found as they are, so that no windows were mixed */
#define LEAST_STANDING 0.25  /* of mixtures; with another public set it was 0.15 */
#define CLEARLY_STANDING 0.5 /* ... and of crops, which are sometimes near the image, 0.25 */
#define LEAST_OF_WINDOWS 0.12 /* of windows; of crops it was 0.24, with another set 0.06 */

#define OF_SOME 0.5 /* what some mixtures explain at least, where all will explain more */

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
  gint64 private_shift;
  gint64 public_shift;
} Inversion;

typedef enum {
  OF_SQUARES,
  OF_PARTS,
  OF_WINDOWS, /* of public images that were moved, going on from what was just found */
  OF_MOVED,   /* parts, of secrets that were moved */
} Way;

typedef struct {
  Way way;
  gsize forms; /* images a secret */
} Kind;

#define KINDS 7

/* Squares first where they usually suffice, and parts first where they do not. */
static const Kind easy[KINDS]
    = { { OF_SQUARES, 1 }, { OF_WINDOWS, 1 }, { OF_PARTS, 1 },  { OF_WINDOWS, 1 },
        { OF_PARTS, 2 },   { OF_MOVED, 1 },   { OF_SQUARES, 2 } };
static const Kind hard[KINDS]
    = { { OF_PARTS, 1 },   { OF_WINDOWS, 1 }, { OF_PARTS, 2 },  { OF_MOVED, 1 },
        { OF_SQUARES, 1 }, { OF_WINDOWS, 1 }, { OF_SQUARES, 2 } };

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
  is_done = mixture_parts_find (intake, 0, LEAST_STANDING, parts, error);
  state->n_mixtures = total;
  return is_done;
}

/* All attempts at one release. */
typedef struct {
  const Inversion *settings;
  MixtureIntake *intake;
  gsize n; /* secrets */
  MixturePlay play;
  MixtureParts parts;
  gboolean knows_windows; /* parts were looked for by windows */
  gboolean is_fresh;      /* the state is that of the best */
  MixtureResult *best;
  double wanted; /* the confidence that suffices, after what was played last */
} Tries;

/* Whether public images may have been moved: hardly any stands out as it is, nor was found so. */
static gboolean
may_be_moved (const Tries *tries)
{
  const MixtureState *state = &tries->intake->state;
  const gsize side = MIN (state->geometry.height, state->geometry.width);
  const gsize shift = (gsize) tries->settings->public_shift;

  return state->n_partners > 0 && tries->parts.standing < CLEARLY_STANDING && shift > 0
         && shift < side && mixture_result_known (tries->best) < UNMOVED;
}

/* Private parts with public images that were moved, in place of those there are, if enough of them
 * stand out so. */
static gboolean
find_windows (Tries *tries, GError **error)
{
  MixtureState *state = &tries->intake->state;
  const gsize total = state->n_mixtures;
  g_auto (MixtureParts) moved = { 0 };
  gboolean is_done;

  if (tries->knows_windows || tries->best->has_windows || !may_be_moved (tries))
    return TRUE;
  tries->knows_windows = TRUE;
  state->n_mixtures = MIN (total, PARTS_OF_WINDOWS * tries->n);
  is_done = mixture_parts_find (tries->intake, (gsize) tries->settings->public_shift,
                                LEAST_OF_WINDOWS, &moved, error);
  state->n_mixtures = total;
  if (moved.rows != NULL) {
    mixture_parts_clear (&tries->parts);
    tries->parts = moved;
    moved = (MixtureParts){ 0 };
  }
  return is_done;
}

/* Whether the mixtures allow @kind: parts need public images that are the attacker's, mirrored and
 * moved secrets a left and right, windows images that were just found. */
static gboolean
find_possible (Tries *tries, const Kind *kind, gboolean is_first, gboolean *ret_is_possible,
               GError **error)
{
  const MixtureState *state = &tries->intake->state;
  const gsize shift = (gsize) tries->settings->private_shift;
  const gsize side = MIN (state->geometry.height, state->geometry.width);
  const gboolean is_wide = state->geometry.height > 1 && 2 * tries->n <= state->n_mixtures;
  const MixtureResult *best = tries->best;

  *ret_is_possible = FALSE;
  if ((kind->forms > 1 && !is_wide)
      || (kind->way == OF_MOVED && (!is_wide || !is_first || shift == 0 || 2 * shift >= side))
      || (kind->way == OF_WINDOWS && (!is_first || !tries->is_fresh || best->n != tries->n)))
    return TRUE;
  if (kind->way != OF_SQUARES && !find_parts (tries->intake, tries->n, &tries->parts, error))
    return FALSE;
  if (kind->way == OF_WINDOWS) {
    *ret_is_possible = may_be_moved (tries);
    return TRUE;
  }
  if (kind->way != OF_SQUARES && !find_windows (tries, error))
    return FALSE;
  *ret_is_possible = kind->way == OF_SQUARES || tries->parts.rows != NULL;
  return TRUE;
}

static gboolean
play_moved (Tries *tries, GError **error)
{
  if (!mixture_result_take_moved (tries->intake, &tries->parts, tries->n,
                                  (gsize) tries->settings->private_shift, tries->best, error))
    return FALSE;
  if (tries->best->is_moved)
    tries->wanted = ASSAY_SURE;
  return TRUE;
}

static gboolean
play_kind (Tries *tries, const Kind *kind, guint64 start, GError **error)
{
  MixtureState *state = &tries->intake->state;
  const WindowPlay windows = { (gsize) tries->settings->public_shift, LEAST_OF_WINDOWS };
  MixturePlay *play = &tries->play;
  const float *before = tries->best->images;
  gboolean is_better, is_played;

  if (kind->way == OF_MOVED)
    return play_moved (tries, error);
  play->start = start;
  play->forms = kind->forms;
  play->parts = kind->way == OF_PARTS ? &tries->parts : NULL;
  play->beaten = tries->best->images != NULL ? OF_SOME * tries->best->explained : -1;
  is_played = kind->way == OF_WINDOWS
                  ? mixture_result_restore (tries->best, state, error)
                        && mixture_play_windows (play, &windows, tries->intake, &is_better, error)
                  : mixture_play (play, tries->intake, &is_better, error);
  if (!is_played || (is_better && !mixture_result_take (play, tries->intake, tries->best, error)))
    return FALSE;
  tries->is_fresh = tries->best->images != before;
  if (tries->is_fresh)
    tries->best->has_windows = kind->way == OF_WINDOWS;
  tries->wanted = kind->way == OF_PARTS ? SURE_OF_PARTS : ASSAY_SURE;
  state->n_mixtures = play->n_mixtures;
  return TRUE;
}

/* Whether what there is needs no other attempt: it explains enough, or its images are right as far
 * as halves of the mixtures tell, and nearly all public images are known. */
static gboolean
is_sure (const Tries *tries)
{
  const MixtureResult *best = tries->best;

  return best->explained >= tries->wanted
         || ((mixture_result_known (best) >= SURELY_KNOWN || best->has_windows)
             && mixture_result_confidence (best, tries->n) >= SURE_OF_IMAGES);
}

/* Plays kind after kind, with other starts when all were played, until one is sure. */
static gboolean
try_all (const AssayAttackContext *context, MixtureIntake *intake, MixtureResult *ret_best,
         GError **error)
{
  const Inversion *settings = context->settings;
  const MixtureState *state = &intake->state;
  const gsize n = state->n_secrets;
  const gboolean is_easy
      = state->labels != NULL && state->n_mixtures >= ENOUGH * n && !(intake->noise > 0);
  Tries tries = { .settings = settings,
                  .intake = intake,
                  .n = n,
                  .play = { .stream = context->stream,
                            .n_secrets = n,
                            .n_mixtures = state->n_mixtures,
                            .labels = state->labels,
                            .matchings = settings->matchings,
                            .rounds = settings->rounds },
                  .parts = { .standing = state->n_partners > 0 ? -1 : 0 },
                  .best = ret_best,
                  .wanted = ASSAY_SURE };
  g_auto (AssayLoop) loop = { "attempt", .turns = (gsize) settings->tries };
  gint64 played = 0;
  gboolean is_done = TRUE;

  for (guint64 i = 0; is_done && played < settings->tries && !is_sure (&tries); i++) {
    const Kind *kind = (is_easy ? easy : hard) + i % KINDS;
    gboolean is_possible;

    assay_loop_at (&loop, (gsize) played);
    is_done = find_possible (&tries, kind, i < KINDS, &is_possible, error)
              && (!is_possible || play_kind (&tries, kind, i / KINDS, error));
    played += is_done && is_possible && kind->way != OF_WINDOWS ? 1 : 0;
  }
  mixture_parts_clear (&tries.parts);
  return is_done;
}

static char *
describe (const MixtureIntake *intake, const MixtureResult *result)
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
  if (result->is_moved)
    g_string_append (text, "secrets were moved and mirrored, and are given both ways; ");
  if (result->is_mirrored)
    g_string_append (text, "secrets were mirrored, and are given both ways; ");
  g_string_append_printf (text, "%.0f %% of what is in the mixtures is explained",
                          100 * result->explained);
  return g_string_free (text, FALSE);
}

/* How sure it is of each estimate, and by what. */
static void
give_evidence (MixtureResult *result, AssayGuess *ret_guess)
{
  double *confidences = g_new (double, result->n);

  for (gsize i = 0; i < result->n; i++)
    confidences[i] = mixture_confidence (result->evidence + i);
  assay_arrays_take (&ret_guess->arrays, "confidences",
                     assay_array_take (ASSAY_FLOAT64, 1, &result->n, confidences));
  assay_arrays_take_rows (&ret_guess->arrays, "evidence", ASSAY_FLOAT64, result->n,
                          MIXTURE_EVIDENCE, (gpointer) g_steal_pointer (&result->evidence));
}

static MixtureNumbers
numbers_of (const Inversion *settings)
{
  return (MixtureNumbers){ .secrets = settings->secrets,
                           .k = settings->k,
                           .max_coefficient = settings->max_coefficient,
                           .use_labels = settings->labels };
}

static gboolean
attack (const AssayAttackContext *context, const AssayObservation *seen, AssayGuess *ret_guess,
        GError **error)
{
  const Inversion *settings = context->settings;
  g_auto (MixtureIntake) intake = { 0 };
  g_auto (MixtureResult) best = { 0 };
  const MixtureNumbers numbers = numbers_of (settings);
  gsize n; /* the state's number doubles with secrets that are mirrored */

  if (!mixture_intake_init (&numbers, seen, &intake, error))
    return FALSE;
  n = intake.state.n_secrets;
  if (!try_all (context, &intake, &best, error))
    return FALSE;
  ret_guess->says = describe (&intake, &best);
  ret_guess->confidence = mixture_result_confidence (&best, n);
  if (settings->game == PAIR) {
    PairEstimates found = { best.pairs, best.fits, MIXTURE_PRIVATE };
    const PairScoring scoring = { settings->pairs, context->stream, pair_guess_shared, &found };

    return pair_guess_make (seen->release, &scoring, ret_guess, error);
  }
  assay_arrays_take_rows (&ret_guess->arrays, "estimates", ASSAY_FLOAT32, best.n, intake.state.cols,
                          g_steal_pointer (&best.images));
  give_evidence (&best, ret_guess);
  assay_arrays_take_rows (&ret_guess->arrays, "mixture-estimates", ASSAY_INT64,
                          intake.state.n_mixtures, MIXTURE_PRIVATE, g_steal_pointer (&best.pairs));
  ret_guess->is_unordered = TRUE;
  return TRUE;
}

static const AssayArraySpec written[] = {
  { "confidences", "n", ASSAY_FLOAT64, TRUE, 0 }, /* of each estimate, 0 to 1 */
  { "evidence", "ne", ASSAY_FLOAT64, TRUE, 0 },   /* ... and by what (mixture-confidence.h) */
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

/* Floats that one stage after the other holds, beside what all do: components of public images,
 * with both forms of these and what they are made of, and scores of the mixtures whose parts are
 * found; candidates, of @forms images a secret, and how alike they are; scores of pairs. */
static guint64
most_floats (const AssayShape *shape, guint64 forms)
{
  const guint64 n = forms * shape->n_secrets, d = shape->cols;
  const guint64 items = MAX (shape->n_released, shape->n_secrets);
  const guint64 parts = MIN (items, PARTS * shape->n_secrets);
  const guint64 removal = 4 * shape->n_public * d + 7 * d * d + parts * shape->n_public;
  const guint64 each = MIN (24 * n, 2 * items); /* candidates that are compared */
  const guint64 clusters = each * each + (2 * items + each) * (3 * n / 2 + 24);
  const guint64 pairs = 5 * items * n + 2 * n * d;

  return MAX (removal, MAX (clusters, pairs));
}

/* Of the shape that it takes the release to have. */
static gboolean
make_like (gconstpointer data, AssayStreamKey key, const AssayObservation *seen,
           AssayControlCase *ret_case, GError **error)
{
  const MixtureNumbers numbers = numbers_of (data);
  WhiteningShares shares;
  MixtureLikeness like = { 0 };

  if (plays (data) == ASSAY_GAME_PAIR)
    return TRUE;
  if (!mixture_intake_numbers (&numbers, seen->release, &shares, &like.n_secrets, error))
    return FALSE;
  like.k = shares.k;
  like.max_coefficient = shares.max_coefficient;
  return mixture_likeness_make (&like, key, seen, ret_case, error);
}

ASSAY_MEMORY (memory, Inversion,
              (most_floats (shape, settings->tries > 1 ? 2 : 1)
               + MIN (shape->n_released, PARTS * shape->n_secrets) * shape->cols)
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
    ASSAY_PARAM_INT (Inversion, tries, 4, 1, 100, "",
                     "The most attempts, until one is sure by its own measure: from squares, from "
                     "the private parts of single mixtures, for mirrored secrets, for moved ones",
                     ASSAY_PARAM_EXTRA),
    ASSAY_PARAM_INT (Inversion, private_shift, 4, 0, 100, "px",
                     "How far training moves secrets at most, either way, where they were moved; "
                     "0: they stand still",
                     ASSAY_PARAM_EXTRA),
    ASSAY_PARAM_INT (Inversion, public_shift, 4, 0, 100, "px",
                     "How far public images are moved at most, either way, before they are mixed, "
                     "where none stands out as it is; 0: they are not moved",
                     ASSAY_PARAM_EXTRA)),
  /* Magnitudes, and squares or public parts; public images in two forms; metrics. */
  .holds = { .items = 2, .publics = 2, .columns = 2 },
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
               .within = 0.6,
               .make_like = make_like,
               .like_says = "public images come back from mixtures of the release's own shape",
               .like_above = 0.8,
               .like_at_least = 0.5 });
