/* Supports that one permutation hides from the aggregator are open to every user: all share phi,
 * and who intercepts messages undoes it. With the single permutation each message then says which
 * weights its sender holds, padding among them; with a second one, of each user, it says nothing,
 * and the area is 0.5.
 *
 * A score for each user, step and weight: 1 where a message has a column there. Single permutations
 * are what Yonetani, Boddeti, Kitani and Sato 2017, "Privacy-Preserving Visual Learning Using
 * Doubly Permuted Homomorphic Encryption", section 2.4, begin with, and find wanting for this
 * reason. */
#include "attacks/updates/permutations/row-holders.h"
#include "attacks/updates/weights/weight-claims.h"
#include "attacks/updates/weights/weight-control.h"
#include "core/crypto/dphe.h"
#include "core/data/kinds/updates.h"
#include "core/plugin/plugin.h"

static void
score_message (const AssayRelease *release, gsize message, const gint64 *undo, float *ret_scores)
{
  const AssayArray *slots = assay_arrays_get (&release->arrays, "slots");

  for (gsize k = 0; k < slots->shape[1]; k++) {
    const gint64 row = assay_array_int64 (slots)[message * slots->shape[1] + k];

    if (row >= 0)
      ret_scores[undo != NULL ? undo[row] : row] = 1;
  }
}

static gboolean
attack (G_GNUC_UNUSED const AssayAttackContext *context, const AssayObservation *seen,
        AssayGuess *ret_guess, GError **error)
{
  const AssayRelease *release = seen->release;
  const AssayArray *shared = assay_arrays_get (&release->arrays, "permutations");
  const gsize steps = assay_updates_steps (release);
  g_auto (RowHolders) holders = { 0 };
  g_autofree gint64 *undo = NULL;
  g_autofree float *scores = NULL;
  const gint64 *senders, *sent;
  gsize p;

  if (!row_holders_read (release, &holders, error)) /* which checks the messages */
    return FALSE;
  p = holders.n_rows;
  scores = assay_alloc (steps * holders.n_users, p * sizeof *scores, "scores", error);
  undo = assay_alloc (p, sizeof *undo, "a permutation", error);
  if (scores == NULL || undo == NULL)
    return FALSE;
  senders = assay_array_int64 (assay_arrays_get (&release->arrays, "senders"));
  sent = assay_array_int64 (assay_arrays_get (&release->arrays, "sent-steps"));
  for (gsize s = 0; s < assay_arrays_get (&release->arrays, "slots")->shape[0]; s++) {
    const gsize step = (gsize) sent[s];

    if (shared != NULL)
      assay_dphe_invert (assay_array_int64 (shared) + MIN (step, shared->shape[0] - 1) * p, p,
                         undo);
    score_message (release, s, shared != NULL ? undo : NULL,
                   scores + (step * holders.n_users + (gsize) senders[s]) * p);
  }
  assay_arrays_take_rows (&ret_guess->arrays, "support-scores", ASSAY_FLOAT32,
                          steps * holders.n_users, p, g_steal_pointer (&scores));
  return TRUE;
}

WEIGHT_CONTROL (make_control, .users = 4, .steps = 3, .weights = 100, .held = 0.1,
                .has_messages = TRUE, .has_shared = TRUE)

WEIGHT_ATTACK (support_leak, "support-leak",
  .summary = "Undo the shared permutation, and read from messages who holds which weight",
  .reference = { ASSAY_PAPER_DPHE, "section 2.4" },
  .needs = ASSAY_GRANT_USER | ASSAY_GRANT_MESSAGES,
  .reads_arrays = ASSAY_ARRAY_NAMES ("slots"),
  .writes = weight_support_arrays,
  .control = { .says = "supports are read through the permutation that users share",
               .make = make_control,
               .at_least = 0.95 });
