/* The runs on which an audit counted its event. */
#include "runner/store/counted.h"

#include "runner/store/sql.h"

ASSAY_FREE_FUNC (AssayCounted, assay_counted_free, assay_array_free (self->outputs[0]),
                 assay_array_free (self->outputs[1]), assay_array_free (self->marks),
                 g_free (self->python))

/* Bytes of a number; and of an array. */
static gsize
width_of (const AssayArray *array)
{
  return array->type == ASSAY_FLOAT64 ? sizeof (double) : sizeof (float);
}

static gsize
bytes_of (const AssayArray *outputs)
{
  return assay_array_count (outputs) * width_of (outputs);
}

gboolean
assay_counted_store (AssayStore *store, gsize cell, const AssayCounted *counted, GError **error)
{
  const AssayArray *first = counted != NULL ? counted->outputs[0] : NULL;

  if (counted == NULL)
    return assay_sql_run (store, error, "DELETE FROM counted WHERE cell = ?",
                          ASSAY_SQL_INTEGER (cell));
  if (first == NULL)
    return assay_sql_run (store, error,
                          "INSERT OR REPLACE INTO counted VALUES (?, 0, 0, NULL, NULL, NULL, NULL)",
                          ASSAY_SQL_INTEGER (cell));
  return assay_sql_run (store, error, "INSERT OR REPLACE INTO counted VALUES (?, ?, ?, ?, ?, ?, ?)",
                        ASSAY_SQL_INTEGER (cell), ASSAY_SQL_INTEGER (first->shape[1]),
                        ASSAY_SQL_INTEGER (width_of (first)),
                        ASSAY_SQL_BLOB (first->data, bytes_of (first)),
                        ASSAY_SQL_BLOB (counted->outputs[1]->data, bytes_of (first)),
                        ASSAY_SQL_BLOB (counted->marks->data, assay_array_count (counted->marks)),
                        ASSAY_SQL_TEXT (counted->python));
}

/* ---- Loading ---- */

static AssayArray *
array_of (AssaySqlRow *row, int column, AssayType type, const gsize shape[2])
{
  const gsize bytes = (gsize) sqlite3_column_bytes (row, column);

  return assay_array_take (type, 2, shape, g_memdup2 (sqlite3_column_blob (row, column), bytes));
}

/* Outputs of @runs runs a side. */
static gboolean
sizes_fit (AssaySqlRow *row, guint64 runs)
{
  const gint64 columns = sqlite3_column_int64 (row, 0), width = sqlite3_column_int64 (row, 1);
  guint64 bytes;

  return columns > 0 && (width == sizeof (float) || width == sizeof (double))
         && g_uint64_checked_mul (&bytes, runs, (guint64) columns)
         && g_uint64_checked_mul (&bytes, bytes, (guint64) width)
         && (guint64) sqlite3_column_bytes (row, 2) == bytes
         && (guint64) sqlite3_column_bytes (row, 3) == bytes
         && (guint64) sqlite3_column_bytes (row, 4) == 2 * runs;
}

static guint64
count_marks (const guint8 *marks, gsize n)
{
  guint64 count = 0;

  for (gsize i = 0; i < n; i++)
    count += marks[i] == 1;
  return count;
}

static gboolean
has_counts (const AssayCounted *counted, const AssayAuditRecord *audit)
{
  const gsize runs = (gsize) audit->counts.runs, first = audit->is_swapped ? runs : 0;

  return count_marks (counted->marks->data + first, runs) == audit->counts.hits
         && count_marks (counted->marks->data + (runs - first), runs) == audit->counts.mistakes;
}

gboolean
assay_counted_load (AssayStore *store, gsize cell, const AssayAuditRecord *audit,
                    AssayCounted **ret_counted, GError **error)
{
  const gsize runs = (gsize) audit->counts.runs;
  g_autoptr (AssayCounted) counted = g_new0 (AssayCounted, 1);
  g_autoptr (AssaySqlRow) row = NULL;
  AssayType type;
  gsize shape[2] = { runs };

  *ret_counted = NULL;
  if (!assay_sql_find (store, &row, error,
                       "SELECT columns, width, first, second, marks, python FROM counted"
                       " WHERE cell = ?",
                       ASSAY_SQL_INTEGER (cell)))
    return FALSE;
  if (row == NULL)
    return TRUE;
  if (sqlite3_column_type (row, 2) != SQLITE_NULL) {
    if (!sizes_fit (row, audit->counts.runs))
      return TRUE;
    shape[1] = (gsize) sqlite3_column_int64 (row, 0);
    type = sqlite3_column_int64 (row, 1) == sizeof (double) ? ASSAY_FLOAT64 : ASSAY_FLOAT32;
    counted->outputs[0] = array_of (row, 2, type, shape);
    counted->outputs[1] = array_of (row, 3, type, shape);
    counted->marks = array_of (row, 4, ASSAY_UINT8, (const gsize[]){ 2, runs });
    counted->python = g_strdup ((const char *) sqlite3_column_text (row, 5));
  }
  if (counted->marks == NULL || has_counts (counted, audit))
    *ret_counted = g_steal_pointer (&counted);
  return TRUE;
}
