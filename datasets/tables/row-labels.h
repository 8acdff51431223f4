/* Labels of rows, from files of whole numbers. */
#pragma once

#include "core/data/dataset.h"

#define ROW_LABELS_MAX_CLASSES 65536
/* Rows with several labels are kept as sets of at most so many classes. */
#define ROW_LABELS_MAX_SET 63

/* What the rows of @file (called @name in messages) say of rows that are labelled one by one:
 *   one column      the number of its class
 *   several columns a column for each class, 1 where the row has it and 0 where not
 * Fills in the labels of @data, int64 n, one class of each row (of several columns the first), and
 * its sets, int64 n, bit c for class c (of several columns). @ret_classes: one more than the
 * largest class.
 * ASSAY_ERROR_DATA names the row and what was expected: a number of rows other than @expected,
 * values that are not whole or not in range, a row without any class. */
gboolean row_labels_read (const AssayRows *file, const char *name, gsize expected,
                          AssayRoleData *data, gsize *ret_classes, GError **error);
