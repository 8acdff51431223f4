/* Components in JSON. */
#pragma once

#include "core/base/json.h"
#include "runner/judge/results.h"

/* The object of one component, left open for what else stands there. */
void assay_report_json_component (AssayJson *json, const char *key,
                                  const AssayResultComponent *component, gboolean has_label);
