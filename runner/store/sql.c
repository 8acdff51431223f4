/* SQL of the run store. */
#include "runner/store/sql.h"

#include "core/base/error.h"

gboolean
assay_sql_fail_damaged (const AssayStore *store, const char *problem, GError **error)
{
  return assay_fail (error, ASSAY_ERROR_DATA,
                     "%s: the run store is damaged (%s); expected a new run, with --out in another "
                     "folder",
                     store->path, problem);
}

gboolean
assay_sql_fail (const AssayStore *store, GError **error)
{
  const int code = sqlite3_errcode (store->database);

  if (code == SQLITE_CORRUPT || code == SQLITE_NOTADB)
    return assay_sql_fail_damaged (store, sqlite3_errmsg (store->database), error);
  return assay_fail (error, ASSAY_ERROR_IO, "%s: %s", store->path,
                     sqlite3_errmsg (store->database));
}

gboolean
assay_sql_execute (AssayStore *store, const char *sql, GError **error)
{
  return sqlite3_exec (store->database, sql, NULL, NULL, NULL) == SQLITE_OK
         || assay_sql_fail (store, error);
}

gboolean
assay_sql_end (AssayStore *store, gboolean is_ok, GError **error)
{
  if (is_ok && assay_sql_execute (store, "COMMIT", error))
    return TRUE;
  sqlite3_exec (store->database, "ROLLBACK", NULL, NULL, NULL);
  return FALSE;
}

static void
bind_value (sqlite3_stmt *statement, int index, const AssaySqlValue *value)
{
  if (value->type == SQLITE_INTEGER)
    sqlite3_bind_int64 (statement, index, value->integer);
  else if (value->type == SQLITE_FLOAT)
    sqlite3_bind_double (statement, index, value->real);
  else if (value->type == SQLITE_TEXT)
    sqlite3_bind_text (statement, index, value->data, -1, SQLITE_TRANSIENT);
  else
    sqlite3_bind_blob64 (statement, index, value->data, value->bytes, SQLITE_TRANSIENT);
}

gboolean
assay_sql_step (AssayStore *store, const char *sql, const AssaySqlValue *values, gsize n,
                AssaySqlRow **ret_row, GError **error)
{
  sqlite3_stmt *statement = g_hash_table_lookup (store->statements, sql);
  int result;

  *ret_row = NULL;
  if (statement == NULL) {
    if (sqlite3_prepare_v2 (store->database, sql, -1, &statement, NULL) != SQLITE_OK)
      return assay_sql_fail (store, error);
    g_hash_table_insert (store->statements, g_strdup (sql), statement);
  }
  sqlite3_clear_bindings (statement);
  for (gsize i = 0; i < n; i++)
    bind_value (statement, (int) i + 1, &values[i]);
  result = sqlite3_step (statement);
  if (result == SQLITE_ROW) {
    *ret_row = statement;
  } else {
    sqlite3_reset (statement);
    sqlite3_clear_bindings (statement); /* which hold copies */
  }
  return result == SQLITE_ROW || result == SQLITE_DONE || assay_sql_fail (store, error);
}

ASSAY_CLEAR_FUNC (AssaySqlRow, assay_sql_row_free, sqlite3_reset (self))

gboolean
assay_sql_read_integer (AssayStore *store, const char *sql, gint64 *ret_value, GError **error)
{
  g_autoptr (AssaySqlRow) row = NULL;

  if (!assay_sql_step (store, sql, NULL, 0, &row, error))
    return FALSE;
  *ret_value = row != NULL ? sqlite3_column_int64 (row, 0) : 0;
  return TRUE;
}

gboolean
assay_sql_numbers (const AssayStore *store, AssaySqlRow *row, int column, gpointer *ret_numbers,
                   gsize *ret_n, GError **error)
{
  const gsize bytes = (gsize) sqlite3_column_bytes (row, column);

  if (bytes % sizeof (double) != 0)
    return assay_sql_fail_damaged (store, "numbers are cut short", error);
  *ret_numbers = g_memdup2 (sqlite3_column_blob (row, column), bytes);
  *ret_n = bytes / sizeof (double);
  return TRUE;
}

gboolean
assay_sql_watch (AssayStore *store, const char *database, GError **error)
{
  g_clear_pointer (&store->session, sqlite3session_delete);
  return (sqlite3session_create (store->database, database, &store->session) == SQLITE_OK
          && sqlite3session_attach (store->session, NULL) == SQLITE_OK)
         || assay_sql_fail (store, error);
}
