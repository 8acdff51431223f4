/* Labels of rows, from files of whole numbers. */
#pragma once

#include "core/data/dataset.h"

#define ROW_LABELS_MAX_CLASSES 65536
/* Of rows with several labels. */
#define ROW_LABELS_MAX_SET 4096

/* What the rows of @file (called @name in messages) say of rows that are labelled one by one:
 *   one column      the number of its class
 *   several columns a column for each class, 1 where the row has it and 0 where not
 * Fills in the labels of @data, int64 n, one class of each row (of several columns the first; of a
 * row that has none, the number of columns), and of several columns its sets
 * (core/data/formats/label-sets.h). @ret_classes: one more than the largest class.
 * ASSAY_ERROR_DATA names the row and what was expected: a number of rows other than @expected,
 * values that are not whole or not in range. */
gboolean row_labels_read (const AssayRows *file, const char *name, gsize expected,
                          AssayRoleData *data, gsize *ret_classes, GError **error);

/* Bytes of the labels of @n rows. */
guint64 row_labels_memory (const AssayRoleData *data, gsize n);
/* The numbers of labels, sets and attributes. */
void row_labels_hash (GChecksum *checksum, const AssayRoleData *data);
