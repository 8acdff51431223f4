/* How rows of tables are scaled.
 *
 * root: RootSIFT, rows divided by their sum, and the square root of each number (Arandjelovic and
 * Zisserman 2012, "Three things everyone should know to improve object retrieval"). Rows are of
 * length 1 then, and those of whole numbers are whole no longer.
 * columns: each column in units of its own (core/math/column-units.h), as the public rows have
 * them, or the secrets where there are no public rows. */
#pragma once

#include "core/data/row-file.h"

typedef enum { ROW_SCALE_NONE, ROW_SCALE_ROOT, ROW_SCALE_COLUMNS } RowScale;

extern const char *const row_scale_names[];

/* FALSE with ASSAY_ERROR_DATA, the role (of @n_roles; NULL: it has no rows) and its row that has a
 * number below 0, of a scale that has none. */
gboolean row_scale_check (RowScale scale, AssayRowFiles *const *roles, const char *const *names,
                          guint n_roles, GError **error);

/* Puts rows so scaled, in memory as float32, in place of those of each role; a row of zeros stays
 * what it is. Of columns, @ret_units are theirs, as those of @roles[@measured] have them; else it
 * stays NULL. FALSE with ASSAY_ERROR_MEMORY. */
gboolean row_scale_take (RowScale scale, AssayRowFiles **roles, guint n_roles, guint measured,
                         float **ret_units, GError **error);

/* What is to be known of rows that are not scaled: that one column outweighs the others, or some
 * the rest. Leaves @ret_remark as it is where none does. */
gboolean row_scale_remark (const AssayRowFiles *rows, char *ret_remark, gsize size,
                           GError **error);
