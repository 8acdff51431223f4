/* Rows of run stores as bytes: the number of its table, then each column with its type. */
#include "runner/store/rows.h"

#include <string.h>

#include "core/base/error.h"
#include "runner/store/sql.h"

/* What a store in memory has told already, or been told. */
static const char told_schema[]
    = "CREATE TABLE told_tunings (dataset INTEGER, defense INTEGER, attack INTEGER,"
      " PRIMARY KEY (dataset, defense, attack)) WITHOUT ROWID;";

/* Facts stay, because later cells need them. */
static const char forget_texts[] = "DELETE FROM meta WHERE rowid > ? AND key NOT GLOB 'control.*'"
                                   " AND key NOT GLOB 'dataset.*' AND key NOT GLOB 'program.*'";

/* What was of cells that are done. One statement each, so that they are prepared once. */
static const char *const forget[] = { forget_texts,
                                      "DELETE FROM cells",
                                      "DELETE FROM outcomes",
                                      "DELETE FROM groups",
                                      "DELETE FROM pictures",
                                      "DELETE FROM tiles",
                                      NULL };

static const char remember[]
    = "INSERT OR IGNORE INTO told_tunings SELECT dataset, defense, attack FROM tunings";

typedef struct {
  int columns;
  const char *new_rows; /* the rows that are to be told */
  const char *add;
} Table;

/* Their order is that of the numbers in the bytes. */
static const Table tables[] = {
  { 2, "SELECT * FROM meta WHERE rowid > ?", "INSERT OR REPLACE INTO meta VALUES (?, ?)" },
  { 5, "SELECT * FROM cells", "INSERT OR REPLACE INTO cells VALUES (?, ?, ?, ?, ?)" },
  { 4, "SELECT * FROM outcomes", "INSERT OR REPLACE INTO outcomes VALUES (?, ?, ?, ?)" },
  { 3, "SELECT * FROM groups", "INSERT OR REPLACE INTO groups VALUES (?, ?, ?)" },
  { 5, "SELECT * FROM tunings WHERE (dataset, defense, attack) NOT IN told_tunings",
    "INSERT OR REPLACE INTO tunings VALUES (?, ?, ?, ?, ?)" },
  { 5, "SELECT * FROM tiles", "INSERT OR IGNORE INTO tiles VALUES (?, ?, ?, ?, ?)" },
  { 5, "SELECT * FROM pictures", "INSERT OR REPLACE INTO pictures VALUES (?, ?, ?, ?, ?)" },
};

enum { META = 0, TUNINGS = 4 };

static gboolean
execute (AssayStore *store, const char *sql, GError **error)
{
  const sqlite3_int64 told = store->told_texts;
  sqlite3_stmt *statement = assay_sql_prepare (store, sql, NULL, 0, error);

  if (statement == NULL)
    return FALSE;
  if (sqlite3_bind_parameter_count (statement) > 0)
    sqlite3_bind_int64 (statement, 1, told);
  return assay_sql_finish (store, statement, error);
}

/* Rows that come later have greater numbers: SQLite counts on from the greatest there is. */
static gboolean
mark_as_told (AssayStore *store, GError **error)
{
  return execute (store, remember, error)
         && assay_sql_read_integer (store, "SELECT ifnull (max (rowid), 0) FROM meta",
                                    &store->told_texts, error);
}

static gboolean
make_told (AssayStore *store, GError **error)
{
  if (!store->has_told && !assay_sql_execute (store, told_schema, error))
    return FALSE;
  store->has_told = TRUE;
  return TRUE;
}

/* ---- To bytes ---- */

static void
append_column (GByteArray *bytes, sqlite3_stmt *statement, int column)
{
  const guint8 type = (guint8) sqlite3_column_type (statement, column);
  const gint64 integer = sqlite3_column_int64 (statement, column);
  const double real = sqlite3_column_double (statement, column);

  g_byte_array_append (bytes, &type, 1);
  if (type == SQLITE_INTEGER) {
    g_byte_array_append (bytes, (const guint8 *) &integer, sizeof integer);
  } else if (type == SQLITE_FLOAT) {
    g_byte_array_append (bytes, (const guint8 *) &real, sizeof real);
  } else if (type != SQLITE_NULL) {
    const guint8 *data = sqlite3_column_blob (statement, column);
    const guint32 size = (guint32) sqlite3_column_bytes (statement, column);

    g_byte_array_append (bytes, (const guint8 *) &size, sizeof size);
    g_byte_array_append (bytes, data, size);
  }
}

