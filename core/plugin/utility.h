/* Utilities: a release in, outcomes out: what an honest receiver still gets from it. */
#pragma once

#include "core/plugin/measuring.h"

G_BEGIN_DECLS

typedef struct {
  gconstpointer settings;
  const AssayDataset *dataset;
  AssayStreamKey stream; /* of those that draw numbers (training) */
} AssayUtilityContext;

/* All that a utility receives beside the dataset (context). The truth tells which secrets of the
 * dataset these are: their groups, labels and frames. */
typedef struct {
  const AssayRelease *release;
  const AssayTruth *truth;
} AssayReceived;

typedef struct {
  union {
    AssayPlugin plugin;
    AssayMeasuring measuring;
    struct {
      ASSAY_MEASURING_COMMON;
    };
  };
  /* Optional arrays of a release without which there is nothing to assess: names, NULL ends. NULL:
   * none. */
  const char *const *reads_arrays;
  gboolean (*assess) (const AssayUtilityContext *context, const AssayReceived *received,
                      AssayOutcomes *ret_outcomes, GError **error);
} AssayUtility;

ASSAY_PLUGIN_DEFINE_CAST (AssayUtility, utility, UTILITY)

#define ASSAY_UTILITY(symbol, name, ...)                                                           \
  const AssayUtility assay_utility_##symbol                                                        \
      = { .type = ASSAY_PLUGIN_UTILITY, .id = name, __VA_ARGS__ }

G_END_DECLS
