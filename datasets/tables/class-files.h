/* Labels of rows as a file for each class, which a pattern names ("Labels_*_Train.txt"); classes
 * are numbered in the order of their names. */
#pragma once

#include "core/data/rows.h"

/* The @specification is a pattern, perhaps with a range of rows behind it. Its files have either a
 * line for each row, 1 where the row has the class and 0 where not (NUS-WIDE), or the numbers,
 * from 1, of the rows that have it (MIRFlickr): where one has any other number than 0 and 1, all
 * are of the second form. @count: how many rows there must be, which lists of numbers do not say.
 * @count x classes of 0 and 1. ASSAY_ERROR_DATA names the file. */
AssayRows *class_files_read (const char *specification, const char *const *folders, gsize count,
                             GError **error);
