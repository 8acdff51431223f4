/* SQL of the run store, for this room alone: statements that are prepared once, values that are
 * bound by their type, and errors. */
#pragma once

#define SQLITE_ENABLE_SESSION 1 /* as the library was built: changes as bytes (rows.c) */
#define SQLITE_ENABLE_PREUPDATE_HOOK 1

#include <sqlite3.h>

#include "core/base/free.h"

typedef struct _AssayStore AssayStore; /* runner/store/store.h */

struct _AssayStore {
  sqlite3 *database;
  sqlite3_session *session; /* what came into a store in memory; NULL: nobody asks */
  GHashTable *statements;   /* by their SQL: to prepare one costs more than most take to run */
  char *path;
};

gboolean assay_sql_fail_damaged (const AssayStore *store, const char *problem, GError **error);
/* What SQLite has to say of the last call. */
gboolean assay_sql_fail (const AssayStore *store, GError **error);

gboolean assay_sql_execute (AssayStore *store, const char *sql, GError **error);
/* Ends a transaction: with COMMIT where @is_ok, else, or where that fails, with ROLLBACK. */
gboolean assay_sql_end (AssayStore *store, gboolean is_ok, GError **error);

/* What a parameter is bound to. */
typedef struct {
  int type; /* SQLITE_INTEGER, ... */
  gint64 integer;
  double real;
  gconstpointer data; /* of texts, which end with 0, and blobs; NULL is NULL */
  gsize bytes;
} AssaySqlValue;

#define ASSAY_SQL_INTEGER(number)                                                                  \
  {                                                                                                \
    .type = SQLITE_INTEGER, .integer = (gint64) (number)                                           \
  }
#define ASSAY_SQL_REAL(number)                                                                     \
  {                                                                                                \
    .type = SQLITE_FLOAT, .real = (number)                                                         \
  }
#define ASSAY_SQL_TEXT(text)                                                                       \
  {                                                                                                \
    .type = SQLITE_TEXT, .data = (text)                                                            \
  }
#define ASSAY_SQL_BLOB(start, size)                                                                \
  {                                                                                                \
    .type = SQLITE_BLOB, .data = (start), .bytes = (size)                                          \
  }

/* A row that was found, until it is freed. */
typedef sqlite3_stmt AssaySqlRow;
ASSAY_DECLARE_FREE (AssaySqlRow, assay_sql_row_free)

/* Runs @sql with its parameters. The first row is left in @ret_row; NULL: there is none. */
gboolean assay_sql_step (AssayStore *store, const char *sql, const AssaySqlValue *values, gsize n,
                         AssaySqlRow **ret_row, GError **error);
/* The same with the values as arguments; and of a statement that has no row. */
#define assay_sql_find(store, ret_row, error, sql, ...)                                            \
  assay_sql_step (store, sql, (const AssaySqlValue[]){ __VA_ARGS__ },                              \
                  sizeof ((const AssaySqlValue[]){ __VA_ARGS__ }) / sizeof (AssaySqlValue),        \
                  ret_row, error)
#define assay_sql_run(store, error, sql, ...)                                                      \
  assay_sql_find (store, &(AssaySqlRow *){ NULL }, error, sql, __VA_ARGS__)

gboolean assay_sql_read_integer (AssayStore *store, const char *sql, gint64 *ret_value,
                                 GError **error);
/* The numbers of 8 bytes in @column, in the byte order of the machine, copied. */
gboolean assay_sql_numbers (const AssayStore *store, AssaySqlRow *row, int column,
                            gpointer *ret_numbers, gsize *ret_n, GError **error);

/* Begins to remember in the session what comes into the tables of @database, "main" or attached. */
gboolean assay_sql_watch (AssayStore *store, const char *database, GError **error);
