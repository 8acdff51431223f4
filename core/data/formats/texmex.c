/* Files of rows that begin with their dimension. */
#include "core/data/formats/texmex.h"

#include <string.h>

#include "core/base/error.h"

#define HEADER sizeof (gint32)

static const struct {
  const char *extension;
  AssayType type;
} types[] = {
  { ".fvecs", ASSAY_FLOAT32 },
  { ".bvecs", ASSAY_UINT8 },
  { ".ivecs", ASSAY_INT32 },
};

gboolean
assay_texmex_type (const char *name, AssayType *ret_type)
{
  for (gsize i = 0; i < G_N_ELEMENTS (types); i++)
    if (g_str_has_suffix (name, types[i].extension)) {
      *ret_type = types[i].type;
      return TRUE;
    }
  return FALSE;
}

static gint32
load_dimension (const guint8 *at)
{
  gint32 dimension;

  memcpy (&dimension, at, sizeof dimension);
  return GINT32_FROM_LE (dimension);
}

gboolean
assay_texmex_open (AssayTexmex *ret_table, AssayType type, const guint8 *data, gsize size,
                   GError **error)
{
  gint32 dimension;
  gsize stride, count, rest;

  if (size == 0)
    return assay_fail (error, ASSAY_ERROR_DATA, "is empty");
  if (size < HEADER)
    return assay_fail (error, ASSAY_ERROR_DATA,
                       "truncated: row 0 begins with the 4 bytes of its dimension, found %zu",
                       size);
  dimension = load_dimension (data);
  if (dimension < 1 || dimension > ASSAY_TEXMEX_MAX_COLS)
    return assay_fail (error, ASSAY_ERROR_DATA,
                       "row 0 has dimension %d; expected 1 to %d: is it of the format that its "
                       "name says?",
                       dimension, ASSAY_TEXMEX_MAX_COLS);
  stride = HEADER + (gsize) dimension * assay_type_size (type);
  count = size / stride;
  rest = size % stride;
  *ret_table = (AssayTexmex){ type, (gsize) dimension, count, stride, data };
  if (rest == 0)
    return TRUE;
  /* Rows of different dimensions end at odd places too: that is the better explanation. */
  for (gsize row = 0; row < count + (rest >= HEADER); row++)
    if (assay_texmex_row (ret_table, row, error) == NULL)
      return FALSE;
  return assay_fail (error, ASSAY_ERROR_DATA,
                     "truncated: row %zu begins at byte %zu and has %zu bytes; expected %zu", count,
                     count * stride, rest, stride);
}

const guint8 *
assay_texmex_row (const AssayTexmex *table, gsize row, GError **error)
{
  const guint8 *at = table->data + row * table->stride;
  const gint32 dimension = load_dimension (at);

  if (dimension == (gint32) table->cols)
    return at + HEADER;
  return assay_fail_null (error, ASSAY_ERROR_DATA,
                          "row %zu (byte %zu) has dimension %d; expected %zu as in row 0", row,
                          row * table->stride, dimension, table->cols);
}
