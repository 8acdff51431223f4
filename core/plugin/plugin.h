/* Plugins of every type. A plugin includes this header, or that of its type alone, and for its
 * kernels those of core/math and core/search.
 *
 * A plugin is one file; its descriptor stands last in it, for example
 *
 *   ASSAY_ATTACK (nearest, "nearest", .summary = ..., ...);
 *
 * and its id is one line in the folder's meson.build, from which the registry is generated. */
#pragma once

#include "core/plugin/attack.h"
#include "core/plugin/auditor.h"
#include "core/plugin/dataset.h"
#include "core/plugin/defense.h"
#include "core/plugin/metric.h"
#include "core/plugin/utility.h"

G_BEGIN_DECLS

/* What is external about it; NULL: nothing. */
const AssayExternal *assay_plugin_external (const AssayPlugin *plugin);

/* The control of an attack or an auditor. */
typedef struct {
  gboolean is_there; /* an external guess has none */
  const char *says;
  double at_least;
} AssayControlTerms;

AssayControlTerms assay_control_terms (const AssayPlugin *plugin);

G_END_DECLS
