/* What of a plan fits together: settings with sizes, attacks with releases and grants. */
#pragma once

#include "runner/plan/plan.h"

/* Probes the datasets (unless the plan has probes already: then of a run that was made before, on
 * whatever machine), checks every component against them, and fills in cells, skipped pairs and
 * memory. Errors name the groups. */
gboolean assay_plan_pair (AssayPlan *plan, GError **error);

/* ASSAY_ERROR_SCENARIO when a pool of @available secrets in @groups is too small. */
gboolean assay_plan_check_pool (const AssayPlan *plan, gsize available, gsize groups,
                                GError **error);
