/* The run store. SQLite in WAL mode: a commit is one append, and a killed process loses nothing
 * that was committed. */
#include "runner/store/store.h"

#include <glib/gstdio.h>

#include "runner/store/sql.h"

/* Written into the file's header ("assy"), so that another program's database is recognised. */
#define APPLICATION_ID 0x61737379
#define SCHEMA_VERSION 1
#define MAX_BEGUN 2

static const char schema[]
    = "CREATE TABLE meta (key TEXT PRIMARY KEY, value TEXT NOT NULL);"
      "CREATE TABLE cells (cell INTEGER PRIMARY KEY, begun INTEGER NOT NULL,"
      " status INTEGER NOT NULL, message TEXT, seconds REAL);"
      "CREATE TABLE outcomes (cell INTEGER, metric INTEGER, series INTEGER, data BLOB NOT NULL,"
      " PRIMARY KEY (cell, metric, series)) WITHOUT ROWID;"
      "CREATE TABLE groups (dataset INTEGER, trial INTEGER, data BLOB NOT NULL,"
      " PRIMARY KEY (dataset, trial)) WITHOUT ROWID;"
      "CREATE TABLE tunings (dataset INTEGER, defense INTEGER, attack INTEGER,"
      " chosen INTEGER NOT NULL, estimates BLOB NOT NULL,"
      " PRIMARY KEY (dataset, defense, attack)) WITHOUT ROWID;"
      /* The original of a unit is the same in most cells: equal pictures are kept once. */
      "CREATE TABLE tiles (sha256 TEXT PRIMARY KEY, width INTEGER NOT NULL,"
      " height INTEGER NOT NULL, channels INTEGER NOT NULL, data BLOB NOT NULL) WITHOUT ROWID;"
      "CREATE TABLE pictures (cell INTEGER, metric INTEGER, role INTEGER, unit INTEGER,"
      " tile TEXT NOT NULL, PRIMARY KEY (cell, metric, role, unit)) WITHOUT ROWID;";

/* Every page, so that damage shows before a run goes on rather than at its end. */
static gboolean
check_whole (AssayStore *store, GError **error)
{
  sqlite3_stmt *statement = assay_sql_prepare (store, "PRAGMA quick_check(1)", NULL, 0, error);
  gboolean is_row, is_whole;

  if (statement == NULL)
    return FALSE;
  is_row = sqlite3_step (statement) == SQLITE_ROW;
  is_whole = is_row && g_strcmp0 ((const char *) sqlite3_column_text (statement, 0), "ok") == 0;
  sqlite3_reset (statement);
  if (!is_row)
    return assay_sql_fail (store, error);
  return is_whole || assay_sql_fail_damaged (store, "its pages do not fit together", error);
}

/* That the database is a store or @ret_is_blank: another program's is not touched further. */
static gboolean
identify (AssayStore *store, gboolean *ret_is_blank, GError **error)
{
  gint64 application = 0, version = 0, tables = 0;

  if (!assay_sql_read_integer (store, "PRAGMA application_id", &application, error)
      || !assay_sql_read_integer (store, "PRAGMA user_version", &version, error)
      || !assay_sql_read_integer (store, "SELECT count(*) FROM sqlite_master", &tables, error))
    return FALSE;
  *ret_is_blank = application == 0 && version == 0 && tables == 0;
  if (*ret_is_blank || (application == APPLICATION_ID && version == SCHEMA_VERSION))
    return TRUE;
  if (application == APPLICATION_ID && version > SCHEMA_VERSION)
    return assay_fail (error, ASSAY_ERROR_DATA,
                       "%s: made by a newer version of Assay (store %" G_GINT64_FORMAT
                       ", this one reads %d)",
                       store->path, version, SCHEMA_VERSION);
  return assay_fail (error, ASSAY_ERROR_DATA, "%s: is not a run store", store->path);
}

static gboolean
connect_to (AssayStore *store, int flags, const char *query, GError **error)
{
  g_autofree char *escaped = g_uri_escape_string (store->path, "/", FALSE);
  g_autofree char *uri
      = g_strconcat (g_path_is_absolute (store->path) ? "file://" : "file:", escaped, query, NULL);

  g_hash_table_remove_all (store->statements);
  sqlite3_close (store->database);
  store->database = NULL;
  if (sqlite3_open_v2 (uri, &store->database, flags | SQLITE_OPEN_URI, NULL) != SQLITE_OK)
    return assay_sql_fail (store, error);
  sqlite3_busy_timeout (store->database, 2000);
  return TRUE;
}

/* Without a log beside it the file is all there is: read as it stands, it needs no locks, and
 * nothing is written beside it. */
static gboolean
connect_to_read (AssayStore *store, gboolean *ret_is_blank, GError **error)
{
  g_autofree char *log = g_strconcat (store->path, "-wal", NULL);
  GStatBuf about;
  const gboolean has_log = g_stat (log, &about) == 0 && about.st_size > 0;

  return connect_to (store, SQLITE_OPEN_READONLY, has_log ? "" : "?immutable=1", error)
         && identify (store, ret_is_blank, error);
}

