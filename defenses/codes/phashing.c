/* PHashing ("private hashing", algorithm 2): a hash function h is learned by any method, and every
 * bit of the database's codes is turned with probability beta before they are released with h
 * (Random Flipping, algorithm 1). Queries are hashed by h and not flipped.
 *   paper                beta = e^-epsilon, of which theorem 6 claims epsilon-differential privacy
 *   randomised-response  beta = 1 / (1 + e^epsilon) (Warner 1965), of which each bit of a code has
 *                        exactly epsilon, and a code of c bits c epsilon
 * A bit that is turned with probability beta has |ln ((1 - beta) / beta)|: at beta = e^-epsilon
 * that is |ln (e^epsilon - 1)|, above epsilon where epsilon < ln ((1 + sqrt 5) / 2) = 0.481.
 * And h, learned from the same records without noise, is part of the release.
 *
 * Repeated releases of the same secrets have the same h and fresh flips. The truth has the codes as
 * they were before. */
#include <string.h>

#include "core/data/kinds/codes.h"
#include "defenses/codes/deep-hash.h"
#include "defenses/codes/flipping-mechanism.h"
#include "defenses/codes/hash-learning.h"
#include "defenses/codes/random-flipping.h"

typedef struct {
  union {
    HashSettings hash;
    struct {
      HASH_SETTINGS;
    };
  };
  guint base; /* HashMethod */
  double epsilon;
  guint calibration; /* FlippingCalibration */
  FLIPPING_SETTINGS;
} PHashing;

static double
beta_of (const PHashing *settings)
{
  double kept, turned;

  flipping_chances (settings->calibration, settings->epsilon, &kept, &turned);
  return turned;
}

static gboolean
protect (const AssayDefenseContext *context, AssayView secrets, AssayRelease *ret_release,
         AssayTruth *ret_truth, GError **error)
{
  const PHashing *settings = context->settings;
  AssayArray *flipped;

  if (!hash_protect (settings->base, context, secrets, ret_release, ret_truth, error))
    return FALSE;
  flipped
      = random_flipping_apply (assay_arrays_get (&ret_truth->arrays, "codes"),
                               (gsize) settings->bits, beta_of (settings), context->stream, error);
  if (flipped == NULL)
    return FALSE;
  assay_arrays_take (&ret_release->arrays, "codes", flipped);
  ASSAY_SET_PARAMETER (ret_release, AssayCodesParameters, flip_probability, beta_of (settings));
  return TRUE;
}

/* ---- In the distinguishing game (flipping-mechanism.h) ----
 *
 * Claimed are
 *   calibration = paper                 epsilon under each relation: theorems 4 and 6 name none;
 *   calibration = randomised-response   epsilon of a bit, c epsilon of a code, and of a record what
 *                                       its code has: as if the hash function said nothing of it.
 * Relation record: what is returned of a dataset is the codes after Random Flipping, and h, which
 * was learned from all records and is not randomised. Pair 0 is of records whose first numbers are
 *   first    16, -1, 1, -1, 1, ...     the outlier moves the mean beyond all others, so that their
 *                                      codes are alike, and unlike its own;
 *   second    0, -1, 1, -1, 1, ...     without it the codes of the others alternate.
 * One record thus changes the codes of half of the others. */

/* The release of @dataset with fresh randomness in all of its parts. */
static AssayRelease *
release_dataset (const FlippingGame *game, AssayView dataset, AssayStream *stream, GError **error)
{
  const AssayDefenseContext context = { .settings = game->settings,
                                        .stream = flipping_key (stream),
                                        .common_stream = flipping_key (stream) };
  g_autoptr (AssayRelease) release = assay_release_new (ASSAY_RELEASE_CODES, "phashing");
  g_autoptr (AssayTruth) truth = assay_truth_new ();

  return protect (&context, dataset, release, truth, error) ? g_steal_pointer (&release) : NULL;
}

static gboolean
learn (const FlippingGame *game, AssayView dataset, AssayStream *stream, GError **error)
{
  g_autoptr (AssayRelease) release = release_dataset (game, dataset, stream, error);

  return release != NULL;
}

static void
propose (const FlippingGame *game, gsize cols, float *ret_first, float *ret_second)
{
  for (gsize i = 0; i < game->records; i++) {
    float *record = ret_first + i * cols;

    record[0] = i % 2 == 0 ? 1 : -1;
    flipping_fill_rest (i, cols, record);
  }
  memcpy (ret_second, ret_first, game->records * cols * sizeof (float));
  ret_first[0] = 16;
  ret_second[0] = 0;
}

/* The function's mean and projection. */
static gsize
size_beside (const FlippingGame *game, gsize cols)
{
  return (1 + game->bits) * cols;
}

static void
copy_floats (const AssayRelease *release, const char *name, gsize count, float *ret_values)
{
  memcpy (ret_values, assay_arrays_get (&release->arrays, name)->data, count * sizeof (float));
}

