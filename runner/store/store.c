/* The run store. SQLite in WAL mode: a commit is one append, and a killed process loses nothing
 * that was committed. */
#include "runner/store/store.h"

#include <math.h>
#include <string.h>

#include "runner/store/left-out.h"
#include "runner/store/store-sql.h"
#include <glib/gstdio.h>

/* Written into the file's header ("assy"), so that another program's database is recognised. */
#define APPLICATION_ID 0x61737379
/* 2: with pictures. 3: series of outcomes may be left out, for a reason among the texts of `meta`.
 * Stores of earlier versions are of plans without these, and are read as they stand. */
#define SCHEMA_VERSION 3
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
  if (*ret_is_blank || (application == APPLICATION_ID && version >= 1 && version <= SCHEMA_VERSION))
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

/* ---- Blobs of numbers, in the byte order of the machine ---- */

static gboolean
insert_blob (AssayStore *store, const char *sql, const sqlite3_int64 *integers, guint n,
             gconstpointer data, gsize bytes, GError **error)
{
  sqlite3_stmt *statement = assay_sql_prepare (store, sql, integers, n, error);

  if (statement == NULL)
    return FALSE;
  sqlite3_bind_blob64 (statement, (int) n + 1, data, bytes, SQLITE_TRANSIENT);
  return assay_sql_finish (store, statement, error);
}

/* The last column of the one row, which holds numbers of 8 bytes, copied; NULL where there is no
 * row. */
static gboolean
select_blob (AssayStore *store, const char *sql, const sqlite3_int64 *integers, guint n,
             gpointer *ret_data, gsize *ret_bytes, gint64 *ret_first, GError **error)
{
  sqlite3_stmt *statement = assay_sql_prepare (store, sql, integers, n, error);
  int result;

  if (statement == NULL)
    return FALSE;
  *ret_data = NULL;
  *ret_bytes = 0;
  result = sqlite3_step (statement);
  if (result == SQLITE_ROW) {
    const int last = sqlite3_column_count (statement) - 1;

    *ret_bytes = (gsize) sqlite3_column_bytes (statement, last);
    *ret_data = g_memdup2 (sqlite3_column_blob (statement, last), *ret_bytes);
    *ret_first = sqlite3_column_int64 (statement, 0);
  }
  sqlite3_reset (statement);
  if (result != SQLITE_ROW && result != SQLITE_DONE)
    return assay_sql_fail (store, error);
  if (*ret_bytes % sizeof (double) == 0)
    return TRUE;
  g_clear_pointer (ret_data, g_free);
  return assay_sql_fail_damaged (store, "numbers are cut short", error);
}

static gboolean
insert_outcomes (AssayStore *store, gsize index, const AssayOutcomes *outcomes, guint n_metrics,
                 GError **error)
{
  for (guint m = 0; m < n_metrics; m++)
    for (guint s = 0; s < ASSAY_MAX_SERIES && outcomes[m].n > 0; s++) {
      const sqlite3_int64 integers[] = { (sqlite3_int64) index, m, s };

      if (outcomes[m].series[s] != NULL
          && !insert_blob (store, "INSERT OR REPLACE INTO outcomes VALUES (?, ?, ?, ?)", integers,
                           3, outcomes[m].series[s], outcomes[m].n * sizeof (double), error))
        return FALSE;
    }
  return assay_left_out_store (store, index, outcomes, n_metrics, error);
}

/* A name for the content: the hash of sizes and pixels. */
static char *
hash_of (const AssayTile *tile)
{
  g_autoptr (GChecksum) checksum = g_checksum_new (G_CHECKSUM_SHA256);
  g_autofree char *sizes
      = g_strdup_printf ("%" G_GSIZE_FORMAT " %" G_GSIZE_FORMAT " %" G_GSIZE_FORMAT "\n",
                         tile->width, tile->height, tile->channels);

  g_checksum_update (checksum, (const guchar *) sizes, (gssize) strlen (sizes));
  g_checksum_update (checksum, tile->data, (gssize) (tile->width * tile->height * tile->channels));
  return g_strdup (g_checksum_get_string (checksum));
}

static gboolean
insert_tile (AssayStore *store, const char *sha256, const AssayTile *tile, GError **error)
{
  const sqlite3_int64 sizes[] = { (sqlite3_int64) tile->width, (sqlite3_int64) tile->height,
                                  (sqlite3_int64) tile->channels };
  sqlite3_stmt *statement = assay_sql_prepare (
      store, "INSERT OR IGNORE INTO tiles VALUES (?4, ?1, ?2, ?3, ?5)", sizes, 3, error);

  if (statement == NULL)
    return FALSE;
  sqlite3_bind_text (statement, 4, sha256, -1, SQLITE_TRANSIENT);
  sqlite3_bind_blob64 (statement, 5, tile->data, tile->width * tile->height * tile->channels,
                       SQLITE_TRANSIENT);
  return assay_sql_finish (store, statement, error);
}

