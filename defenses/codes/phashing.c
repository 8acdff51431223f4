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
#include <math.h>

#include "core/data/kinds/codes.h"
#include "defenses/codes/phashing-mechanism.h"
#include "defenses/codes/random-flipping.h"

static double
beta_of (const PHashing *settings)
{
  return settings->calibration == FLIPPING_PAPER ? random_flipping_beta (settings->epsilon, 1)
                                                 : 1 / (1 + exp (settings->epsilon));
}

gboolean
phashing_protect (const AssayDefenseContext *context, AssayView secrets, AssayRelease *ret_release,
                  AssayTruth *ret_truth, GError **error)
{
  const PHashing *settings = context->settings;
  AssayArray *flipped;

  if (!hash_protect (settings->base, &settings->hash, context, secrets, ret_release, ret_truth,
                     error))
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

static gboolean
check (gconstpointer data, const AssayShape *shape, GError **error)
{
  const PHashing *settings = data;

  if (!random_flipping_check (beta_of (settings), error)) {
    g_prefix_error (error, "epsilon = %g: ", settings->epsilon);
    return FALSE;
  }
  return hash_check (settings->base, &settings->hash, shape, error)
         && phashing_mechanism_check (settings, shape, error);
}

static guint64
memory (gconstpointer data, const AssayShape *shape)
{
  const PHashing *settings = data;

  return hash_memory (settings->base, &settings->hash, shape)
         + (guint64) shape->n_secrets * assay_code_bytes ((gsize) settings->bits);
}

static const AssayParam parameters[] = {
  ASSAY_PARAM_CHOICE (PHashing, base, HASH_ITQ, hash_methods, "How the hash function is learned"),
  HASH_PARAM_BITS (PHashing),
  ASSAY_PARAM_REAL (PHashing, epsilon, 1, 0, 30, "nats", "Privacy budget that is claimed"),
  ASSAY_PARAM_CHOICE (PHashing, calibration, FLIPPING_PAPER, flipping_calibrations,
                      "The probability beta that a bit is turned: the paper's, e^-epsilon; or that "
                      "at which a bit has epsilon, 1 / (1 + e^epsilon)"),
  HASH_PARAM_TRAINING (PHashing),
  ASSAY_PARAM_INT (PHashing, iterations, HASH_OWN, 0, 100000, "",
                   "Of itq and sdh, at most; 0: as many as they have alone, 50 and 5"),
  ASSAY_PARAM_INT (PHashing, anchors, HASH_OWN, 0, 10000, "rows",
                   "Of the kernel of ksh and sdh; 0: as many as they have alone, 300 and 1000"),
  HASH_PARAM_LABELLED (PHashing),
  HASH_PARAM_WIDTH (PHashing),
  HASH_PARAM_LAMBDA (PHashing),
  HASH_PARAM_NU (PHashing),
  FLIPPING_PARAMS (PHashing),
  ASSAY_PARAM_END
};

ASSAY_DEFENSE (phashing, "phashing",
  .summary = "Hash codes of any method, every bit turned with a fixed probability",
  .reference = { "PHashing, of the paper on private hashing, Random Flipping, PHashing and PITQ",
                 "algorithms 1 and 2, theorems 4 and 6" },
  ASSAY_SETTINGS (PHashing, parameters),
  .check = check,
  .memory = memory,
  .produces = ASSAY_RELEASE_CODES,
  .claim = "epsilon-differential privacy, given beta = e^-epsilon (theorem 6); of which neighbours "
           "is not said, and `relation` names them: a bit, a code or a record",
  .mechanism = &phashing_mechanism,
  .protect = phashing_protect);
