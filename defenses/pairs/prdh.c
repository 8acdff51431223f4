/* Pairwise relationship guided deep hashing (Yang, Deng, Liu, Liu, Tao and Gao 2017): DCMH (dcmh.c)
 * with the same likelihood inside either modality, and with bits kept apart. To
 *   mean over i, j of ln (1 + exp Theta_ij) - s_ij Theta_ij,   Theta_ij = u_i . v_j / 2,
 * and the last two terms of DCMH it adds the same of u_i . u_j / 2 and of v_i . v_j / 2, and
 * `decorrelation` / 2 times the squared covariances of different bits of u, and of v. The paper
 * leaves the weight of these open, beside likelihoods that are sums over all pairs. */
#include "defenses/pairs/likelihood-loss.h"

typedef struct {
  PAIRED_TRAINING_FIELDS;
  guint target;
  double decorrelation;
} Prdh;

static gboolean
protect (const AssayDefenseContext *context, AssayView items, AssayRelease *ret_release,
         AssayTruth *ret_truth, GError **error)
{
  const Prdh *settings = context->settings;
  const LikelihoodMethod method = { .training = PAIRED_TRAINING_OF (settings),
                                    .target = (LikelihoodTarget) settings->target,
                                    .intra = 1,
                                    .decorrelation = settings->decorrelation };

  return likelihood_release (&method, context, items, ret_release, ret_truth, error);
}

ASSAY_MEMORY (memory, Prdh, paired_training_memory (&PAIRED_TRAINING_OF (settings), shape))

ASSAY_DEFENSE (prdh, "prdh",
  .summary = "Hash codes of two modalities: dcmh within modalities as well, with decorrelated bits",
  .reference = { "Yang, Deng, Liu, Liu, Tao and Gao 2017, Pairwise Relationship Guided Deep "
                 "Hashing for Cross-Modal Retrieval",
                 "the loss" },
  ASSAY_SETTINGS (Prdh,
    PAIRED_TRAINING_PARAMETERS (Prdh),
    LIKELIHOOD_PARAMETER_TARGET (Prdh),
    ASSAY_PARAM_REAL (Prdh, decorrelation, 0.01, 0, 1e6, "",
                      "Weight of the squared covariances of different bits")),
  .memory = memory,
  .produces = ASSAY_RELEASE_PAIRED_CODES,
  .protect = protect);