static void
run_on_records (const FlippingGame *game, AssayView dataset, AssayStream *stream, gsize count,
                gsize n_outputs, float *ret_outputs)
{
  for (gsize run = 0; run < count; run++) {
    float *output = ret_outputs + run * n_outputs;
    g_autoptr (AssayRelease) release = release_dataset (game, dataset, stream, NULL);
    const AssayArray *codes = release != NULL ? assay_arrays_get (&release->arrays, "codes") : NULL;

    /* Of random datasets there may be no hash function; that nothing is released is an output
     * too. */
    for (gsize j = 0; codes == NULL && j < n_outputs; j++)
      output[j] = -1;
    if (codes == NULL)
      continue;
    for (gsize i = 0; i < game->records; i++)
      for (gsize j = 0; j < game->bits; j++)
        *output++ = assay_code_bit (codes->data + i * assay_code_bytes (game->bits), j) ? 1 : 0;
    if (game->looks_at != FLIPPING_SEES_ALL)
      continue;
    copy_floats (release, "mean", dataset.cols, output);
    copy_floats (release, "projection", game->bits * dataset.cols, output + dataset.cols);
  }
}

static const FlippingAlgorithm algorithm
    = { .propose = propose, .size_beside = size_beside, .run = run_on_records, .learn = learn };

static FlippingGame
game_of (const PHashing *settings)
{
  FlippingGame game = FLIPPING_GAME (&algorithm, settings, .rounds = 1);

  flipping_chances (settings->calibration, settings->epsilon, &game.kept, &game.turned);
  return game;
}

static AssayBudget
budget (gconstpointer data, G_GNUC_UNUSED gsize cols)
{
  const PHashing *settings = data;

  return flipping_budget (settings->calibration, settings->relation, settings->epsilon,
                          (gsize) settings->bits);
}

FLIPPING_MECHANISM (mechanism, PHashing);

/* ---- The plugin ---- */

static gboolean
check (gconstpointer data, const AssayShape *shape, GError **error)
{
  const PHashing *settings = data;
  const FlippingGame game = game_of (settings);

  if (!random_flipping_check (game.turned, error))
    return assay_prefix (error, "epsilon = %g: ", settings->epsilon);
  if (settings->hash.learns_from == HASH_FROM_PUBLIC && settings->relation == FLIPPING_RECORD)
    return assay_fail (error, ASSAY_ERROR_PARAMETER,
                       "relation = record: the datasets that are played have no public rows to "
                       "learn from; expected learns_from = secrets, or relation = code, which is "
                       "the same where the function does not depend on records");
  return hash_check (settings->base, &settings->hash, shape, error)
         && flipping_check (&game, shape->cols, error);
}

ASSAY_MEMORY (memory, PHashing,
              hash_memory (settings->base, &settings->hash, shape)
                  + shape->n_secrets * assay_code_bytes ((gsize) settings->bits))

ASSAY_DEFENSE (phashing, "phashing",
  .summary = "Hash codes of any method, with every bit flipped with a fixed probability",
  .reference = { "PHashing, of the paper on private hashing, Random Flipping, PHashing and PITQ",
                 "algorithms 1 and 2, theorems 4 and 6" },
  ASSAY_SETTINGS (PHashing,
    ASSAY_PARAM_CHOICE (PHashing, base, HASH_ITQ, hash_methods,
                        "How the hash function is learned"),
    HASH_PARAM_BITS (PHashing),
    ASSAY_PARAM_REAL (PHashing, epsilon, 1, 0, 30, "nats", "Privacy budget that is claimed"),
    ASSAY_PARAM_CHOICE (PHashing, calibration, FLIPPING_PAPER, flipping_calibrations,
                        "Probability beta that a bit is flipped: the paper's, e^-epsilon; or 1 / "
                        "(1 + e^epsilon), which gives a bit the privacy loss epsilon"),
    HASH_PARAM_TRAINING (PHashing),
    HASH_PARAM_LEARNS_FROM (PHashing),
    ASSAY_PARAM_INT (PHashing, iterations, HASH_OWN, 0, 100000, "",
                     "base = itq or sdh: the most iterations; 0: their own defaults, 50 and 5"),
    ASSAY_PARAM_INT (PHashing, anchors, HASH_OWN, 0, 10000, "rows",
                     "base = ksh or sdh: anchors of the kernel; 0: their own defaults, 300 and "
                     "1000"),
    HASH_PARAM_LABELLED (PHashing),
    HASH_PARAM_WIDTH (PHashing),
    HASH_PARAM_LAMBDA (PHashing),
    HASH_PARAM_NU (PHashing),
    DEEP_PARAMETERS (PHashing, " (base = dpsh, dsh, hashnet or adsh)", ASSAY_PARAM_EXTRA),
    FLIPPING_PARAMS (PHashing)),
  .check = check,
  .memory = memory,
  .uses = hash_uses,
  .produces = ASSAY_RELEASE_CODES,
  .claim = "epsilon-differential privacy with beta = e^-epsilon (theorem 6); the paper does not "
           "say between which neighbours, which `relation` chooses: a bit, a code or a record",
  .mechanism = &mechanism,
  .protect = protect);
