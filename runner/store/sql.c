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

sqlite3_stmt *
assay_sql_prepare (AssayStore *store, const char *sql, const sqlite3_int64 *integers, guint n,
                   GError **error)
{
  sqlite3_stmt *statement = g_hash_table_lookup (store->statements, sql);

  if (statement == NULL) {
    if (sqlite3_prepare_v2 (store->database, sql, -1, &statement, NULL) != SQLITE_OK) {
      assay_sql_fail (store, error);
      return NULL;
    }
    g_hash_table_insert (store->statements, g_strdup (sql), statement);
  }
  sqlite3_clear_bindings (statement);
  for (guint i = 0; i < n; i++)
    sqlite3_bind_int64 (statement, (int) i + 1, integers[i]);
  return statement;
}

gboolean
assay_sql_finish (AssayStore *store, sqlite3_stmt *statement, GError **error)
{
  const int result = sqlite3_step (statement);

  sqlite3_reset (statement);
  return result == SQLITE_DONE || assay_sql_fail (store, error);
}

gboolean
assay_sql_read_integer (AssayStore *store, const char *sql, gint64 *ret_value, GError **error)
{
  sqlite3_stmt *statement = assay_sql_prepare (store, sql, NULL, 0, error);
  gboolean is_row;

  if (statement == NULL)
    return FALSE;
  is_row = sqlite3_step (statement) == SQLITE_ROW;
  if (is_row)
    *ret_value = sqlite3_column_int64 (statement, 0);
  sqlite3_reset (statement);
  return is_row || assay_sql_fail (store, error);
}

void
assay_sql_finalize (gpointer statement)
{
  sqlite3_finalize (statement);
}

gboolean
assay_sql_insert_blob (AssayStore *store, const char *sql, const sqlite3_int64 *integers, guint n,
                       const AssaySqlBlob *blob, GError **error)
{
  sqlite3_stmt *statement = assay_sql_prepare (store, sql, integers, n, error);

  if (statement == NULL)
    return FALSE;
  sqlite3_bind_blob64 (statement, (int) n + 1, blob->data, blob->bytes, SQLITE_TRANSIENT);
  return assay_sql_finish (store, statement, error);
}

gboolean
assay_sql_select_blob (AssayStore *store, const char *sql, const sqlite3_int64 *integers, guint n,
                       AssaySqlBlob *ret_blob, GError **error)
{
  sqlite3_stmt *statement = assay_sql_prepare (store, sql, integers, n, error);
  AssaySqlBlob blob = { 0 };
  int result;

  if (statement == NULL)
    return FALSE;
  result = sqlite3_step (statement);
  if (result == SQLITE_ROW) {
    const int last = sqlite3_column_count (statement) - 1;

    blob.bytes = (gsize) sqlite3_column_bytes (statement, last);
    blob.data = g_memdup2 (sqlite3_column_blob (statement, last), blob.bytes);
    blob.first = sqlite3_column_int64 (statement, 0);
  }
  sqlite3_reset (statement);
  if (result != SQLITE_ROW && result != SQLITE_DONE)
    return assay_sql_fail (store, error);
  if (blob.bytes % sizeof (double) != 0) {
    g_free (blob.data);
    return assay_sql_fail_damaged (store, "numbers are cut short", error);
  }
  *ret_blob = blob;
  return TRUE;
}
