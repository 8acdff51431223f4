/* The run store. SQLite in WAL mode: a commit is one append, and a killed process loses nothing
 * that was committed. */
#include "runner/store/store.h"

#include <glib/gstdio.h>

#include "runner/store/sql.h"
#include "runner/store/verify.h"

/* Written into the file's header ("assy"), so that another program's database is recognised. */
#define APPLICATION_ID 0x61737379
#define SCHEMA_VERSION 1
#define MAX_BEGUN 2

G_STATIC_ASSERT (ASSAY_CELL_CRASHED == 4); /* the last status, as verify.c has it */

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
      "CREATE TABLE thumbnails (sha256 TEXT PRIMARY KEY, width INTEGER NOT NULL,"
      " height INTEGER NOT NULL, channels INTEGER NOT NULL, data BLOB NOT NULL) WITHOUT ROWID;"
      "CREATE TABLE pictures (cell INTEGER, metric INTEGER, role INTEGER, unit INTEGER,"
      " thumbnail TEXT NOT NULL, PRIMARY KEY (cell, metric, role, unit)) WITHOUT ROWID;"
      /* Runs that audits counted (counted.h). */
      "CREATE TABLE counted (cell INTEGER PRIMARY KEY, columns INTEGER NOT NULL,"
      " width INTEGER NOT NULL, first BLOB, second BLOB, marks BLOB, python TEXT);";

/* Every page, so that damage shows before a run goes on rather than at its end. */
static gboolean
check_whole (AssayStore *store, GError **error)
{
  g_autoptr (AssaySqlRow) row = NULL;

  if (!assay_sql_step (store, "PRAGMA quick_check(1)", NULL, 0, &row, error))
    return FALSE;
  return (row != NULL && g_strcmp0 ((const char *) sqlite3_column_text (row, 0), "ok") == 0)
         || assay_sql_fail_damaged (store, "its pages do not fit together", error);
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
                       ", this one reads %d); expected that version, or a new run in another "
                       "folder",
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
         && identify (store, ret_is_blank, error)
         && (*ret_is_blank || assay_store_verify (store, schema, error));
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
  sql = g_strdup_printf (
      "BEGIN; %s PRAGMA application_id = %d; PRAGMA user_version = %d; COMMIT;", schema,
      APPLICATION_ID, SCHEMA_VERSION);
  return assay_sql_execute (store, sql, error);
}

static void
finalize (gpointer statement)
{
  sqlite3_finalize (statement);
}

static AssayStore *
store_alloc (const char *folder)
{
  AssayStore *store = g_new0 (AssayStore, 1);

  store->path = g_build_filename (folder, ASSAY_STORE_FILE, NULL);
  store->statements = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, finalize);
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
  if (!assay_sql_execute (store, schema, error) || !assay_sql_watch (store, "main", error))
    return NULL;
  return g_steal_pointer (&store);
}

gboolean
assay_store_is_blank (const char *folder)
{
  g_autoptr (AssayStore) store = store_alloc (folder);
  gboolean is_blank = FALSE;

  return connect_to_read (store, &is_blank, NULL) && is_blank;
}

ASSAY_FREE_FUNC (AssayStore, assay_store_close, g_hash_table_unref (self->statements),
                 assay_drop (self->session, sqlite3session_delete), sqlite3_close (self->database),
                 g_free (self->path))

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
  return assay_sql_run (store, error, "INSERT OR REPLACE INTO meta VALUES (?, ?)",
                        ASSAY_SQL_TEXT (key), ASSAY_SQL_TEXT (value));
}

gboolean
assay_store_get (AssayStore *store, const char *key, char **ret_value, GError **error)
{
  g_autoptr (AssaySqlRow) row = NULL;

  if (!assay_sql_find (store, &row, error, "SELECT value FROM meta WHERE key = ?",
                       ASSAY_SQL_TEXT (key)))
    return FALSE;
  *ret_value = row != NULL ? g_strdup ((const char *) sqlite3_column_text (row, 0)) : NULL;
  return TRUE;
}

gboolean
assay_store_set_of (AssayStore *store, const char *value, GError **error, const char *format, ...)
{
  g_autofree char *key = NULL;
  va_list words;

  va_start (words, format);
  key = g_strdup_vprintf (format, words);
  va_end (words);
  return assay_store_set (store, key, value, error);
}

gboolean
assay_store_get_of (AssayStore *store, char **ret_value, GError **error, const char *format, ...)
{
  g_autofree char *key = NULL;
  va_list words;

  va_start (words, format);
  key = g_strdup_vprintf (format, words);
  va_end (words);
  return assay_store_get (store, key, ret_value, error);
}

/* ---- Cells ---- */

