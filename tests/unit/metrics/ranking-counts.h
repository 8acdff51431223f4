/* Items ranked by their distances, as the tests of retrieval count them. */
#pragma once

#include "core/base/rng.h"
#include "metrics/retrieval/ranking.h"

AssayStreamKey retrieval_key (guint64 trial);

/* Distances 0 .. bits of @n items, as the counts that rankings are. */
Ranking retrieval_count (const gsize *distances, const gboolean *relevant, gsize n, gsize bits,
                         guint32 *ret_items, guint32 *ret_relevant);
