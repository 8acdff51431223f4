/* Outcomes of units, prepared for one statistic: what intervals (core/stats/interval.h) and tests
 * (core/stats/bound-test.h) are both made from, so that they cannot disagree about the method. */
#pragma once

#include "core/base/free.h"
#include "core/base/rng.h"
#include "core/stats/measure.h"

#define ASSAY_RESAMPLES 2000

/* How a statistic of these units is judged. */
typedef enum {
  ASSAY_SAMPLE_BINOMIAL,        /* a rate of independent units */
  ASSAY_SAMPLE_EXTREME,         /* all units of a share are 0, or all are 1 */
  ASSAY_SAMPLE_ORDER,           /* a quantile of independent units: order statistics */
  ASSAY_SAMPLE_BOOTSTRAP,       /* a mean of independent units */
  ASSAY_SAMPLE_GROUP_T,         /* of units in few groups: t on the groups' own statistics */
  ASSAY_SAMPLE_GROUP_BOOTSTRAP, /* of units in many groups: whole groups are drawn */
  ASSAY_SAMPLE_CROSSED,         /* of units in two groups each (crossed.h) */
  ASSAY_SAMPLE_TOO_SMALL,       /* one group, or the mean of one unit: nothing to judge by */
  ASSAY_SAMPLE_EXCESS,          /* of a share over that of a control (excess.h) */
  ASSAY_SAMPLE_AUDIT,           /* what distinguishing games counted (core/stats/epsilon.h) */
} AssaySampleMethod;

typedef struct {
  double value;
  gsize group;    /* 0 .. n_groups - 1; 0 for independent units */
  gsize other;    /* under CROSSED: its second group, numbered likewise */
  double control; /* under EXCESS; the value is then whether the guess was right */
} AssayUnit;

typedef struct {
  const AssayMeasure *measure;
  AssayUnit *units; /* by value */
  gsize n;
  gsize n_groups; /* 0: independent */
  gsize n_others; /* second groups where they are of another kind (trainings); 0: of the same */
  AssaySampleMethod method;
  double p;               /* of a quantile; -1: not one */
  gboolean is_difference; /* of two outcomes of each unit, in the range of the measure */
  double estimate;        /* the statistic; under GROUP_T the mean of the groups' own statistics */
  AssayAudit audit;       /* under AUDIT, where there are no units */
} AssaySample;

/* @groups: one number per unit, equal numbers belong together; NULL: independent. n >= 1. */
AssaySample *assay_sample_new (const AssayMeasure *measure, const double *values,
                               const gint64 *groups, gsize n);
/* The same where each unit belongs to a second group. @is_of_one_kind: both are numbers of the same
 * things (the two secrets of a mixture, which may be one), otherwise of different ones (a row and
 * the training under which it was tested). */
AssaySample *assay_sample_new_crossed (const AssayMeasure *measure, const double *values,
                                       const gint64 *groups, const gint64 *others,
                                       gboolean is_of_one_kind, gsize n);
/* The sample of a measure of epsilon; n is the number of runs a side (or of guesses). */
AssaySample *assay_sample_new_audit (const AssayMeasure *measure, const AssayAudit *audit);
/* That of an excess: whether the guess of each unit was right (0 to 1), and what the control says
 * of the unit (-1 to 2; the mean is that of the control, below 1). */
AssaySample *assay_sample_new_excess (const AssayMeasure *measure, const double *success,
                                      const double *control, const gint64 *groups, gsize n);
/* That of the mean difference of two outcomes of each unit, which lie in the range of @measure (a
 * mean; the range is finite). It is judged as means of shares are, whatever the range. */
AssaySample *assay_sample_new_difference (const AssayMeasure *measure, const double *differences,
                                          const gint64 *groups, gsize n);
ASSAY_DECLARE_FREE (AssaySample, assay_sample_free)

/* Units, or groups where they come in groups: what may be counted as independent. */
gsize assay_sample_n_independent (const AssaySample *sample);

/* The statistic of ASSAY_RESAMPLES resamples (of units or of whole groups), ascending; free with
 * g_free. For the two bootstrap methods. */
double *assay_sample_resample (const AssaySample *sample, AssayStreamKey stream);

/* Standard error of the mean of the groups' statistics, G - 1 degrees of freedom. For GROUP_T. */
double assay_sample_group_error (const AssaySample *sample);

/* Units with a value below, and above, @bound. */
void assay_sample_count (const AssaySample *sample, double bound, gsize *ret_below,
                         gsize *ret_above);

/* The p-quantile of @n ascending values, interpolated linearly (type 7 of Hyndman and Fan 1996). */
double assay_sorted_quantile (const double *sorted, gsize n, double p);
