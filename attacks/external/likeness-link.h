/* Cases of the game link that look like a cell. */
#pragma once

#include "attacks/external/likeness-parts.h"

/* Leaves the release NULL where none can be made. */
gboolean likeness_link (Likeness *making, GError **error);
