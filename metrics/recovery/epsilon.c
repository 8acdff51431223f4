/* Epsilon by what a distinguishing game counted (docs/statistics.md, "Epsilon"): a lower bound that
 * holds with the stated confidence, and that no longer audit can take back. There is no upper one.
 *
 * One unit a trial: the counts of its audit. Trials are audits of the same mechanism, each with an
 * event of its own, and their counts are added up. */
#include "core/plugin/plugin.h"

ASSAY_METRIC (epsilon, "epsilon",
  .summary = "Lower bound on the privacy loss of a mechanism, from a distinguishing game",
  .reference = { "Ding, Wang, Wang, Zhang and Kifer 2018, Detecting Violations of Differential "
                 "Privacy; Steinke, Nasr and Jagielski 2023, Privacy Auditing with One (1) "
                 "Training Run",
                 "statistics.md, \"Epsilon\"" },
  ASSAY_MEASURES (ASSAY_AUDIT_SERIES,
    ASSAY_MEASURE (0, "epsilon", EPSILON, 0, G_MAXDOUBLE, "certified lower bound",
                   "Privacy loss that a distinguishing event certifies, at the audited delta",
                   ASSAY_HEADLINE, ASSAY_HIGHER_IS_WORSE)));
