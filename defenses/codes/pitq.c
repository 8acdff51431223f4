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
#include "core/base/error.h"
#include "defenses/codes/itq-rotation.h"
#include "defenses/codes/pitq-mechanism.h"
#include "defenses/codes/random-flipping.h"

static double
beta_of (const Pitq *settings)
{
  return random_flipping_beta (settings->epsilon, (gsize) settings->iterations);
}

static AssayHashFunction *
learn (const HashTraining *training, const Pitq *settings, AssayStreamKey flips, GError **error)
{
  const ItqSettings iteration = { .iterations = (gsize) settings->iterations,
                                  .beta = beta_of (settings),
                                  .start = training->stream,
                                  .flips = flips };

  return itq_function_new (training->rows, (gsize) settings->bits, &iteration, NULL, error);
}

static gboolean
protect (const AssayDefenseContext *context, AssayView secrets, AssayRelease *ret_release,
         AssayTruth *ret_truth, GError **error)
{
  const Pitq *settings = context->settings;
  g_auto (HashMaterial) material = { 0 };
  g_autoptr (AssayHashFunction) function = NULL;

  if (!hash_material (&settings->hash, context, secrets, &material, error))
    return FALSE;
  function = learn (&material.training, settings, context->stream, error);
  return function != NULL && hash_release (function, secrets, ret_release, ret_truth, error);
}

static gboolean
check (gconstpointer data, const AssayShape *shape, GError **error)
{
  const Pitq *settings = data;

  if (!random_flipping_check (beta_of (settings), error)) {
    g_prefix_error (error, "epsilon = %g: ", settings->epsilon);
    return FALSE;
  }
  return hash_check (HASH_ITQ, &settings->hash, shape, error)
         && pitq_mechanism_check (settings, shape, error);
}

static guint64
memory (gconstpointer data, const AssayShape *shape)
{
  return hash_memory (HASH_ITQ, &((const Pitq *) data)->hash, shape);
}

static const AssayParam parameters[]
    = { HASH_PARAM_BITS (Pitq),
        ASSAY_PARAM_REAL (Pitq, epsilon, 1, 0, 30, "nats", "Privacy budget that is claimed"),
        ASSAY_PARAM_INT (Pitq, iterations, 50, 1, 100000, "",
                         "E; bits are turned in each with probability e^(-epsilon / E)"),
        HASH_PARAM_TRAINING (Pitq),
        FLIPPING_PARAMS (Pitq),
        ASSAY_PARAM_END };

ASSAY_DEFENSE (pitq, "pitq",
  .summary = "Hash codes of ITQ whose iterations saw turned bits",
  .reference = { "PITQ, of the paper on private hashing, Random Flipping, PHashing and PITQ",
                 "algorithm 3, theorem 8" },
  ASSAY_SETTINGS (Pitq, parameters),
  .check = check,
  .memory = memory,
  .produces = ASSAY_RELEASE_CODES,
  .claim = "epsilon-differential privacy, given beta = e^(-epsilon / E) (theorem 8); of which "
           "neighbours is not said, and `relation` names them: a bit, a code or a record",
  .mechanism = &pitq_mechanism,
  .protect = protect);
