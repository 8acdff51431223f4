/* What of a released item stays the same under another key of the defense: ways of seeing the items
 * of a release, of which an attacker tries which one links.
 *   numbers  as they are, less their mean: defenses whose key leaves the axes alone
 *   axes     the sizes of their components along the principal axes of the release itself: turned
 *            and mirrored releases have the same ones (Liu, Giannella and Kargupta 2006)
 *   shape    length, mean and sorted numbers of an item: rotations keep the length, permutations
 *            the sorted numbers, codes under another mask nothing */
#pragma once

#include "core/data/exchange.h"

typedef enum {
  CROSS_NUMBERS,
  CROSS_AXES,
  CROSS_SHAPE,
  CROSS_N_VIEWS,
} CrossView;

extern const char *const cross_view_names[]; /* ... "best"; NULL ends */

/* @release in this view, items x numbers: centred, as what all items share is the key's. Of
 * releases of equally many numbers an item as many. */
AssayMatrix *cross_view (CrossView view, const AssayRelease *release, GError **error);
