/* Why a verdict is what it is, in one sentence for people. */
#pragma once

#include "core/stats/sample.h"
#include "runner/judge/results.h"

/* The hypothesis that decided. */
char *assay_reason_decided (const AssayResultClaim *claim, const AssayResultHypothesis *hypothesis);
/* The same of a claim that is upheld, with the breach that so many secrets would have shown. */
char *assay_reason_upheld (const AssayResultClaim *claim, const AssayResultHypothesis *hypothesis);
/* An attack that had no control to win, or looked at a part only, recovered little. */
char *assay_reason_no_evidence (const AssayResultClaim *claim,
                                const AssayResultHypothesis *hypothesis);
/* A hypothesis that decides nothing: an error, a lost control. */
char *assay_reason_excluded (const AssayResultHypothesis *hypothesis);
/* Neither beyond nor within the bound: what would decide it. */
char *assay_reason_undecided (const AssayResultClaim *claim,
                              const AssayResultHypothesis *hypothesis, const AssaySample *sample,
                              guint n_hypotheses);
/* Epsilon: what came nearest to the claim, and what the audit that could have seen least would have
 * seen. */
char *assay_reason_unrefuted (const AssayResultClaim *claim, const AssayResultHypothesis *nearest,
                              const AssayResultHypothesis *blindest, guint n_hypotheses);
/* What an `upheld` or `unrefuted` lacks (runner/judge/earned/earned.h): one attack that the claim
 * leaves out breaks its bound; @hypothesis' attack is not known to be able to break it on these
 * data; only attacks that know nothing of the defense were played; too little power, with the runs
 * that would give it (0: none); the claims are not those that were sealed. */
char *assay_reason_left_out (const AssayResultClaim *claim,
                             const AssayResultHypothesis *hypothesis, guint n_asked, guint n_all);
char *assay_reason_no_reference (const AssayResultClaim *claim,
                                 const AssayResultHypothesis *hypothesis);
/* Its own dice may have decided: too few starts, or the attack is not sure of its guess. */
char *assay_reason_no_starts (const AssayResultClaim *claim,
                              const AssayResultHypothesis *hypothesis);
/* @why: assay_asks_less. */
char *assay_reason_asks_less (const AssayResultClaim *claim,
                              const AssayResultHypothesis *hypothesis, const char *why);
char *assay_reason_suspect (const AssayResultClaim *claim, const AssayResultHypothesis *hypothesis);
char *assay_reason_generic (const AssayResultHypothesis *hypothesis);
char *assay_reason_no_power (const AssayResultClaim *claim,
                             const AssayResultHypothesis *hypothesis, double wanted, double runs);
char *assay_reason_changed_claims (void);
/* Secrets that are fewer independent units than their labels say. @has_own_units: those of the
 * measure are not the secrets. */
char *assay_reason_contradicted (const AssayResultUnits *units, gboolean has_own_units);
/* And of epsilon: not all pairs of inputs were tried; or those that were (canaries, where there are
 * no pairs) show next to nothing of @worst, the epsilon that some inputs should have. */
char *assay_reason_few_pairs (const AssayResultClaim *claim,
                              const AssayResultHypothesis *hypothesis, guint n_tried,
                              guint n_offered);
char *assay_reason_harmless (const AssayResultClaim *claim,
                             const AssayResultHypothesis *hypothesis, double worst,
                             gboolean has_pairs);
/* And what one that has earned it says: "; it names 1 of 3 attacks". */
char *assay_reason_asked (guint n_asked, guint n_all);
/* Appends "; it names 2 of 4 settings of defense lifting". */
void assay_reason_settings (GString *inout_text, const char *whose, guint n_asked, guint n_all);
/* "; ..." of a claim that little is recovered: how many secrets the guesses of @cell point at. */
char *assay_reason_identified (const AssayResultCell *cell, const AssayMeasurement *measurement);

/* Epsilon: the most that so many runs could have certified at level @alpha is not above the bound.
 */
char *assay_reason_ceiling (const AssayResultClaim *claim, const AssayResultHypothesis *hypothesis,
                            const AssayAudit *audit, double alpha);
