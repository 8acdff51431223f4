/* Members of JSON records that nobody knows. */
#pragma once

#include <json-glib/json-glib.h>

/* That @object, which messages call @where, has members of the list @known alone (NULL ends).
 * ASSAY_ERROR_DATA names the member, the nearest known one or the object that it belongs into, and
 * all that are known. */
gboolean assay_record_check_members (JsonObject *object, const char *where,
                                     const char *const *known, GError **error);
