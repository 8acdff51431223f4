/* SQL of the run store, for store.c alone: statements that are prepared once, and errors. */
#pragma once

#include <sqlite3.h>

#include "runner/store/store.h"

G_BEGIN_DECLS

struct _AssayStore {
  sqlite3 *database;
  GHashTable *statements; /* by their SQL: to prepare one costs more than most take to run */
  char *path;
  gboolean has_told;  /* it has the table of what was told (runner/store/store-rows.c) */
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
/* For the table of statements. */
void assay_sql_finalize (gpointer statement);

G_END_DECLS
