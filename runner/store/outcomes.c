/* What a finished cell leaves in the run store. */
#include "runner/store/outcomes.h"

#include <math.h>
#include <string.h>

#include "runner/store/sql.h"

/* ---- Reasons for series that were left out, as named texts ---- */

static char *
key_of (gsize index, guint metric, guint series)
{
  return g_strdup_printf ("left out %zu %u %u", index, metric, series);
}

/* Gives every series that is missing from outcomes its reason. Without any outcomes a metric with
 * reasons had nothing to measure, and one without did not apply. */
static gboolean
select_reasons (AssayStore *store, gsize index, guint metric, guint n_series,
                AssayOutcomes *inout_outcomes, GError **error)
{
  for (guint s = 0; s < n_series; s++) {
    g_autofree char *key = key_of (index, metric, s);

    if (inout_outcomes->series[s] != NULL)
      continue;
    if (!assay_store_get (store, key, &inout_outcomes->omitted[s], error))
      return FALSE;
    if (inout_outcomes->omitted[s] == NULL && inout_outcomes->n > 0)
      inout_outcomes->omitted[s] = g_strdup ("the run store has no outcomes of it");
  }
  return TRUE;
}

/* ---- Writing ---- */

/* A series, or the reason why it was left out; a metric that did not apply has neither. */
static gboolean
insert_series (AssayStore *store, gsize index, guint metric, guint series,
               const AssayOutcomes *outcomes, GError **error)
{
  g_autofree char *key = key_of (index, metric, series);

  if (outcomes->omitted[series] != NULL
      && !assay_store_set (store, key, outcomes->omitted[series], error))
    return FALSE;
  return outcomes->n == 0 || outcomes->series[series] == NULL
         || assay_sql_run (
             store, error, "INSERT OR REPLACE INTO outcomes VALUES (?, ?, ?, ?)",
             ASSAY_SQL_INTEGER (index), ASSAY_SQL_INTEGER (metric), ASSAY_SQL_INTEGER (series),
             ASSAY_SQL_BLOB (outcomes->series[series], outcomes->n * sizeof (double)));
}

/* A name for the content: the hash of sizes and pixels. */
static char *
hash_of (const AssayThumbnail *thumbnail)
{
  g_autoptr (GChecksum) checksum = g_checksum_new (G_CHECKSUM_SHA256);
  g_autofree char *sizes
      = g_strdup_printf ("%zu %zu %zu\n", thumbnail->width, thumbnail->height, thumbnail->channels);

  g_checksum_update (checksum, (const guchar *) sizes, (gssize) strlen (sizes));
  g_checksum_update (checksum, thumbnail->data, (gssize) assay_thumbnail_bytes (thumbnail));
  return g_strdup (g_checksum_get_string (checksum));
}

static gboolean
insert_shown (AssayStore *store, gsize index, const AssayShown *shown, GError **error)
{
  const AssayThumbnail *thumbnail = shown->thumbnail;
  g_autofree char *sha256 = hash_of (thumbnail);

  return assay_sql_run (store, error, "INSERT OR IGNORE INTO thumbnails VALUES (?, ?, ?, ?, ?)",
                        ASSAY_SQL_TEXT (sha256), ASSAY_SQL_INTEGER (thumbnail->width),
                        ASSAY_SQL_INTEGER (thumbnail->height),
                        ASSAY_SQL_INTEGER (thumbnail->channels),
                        ASSAY_SQL_BLOB (thumbnail->data, assay_thumbnail_bytes (thumbnail)))
         && assay_sql_run (store, error, "INSERT OR REPLACE INTO pictures VALUES (?, ?, ?, ?, ?)",
                           ASSAY_SQL_INTEGER (index), ASSAY_SQL_INTEGER (shown->metric),
                           ASSAY_SQL_INTEGER (shown->role), ASSAY_SQL_INTEGER (shown->unit),
                           ASSAY_SQL_TEXT (sha256));
}

/* Bytes: a message may quote what others wrote, and that may be of any length. Far below what
 * verify.c takes for damage. */
#define LONGEST_MESSAGE ((gsize) 64 << 10)

static char *
cut_message (const char *message)
{
  const gsize length = message != NULL ? strlen (message) : 0;
  const char *end = NULL;

  if (length <= LONGEST_MESSAGE)
    return g_strdup (message);
  g_utf8_validate_len (message, LONGEST_MESSAGE, &end); /* no half character */
  return g_strdup_printf ("%.*s ... (cut: %zu bytes)", (int) (end - message), message, length);
}

