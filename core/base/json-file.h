/* Reading JSON files, with json-glib behind a check of its own (json/outline.h): json-glib's parser
 * calls itself for each level, so that a file of a million brackets would end the process; takes
 * several values one after another for one, and loses the memory of all but one; reads comments,
 * quotes of another kind and assignments, which are no JSON; and reads 010 as eight, whole numbers
 * beyond 64 bits as others, and the escape of half a pair of UTF-16 as bytes that are no text. */
#pragma once

#include <json-glib/json-glib.h>

/* The one JSON object that the file @path is, immutable and owned by the parser. ASSAY_ERROR_DATA
 * names path, line and column. */
JsonParser *assay_json_load (const char *path, JsonObject **ret_root, GError **error);

/* The member @name of @object that is text, or @otherwise: json-glib's own getters complain aloud
 * of other types. */
const char *assay_json_text (JsonObject *object, const char *name, const char *otherwise);
