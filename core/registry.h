/* The plugins that were built in, sorted by id. The tables are generated from the lists in the
 * folders' meson.build (tools/generate-registry); a missing descriptor is a link error. */
#pragma once

#include "core/plugin.h"

G_BEGIN_DECLS

/* NULL-terminated. */
extern const AssayDefense *const assay_defenses[];
extern const AssayAttack *const assay_attacks[];
extern const AssayMetric *const assay_metrics[];
extern const AssayDatasetPlugin *const assay_datasets[];

/* The plugins of @type as their common part, NULL-terminated, valid for ever. */
const AssayPlugin *const *assay_registry_list (AssayPluginType type);

/* The plugin called @id, or ASSAY_ERROR_UNKNOWN_PLUGIN with the closest match. The result may be
 * cast to the descriptor of @type. */
const AssayPlugin *assay_registry_find (AssayPluginType type, const char *id, GError **error);

const char *assay_plugin_type_name (AssayPluginType type); /* "defense" */

G_END_DECLS
