/* Numbers in Parquet files.
 *
 * DuckDB is asked in SQL for each row as one list of numbers of one type:
 *
 *   SELECT [CAST("age" AS DOUBLE), CAST("income" AS DOUBLE)] || CAST("embedding" AS DOUBLE[])
 *
 * It is given a descriptor of the open file and no name: names are patterns and addresses to it,
 * and folders like "year=2024" would become columns. It may load nothing and write nothing. */
#include "core/data/formats/parquet.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include "core/base/each.h"
#include "core/base/error.h"
#include "core/data/formats/csv-header.h"
#include "core/data/formats/duckdb.h"
#include "core/data/formats/late-library.h"

#define FUNCTIONS(X)                                                                               \
  X (duckdb_create_config)                                                                         \
  X (duckdb_set_config)                                                                            \
  X (duckdb_destroy_config)                                                                        \
  X (duckdb_open_ext)                                                                              \
  X (duckdb_close)                                                                                 \
  X (duckdb_connect)                                                                               \
  X (duckdb_disconnect)                                                                            \
  X (duckdb_query)                                                                                 \
  X (duckdb_result_error)                                                                          \
  X (duckdb_destroy_result)                                                                        \
  X (duckdb_fetch_chunk)                                                                           \
  X (duckdb_destroy_data_chunk)                                                                    \
  X (duckdb_data_chunk_get_size)                                                                   \
  X (duckdb_data_chunk_get_vector)                                                                 \
  X (duckdb_vector_get_data)                                                                       \
  X (duckdb_vector_get_validity)                                                                   \
  X (duckdb_list_vector_get_child)
ASSAY_LATE_LIBRARY (late, FUNCTIONS);

#define MAGIC "PAR1" /* at the beginning, and at the end */
#define MAGIC_LENGTH 4
#define IN_PLACE 12 /* bytes of a text that stand in its duckdb_string */

/* An open file, and the database without tables that reads it. */
typedef struct {
  int file;
  duckdb_database database;
  duckdb_connection connection;
} Session;

ASSAY_LOCAL_CLEAR (Session, session_clear, late.duckdb_disconnect (&self->connection),
                   late.duckdb_close (&self->database), close (self->file))

ASSAY_LOCAL_CLEAR (duckdb_result, result_clear, late.duckdb_destroy_result (self))