static gboolean
insert_shown (AssayStore *store, gsize index, const GArray *shown, GError **error)
{
  for (guint i = 0; shown != NULL && i < shown->len; i++) {
    const AssayShown *one = &g_array_index (shown, AssayShown, i);
    const sqlite3_int64 key[]
        = { (sqlite3_int64) index, one->metric, one->role, (sqlite3_int64) one->unit };
    g_autofree char *sha256 = hash_of (one->tile);
    sqlite3_stmt *statement;

    if (!insert_tile (store, sha256, one->tile, error))
      return FALSE;
    statement = assay_sql_prepare (store, "INSERT OR REPLACE INTO pictures VALUES (?, ?, ?, ?, ?)",
                                   key, 4, error);
    if (statement == NULL)
      return FALSE;
    sqlite3_bind_text (statement, 5, sha256, -1, SQLITE_TRANSIENT);
    if (!assay_sql_finish (store, statement, error))
      return FALSE;
  }
  return TRUE;
}

static gboolean
insert_record (AssayStore *store, gsize index, const AssayCellRecord *record, GError **error)
{
  const sqlite3_int64 integers[] = { (sqlite3_int64) index, record->status };
  sqlite3_stmt *statement
      = assay_sql_prepare (store,
                           "UPDATE cells SET status = ?2, message = ?3, seconds = ?4"
                           " WHERE cell = ?1",
                           integers, 2, error);

  if (statement == NULL)
    return FALSE;
  sqlite3_bind_text (statement, 3, record->message, -1, SQLITE_TRANSIENT);
  sqlite3_bind_double (statement, 4, record->seconds);
  return assay_sql_finish (store, statement, error);
}

gboolean
assay_store_finish_cell (AssayStore *store, gsize index, const AssayCellRecord *record,
                         const AssayOutcomes *outcomes, guint n_metrics, const GArray *shown,
                         GError **error)
{
  if (!assay_sql_execute (store, "BEGIN", error))
    return FALSE;
  if (insert_outcomes (store, index, outcomes, n_metrics, error)
      && insert_shown (store, index, shown, error) && insert_record (store, index, record, error)
      && assay_sql_execute (store, "COMMIT", error))
    return TRUE;
  sqlite3_exec (store->database, "ROLLBACK", NULL, NULL, NULL);
  return FALSE;
}

/* Takes @values over. The series of a metric are as long as each other, and finite. */
static gboolean
add_series (const AssayStore *store, guint series, double *values, gsize n,
            AssayOutcomes *inout_outcomes, GError **error)
{
  inout_outcomes->series[series] = values;
  if (values == NULL)
    return TRUE;
  if (inout_outcomes->n > 0 && inout_outcomes->n != n)
    return assay_sql_fail_damaged (store, "outcomes of one metric are not as many as each other",
                                   error);
  inout_outcomes->n = n;
  for (gsize i = 0; i < n; i++)
    if (!isfinite (values[i]))
      return assay_sql_fail_damaged (store, "an outcome is no finite number", error);
  return TRUE;
}

gboolean
assay_store_outcomes (AssayStore *store, gsize index, guint metric, guint n_series,
                      AssayOutcomes *ret_outcomes, GError **error)
{
  AssayOutcomes outcomes = { 0 };

  for (guint s = 0; s < n_series; s++) {
    const sqlite3_int64 integers[] = { (sqlite3_int64) index, metric, s };
    gpointer data = NULL;
    gsize bytes = 0;
    gint64 ignored = 0;

    if (!select_blob (store,
                      "SELECT data FROM outcomes WHERE cell = ? AND metric = ? AND series = ?",
                      integers, 3, &data, &bytes, &ignored, error)
        || !add_series (store, s, data, bytes / sizeof (double), &outcomes, error)) {
      assay_outcomes_clear (&outcomes);
      return FALSE;
    }
  }
  if (!assay_left_out_load (store, index, metric, n_series, &outcomes, error)) {
    assay_outcomes_clear (&outcomes);
    return FALSE;
  }
  *ret_outcomes = outcomes;
  return TRUE;
}

