/* From a scenario to its plan. */
#pragma once

#include "runner/plan/plan.h"

typedef struct {
  const char *const *assignments; /* of --set; NULL: none */
  gboolean has_seed;
  guint64 seed;
  gboolean has_trials;
  guint64 trials;
  /* Of a run that was made before (runner/store/manifest.h): what it was made of. Then neither the
   * scenario's file nor data is read, and the machine need not be able to run it. NULL: read
   * them. */
  const char *text;
  const AssayProbe *probes;
  guint n_probes;
} AssayPlanOptions;

AssayPlan *assay_plan_new (const char *scenario_path, const AssayPlanOptions *options,
                           GError **error);
