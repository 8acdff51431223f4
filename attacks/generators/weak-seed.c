/* The seed of a program's random numbers, by trying seeds.
 *
 * A defense is as secret as its random numbers, and programs draw these from generators that were
 * seeded with a small number: 0, 42, the time of day. For each of the seeds first_seed, first_seed
 * + 1, ... and each generator (known-generators.h) the numbers g are made that the program would
 * have drawn, one for each number of the release, row by row, after `offsets` - 1 others at most,
 * and compared with what the release hints at (seed-evidence.h). The best score is the seed if it
 * is more than chance gives: with T tries, more than sqrt (2 ln (10^9 T)) deviations, which happens
 * once in 10^9 attacks on numbers from elsewhere. The first numbers are looked at, and all of
 * them where these show 2.5 deviations.
 *   vectors   noise a g: normal, Laplace or uniform. Guess: x - a g
 *   codes     bits flipped where a uniform number is below p, or above 1 - p. Guess: the codes
 *   mixtures  signs: of a uniform number against 1/2, of a normal, or a random bit. Guess: the
 *             images without their signs, brightened by k about their mean as `averaging` does
 * Where no seed is found the guess is the release as it is. Carlini et al. 2021 ("Is Private
 * Learning Possible with Instance Encoding?") solved the InstaHide challenge by its images; of a
 * seed that is known no attack on images is needed. */
#include <math.h>

#include "attacks/generators/known-generators.h"
#include "attacks/generators/seed-evidence.h"
#include "attacks/mixtures/mixture-scores.h"
#include "core/base/parallel.h"
#include "core/data/kinds/codes.h"
#include "core/data/kinds/vectors.h"
#include "core/games/control-case.h"
#include "core/math/linalg.h"

#define PIECE (gsize) 256 /* seeds that one thread tries at a time */
#define EARLY (gsize) 256
#define EARLY_BITS (gsize) 2048 /* of codes: a bit says less, and its number is drawn faster */
#define EARLY_SCORE 2.5
#define FALSE_ALARMS 1e-9 /* expected in an attack on numbers from elsewhere */

static const char *const generators[]
    = { "any", "numpy-seed", "numpy-default-rng", "python", "torch", "c-rand", NULL };

typedef struct {
  guint generator;
  gint64 first_seed;
  gint64 seeds;
  gint64 offsets;
  gint64 numbers;
  double flip_probability;
} WeakSeed;

/* ---- What a program makes of drawn numbers ---- */

typedef enum {
  NORMAL_NOISE,
  LAPLACE_NOISE,
  UNIFORM_NOISE,
  FLIP_BELOW,
  FLIP_ABOVE,
  SIGN_OF_UNIFORM,
  SIGN_OF_NORMAL,
  SIGN_OF_BIT,
  N_USES
} Use;

static const struct {
  AssayReleaseKind kind;
  KnownDraw draw;
} uses[N_USES] = {
  [NORMAL_NOISE] = { ASSAY_RELEASE_VECTORS, KNOWN_NORMAL },
  [LAPLACE_NOISE] = { ASSAY_RELEASE_VECTORS, KNOWN_LAPLACE },
  [UNIFORM_NOISE] = { ASSAY_RELEASE_VECTORS, KNOWN_UNIFORM },
  [FLIP_BELOW] = { ASSAY_RELEASE_CODES, KNOWN_UNIFORM },
  [FLIP_ABOVE] = { ASSAY_RELEASE_CODES, KNOWN_UNIFORM },
  [SIGN_OF_UNIFORM] = { ASSAY_RELEASE_MIXTURES, KNOWN_UNIFORM },
  [SIGN_OF_NORMAL] = { ASSAY_RELEASE_MIXTURES, KNOWN_NORMAL },
  [SIGN_OF_BIT] = { ASSAY_RELEASE_MIXTURES, KNOWN_BIT },
};

/* Of mean 0, in place of @count drawn numbers. Flips are 1 - p where a bit is flipped and -p where
 * it is not. */
