/* The plugins that there are, sorted by id: those that were built in, and those that were loaded
 * (module-loader.h). The tables of the built-in ones are generated from the lists in the
 * folders' meson.build (tools/generate-registry); a missing descriptor is a link error. */
#pragma once

#include "core/plugin/plugin.h"

/* One list for each type, NULL-terminated. Loading changes them: before it, nothing may keep a
 * place in them. */
extern const AssayPlugin *const *assay_plugin_lists[ASSAY_N_PLUGIN_TYPES];

/* Each descriptor begins with the members of AssayPlugin, so a list of plugins of one type reads as
 * a list of its descriptors. */
#define assay_datasets                                                                             \
  ((const AssayDatasetPlugin *const *) assay_plugin_lists[ASSAY_PLUGIN_DATASET])
#define assay_defenses ((const AssayDefense *const *) assay_plugin_lists[ASSAY_PLUGIN_DEFENSE])
#define assay_attacks ((const AssayAttack *const *) assay_plugin_lists[ASSAY_PLUGIN_ATTACK])
#define assay_auditors ((const AssayAuditor *const *) assay_plugin_lists[ASSAY_PLUGIN_AUDITOR])
#define assay_metrics ((const AssayMetric *const *) assay_plugin_lists[ASSAY_PLUGIN_METRIC])
#define assay_utilities ((const AssayUtility *const *) assay_plugin_lists[ASSAY_PLUGIN_UTILITY])

/* What users can name where one of @type is asked for, sorted by id: as an attack also an auditor,
 * as a metric also a utility. */
GPtrArray *assay_registry_offers (AssayPluginType type);

/* That of these called @id, or ASSAY_ERROR_UNKNOWN_PLUGIN with the closest match. */
const AssayPlugin *assay_registry_find (AssayPluginType type, const char *id, GError **error);

/* The lists of arrays that attacks say they write (AssayAttack.writes), each once; NULL ends. */
const AssayArraySpec *const *assay_registry_guess_arrays (void);

/* In the words of users: "defense"; of an auditor "attack". */
const char *assay_plugin_type_name (AssayPluginType type);

/* Where a loaded plugin came from. */
typedef struct {
  char *path;   /* of the shared object, as it was found */
  char *sha256; /* of its content */
} AssayPluginOrigin;

/* NULL: built in. */
const AssayPluginOrigin *assay_registry_origin (const AssayPlugin *plugin);

/* Whether it is measured only where it is named: a metric that says so, or that was loaded. */
gboolean assay_metric_on_request (const AssayMetric *metric);

/* Adds a plugin that stays for as long as the process. Fails where another that users can name in
 * its place has its id, or another metric or utility one of its measures, and names where that one
 * came from. Before any thread. */
gboolean assay_registry_add (const AssayPlugin *plugin, const AssayPluginOrigin *origin,
                             GError **error);
