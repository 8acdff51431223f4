/* Whether a descriptor is whole: what is asked of plugins that nobody here compiled. */
#pragma once

#include "core/plugin/plugin.h"

/* ASSAY_ERROR_DATA, naming the plugin and the member, where metadata, a setting or a callback is
 * missing or cannot be so. */
gboolean assay_plugin_check (const AssayPlugin *plugin, GError **error);
