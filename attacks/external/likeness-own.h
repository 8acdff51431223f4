/* Cases of the games infer, member and cross that look like a cell. */
#pragma once

#include "attacks/external/likeness-parts.h"

/* infer: items of the rows that the program learns from, whose attributes stand beside them. Leaves
 * the release NULL where it has no such rows. */
gboolean likeness_infer (Likeness *making, GError **error);

/* member: half of the records are released as they are, and so are the rows of its runs; where a
 * release is of vectors as wide as records, and has room for half of them at least. Otherwise the
 * release is left NULL. */
gboolean likeness_member (Likeness *making, GError **error);

/* cross: both releases have the same items, as they were released in the first; the program may run
 * the defense as in the cell. */
gboolean likeness_cross (Likeness *making, GError **error);