gboolean
assay_store_cell (AssayStore *store, gsize index, AssayCellRecord *ret_record, GError **error)
{
  g_autoptr (AssaySqlRow) row = NULL;
  gint64 status;

  if (!assay_sql_find (store, &row, error,
                       "SELECT status, message, seconds FROM cells WHERE cell = ?",
                       ASSAY_SQL_INTEGER (index)))
    return FALSE;
  status = row != NULL ? sqlite3_column_int64 (row, 0) : ASSAY_CELL_PENDING;
  if (status < ASSAY_CELL_PENDING || status > ASSAY_CELL_CRASHED)
    return assay_sql_fail_damaged (store, "a cell has a status that there is not", error);
  *ret_record = (AssayCellRecord){ .status = (AssayCellStatus) status };
  if (row != NULL) {
    ret_record->message = g_strdup ((const char *) sqlite3_column_text (row, 1));
    ret_record->seconds = sqlite3_column_double (row, 2);
  }
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
  static const char begin[] = "INSERT INTO cells (cell, begun, status) VALUES (?, 1, 0)"
                              " ON CONFLICT (cell) DO UPDATE SET begun = begun + 1";
  static const char give_up[] = "UPDATE cells SET status = ?3, seconds = 0, message ="
                                " 'the process ended twice while this cell ran'"
                                " WHERE cell = ?1 AND status = 0 AND begun > ?2";

  if (!assay_sql_run (store, error, begin, ASSAY_SQL_INTEGER (index))
      || !assay_sql_run (store, error, give_up, ASSAY_SQL_INTEGER (index),
                         ASSAY_SQL_INTEGER (MAX_BEGUN), ASSAY_SQL_INTEGER (ASSAY_CELL_CRASHED)))
    return FALSE;
  *ret_is_crashed = sqlite3_changes (store->database) > 0;
  return TRUE;
}

gboolean
assay_store_forget_cell (AssayStore *store, gsize index, GError **error)
{
  return assay_sql_run (store, error, "DELETE FROM cells WHERE cell = ? AND status = 0",
                        ASSAY_SQL_INTEGER (index));
}

/* ---- Groups and tuning ---- */

gboolean
assay_store_set_groups (AssayStore *store, guint dataset, guint trial, const gint64 *groups,
                        gsize n, GError **error)
{
  return assay_sql_run (store, error, "INSERT OR REPLACE INTO groups VALUES (?, ?, ?)",
                        ASSAY_SQL_INTEGER (dataset), ASSAY_SQL_INTEGER (trial),
                        ASSAY_SQL_BLOB (groups, n * sizeof *groups));
}

gboolean
assay_store_groups (AssayStore *store, guint dataset, guint trial, gint64 **ret_groups,
                    gsize *ret_n, GError **error)
{
  g_autoptr (AssaySqlRow) row = NULL;

  *ret_groups = NULL;
  *ret_n = 0;
  return assay_sql_find (store, &row, error,
                         "SELECT data FROM groups WHERE dataset = ? AND trial = ?",
                         ASSAY_SQL_INTEGER (dataset), ASSAY_SQL_INTEGER (trial))
         && (row == NULL
             || assay_sql_numbers (store, row, 0, (gpointer *) ret_groups, ret_n, error));
}

gboolean
assay_store_set_tuning (AssayStore *store, const AssayCell *cell, const AssayTuning *tuning,
                        GError **error)
{
  return assay_sql_run (store, error, "INSERT OR REPLACE INTO tunings VALUES (?, ?, ?, ?, ?)",
                        ASSAY_SQL_INTEGER (cell->dataset), ASSAY_SQL_INTEGER (cell->defense),
                        ASSAY_SQL_INTEGER (cell->attack), ASSAY_SQL_INTEGER (tuning->chosen),
                        ASSAY_SQL_BLOB (tuning->estimates, tuning->n * sizeof (double)));
}

gboolean
assay_store_tuning (AssayStore *store, const AssayCell *cell, AssayTuning *ret_tuning,
                    GError **error)
{
  g_autoptr (AssaySqlRow) row = NULL;
  g_autofree gpointer estimates = NULL;
  gint64 chosen = 0;
  gsize n = 0;

  if (!assay_sql_find (store, &row, error,
                       "SELECT chosen, estimates FROM tunings"
                       " WHERE dataset = ? AND defense = ? AND attack = ?",
                       ASSAY_SQL_INTEGER (cell->dataset), ASSAY_SQL_INTEGER (cell->defense),
                       ASSAY_SQL_INTEGER (cell->attack))
      || (row != NULL && !assay_sql_numbers (store, row, 1, &estimates, &n, error)))
    return FALSE;
  if (row != NULL)
    chosen = sqlite3_column_int64 (row, 0);
  if (estimates != NULL && (chosen < 0 || (guint64) chosen >= n))
    return assay_sql_fail_damaged (store, "tuning chose what it did not try", error);
  *ret_tuning = (AssayTuning){ (guint) chosen, (guint) n, g_steal_pointer (&estimates) };
  return TRUE;
}
