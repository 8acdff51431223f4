/* TEXMEX files (Jegou, Douze and Schmid 2011): each row is the int32 of its dimension, little
 * endian, and as many float32 (.fvecs), bytes (.bvecs) or int32 (.ivecs). */
#pragma once

#include "core/data/array.h"

#define ASSAY_TEXMEX_MAX_COLS (1 << 20)

typedef struct {
  AssayType type;
  gsize cols;
  gsize count;
  gsize stride; /* bytes from row to row */
  const guint8 *data;
} AssayTexmex;

/* By the end of the file's @name. */
gboolean assay_texmex_type (const char *name, AssayType *ret_type);

/* A file of @size bytes at @data, which the table goes on to use. ASSAY_ERROR_DATA, without the
 * file's name: empty or truncated, or row 0 has no possible dimension. */
gboolean assay_texmex_open (AssayTexmex *ret_table, AssayType type, const guint8 *data, gsize size,
                            GError **error);

/* The numbers of @row, unaligned; ASSAY_ERROR_DATA where its dimension is not that of row 0. */
const guint8 *assay_texmex_row (const AssayTexmex *table, gsize row, GError **error);
