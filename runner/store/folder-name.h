/* What output folders are called. */
#pragma once

#include "runner/plan/plan.h"

/* The folder for a plan that names none: assay-out/SCENARIO-HASH. */
char *assay_folder_default (const AssayPlan *plan);

/* The absolute path without links of @place, which need not be there: equal for equal places. */
char *assay_folder_canonical (const char *place);

/* @place without a slash at its end; a link would itself be exchanged, and "." cannot be: what they
 * lead to stands for them. ASSAY_ERROR_SCENARIO: that is nothing. */
gboolean assay_folder_resolve (const char *place, char **ret_place, GError **error);

/* Keeps the folder @out of results, or with NULL that of all results of this working folder, from
 * programs that this process starts (core/data/secret-paths.h). */
void assay_folder_hide_results (const AssayPlan *plan, const char *out);

/* The same of an earlier run: its folder, or the store in it. */
void assay_folder_hide_run (const char *place);
