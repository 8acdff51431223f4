/* The member "parameters" of release.json. */
#pragma once

#include <glib.h>
#include <json-glib/json-glib.h>

#include "core/base/json.h"
#include "core/data/kinds/parameters.h"

/* Writes what is known into the open object of @json; nothing where nothing is. */
void assay_parameters_write (AssayJson *json, const AssayParameters *parameters);

/* Reads it from @root, for a release of @kind. Names that the kind does not have, wrong types and
 * values out of range are ASSAY_ERROR_DATA. */
gboolean assay_parameters_read (JsonObject *root, const char *kind, AssayParameters *parameters,
                                GError **error);
