/* The coarse pass of a scan, for scan.c alone: which rows of a panel cannot be among the nearest of
 * a subspace, at a quarter of the cost of finding out how far they are. See scan-prune.c. */
#pragma once

#include "core/data/arena.h"

typedef struct _Prune Prune;
typedef struct _PrunePanel PrunePanel; /* what one thread knows of the panel that it has loaded */

/* Bytes of the coarse pass for one subspace, and for one thread. */
gsize prune_subspace_bytes (gsize stacked, gsize cols);
gsize prune_panel_bytes (gsize panel, gsize cols);

/* The pass is made for rows of no more columns, */
#define PRUNE_MAX_COLS 1024

/* and where the machine has the instructions. */
gboolean prune_is_possible (void);

/* For up to @n_subspaces of @stacked rows each, @block to a product. It is in @arena, as panels
 * are. */
Prune *prune_new (gsize n_subspaces, gsize stacked, gsize block, gsize cols, AssayArena *arena,
                  GError **error);

/* Takes in subspace @index of the batch, given its stacked rows [t'; B]. */
void prune_set_subspace (Prune *prune, gsize index, const float *stack);

PrunePanel *prune_panel_new (gsize panel, gsize cols, AssayArena *arena, GError **error);
void prune_panel_load (PrunePanel *panel, const float *rows, const float *norms, gsize count,
                       gsize cols);

/* Whether the product of @n_stacked rows of subspaces and @width rows of a panel has the bits of
 * prune_products, which is tried out; never where the processor has no instructions for them. */
gboolean prune_has_chains (gsize n_stacked, gsize width, gsize cols);

/* Whether the last passes over @block were worth their time, so that the next should be made. */
gboolean prune_is_due (Prune *prune, gsize block);

/* Subspaces @first .. @first + @n, and the squared distance of each that is of interest. */
typedef struct {
  gsize first, n;
  const float *bars;
} PruneBars;

/* Marks the rows that may be no farther than the bars say, and returns how many marks there are:
 * @ret_marks has PRUNE_WORDS words a subspace. @scratch has room for the products of one subspace
 * with 64 rows. */
gsize prune_mark (const Prune *prune, const PrunePanel *panel, const PruneBars *bars,
                  gint32 *scratch, guint64 *ret_marks);
/* Whether so many of @pairs of rows and subspaces are too many to go on with, rather than
 * multiplying @block as a whole. */
gboolean prune_is_vain (Prune *prune, gsize block, gsize n_marks, gsize n_pairs);

/* The products (stacked x PANEL) of the @n rows of @panel numbered by @lanes with subspace @index,
 * to the bit as the product of the whole block has them. */
void prune_products (const Prune *prune, gsize index, const float *panel, const guint16 *lanes,
                     gsize n, float *ret_products);

#define PRUNE_WORDS 8
