/* Mutants of SQLite databases that keep the schema. */
#include "fuzz/cells.h"

#include <glib.h>
#include <math.h>
#include <sqlite3.h>
#include <string.h>

#define MOST_CHANGES 4
#define MOST_BYTES 4096 /* of a text or blob that is changed byte by byte */
/* Of so many changes one is of the scenario or the plan, or empties a table: nearly all of those
 * are refused before anything else is looked at. */
#define RARELY 24

typedef struct {
  sqlite3 *database;
  GRand *dice;
  GPtrArray *tables;
} Mutation;

/* A value between the least and the most that the type holds, and those that break conversions. */
static void
bind_integer (Mutation *mutation, sqlite3_stmt *statement, int index, gint64 old)
{
  static const gint64 odd[]
      = { 0,          1,          -1,         2, 255, 256, G_MAXINT32, (gint64) G_MAXINT32 + 1,
          G_MAXINT64, G_MININT64, G_MAXUINT32 };

  if (g_rand_boolean (mutation->dice))
    sqlite3_bind_int64 (
        statement, index,
        (gint64) ((guint64) old + (guint64) g_rand_int_range (mutation->dice, -2, 3)));
  else
    sqlite3_bind_int64 (statement, index,
                        odd[g_rand_int_range (mutation->dice, 0, (gint32) G_N_ELEMENTS (odd))]);
}

static double
odd_real (Mutation *mutation)
{
  static const double odd[] = { 0,     -0.0,   1,        -1,        0.5, 1.0000000000000002, 1e-320,
                                1e300, -1e300, INFINITY, -INFINITY, NAN, 4503599627370497.5 };

  return odd[g_rand_int_range (mutation->dice, 0, (gint32) G_N_ELEMENTS (odd))];
}

/* Bytes of a value with some of them changed, or some gone from or come to its end. */
static guint8 *
changed_bytes (Mutation *mutation, const guint8 *old, gsize length, gsize *ret_length)
{
  GRand *dice = mutation->dice;
  const gsize kept = MIN (length, MOST_BYTES);
  guint8 *bytes = g_malloc0 (kept + 16);

  if (kept > 0)
    memcpy (bytes, old, kept);
  *ret_length = kept;
  switch (g_rand_int_range (dice, 0, 4)) {
  case 0:
    *ret_length = kept > 0 ? (gsize) g_rand_int_range (dice, 0, (gint32) kept) : 0;
    break;
  case 1: {
    const double number = odd_real (mutation);

    memcpy (bytes + kept, &number, sizeof number);
    *ret_length = kept + sizeof number;
    break;
  }
  case 2:
    if (kept >= sizeof (double)) {
      const gsize at = (gsize) g_rand_int_range (dice, 0, (gint32) (kept / sizeof (double)));
      const double number = odd_real (mutation);

      memcpy (bytes + at * sizeof number, &number, sizeof number);
    }
    break;
  default:
    for (gint32 i = 0; kept > 0 && i < g_rand_int_range (dice, 1, 4); i++)
      bytes[g_rand_int_range (dice, 0, (gint32) kept)] = (guint8) g_rand_int (dice);
    break;
  }
  return bytes;
}

