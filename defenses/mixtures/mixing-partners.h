/* Which images are mixed with which. */
#pragma once

#include "core/plugin/plugin.h"

/* The secrets of one epoch's images, n x s: column 0 is the identity, the others are random
 * permutations of 0 .. n - 1, so that every secret is in exactly s images. The s secrets of an
 * image are distinct; s <= n. Column j draws from item @item + j of @key. */
gboolean mixing_draw_sources (AssayStreamKey key, guint64 item, gsize n, gsize s,
                              gint64 *ret_sources, GError **error);

/* The public rows of @count images, count x p, dealt from shuffled decks of all @n_public: an image
 * gets p distinct ones, and none comes back before its deck is used up but for fewer than p that
 * are left over. p <= n_public. Deck j is shuffled by item @item + j of @key. */
typedef struct {
  gsize n_public;
  gsize count;
  gsize p;
} MixingDraw;

gboolean mixing_draw_partners (const MixingDraw *draw, AssayStreamKey key, guint64 item,
                               gint64 *ret_partners, GError **error);
