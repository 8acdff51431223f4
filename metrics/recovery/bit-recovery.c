/* How many bits of the codes that a defense randomised an attack found (PHashing: what Random
 * Flipping hides, algorithm 1).
 *
 * Guess and truth: codes, n x b bytes; the release says how many bits of the last one are used. The
 * bits of one code are not independent, so that the unit is the secret: its share of right bits,
 * which by chance is one half, and whether all are right. */
#include "core/data/codes.h"
#include "core/plugin/plugin.h"

enum { BITS, CODE, N_SERIES };

static gboolean
measure (const AssayMetricContext *context, const AssayTruth *truth, const AssayGuess *guess,
         AssayOutcomes *ret_outcomes, GError **error)
{
  const AssayArray *codes = assay_arrays_get (&truth->arrays, "codes");
  const AssayArray *guessed = assay_arrays_get (&guess->arrays, "codes");
  const gsize n = codes->shape[0], bytes = codes->shape[1], bits = context->release->bits;

  if (guessed->shape[0] != n || guessed->shape[1] != bytes)
    return assay_fail (error, ASSAY_ERROR_MISMATCH,
                       "guessed codes are %zu x %zu bytes, those of the secrets %zu x %zu",
                       guessed->shape[0], guessed->shape[1], n, bytes);
  if (assay_code_bytes (bits) != bytes)
    return assay_fail (error, ASSAY_ERROR_MISMATCH,
                       "codes of the secrets have %zu bytes; expected %zu, for the %zu bits of "
                       "those that were released",
                       bytes, assay_code_bytes (bits), bits);
  if (!assay_outcomes_alloc (ret_outcomes, N_SERIES, n, error))
    return FALSE;
  for (gsize i = 0; i < n; i++) {
    gsize right = 0;

    for (gsize j = 0; j < bits; j++)
      right += assay_code_bit (codes->data + i * bytes, j)
               == assay_code_bit (guessed->data + i * bytes, j);
    ret_outcomes->series[BITS][i] = (double) right / (double) bits;
    ret_outcomes->series[CODE][i] = right == bits;
  }
  return TRUE;
}

ASSAY_METRIC (bit_recovery, "bit-recovery",
  .summary = "Bits of randomised codes that were found",
  .reference = { "PHashing and PITQ (private hashing)", "algorithm 1, lemma 5" },
  .reads = ASSAY_RELEASE_CODES,
  .reads_truth = ASSAY_ARRAY_NAMES ("codes"),
  .reads_guess = ASSAY_ARRAY_NAMES ("codes"),
  ASSAY_MEASURES (N_SERIES,
    ASSAY_MEASURE (BITS, "bits-recovered", MEAN, 0, 1, "share of bits",
                   "Bits of a code, before it was randomised, that are guessed right; one half by "
                   "chance",
                   ASSAY_HEADLINE, ASSAY_HIGHER_IS_WORSE),
    ASSAY_MEASURE (CODE, "codes-recovered", RATE, 0, 1, "share of secrets",
                   "Codes of which every bit is right", ASSAY_HIGHER_IS_WORSE)),
  .measure = measure);
