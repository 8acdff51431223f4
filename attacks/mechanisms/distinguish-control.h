/* The control of the auditor `distinguish`. */
#pragma once

#include "core/plugin/plugin.h"

/* Plays @auditor against a mechanism of epsilon ln 3 and against one without a leak: a bit, put out
 * as 0 or as @one (NaN for a score that sees nothing else). */
gboolean distinguish_control_play (const AssayAuditor *auditor, const AssayAuditContext *context,
                                   float one, AssayControlOutcome *ret_outcome, GError **error);
