/* Reading keys of a group that are not a plugin's settings. Each error names file, line, group and
 * key. */
#pragma once

#include "runner/plan/scenario.h"

G_BEGIN_DECLS

/* ASSAY_ERROR_SCENARIO for a key that is not in @keys (NULL-terminated), with the closest one. */
gboolean assay_group_check_keys (const AssayScenario *scenario, const AssayGroup *group,
                                 const char *const *keys, GError **error);

/* The text of @key, or NULL in @ret_text where it does not stand there. */
gboolean assay_group_text (const AssayScenario *scenario, const AssayGroup *group, const char *key,
                           char **ret_text, GError **error);

/* The number of @key; where it does not stand there, @inout_value stays as it is. */
gboolean assay_group_integer (const AssayScenario *scenario, const AssayGroup *group,
                              const char *key, gint64 low, gint64 high, gint64 *inout_value,
                              GError **error);

/* The same of the key `confidence`, 0.5 to 0.999999. */
gboolean assay_group_confidence (const AssayScenario *scenario, const AssayGroup *group,
                                 double *inout_value, GError **error);

G_END_DECLS
