/* Rows of files of numbers. */
#include "core/data/row-file.h"

#include <errno.h>
#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "core/base/error.h"
#include "core/data/formats/file-pattern.h"
#include "core/data/row-table.h"
#include "core/data/secret-paths.h"

/* One entry of a specification. */
typedef struct {
  char *name;
  char *choice; /* what of the file: "age,income"; NULL: all */
  AssayRowSpan span;
} Entry;

ASSAY_LOCAL_CLEAR (Entry, clear_entry, g_free (self->name), g_free (self->choice))

/* ---- Specifications ---- */

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

/* "[100:200]"; FALSE: it is none. */
static gboolean
parse_span (const char *text, AssayRowSpan *ret_span)
{
  const gsize length = strlen (text);
  AssayRowSpan span = { .text = "" };
  g_autofree char *inside = NULL;
  g_auto (GStrv) bounds = NULL;

  if (length < 3 || text[length - 1] != ']' || length >= sizeof span.text)
    return FALSE;
  inside = g_strndup (text + 1, length - 2);
  bounds = g_strsplit (inside, ":", -1);
  if (g_strv_length (bounds) != 2 || !parse_bound (bounds[0], &span.has_first, &span.first)
      || !parse_bound (bounds[1], &span.has_end, &span.end))
    return FALSE;
  memcpy (span.text, text, length + 1);
  *ret_span = span;
  return TRUE;
}

static gboolean
check_span (const AssayRowSpan *span, const char *text, GError **error)
{
  return !(span->has_first && span->has_end && span->first >= span->end)
         || assay_fail (error, ASSAY_ERROR_DATA, "'%s' is an empty range", text);
}

char *
assay_row_span_split (const char *text, AssayRowSpan *ret_span, GError **error)
{
  const char *last = strrchr (text, '[');

  *ret_span = (AssayRowSpan){ .text = "" };
  if (last == NULL || last == text || !parse_span (last, ret_span))
    return g_strdup (text);
  return check_span (ret_span, text, error) ? g_strndup (text, (gsize) (last - text)) : NULL;
}

/* Where the brackets behind the name of a file begin; NULL: there are none. The name itself may
 * have some, as in "scan[1].npy". */
static const char *
find_brackets (const char *text)
{
  const char *last = strrchr (text, '[');

  if (assay_row_format (text) != ASSAY_ROWS_UNKNOWN)
    return NULL;
  for (const char *at = strchr (text, '['); at != NULL; at = strchr (at + 1, '[')) {
    g_autofree char *name = g_strndup (text, (gsize) (at - text));

    if (assay_row_format (name) != ASSAY_ROWS_UNKNOWN)
      return at;
  }
  return last;
}

/* What is not read here, and what people have: how NumPy hands it over. */
static const char *
how_from_python (const char *name)
{
  static const struct {
    const char *ending, *how;
  } others[] = {
    { ".feather", "; in Python: numpy.save ('rows.npy', pandas.read_feather (FILE).to_numpy ())" },
    { ".mat", "; in Python: numpy.save ('rows.npy', scipy.io.loadmat (FILE)[NAME])" },
    { ".pt", "; in Python: numpy.save ('rows.npy', torch.load (FILE).numpy ())" },
    { ".xlsx", "; save it as CSV" },
  };

  for (guint i = 0; i < G_N_ELEMENTS (others); i++)
    if (g_str_has_suffix (name, others[i].ending))
      return others[i].how;
  return "";
}

/* Columns and rows: "[age,income]", "[100:200]" or one behind the other. */
static gboolean
parse_brackets (const char *brackets, gboolean has_choice, Entry *entry)
{
  const char *last = strrchr (brackets, '[');
  gsize length = strlen (brackets);

  if (last[1] != '\0' && parse_span (last, &entry->span))
    length = (gsize) (last - brackets);
  if (length == 0)
    return TRUE;
  if (!has_choice || length < 3 || brackets[length - 1] != ']')
    return FALSE;
  entry->choice = g_strndup (brackets + 1, length - 2);
  return TRUE;
}

static gboolean
parse_entry (const char *text, const char *specification, Entry *entry, GError **error)
{
  const char *brackets = find_brackets (text);
  AssayRowFormat format;

  if (*text == '\0' || brackets == text)
    return assay_fail (error, ASSAY_ERROR_DATA, "'%s': a file name is missing", specification);
  entry->name = brackets != NULL ? g_strndup (text, (gsize) (brackets - text)) : g_strdup (text);
  format = assay_row_format (entry->name);
  if (brackets != NULL && !parse_brackets (brackets, assay_row_format_has_parts (format), entry))
    return assay_fail (error, ASSAY_ERROR_DATA,
                       "malformed range '%s': expected [FIRST:END], rows counted from 0 and END "
                       "not included; either may be left out",
                       text);
  if (!check_span (&entry->span, text, error))
    return FALSE;
  if (format == ASSAY_ROWS_UNKNOWN)
    return assay_fail (error, ASSAY_ERROR_DATA,
                       "'%s' is of an unknown format: expected " ASSAY_ROW_FORMATS "%s",
                       entry->name, how_from_python (entry->name));
  return TRUE;
}

/* The entries of a specification: commas separate them, but not within brackets, where quotes keep
 * names of columns together. */
