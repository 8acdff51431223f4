/* Cases of releases of all secrets together that look like a cell. */
#pragma once

#include "attacks/external/likeness-parts.h"

/* Sets of rows that the secrets are held against, in `decoys`, one below the other. */
#define LIKENESS_DECOY_SETS 128

/* Of the game reconstruct. Leaves the release NULL where none can be made. */
gboolean likeness_statistics (Likeness *making, GError **error);
