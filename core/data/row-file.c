/* Rows of TEXMEX and NumPy files. */
#include "core/data/row-file.h"

#include <errno.h>
#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "core/base/error.h"
#include "core/base/file-map.h"
#include "core/data/npy.h"
#include "core/data/formats/texmex.h"

/* One entry of a specification. */
typedef struct {
  char *name;
  char *range; /* "[100:200]" as written; NULL: none */
  gboolean has_first, has_end;
  gsize first, end;
} Entry;

/* A file as a table of numbers: row i at base + i * stride. */
typedef struct {
  GBytes *bytes;
  const guint8 *base;
  AssayType type;
  gboolean is_texmex;
  AssayTexmex texmex;
  gsize stride;
  gsize cols;
  gsize count;
} Table;

static void
clear_entry (Entry *entry)
{
  g_free (entry->name);
  g_free (entry->range);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (Entry, clear_entry)

static void
clear_table (Table *table)
{
  g_clear_pointer (&table->bytes, g_bytes_unref);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (Table, clear_table)

/* ---- Specifications ---- */

static gboolean
has_known_extension (const char *name)
{
  AssayType type;

  return assay_texmex_type (name, &type) || g_str_has_suffix (name, ".npy");
}

/* One end of a range: digits, or nothing for the end of the file. */
static gboolean
parse_bound (const char *text, gboolean *ret_has, gsize *ret_bound)
{
  guint64 bound = 0;

  if (*text != '\0' && !g_ascii_string_to_unsigned (text, 10, 0, G_MAXSIZE, &bound, NULL))
    return FALSE;
  *ret_has = *text != '\0';
  *ret_bound = (gsize) bound;
  return TRUE;
}

static gboolean
parse_range (const char *text, Entry *entry)
{
  const gsize length = strlen (text);
  g_autofree char *inside = NULL;
  g_auto (GStrv) bounds = NULL;

  if (length < 3 || text[length - 1] != ']')
    return FALSE;
  inside = g_strndup (text + 1, length - 2);
  bounds = g_strsplit (inside, ":", -1);
  return g_strv_length (bounds) == 2 && parse_bound (bounds[0], &entry->has_first, &entry->first)
         && parse_bound (bounds[1], &entry->has_end, &entry->end);
}

static gboolean
parse_entry (const char *text, const char *specification, Entry *entry, GError **error)
{
  const char *bracket = has_known_extension (text) ? NULL : strrchr (text, '[');

  if (*text == '\0' || bracket == text)
    return assay_fail (error, ASSAY_ERROR_DATA, "'%s': a file name is missing", specification);
  entry->name = bracket != NULL ? g_strndup (text, (gsize) (bracket - text)) : g_strdup (text);
  entry->range = g_strdup (bracket);
  if (bracket != NULL && !parse_range (bracket, entry))
    return assay_fail (error, ASSAY_ERROR_DATA,
                       "malformed range '%s': expected [FIRST:END], rows counted from 0 and END "
                       "not included; either may be left out",
                       text);
  if (entry->has_first && entry->has_end && entry->first >= entry->end)
    return assay_fail (error, ASSAY_ERROR_DATA, "'%s' is an empty range", text);
  if (!has_known_extension (entry->name))
    return assay_fail (error, ASSAY_ERROR_DATA,
                       "'%s' is of an unknown format: expected .fvecs, .bvecs, .ivecs or .npy",
                       entry->name);
  return TRUE;
}

/* ---- Finding files ---- */

/* A place where something stands, even if it may not be looked at: opening it tells why. */
static gboolean
exists (const char *path)
{
  struct stat about;

  return stat (path, &about) == 0 || errno == EACCES;
}

char *
assay_row_file_find (const char *name, const char *const *folders, GError **error)
{
  static const char *const here[] = { ".", NULL };
  g_autoptr (GString) places = g_string_new (NULL);

  if (g_path_is_absolute (name)) {
    if (exists (name))
      return g_strdup (name);
    return assay_fail_null (error, ASSAY_ERROR_DATA, "%s: no such file", name);
  }
  if (folders == NULL)
    folders = here;
  for (gsize i = 0; folders[i] != NULL; i++) {
    g_autofree char *path = g_build_filename (folders[i], name, NULL);

    if (exists (path))
      return g_steal_pointer (&path);
    g_string_append_printf (places, "%s%s", i == 0 ? "" : ", ", path);
  }
  return assay_fail_null (error, ASSAY_ERROR_DATA,
                          "%s: no such file (looked for %s); the environment variable ASSAY_DATA "
                          "tells in which folder data is",
                          name, places->str);
}

/* ---- Formats ---- */

static gboolean
open_texmex (const char *path, AssayType type, Table *table, GError **error)
{
  const guint8 *data;
  gsize size = 0;

  table->bytes = assay_file_map (path, error);
  if (table->bytes == NULL)
    return FALSE;
  data = g_bytes_get_data (table->bytes, &size);
  if (!assay_texmex_open (&table->texmex, type, data, size, error))
    return assay_prefix (error, "%s: ", path);
  table->is_texmex = TRUE;
  table->type = type;
  table->cols = table->texmex.cols;
  table->count = table->texmex.count;
  table->stride = table->texmex.stride;
  table->base = data + table->stride - table->cols * assay_type_size (type);
  return TRUE;
}

static gboolean
open_npy (const char *path, Table *table, GError **error)
{
  g_autoptr (AssayArray) array = assay_npy_map (path, error);

  if (array == NULL)
    return FALSE;
  if (array->n_dimensions > 2)
    return assay_fail (error, ASSAY_ERROR_DATA, "%s: has %u dimensions; expected rows x columns",
                       path, array->n_dimensions);
  table->count = array->shape[0];
  if (table->count == 0)
    return assay_fail (error, ASSAY_ERROR_DATA, "%s: has no rows", path);
  table->cols = array->n_dimensions == 2 ? array->shape[1] : 1;
  if (table->cols < 1 || table->cols > ASSAY_ROW_FILE_MAX_COLS)
    return assay_fail (error, ASSAY_ERROR_DATA, "%s: has %zu columns; expected 1 to %d", path,
                       table->cols, ASSAY_ROW_FILE_MAX_COLS);
  table->bytes = g_bytes_ref (array->bytes);
  table->base = array->data;
  table->type = array->type;
  table->stride = table->cols * assay_type_size (array->type);
  return TRUE;
}

static gboolean
open_table (const char *path, const char *name, Table *table, GError **error)
{
  AssayType type;

  return assay_texmex_type (name, &type) ? open_texmex (path, type, table, error)
                                         : open_npy (path, table, error);
}

/* ---- Values ---- */

/* The first column whose number is NaN or beyond float32; @cols if there is none. The comparison is
 * false for NaN. The first loop has no way out early, so that it is vectorised. */
#define FIND_BAD(Type, absolute)                                                                   \
  do {                                                                                             \
    guint bad = 0;                                                                                 \
    Type value;                                                                                    \
                                                                                                   \
    for (gsize j = 0; j < cols; j++) {                                                             \
      memcpy (&value, row + j * sizeof value, sizeof value);                                       \
      bad |= !(absolute (value) <= FLT_MAX);                                                       \
    }                                                                                              \
    for (gsize j = 0; bad != 0 && j < cols; j++) {                                                 \
      memcpy (&value, row + j * sizeof value, sizeof value);                                       \
      if (!(absolute (value) <= FLT_MAX)) {                                                        \
        *ret_value = (double) value;                                                               \
        return j;                                                                                  \
      }                                                                                            \
    }                                                                                              \
  } while (0)

static gsize
find_bad_value (const guint8 *row, AssayType type, gsize cols, double *ret_value)
{
  if (type == ASSAY_FLOAT32)
    FIND_BAD (float, fabsf);
  else if (type == ASSAY_FLOAT64)
    FIND_BAD (double, fabs);
  return cols;
}

/* Headers and values of rows [first, end), each read once for the check and the checksum. */
static gboolean
check_rows (const char *path, const Table *table, gsize first, gsize end, GChecksum *checksum,
            GError **error)
{
  const gsize length = table->cols * assay_type_size (table->type);

  for (gsize i = first; i < end; i++) {
    const guint8 *row = table->base + i * table->stride;
    double value = 0;
    gsize column;

    if (table->is_texmex && assay_texmex_row (&table->texmex, i, error) == NULL)
      return assay_prefix (error, "%s: ", path);
    column = find_bad_value (row, table->type, table->cols, &value);
    if (column < table->cols)
      return assay_fail (error, ASSAY_ERROR_DATA, "%s: row %zu, column %zu is %s", path, i, column,
                         isnan (value)   ? "NaN"
                         : isinf (value) ? "infinite"
                                         : "beyond the range of float32");
    g_checksum_update (checksum, row, (gssize) length);
  }
  return TRUE;
}

/* ---- Opening ---- */

static gboolean
resolve_range (const char *path, const Entry *entry, gsize count, AssayRowRange *ret_range,
               GError **error)
{
  const gsize first = entry->has_first ? entry->first : 0;
  const gsize end = entry->has_end ? entry->end : count;

  if (entry->has_end && end == 0)
    return assay_fail (error, ASSAY_ERROR_DATA, "%s: the range %s is empty", path, entry->range);
  if (first >= count || end > count)
    return assay_fail (error, ASSAY_ERROR_DATA,
                       "%s: the range %s reaches out of the file, which has %zu rows", path,
                       entry->range, count);
  ret_range->first = first;
  ret_range->end = end;
  ret_range->n_in_file = count;
  return TRUE;
}

static gboolean
append_entry (AssayRowFiles *files, const Entry *entry, const char *const *folders,
              GChecksum *checksum, GError **error)
{
  g_autofree char *path = assay_row_file_find (entry->name, folders, error);
  g_auto (Table) table = { 0 };
  AssayRowRange range = { 0 };
  struct stat about;
  char *canonical;

  if (path == NULL || !open_table (path, entry->name, &table, error)
      || !resolve_range (path, entry, table.count, &range, error))
    return FALSE;
  if (files->rows == NULL)
    files->rows = assay_rows_new (table.cols);
  else if (table.cols != assay_rows_cols (files->rows))
    return assay_fail (error, ASSAY_ERROR_DATA, "%s: has %zu columns; expected %zu as in %s", path,
                       table.cols, assay_rows_cols (files->rows),
                       assay_row_files_range (files, 0)->path);
  if (!check_rows (path, &table, range.first, range.end, checksum, error))
    return FALSE;
  canonical = realpath (path, NULL);
  if (canonical == NULL || stat (canonical, &about) != 0) {
    g_free (canonical);
    return assay_fail (error, ASSAY_ERROR_DATA, "%s: has no canonical path: %s", path,
                       g_strerror (errno));
  }
  range.device = about.st_dev;
  range.inode = about.st_ino;
  range.path = canonical; /* g_free is free since GLib 2.46 */
  g_array_append_val (files->ranges, range);
  assay_rows_append (files->rows, table.bytes, table.base + range.first * table.stride, table.type,
                     table.stride, range.end - range.first);
  return TRUE;
}

static void
clear_range (gpointer range)
{
  g_free (((AssayRowRange *) range)->path);
}

AssayRowFiles *
assay_row_files_open (const char *specification, const char *const *folders, GError **error)
{
  g_autoptr (AssayRowFiles) files = g_new0 (AssayRowFiles, 1);
  g_autoptr (GChecksum) checksum = g_checksum_new (G_CHECKSUM_SHA256);
  g_auto (GStrv) texts = g_strsplit (*specification != '\0' ? specification : " ", ",", -1);

  files->ranges = g_array_new (FALSE, FALSE, sizeof (AssayRowRange));
  g_array_set_clear_func (files->ranges, clear_range);
  for (gsize i = 0; texts[i] != NULL; i++) {
    g_auto (Entry) entry = { 0 };

    if (!parse_entry (g_strstrip (texts[i]), specification, &entry, error)
        || !append_entry (files, &entry, folders, checksum, error))
      return NULL;
  }
  files->sha256 = g_strdup (g_checksum_get_string (checksum));
  return g_steal_pointer (&files);
}

void
assay_row_files_free (AssayRowFiles *files)
{
  if (files == NULL)
    return;
  assay_rows_unref (files->rows);
  g_array_unref (files->ranges);
  g_free (files->sha256);
  g_free (files);
}

/* ---- Overlaps ---- */

/* That two ranges share no row of a file. */
static gboolean
check_pair (const AssayRowRange *a, const char *role, const AssayRowRange *b,
            const char *other_role, GError **error)
{
  const gsize first = MAX (a->first, b->first);
  const gsize end = MIN (a->end, b->end);
  const gboolean is_one_name = g_str_equal (a->path, b->path);

  if (first >= end || (!is_one_name && (a->device != b->device || a->inode != b->inode)))
    return TRUE;
  return assay_fail (error, ASSAY_ERROR_DATA,
                     "%s [%zu:%zu] and %s [%zu:%zu] share rows [%zu:%zu] of %s%s%s; a row may be "
                     "used once",
                     role, a->first, a->end, other_role, b->first, b->end, first, end, a->path,
                     is_one_name ? "" : ", which is the file ", is_one_name ? "" : b->path);
}

gboolean
assay_row_files_check_disjoint (const AssayRowFiles *files, const char *role,
                                const AssayRowFiles *others, const char *other_role, GError **error)
{
  for (guint i = 0; i < files->ranges->len; i++)
    for (guint j = 0; j < others->ranges->len; j++)
      if (!check_pair (assay_row_files_range (files, i), role, assay_row_files_range (others, j),
                       other_role, error))
        return FALSE;
  return TRUE;
}

gboolean
assay_row_files_check_distinct (const AssayRowFiles *files, const char *role, GError **error)
{
  for (guint i = 0; i < files->ranges->len; i++)
    for (guint j = i + 1; j < files->ranges->len; j++)
      if (!check_pair (assay_row_files_range (files, i), role, assay_row_files_range (files, j),
                       role, error))
        return FALSE;
  return TRUE;
}
