/* The control of the auditor `distinguish`. */
#pragma once

#include "core/plugin/plugin.h"

/* Plays @auditor against a mechanism of epsilon ln 3 and against one without a leak. */
gboolean distinguish_control_play (const AssayAuditor *auditor, const AssayAuditContext *context,
                                   AssayControlOutcome *ret_outcome, GError **error);
