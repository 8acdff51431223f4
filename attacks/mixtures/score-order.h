/* The order of scores, the best first: what ranking candidates comes down to. */
#pragma once

#include <glib.h>

/* The rows of the @keep (1 to @n < 2^32) largest of @n scores, best first, equal ones in row order.
 * @words: room for 2 x n, whatever it holds. */
void score_order (const float *scores, gsize n, gsize keep, guint64 *words, gint64 *ret_rows);