/* All rows of a statement, whose parameters are bound. */
static gboolean
append_rows (AssayStore *store, guint8 table, sqlite3_stmt *statement, GByteArray *bytes,
             GError **error)
{
  int result;

  while ((result = sqlite3_step (statement)) == SQLITE_ROW) {
    g_byte_array_append (bytes, &table, 1);
    for (int c = 0; c < tables[table].columns; c++)
      append_column (bytes, statement, c);
  }
  sqlite3_reset (statement);
  return result == SQLITE_DONE || assay_sql_fail (store, error);
}

/* ---- And back ---- */

typedef struct {
  const guint8 *data;
  gsize left;
} Bytes;

static gboolean
take (Bytes *bytes, gpointer ret_data, gsize size)
{
  if (bytes->left < size)
    return FALSE;
  memcpy (ret_data, bytes->data, size);
  bytes->data += size;
  bytes->left -= size;
  return TRUE;
}

static gboolean
bind_column (Bytes *bytes, sqlite3_stmt *statement, int column)
{
  guint8 type;
  gint64 integer;
  double real;
  guint32 size;

  if (!take (bytes, &type, 1))
    return FALSE;
  switch (type) {
  case SQLITE_NULL:
    return sqlite3_bind_null (statement, column) == SQLITE_OK;
  case SQLITE_INTEGER:
    return take (bytes, &integer, sizeof integer)
           && sqlite3_bind_int64 (statement, column, integer) == SQLITE_OK;
  case SQLITE_FLOAT:
    return take (bytes, &real, sizeof real)
           && sqlite3_bind_double (statement, column, real) == SQLITE_OK;
  case SQLITE_TEXT:
  case SQLITE_BLOB:
    break;
  default:
    return FALSE;
  }
  if (!take (bytes, &size, sizeof size) || bytes->left < size)
    return FALSE;
  if (type == SQLITE_TEXT)
    sqlite3_bind_text (statement, column, (const char *) bytes->data, (int) size, SQLITE_TRANSIENT);
  else
    sqlite3_bind_blob (statement, column, bytes->data, (int) size, SQLITE_TRANSIENT);
  bytes->data += size;
  bytes->left -= size;
  return TRUE;
}

/* Cells of one run must have seen the same data, wherever they ran. @bytes: a row of `meta`. */
static gboolean
check_dataset (AssayStore *store, Bytes bytes, GError **error)
{
  g_auto (GStrv) texts = g_new0 (char *, 3);
  g_autofree char *known = NULL;

  for (guint i = 0; i < 2; i++) {
    guint8 type;
    guint32 size;

    if (!take (&bytes, &type, 1) || type != SQLITE_TEXT || !take (&bytes, &size, sizeof size)
        || bytes.left < size)
      break;
    texts[i] = g_strndup ((const char *) bytes.data, size);
    bytes.data += size;
    bytes.left -= size;
  }
  if (texts[1] == NULL || !g_str_has_prefix (texts[0], "dataset."))
    return TRUE;
  if (!assay_store_get (store, texts[0], &known, error))
    return FALSE;
  return known == NULL || g_str_equal (known, texts[1])
         || assay_fail (error, ASSAY_ERROR_DATA,
                        "a worker read other data than the run began with (sha256 %.12s, expected "
                        "%.12s)",
                        texts[1], known);
}

static gboolean
add_row (AssayStore *store, Bytes *bytes, GError **error)
{
  sqlite3_stmt *statement;
  guint8 table;

  if (!take (bytes, &table, 1) || table >= G_N_ELEMENTS (tables))
    return assay_fail (error, ASSAY_ERROR_DATA, "what a worker found is no row of a run store");
  if (table == META && !check_dataset (store, *bytes, error))
    return FALSE;
  statement = assay_sql_prepare (store, tables[table].add, NULL, 0, error);
  if (statement == NULL)
    return FALSE;
  for (int c = 1; c <= tables[table].columns; c++)
    if (!bind_column (bytes, statement, c))
      return assay_fail (error, ASSAY_ERROR_DATA, "what a worker found is cut off");
  return assay_sql_finish (store, statement, error);
}