static void
apply_use (Use use, double p, gsize count, double *inout_numbers)
{
  for (gsize i = 0; i < count; i++) {
    const double x = inout_numbers[i];

    inout_numbers[i] = use == UNIFORM_NOISE     ? x - 0.5
                       : use == FLIP_BELOW      ? (x < p) - p
                       : use == FLIP_ABOVE      ? (x >= 1 - p) - p
                       : use == SIGN_OF_UNIFORM ? (x < 0.5 ? -1 : 1)
                       : use == SIGN_OF_NORMAL  ? (x < 0 ? -1 : 1)
                       : use == SIGN_OF_BIT     ? 2 * x - 1
                                                : x;
  }
}

static double
variance_of (Use use, double p)
{
  switch (use) {
  case LAPLACE_NOISE:
    return 2;
  case UNIFORM_NOISE:
    return 1.0 / 12;
  case FLIP_BELOW:
  case FLIP_ABOVE:
    return p * (1 - p);
  default:
    return 1;
  }
}

/* ---- The search ---- */

typedef struct {
  KnownGenerator generator;
  Use use;
  guint32 seed;
  gsize offset;
  double score; /* deviations */
} Candidate;

typedef struct {
  const WeakSeed *settings;
  const SeedEvidence *evidence;
  AssayReleaseKind kind;
  double flip_probability;
  Candidate *best; /* of each piece */
} Search;

/* Noise may have been added or subtracted; flips and neighbours have one direction. */
static double
score_of (const Search *search, Use use, const double *g, gsize count)
{
  const double score = seed_evidence_score (search->evidence, g, count,
                                            variance_of (use, search->flip_probability));

  return search->kind == ASSAY_RELEASE_VECTORS ? fabs (score) : score;
}

static gboolean
is_asked (const Search *search, KnownGenerator generator, Use use)
{
  return uses[use].kind == search->kind && known_generator_has (generator, uses[use].draw)
         && (search->settings->generator == 0 || search->settings->generator == 1 + generator);
}

/* The best offset of one seed, by its first @count numbers. */
static void
try_offsets (const Search *search, Candidate *candidate, gsize count, double *numbers)
{
  const gsize offsets = (gsize) search->settings->offsets;

  known_generator_fill (candidate->generator, uses[candidate->use].draw, candidate->seed,
                        count + offsets - 1, numbers);
  apply_use (candidate->use, search->flip_probability, count + offsets - 1, numbers);
  candidate->score = -INFINITY;
  for (gsize o = 0; o < offsets; o++) {
    const double score = score_of (search, candidate->use, numbers + o, count);

    if (score > candidate->score) {
      candidate->score = score;
      candidate->offset = o;
    }
  }
}

static gboolean
try_seeds (gsize piece, G_GNUC_UNUSED guint worker, gpointer data, GError **error)
{
  const Search *search = data;
  const gsize first = piece * PIECE, end = MIN (first + PIECE, (gsize) search->settings->seeds);
  const gsize count = search->evidence->count,
              early = MIN (count, search->kind == ASSAY_RELEASE_CODES ? EARLY_BITS : EARLY);
  g_autofree double *numbers = assay_alloc (count + (gsize) search->settings->offsets,
                                            sizeof (double), "random numbers", error);
  Candidate best = { .score = -INFINITY };

  if (numbers == NULL)
    return FALSE;
  for (guint generator = 0; generator < N_KNOWN_GENERATORS; generator++)
    for (guint use = 0; use < N_USES; use++)
      for (gsize s = first; s < end && is_asked (search, generator, use); s++) {
        Candidate tried = { .generator = generator,
                            .use = use,
                            .seed = (guint32) (search->settings->first_seed + (gint64) s) };

        try_offsets (search, &tried, early, numbers);
        if (early < count && tried.score >= EARLY_SCORE)
          try_offsets (search, &tried, count, numbers);
        else if (early < count)
          continue;
        if (tried.score > best.score)
          best = tried;
      }
  search->best[piece] = best;
  return TRUE;
}

