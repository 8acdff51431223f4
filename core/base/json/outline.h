/* What is looked at in a JSON file before json-glib parses it (json-file.h says why). */
#pragma once

#include <glib.h>

/* How deep objects and arrays may stand in each other, the first object included. */
#define ASSAY_JSON_MAX_LEVELS 64

/* That the @length bytes of @text are the outline of one object: nothing before or behind it, no
 * more than ASSAY_JSON_MAX_LEVELS levels, outside of strings only characters of JSON, so that no
 * comment hides a bracket, in them only escapes that are text, and numbers as RFC 8259 has them,
 * whole ones within 64 bits. What stands where is json-glib's to judge. ASSAY_ERROR_DATA names
 * @path, line and column. */
gboolean assay_json_check_outline (const char *path, const char *text, gsize length,
                                   GError **error);
