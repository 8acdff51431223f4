/* The one-run game (Steinke, Nasr and Jagielski 2023, Privacy Auditing with One (1) Training Run):
 * m canaries, each put into the dataset with probability 1/2 by a coin of its own; the defense is
 * run once; the attack scores every canary, and the r of them with the most extreme scores are
 * guessed: the r/2 highest to be in, the r/2 lowest to be out. Both numbers are fixed before. */
#pragma once

#include "core/plugin/plugin.h"

typedef struct {
  const AssayAuditor *auditor;
  const AssayAuditContext *context; /* the auditor's */
  const AssayDefense *defense;
  gconstpointer settings; /* the defense's */
  gsize cols;             /* of a canary */
  AssayStreamKey coins;   /* and the canaries */
  AssayStreamKey noise;   /* of the defense */
} AssayOneRunGame;

/* Plays the auditor against one run of the defense on a dataset of canaries. ASSAY_ERROR_MISMATCH
 * where the mechanism has fewer canaries than the auditor wants. */
gboolean assay_one_run (const AssayOneRunGame *game, AssayAudit *ret_audit, GError **error);
