/* What varies in a scenario, and names of lines from it. */
#pragma once

#include "runner/judge/results.h"

G_BEGIN_DECLS

/* Parts of one label, which stand side by side in the plan. */
typedef struct {
  guint first;
  guint end;
  GPtrArray *varying; /* const AssayParam: settings that differ among them */
} AssayVaried;

/* Of every part of @parts (of AssayPart) its group, shared by the parts of one label. */
GPtrArray *assay_varied_new (const GPtrArray *parts);

/* The setting of @group called @name, if it is a number and varies; NULL otherwise. */
const AssayParam *assay_varied_find (const AssayVaried *group, const char *name);
/* The number with most values in @group; of several the last. NULL: none varies. */
const AssayParam *assay_varied_longest (const AssayVaried *group, const GPtrArray *parts);
gboolean assay_varied_is_number (const AssayParam *param);

/* The value of @param, a number. */
double assay_varied_value (const AssayPart *part, const AssayParam *param);

/* "lifting variant=hybrid": the label and what varies, but for the setting called @except (NULL:
 * all of it). */
char *assay_varied_name (const AssayVaried *group, const AssayPart *part, const char *except);

/* @text in small letters, digits and single hyphens, at most @most of them. */
char *assay_curve_slug (const char *text, gsize most);

G_END_DECLS