static gboolean
set_up (AssayStore *store, gboolean is_blank, GError **error)
{
  g_autofree char *sql = NULL;

  if (!connect_to (store, SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE, "", error)
      || !assay_sql_execute (store, "PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL;",
                             error))
    return FALSE;
  if (!is_blank)
    return check_whole (store, error);
  sql = g_strdup_printf ("BEGIN; %s PRAGMA application_id = %d; PRAGMA user_version = %d; COMMIT;",
                         schema, APPLICATION_ID, SCHEMA_VERSION);
  return assay_sql_execute (store, sql, error);
}

static AssayStore *
store_alloc (const char *folder)
{
  AssayStore *store = g_new0 (AssayStore, 1);

  store->path = g_build_filename (folder, ASSAY_STORE_FILE, NULL);
  store->statements = g_hash_table_new_full (g_str_hash, g_str_equal, g_free,
                                             (GDestroyNotify) assay_sql_finalize);
  return store;
}

AssayStore *
assay_store_open (const char *folder, gboolean create, GError **error)
{
  g_autoptr (AssayStore) store = store_alloc (folder);
  gboolean is_blank = TRUE;

  if ((!create || g_file_test (store->path, G_FILE_TEST_EXISTS))
      && !connect_to_read (store, &is_blank, error))
    return NULL;
  if (!create && is_blank)
    assay_fail (error, ASSAY_ERROR_DATA, "%s: is not a run store", store->path);
  if (create ? !set_up (store, is_blank, error) : is_blank)
    return NULL;
  return g_steal_pointer (&store);
}

AssayStore *
assay_store_new_in_memory (GError **error)
{
  g_autoptr (AssayStore) store = store_alloc ("");

  g_free (store->path);
  store->path = g_strdup ("memory");
  if (sqlite3_open (":memory:", &store->database) != SQLITE_OK) {
    assay_sql_fail (store, error);
    return NULL;
  }
  return assay_sql_execute (store, schema, error) ? g_steal_pointer (&store) : NULL;
}

gboolean
assay_store_is_blank (const char *folder)
{
  g_autoptr (AssayStore) store = store_alloc (folder);
  gboolean is_blank = FALSE;

  return connect_to_read (store, &is_blank, NULL) && is_blank;
}

void
assay_store_close (AssayStore *store)
{
  if (store == NULL)
    return;
  g_hash_table_unref (store->statements);
  sqlite3_close (store->database);
  g_free (store->path);
  g_free (store);
}

/* Whoever reads at the moment is not waited for. */
gboolean
assay_store_settle (AssayStore *store, GError **error)
{
  const int result = sqlite3_wal_checkpoint_v2 (store->database, NULL, SQLITE_CHECKPOINT_PASSIVE,
                                                NULL, NULL);

  return result == SQLITE_OK || result == SQLITE_BUSY || assay_sql_fail (store, error);
}

gboolean
assay_store_set (AssayStore *store, const char *key, const char *value, GError **error)
{
  sqlite3_stmt *statement
      = assay_sql_prepare (store, "INSERT OR REPLACE INTO meta VALUES (?, ?)", NULL, 0, error);

  if (statement == NULL)
    return FALSE;
  sqlite3_bind_text (statement, 1, key, -1, SQLITE_TRANSIENT);
  sqlite3_bind_text (statement, 2, value, -1, SQLITE_TRANSIENT);
  return assay_sql_finish (store, statement, error);
}

gboolean
assay_store_get (AssayStore *store, const char *key, char **ret_value, GError **error)
{
  sqlite3_stmt *statement
      = assay_sql_prepare (store, "SELECT value FROM meta WHERE key = ?", NULL, 0, error);
  int result;

  if (statement == NULL)
    return FALSE;
  sqlite3_bind_text (statement, 1, key, -1, SQLITE_TRANSIENT);
  result = sqlite3_step (statement);
  if (result == SQLITE_ROW || result == SQLITE_DONE)
    *ret_value = result == SQLITE_ROW ? g_strdup ((const char *) sqlite3_column_text (statement, 0))
                                      : NULL;
  sqlite3_reset (statement);
  return result == SQLITE_ROW || result == SQLITE_DONE || assay_sql_fail (store, error);
}

/* ---- Cells ---- */

gboolean
assay_store_cell (AssayStore *store, gsize index, AssayCellRecord *ret_record, GError **error)
{
  const sqlite3_int64 cell = (sqlite3_int64) index;
  sqlite3_stmt *statement = assay_sql_prepare (
      store, "SELECT status, message, seconds FROM cells WHERE cell = ?", &cell, 1, error);
  AssayCellRecord record = { .status = ASSAY_CELL_PENDING };
  gint64 status = 0;
  int result;

  if (statement == NULL)
    return FALSE;
  result = sqlite3_step (statement);
  if (result == SQLITE_ROW) {
    status = sqlite3_column_int64 (statement, 0);
    record.status = (AssayCellStatus) status;
    record.message = g_strdup ((const char *) sqlite3_column_text (statement, 1));
    record.seconds = sqlite3_column_double (statement, 2);
  }
  sqlite3_reset (statement);
  if (result != SQLITE_ROW && result != SQLITE_DONE)
    return assay_sql_fail (store, error);
  if (status < ASSAY_CELL_PENDING || status > ASSAY_CELL_CRASHED) {
    g_free (record.message);
    return assay_sql_fail_damaged (store, "a cell has a status that there is not", error);
  }
  *ret_record = record;
  return TRUE;
}

