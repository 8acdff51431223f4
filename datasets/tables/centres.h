/* A database of cluster centres: few rows that stand for many. */
#pragma once

#include "core/data/rows.h"

/* @count centres of @rows, scaled to length 1, by spherical k-means. They depend on the rows and on
 * their number alone, and are kept on disk as dictionaries are. */
AssayRows *centres_of_rows (const AssayRows *rows, gsize count, GError **error);

/* FALSE with ASSAY_ERROR_DATA where @count centres are more than @n_rows rows. */
gboolean centres_check (gsize count, gsize n_rows, GError **error);

/* Bytes that making them holds. */
guint64 centres_memory (gsize n_rows, gsize cols, gsize count);
