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
#include "core/plugin/dataset.h"
#include "core/plugin/defense.h"
#include "core/plugin/metric.h"
