/* Rows of a large set (a database, a public pool, secrets) that stay where they are, usually in a
 * mapped file, and are read a panel at a time as float32. A set may be put together from several
 * segments: files, or ranges of one file. */
#pragma once

#include <glib.h>

#include "core/data/array.h"

G_BEGIN_DECLS

typedef struct _AssayRows AssayRows;

/* How values are scaled on reading. A row of zeros stays zero under ASSAY_SCALE_UNIT. */
typedef enum {
  ASSAY_SCALE_NONE,
  ASSAY_SCALE_UNIT, /* each row divided by its L2 norm */
} AssayScale;

AssayRows *assay_rows_new (gsize cols);
AssayRows *assay_rows_ref (AssayRows *rows);
ASSAY_DECLARE_FREE (AssayRows, assay_rows_unref)

/* Appends @count rows of @type; row i starts at @base + i * @stride bytes (no alignment needed)
 * and @base lies in @bytes, of which a reference is kept. */
void assay_rows_append (AssayRows *rows, GBytes *bytes, const guint8 *base, AssayType type,
                        gsize stride, gsize count);

/* A two-dimensional array (any type) as rows, sharing its bytes; a matrix, taken over. */
AssayRows *assay_rows_from_array (const AssayArray *array);
AssayRows *assay_rows_take_matrix (AssayMatrix *matrix);
/* Those of a view, which has to outlive them. */
AssayRows *assay_rows_borrow (AssayView view);

gsize assay_rows_count (const AssayRows *rows);
gsize assay_rows_cols (const AssayRows *rows);

/* Rows [first, first + count) as count x cols floats, row-major. */
void assay_rows_read (const AssayRows *rows, gsize first, gsize count, AssayScale scale,
                      float *ret_values);
/* The same, read by all threads. */
void assay_rows_read_in_parallel (const AssayRows *rows, gsize first, gsize count, AssayScale scale,
                                  float *ret_values);
/* All of them; ASSAY_ERROR_MEMORY. */
AssayMatrix *assay_rows_matrix (const AssayRows *rows, AssayScale scale, GError **error);
/* The same as an array. */
AssayArray *assay_rows_array (const AssayRows *rows, AssayScale scale, GError **error);
/* The rows numbered by @index, in that order. */
void assay_rows_gather (const AssayRows *rows, const gsize *index, gsize count, AssayScale scale,
                        float *ret_values);

/* The same, unscaled and newly allocated; NULL of NULL. Free with g_free. */
float *assay_rows_gathered (const AssayRows *rows, const gsize *index, gsize count);

/* Does something with @panel, the rows from number @first on. */
typedef gboolean (*AssayPanelWork) (AssayView panel, gsize first, gpointer data, GError **error);

/* Reads panels of @most rows, the last of fewer, and calls @work for one after another until it
 * fails. FALSE: it did, or there is no memory for a panel. */
gboolean assay_rows_for_each_panel (const AssayRows *rows, gsize most, AssayScale scale,
                                    AssayPanelWork work, gpointer data, GError **error);

/* Of the numbers as they are stored and of their types, in hexadecimal: the same however the rows
 * are divided into segments and wherever they lie. Computed when it is first asked for; valid until
 * rows are appended. */
const char *assay_rows_sha256 (const AssayRows *rows);

/* Who owns what is made of these rows and shared (core/base/shared-work.h): another number after
 * rows were appended. */
guint64 assay_rows_owner (const AssayRows *rows);

/* What was made of the rows under the name @key, so that those who need it share it (NULL: it is
 * not there, and is to be made). It is in the cache of shared work (core/base/shared-work.h) and
 * held there by every copy of the array; it goes with the rows, and when rows are appended. */
AssayArray *assay_rows_kept (const AssayRows *rows, const char *key);
/* Keeps @array (taken over), and returns it as assay_rows_kept would. */
AssayArray *assay_rows_keep (const AssayRows *rows, const char *key, AssayArray *array);

G_END_DECLS
