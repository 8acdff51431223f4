/* Numbers in plain text: lines of as many, with blanks or tabs between them and, where a program
 * wrote them, also behind the last. */
#pragma once

#include "core/data/array.h"

/* float32 count x cols. ASSAY_ERROR_DATA names line and place: what is no finite number, lines of
 * other lengths, and no number at all. Empty lines at the end do not count. */
AssayArray *assay_text_table_array (const char *data, gsize length, GError **error);
