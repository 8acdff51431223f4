/* Philox4x32-10 (Salmon et al. 2011, "Parallel random numbers: as easy as 1, 2, 3", section 3.3) of
 * many counters at once: a generator that has no state but its counter can be run in as many lanes
 * as the processor has. */
#pragma once

#include <glib.h>

/* The four words of each of the counters (@block, @item), (@block + 1, @item), ..., @count of them;
 * 4 x count words. */
void assay_philox_fill (const guint32 key[2], guint64 item, guint64 block, gsize count,
                        guint32 *ret_words);
