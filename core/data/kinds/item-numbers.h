/* What an attacker would learn from of a released item: plain numbers, which do not change where
 * the release only looks different (another basis of a subspace, another sign of a mask). Each kind
 * says which they are, in its own file. */
#pragma once

#include "core/data/exchange.h"

G_BEGIN_DECLS

/* How many numbers one item has. @n_probes: vectors that some kinds look through (see
 * assay_item_numbers). */
gsize assay_item_numbers_count (const AssayRelease *release, gsize n_probes);

/* Those of all items, one a row. @probes: fixed vectors of as many columns as the rows of the
 * release, which the kinds look through whose items are sets of points; without rows: none. The
 * same probes must be given for releases that are compared. */
AssayMatrix *assay_item_numbers (const AssayRelease *release, AssayView probes, GError **error);

G_END_DECLS