/* @value changed within its type, or replaced by one of another. */
static void
bind_changed (Mutation *mutation, sqlite3_stmt *statement, int index, sqlite3_value *value)
{
  static const char *const odd_texts[] = {
    "", "finished", "1", "-1", "\x1b[31m", "\xff\xfe", "<script>", "=1+1", "\xe2\x80\xae", "}"
  };
  const int type = g_rand_int_range (mutation->dice, 0, 4) > 0
                       ? sqlite3_value_type (value)
                       : g_rand_int_range (mutation->dice, SQLITE_INTEGER, SQLITE_NULL + 1);
  g_autofree guint8 *bytes = NULL;
  gsize length;

  switch (type) {
  case SQLITE_INTEGER:
    bind_integer (mutation, statement, index, sqlite3_value_int64 (value));
    return;
  case SQLITE_FLOAT:
    sqlite3_bind_double (statement, index, odd_real (mutation));
    return;
  case SQLITE_NULL:
    sqlite3_bind_null (statement, index);
    return;
  default:
    break;
  }
  if (type == SQLITE_TEXT && g_rand_int_range (mutation->dice, 0, 3) == 0) {
    const gint32 which = g_rand_int_range (mutation->dice, 0, (gint32) G_N_ELEMENTS (odd_texts));

    sqlite3_bind_text (statement, index, odd_texts[which], -1, SQLITE_STATIC);
    return;
  }
  bytes = changed_bytes (mutation, sqlite3_value_blob (value), (gsize) sqlite3_value_bytes (value),
                         &length);
  if (type == SQLITE_TEXT)
    sqlite3_bind_text64 (statement, index, (const char *) bytes, length, SQLITE_TRANSIENT,
                         SQLITE_UTF8);
  else
    sqlite3_bind_blob64 (statement, index, bytes, length, SQLITE_TRANSIENT);
}

/* The names of a table's columns, and copies of the values of one row, drawn at random. */
typedef struct {
  GPtrArray *columns;
  GPtrArray *values; /* sqlite3_value; empty: the table is */
} Row;

static Row
any_row (Mutation *mutation, const char *table)
{
  Row row = { g_ptr_array_new_with_free_func (g_free),
              g_ptr_array_new_with_free_func ((GDestroyNotify) sqlite3_value_free) };
  g_autofree char *sql = g_strdup_printf (
      "SELECT * FROM %s LIMIT 1 OFFSET ? %% max (1, (SELECT count(*) FROM %s))", table, table);
  sqlite3_stmt *statement = NULL;

  if (sqlite3_prepare_v2 (mutation->database, sql, -1, &statement, NULL) != SQLITE_OK)
    return row;
  sqlite3_bind_int64 (statement, 1, g_rand_int (mutation->dice) >> 1);
  if (sqlite3_step (statement) == SQLITE_ROW)
    for (int i = 0; i < sqlite3_column_count (statement); i++) {
      g_ptr_array_add (row.columns, g_strdup (sqlite3_column_name (statement, i)));
      g_ptr_array_add (row.values, sqlite3_value_dup (sqlite3_column_value (statement, i)));
    }
  sqlite3_finalize (statement);
  return row;
}

/* Runs @sql on the values of a row; the one at @which, if there is such a one, is changed. What
 * breaks a constraint is not done. */
static void
run_on_row (Mutation *mutation, const char *sql, const Row *row, guint which)
{
  sqlite3_stmt *statement = NULL;

  if (sqlite3_prepare_v2 (mutation->database, sql, -1, &statement, NULL) != SQLITE_OK)
    return;
  for (guint i = 0; i < row->values->len; i++)
    if (i == which)
      bind_changed (mutation, statement, (int) i + 1, row->values->pdata[i]);
    else
      sqlite3_bind_value (statement, (int) i + 1, row->values->pdata[i]);
  sqlite3_step (statement);
  sqlite3_finalize (statement);
}

/* Writes a row again with one cell changed; the old one goes, unless the row is to stand twice. */
static void
change_row (Mutation *mutation, const char *table, const Row *row)
{
  const guint n = row->values->len;
  const guint which = (guint) g_rand_int_range (mutation->dice, 0, (gint32) n);
  g_autoptr (GString) drop = g_string_new (NULL);
  g_autoptr (GString) insert = g_string_new (NULL);

  g_string_printf (drop, "DELETE FROM %s WHERE 1", table);
  g_string_printf (insert, "INSERT OR REPLACE INTO %s VALUES (", table);
  for (guint i = 0; i < n; i++) {
    g_string_append_printf (drop, " AND %s IS ?%u", (const char *) row->columns->pdata[i], i + 1);
    g_string_append_printf (insert, "%s?%u", i > 0 ? ", " : "", i + 1);
  }
  g_string_append_c (insert, ')');
  if (g_rand_int_range (mutation->dice, 0, 8) > 0)
    run_on_row (mutation, drop->str, row, n);
  run_on_row (mutation, insert->str, row, which);
}

