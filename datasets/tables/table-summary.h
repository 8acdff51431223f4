/* What a table holds, in one pass. */
#pragma once

#include "datasets/tables/table.h"

typedef struct {
  gsize n_finite;
  gsize n_not_finite;
  gboolean is_whole; /* every number is finite and whole */
  char *least;       /* of the finite numbers; NULL: there is none */
  char *most;
  double mean;
  guint8 least_label[ASSAY_TABLE_MAX_LABELS]; /* of each label of a row */
  guint8 most_label[ASSAY_TABLE_MAX_LABELS];
  gsize n_duplicates; /* rows whose bytes are those of an earlier one; labels are no part of it */
  char *file_sha256;  /* of the file as it is on disk */
  char *rows_sha256;  /* of the numbers, row after row: in NumPy hashlib.sha256 (a.tobytes ()) */
} AssayTableSummary;

/* Reads all of @table, which is at its beginning. ASSAY_ERROR_DATA of assay_table_read,
 * ASSAY_ERROR_CANCELLED where @is_cancelled says so. */
AssayTableSummary *assay_table_summarise (AssayTable *table, gboolean (*is_cancelled) (void),
                                          GError **error);
ASSAY_DECLARE_FREE (AssayTableSummary, assay_table_summary_free)
