/* Federated averaging without protection: users send what they made of the public model, and the
 * aggregator releases the mean. What other defenses of model updates are compared with, and what
 * shows that attacks on them can win.
 *
 * Everyone sees the models w_0 .. w_T; the aggregator the sums (grant `aggregator`), and who reads
 * the messages each w^(n) (grant `messages`).
 *
 * Source: Yonetani, Boddeti, Kitani and Sato 2017, "Privacy-Preserving Visual Learning Using Doubly
 * Permuted Homomorphic Encryption", section 2.1. */
#include "defenses/updates/federation.h"

typedef struct {
  union {
    FederationSettings federation;
    struct {
      FEDERATION_FIELDS;
    };
  };
} Average;

static gboolean
protect (const AssayDefenseContext *context, AssayView secrets, AssayRelease *ret_release,
         AssayTruth *ret_truth, GError **error)
{
  const Average *settings = context->settings;
  g_auto (Federation) federation = { 0 };

  if (!federation_train (context, &settings->federation, secrets, NULL, &federation, error))
    return FALSE;
  federation_take (&federation, &settings->federation, ret_release, ret_truth);
  assay_arrays_take (&ret_release->arrays, "locals",
                     assay_array_copy (assay_arrays_get (&ret_truth->arrays, "updates")));
  return TRUE;
}

/* Nothing is encrypted, permuted or masked. */
FEDERATION_LACKS ("slots", "ciphertexts", "masked", "permutations", "own-permutations")

UPDATES_DEFENSE (average, "average",
                 .summary
                 = "Users train a classifier together and send what they learned, unprotected",
                 .reference = { ASSAY_PAPER_DPHE, "section 2.1" },
                 ASSAY_SETTINGS (Average,
                   FEDERATION_PARAMETERS (Average)), .check = federation_check, .lacks = lacks,
                 .protect = protect);
