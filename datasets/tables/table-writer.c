/* Tables of numbers into data files. */
#include "datasets/tables/table-writer.h"

#include <math.h>
#include <string.h>

#include "core/base/error.h"
#include "core/data/npy.h"
#include "datasets/tables/table-value.h"

struct _AssayTableWriter {
  AssayOutputFile *file;
  AssayTableInfo info;
  gsize position; /* rows that were written */
  GString *line;  /* CSV */
};

gboolean
assay_table_fixed_type (AssayTableFormat format, AssayType *ret_type)
{
  switch (format) {
  case ASSAY_TABLE_FVECS:
    *ret_type = ASSAY_FLOAT32;
    return TRUE;
  case ASSAY_TABLE_IVECS:
    *ret_type = ASSAY_INT32;
    return TRUE;
  case ASSAY_TABLE_BVECS:
  case ASSAY_TABLE_IDX:
  case ASSAY_TABLE_CIFAR:
    *ret_type = ASSAY_UINT8;
    return TRUE;
  default:
    return FALSE;
  }
}

static gboolean
write_npy_header (AssayTableWriter *writer, GError **error)
{
  AssayArray array = { .type = writer->info.type, .n_dimensions = writer->info.n_dimensions };
  g_autoptr (GString) header = NULL;

  memcpy (array.shape, writer->info.shape, sizeof array.shape);
  header = assay_npy_header (&array);
  return assay_output_file_write (writer->file, header->str, header->len, error);
}

static gboolean
write_idx_header (AssayTableWriter *writer, GError **error)
{
  const AssayTableInfo *info = &writer->info;
  const guint n = info->n_dimensions == 2 && info->cols == 1 ? 1 : info->n_dimensions;
  guint32 header[1 + ASSAY_MAX_DIMENSIONS] = { GUINT32_TO_BE (0x0800 | n) };

  for (guint k = 0; k < n; k++)
    header[1 + k] = GUINT32_TO_BE ((guint32) info->shape[k]);
  return assay_output_file_write (writer->file, header, (1 + n) * sizeof *header, error);
}

/* A first line of names, because readers of CSV (our own for groups too) expect one. */
static gboolean
write_csv_header (AssayTableWriter *writer, GError **error)
{
  g_string_truncate (writer->line, 0);
  for (gsize j = 0; j < writer->info.cols; j++)
    g_string_append_printf (writer->line, "%sx%zu", j == 0 ? "" : ",", j);
  g_string_append_c (writer->line, '\n');
  return assay_output_file_write (writer->file, writer->line->str, writer->line->len, error);
}

static gboolean
check_holds (const char *path, const AssayTableInfo *info, GError **error)
{
  AssayType type;

  if (info->format >= ASSAY_TABLE_CIFAR)
    return assay_fail (error, ASSAY_ERROR_MISMATCH,
                       "%s: %s is only read; expected fvecs, bvecs, ivecs, npy, csv or idx", path,
                       assay_table_format_name (info->format));
  if (assay_table_fixed_type (info->format, &type) && type != info->type)
    return assay_fail (error, ASSAY_ERROR_MISMATCH, "%s: %s holds %s, not %s", path,
                       assay_table_format_name (info->format), assay_type_name (type),
                       assay_type_name (info->type));
  for (guint k = 0; info->format == ASSAY_TABLE_IDX && k < info->n_dimensions; k++)
    if (info->shape[k] > G_MAXUINT32)
      return assay_fail (error, ASSAY_ERROR_MISMATCH,
                         "%s: dimension %u is %zu; IDX has 32 bits for it", path, k,
                         info->shape[k]);
  return TRUE;
}

AssayTableWriter *
assay_table_writer_new (const char *path, const AssayTableInfo *info, gboolean may_replace,
                        GError **error)
{
  g_autoptr (AssayTableWriter) writer = NULL;
  gboolean is_begun = TRUE;

  if (!check_holds (path, info, error))
    return NULL;
  writer = g_new0 (AssayTableWriter, 1);
  writer->info = *info;
  writer->line = g_string_new (NULL);
  writer->file = assay_output_file_new (
      path, info->format == ASSAY_TABLE_IDX && g_str_has_suffix (path, ".gz"), may_replace, error);
  if (writer->file == NULL)
    return NULL;
  if (info->format == ASSAY_TABLE_NPY)
    is_begun = write_npy_header (writer, error);
  else if (info->format == ASSAY_TABLE_IDX)
    is_begun = write_idx_header (writer, error);
  else if (info->format == ASSAY_TABLE_CSV)
    is_begun = write_csv_header (writer, error);
  return is_begun ? g_steal_pointer (&writer) : NULL;
}

static gboolean
write_csv_row (AssayTableWriter *writer, const guint8 *row, GError **error)
{
  g_string_truncate (writer->line, 0);
  for (gsize j = 0; j < writer->info.cols; j++) {
    const AssayTableValue number = assay_table_value (writer->info.type, row, j);
    g_autofree char *text = assay_table_number (writer->info.type, row, j);

    if (!number.is_whole && !isfinite (number.value))
      return assay_fail (error, ASSAY_ERROR_DATA,
                         "row %zu, column %zu is %s; expected finite numbers for csv",
                         writer->position, j, text);
    g_string_append_printf (writer->line, "%s%s", j == 0 ? "" : ",", text);
  }
  g_string_append_c (writer->line, '\n');
  return assay_output_file_write (writer->file, writer->line->str, writer->line->len, error);
}

static gboolean
write_row (AssayTableWriter *writer, const guint8 *row, gsize length, GError **error)
{
  const gint32 dimension = GINT32_TO_LE ((gint32) writer->info.cols);

  switch (writer->info.format) {
  case ASSAY_TABLE_CSV:
    return write_csv_row (writer, row, error);
  case ASSAY_TABLE_NPY:
  case ASSAY_TABLE_IDX:
    return assay_output_file_write (writer->file, row, length, error);
  default:
    return assay_output_file_write (writer->file, &dimension, sizeof dimension, error)
           && assay_output_file_write (writer->file, row, length, error);
  }
}

gboolean
assay_table_writer_write (AssayTableWriter *writer, gconstpointer values, gsize n, GError **error)
{
  const gsize length = writer->info.cols * assay_type_size (writer->info.type);
  const guint8 *row = values;

  for (gsize i = 0; i < n; i++, row += length, writer->position++)
    if (!write_row (writer, row, length, error))
      return FALSE;
  return TRUE;
}

gboolean
assay_table_writer_seal (AssayTableWriter *writer, GError **error)
{
  g_return_val_if_fail (writer->position == writer->info.shape[0], FALSE);
  return assay_output_file_seal (writer->file, error);
}

gboolean
assay_table_writer_finish (AssayTableWriter *writer, GError **error)
{
  g_return_val_if_fail (writer->position == writer->info.shape[0], FALSE);
  return assay_output_file_finish (writer->file, error);
}

void
assay_table_writer_free (AssayTableWriter *writer)
{
  if (writer == NULL)
    return;
  assay_output_file_free (writer->file);
  if (writer->line != NULL)
    g_string_free (writer->line, TRUE);
  g_free (writer);
}
