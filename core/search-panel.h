/* How the rows of a set are cut for a search. */
#pragma once

#define PANEL 512 /* rows, at most; and stacked rows of queries in a product */
#define LANES 16
#define TILE 64 /* four vectors: as many independent chains as hide the latency of an addition */
