/* Metrics: truth and guess in, outcomes out; and utilities: a release in, outcomes out. */
#pragma once

#include "core/data/exchange.h"
#include "core/plugin/common.h"
#include "core/stats/measure.h"

G_BEGIN_DECLS

typedef struct {
  gconstpointer settings;
  const AssayDataset *dataset; /* NULL where folders are measured */
  const AssayRelease *release; /* of which the guess was made; NULL where folders are measured
                                * without it. Utilities are given it with the truth. */
  AssayStreamKey stream;       /* of utilities that draw numbers (training) */
} AssayMetricContext;

#define ASSAY_MAX_SERIES 10
#define ASSAY_AUDIT_SERIES 5 /* of an audit as a unit: see assay_outcomes_take_audit */

/* Outcomes per unit: @n values a series, finite. A series that a case does not allow is left out
 * (NULL) with the reason, and its measures with it: claims that name one are inconclusive. The last
 * series of a metric that names units stays, and one other at least. */
typedef struct {
  gsize n;
  double *series[ASSAY_MAX_SERIES];
  char *omitted[ASSAY_MAX_SERIES]; /* why; NULL: it is there */
} AssayOutcomes;

/* Outcomes of @n units in each of @n_series. */
gboolean assay_outcomes_alloc (AssayOutcomes *outcomes, guint n_series, gsize n, GError **error);
void assay_outcomes_clear (AssayOutcomes *outcomes);

/* An audit as the one unit of a trial (kind, delta, runs, hits, mistakes: counts are exact in a
 * double up to 2^53), and the sum of @n such units. */
void assay_outcomes_take_audit (AssayOutcomes *ret_outcomes, const AssayAudit *audit);
AssayAudit assay_outcomes_audit (const double *const *series, gsize n);

/* All that a utility receives beside the dataset (context). The truth tells which secrets of the
 * dataset these are: their groups, labels and frames. */
typedef struct {
  const AssayRelease *release;
  const AssayTruth *truth;
} AssayReceived;

/* A metric, or a utility: one of `measure`, `audit` and `assess` is there. */
typedef struct {
  union {
    AssayPlugin plugin;
    struct {
      ASSAY_PLUGIN_COMMON;
    };
  };
  const char *const *reads_truth; /* arrays that must be there for the metric to apply; NULL ends */
  const char *const *reads_guess;
  guint reads;          /* utilities, and metrics that read the release: set of AssayReleaseKind */
  guint needs;          /* set of AssayHolding: what the dataset must have for it to apply */
  gboolean finds_order; /* it finds out itself which estimate is of which secret */
  gboolean has_own_units; /* outcomes are of units that are independent and not the secrets:
                           * photographs, test rows, queries */
  gboolean names_units;   /* the last series numbers own units: equal numbers, also in different
                           * trials, belong together (the photograph); below 0: a unit alone */
  gboolean repeats_units; /* own units that are the same in every trial (test rows): several trials
                           * are several outcomes of each, not further units */
  gboolean on_request;    /* measured only where a [metric] of the scenario names it */
  guint n_series;
  const AssayMeasure *measures;
  /* What an honest receiver still gets from a release: a utility. */
  gboolean (*assess) (const AssayMetricContext *context, const AssayReceived *received,
                      AssayOutcomes *ret_outcomes, GError **error);
  /* Pictures of unit number @unit, as it was and as the guess has it, for contact sheets. May be
   * NULL, and set @ret_recovered to NULL where there is none of this unit. */
  gboolean (*show) (const AssayMetricContext *context, const AssayTruth *truth,
                    const AssayGuess *guess, gsize unit, AssayPhoto **ret_original,
                    AssayPhoto **ret_recovered, GError **error);
  /* Of a guess; or of what a game with a mechanism counted. */
  gboolean (*measure) (const AssayMetricContext *context, const AssayTruth *truth,
                       const AssayGuess *guess, AssayOutcomes *ret_outcomes, GError **error);
  gboolean (*audit) (const AssayMetricContext *context, const AssayAudit *audit,
                     AssayOutcomes *ret_outcomes, GError **error);
} AssayMetric;

/* "higher leaks more", or of a utility "lower is more useful". */
const char *assay_measure_direction (const AssayMetric *metric, const AssayMeasure *measure);

#define ASSAY_METRIC(symbol, name, ...)                                                            \
  const AssayMetric assay_metric_##symbol = { .id = name, __VA_ARGS__ }

G_END_DECLS
