/* Data files as tables of numbers. */
#include "datasets/tables/table.h"

#include <string.h>

#include "core/base/error.h"
#include "core/base/file-map.h"
#include "core/base/text.h"
#include "core/data/npy.h"
#include "datasets/images/cifar-file.h"

#define PIECE (1 << 20)
#define PLANE (ASSAY_CIFAR_SIDE * ASSAY_CIFAR_SIDE)

static const struct {
  const char *name;
  const char *endings[4];
} formats[] = {
  [ASSAY_TABLE_FVECS] = { "fvecs", { ".fvecs" } },
  [ASSAY_TABLE_BVECS] = { "bvecs", { ".bvecs" } },
  [ASSAY_TABLE_IVECS] = { "ivecs", { ".ivecs" } },
  [ASSAY_TABLE_NPY] = { "npy", { ".npy" } },
  [ASSAY_TABLE_CSV] = { "csv", { ".csv" } },
  [ASSAY_TABLE_IDX] = { "idx", { "-ubyte", "-ubyte.gz", ".idx", ".idx.gz" } },
  [ASSAY_TABLE_CIFAR] = { "cifar", { ".bin" } },
  [ASSAY_TABLE_TSV] = { "tsv", { ".tsv" } },
  [ASSAY_TABLE_TEXT] = { "text", { ".txt", ".dat" } },
  [ASSAY_TABLE_NPZ] = { "npz", { ".npz" } },
  [ASSAY_TABLE_HDF5] = { "hdf5", { ".h5", ".hdf5" } },
  [ASSAY_TABLE_PARQUET] = { "parquet", { ".parquet" } },
};

/* ---- Formats ---- */

const char *
assay_table_format_name (AssayTableFormat format)
{
  return formats[format].name;
}

gboolean
assay_table_format_from_name (const char *name, AssayTableFormat *ret_format, GError **error)
{
  const char *names[G_N_ELEMENTS (formats) + 1] = { NULL };
  g_autofree char *hint = NULL;

  for (guint i = 0; i < G_N_ELEMENTS (formats); i++) {
    names[i] = formats[i].name;
    if (g_str_equal (names[i], name)) {
      *ret_format = i;
      return TRUE;
    }
  }
  hint = assay_text_did_you_mean (name, names);
  return assay_fail (
      error, ASSAY_ERROR_PARAMETER,
      "unknown format '%s'%s; expected fvecs, bvecs, ivecs, npy, csv, idx, cifar, tsv, "
      "text, npz, hdf5 or parquet",
      name, hint);
}

gboolean
assay_table_format_of_path (const char *path, AssayTableFormat *ret_format, GError **error)
{
  for (guint i = 0; i < G_N_ELEMENTS (formats); i++)
    for (guint k = 0; k < G_N_ELEMENTS (formats[i].endings); k++)
      if (formats[i].endings[k] != NULL && g_str_has_suffix (path, formats[i].endings[k])) {
        *ret_format = i;
        return TRUE;
      }
  return assay_fail (error, ASSAY_ERROR_DATA,
                     "%s: its name does not tell its format: expected .fvecs, .bvecs, .ivecs, "
                     ".npy, .csv, .tsv, .txt, .npz, .h5, .parquet, .bin (CIFAR), .idx or -ubyte "
                     "(IDX, also with .gz)",
                     path);
}

static AssayType
texmex_type (AssayTableFormat format)
{
  return format == ASSAY_TABLE_FVECS   ? ASSAY_FLOAT32
         : format == ASSAY_TABLE_BVECS ? ASSAY_UINT8
                                       : ASSAY_INT32;
}

/* ---- Opening ---- */

static void
set_shape (AssayTable *table, AssayType type, gsize rows, gsize cols)
{
  table->info.type = type;
  table->info.n_dimensions = 2;
  table->info.shape[0] = rows;
  table->info.shape[1] = cols;
}

static gboolean
open_texmex (AssayTable *table, const guint8 *data, gsize size, GError **error)
{
  AssayTexmex *texmex = &table->texmex;

  if (!assay_texmex_open (texmex, texmex_type (table->info.format), data, size, error))
    return FALSE;
  set_shape (table, texmex->type, texmex->count, texmex->cols);
  return TRUE;
}

