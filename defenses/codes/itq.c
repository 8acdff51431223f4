/* Iterative quantisation (Gong and Lazebnik 2011, "Iterative Quantization: A Procrustean Approach
 * to Learning Binary Codes"): the c leading principal components of the training rows, and in them
 * a rotation R that brings the rows close to the corners of a cube,
 *   min over R of ||sign (V R) - V R||^2
 * from a random rotation, by at most 50 iterations as in the paper (itq-rotation.h). They stop
 * earlier where the loss has stopped to fall. Bit j of a row x is ((x - m) W R)_j > 0. */
#include "defenses/codes/hash-learning.h"
#include "defenses/codes/itq-rotation.h"

AssayHashFunction *
itq_learn (const HashTraining *training, const HashSettings *settings, GError **error)
{
  const ItqSettings iteration
      = { .iterations = (gsize) settings->iterations, .start = training->stream };

  return itq_function_new (training->rows, (gsize) settings->bits, &iteration, NULL, error);
}

HASH_DEFENSE (itq, "itq", HASH_ITQ,
  .summary = "Hash codes: principal components, rotated towards bits",
  .reference = { "Gong and Lazebnik 2011, Iterative Quantization: A Procrustean Approach to "
                 "Learning Binary Codes",
                 "section 2.2" },
  ASSAY_SETTINGS (HashSettings,
    HASH_PARAM_BITS (HashSettings),
    HASH_PARAM_TRAINING (HashSettings),
    HASH_PARAM_LEARNS_FROM (HashSettings),
    HASH_PARAM_ITERATIONS (HashSettings, 50)));
