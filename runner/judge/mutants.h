/* What an audit saw of mutants of its own defenses, kept as mutants.json beside the run that they
 * are of: {"format": "assay-mutants/1", "plan_sha256", "claims_sha256", "data_sha256", "version",
 * "note", "seen", "counted", "mutants": [{"family", "id", "says", "seen_by", "verdict", "claim",
 * "reason"}]}. */
#pragma once

#include "runner/judge/results.h"

/* None yet, of the plan, claims and data of @results, by this version. */
AssayResultMutants *assay_mutants_new (const AssayResults *results);

/* Takes the strings of @mutant over, and counts it. */
void assay_mutants_add (AssayResultMutants *mutants, AssayResultMutant mutant);

/* Reads what was kept at @path: stale unless it is of @results' plan, claims and data, and by this
 * version. NULL in *ret_mutants: there is no such file. ASSAY_ERROR_DATA: it is damaged. */
gboolean assay_mutants_read (const AssayResults *results, const char *path,
                             AssayResultMutants **ret_mutants, GError **error);

/* What is known of mutant @id of @family; NULL: nothing, or that it could not be played, which may
 * be another time. */
const AssayResultMutant *assay_mutants_find (const AssayResultMutants *mutants, const char *family,
                                             const char *id);

/* Reads @folder/mutants.json into @results, where it is there: stale unless it is of this plan, of
 * these claims and data, and by this version. ASSAY_ERROR_DATA: it is damaged. */
gboolean assay_mutants_load (AssayResults *results, const char *folder, GError **error);