static gboolean
open_npy (AssayTable *table, GError **error)
{
  /* Its messages name the file themselves; all the others get it here. */
  g_autoptr (GError) cause = NULL;

  table->array = assay_npy_map (table->path, &cause);
  if (table->array == NULL)
    return assay_fail (error, ASSAY_ERROR_DATA, "%s", cause->message + strlen (table->path) + 2);
  table->info.type = table->array->type;
  table->info.n_dimensions = MIN (table->array->n_dimensions, ASSAY_IDX_MAX_DIMENSIONS);
  memcpy (table->info.shape, table->array->shape, sizeof table->info.shape);
  /* Of four dimensions the last two count as one, so that IDX holds them too. */
  if (table->array->n_dimensions > ASSAY_IDX_MAX_DIMENSIONS
      && !g_size_checked_mul (&table->info.shape[2], table->info.shape[2], table->info.shape[3]))
    table->info.shape[2] = G_MAXSIZE;
  table->data = table->array->data;
  return TRUE;
}

static gboolean
open_idx (AssayTable *table, GError **error)
{
  g_autoptr (GError) cause = NULL;

  table->idx
      = assay_idx_reader_new (table->path, &table->info.n_dimensions, table->info.shape, &cause);
  if (table->idx == NULL)
    return assay_fail (error, ASSAY_ERROR_DATA, "%s", cause->message + strlen (table->path) + 2);
  table->info.type = ASSAY_UINT8;
  table->info.is_gzip = assay_idx_reader_is_gzip (table->idx);
  return TRUE;
}

static gboolean
open_cifar (AssayTable *table, const guint8 *data, gsize size, GError **error)
{
  gsize record = 0;

  for (guint n_labels = 1; n_labels <= ASSAY_TABLE_MAX_LABELS && record == 0; n_labels++)
    if (size % (ASSAY_CIFAR_PIXELS + n_labels) == 0) {
      record = ASSAY_CIFAR_PIXELS + n_labels;
      table->info.n_labels = n_labels;
    }
  if (record == 0)
    return assay_fail (error, ASSAY_ERROR_DATA,
                       "%zu bytes; expected a multiple of %d or %d, the records of CIFAR's binary "
                       "format",
                       size, ASSAY_CIFAR_PIXELS + 1, ASSAY_CIFAR_PIXELS + 2);
  set_shape (table, ASSAY_UINT8, size / record, ASSAY_CIFAR_PIXELS);
  table->data = data;
  return TRUE;
}

static gboolean
open_csv (AssayTable *table, const guint8 *data, gsize size, const char *columns, GError **error)
{
  if (!assay_csv_table_open (&table->csv, (const char *) data, size,
                             assay_csv_separator ((const char *) data, size), columns, error))
    return FALSE;
  set_shape (table, table->csv.type, table->csv.count, table->csv.cols);
  return TRUE;
}

/* As rows of scenarios are. */
static gboolean
open_rows (AssayTable *table, const char *choice, GError **error)
{
  g_autoptr (GError) cause = NULL;

  if (!assay_row_table_open (table->path, table->path, choice, &table->rows, &cause))
    return assay_fail (error, ASSAY_ERROR_DATA, "%s", cause->message + strlen (table->path) + 2);
  set_shape (table, table->rows.type, table->rows.count, table->rows.cols);
  table->data = table->rows.base;
  return TRUE;
}

static gboolean
open_format (AssayTable *table, const char *choice, GError **error)
{
  gsize size = 0;
  const guint8 *data = g_bytes_get_data (table->file, &size);

  if (size == 0)
    return assay_fail (error, ASSAY_ERROR_DATA, "is empty");
  switch (table->info.format) {
  case ASSAY_TABLE_NPY:
    return open_npy (table, error);
  case ASSAY_TABLE_CSV:
    return open_csv (table, data, size, choice, error);
  case ASSAY_TABLE_IDX:
    return open_idx (table, error);
  case ASSAY_TABLE_CIFAR:
    return open_cifar (table, data, size, error);
  case ASSAY_TABLE_TSV:
  case ASSAY_TABLE_TEXT:
  case ASSAY_TABLE_NPZ:
  case ASSAY_TABLE_HDF5:
  case ASSAY_TABLE_PARQUET:
    return open_rows (table, choice, error);
  default:
    return open_texmex (table, data, size, error);
  }
}

