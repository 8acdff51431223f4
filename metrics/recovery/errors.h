/* What the metrics of reconstruction share. */
#pragma once

#include "core/plugin/plugin.h"

/* ||d^_i - d_i|| / ||d_i|| for every secret, in double; @ret_n their number. A secret of zeros is
 * ASSAY_ERROR_DATA, estimates of another shape ASSAY_ERROR_MISMATCH. Free with g_free. */
double *metric_relative_errors (const AssayTruth *truth, const AssayGuess *guess, gsize *ret_n,
                                GError **error);

/* The group of a secret, as a unit's number (AssayMeasuring.names_units); -1: secrets have none, or
 * it is not known which. */
double metric_group_of (const AssayTruth *truth, gint64 secret);

/* The same; where secrets have no groups, a number of its own for each, the same in every trial. */
double metric_number_of_secret (const AssayTruth *truth, gint64 secret);

/* The sum of updates in step @step, as a unit's number: another one in each trial, by the models up
 * to what was made of it, where the release (NULL: not known) has that step. */
double metric_number_of_sum (const AssayRelease *release, gsize step);

/* What each of @n units does to the ratio of the sums of @right and @all (the delta method, as
 * metrics/recovery/weight-recovery.c says); FALSE: there is none. */
gboolean metric_take_ratio (const double *right, const double *all, gsize n, double *ret_outcomes);

/* Leaves out the series from @first to before @end, for the same reason. */
void metric_leave_out (AssayOutcomes *outcomes, guint first, guint end, const char *reason, ...)
    G_GNUC_PRINTF (4, 5);

/* The secrets and the estimates, of equal shape. */
gboolean metric_pair (const AssayTruth *truth, const AssayGuess *guess, AssayView *ret_secrets,
                      AssayView *ret_estimates, GError **error);

/* The descriptor of a metric of what was found of the updates of users, with the callback
 * `measure`. */
#define UPDATES_METRIC(symbol, name, ...)                                                          \
  ASSAY_METRIC (symbol, name, .reads = ASSAY_RELEASE_UPDATES,                                      \
                .reads_truth = ASSAY_ARRAY_NAMES ("updates"), .has_own_units = TRUE,               \
                .measure = measure, __VA_ARGS__)
