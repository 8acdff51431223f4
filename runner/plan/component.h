/* From a group of a scenario to components of a plan: plugin, settings, sweep, grants, tuning. */
#pragma once

#include "runner/plan/plan.h"
#include "runner/plan/scenario.h"

/* Every combination of @group's settings as an AssayComponent added to @ret_components; the key
 * that stands last varies fastest. Keys in @reserved (NULL-terminated) are left to the caller.
 * Errors name file, line, group and key. */
gboolean assay_component_from_group (const AssayGroup *group, AssayPluginType type,
                                     const char *const *reserved, GPtrArray *ret_components,
                                     GError **error);

/* Names each component by its label and by the settings in which those of that label differ. */
void assay_component_set_names (GPtrArray *components);
