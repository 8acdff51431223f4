/* How the rows of a set are cut for a scan. */
#pragma once

#define PANEL 512 /* rows, at most; and stacked rows of subspaces in a product */
#define LANES 16
#define TILE 64 /* four vectors: as many independent chains as hide the latency of an addition */
