/* Rows that repeat others, exactly or nearly, where chance does not explain it. */
#pragma once

#include "core/math/row-spread.h"

/* Rows sorted into parts by joining two at a time (Tarjan 1975, "Efficiency of a good but not
 * linear set union algorithm"). A part is named by its first row. */
typedef struct {
  gsize n;
  gsize *parent; /* itself: the first of its part */
} AssayPartition;

/* Every row is a part of its own. */
AssayPartition *assay_partition_new (gsize n);
ASSAY_DECLARE_FREE (AssayPartition, assay_partition_free)

/* The first row of the part that @row is in. */
gsize assay_partition_find (AssayPartition *partition, gsize row);
/* Joins the parts of two rows; FALSE: they were one. */
gboolean assay_partition_join (AssayPartition *partition, gsize a, gsize b);

/* A row by what was made of it: equal keys are candidates. */
typedef struct {
  guint64 key;
  gsize row;
} AssayKeyedRow;

/* Of @cols numbers; equal rows (0 and -0 are equal) have equal keys. */
guint64 assay_row_key (const float *row, gsize cols);
/* For qsort: by keys, equal ones by their rows. */
int assay_compare_keyed_rows (gconstpointer a, gconstpointer b);

/* Joins equal rows (0 and -0 are equal). Returns how many rows repeat one before them. */
gsize assay_copies_find_equal (AssayView rows, AssayPartition *inout_parts);

/* Whether @distinct rows (no two are equal), of which @n rows in @n_equal pairs of equal ones were
 * drawn, may be what rows of few or coarse columns are: equal by chance.
 *
 * Two different rows agree in column j with probability p_j. If columns were independent, two drawn
 * rows would be equal with the product of these; as columns say part of the same, its square root
 * is taken. Up to four times as many equal pairs as that are chance. With fewer than eight columns
 * that vary they always are, unless three columns have a value of its own for nearly every row. One
 * distinct row is never chance. */
gboolean assay_copies_may_be_chance (AssayView distinct, gsize n, double n_equal);

/* Joins rows of the view that are at most @distance apart: all but one pair in seven hundred that
 * are as far apart as that, and nearly all that are nearer (eight tables of four random projections
 * each; Datar and others 2004, "Locality-sensitive hashing scheme based on p-stable
 * distributions"). Returns how many parts became others. */
gsize assay_copies_find_near (AssayView rows, double distance, AssayStreamKey key,
                              AssayPartition *inout_parts);
