/* Rows of a large set in lists by the nearest of some centres (an inverted file, IVF): what an
 * approximate search reads instead of all rows (core/search/scan-approximate.h).
 *
 * The centres are those of FAISS's k-means on a sample of the rows, drawn from a stream of its own:
 * they depend on the rows, their scale and the number of lists alone. */
#pragma once

#include "core/data/rows.h"

#define ASSAY_LISTS_MAX 16384

typedef struct {
  gsize count;        /* lists */
  AssayRows *centres; /* count x d */
  gsize *starts;      /* count + 1: where the rows of each list begin in @rows */
  guint32 *rows;      /* numbers of all rows, by list and then in their order */
  gsize longest;      /* rows of the longest list */
} AssayLists;

/* How many lists @n_rows rows get where a setting leaves it open: about 4 sqrt (n), and no more
 * than a sixteenth of the rows or ASSAY_LISTS_MAX. */
gsize assay_lists_count (gsize n_rows);

/* @rows in @count lists. They are kept with the rows (assay_rows_keep) and, where they took long to
 * make, on disk. The same to the bit for any number of threads.
 * ASSAY_ERROR_MISMATCH: more lists than rows or than ASSAY_LISTS_MAX, or 2^32 rows or more.
 * ASSAY_ERROR_DATA: a row is not finite. ASSAY_ERROR_NUMERIC: squares overflow. */
AssayLists *assay_lists_new (const AssayRows *rows, AssayScale scale, gsize count, GError **error);
ASSAY_DECLARE_FREE (AssayLists, assay_lists_free)

/* Bytes at the peak of making them, and what stays with the rows. */
guint64 assay_lists_memory (gsize n_rows, gsize cols, gsize count);
