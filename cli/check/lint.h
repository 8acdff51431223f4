/* What a scenario may say and its author should hear about. */
#pragma once

#include "runner/plan/plan.h"

/* Of char *: one text for each doubt, "[claim x] what, and what would help". */
GPtrArray *assay_lint (const AssayPlan *plan);
/* The same of its claims: each keeps a run from ending with exit code 0. @is_auditor: also what
 * such a verdict must have earned beside enough secrets or runs, as far as the plan tells. */
GPtrArray *assay_lint_claims (const AssayPlan *plan, gboolean is_auditor);

/* Whether a file or folder is named where dataset @dataset comes from. */
gboolean assay_lint_reads_files (const AssayPlan *plan, guint dataset);

/* Opens the datasets of which a plan knows no more than how large they are at most, as those of
 * photographs. FALSE: one cannot be used, and which file is why. */
gboolean assay_lint_files (const AssayPlan *plan, GError **error);

/* Plays the controls of the attacks, as the run will, and adds those that are lost: to
 * @inout_of_claims where a claim is about the attack. */
void assay_lint_controls (const AssayPlan *plan, GPtrArray *inout_doubts,
                          GPtrArray *inout_of_claims);

/* The same of attacks that are programs, for each defense: starts defenses and attacks. FALSE: the
 * run could not go on either. */
gboolean assay_lint_program_controls (const AssayPlan *plan, GPtrArray *inout_doubts,
                                      GPtrArray *inout_of_claims, GError **error);
/* How many attacks have such a control. */
guint assay_lint_program_controls_count (const AssayPlan *plan);

/* Adds those of programs of others that nothing, or too little, confines here. */
void assay_lint_programs (const AssayPlan *plan, GPtrArray *inout_doubts);

/* Adds one where programs of others can guess the seed: it is short, or not @is_own, so that it
 * stands in the scenario or is the default. */
void assay_lint_seed (const AssayPlan *plan, gboolean is_own, GPtrArray *inout_doubts);

/* Adds those of programs that answer the same request in two ways: each defense of the plan that is
 * a program is started twice. FALSE: a release cannot be made. */
gboolean assay_lint_repeats (const AssayPlan *plan, GPtrArray *inout_doubts, GError **error);

/* Adds one where the folder @out (NULL: the default one) has a run of the plan that was begun with
 * other claims (runner/store/seal.h). FALSE: it cannot be read, or a process works in it. */
gboolean assay_lint_seal (const AssayPlan *plan, const char *out, GPtrArray *inout_doubts,
                          GError **error);

/* The same of its data, which are opened. FALSE: they cannot be. */
gboolean assay_lint_units (const AssayPlan *plan, GPtrArray *inout_doubts, GError **error);

/* Adds a doubt, once. */
void assay_doubt (GPtrArray *doubts, const char *format, ...) G_GNUC_PRINTF (2, 3);
