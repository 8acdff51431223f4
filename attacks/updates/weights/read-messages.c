/* What users send in clear is what they have: every weight of every message is claimed to be its
 * sender's, with the value that stands there. Where messages are updates as they are it is right
 * throughout; where noise was added before they were sent, nowhere. What protected messages are
 * compared with, and where a curve of privacy begins.
 *
 * Source: Yonetani, Boddeti, Kitani and Sato 2017, "Privacy-Preserving Visual Learning Using Doubly
 * Permuted Homomorphic Encryption", section 2.1 (potential leakage of the plain protocol). */
#include "attacks/updates/weights/weight-claims.h"
#include "attacks/updates/weights/weight-control.h"
#include "core/data/kinds/updates.h"
#include "core/plugin/plugin.h"

static gboolean
attack (G_GNUC_UNUSED const AssayAttackContext *context, const AssayObservation *seen,
        AssayGuess *ret_guess, GError **error)
{
  const AssayArray *locals = assay_arrays_get (&seen->release->arrays, "locals");
  g_auto (WeightClaims) claims = { 0 };
  AssayView messages;
  gsize users;

  if (locals == NULL)
    return assay_fail (error, ASSAY_ERROR_MISMATCH,
                       "the release has no messages in clear: expected 'locals', updates as users "
                       "sent them");
  messages = assay_array_view (locals);
  users = messages.rows / assay_updates_steps (seen->release);
  weight_claims_init (&claims);
  for (gsize row = 0; row < messages.rows; row++)
    for (gsize i = 0; i < messages.cols; i++) {
      const double value = (double) assay_view_row (messages, row)[i];

      if (value != 0)
        weight_claims_add (&claims,
                           &(WeightClaim){ row / users, (gint64) (row % users), i, value });
    }
  weight_claims_take (&claims, ret_guess);
  return TRUE;
}

WEIGHT_CONTROL (make_control, .users = 4, .steps = 3, .weights = 200, .held = 0.4,
                .has_locals = TRUE)

WEIGHT_ATTACK (read_messages, "read-messages",
  .summary = "Read users' weights from messages in clear",
  .reference = { ASSAY_PAPER_DPHE, "section 2.1" },
  .needs = ASSAY_GRANT_MESSAGES,
  .reads_arrays = ASSAY_ARRAY_NAMES ("locals"),
  .writes = weight_claims_arrays,
  .control = { .says = "messages in clear are read",
               .make = make_control,
               .at_least = 0.95 });
