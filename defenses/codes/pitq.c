/* PITQ, private iterative quantisation ("private hashing", algorithm 3): ITQ with Random Flipping
 * of the codes U inside each of its E iterations (itq-rotation.h), with
 *   beta = e^(-epsilon / E)
 * of which theorem 8 claims epsilon-differential privacy, by composition. Released are the rotation
 * (within the hash function, m and W R) and U = sign (Y W R), which is not flipped: records that
 * are equal have equal codes, whatever epsilon.
 *
 * The paper does not give E; 50 is that of ITQ, where beta is above 0.92 for the epsilons of its
 * tables: nearly all signs are turned, which reflects R and changes little. Its R = N N' is a
 * misprint for M N'.
 *
 * Training rows and first rotation are the same in repeated releases of the same secrets, the flips
 * are fresh, and with them the hash function. */
#include <string.h>

#include "defenses/codes/flipping-mechanism.h"
#include "defenses/codes/hash-learning.h"
#include "defenses/codes/itq-rotation.h"
#include "defenses/codes/random-flipping.h"

typedef struct {
  union {
    HashSettings hash;
    struct {
      HASH_SETTINGS;
    };
  };
  double epsilon;
  FLIPPING_SETTINGS;
} Pitq;

/* ---- In the distinguishing game (flipping-mechanism.h) ----
 *
 * Theorem 8 composes E Random Flippings of
 * epsilon / E each, and claims epsilon under each relation: it names none.
 * Relations bit and code: what the proof composes, the bits after each of the E flippings. Relation
 * record: what is returned of a dataset, R and U = sign (Y W R), neither of which is flipped after
 * it was computed. Pair 0 is of records whose first numbers are
 *   first    2,  2, 1, -1, 1, -1, ...   records 0 and 1 are duplicates: they share a code, always;
 *   second   2, -2, 1, -1, 1, -1, ...   they lie on opposite sides of the mean: they never do, as
 *                                       rotations keep their angle, which is above 90 degrees. */

static void
propose (const FlippingGame *game, gsize cols, float *ret_first, float *ret_second)
{
  memset (ret_first, 0, 2 * cols * sizeof (float));
  ret_first[0] = ret_first[cols] = 2;
  for (gsize i = 2; i < game->records; i++) {
    float *record = ret_first + i * cols;

    record[0] = i % 2 == 0 ? 1 : -1;
    flipping_fill_rest (i - 2, cols, record);
  }
  memcpy (ret_second, ret_first, game->records * cols * sizeof (float));
  ret_second[cols] = -2;
}

/* The rotation R. */
static gsize
size_beside (const FlippingGame *game, G_GNUC_UNUSED gsize cols)
{
  return game->bits * game->bits;
}

static ItqSettings
draw_settings (const FlippingGame *game, AssayStream *stream)
{
  return (ItqSettings){ .iterations = game->rounds,
                        .beta = game->turned,
                        .start = flipping_key (stream),
                        .flips = flipping_key (stream) };
}

/* Algorithm 3 from the embedding on, which depends on the dataset alone. */
static void
run_on_records (const FlippingGame *game, AssayView dataset, AssayStream *stream, gsize count,
                gsize n_outputs, float *ret_outputs)
{
  const gboolean sees_all = game->looks_at == FLIPPING_SEES_ALL;
  g_autoptr (ItqEmbedding) embedding = itq_embedding_new (dataset, game->bits, NULL);

  for (gsize i = 0; i < count; i++) {
    const ItqSettings settings = draw_settings (game, stream);
    float *output = ret_outputs + i * n_outputs;
    float *rotation = sees_all ? output + game->records * game->bits : NULL;

    /* It fails only where memory ends; that nothing is released is an output too. */
    if (embedding == NULL || !pitq_run (embedding, &settings, output, rotation, NULL))
      memset (output, 0, n_outputs * sizeof (float));
  }
}

static gboolean
learn (const FlippingGame *game, AssayView dataset, AssayStream *stream, GError **error)
{
  const ItqSettings settings = draw_settings (game, stream);
  g_autoptr (AssayHashFunction) function
      = itq_function_new (dataset, game->bits, &settings, NULL, error);

  return function != NULL;
}

static const FlippingAlgorithm algorithm
    = { .propose = propose, .size_beside = size_beside, .run = run_on_records, .learn = learn };

static FlippingGame
game_of (const Pitq *settings)
{
  FlippingGame game = FLIPPING_GAME (&algorithm, settings, .rounds = (gsize) settings->iterations);

  flipping_chances (FLIPPING_PAPER, settings->epsilon / (double) settings->iterations, &game.kept,
                    &game.turned);
  return game;
}

static AssayBudget
budget (gconstpointer data, G_GNUC_UNUSED gsize cols)
{
  const Pitq *settings = data;

  return flipping_budget (FLIPPING_PAPER, settings->relation, settings->epsilon,
                          (gsize) settings->bits);
}

FLIPPING_MECHANISM (mechanism, Pitq);

/* ---- The plugin ---- */

static gboolean
protect (const AssayDefenseContext *context, AssayView secrets, AssayRelease *ret_release,
         AssayTruth *ret_truth, GError **error)
{
  const Pitq *settings = context->settings;
  ItqSettings iteration = { .iterations = (gsize) settings->iterations,
                            .beta = game_of (settings).turned,
                            .flips = context->stream };
  g_auto (HashMaterial) material = { 0 };
  g_autoptr (AssayHashFunction) function = NULL;

  if (context->key_of != NULL) {
    function = assay_hash_function_from (context->key_of, error);
  } else {
    if (!hash_material (&settings->hash, context, secrets, &material, error))
      return FALSE;
    iteration.start = material.training.stream;
    function = itq_function_new (material.training.rows, (gsize) settings->bits, &iteration, NULL,
                                 error);
  }
  return function != NULL && hash_release (function, secrets, ret_release, ret_truth, error);
}

static gboolean
check (gconstpointer data, const AssayShape *shape, GError **error)
{
  const Pitq *settings = data;
  const FlippingGame game = game_of (settings);

  if (!random_flipping_check (game.turned, error))
    return assay_prefix (error, "epsilon = %g: ", settings->epsilon);
  return hash_check (HASH_ITQ, &settings->hash, shape, error)
         && flipping_check (&game, shape->cols, error);
}

ASSAY_MEMORY (memory, Pitq, hash_memory (HASH_ITQ, &settings->hash, shape))

ASSAY_DEFENSE (pitq, "pitq",
  .summary = "Hash codes of ITQ, with bits flipped in every iteration",
  .reference = { "PITQ, of the paper on private hashing, Random Flipping, PHashing and PITQ",
                 "algorithm 3, theorem 8" },
  ASSAY_SETTINGS (Pitq,
    HASH_PARAM_BITS (Pitq),
    ASSAY_PARAM_REAL (Pitq, epsilon, 1, 0, 30, "nats", "Privacy budget that is claimed"),
    ASSAY_PARAM_INT (Pitq, iterations, 50, 1, 100000, "",
                     "Iterations E; in each, bits are flipped with probability e^(-epsilon / E)"),
    HASH_PARAM_TRAINING (Pitq),
    FLIPPING_PARAMS (Pitq)),
  .check = check,
  .memory = memory,
  .produces = ASSAY_RELEASE_CODES,
  .claim = "epsilon-differential privacy with beta = e^(-epsilon / E) (theorem 8); the paper does "
           "not say between which neighbours, which `relation` chooses: a bit, a code or a record",
  .mechanism = &mechanism,
  .protect = protect);
