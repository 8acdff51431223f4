/* What an attacker learns from: runs of the defense on rows of their own (grant `mechanism`), or
 * pairs in a folder; the keys of [attack] that say so, and what must be there. */
#pragma once

#include "runner/plan/plan.h"
#include "runner/plan/scenario.h"

/* The keys that are read here; NULL ends. One that is a setting of the plugin is the plugin's. */
extern const char *const assay_own_rows_keys[];

/* Reads them into @ret_terms; @grants are those of the group. ASSAY_ERROR_PARAMETER for values out
 * of range, ASSAY_ERROR_SCENARIO for keys without the grant that they are about. */
gboolean assay_own_rows_parse (const AssayGroup *group, const AssayPlugin *plugin, guint grants,
                               AssayOwnTerms *ret_terms, GError **error);
void assay_own_terms_clear (AssayOwnTerms *terms);
AssayOwnTerms assay_own_terms_copy (const AssayOwnTerms *terms);
/* Lines of the plan's canonical text; "" where nothing is learned from. */
char *assay_own_terms_canonical (const AssayOwnTerms *terms, guint grants);

/* The pairs in the folder of @attack, at @position. Errors name the folder. */
AssayPairs *assay_own_rows_read (const AssayComponent *attack, const AssayRunPosition *position,
                                 GError **error);
/* Reads the pairs of every attack and release of the plan once, and adds them to @checksum. What
 * they must be beside is checked when they are used. @ret_component: the attack at fault. */
gboolean assay_own_rows_verify (const AssayPlan *plan, GChecksum *checksum, gboolean *ret_are_any,
                                const AssayComponent **ret_component, GError **error);

/* What of runs on an attacker's rows is kept for other attacks (runner/run/own/own-runs.h). */
#define ASSAY_OWN_RUNS_BYTES ((gsize) 64 << 20)

/* Bytes of the runs of @attack that may be kept, on releases like those of @shape, of the kind. */
guint64 assay_own_runs_memory (const AssayComponent *attack, AssayReleaseKind kind,
                               const AssayShape *shape);

/* Bytes of the pairs of @attack on a release like those of @shape, of the kind. */
guint64 assay_own_rows_memory (const AssayComponent *attack, AssayReleaseKind kind,
                               const AssayShape *shape);
