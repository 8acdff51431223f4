/* The three steps by hand, with what is given in place of a scenario: what the program's commands
 * and the C library do alike, so that the same input gives the same bytes by both. */
#pragma once

#include "core/base/json.h"
#include "core/stats/interval.h"
#include "runner/judge/pool.h"
#include "runner/run/steps.h"

/* The plugin's defaults with "SETTING=VALUE" of @assignments (NULL: none). @from stands before what
 * is wrong ("--set: "; ""). */
AssaySettings *assay_by_hand_settings (const AssayPlugin *plugin, const char *const *assignments,
                                       const char *from, GError **error);

/* Of @role ("defense", "attack", "metric"), for plugin or measure @name with @settings. */
AssayStreamKey assay_by_hand_stream (guint64 seed, const char *role, const char *name,
                                     const AssaySettings *settings);

/* Plays @plugin, whose check is asked first; ASSAY_ERROR_MISMATCH where it plays
 * with the defense itself. */
gboolean assay_by_hand_attack (const AssayPlugin *plugin, const AssaySettings *settings,
                               AssayStreamKey stream, const AssayGranted *granted,
                               AssayGuess **ret_guess, GError **error);

/* What a metric makes of a guess, to be cleared with assay_pool_clear. */
gboolean assay_by_hand_measure (const AssayMetric *metric, const AssayMetricContext *context,
                                const AssayTruth *truth, const AssayGuess *guess,
                                AssayPool *ret_pool, GError **error);
/* One measure of it as an object. */
void assay_by_hand_write (AssayJson *json, const AssayMeasure *measure,
                          const AssayInterval *interval, double confidence,
                          const AssaySettings *settings);
