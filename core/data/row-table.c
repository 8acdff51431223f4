/* Files of numbers as tables. */
#include "core/data/row-table.h"

#include <string.h>

#include "core/base/error.h"
#include "core/base/file-map.h"
#include "core/data/folders/image-rows.h"
#include "core/data/formats/array-choice.h"
#include "core/data/formats/csv-table.h"
#include "core/data/formats/file-pattern.h"
#include "core/data/formats/hdf5.h"
#include "core/data/formats/parquet.h"
#include "core/data/formats/text-table.h"
#include "core/data/formats/zip.h"
#include "core/data/npy.h"

#define COLOUR 3 /* channels */

ASSAY_CLEAR_FUNC (AssayRowTable, assay_row_table_clear, assay_drop (self->bytes, g_bytes_unref),
                  assay_drop (self->array, g_free))

AssayRowFormat
assay_row_format (const char *name)
{
  AssayType type;

  if (assay_texmex_type (name, &type))
    return ASSAY_ROWS_TEXMEX;
  if (g_str_has_suffix (name, ".npy"))
    return ASSAY_ROWS_NPY;
  if (g_str_has_suffix (name, ".npz"))
    return ASSAY_ROWS_NPZ;
  if (g_str_has_suffix (name, ".csv"))
    return ASSAY_ROWS_CSV;
  if (g_str_has_suffix (name, ".dat") || g_str_has_suffix (name, ".txt"))
    return ASSAY_ROWS_TEXT;
  if (g_str_has_suffix (name, ".h5") || g_str_has_suffix (name, ".hdf5"))
    return ASSAY_ROWS_HDF5;
  if (g_str_has_suffix (name, ".parquet"))
    return ASSAY_ROWS_PARQUET;
  return g_str_has_suffix (name, ".tsv") ? ASSAY_ROWS_TSV : ASSAY_ROWS_UNKNOWN;
}

gboolean
assay_row_format_has_parts (AssayRowFormat format)
{
  return format == ASSAY_ROWS_NPZ || format == ASSAY_ROWS_CSV || format == ASSAY_ROWS_TSV
         || format == ASSAY_ROWS_HDF5 || format == ASSAY_ROWS_PARQUET;
}

static gboolean
open_texmex (GBytes *file, AssayType type, AssayRowTable *table, GError **error)
{
  gsize size = 0;
  const guint8 *data = g_bytes_get_data (file, &size);

  if (!assay_texmex_open (&table->texmex, type, data, size, error))
    return FALSE;
  table->is_texmex = TRUE;
  table->type = type;
  table->cols = table->texmex.cols;
  table->count = table->texmex.count;
  table->stride = table->texmex.stride;
  table->base = data + table->stride - table->cols * assay_type_size (type);
  table->bytes = g_bytes_ref (file);
  return TRUE;
}

/* One dimension is a column of numbers; of more than two, a row is all the numbers with one first
 * index: an image. */
static gboolean
take_array (const AssayArray *array, AssayRowTable *table, GError **error)
{
  if (array == NULL)
    return FALSE;
  table->count = array->shape[0];
  if (table->count == 0)
    return assay_fail (error, ASSAY_ERROR_DATA, "has no rows");
  table->cols = assay_array_count (array) / table->count;
  if (table->cols < 1 || table->cols > ASSAY_ROW_FILE_MAX_COLS)
    return assay_fail (error, ASSAY_ERROR_DATA, "has %zu columns; expected 1 to %d", table->cols,
                       ASSAY_ROW_FILE_MAX_COLS);
  table->bytes = g_bytes_ref (array->bytes);
  table->base = array->data;
  table->type = array->type;
  table->stride = table->cols * assay_type_size (array->type);
  return TRUE;
}

/* Images whose channels stand apart, n x 3 x h x w, get them together, as in all rows here. */
static gboolean
take_images (const AssayArray *array, AssayRowTable *table, GError **error)
{
  g_autoptr (AssayArray) rows = NULL;

  if (array == NULL || array->n_dimensions < 4 || array->shape[1] != COLOUR
      || array->shape[3] == COLOUR || array->shape[3] == 1)
    return take_array (array, table, error);
  rows = assay_image_rows_of (array, error);
  return rows != NULL && take_array (rows, table, error);
}

static gboolean
open_npy (GBytes *file, AssayRowTable *table, GError **error)
{
  g_autoptr (AssayArray) array = assay_npy_parse (file, error);

  return take_images (array, table, error);
}

static gboolean
open_csv (GBytes *file, gboolean has_tabs, const char *columns, AssayRowTable *table,
          GError **error)
{
  gsize size = 0;
  const char *text = g_bytes_get_data (file, &size);
  g_autoptr (AssayArray) array = NULL;

  text = size > 0 ? text : "";
  array = assay_csv_table_array (text, size, has_tabs ? '\t' : assay_csv_separator (text, size),
                                 columns, error);
  return take_array (array, table, error);
}

/* ---- Text ---- */

static AssayArray *
parse_text (const char *path, GError **error)
{
  g_autoptr (GBytes) file = assay_file_map (path, error);
  gsize size = 0;
  const char *text = file != NULL ? g_bytes_get_data (file, &size) : NULL;

  return file != NULL ? assay_text_table_array (text, size, error) : NULL;
}

