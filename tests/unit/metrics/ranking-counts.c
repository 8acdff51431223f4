#include "tests/unit/metrics/ranking-counts.h"

#include <string.h>

AssayStreamKey
retrieval_key (guint64 trial)
{
  return assay_stream_key (29, trial, "retrieval", "");
}

Ranking
retrieval_count (const gsize *distances, const gboolean *relevant, gsize n, gsize bits,
                 guint32 *ret_items, guint32 *ret_relevant)
{
  memset (ret_items, 0, (bits + 1) * sizeof *ret_items);
  memset (ret_relevant, 0, (bits + 1) * sizeof *ret_relevant);
  for (gsize i = 0; i < n; i++) {
    ret_items[distances[i]]++;
    ret_relevant[distances[i]] += relevant[i] ? 1 : 0;
  }
  return (Ranking){ .bits = bits, .items = ret_items, .relevant = ret_relevant };
}
