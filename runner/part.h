/* From a group of a scenario to the parts of a plan: plugin, settings, sweep, grants, tuning. */
#pragma once

#include "runner/plan.h"

G_BEGIN_DECLS

/* Every combination of @group's settings as an AssayPart added to @ret_parts; the key that stands
 * last varies fastest. Keys in @reserved (NULL-terminated) are left to the caller. Errors name
 * file, line, group and key. */
gboolean assay_parts_from_group (const AssayScenario *scenario, const AssayGroup *group,
                                 AssayPluginType type, const char *const *reserved,
                                 GPtrArray *ret_parts, GError **error);

/* The number of key @name of @group, or @otherwise where it does not stand there. */
gboolean assay_group_integer (const AssayScenario *scenario, const AssayGroup *group,
                              const char *name, gint64 low, gint64 high, gint64 *inout_value,
                              GError **error);

G_END_DECLS
