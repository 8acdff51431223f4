/* Measures: what a number that a metric or utility gives is called, and what is made of the
 * outcomes of its units. */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

/* How the outcomes of the units (secrets) become one number with an interval. */
typedef enum {
  ASSAY_STATISTIC_RATE, /* outcomes are 0 or 1 */
  ASSAY_STATISTIC_MEAN,
  ASSAY_STATISTIC_LOWER_QUARTILE,
  ASSAY_STATISTIC_MEDIAN,
  ASSAY_STATISTIC_UPPER_QUARTILE,
  /* How far a share exceeds that of a control: (share - control) / (1 - control) (excess.h). */
  ASSAY_STATISTIC_EXCESS,
  ASSAY_STATISTIC_EPSILON, /* a lower bound from the counts of audits, one unit a trial */
} AssayStatistic;

typedef struct {
  const char *name; /* as claims and results name it; NULL ends a list */
  guint series;     /* which of the metric's outcome series it summarises */
  AssayStatistic statistic;
  gboolean higher_is_worse; /* a higher value is worse for privacy */
  gboolean is_leak;         /* of a utility: what it measures is what somebody learns */
  gboolean is_headline;     /* stands in the terminal's table */
  double low, high;         /* the range of possible values */
  const char *unit;
  const char *help;
  /* Of an excess: the series of right guesses (0 or 1), and that of the control. `series` is then
   * what each unit does to the excess, of which it is the mean. */
  guint success, control;
  /* What units have may lie outside the range, in which their mean is: what each does to it. */
  gboolean is_influence;
  const char
      *mark; /* of a rate: what stands at pictures of units that have it, in contact sheets */
  gboolean is_reach; /* a share of what the attack could have looked at: below 1, what it did not
                      * recover decides nothing */
  gboolean is_reference; /* what chance gives, or a guess without the release: no leak by itself */
  gboolean tells_apart;  /* a share of secrets at which guesses point, among all of a trial */
} AssayMeasure;

/* The measure @label of series @of. What follows its help are further members, among them these. */
#define ASSAY_MEASURE(of, label, how, least, most, measured_in, ...)                               \
  {                                                                                                \
    .series = (of), .name = (label), .statistic = ASSAY_STATISTIC_##how, .low = (least),           \
    .high = (most), .unit = (measured_in), .help = __VA_ARGS__                                     \
  }
#define ASSAY_HEADLINE .is_headline = TRUE
#define ASSAY_HIGHER_IS_WORSE .higher_is_worse = TRUE
#define ASSAY_IS_LEAK .is_leak = TRUE
#define ASSAY_IS_REFERENCE .is_reference = TRUE
#define ASSAY_TELLS_APART .tells_apart = TRUE
#define ASSAY_MEASURE_END                                                                          \
  {                                                                                                \
    .name = NULL                                                                                   \
  }

typedef enum {
  ASSAY_AUDIT_TWO_INPUTS,
  ASSAY_AUDIT_ONE_RUN,
} AssayAuditKind;

/* What an audit counted (core/stats/epsilon.h). Runs, hits and mistakes of several audits of one
 * mechanism at one delta may be added up. */
typedef struct {
  AssayAuditKind kind;
  double delta;
  guint64 runs;     /* N, on each input; one run: guesses r */
  guint64 hits;     /* tp; one run: right guesses v */
  guint64 mistakes; /* fp; one run: canaries m */
} AssayAudit;

G_END_DECLS
