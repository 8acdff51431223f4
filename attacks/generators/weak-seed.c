/* The seed of a program's random numbers, by trying seeds.
 *
 * A defense is as secret as its random numbers, and programs draw these from generators that were
 * seeded with a small number: 0, 42, the time of day. Seeds first_seed, first_seed + 1, ... of each
 * generator are tried (seed-search.h), and what the best of them drew is taken off, where chance
 * does not give such a score:
 *   vectors   noise a g. Guess: x - a g
 *   codes     flipped bits. Guess: the codes. Where nobody says how likely a flip is, it is
 *             estimated
 *   mixtures  signs. Guess: the images without their signs, brightened by k about their mean as
 *             `averaging` does
 *             and, where public images are granted, which of them is in which mixture
 *             (public-draws.h). Guess: their numbers, and without a mask what is left without them
 * Where no seed is found the guess is the release as it is. Carlini et al. 2021 ("Is Private
 * Learning Possible with Instance Encoding?") solved the InstaHide challenge by its images; of a
 * seed that is known no attack on images is needed. */
#include <math.h>

#include "attacks/generators/public-draws.h"
#include "attacks/generators/seed-search.h"
#include "attacks/mixtures/mixture-scores.h"
#include "core/data/kinds/codes.h"
#include "core/data/kinds/vectors.h"
#include "core/games/control-case.h"
#include "core/math/linalg.h"

#define ESTIMATED_BITS (gsize) (1 << 20) /* of which p is estimated, at most */

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

/* ---- Guesses ---- */

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
undo (const SeedFound *found, const AssayRelease *release, AssayMatrix *rows, GError **error)
{
  g_autoptr (AssayMatrix) behind = seed_numbers_behind (found, rows->rows, rows->cols, error);

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
  /* Which generator and use of it (SeedUse; of public images N_SEED_USES + DealMethod), the seed,
   * and how many numbers were drawn before; all -1: none was found. */
  { "seed", "u", ASSAY_INT64, TRUE, 0 },
  /* The public images of each mixture, by number; where the seed of their choice was found. */
  { "public-images", "np", ASSAY_INT64, TRUE, 0 },
  { .name = NULL },
};

static void
write_seed (const SeedFound *found, const DrawsFound *draws, AssayGuess *ret_guess)
{
  const gsize shape[] = { 4 };
  gint64 *numbers = g_new (gint64, 4);

  for (guint i = 0; i < 4; i++)
    numbers[i] = -1;
  if (found->score > 0) {
    numbers[0] = found->generator;
    numbers[1] = found->use;
    numbers[2] = found->seed;
    numbers[3] = (gint64) found->offset;
  } else if (draws->score > 0) {
    numbers[0] = draws->generator;
    numbers[1] = N_SEED_USES + draws->dealing.method;
    numbers[2] = draws->seed;
    numbers[3] = 0;
  }
  assay_arrays_take (&ret_guess->arrays, "seed", assay_array_take (ASSAY_INT64, 1, shape, numbers));
}

/* ---- The attack ---- */

/* What bits of codes are flipped with; 0: nobody says, -1: none is, or all are. */
static gboolean
find_flips (const WeakSeed *settings, const AssayRelease *release, double *ret_p, GError **error)
{
  const double *said;

  *ret_p = settings->flip_probability;
  if (release->kind != ASSAY_RELEASE_CODES)
    return TRUE;
  if (!assay_parameter_check (&release->parameters, "flip_probability", "flip_probability", error))
    return FALSE;
  said = ASSAY_PARAMETER (release, AssayCodesParameters, flip_probability);
  if (*ret_p == 0 && said != NULL)
    *ret_p = *said > 0 ? *said : -1;
  if (*ret_p >= 1)
    *ret_p = -1;
  return TRUE;
}

/* Of flips with a p that nobody says, from more of the release than the search looked at. */
static gboolean
estimate_flips (const AssayRelease *release, SeedFound *inout_found, GError **error)
{
  g_auto (SeedEvidence) evidence = { 0 };

  return seed_evidence_find (release, ESTIMATED_BITS, &evidence, error)
         && seed_estimate_flips (&evidence, inout_found, error);
}

