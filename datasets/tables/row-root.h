/* RootSIFT: rows divided by their sum, and the square root of each number (Arandjelovic and
 * Zisserman 2012, "Three things everyone should know to improve object retrieval"). Rows are of
 * length 1 then, and those of whole numbers are whole no longer. */
#pragma once

#include "core/data/row-file.h"

/* FALSE with ASSAY_ERROR_DATA, the role (of @n_roles; NULL: it has no rows) and its row that has a
 * number below 0. */
gboolean row_root_check (AssayRowFiles *const *roles, const char *const *names, guint n_roles,
                         GError **error);

/* Puts rows so scaled, in memory as float32, in place of those of each role; a row of zeros stays
 * what it is. FALSE with ASSAY_ERROR_MEMORY. */
gboolean row_root_take (AssayRowFiles **roles, guint n_roles, GError **error);