/* Deviations that chance does not reach. */
static double
least_score (const Search *search)
{
  gsize combinations = 0;

  for (guint generator = 0; generator < N_KNOWN_GENERATORS; generator++)
    for (guint use = 0; use < N_USES; use++)
      combinations += is_asked (search, generator, use);
  return sqrt (2
               * log ((double) combinations * (double) search->settings->seeds
                      * (double) search->settings->offsets / FALSE_ALARMS));
}

/* @ret_found->score is 0 where there is none. */
static gboolean
find_seed (Search *search, Candidate *ret_found, GError **error)
{
  const gsize pieces = assay_pieces ((gsize) search->settings->seeds, PIECE);
  g_autofree Candidate *best = assay_alloc (pieces, sizeof (Candidate), "seeds", error);

  *ret_found = (Candidate){ .score = 0 };
  search->best = best;
  if (best == NULL || !assay_parallel_try (pieces, try_seeds, search, error))
    return FALSE;
  for (gsize i = 0; i < pieces; i++)
    if (best[i].score > MAX (ret_found->score, least_score (search)))
      *ret_found = best[i];
  return TRUE;
}

/* ---- Guesses ---- */

/* The numbers that stand behind @rows, in their places. */
static AssayMatrix *
numbers_behind (const Search *search, const Candidate *found, const AssayMatrix *rows,
                GError **error)
{
  const gsize count = rows->rows * rows->cols;
  g_autofree double *numbers
      = assay_alloc (count + found->offset, sizeof (double), "random numbers", error);
  AssayMatrix *behind = assay_matrix_new (rows->rows, rows->cols, error);

  if (numbers == NULL || behind == NULL) {
    assay_matrix_free (behind);
    return NULL;
  }
  known_generator_fill (found->generator, uses[found->use].draw, found->seed, count + found->offset,
                        numbers);
  apply_use (found->use, search->flip_probability, count + found->offset, numbers);
  for (gsize i = 0; i < count; i++)
    behind->data[i] = (float) numbers[found->offset + i];
  return behind;
}

/* x - a g. The release may say what a is: that is taken where it is near what its numbers say. */
static gboolean
subtract_noise (const AssayRelease *release, const AssayMatrix *noise, AssayMatrix *inout_rows,
                GError **error)
{
  const double *said = ASSAY_PARAMETER (release, AssayVectorsParameters, scale);
  double scale = 0;

  if (!seed_noise_scale (inout_rows, noise, &scale, error))
    return FALSE;
  if (said != NULL && fabs (fabs (scale) - *said) < 0.2 * *said)
    scale = copysign (*said, scale);
  for (gsize i = 0; i < noise->rows * noise->cols; i++)
    inout_rows->data[i] -= (float) scale * noise->data[i];
  return TRUE;
}

/* Signs taken off; all of them are turned where pixels are not negative and their sum is. Then m +
 * k (x - m). */
static gboolean
unmask (const AssayRelease *release, const AssayMatrix *signs, AssayMatrix *inout_rows,
        GError **error)
{
  const gsize n = inout_rows->rows, d = inout_rows->cols;
  g_autofree double *mean = assay_alloc (d, sizeof (double), "mean image", error);
  gint64 k = 1;
  double sum = 0;

  if (mean == NULL || !mixture_find_k (release, 0, 1, "a number of images", &k, error))
    return FALSE;
  for (gsize i = 0; i < n * d; i++)
    sum += (double) (inout_rows->data[i] *= signs->data[i]);
  for (gsize i = 0; i < n * d; i++) {
    if (release->geometry.black >= 0 && sum < 0)
      inout_rows->data[i] = -inout_rows->data[i];
    mean[i % d] += (double) inout_rows->data[i] / (double) n;
  }
  for (gsize i = 0; i < n * d; i++)
    inout_rows->data[i]
        = (float) (mean[i % d] + (double) k * ((double) inout_rows->data[i] - mean[i % d]));
  return TRUE;
}