/* Looks for the seed of the numbers that belong to those of the release one by one. */
static gboolean
find_seed (const WeakSeed *settings, const SeedRange *range, const AssayRelease *release,
           SeedFound *ret_found, GError **error)
{
  g_auto (SeedEvidence) evidence = { 0 };

  if (range->flip_probability < 0)
    return TRUE;
  return seed_evidence_find (release, (gsize) settings->numbers, &evidence, error)
         && seed_search (range, release->kind, &evidence, ret_found, error)
         && (ret_found->score == 0 || release->kind != ASSAY_RELEASE_CODES
             || range->flip_probability > 0 || estimate_flips (release, ret_found, error));
}

/* The choice of public images. */
typedef struct {
  gboolean is_tried;
  DealShape shape;
  DrawsFound found;
} Draws;

/* Looks for the seed of it. What was chosen is written, and taken from @inout_rows where no mask is
 * in the way. */
static gboolean
find_draws (const SeedRange *range, const AssayObservation *seen, Draws *draws,
            AssayMatrix *inout_rows, AssayGuess *ret_guess, GError **error)
{
  g_autofree gint64 *drawn = NULL;

  draws->is_tried = public_draws_shape (seen, &draws->shape);
  if (!draws->is_tried)
    return TRUE;
  if (!public_draws_search (range, &draws->shape, seen, &draws->found, error))
    return FALSE;
  if (draws->found.score == 0)
    return TRUE;
  drawn = public_draws_all (&draws->shape, &draws->found, error);
  if (drawn == NULL
      || (!public_draws_are_masked (seen->release)
          && !public_draws_remove (&draws->shape, seen, drawn, inout_rows, error)))
    return FALSE;
  assay_arrays_take_rows (&ret_guess->arrays, "public-images", ASSAY_INT64, draws->shape.n,
                          draws->shape.p, g_steal_pointer (&drawn));
  return TRUE;
}

static char *
describe (const SeedRange *range, const SeedFound *found, const Draws *draws)
{
  const guint n_generators = seed_range_generators (range);
  g_autofree char *of_draws = draws->found.score > 0 ? public_draws_describe (&draws->found) : NULL;
  g_autofree char *of_numbers = found->score > 0 ? seed_describe (found) : NULL;

  if (range->flip_probability < 0)
    return g_strdup ("no seed was tried: bits are flipped with probability 0 or 1");
  if (of_draws != NULL && of_numbers != NULL)
    return g_strdup_printf ("%s; and %s", of_numbers, of_draws);
  if (of_draws != NULL || of_numbers != NULL)
    return g_strdup (of_draws != NULL ? of_draws : of_numbers);
  return g_strdup_printf ("none of %zu seeds of %u generator%s%s", range->seeds, n_generators,
                          n_generators > 1 ? "s" : "",
                          draws->is_tried ? ", of signs and of the choice of public images" : "");
}

static gboolean
attack (const AssayAttackContext *context, const AssayObservation *seen, AssayGuess *ret_guess,
        GError **error)
{
  const WeakSeed *settings = context->settings;
  const AssayRelease *release = seen->release;
  g_autoptr (AssayMatrix) rows = seed_release_rows (release, error);
  SeedRange range = { .generator = settings->generator,
                      .first_seed = (guint32) settings->first_seed,
                      .seeds = (gsize) settings->seeds,
                      .offsets = (gsize) settings->offsets };
  SeedFound found = { .score = 0 };
  Draws draws = { .is_tried = FALSE };

  if (rows == NULL || !find_flips (settings, release, &range.flip_probability, error)
      || !find_seed (settings, &range, release, &found, error)
      || (found.score > 0 && !undo (&found, release, rows, error))
      || !find_draws (&range, seen, &draws, rows, ret_guess, error))
    return FALSE;
  ret_guess->says = describe (&range, &found, &draws);
  write_seed (&found, &draws.found, ret_guess);
  if (release->kind == ASSAY_RELEASE_CODES) {
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
                      "Probability that a bit of a code was flipped; 0: what the release says, and "
                      "where it says nothing it is estimated")),
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
