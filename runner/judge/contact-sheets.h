/* The contact sheets of a run, put together from its store. */
#pragma once

#include "runner/judge/results.h"
#include "runner/plan/plan.h"
#include "runner/store/store.h"

/* Adds the sheets of the plan to @results, and the cells that they show. */
gboolean assay_contact_sheets_load (AssayResults *results, const AssayPlan *plan, AssayStore *store,
                                    GError **error);
