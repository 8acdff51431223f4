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

static gboolean
insert_reasons (AssayStore *store, gsize index, const AssayOutcomes *outcomes, guint n_metrics,
                GError **error)
{
  for (guint m = 0; m < n_metrics; m++)
    for (guint s = 0; s < ASSAY_MAX_SERIES; s++) {
      g_autofree char *key = key_of (index, m, s);

      if (outcomes[m].omitted[s] != NULL
          && !assay_store_set (store, key, outcomes[m].omitted[s], error))
        return FALSE;
    }
  return TRUE;
}

/* Gives every series that is missing from outcomes its reason. */
static gboolean
select_reasons (AssayStore *store, gsize index, guint metric, guint n_series,
                AssayOutcomes *inout_outcomes, GError **error)
{
  for (guint s = 0; inout_outcomes->n > 0 && s < n_series; s++) {
    g_autofree char *key = key_of (index, metric, s);

    if (inout_outcomes->series[s] != NULL)
      continue;
    if (!assay_store_get (store, key, &inout_outcomes->omitted[s], error))
      return FALSE;
    if (inout_outcomes->omitted[s] == NULL)
      inout_outcomes->omitted[s] = g_strdup ("the run store has no outcomes of it");
  }
  return TRUE;
}

/* ---- Writing ---- */

static gboolean
insert_outcomes (AssayStore *store, gsize index, const AssayOutcomes *outcomes, guint n_metrics,
                 GError **error)
{
  for (guint m = 0; m < n_metrics; m++)
    for (guint s = 0; s < ASSAY_MAX_SERIES && outcomes[m].n > 0; s++) {
      const sqlite3_int64 integers[] = { (sqlite3_int64) index, m, s };
      const AssaySqlBlob blob
          = { .data = outcomes[m].series[s], .bytes = outcomes[m].n * sizeof (double) };

      if (blob.data != NULL
          && !assay_sql_insert_blob (store, "INSERT OR REPLACE INTO outcomes VALUES (?, ?, ?, ?)",
                                     integers, 3, &blob, error))
        return FALSE;
    }
  return insert_reasons (store, index, outcomes, n_metrics, error);
}

/* A name for the content: the hash of sizes and pixels. */
static char *
hash_of (const AssayThumbnail *thumbnail)
{
  g_autoptr (GChecksum) checksum = g_checksum_new (G_CHECKSUM_SHA256);
  g_autofree char *sizes
      = g_strdup_printf ("%zu %zu %zu\n", thumbnail->width, thumbnail->height, thumbnail->channels);

  g_checksum_update (checksum, (const guchar *) sizes, (gssize) strlen (sizes));
  g_checksum_update (checksum, thumbnail->data,
                     (gssize) (thumbnail->width * thumbnail->height * thumbnail->channels));
  return g_strdup (g_checksum_get_string (checksum));
}

static gboolean
insert_tile (AssayStore *store, const char *sha256, const AssayThumbnail *thumbnail, GError **error)
{
  const sqlite3_int64 sizes[]
      = { (sqlite3_int64) thumbnail->width, (sqlite3_int64) thumbnail->height,
          (sqlite3_int64) thumbnail->channels };
  sqlite3_stmt *statement = assay_sql_prepare (
      store, "INSERT OR IGNORE INTO tiles VALUES (?4, ?1, ?2, ?3, ?5)", sizes, 3, error);

  if (statement == NULL)
    return FALSE;
  sqlite3_bind_text (statement, 4, sha256, -1, SQLITE_TRANSIENT);
  sqlite3_bind_blob64 (statement, 5, thumbnail->data,
                       thumbnail->width * thumbnail->height * thumbnail->channels,
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
    g_autofree char *sha256 = hash_of (one->thumbnail);
    sqlite3_stmt *statement;

    if (!insert_tile (store, sha256, one->thumbnail, error))
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

/* ---- Reading ---- */

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
    AssaySqlBlob blob;

    if (!assay_sql_select_blob (
            store, "SELECT data FROM outcomes WHERE cell = ? AND metric = ? AND series = ?",
            integers, 3, &blob, error)
        || !add_series (store, s, blob.data, blob.bytes / sizeof (double), &outcomes, error)) {
      assay_outcomes_clear (&outcomes);
      return FALSE;
    }
  }
  if (!select_reasons (store, index, metric, n_series, &outcomes, error)) {
    assay_outcomes_clear (&outcomes);
    return FALSE;
  }
  *ret_outcomes = outcomes;
  return TRUE;
}

/* The picture in the row that the statement stands at. */
static AssayThumbnail *
read_tile (const AssayStore *store, sqlite3_stmt *statement, GError **error)
{
  const gsize bytes = (gsize) sqlite3_column_bytes (statement, 3);
  AssayThumbnail sizes = { .width = (gsize) sqlite3_column_int64 (statement, 0),
                           .height = (gsize) sqlite3_column_int64 (statement, 1),
                           .channels = (gsize) sqlite3_column_int64 (statement, 2) };

  if (sizes.width == 0 || sizes.width > ASSAY_THUMBNAIL_MAX_SIDE || sizes.height == 0
      || sizes.height > ASSAY_THUMBNAIL_MAX_SIDE || (sizes.channels != 1 && sizes.channels != 3)
      || bytes != sizes.width * sizes.height * sizes.channels) {
    assay_sql_fail_damaged (store, "a picture has other sizes than its pixels", error);
    return NULL;
  }
  sizes.data = g_memdup2 (sqlite3_column_blob (statement, 3), bytes);
  return g_memdup2 (&sizes, sizeof sizes);
}

gboolean
assay_store_tile (AssayStore *store, gsize index, guint metric, AssayShownRole role, gsize unit,
                  AssayThumbnail **ret_tile, GError **error)
{
  const sqlite3_int64 key[] = { (sqlite3_int64) index, metric, role, (sqlite3_int64) unit };
  sqlite3_stmt *statement = assay_sql_prepare (
      store,
      "SELECT width, height, channels, data FROM pictures JOIN tiles ON sha256 = tile"
      " WHERE cell = ? AND metric = ? AND role = ? AND unit = ?",
      key, 4, error);
  AssayThumbnail *thumbnail = NULL;
  gboolean is_ok;
  int result;

  if (statement == NULL)
    return FALSE;
  result = sqlite3_step (statement);
  is_ok = result == SQLITE_DONE || result == SQLITE_ROW || assay_sql_fail (store, error);
  if (result == SQLITE_ROW) {
    thumbnail = read_tile (store, statement, error);
    is_ok = thumbnail != NULL;
  }
  sqlite3_reset (statement);
  if (is_ok)
    *ret_tile = thumbnail;
  return is_ok;
}
