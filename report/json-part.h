/* One side of a cell, as the JSON files have it. */
#pragma once

#include "core/base/json.h"
#include "runner/judge/results.h"

G_BEGIN_DECLS

/* "key": {"label": ..., "plugin": ..., "settings": {...}, with the object left open. */
void assay_report_json_part (AssayJson *json, const char *key, const AssayResultPart *part,
                             gboolean has_label);

G_END_DECLS
