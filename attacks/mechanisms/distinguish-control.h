/* The control of the attack `distinguish`. */
#pragma once

#include "core/plugin/plugin.h"

G_BEGIN_DECLS

/* Plays @attack against a mechanism of epsilon ln 3 and against one without a leak. */
gboolean distinguish_control_play (const AssayAttack *attack, const AssayAttackContext *context,
                                   AssayControlOutcome *ret_outcome, GError **error);

G_END_DECLS
