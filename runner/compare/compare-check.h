/* Whether runs can be compared at all. */
#pragma once

#include "runner/compare/saved-run.h"

/* That data, secrets, trials, seed and confidence of all @runs (AssaySavedRun, called @names) are
 * the same, and that all are finished. ASSAY_ERROR_MISMATCH names the first difference. */
gboolean assay_compare_check (const GPtrArray *runs, const GPtrArray *names, GError **error);

/* The same plugin with the same settings, grants and tuning, whatever their labels. */
gboolean assay_compare_is_same (const AssayComponent *a, const AssayComponent *b);

/* Which of @other is what @component is: the same plugin with the same settings; -1: none. */
gint assay_compare_find_component (const GPtrArray *other, const AssayComponent *component);

/* Whether all runs have @component of the first run among their metrics (or, with @is_utility,
 * their utilities); @ret_lacks is the run that does not, or -1. ASSAY_ERROR_MISMATCH: a run has the
 * plugin, but with other settings alone. */
gboolean assay_compare_is_common (const GPtrArray *runs, const GPtrArray *names,
                                  const AssayComponent *component, gboolean is_utility,
                                  gint *ret_lacks, GError **error);

/* NULL, or why nothing is known of how defense @better of run @r fares against the attacks of run
 * @s: one of them, which could attack it, was not played in run @r. */
char *assay_compare_lacks_attack (const GPtrArray *runs, const GPtrArray *names, guint r,
                                  guint better, guint s, guint worse);
