/* What was meant by what is refused: " (did you mean ...?)" or other advice for the end of a
 * message, "" where it is not easily told. */
#pragma once

#include "core/plugin/measuring.h"
#include "runner/plan/scenario.h"

/* Adds to the message of assay_scenario_set which group was meant where it is named by its label or
 * its kind alone, or not at all. FALSE. */
gboolean assay_hint_set (const AssayScenario *scenario, const char *assignment, GError **error);
/* Of a bound of a claim: a percentage in place of a share, or an interval. Free it. */
char *assay_hint_bound (const AssayMeasure *measure, const char *value);

/* Where @path is no file: "quickstart.scenario" or "scenarios/quickstart.scenario" of "quickstart",
 * whichever is one; NULL: nothing is known to be meant. */
char *assay_hint_file (const char *path);