static void
clear_table (Mutation *mutation, const char *table)
{
  g_autofree char *sql = g_strdup_printf ("DELETE FROM %s", table);

  sqlite3_exec (mutation->database, sql, NULL, NULL, NULL);
}

/* Whether a row of the named texts is of the scenario or the plan. */
static gboolean
is_of_plan (const char *table, const Row *row)
{
  const char *key = g_str_equal (table, "meta") && row->values->len > 0
                        ? (const char *) sqlite3_value_text (row->values->pdata[0])
                        : NULL;

  return key != NULL && (g_str_equal (key, "scenario") || g_str_has_prefix (key, "plan"));
}

static void
change_once (Mutation *mutation)
{
  const char *table
      = mutation->tables
            ->pdata[g_rand_int_range (mutation->dice, 0, (gint32) mutation->tables->len)];
  Row row;

  if (g_rand_int_range (mutation->dice, 0, RARELY) == 0) {
    clear_table (mutation, table);
    return;
  }
  row = any_row (mutation, table);
  if (row.values->len > 0
      && (!is_of_plan (table, &row) || g_rand_int_range (mutation->dice, 0, RARELY) == 0))
    change_row (mutation, table, &row);
  g_ptr_array_unref (row.columns);
  g_ptr_array_unref (row.values);
}

static GPtrArray *
list_tables (sqlite3 *database)
{
  GPtrArray *tables = g_ptr_array_new_with_free_func (g_free);
  sqlite3_stmt *statement = NULL;

  if (sqlite3_prepare_v2 (database, "SELECT name FROM sqlite_master WHERE type = 'table'", -1,
                          &statement, NULL)
      != SQLITE_OK)
    return tables;
  while (sqlite3_step (statement) == SQLITE_ROW)
    g_ptr_array_add (tables, g_strdup ((const char *) sqlite3_column_text (statement, 0)));
  sqlite3_finalize (statement);
  return tables;
}

static gboolean
load (sqlite3 *database, const uint8_t *data, size_t size)
{
  unsigned char *copy = sqlite3_malloc64 (MAX (size, 1));

  memcpy (copy, data, size);
  return sqlite3_deserialize (database, "main", copy, (sqlite3_int64) size, (sqlite3_int64) size,
                              SQLITE_DESERIALIZE_FREEONCLOSE | SQLITE_DESERIALIZE_RESIZEABLE)
         == SQLITE_OK;
}

size_t
fuzz_cells_mutate (uint8_t *data, size_t size, size_t max_size, unsigned int seed)
{
  Mutation mutation = { .dice = g_rand_new_with_seed (seed) };
  const gint32 n = 1 + g_rand_int_range (mutation.dice, 0, MOST_CHANGES);
  sqlite3_int64 length = 0;
  unsigned char *made = NULL;
  size_t changed = size;

  sqlite3_open (":memory:", &mutation.database);
  if (load (mutation.database, data, size)) {
    mutation.tables = list_tables (mutation.database);
    for (gint32 i = 0; mutation.tables->len > 0 && i < n; i++)
      change_once (&mutation);
    g_ptr_array_unref (mutation.tables);
    made = sqlite3_serialize (mutation.database, "main", &length, 0);
  }
  if (made != NULL && (size_t) length <= max_size) {
    memcpy (data, made, (size_t) length);
    changed = (size_t) length;
  }
  sqlite3_free (made);
  sqlite3_close (mutation.database);
  g_rand_free (mutation.dice);
  return changed;
}
