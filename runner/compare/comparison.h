/* Runs beside each other, as plain data: a run and its baseline, and the defenses of several runs
 * on common axes. */
#pragma once

#include "runner/judge/results.h"

/* ---- A run and its baseline ---- */

typedef struct {
  const AssayResultCell *cell;        /* pooled */
  const AssayResultMeasure *measure;  /* the first of the series that is compared */
  const AssayResultComponent *metric; /* or utility */
  double before, after;               /* its estimates in both runs; NAN: none */
  AssayPairedTest test;
  double adjusted; /* by Holm over all comparisons */
  gboolean is_worse;
} AssayComparison;

typedef struct {
  char *run;           /* what is compared with it; NULL: the run itself */
  char *folder;        /* of the baseline */
  GArray *comparisons; /* AssayComparison, in the order of results */
  guint n_worse;
  guint n_uncompared;   /* outcomes that only one of the two runs has */
  guint n_no_evidence;  /* comparisons without a control that did not get worse: none is shown */
  guint n_lost;         /* datasets, defenses, attacks and utilities of the baseline alone */
  guint n_lost_metrics; /* which a gate that names its measures does not ask for */
  char *less;           /* what was asked for less than of the baseline, in words; NULL: nothing */
  GPtrArray *changes;   /* strings: what differs between the runs, and is compared all the same */
  GPtrArray *left_out;  /* strings: what is not compared, and why */
} AssayBaseline;

/* ---- Several runs ---- */

typedef struct {
  guint run;
  const AssayResultComponent *defense;
  char *name; /* of the defense; with that of the run where several runs have one so named */
  const AssayResultCell *failed; /* an attack that did not end well, or NULL: what it takes from the
                                  * defense is not known */
  /* An attack without a control, or that looked at a part only; or NULL: it might take more. */
  const AssayResultCell *no_evidence;
  const AssayResultCell *attack; /* the one that leaks most, by its estimate */
  const AssayMeasurement *leak;
  GPtrArray *attacks;             /* AssayResultCell: all that were played and have the measure */
  const AssayResultCell *utility; /* NULL: the axis has none */
  const AssayMeasurement *use;
  gboolean is_optimal; /* by estimates: no other point is as good in both numbers and better in
                        * one; of one number alone none is marked */
} AssayComparePoint;

typedef struct {
  guint better, worse;     /* points */
  double p_leak, p_use, p; /* of "it does not leak less", "it is less useful", and the larger */
  double adjusted;         /* p, by Holm over all pairs that were asked about */
  const char *leak_method; /* NULL: the estimates say no, nothing was tested */
  const char *use_method;
  gboolean dominates;
  char *why_not; /* nothing can be said of this pair, or NULL */
} AssayComparePair;

/* Components and measures are those of the first run. */
typedef struct {
  const AssayResultComponent *dataset; /* the same number in every run */
  const AssayResultComponent *metric;
  const AssayResultMeasure *privacy;
  const AssayResultComponent *utility_by; /* NULL: no utility is common to the runs */
  const AssayResultMeasure *utility;
  GArray *points; /* AssayComparePoint, run after run */
  GArray *pairs;  /* AssayComparePair: ordered pairs of points of different runs */
} AssayCompareAxis;

typedef struct {
  const char *name;    /* the folder, as short as tells it from the others */
  const char *folder;  /* as it was given */
  const char *version; /* of the program that made it */
  const AssayResults *results;
} AssayComparedRun;

typedef struct {
  GArray *runs;     /* AssayComparedRun */
  GPtrArray *names; /* of the runs */
  double margin;    /* "as useful" is to within this share of a measure's range */
  GPtrArray *axes;  /* AssayCompareAxis */
  GPtrArray *notes; /* strings: what is left out, and why */
  guint n_asked;    /* pairs that Holm's correction ran over */
} AssayCompared;

static inline const AssayComparedRun *
assay_compared_run (const AssayCompared *compared, guint index)
{
  return &g_array_index (compared->runs, AssayComparedRun, index);
}

static inline const AssayComparePoint *
assay_compared_point (const AssayCompareAxis *axis, guint index)
{
  return &g_array_index (axis->points, AssayComparePoint, index);
}

static inline const AssayComparePair *
assay_compared_pair (const AssayCompareAxis *axis, guint index)
{
  return &g_array_index (axis->pairs, AssayComparePair, index);
}

/* By how much the estimate of @a is better than that of @b; below 0: worse. */
static inline double
assay_compare_gain (const AssayResultMeasure *measure, const AssayMeasurement *a,
                    const AssayMeasurement *b)
{
  const double difference = a->interval.estimate - b->interval.estimate;

  return measure->higher_is_worse ? -difference : difference;
}

/* The margin in the unit of @measure: 0 for one without a finite range. */
static inline double
assay_compare_margin (const AssayCompared *compared, const AssayResultMeasure *measure)
{
  return measure->low > -G_MAXDOUBLE && measure->high < G_MAXDOUBLE
             ? compared->margin * (measure->high - measure->low)
             : 0;
}
