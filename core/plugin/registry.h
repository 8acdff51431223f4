/* The plugins that there are, sorted by id: those that were built in, and those that were loaded
 * (module-loader.h). The tables of the built-in ones are generated from the lists in the
 * folders' meson.build (tools/generate-registry); a missing descriptor is a link error. */
#pragma once

#include "core/plugin/plugin.h"

G_BEGIN_DECLS

/* NULL-terminated. Loading changes them: before it, nothing may keep a place in them. */
extern const AssayDefense *const *assay_defenses;
extern const AssayAttack *const *assay_attacks;
extern const AssayMetric *const *assay_metrics;
extern const AssayDatasetPlugin *const *assay_datasets;

/* The plugins of @type as their common part, NULL-terminated. */
const AssayPlugin *const *assay_registry_list (AssayPluginType type);

/* The plugin called @id, or ASSAY_ERROR_UNKNOWN_PLUGIN with the closest match. The result may be
 * cast to the descriptor of @type. */
const AssayPlugin *assay_registry_find (AssayPluginType type, const char *id, GError **error);

/* The lists of arrays that attacks say they write (AssayAttack.writes), each once; NULL ends. */
const AssayArraySpec *const *assay_registry_guess_arrays (void);

const char *assay_plugin_type_name (AssayPluginType type); /* "defense" */

/* Where a loaded plugin came from. */
typedef struct {
  char *path;   /* of the shared object, as it was found */
  char *sha256; /* of its content */
} AssayPluginOrigin;

/* NULL: built in. */
const AssayPluginOrigin *assay_registry_origin (const AssayPlugin *plugin);

/* Whether it is measured only where it is named: a metric that says so, or that was loaded. */
gboolean assay_metric_on_request (const AssayMetric *metric);

/* Adds a plugin that stays for as long as the process. Fails where another of @type has its id, or
 * another metric one of its measures, and names where that one came from. Before any thread. */
gboolean assay_registry_add (AssayPluginType type, const AssayPlugin *plugin,
                             const AssayPluginOrigin *origin, GError **error);

G_END_DECLS