gboolean
assay_store_finish_cell (AssayStore *store, gsize index, const AssayCellRecord *record,
                         const AssayMeasured *measured, GError **error)
{
  static const AssayMeasured nothing;
  const AssayMeasured *of = measured != NULL ? measured : &nothing;
  g_autofree char *message = cut_message (record->message);
  gboolean is_ok = TRUE;

  if (!assay_sql_execute (store, "BEGIN", error))
    return FALSE;
  for (guint m = 0; m < of->n_metrics; m++)
    for (guint s = 0; is_ok && s < ASSAY_MAX_SERIES; s++)
      is_ok = insert_series (store, index, m, s, &of->outcomes[m], error);
  for (guint i = 0; is_ok && of->shown != NULL && i < of->shown->len; i++)
    is_ok = insert_shown (store, index, &g_array_index (of->shown, AssayShown, i), error);
  is_ok = is_ok
          && assay_sql_run (store, error,
                            "UPDATE cells SET status = ?2, message = ?3, seconds = ?4"
                            " WHERE cell = ?1",
                            ASSAY_SQL_INTEGER (index), ASSAY_SQL_INTEGER (record->status),
                            ASSAY_SQL_TEXT (message), ASSAY_SQL_REAL (record->seconds));
  return assay_sql_end (store, is_ok, error);
}

gboolean
assay_store_add_start (AssayStore *store, gsize index, guint start, const AssayOutcomes *outcomes,
                       guint n_metrics, GError **error)
{
  gboolean is_ok = TRUE;

  if (!assay_sql_execute (store, "BEGIN", error))
    return FALSE;
  for (guint m = 0; m < n_metrics; m++)
    for (guint s = 0; is_ok && s < ASSAY_MAX_SERIES; s++)
      is_ok
          = insert_series (store, index, assay_metric_of_start (m, start), s, &outcomes[m], error);
  return assay_sql_end (store, is_ok, error);
}

/* ---- Reading ---- */

/* Reads one series, where it is there. The series of a metric are as long as each other, and
 * finite. */
static gboolean
select_series (AssayStore *store, gsize index, guint metric, guint series,
               AssayOutcomes *inout_outcomes, GError **error)
{
  g_autoptr (AssaySqlRow) row = NULL;
  gpointer values = NULL;
  gsize n;

  if (!assay_sql_find (store, &row, error,
                       "SELECT data FROM outcomes WHERE cell = ? AND metric = ? AND series = ?",
                       ASSAY_SQL_INTEGER (index), ASSAY_SQL_INTEGER (metric),
                       ASSAY_SQL_INTEGER (series))
      || (row != NULL && !assay_sql_numbers (store, row, 0, &values, &n, error)))
    return FALSE;
  inout_outcomes->series[series] = values;
  if (values == NULL)
    return TRUE;
  if (inout_outcomes->n > 0 && inout_outcomes->n != n)
    return assay_sql_fail_damaged (store, "outcomes of one metric are not as many as each other",
                                   error);
  inout_outcomes->n = n;
  for (gsize i = 0; i < n; i++)
    if (!isfinite (inout_outcomes->series[series][i]))
      return assay_sql_fail_damaged (store, "an outcome is no finite number", error);
  return TRUE;
}

gboolean
assay_store_outcomes (AssayStore *store, gsize index, guint metric, guint n_series,
                      AssayOutcomes *ret_outcomes, GError **error)
{
  AssayOutcomes outcomes = { 0 };
  gboolean is_ok = TRUE;

  for (guint s = 0; is_ok && s < n_series; s++)
    is_ok = select_series (store, index, metric, s, &outcomes, error);
  if (!is_ok || !select_reasons (store, index, metric, n_series, &outcomes, error)) {
    assay_outcomes_clear (&outcomes);
    return FALSE;
  }
  *ret_outcomes = outcomes;
  return TRUE;
}

gboolean
assay_store_thumbnail (AssayStore *store, gsize index, const AssayShown *which,
                       AssayThumbnail **ret_thumbnail, GError **error)
{
  g_autoptr (AssaySqlRow) row = NULL;
  AssayThumbnail sizes;

  if (!assay_sql_find (store, &row, error,
                       "SELECT width, height, channels, data FROM pictures JOIN thumbnails"
                       " ON sha256 = thumbnail"
                       " WHERE cell = ? AND metric = ? AND role = ? AND unit = ?",
                       ASSAY_SQL_INTEGER (index), ASSAY_SQL_INTEGER (which->metric),
                       ASSAY_SQL_INTEGER (which->role), ASSAY_SQL_INTEGER (which->unit)))
    return FALSE;
  *ret_thumbnail = NULL;
  if (row == NULL)
    return TRUE;
  sizes = (AssayThumbnail){ .width = (gsize) sqlite3_column_int64 (row, 0),
                            .height = (gsize) sqlite3_column_int64 (row, 1),
                            .channels = (gsize) sqlite3_column_int64 (row, 2) };
  if (sizes.width == 0 || sizes.width > ASSAY_THUMBNAIL_MAX_SIDE || sizes.height == 0
      || sizes.height > ASSAY_THUMBNAIL_MAX_SIDE || (sizes.channels != 1 && sizes.channels != 3)
      || (gsize) sqlite3_column_bytes (row, 3) != assay_thumbnail_bytes (&sizes))
    return assay_sql_fail_damaged (store, "a picture has other sizes than its pixels", error);
  sizes.data = g_memdup2 (sqlite3_column_blob (row, 3), assay_thumbnail_bytes (&sizes));
  *ret_thumbnail = g_memdup2 (&sizes, sizeof sizes);
  return TRUE;
}
