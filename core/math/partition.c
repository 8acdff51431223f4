/* Rows sorted into parts by joining two at a time. */
#include "core/math/partition.h"
#include "core/base/free.h"

AssayPartition *
assay_partition_new (gsize n)
{
  AssayPartition *partition = g_new (AssayPartition, 1);

  partition->n = n;
  partition->parent = g_new (gsize, n);
  for (gsize i = 0; i < n; i++)
    partition->parent[i] = i;
  return partition;
}

ASSAY_FREE_FUNC (AssayPartition, assay_partition_free, g_free (self->parent))

/* On the way every second row is led to its grandparent: paths halve. */
gsize
assay_partition_find (AssayPartition *partition, gsize row)
{
  gsize *parent = partition->parent;

  while (parent[row] != row) {
    parent[row] = parent[parent[row]];
    row = parent[row];
  }
  return row;
}

gboolean
assay_partition_join (AssayPartition *partition, gsize a, gsize b)
{
  const gsize x = assay_partition_find (partition, a), y = assay_partition_find (partition, b);

  if (x == y)
    return FALSE;
  partition->parent[MAX (x, y)] = MIN (x, y);
  return TRUE;
}
