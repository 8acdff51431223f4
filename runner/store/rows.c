/* What came into a run store, as changesets of SQLite behind their hash: SQLite trusts that they
 * are whole. */
#include "runner/store/rows.h"

#include <string.h>

#include "core/base/error.h"
#include "runner/store/sql.h"

#define HASH_BYTES 64 /* SHA-256 in hexadecimal digits */

/* What was of cells that are done; facts stay, because later cells need them. */
static const char forget[] = "DELETE FROM meta WHERE key NOT GLOB 'control.*'"
                             " AND key NOT GLOB 'dataset.*' AND key NOT GLOB 'program.*';"
                             "DELETE FROM cells; DELETE FROM outcomes; DELETE FROM groups;"
                             "DELETE FROM pictures; DELETE FROM thumbnails; DELETE FROM counted;";

/* Facts on their way to another store: the tables that hold some. */
static const char facts_schema[]
    = "ATTACH ':memory:' AS facts;"
      "CREATE TABLE facts.meta (key TEXT PRIMARY KEY, value TEXT NOT NULL);"
      "CREATE TABLE facts.tunings (dataset INTEGER, defense INTEGER, attack INTEGER,"
      " chosen INTEGER NOT NULL, estimates BLOB NOT NULL,"
      " PRIMARY KEY (dataset, defense, attack)) WITHOUT ROWID;";

/* ---- To bytes ---- */

/* What was seen since the store is watched, which ends. */
static GBytes *
take_changes (AssayStore *store, GError **error)
{
  g_autoptr (GByteArray) bytes = g_byte_array_new ();
  gpointer data = NULL;
  int size = 0;
  const int result = sqlite3session_changeset (store->session, &size, &data);

  if (size > 0) {
    g_autofree char *hash = g_compute_checksum_for_data (G_CHECKSUM_SHA256, data, (gsize) size);

    g_byte_array_append (bytes, (const guint8 *) hash, HASH_BYTES);
    g_byte_array_append (bytes, data, (guint) size);
  }
  sqlite3_free (data);
  g_clear_pointer (&store->session, sqlite3session_delete);
  if (result != SQLITE_OK && !assay_sql_fail (store, error))
    return NULL;
  return g_byte_array_free_to_bytes (g_steal_pointer (&bytes));
}

GBytes *
assay_store_take_rows (AssayStore *store, GError **error)
{
  g_autoptr (GBytes) rows = take_changes (store, error);

  if (rows == NULL || !assay_sql_execute (store, forget, error)
      || !assay_sql_watch (store, "main", error))
    return NULL;
  return g_steal_pointer (&rows);
}

/* ---- And back ---- */

/* Cells of one run must have seen the same data, wherever they ran. */
static gboolean
check_dataset (sqlite3_changeset_iter *row, GError **error)
{
  sqlite3_value *key, *told, *known;
  const char *theirs, *ours;

  sqlite3changeset_new (row, 0, &key);
  sqlite3changeset_new (row, 1, &told);
  sqlite3changeset_conflict (row, 1, &known);
  theirs = (const char *) sqlite3_value_text (told);
  ours = (const char *) sqlite3_value_text (known);
  return !g_str_has_prefix ((const char *) sqlite3_value_text (key), "dataset.")
         || g_strcmp0 (ours, theirs) == 0
         || assay_fail (error, ASSAY_ERROR_DATA,
                        "a worker read other data than the run began with (sha256 %.12s, expected "
                        "%.12s)",
                        theirs, ours);
}

/* A row that is there already: that of a cell says no more than that it was begun. Equal pictures
 * are one. */
static int
replace (gpointer error, int conflict, sqlite3_changeset_iter *row)
{
  const char *table;
  int ignored;

  sqlite3changeset_op (row, &table, &ignored, &ignored, &ignored);
  if (conflict != SQLITE_CHANGESET_CONFLICT
      || (g_str_equal (table, "meta") && !check_dataset (row, error)))
    return SQLITE_CHANGESET_ABORT;
  return g_str_equal (table, "thumbnails") ? SQLITE_CHANGESET_OMIT : SQLITE_CHANGESET_REPLACE;
}

