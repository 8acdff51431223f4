/* The plugins of a plan that were not built in. Which builds they are is part of the plan: another
 * one is another audit. */
#pragma once

#include "runner/plan/plan.h"

/* Each once, in the order of the plan; AssayLoaded. */
GPtrArray *assay_loaded_list (const AssayPlan *plan);

/* Their lines of the plan's text, "loaded TYPE ID SHA256"; "": all are built in. */
char *assay_loaded_canonical (const AssayPlan *plan);

/* Of the text of a plan that was kept and that of the same plan today: which plugin is another
 * build, in words. NULL: they differ in more than that. */
char *assay_loaded_difference (const char *kept, const char *now);
