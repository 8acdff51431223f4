/* The items that a graph joins: rows of one modality or of two side by side, their classes, and
 * queries that are in no graph. */
#pragma once

#include "core/base/rng.h"
#include "core/data/dataset.h"

/* Specifications of files (core/data/row-file.h); "": there is none. */
typedef struct {
  const char *first, *second, *labels;
  const char *test_first, *test_second, *test_labels;
  const char *const *folders;
} GraphItemFiles;

/* What is drawn where there are no files. */
typedef struct {
  gsize count, test_count;
  gsize first_cols, second_cols; /* the latter 0: one modality */
  gsize classes;
  double separation;          /* deviation of the classes' centres, where rows vary by 1 */
  const gint64 *labels;       /* of the items; NULL: drawn */
} GraphItemDraw;

typedef struct {
  AssayMatrix *rows;
  AssayMatrix *test;  /* NULL: none */
  gint64 *labels;     /* NULL: none */
  gint64 *test_labels;
  gsize first_cols;   /* see AssayDataset */
  gsize n_classes;
} GraphItems;

ASSAY_DECLARE_CLEAR (GraphItems, graph_items_clear)

/* Classes are numbered from 0: the smallest one in any of the files of labels is the first.
 * ASSAY_ERROR_DATA where files do not fit each other. */
gboolean graph_items_read (const GraphItemFiles *files, GraphItems *ret_items, GError **error);
/* ASSAY_ERROR_MEMORY. */
gboolean graph_items_draw (const GraphItemDraw *draw, AssayStreamKey key, GraphItems *ret_items,
                           GError **error);
/* Keeps the rows @chosen, in that order. ASSAY_ERROR_MEMORY. */
gboolean graph_items_choose (GraphItems *items, const gsize *chosen, gsize count, GError **error);