/* What @rows were before their random numbers. */
static gboolean
undo (const Search *search, const Candidate *found, const AssayRelease *release, AssayMatrix *rows,
      GError **error)
{
  g_autoptr (AssayMatrix) behind = numbers_behind (search, found, rows, error);

  if (behind == NULL)
    return FALSE;
  if (release->kind == ASSAY_RELEASE_VECTORS)
    return subtract_noise (release, behind, rows, error);
  if (release->kind == ASSAY_RELEASE_MIXTURES)
    return unmask (release, behind, rows, error);
  for (gsize i = 0; i < rows->rows * rows->cols; i++)
    if (behind->data[i] > 0)
      rows->data[i] = -rows->data[i];
  return TRUE;
}

static const AssayArraySpec guess_arrays[] = {
  /* Which generator and use of it (from 0), the seed, and how many numbers were drawn before; all
   * -1: none was found. */
  { "seed", "u", ASSAY_INT64, TRUE, 0 },
  { .name = NULL },
};

static void
write_seed (const Candidate *found, AssayGuess *ret_guess)
{
  const gsize shape[] = { 4 };
  gint64 *numbers = g_new (gint64, 4);
  const gboolean is_found = found->score > 0;

  numbers[0] = is_found ? (gint64) found->generator : -1;
  numbers[1] = is_found ? (gint64) found->use : -1;
  numbers[2] = is_found ? (gint64) found->seed : -1;
  numbers[3] = is_found ? (gint64) found->offset : -1;
  assay_arrays_take (&ret_guess->arrays, "seed", assay_array_take (ASSAY_INT64, 1, shape, numbers));
}

/* ---- The attack ---- */

/* What bits are flipped with, of codes. */
static gboolean
find_flips (const WeakSeed *settings, const AssayRelease *release, double *ret_p, GError **error)
{
  const double *said;

  *ret_p = settings->flip_probability;
  if (release->kind != ASSAY_RELEASE_CODES || settings->flip_probability > 0)
    return TRUE;
  if (!assay_parameter_check (&release->parameters, "flip_probability", "flip_probability", error))
    return FALSE;
  said = ASSAY_PARAMETER (release, AssayCodesParameters, flip_probability);
  *ret_p = said != NULL ? *said : 0;
  return TRUE;
}

static gboolean
attack (const AssayAttackContext *context, const AssayObservation *seen, AssayGuess *ret_guess,
        GError **error)
{
  const WeakSeed *settings = context->settings;
  const AssayRelease *release = seen->release;
  const gboolean is_code = release->kind == ASSAY_RELEASE_CODES;
  g_auto (SeedEvidence) evidence = { 0 };
  g_autoptr (AssayMatrix) rows = seed_release_rows (release, error);
  Search search = { .settings = settings, .evidence = &evidence, .kind = release->kind };
  Candidate found = { .score = 0 };

  if (rows == NULL || !find_flips (settings, release, &search.flip_probability, error)
      || !seed_evidence_find (release, (gsize) settings->numbers, &evidence, error))
    return FALSE;
  if (!is_code || (search.flip_probability > 0 && search.flip_probability < 1))
    if (!find_seed (&search, &found, error))
      return FALSE;
  if (found.score > 0 && !undo (&search, &found, release, rows, error))
    return FALSE;
  write_seed (&found, ret_guess);
  if (is_code) {
    AssayArray *codes = assay_codes_pack (assay_matrix_view (rows), error);

    if (codes != NULL)
      assay_arrays_take (&ret_guess->arrays, "codes", codes);
    return codes != NULL;
  }
  assay_arrays_take_matrix (&ret_guess->arrays, "estimates", &rows);
  return TRUE;
}

/* ---- The control ---- */