static gboolean
add_changes (AssayStore *store, gpointer changes, gsize size, GError **error)
{
  g_autoptr (GError) problem = NULL;
  int result;

  if (!assay_sql_execute (store, "BEGIN", error))
    return FALSE;
  result = sqlite3changeset_apply (store->database, (int) size, changes, NULL, replace, &problem);
  if (problem != NULL)
    g_propagate_error (error, g_steal_pointer (&problem));
  else if (result == SQLITE_ABORT)
    assay_fail (error, ASSAY_ERROR_DATA, "what a worker found is no row of a run store");
  else if (result != SQLITE_OK)
    assay_fail (error, ASSAY_ERROR_IO, "%s: %s", store->path, sqlite3_errstr (result));
  return assay_sql_end (store, result == SQLITE_OK, error);
}

gboolean
assay_store_add_rows (AssayStore *store, GBytes *rows, GError **error)
{
  gsize size;
  char *data = (char *) g_bytes_get_data (rows, &size);
  g_autofree char *hash = NULL;

  if (size == 0)
    return TRUE;
  if (size > HASH_BYTES)
    hash = g_compute_checksum_for_data (G_CHECKSUM_SHA256, (guint8 *) data + HASH_BYTES,
                                        size - HASH_BYTES);
  if (hash == NULL || memcmp (hash, data, HASH_BYTES) != 0)
    return assay_fail (error, ASSAY_ERROR_DATA, "what a worker found is cut off");
  return add_changes (store, data + HASH_BYTES, size - HASH_BYTES, error);
}

gboolean
assay_store_learn (AssayStore *store, GBytes *facts, GError **error)
{
  gboolean is_learned;

  sqlite3session_enable (store->session, FALSE);
  is_learned = assay_store_add_rows (store, facts, error);
  sqlite3session_enable (store->session, TRUE);
  return is_learned;
}

/* ---- Facts ---- */

/* The texts whose keys are like one of two patterns, and what tuning found for @cell. */
static GBytes *
collect_facts (AssayStore *store, const char *keys, const char *or_keys, const AssayCell *cell,
               GError **error)
{
  gint64 n_attached;

  if (!assay_sql_read_integer (store,
                               "SELECT count(*) FROM pragma_database_list WHERE name = "
                               "'facts'",
                               &n_attached, error)
      || (n_attached == 0 && !assay_sql_execute (store, facts_schema, error))
      || !assay_sql_execute (store, "DELETE FROM facts.meta; DELETE FROM facts.tunings", error)
      || !assay_sql_watch (store, "facts", error)
      || !assay_sql_run (store, error,
                         "INSERT INTO facts.meta SELECT * FROM main.meta"
                         " WHERE key GLOB ? OR key GLOB ?",
                         ASSAY_SQL_TEXT (keys), ASSAY_SQL_TEXT (or_keys))
      || !assay_sql_run (store, error,
                         "INSERT INTO facts.tunings SELECT * FROM main.tunings"
                         " WHERE dataset = ? AND defense = ? AND attack = ?",
                         ASSAY_SQL_INTEGER (cell->dataset), ASSAY_SQL_INTEGER (cell->defense),
                         ASSAY_SQL_INTEGER (cell->attack)))
    return NULL;
  return take_changes (store, error);
}

GBytes *
assay_store_common_facts (AssayStore *store, GError **error)
{
  const AssayCell none = { .attack = ASSAY_NO_COMPONENT };

  return collect_facts (store, "dataset.*", "program.*", &none, error);
}

GBytes *
assay_store_facts (AssayStore *store, const AssayCell *cell, GError **error)
{
  g_autofree char *control = g_strdup_printf ("control.%u.*", cell->attack);

  return collect_facts (store, control, control, cell, error);
}
