/* Defenses of several runs on common axes, and which of them is better than which.
 *
 * Only what is alike can be compared: the same data and secrets, trials and seed, metrics with the
 * same settings. Each setting of a defense is one point: how much leaks to the attack that takes
 * most, and how useful the release is. One point dominates another where it leaks less and is at
 * least as useful, both shown by tests (compare-test.h) and corrected by Holm over all pairs
 * of points of different runs. */
#pragma once

#include "runner/store/kept.h"

G_BEGIN_DECLS

typedef struct {
  guint run;
  guint defense; /* among the run's defenses */
  char *name;    /* of the defense; with that of the run where several runs have one so named */
  const AssayResultCell *failed; /* an attack that did not end well, or NULL: what it takes from the
                                  * defense is not known */
  const AssayResultCell *silent; /* an attack without a control, or that looked at a part only; or
                                  * NULL: it might take more */
  const AssayResultCell *attack; /* the one that leaks most, by its estimate */
  const AssayMeasurement *leak;
  GPtrArray *attacks;             /* AssayResultCell: all that were played and have the measure */
  const AssayResultCell *utility; /* NULL: the axis has none */
  const AssayMeasurement *use;
  gboolean is_optimal; /* by estimates: no other point is as good in both and better in one */
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

typedef struct {
  guint dataset; /* the same number in every run */
  const AssayMeasure *privacy;
  const AssaySettings *privacy_settings;   /* the metric's */
  const AssayMeasure *utility;             /* NULL: no utility is common to the runs */
  const AssayPart *utility_part;           /* of the first run */
  const char *privacy_says, *utility_says; /* "higher leaks more" */
  GArray *points;                          /* AssayComparePoint, run after run */
  GArray *pairs; /* AssayComparePair: ordered pairs of points of different runs */
} AssayCompareAxis;

typedef struct {
  const GPtrArray *runs; /* AssayKeptRun */
  GPtrArray *names;      /* of the runs: their folders, as short as tells them apart */
  double confidence;
  double margin;    /* "as useful" is to within this share of a measure's range */
  GPtrArray *axes;  /* AssayCompareAxis */
  GPtrArray *notes; /* strings: what is left out, and why */
  guint n_asked;    /* pairs that Holm's correction ran over */
} AssayCompared;

/* @runs: two or more, finished. ASSAY_ERROR_MISMATCH: they cannot be compared, and why. */
AssayCompared *assay_compare (const GPtrArray *runs, double margin, GError **error);
void assay_compared_free (AssayCompared *compared);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (AssayCompared, assay_compared_free)

/* By how much the estimate of @a is better than that of @b; below 0: worse. */
double assay_compare_gain (const AssayMeasure *measure, const AssayMeasurement *a,
                           const AssayMeasurement *b);

/* The margin in the unit of @measure: 0 for one without a finite range. */
double assay_compare_margin (const AssayCompared *compared, const AssayMeasure *measure);

G_END_DECLS
