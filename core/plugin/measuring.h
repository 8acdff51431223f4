/* What metrics and utilities have in common: outcomes of units, and the measures made of them. */
#pragma once

#include "core/data/exchange.h"
#include "core/plugin/common.h"
#include "core/stats/measure.h"

G_BEGIN_DECLS

#define ASSAY_MAX_SERIES 12

/* Outcomes per unit: @n values a series, finite. A series that a case does not allow is left out
 * (NULL) with the reason, and its measures with it: claims that name one are inconclusive. The last
 * series of a metric that names units stays, and one other at least. */
typedef struct {
  gsize n;
  double *series[ASSAY_MAX_SERIES];
  char *omitted[ASSAY_MAX_SERIES]; /* why; NULL: it is there */
  char *says; /* of a utility: what has to be known beside them, such as that the training of a
               * classifier diverged; NULL: nothing */
} AssayOutcomes;

/* Outcomes of @n units in each of @n_series. */
gboolean assay_outcomes_alloc (AssayOutcomes *outcomes, guint n_series, gsize n, GError **error);
void assay_outcomes_clear (AssayOutcomes *outcomes);

#define ASSAY_MEASURING_COMMON                                                                     \
  ASSAY_PLUGIN_COMMON;                                                                             \
  guint reads; /* set of AssayReleaseKind; metrics that do not read the release: none */           \
  guint needs; /* set of AssayHolding: what the dataset must have for it to apply */               \
  /* Outcomes are of units that are independent and not the secrets: photographs, test rows,       \
   * queries. */                                                                                   \
  gboolean has_own_units;                                                                          \
  /* The last series numbers own units: equal numbers, also in different trials, belong together   \
   * (the photograph); below 0: a unit alone. */                                                   \
  gboolean names_units;                                                                            \
  /* So does the series before the last: a unit belongs to two of the same kind (the secrets of a  \
   * mixture). One that belongs to a single one has its number in both. */                         \
  gboolean names_pairs;                                                                            \
  /* Own units are the same in every trial (test rows): several trials are several outcomes of     \
   * each, not further units. */                                                                   \
  gboolean repeats_units;                                                                          \
  /* ... but what they are tested with is made anew in each (a trained network): a trial is a      \
   * sample of that, and counts as one. */                                                         \
  gboolean redraws;                                                                                \
  guint n_series;                                                                                  \
  const AssayMeasure *measures

/* Members of a descriptor: outcomes in @count series, and the measures (ASSAY_MEASURE) of them. */
#define ASSAY_MEASURES(count, ...)                                                                 \
  .n_series = (count), .measures = (const AssayMeasure[]){ __VA_ARGS__, ASSAY_MEASURE_END }

/* A metric or a utility. */
typedef struct {
  union {
    AssayPlugin plugin;
    struct {
      ASSAY_MEASURING_COMMON;
    };
  };
} AssayMeasuring;

/* NULL where the plugin is neither. */
const AssayMeasuring *assay_measuring_of (const AssayPlugin *plugin);

/* "higher leaks more", or of a utility "lower is more useful", unless what it measures is a
 * leak. */
const char *assay_measure_direction (const AssayMeasuring *measuring, const AssayMeasure *measure);

G_END_DECLS