/* The files of @folder that @name stands for: the numbers of each, whatever its lines, are a row.
 * Messages name the file. */
static AssayArray *
read_row_files (const char *folder, const char *name, GError **error)
{
  g_autofree char *pattern = g_path_get_basename (name);
  g_autoptr (GPtrArray) paths = assay_file_pattern_list (folder, pattern, error);
  g_autofree float *rows = NULL;
  gsize cols = 0;

  for (guint i = 0; paths != NULL && i < paths->len; i++) {
    const char *path = g_ptr_array_index (paths, i);
    g_autoptr (AssayArray) row = parse_text (path, error);
    g_autofree char *own = g_path_get_basename (path);

    if (row == NULL)
      return assay_prefix_null (error, "%s: ", own);
    if (i == 0) {
      cols = assay_array_count (row);
      rows = assay_alloc (paths->len, cols * sizeof (float), "rows of numbers", error);
      if (rows == NULL)
        return NULL;
    }
    if (assay_array_count (row) != cols)
      return assay_fail_null (error, ASSAY_ERROR_DATA,
                              "%s has %zu numbers; expected %zu as in the first file", own,
                              assay_array_count (row), cols);
    memcpy (rows + i * cols, row->data, cols * sizeof (float));
  }
  return paths == NULL ? NULL
                       : assay_array_take (ASSAY_FLOAT32, 2, (gsize[]){ paths->len, cols },
                                           g_steal_pointer (&rows));
}

static gboolean
open_text (const char *path, const char *name, AssayRowTable *table, GError **error)
{
  const gboolean is_pattern = assay_is_file_pattern (name);
  g_autoptr (AssayArray) array
      = is_pattern ? read_row_files (path, name, error) : parse_text (path, error);

  if (array != NULL && is_pattern)
    table->array = g_path_get_basename (name);
  return take_array (array, table, error);
}

/* ---- .npz ---- */

/* "x" for the member x.npy, as NumPy says it. */
static char *
array_name (const AssayZipMember *member)
{
  const gsize length = strlen (member->name);

  return g_strndup (member->name, length - (g_str_has_suffix (member->name, ".npy") ? 4 : 0));
}

/* The member that is the array @wanted; the only one, if none is named. */
static const AssayZipMember *
find_member (const GArray *members, const char *wanted, GError **error)
{
  g_autoptr (GPtrArray) names = g_ptr_array_new_with_free_func (g_free);
  guint index = 0;

  for (guint i = 0; i < members->len; i++)
    g_ptr_array_add (names, array_name (&g_array_index (members, AssayZipMember, i)));
  return assay_array_choose (names, wanted, &index, error)
             ? &g_array_index (members, AssayZipMember, index)
             : NULL;
}

static gboolean
open_npz (GBytes *file, const char *wanted, AssayRowTable *table, GError **error)
{
  g_autoptr (GArray) members = assay_zip_members (file, error);
  const AssayZipMember *member = members != NULL ? find_member (members, wanted, error) : NULL;
  g_autoptr (GBytes) content = NULL;

  if (member == NULL)
    return FALSE;
  table->array = array_name (member);
  content = assay_zip_read (file, member, error);
  return (content != NULL && open_npy (content, table, error))
         || assay_prefix (error, "array '%s': ", table->array);
}

/* ---- HDF5 and Parquet ---- */

static gboolean
open_hdf5 (const char *path, const char *wanted, AssayRowTable *table, GError **error)
{
  g_autoptr (AssayArray) array = assay_hdf5_read (path, wanted, &table->array, error);

  return take_images (array, table, error);
}

static gboolean
open_parquet (const char *path, const char *columns, AssayRowTable *table, GError **error)
{
  g_autoptr (AssayArray) array = assay_parquet_read (path, columns, error);

  return take_array (array, table, error);
}

gboolean
assay_row_table_open (const char *path, const char *name, const char *choice, AssayRowTable *table,
                      GError **error)
{
  const AssayRowFormat format = assay_row_format (name);
  g_autoptr (GBytes) file = NULL;
  AssayType type = ASSAY_FLOAT32;
  gboolean is_open;

  if (format == ASSAY_ROWS_TEXT)
    return open_text (path, name, table, error) || assay_prefix (error, "%s: ", path);
  file = assay_file_map (path, error);
  if (file == NULL)
    return FALSE;
  if (format == ASSAY_ROWS_TEXMEX && assay_texmex_type (name, &type))
    is_open = open_texmex (file, type, table, error);
  else if (format == ASSAY_ROWS_NPZ)
    is_open = open_npz (file, choice, table, error);
  else if (format == ASSAY_ROWS_HDF5)
    is_open = open_hdf5 (path, choice, table, error);
  else if (format == ASSAY_ROWS_PARQUET)
    is_open = open_parquet (path, choice, table, error);
  else if (format == ASSAY_ROWS_CSV || format == ASSAY_ROWS_TSV)
    is_open = open_csv (file, format == ASSAY_ROWS_TSV, choice, table, error);
  else
    is_open = open_npy (file, table, error);
  return is_open || assay_prefix (error, "%s: ", path);
}