static GPtrArray *
split_entries (const char *specification)
{
  GPtrArray *entries = g_ptr_array_new_with_free_func (g_free);
  const char *start = specification;
  gboolean is_inside = FALSE, is_quoted = FALSE;

  for (const char *at = specification;; at++) {
    is_quoted = is_inside && (*at == '"') != is_quoted;
    is_inside = *at == '[' || (is_inside && (*at != ']' || is_quoted));
    if (*at != '\0' && (*at != ',' || is_inside))
      continue;
    g_ptr_array_add (entries, g_strstrip (g_strndup (start, (gsize) (at - start))));
    if (*at == '\0')
      return entries;
    start = at + 1;
  }
}

/* ---- Finding files ---- */

/* A place where something stands, even if it may not be looked at: opening it tells why. */
static gboolean
exists (const char *path)
{
  struct stat about;

  return stat (path, &about) == 0 || errno == EACCES;
}

const char *
assay_data_folder (const char *otherwise)
{
  const char *data = g_getenv ("ASSAY_DATA");

  if (data != NULL && *data != '\0')
    return data;
  return g_file_test (otherwise, G_FILE_TEST_IS_DIR) ? otherwise : NULL;
}

/* Where the folder is that of a set of datasets/catalog.ini: how to have such files. */
static const char *
how_to_fetch (const char *name)
{
  const int length = (int) strcspn (name, "/");
  g_autofree char *folder = g_strdup_printf ("\nfolder = %.*s\n", length, name);

  return name[length] == '/' && strstr (assay_published_ini, folder) != NULL
             ? "; 'assay dataset fetch' brings public data sets, and docs/data-recipes.md says how "
               "to have other files"
             : "";
}

char *
assay_row_folder_find (const char *name, const char *const *folders, GError **error)
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
                          "tells in which folder data is%s",
                          name, places->str, how_to_fetch (name));
}

char *
assay_row_file_find (const char *name, const char *const *folders, GError **error)
{
  char *path = assay_row_folder_find (name, folders, error);

  if (path != NULL)
    assay_secret_path_add (path);
  return path;
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
check_rows (const char *path, const AssayRowTable *table, gsize first, gsize end,
            GChecksum *checksum, GError **error)
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

gboolean
assay_row_span_resolve (const AssayRowSpan *span, const char *path, gsize count, gsize *ret_first,
                        gsize *ret_end, GError **error)
{
  *ret_first = span->has_first ? span->first : 0;
  *ret_end = span->has_end ? span->end : count;
  if (span->has_end && *ret_end == 0)
    return assay_fail (error, ASSAY_ERROR_DATA, "%s: the range %s is empty", path, span->text);
  return (*ret_first < count && *ret_end <= count)
         || assay_fail (error, ASSAY_ERROR_DATA,
                        "%s: the range %s reaches out of the file, which has %zu rows", path,
                        span->text, count);
}

static gboolean
append_entry (AssayRowFiles *files, const Entry *entry, const char *const *folders,
              GChecksum *checksum, GError **error)
{
  g_autofree char *folder = g_path_get_dirname (entry->name);
  g_autofree char *path = assay_is_file_pattern (entry->name)
                              ? assay_row_folder_find (folder, folders, error)
                              : assay_row_file_find (entry->name, folders, error);
  g_auto (AssayRowTable) table = { 0 };
  AssayRowRange range = { 0 };
  struct stat about;
  char *canonical;

  if (path == NULL || !assay_row_table_open (path, entry->name, entry->choice, &table, error)
      || !assay_row_span_resolve (&entry->span, path, table.count, &range.first, &range.end, error))
    return FALSE;
  range.n_in_file = table.count;
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
  range.array = g_steal_pointer (&table.array);
  range.path = canonical; /* g_free is free since GLib 2.46 */
  g_array_append_val (files->ranges, range);
  assay_rows_append (files->rows, table.bytes, table.base + range.first * table.stride, table.type,
                     table.stride, range.end - range.first);
  return TRUE;
}

static ASSAY_CLEAR_FUNC (AssayRowRange, clear_range, g_free (self->path), g_free (self->array))

AssayRowFiles *
assay_row_files_open (const char *specification, const char *const *folders, GError **error)
{
  g_autoptr (AssayRowFiles) files = g_new0 (AssayRowFiles, 1);
  g_autoptr (GChecksum) checksum = g_checksum_new (G_CHECKSUM_SHA256);
  g_autoptr (GPtrArray) texts = split_entries (specification);

  files->ranges = g_array_new (FALSE, FALSE, sizeof (AssayRowRange));
  g_array_set_clear_func (files->ranges, (GDestroyNotify) clear_range);
  for (guint i = 0; i < texts->len; i++) {
    g_auto (Entry) entry = { 0 };

    if (!parse_entry (g_ptr_array_index (texts, i), specification, &entry, error)
        || !append_entry (files, &entry, folders, checksum, error))
      return NULL;
  }
  files->sha256 = g_strdup (g_checksum_get_string (checksum));
  return g_steal_pointer (&files);
}

ASSAY_FREE_FUNC (AssayRowFiles, assay_row_files_free, assay_rows_unref (self->rows),
                 g_array_unref (self->ranges), g_free (self->sha256))

/* ---- Overlaps ---- */

/* That two ranges share no row of a file. */
static gboolean
check_pair (const AssayRowRange *a, const char *role, const AssayRowRange *b,
            const char *other_role, GError **error)
{
  const gsize first = MAX (a->first, b->first);
  const gsize end = MIN (a->end, b->end);
  const gboolean is_one_name = g_str_equal (a->path, b->path);

  if (first >= end || g_strcmp0 (a->array, b->array) != 0
      || (!is_one_name && (a->device != b->device || a->inode != b->inode)))
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
