/* How the rows of a set are cut for a search. */
#pragma once

#include <glib.h>

#define PANEL 512 /* rows, at most; and stacked rows of queries in a product */
#define LANES 16
#define TILE 64 /* four vectors: as many independent chains as hide the latency of an addition */
#define PANEL_BYTES (4 << 20) /* of a panel, and of the stacked rows of a block of queries */

/* Of rows of @cols floats. */
static inline gsize
search_panel_rows (gsize cols)
{
  return CLAMP (PANEL_BYTES / sizeof (float) / MAX (cols, 1) / TILE * TILE, TILE, PANEL);
}

/* The rows of a panel that are computed with, some of them beyond the last of the set: BLAS treats
 * those at the edge of a product otherwise than those inside, and the scores of copies of one row
 * must not differ. */
static inline gsize
search_whole_tiles (gsize count)
{
  return (count + TILE - 1) / TILE * TILE;
}