/* The picture in the row that the statement stands at. */
static AssayTile *
read_tile (const AssayStore *store, sqlite3_stmt *statement, GError **error)
{
  const gsize bytes = (gsize) sqlite3_column_bytes (statement, 3);
  AssayTile sizes = { .width = (gsize) sqlite3_column_int64 (statement, 0),
                      .height = (gsize) sqlite3_column_int64 (statement, 1),
                      .channels = (gsize) sqlite3_column_int64 (statement, 2) };

  if (sizes.width == 0 || sizes.width > ASSAY_TILE_LARGEST || sizes.height == 0
      || sizes.height > ASSAY_TILE_LARGEST || (sizes.channels != 1 && sizes.channels != 3)
      || bytes != sizes.width * sizes.height * sizes.channels) {
    assay_sql_fail_damaged (store, "a picture has other sizes than its pixels", error);
    return NULL;
  }
  sizes.data = g_memdup2 (sqlite3_column_blob (statement, 3), bytes);
  return g_memdup2 (&sizes, sizeof sizes);
}

gboolean
assay_store_tile (AssayStore *store, gsize index, guint metric, AssayShownRole role, gsize unit,
                  AssayTile **ret_tile, GError **error)
{
  const sqlite3_int64 key[] = { (sqlite3_int64) index, metric, role, (sqlite3_int64) unit };
  sqlite3_stmt *statement = assay_sql_prepare (
      store,
      "SELECT width, height, channels, data FROM pictures JOIN tiles ON sha256 = tile"
      " WHERE cell = ? AND metric = ? AND role = ? AND unit = ?",
      key, 4, error);
  AssayTile *tile = NULL;
  gboolean is_ok;
  int result;

  if (statement == NULL)
    return FALSE;
  result = sqlite3_step (statement);
  is_ok = result == SQLITE_DONE || result == SQLITE_ROW || assay_sql_fail (store, error);
  if (result == SQLITE_ROW) {
    tile = read_tile (store, statement, error);
    is_ok = tile != NULL;
  }
  sqlite3_reset (statement);
  if (is_ok)
    *ret_tile = tile;
  return is_ok;
}

/* ---- Groups and tuning ---- */

gboolean
assay_store_set_groups (AssayStore *store, guint dataset, guint trial, const gint64 *groups,
                        gsize n, GError **error)
{
  const sqlite3_int64 integers[] = { dataset, trial };

  return insert_blob (store, "INSERT OR REPLACE INTO groups VALUES (?, ?, ?)", integers, 2, groups,
                      n * sizeof *groups, error);
}

gboolean
assay_store_groups (AssayStore *store, guint dataset, guint trial, gint64 **ret_groups,
                    gsize *ret_n, GError **error)
{
  const sqlite3_int64 integers[] = { dataset, trial };
  gpointer data = NULL;
  gsize bytes = 0;
  gint64 ignored = 0;

  if (!select_blob (store, "SELECT data FROM groups WHERE dataset = ? AND trial = ?", integers, 2,
                    &data, &bytes, &ignored, error))
    return FALSE;
  *ret_groups = data;
  *ret_n = bytes / sizeof (gint64);
  return TRUE;
}

gboolean
assay_store_set_tuning (AssayStore *store, guint dataset, guint defense, guint attack, guint chosen,
                        const double *estimates, guint n, GError **error)
{
  const sqlite3_int64 integers[] = { dataset, defense, attack, chosen };

  return insert_blob (store, "INSERT OR REPLACE INTO tunings VALUES (?, ?, ?, ?, ?)", integers, 4,
                      estimates, n * sizeof *estimates, error);
}

gboolean
assay_store_tuning (AssayStore *store, guint dataset, guint defense, guint attack,
                    guint *ret_chosen, double **ret_estimates, guint *ret_n, GError **error)
{
  const sqlite3_int64 integers[] = { dataset, defense, attack };
  gpointer data = NULL;
  gsize bytes = 0;
  gint64 chosen = 0;

  if (!select_blob (store,
                    "SELECT chosen, estimates FROM tunings"
                    " WHERE dataset = ? AND defense = ? AND attack = ?",
                    integers, 3, &data, &bytes, &chosen, error))
    return FALSE;
  if (data != NULL && (chosen < 0 || (guint64) chosen >= bytes / sizeof (double))) {
    g_free (data);
    return assay_sql_fail_damaged (store, "tuning chose what it did not try", error);
  }
  *ret_estimates = data;
  *ret_n = (guint) (bytes / sizeof (double));
  *ret_chosen = (guint) chosen;
  return TRUE;
}
