/* Controls: an attack that cannot win a case of known outcome proves nothing by losing others. */
#pragma once

#include "core/plugin.h"

G_BEGIN_DECLS

/* Makes the attack's control case and plays it with @settings (the attack's struct). The case
 * depends on @seed and the settings alone. */
gboolean assay_control_run (const AssayAttack *attack, const AssaySettings *settings, guint64 seed,
                            AssayControlOutcome *ret_outcome, GError **error);

/* Runs @attack on what it may see and checks what it returns: the one way in which an attack is
 * ever called. */
gboolean assay_attack_run (const AssayAttack *attack, const AssayAttackContext *context,
                           const AssayObservation *seen, AssayGuess *ret_guess, GError **error);

G_END_DECLS
