/* The kernels of the coarse pass of a scan, for scan-prune.c alone: products of bytes with the
 * AVX-512 VNNI instructions, 64 multiplications each where one of float32 makes 16; and chains of
 * fused multiply-adds. Where the processor has no such instructions there is no coarse pass.
 *
 * Quantised rows stand in groups of GROUP rows, four columns of a row in one 32-bit lane: columns
 * 4 q .. 4 q + 3 of row r are bytes 4 r .. 4 r + 3 of the q-th vector of a group. */
#pragma once

#include <glib.h>

#include "core/search/search-panel.h"

#define GROUP 16
#define GROUPS (TILE / GROUP)
#define MAX_DIRECTIONS 6 /* whose sums for a tile stay in registers: 24 of 32 */
#define CHAINS 8          /* rows whose chains are computed at a time, so that none waits */
#define CHAIN_LANES 8

/* What the coarse pass knows of the rows of a panel. */
typedef struct {
  float scale[PANEL];  /* of the quantised row */
  float error[PANEL];  /* at least the length of what quantisation has changed */
  float length[PANEL]; /* at least that of the quantised row */
} CoarseRows;

/* And of a subspace: bounds of lengths, from above. */
typedef struct {
  float square;  /* ||t'||^2, less rounding */
  float keep;    /* 1 less rounding, of ||w||^2 */
  float length;  /* ||t'|| */
  float t_error; /* of the quantised t' */
  float b_norm;  /* spectral norm of B */
  float b_error; /* spectral norm of what quantisation has changed of B */
} CoarseSubspace;

/* Products of a quantised subspace with the rows of a tile. */
typedef struct {
  const gint32 *sums;  /* stacked x TILE */
  const float *scales; /* stacked: of the quantised rows of the subspace */
  gsize stacked;
} CoarseProducts;

/* The @n stacked rows of one or more subspaces as the columns of @transposed (cols x width). */
typedef struct {
  const float *transposed;
  gsize width, n, cols;
} ChainStack;

/* Whether the processor has the instructions; nothing else of this file is called where it has
 * not. */
gboolean vnni_is_there (void);
gboolean vnni_any_below_zero (const float *values, gsize count);

/* Row ~ scale * (bytes - @zero), with @zero = 0 (the row has no value below 0) or 128. Rows so
 * short that squares underflow are quantised to nothing. */
void vnni_quantise_row (const float *row, gsize cols, gint zero, guint8 *ret_bytes,
                        float *ret_scale, float *ret_error);

/* The products of a tile with @n directions (4 quads bytes each), n x TILE, counted from @start. */
void vnni_multiply_tile (const guint8 *tile, gsize quads, const gint8 *directions,
                         const gint32 *start, gsize n, gint32 *ret_products);

/* The rows of a tile whose squared distance may be no more than @bar, one bit each. A bound that
 * is not finite rules nothing out. */
guint64 vnni_mark_near (CoarseProducts products, const CoarseRows *rows, const float *norms,
                        gsize tile, const CoarseSubspace *subspace, float bar);

/* The products of the first @n <= CHAINS of @lanes of a panel with all rows of @stack, each one
 * chain of fused multiply-adds from the first column of the panel to the last. */
void vnni_multiply_chains (const ChainStack *stack, const float *panel, const guint16 *lanes,
                           gsize n, float *ret_products);