static gboolean
add_rows (AssayStore *store, GBytes *rows, GError **error)
{
  Bytes bytes;

  bytes.data = g_bytes_get_data (rows, &bytes.left);
  if (!assay_sql_execute (store, "BEGIN", error))
    return FALSE;
  while (bytes.left > 0)
    if (!add_row (store, &bytes, error)) {
      sqlite3_exec (store->database, "ROLLBACK", NULL, NULL, NULL);
      return FALSE;
    }
  if (assay_sql_execute (store, "COMMIT", error))
    return TRUE;
  sqlite3_exec (store->database, "ROLLBACK", NULL, NULL, NULL);
  return FALSE;
}

/* ---- Facts ---- */

GBytes *
assay_store_common_facts (AssayStore *store, GError **error)
{
  g_autoptr (GByteArray) bytes = g_byte_array_new ();
  sqlite3_stmt *statement = assay_sql_prepare (
      store, "SELECT * FROM meta WHERE key GLOB 'dataset.*' OR key GLOB 'program.*'", NULL, 0,
      error);

  if (statement == NULL || !append_rows (store, META, statement, bytes, error))
    return NULL;
  return g_byte_array_free_to_bytes (g_steal_pointer (&bytes));
}

GBytes *
assay_store_facts (AssayStore *store, const AssayCell *cell, GError **error)
{
  g_autoptr (GByteArray) bytes = g_byte_array_new ();
  const sqlite3_int64 tuning[] = { cell->dataset, cell->defense, cell->attack };
  g_autofree char *pattern = g_strdup_printf ("control.%u.*", cell->attack);
  sqlite3_stmt *statement;

  if (cell->attack == ASSAY_NO_COMPONENT)
    return g_bytes_new (NULL, 0);
  statement = assay_sql_prepare (store, "SELECT * FROM meta WHERE key GLOB ?", NULL, 0, error);
  if (statement == NULL)
    return NULL;
  sqlite3_bind_text (statement, 1, pattern, -1, SQLITE_TRANSIENT);
  if (!append_rows (store, META, statement, bytes, error))
    return NULL;
  statement = assay_sql_prepare (
      store, "SELECT * FROM tunings WHERE dataset = ? AND defense = ? AND attack = ?", tuning, 3,
      error);
  if (statement == NULL || !append_rows (store, TUNINGS, statement, bytes, error))
    return NULL;
  return g_byte_array_free_to_bytes (g_steal_pointer (&bytes));
}

gboolean
assay_store_learn (AssayStore *store, GBytes *facts, GError **error)
{
  return make_told (store, error) && add_rows (store, facts, error) && mark_as_told (store, error);
}

/* ---- What is new ---- */

GBytes *
assay_store_take_rows (AssayStore *store, GError **error)
{
  g_autoptr (GByteArray) bytes = g_byte_array_new ();

  if (!make_told (store, error))
    return NULL;
  for (gsize t = 0; t < G_N_ELEMENTS (tables); t++) {
    sqlite3_stmt *statement = assay_sql_prepare (store, tables[t].new_rows, NULL, 0, error);

    if (statement == NULL)
      return NULL;
    if (t == META)
      sqlite3_bind_int64 (statement, 1, store->told_texts);
    if (!append_rows (store, (guint8) t, statement, bytes, error))
      return NULL;
  }
  for (gsize i = 0; forget[i] != NULL; i++)
    if (!execute (store, forget[i], error))
      return NULL;
  if (!mark_as_told (store, error))
    return NULL;
  return g_byte_array_free_to_bytes (g_steal_pointer (&bytes));
}

gboolean
assay_store_add_rows (AssayStore *store, GBytes *rows, GError **error)
{
  return add_rows (store, rows, error);
}
