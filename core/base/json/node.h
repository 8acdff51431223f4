/* A tree that json-glib has read, written by our writer. json-glib's own generator puts ".0" behind
 * whole numbers with an exponent: 1e92 becomes 1e+92.0, which is no JSON. */
#pragma once

#include <json-glib/json-glib.h>

#include "core/base/json.h"

/* Numbers beyond doubles, which json-glib reads as infinite, are null. */
void assay_json_node (AssayJson *json, JsonNode *node);

/* The same on one line, as text. */
char *assay_json_node_text (JsonNode *node);
