/* The part of DuckDB's C interface (of its version 1.0 and later) that parquet.c calls, as DuckDB's
 * own duckdb.h declares it. Debian 12 has neither that header nor the library, which is looked for
 * when a Parquet file is opened, so that what is needed of it is declared here. */
#pragma once

#include <glib.h>

typedef struct DuckdbDatabase *duckdb_database;
typedef struct DuckdbConnection *duckdb_connection;
typedef struct DuckdbConfig *duckdb_config;
typedef struct DuckdbChunk *duckdb_data_chunk;
typedef struct DuckdbVector *duckdb_vector;

typedef enum { DUCKDB_SUCCESS, DUCKDB_ERROR } duckdb_state;

/* Its members are not for programs. It is handed over by value. */
typedef struct {
  guint64 n_columns, n_rows, n_changed;
  gpointer columns;
  char *error;
  gpointer data;
} duckdb_result;

/* Up to 12 bytes of text stand in the place of @start and @text. */
typedef struct {
  guint32 length;
  char start[4];
  const char *text;
} duckdb_string;

/* Where the numbers of a list stand among those of all lists of the vector. */
typedef struct {
  guint64 offset, length;
} duckdb_list_entry;

duckdb_state duckdb_create_config (duckdb_config *ret_config);
duckdb_state duckdb_set_config (duckdb_config config, const char *name, const char *value);
void duckdb_destroy_config (duckdb_config *config);
duckdb_state duckdb_open_ext (const char *path, duckdb_database *ret_database, duckdb_config config,
                              char **ret_error);
void duckdb_close (duckdb_database *database);
duckdb_state duckdb_connect (duckdb_database database, duckdb_connection *ret_connection);
void duckdb_disconnect (duckdb_connection *connection);
/* The result is to be destroyed after a failure as well. */
duckdb_state duckdb_query (duckdb_connection connection, const char *sql,
                           duckdb_result *ret_result);
const char *duckdb_result_error (duckdb_result *result);
void duckdb_destroy_result (duckdb_result *result);
/* The next rows of a result; NULL: there are no more. */
duckdb_data_chunk duckdb_fetch_chunk (duckdb_result result);
void duckdb_destroy_data_chunk (duckdb_data_chunk *chunk);
guint64 duckdb_data_chunk_get_size (duckdb_data_chunk chunk);
duckdb_vector duckdb_data_chunk_get_vector (duckdb_data_chunk chunk, guint64 column);
void *duckdb_vector_get_data (duckdb_vector vector);
/* A bit for each value, 0 where it is NULL; the whole is NULL where no value is. */
guint64 *duckdb_vector_get_validity (duckdb_vector vector);
duckdb_vector duckdb_list_vector_get_child (duckdb_vector vector);
