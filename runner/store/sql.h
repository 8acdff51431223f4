/* SQL of the run store, for this room alone: statements that are prepared once, blobs of numbers,
 * and errors. */
#pragma once

#include <glib.h>
#include <sqlite3.h>

typedef struct _AssayStore AssayStore; /* runner/store/store.h */

struct _AssayStore {
  sqlite3 *database;
  GHashTable *statements; /* by their SQL: to prepare one costs more than most take to run */
  char *path;
  gboolean has_told; /* it has the table of what was told (runner/store/rows.c) */
  gint64 told_texts; /* rows of `meta` up to this one were told */
};

gboolean assay_sql_fail_damaged (const AssayStore *store, const char *problem, GError **error);
/* What SQLite has to say of the last call. */
gboolean assay_sql_fail (const AssayStore *store, GError **error);

gboolean assay_sql_execute (AssayStore *store, const char *sql, GError **error);
/* A statement with @n integers bound to its first parameters, others NULL. It stays the store's:
 * who uses it resets it. */
sqlite3_stmt *assay_sql_prepare (AssayStore *store, const char *sql, const sqlite3_int64 *integers,
                                 guint n, GError **error);
/* Runs a statement that returns no row. */
gboolean assay_sql_finish (AssayStore *store, sqlite3_stmt *statement, GError **error);
gboolean assay_sql_read_integer (AssayStore *store, const char *sql, gint64 *ret_value,
                                 GError **error);
/* Numbers of 8 bytes, in the byte order of the machine. */
typedef struct {
  gpointer data; /* NULL: there was no row */
  gsize bytes;
  gint64 first; /* of a row that was read: its first column */
} AssaySqlBlob;

/* Runs a statement whose last parameter is a blob, after @n integers. */
gboolean assay_sql_insert_blob (AssayStore *store, const char *sql, const sqlite3_int64 *integers,
                                guint n, const AssaySqlBlob *blob, GError **error);
/* The last column of the one row, copied. */
gboolean assay_sql_select_blob (AssayStore *store, const char *sql, const sqlite3_int64 *integers,
                                guint n, AssaySqlBlob *ret_blob, GError **error);

/* For the table of statements. */
void assay_sql_finalize (gpointer statement);
