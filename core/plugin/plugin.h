/* Plugins of every type. A plugin author includes this header, or that of the type alone, and
 * "search.h", "scan.h", "knn.h" or "linalg.h" for the kernels.
 *
 * A plugin is one file; its descriptor stands last in it, for example
 *
 *   ASSAY_ATTACK (nearest, "nearest", .summary = ..., ...);
 *
 * and its id is one line in the folder's meson.build, from which the registry is generated. */
#pragma once

#include "core/plugin/attack.h"
#include "core/plugin/dataset.h"
#include "core/plugin/defense.h"
#include "core/plugin/metric.h"
