/* Cases that look like a cell, by the game that is played. Each leaves the release NULL where none
 * can be made: of infer, where there are no rows that the program learns from; of member, where a
 * release is not of vectors as wide as records, or has no room for half of them. */
#pragma once

#include "attacks/external/likeness-parts.h"

gboolean likeness_link (Likeness *making, GError **error);

/* Items of the rows that the program learns from, whose attributes stand beside them. */
gboolean likeness_infer (Likeness *making, GError **error);
/* Half of the records are released as they are, and so are the rows of its runs. */
gboolean likeness_member (Likeness *making, GError **error);
/* Both releases have the same items, as they were released in the first; the program may run the
 * defense as in the cell. */
gboolean likeness_cross (Likeness *making, GError **error);

/* reconstruct, of releases of all secrets together. */
gboolean likeness_statistics (Likeness *making, GError **error);
