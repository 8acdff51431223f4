/* Whole audits of a mechanism by the attack `distinguish`. */
#pragma once

#include "core/plugin/auditor.h"
#include "core/stats/measure.h"
#include "tests/reference/known-mechanisms.h"

typedef struct {
  AssayAudit audit;
  guint pair;
  guint64 trained_on;
  char says[1000];
} AuditOutcome;

const AssayAuditor *audit_auditor (void);

/* "name=value name=value" over the defaults. */
AssaySettings *audit_settings (const char *text);

/* One audit with these settings of the attack; the second form fails the test where it fails. */
gboolean audit_try (const AssayMechanism *mechanism, const Known *known, const char *text,
                    guint64 seed, AuditOutcome *ret_outcome, GError **error);
AuditOutcome audit_play (const AssayMechanism *mechanism, const Known *known, const char *text,
                         guint64 seed);