gboolean
assay_store_count_done (AssayStore *store, gsize *ret_count, GError **error)
{
  gint64 count = 0;

  if (!assay_sql_read_integer (store, "SELECT count(*) FROM cells WHERE status <> 0", &count,
                               error))
    return FALSE;
  *ret_count = (gsize) count;
  return TRUE;
}

gboolean
assay_store_begin_cell (AssayStore *store, gsize index, gboolean *ret_is_crashed, GError **error)
{
  const sqlite3_int64 integers[] = { (sqlite3_int64) index, MAX_BEGUN, ASSAY_CELL_CRASHED };
  static const char begin[] = "INSERT INTO cells (cell, begun, status) VALUES (?, 1, 0)"
                              " ON CONFLICT (cell) DO UPDATE SET begun = begun + 1";
  static const char give_up[] = "UPDATE cells SET status = ?3, seconds = 0, message ="
                                " 'the process ended twice while this cell ran'"
                                " WHERE cell = ?1 AND status = 0 AND begun > ?2";
  sqlite3_stmt *statement = assay_sql_prepare (store, begin, integers, 1, error);

  if (statement == NULL || !assay_sql_finish (store, statement, error))
    return FALSE;
  statement = assay_sql_prepare (store, give_up, integers, 3, error);
  if (statement == NULL || !assay_sql_finish (store, statement, error))
    return FALSE;
  *ret_is_crashed = sqlite3_changes (store->database) > 0;
  return TRUE;
}

gboolean
assay_store_forget_cell (AssayStore *store, gsize index, GError **error)
{
  const sqlite3_int64 cell = (sqlite3_int64) index;
  sqlite3_stmt *statement = assay_sql_prepare (
      store, "DELETE FROM cells WHERE cell = ? AND status = 0", &cell, 1, error);

  return statement != NULL && assay_sql_finish (store, statement, error);
}

/* ---- Groups and tuning ---- */

gboolean
assay_store_set_groups (AssayStore *store, guint dataset, guint trial, const gint64 *groups,
                        gsize n, GError **error)
{
  const sqlite3_int64 integers[] = { dataset, trial };
  const AssaySqlBlob blob = { .data = (gpointer) groups, .bytes = n * sizeof *groups };

  return assay_sql_insert_blob (store, "INSERT OR REPLACE INTO groups VALUES (?, ?, ?)", integers,
                                2, &blob, error);
}

gboolean
assay_store_groups (AssayStore *store, guint dataset, guint trial, gint64 **ret_groups,
                    gsize *ret_n, GError **error)
{
  const sqlite3_int64 integers[] = { dataset, trial };
  AssaySqlBlob blob;

  if (!assay_sql_select_blob (store, "SELECT data FROM groups WHERE dataset = ? AND trial = ?",
                              integers, 2, &blob, error))
    return FALSE;
  *ret_groups = blob.data;
  *ret_n = blob.bytes / sizeof (gint64);
  return TRUE;
}

gboolean
assay_store_set_tuning (AssayStore *store, const AssayCell *cell, const AssayTuning *tuning,
                        GError **error)
{
  const sqlite3_int64 integers[] = { cell->dataset, cell->defense, cell->attack, tuning->chosen };
  const AssaySqlBlob blob
      = { .data = tuning->estimates, .bytes = tuning->n * sizeof *tuning->estimates };

  return assay_sql_insert_blob (store, "INSERT OR REPLACE INTO tunings VALUES (?, ?, ?, ?, ?)",
                                integers, 4, &blob, error);
}

gboolean
assay_store_tuning (AssayStore *store, const AssayCell *cell, AssayTuning *ret_tuning,
                    GError **error)
{
  const sqlite3_int64 integers[] = { cell->dataset, cell->defense, cell->attack };
  AssaySqlBlob blob;

  if (!assay_sql_select_blob (store,
                              "SELECT chosen, estimates FROM tunings"
                              " WHERE dataset = ? AND defense = ? AND attack = ?",
                              integers, 3, &blob, error))
    return FALSE;
  if (blob.data != NULL
      && (blob.first < 0 || (guint64) blob.first >= blob.bytes / sizeof (double))) {
    g_free (blob.data);
    return assay_sql_fail_damaged (store, "tuning chose what it did not try", error);
  }
  *ret_tuning = (AssayTuning){ .chosen = (guint) blob.first,
                               .n = (guint) (blob.bytes / sizeof (double)),
                               .estimates = blob.data };
  return TRUE;
}
