/* Rows sorted into parts by joining two at a time (Tarjan 1975, "Efficiency of a good but not
 * linear set union algorithm"). A part is named by its first row. */
#pragma once

#include <glib.h>

typedef struct {
  gsize n;
  gsize *parent; /* itself: the first of its part */
} AssayPartition;

/* Every row is a part of its own. */
AssayPartition *assay_partition_new (gsize n);
void assay_partition_free (AssayPartition *partition);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (AssayPartition, assay_partition_free)

/* The first row of the part that @row is in. */
gsize assay_partition_find (AssayPartition *partition, gsize row);
/* Joins the parts of two rows; FALSE: they were one. */
gboolean assay_partition_join (AssayPartition *partition, gsize a, gsize b);
