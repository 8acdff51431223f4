/* What varies in a scenario, and names of lines from it. */
#pragma once

#include "runner/judge/results.h"

/* Components of one label, which stand side by side. */
typedef struct {
  guint first;
  guint end;
  GPtrArray *varying; /* const AssayResultSetting: those that differ among them */
} AssayVaried;

/* Of each of @components (of AssayResultComponent) its group, shared by those of one label. */
GPtrArray *assay_varied_new (const GPtrArray *components);

/* The setting of @group called @name, if it is a number and varies; NULL otherwise. */
const AssayResultSetting *assay_varied_find (const AssayVaried *group, const char *name);
/* The number with most values in @group; of several the last. NULL: none varies. */
const AssayResultSetting *assay_varied_longest (const AssayVaried *group,
                                                const GPtrArray *components);

/* The value of @setting, a number. */
double assay_varied_value (const AssayResultComponent *component,
                           const AssayResultSetting *setting);

/* "lifting variant=hybrid": the label and what varies, but for the setting called @except (NULL:
 * all of it). */
char *assay_varied_name (const AssayVaried *group, const AssayResultComponent *component,
                         const char *except);

/* @text in small letters, digits and single hyphens, at most @most of them. */
char *assay_curve_slug (const char *text, gsize most);
