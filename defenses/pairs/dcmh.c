/* Deep cross-modal hashing (Jiang and Li 2017): a baseline that is told which items are alike.
 *
 * With encoders u and v, Theta_ij = u_i . v_j / 2, s_ij = 1 of items of one label and else 0, and
 * C = sign (u + v), it lowers over batches of B items (likelihood-loss.h)
 *   mean over i, j of ln (1 + exp Theta_ij) - s_ij Theta_ij
 *   + (||C - u||^2 + ||C - v||^2) / B^2 + (||sum_i u_i||^2 + ||sum_i v_i||^2) / B^3,
 * the paper's equation 2 with gamma = eta = 1 over B^2. The paper has sums over all training items
 * and trains one side at a time, with numbers of any size; here u and v are tanh, and both sides
 * take their steps together. `target = graph` has s_ij = 1 of items that a private graph joins:
 * then what is released is trained on it, without a claim. */
#include "defenses/pairs/likelihood-loss.h"

typedef struct {
  PAIRED_TRAINING_FIELDS;
  guint target;
} Dcmh;

static gboolean
protect (const AssayDefenseContext *context, AssayView items, AssayRelease *ret_release,
         AssayTruth *ret_truth, GError **error)
{
  const Dcmh *settings = context->settings;
  const LikelihoodMethod method = { .training = PAIRED_TRAINING_OF (settings),
                                    .target = (LikelihoodTarget) settings->target };

  return likelihood_release (&method, context, items, ret_release, ret_truth, error);
}

ASSAY_MEMORY (memory, Dcmh, paired_training_memory (&PAIRED_TRAINING_OF (settings), shape))

ASSAY_DEFENSE (dcmh, "dcmh",
  .summary = "Hash codes of two modalities, by the likelihood of which items are alike",
  .reference = { "Jiang and Li 2017, Deep Cross-Modal Hashing", "section 3.2, equation 2" },
  ASSAY_SETTINGS (Dcmh,
    PAIRED_TRAINING_PARAMETERS (Dcmh),
    LIKELIHOOD_PARAMETER_TARGET (Dcmh)),
  .memory = memory,
  .produces = ASSAY_RELEASE_PAIRED_CODES,
  .protect = protect);
