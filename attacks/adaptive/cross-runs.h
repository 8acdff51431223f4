/* Runs of a defense on the same rows under two keys, from which it is learned what of an item stays
 * the same. */
#pragma once

#include "core/plugin/plugin.h"

/* All runs that @seen has left, less one if that is odd: AssayOwnRelease, of which 2 k and 2 k + 1
 * are of the same public rows, which all attacks on a release choose alike. */
GPtrArray *cross_runs_make (const AssayObservation *seen, GError **error);