static void
chunk_clear (duckdb_data_chunk *chunk)
{
  late.duckdb_destroy_data_chunk (chunk);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (duckdb_data_chunk, chunk_clear)

/* ---- The library ---- */

/* With the numbers that Debian gives it, where the file for compilers is not installed. */
static gboolean
load (GError **error)
{
  static const char *const sonames[]
      = { ("libduckdb." G_MODULE_SUFFIX), "libduckdb.so.2.0", "libduckdb.so.1.5" };
  static GMutex lock;
  static gboolean is_loaded;
  G_GNUC_UNUSED g_autoptr (GMutexLocker) locker = g_mutex_locker_new (&lock);

  for (guint i = 0; !is_loaded && i < G_N_ELEMENTS (sonames); i++)
    is_loaded = ASSAY_LATE_LIBRARY_LOAD (late, sonames[i], NULL);
  return is_loaded
         || assay_fail (error, ASSAY_ERROR_IO,
                        "Parquet is read by DuckDB's library, and no libduckdb." G_MODULE_SUFFIX
                        " of version 1.0 or later is installed here; in Python: numpy.save "
                        "('rows.npy', pandas.read_parquet (FILE).to_numpy ())");
}

static gboolean
start (Session *session, GError **error)
{
  static const char *const settings[][2] = { { "threads", "1" },
                                             { "temp_directory", "" },
                                             { "autoinstall_known_extensions", "false" },
                                             { "autoload_known_extensions", "false" } };
  duckdb_config config = NULL;
  gboolean is_ready = late.duckdb_create_config (&config) == DUCKDB_SUCCESS;

  for (guint i = 0; is_ready && i < G_N_ELEMENTS (settings); i++)
    is_ready = late.duckdb_set_config (config, settings[i][0], settings[i][1]) == DUCKDB_SUCCESS;
  is_ready = is_ready
             && late.duckdb_open_ext (NULL, &session->database, config, NULL) == DUCKDB_SUCCESS
             && late.duckdb_connect (session->database, &session->connection) == DUCKDB_SUCCESS;
  late.duckdb_destroy_config (&config);
  return is_ready || assay_fail (error, ASSAY_ERROR_IO, "DuckDB's library does not start");
}

/* Asks what stands @before and @after the rows of the file. */
static gboolean
query (const Session *session, const char *before, const char *after, duckdb_result *result,
       GError **error)
{
  g_autofree char *sql
      = g_strdup_printf ("%s FROM read_parquet('/dev/fd/%d')%s", before, session->file, after);
  const char *message, *kind;

  if (late.duckdb_query (session->connection, sql, result) == DUCKDB_SUCCESS)
    return TRUE;
  message = late.duckdb_result_error (result);
  message = message != NULL ? message : "DuckDB does not say why";
  kind = strstr (message, "Error: ");
  message = kind != NULL ? kind + strlen ("Error: ") : message;
  return assay_fail (error, ASSAY_ERROR_DATA, "cannot be read: %.*s", (int) strcspn (message, "\n"),
                     message);
}

/* ---- Columns ---- */

typedef struct {
  char *name;
  AssayType type;
  gboolean is_number, is_list;
  char *type_name; /* of DuckDB */
} Column;

ASSAY_LOCAL_FREE (Column, column_free, g_free (self->name), g_free (self->type_name))

/* "DOUBLE", or "DOUBLE[]" and "DOUBLE[3]" of lists. */
static Column *
column_new (char *name, char *type_name)
{
  static const struct {
    const char *name;
    AssayType type;
  } types[] = {
    { "BOOLEAN", ASSAY_UINT8 },  { "UTINYINT", ASSAY_UINT8 },  { "TINYINT", ASSAY_INT32 },
    { "SMALLINT", ASSAY_INT32 }, { "USMALLINT", ASSAY_INT32 }, { "INTEGER", ASSAY_INT32 },
    { "UINTEGER", ASSAY_INT64 }, { "BIGINT", ASSAY_INT64 },    { "UBIGINT", ASSAY_INT64 },
    { "FLOAT", ASSAY_FLOAT32 },  { "DOUBLE", ASSAY_FLOAT64 },  { "DECIMAL", ASSAY_FLOAT64 },
  };
  Column *column = g_new0 (Column, 1);
  const gsize length = strcspn (type_name, "([");
  const char *bracket = strchr (type_name, '[');

  *column = (Column){ .name = name, .type_name = type_name, .is_list = bracket != NULL };
  for (guint i = 0; i < G_N_ELEMENTS (types); i++)
    if (strlen (types[i].name) == length && strncmp (types[i].name, type_name, length) == 0) {
      column->is_number = bracket == NULL || strchr (bracket + 1, '[') == NULL;
      column->type = types[i].type;
    }
  return column;
}

static char *
text_of (duckdb_data_chunk chunk, guint64 column, guint64 row)
{
  const duckdb_string *texts
      = late.duckdb_vector_get_data (late.duckdb_data_chunk_get_vector (chunk, column));
  const duckdb_string *text = &texts[row];

  return g_strndup (text->length <= IN_PLACE ? text->start : text->text, text->length);
}

/* All columns of the file. */
static GPtrArray *
read_columns (const Session *session, GError **error)
{
  g_autoptr (GPtrArray) columns = g_ptr_array_new_with_free_func ((GDestroyNotify) column_free);
  g_auto (duckdb_result) result = { 0 };

  if (!query (session, "SELECT column_name, column_type FROM (DESCRIBE SELECT *", ")", &result,
              error))
    return NULL;
  for (;;) {
    g_auto (duckdb_data_chunk) chunk = late.duckdb_fetch_chunk (result);

    if (chunk == NULL)
      return g_steal_pointer (&columns);
    for (guint64 i = 0; i < late.duckdb_data_chunk_get_size (chunk); i++)
      g_ptr_array_add (columns, column_new (text_of (chunk, 0, i), text_of (chunk, 1, i)));
  }
}

/* Those of @all that @choice names, in its order; @all keeps them. */
static GPtrArray *
choose (const GPtrArray *all, const char *choice, GError **error)
{
  g_autoptr (GPtrArray) names = g_ptr_array_new_with_free_func (g_free);
  g_autoptr (GPtrArray) chosen = g_ptr_array_new ();
  g_autofree gsize *places = NULL;
  gsize n = all->len;

  ASSAY_FOR_EACH (const Column, column, all) {
    g_ptr_array_add (names, g_strdup (column->name));
  }
  if (choice != NULL) {
    places = assay_csv_header_choose (names, choice, &n, error);
    if (places == NULL)
      return NULL;
  }
  g_ptr_array_set_size (chosen, (int) n);
  for (guint i = 0; i < all->len; i++)
    if (places == NULL || places[i] != G_MAXSIZE)
      chosen->pdata[places != NULL ? places[i] : i] = all->pdata[i];
  ASSAY_FOR_EACH (const Column, column, chosen) {
    if (!column->is_number)
      return assay_fail_null (error, ASSAY_ERROR_DATA,
                              "column '%s' holds %s, and no numbers; columns are chosen as in "
                              "FILE[age,income], and FILE[-name] is all but one",
                              column->name, column->type_name);
  }
  return g_steal_pointer (&chosen);
}

/* The type that holds the numbers of all. */
static AssayType
common_type (const GPtrArray *columns)
{
  AssayType type = ((const Column *) columns->pdata[0])->type;

  ASSAY_FOR_EACH (const Column, column, columns) {
    if (type >= ASSAY_UINT8 && column->type >= ASSAY_UINT8)
      type = MAX (type, column->type);
    else if (type != column->type)
      type = ASSAY_FLOAT64;
  }
  return type;
}

/* ---- Rows ---- */

static char *
quoted (const char *text, const char *quote)
{
  g_auto (GStrv) parts = g_strsplit (text, quote, -1);
  g_autofree char *twice = g_strconcat (quote, quote, NULL);
  g_autofree char *inner = g_strjoinv (twice, parts);

  return g_strconcat (quote, inner, quote, NULL);
}

/* The column as numbers of @type. */
static void
append_cast (GString *sql, const Column *column, AssayType type)
{
  static const char *const names[] = { [ASSAY_FLOAT32] = "FLOAT",
                                       [ASSAY_FLOAT64] = "DOUBLE",
                                       [ASSAY_UINT8] = "UTINYINT",
                                       [ASSAY_INT32] = "INTEGER",
                                       [ASSAY_INT64] = "BIGINT" };
  g_autofree char *name = quoted (column->name, "\"");
  g_autofree char *message = g_strdup_printf (
      "column '%s' has a whole number that float64 does not hold exactly, beside "
      "numbers that are not whole",
      column->name);
  g_autofree char *text = quoted (message, "'");
  g_autofree char *whole = g_strdup_printf ("HUGEINT%s", column->is_list ? "[]" : "");
  g_autofree char *cast
      = g_strdup_printf ("CAST(%s AS %s%s)", name, names[type], column->is_list ? "[]" : "");

  if (type == ASSAY_FLOAT64 && column->type == ASSAY_INT64)
    g_string_append_printf (sql,
                            "CASE WHEN CAST(%s AS %s) IS DISTINCT FROM CAST(%s AS %s) THEN "
                            "error(%s) ELSE %s END",
                            cast, whole, name, whole, text, cast);
  else
    g_string_append (sql, cast);
}

/* "SELECT [a, b] || c || [d]": a row as one list, in which c is a list itself. */
static char *
row_query (const GPtrArray *columns, AssayType type)
{
  GString *sql = g_string_new ("SELECT ");
  const gsize start = sql->len;
  gboolean is_open = FALSE;

  ASSAY_FOR_EACH (const Column, column, columns) {
    const gboolean is_first = sql->len == start;

    if (is_open && column->is_list)
      g_string_append (sql, "] || ");
    else if (is_open)
      g_string_append (sql, ", ");
    else if (!is_first)
      g_string_append (sql, " || ");
    if (!is_open && !column->is_list)
      g_string_append_c (sql, '[');
    is_open = !column->is_list;
    append_cast (sql, column, type);
  }
  if (is_open)
    g_string_append_c (sql, ']');
  return g_string_free (sql, FALSE);
}

typedef struct {
  const GPtrArray *columns;
  AssayType type;
  gsize count, cols; /* cols is known from the first row on */
  gsize n_read;
  guint8 *numbers;
} Rows;

ASSAY_LOCAL_CLEAR (Rows, rows_clear, g_free (self->numbers))

static gboolean
is_there (const guint64 *validity, guint64 i)
{
  return validity == NULL || (validity[i / 64] >> (i % 64) & 1) != 0;
}

/* How a row has to be: as the first one. */
static gboolean
check_length (Rows *rows, gsize length, GError **error)
{
  if (rows->n_read == 0 && length > 0) {
    rows->cols = length;
    rows->numbers = assay_alloc (rows->count, length * assay_type_size (rows->type),
                                 "numbers of a Parquet file", error);
    return rows->numbers != NULL;
  }
  return (length == rows->cols && length > 0)
         || assay_fail (error, ASSAY_ERROR_DATA,
                        "row %zu has %zu numbers; expected lists that are as long as those of the "
                        "first row, and not empty",
                        rows->n_read, length);
}

static gboolean
fail_missing (const Rows *rows, gsize k, GError **error)
{
  const gboolean is_plain = rows->cols == rows->columns->len;

  if (is_plain)
    return assay_fail (error, ASSAY_ERROR_DATA,
                       "row %zu has no value in column '%s'; expected a number", rows->n_read,
                       ((const Column *) rows->columns->pdata[k])->name);
  return assay_fail (error, ASSAY_ERROR_DATA, "row %zu lacks its number %zu", rows->n_read, k);
}

static gboolean
take_chunk (duckdb_data_chunk chunk, Rows *rows, GError **error)
{
  const duckdb_vector lists = late.duckdb_data_chunk_get_vector (chunk, 0);
  const duckdb_vector numbers = late.duckdb_list_vector_get_child (lists);
  const duckdb_list_entry *entries = late.duckdb_vector_get_data (lists);
  const guint8 *data = late.duckdb_vector_get_data (numbers);
  const guint64 *has_list = late.duckdb_vector_get_validity (lists);
  const guint64 *has_number = late.duckdb_vector_get_validity (numbers);
  const gsize size = assay_type_size (rows->type), n = late.duckdb_data_chunk_get_size (chunk);

  for (gsize i = 0; i < n && rows->n_read < rows->count; i++, rows->n_read++) {
    if (!is_there (has_list, i))
      return assay_fail (error, ASSAY_ERROR_DATA, "row %zu has no list", rows->n_read);
    if (!check_length (rows, entries[i].length, error))
      return FALSE;
    for (gsize k = 0; has_number != NULL && k < rows->cols; k++)
      if (!is_there (has_number, entries[i].offset + k))
        return fail_missing (rows, k, error);
    memcpy (rows->numbers + rows->n_read * rows->cols * size, data + entries[i].offset * size,
            rows->cols * size);
  }
  return TRUE;
}

static gboolean
count_rows (const Session *session, gsize *ret_count, GError **error)
{
  g_auto (duckdb_result) result = { 0 };
  g_auto (duckdb_data_chunk) chunk = NULL;

  if (!query (session, "SELECT count(*)", "", &result, error))
    return FALSE;
  chunk = late.duckdb_fetch_chunk (result);
  *ret_count = chunk != NULL ? *(const gsize *) late.duckdb_vector_get_data (
                   late.duckdb_data_chunk_get_vector (chunk, 0))
                             : 0;
  return *ret_count > 0 || assay_fail (error, ASSAY_ERROR_DATA, "has no rows");
}

static AssayArray *
read_rows (const Session *session, const GPtrArray *columns, GError **error)
{
  g_auto (Rows) rows = { .columns = columns, .type = common_type (columns) };
  g_autofree char *what = row_query (columns, rows.type);
  g_auto (duckdb_result) result = { 0 };

  if (!count_rows (session, &rows.count, error) || !query (session, what, "", &result, error))
    return NULL;
  for (;;) {
    g_auto (duckdb_data_chunk) chunk = late.duckdb_fetch_chunk (result);

    if (chunk == NULL)
      break;
    if (!take_chunk (chunk, &rows, error))
      return NULL;
  }
  if (rows.n_read < rows.count)
    return assay_fail_null (error, ASSAY_ERROR_DATA, "is damaged: it has %zu rows of %zu",
                            rows.n_read, rows.count);
  return assay_array_take (rows.type, 2, (gsize[]){ rows.count, rows.cols },
                           g_steal_pointer (&rows.numbers));
}

static gboolean
open_file (Session *session, const char *path, GError **error)
{
  char magic[MAGIC_LENGTH];
  off_t end;

  session->file = open (path, O_RDONLY | O_CLOEXEC | O_NONBLOCK); /* a pipe waits for no writer */
  if (session->file < 0)
    return assay_fail (error, ASSAY_ERROR_DATA, "cannot be opened: %s", g_strerror (errno));
  end = lseek (session->file, -MAGIC_LENGTH, SEEK_END);
  return (end > 0 && pread (session->file, magic, MAGIC_LENGTH, end) == MAGIC_LENGTH
          && memcmp (magic, MAGIC, MAGIC_LENGTH) == 0)
         || assay_fail (error, ASSAY_ERROR_DATA, "is no Parquet file, or truncated");
}

static AssayArray *
read_file (const char *path, const char *choice, GError **error)
{
  g_auto (Session) session = { .file = -1 };
  g_autoptr (GPtrArray) all = NULL, columns = NULL;

  if (!open_file (&session, path, error) || !start (&session, error))
    return NULL;
  all = read_columns (&session, error);
  columns = all != NULL ? choose (all, choice, error) : NULL;
  return columns != NULL ? read_rows (&session, columns, error) : NULL;
}

AssayArray *
assay_parquet_read (const char *path, const char *choice, GError **error)
{
  return load (error) ? read_file (path, choice, error) : NULL;
}