/* Rows and columns from the shape. */
static gboolean
check_shape (AssayTableInfo *info, GError **error)
{
  info->count = info->shape[0];
  info->cols = 1;
  for (guint k = 0; k < info->n_dimensions; k++)
    if (info->shape[k] == 0)
      return assay_fail (error, ASSAY_ERROR_DATA, "dimension %u is 0", k);
  for (guint k = 1; k < info->n_dimensions; k++)
    if (!g_size_checked_mul (&info->cols, info->cols, info->shape[k])
        || info->cols > ASSAY_TABLE_MAX_COLS)
      return assay_fail (error, ASSAY_ERROR_DATA, "has more than %d numbers in a row",
                         ASSAY_TABLE_MAX_COLS);
  return TRUE;
}

AssayTable *
assay_table_open (const char *path, AssayTableFormat format, GError **error)
{
  return assay_table_open_part (path, format, NULL, error);
}

AssayTable *
assay_table_open_part (const char *path, AssayTableFormat format, const char *choice,
                       GError **error)
{
  g_autoptr (AssayTable) table = g_new0 (AssayTable, 1);

  table->path = g_strdup (path);
  table->info.format = format;
  table->file = assay_file_map (path, error);
  if (table->file == NULL)
    return NULL;
  if (!open_format (table, choice, error) || !check_shape (&table->info, error))
    return assay_prefix_null (error, "%s: ", path);
  return g_steal_pointer (&table);
}

ASSAY_FREE_FUNC (AssayTable, assay_table_free, assay_csv_table_clear (&self->csv),
                 assay_drop (self->array, assay_array_free),
                 assay_drop (self->idx, assay_idx_reader_free), assay_row_table_clear (&self->rows),
                 assay_drop (self->file, g_bytes_unref), g_free (self->path))

gsize
assay_table_piece (const AssayTable *table)
{
  const gsize row = table->info.cols * assay_type_size (table->info.type);

  return MIN (MAX (PIECE / row, 1), table->info.count);
}

/* ---- Reading ---- */

static gboolean
read_texmex (AssayTable *table, guint8 *ret_row, GError **error)
{
  const guint8 *row = assay_texmex_row (&table->texmex, table->position, error);

  if (row == NULL)
    return assay_prefix (error, "%s: ", table->path);
  memcpy (ret_row, row, table->info.cols * assay_type_size (table->info.type));
  return TRUE;
}

static void
read_cifar (AssayTable *table, guint8 *ret_row, guint8 *ret_labels)
{
  const guint8 *planes = table->data + table->info.n_labels;

  memcpy (ret_labels, table->data, table->info.n_labels);
  for (gsize c = 0; c < ASSAY_CIFAR_CHANNELS; c++)
    for (gsize p = 0; p < PLANE; p++)
      ret_row[p * ASSAY_CIFAR_CHANNELS + c] = planes[c * PLANE + p];
  table->data = planes + ASSAY_CIFAR_PIXELS;
}

static gboolean
read_csv (AssayTable *table, guint8 *ret_row, GError **error)
{
  if (assay_csv_table_read (&table->csv, ret_row, error))
    return TRUE;
  return assay_prefix (error, "%s: ", table->path);
}

static gboolean
read_row (AssayTable *table, guint8 *ret_row, guint8 *ret_labels, GError **error)
{
  const gsize length = table->info.cols * assay_type_size (table->info.type);

  switch (table->info.format) {
  case ASSAY_TABLE_NPY:
  case ASSAY_TABLE_TSV:
  case ASSAY_TABLE_TEXT:
  case ASSAY_TABLE_NPZ:
  case ASSAY_TABLE_HDF5:
  case ASSAY_TABLE_PARQUET:
    memcpy (ret_row, table->data, length);
    table->data += length;
    return TRUE;
  case ASSAY_TABLE_CSV:
    return read_csv (table, ret_row, error);
  case ASSAY_TABLE_IDX:
    return assay_idx_reader_read (table->idx, ret_row, length, error);
  case ASSAY_TABLE_CIFAR:
    read_cifar (table, ret_row, ret_labels);
    return TRUE;
  default:
    return read_texmex (table, ret_row, error);
  }
}

gboolean
assay_table_read (AssayTable *table, gsize n, gpointer ret_values, guint8 *ret_labels,
                  GError **error)
{
  const gsize length = table->info.cols * assay_type_size (table->info.type);
  guint8 *values = ret_values;

  for (gsize i = 0; i < n; i++, table->position++)
    if (!read_row (table, values + i * length, ret_labels + i * table->info.n_labels, error))
      return FALSE;
  return TRUE;
}