#define CONTROL_SECRETS 64
#define CONTROL_COLS 32
#define CONTROL_RANK 4

/* Rows of a few dimensions, and noise of a seed in the middle of those that are tried, by a
 * generator that is. */
static gboolean
make_control (gconstpointer data, AssayStreamKey key, AssayControlCase *ret_case, GError **error)
{
  const WeakSeed *settings = data;
  const KnownGenerator generator
      = settings->generator == 0 ? KNOWN_NUMPY_SEED : settings->generator - 1;
  const gsize count = CONTROL_SECRETS * CONTROL_COLS;
  AssayStream stream = assay_stream (key, 0);
  g_autoptr (AssayMatrix) factors
      = assay_control_normals (CONTROL_SECRETS, CONTROL_RANK, &stream, error);
  g_autoptr (AssayMatrix) loadings
      = assay_control_normals (CONTROL_RANK, CONTROL_COLS, &stream, error);
  g_autoptr (AssayMatrix) noisy = assay_matrix_new (CONTROL_SECRETS, CONTROL_COLS, error);
  AssayMatrix *secrets = assay_matrix_new (CONTROL_SECRETS, CONTROL_COLS, error);
  g_autofree double *noise = assay_alloc (count, sizeof (double), "noise", error);

  if (factors == NULL || loadings == NULL || noisy == NULL || secrets == NULL || noise == NULL) {
    assay_matrix_free (secrets);
    return FALSE;
  }
  assay_linalg_product (ASSAY_NN, assay_matrix_view (factors), assay_matrix_view (loadings),
                        secrets->data, CONTROL_COLS);
  known_generator_fill (generator, KNOWN_NORMAL,
                        (guint32) (settings->first_seed + settings->seeds / 2), count, noise);
  for (gsize i = 0; i < count; i++)
    noisy->data[i] = secrets->data[i] + (float) noise[i];
  return assay_control_take (ret_case, assay_control_vectors (assay_matrix_view (noisy), error),
                             secrets);
}

ASSAY_ATTACK (weak_seed, "weak-seed",
  .summary = "Try the seeds of well-known generators, and undo their random numbers",
  .reference = { "Carlini et al. 2021, Is Private Learning Possible with Instance Encoding?",
                 "the challenge; the attack is ours" },
  ASSAY_SETTINGS (WeakSeed,
    ASSAY_PARAM_CHOICE (WeakSeed, generator, 0, generators, "Which generators are tried",
                        ASSAY_PARAM_TRIES_ALL),
    ASSAY_PARAM_INT (WeakSeed, first_seed, 0, 0, G_MAXUINT32, "",
                     "The first seed that is tried; for a time of day, in seconds since 1970"),
    ASSAY_PARAM_INT (WeakSeed, seeds, 4096, 1, (gint64) 1 << 32, "seeds",
                     "How many seeds are tried, from the first on"),
    ASSAY_PARAM_INT (WeakSeed, offsets, 1, 1, 65536, "numbers",
                     "Places in the generator's sequence at which the release may begin; 1: the "
                     "first"),
    ASSAY_PARAM_INT (WeakSeed, numbers, 4096, 64, 1 << 24, "numbers",
                     "Numbers of the release that are looked at; the more, the smaller the noise "
                     "that is found"),
    ASSAY_PARAM_REAL (WeakSeed, flip_probability, 0, 0, 1, "",
                      "Probability that a bit of a code was flipped; 0: what the release says")),
  .holds = { .items = 3 },
  .reads = ASSAY_RELEASE_VECTORS | ASSAY_RELEASE_CODES | ASSAY_RELEASE_MIXTURES,
  .needs = ASSAY_GRANT_NONE,
  .is_generic = TRUE,
  .game = ASSAY_GAME_RECONSTRUCT,
  .writes = guess_arrays,
  .attack = attack,
  .control = { .says = "noise with one of the seeds that are tried is removed",
               .make = make_control,
               .at_least = 1,
               .within = 0.05 });
