/* Records of the game member. */
#include "runner/run/records.h"

#include <string.h>

static gsize
n_secrets_of (const AssayRecordsDraw *draw)
{
  return draw->secrets->rows.rows;
}

/* The place of the first secret in the order. */
static gsize
first_of (const AssayRecordsDraw *draw)
{
  return draw->is_tuning ? draw->order->tuning_first : draw->order->starts[draw->cell->trial];
}

/* Places in the order of rows that were not released. */
static gsize *
find_others (const AssayRecordsDraw *draw, gsize *ret_n)
{
  const gsize n = assay_rows_count (draw->dataset->secrets);
  gint64 *groups = draw->dataset->groups;
  g_autoptr (GHashTable) taken = g_hash_table_new (g_int64_hash, g_int64_equal);
  gsize *others = g_new (gsize, n + 1);

  *ret_n = 0;
  for (gsize i = 0; groups != NULL && i < n_secrets_of (draw); i++)
    g_hash_table_add (taken, &groups[draw->order->rows[first_of (draw) + i]]);
  for (gsize i = 0; i < n; i++) {
    const gsize row = draw->order->rows[i];
    const gboolean is_released = i >= first_of (draw) && i < first_of (draw) + n_secrets_of (draw);

    if (!is_released
        && (groups == NULL || !g_hash_table_contains (taken, &groups[row])))
      others[(*ret_n)++] = row;
  }
  return others;
}

static AssayStreamKey
key_of (const AssayRecordsDraw *draw)
{
  AssayCell keyed = *draw->cell;

  if (draw->is_tuning)
    keyed.trial = 0;
  return assay_plan_stream (draw->plan, &keyed, draw->is_tuning ? "tune-records" : "records",
                            NULL);
}

/* Numbers of @half secrets and as many others, in random order. */
static void
draw_rows (const AssayRecordsDraw *draw, const gsize *others, gsize n_others, gsize half,
           gsize *ret_rows, gint64 *ret_members)
{
  AssayStream stream = assay_stream (key_of (draw), 0);
  g_autofree gsize *places = g_new (gsize, 2 * half);
  g_autofree gsize *chosen = g_new (gsize, half);

  assay_stream_permutation (&stream, 2 * half, places);
  assay_stream_sample (&stream, n_secrets_of (draw), half, chosen);
  for (gsize i = 0; i < half; i++) {
    ret_rows[places[i]] = draw->order->rows[first_of (draw) + chosen[i]];
    ret_members[places[i]] = 1;
  }
  assay_stream_sample (&stream, n_others, half, chosen);
  for (gsize i = 0; i < half; i++)
    ret_rows[places[half + i]] = others[chosen[i]];
}

/* Of the rows @rows of @all, numbers of 64 bits; NULL: they are not known. */
static AssayArray *
known_of (const AssayArray *all, const gsize *rows, gsize n)
{
  const gsize width = all != NULL && all->n_dimensions > 1 ? all->shape[1] : 1;
  const gsize shape[] = { n, width };
  gint64 *values;

  if (all == NULL)
    return NULL;
  values = g_new (gint64, n * width);
  for (gsize i = 0; i < n; i++)
    memcpy (values + i * width, assay_array_int64 (all) + rows[i] * width,
            width * sizeof (gint64));
  return assay_array_take (ASSAY_INT64, all->n_dimensions, shape, values);
}

static gboolean
draw_records (const AssayRecordsDraw *draw, Made *made, GError **error)
{
  gsize n_others;
  g_autofree gsize *others = find_others (draw, &n_others);
  const gsize half = MIN (n_secrets_of (draw), n_others), n = 2 * half;
  g_autofree gsize *rows = g_new (gsize, n + 1);
  AssayMatrix *records;
  gint64 *members;

  if (half == 0)
    return assay_fail (error, ASSAY_ERROR_MISMATCH,
                       "the game member asks for records that were not released, and the dataset "
                       "has no secrets beside these %zu; expected fewer secrets, or a larger "
                       "dataset",
                       n_secrets_of (draw));
  records = assay_matrix_new (n, assay_rows_cols (draw->dataset->secrets), error);
  if (records == NULL)
    return FALSE;
  members = g_new0 (gint64, n);
  draw_rows (draw, others, n_others, half, rows, members);
  assay_rows_gather (draw->dataset->secrets, rows, n, ASSAY_SCALE_NONE, records->data);
  made->records = assay_rows_take_matrix (records);
  made->record_data.labels = known_of (draw->dataset->secret_data.labels, rows, n);
  made->record_data.attributes = known_of (draw->dataset->secret_data.attributes, rows, n);
  assay_arrays_take (&made->truth->arrays, "members",
                     assay_array_take (ASSAY_INT64, 1, &n, members));
  return TRUE;
}

gboolean
assay_records_grant (const AssayRecordsDraw *draw, Made *made, AssayGranted *inout_granted,
                     GError **error)
{
  const AssayComponent *component = assay_plan_attack (draw->plan, draw->cell);
  const AssayAttack *attack = assay_attack_of (component->plugin);
  const gboolean is_played
      = attack != NULL
        && assay_attack_plays (attack, component->settings->values) == ASSAY_GAME_MEMBER;

  if (is_played && made->records == NULL && !draw_records (draw, made, error))
    return FALSE;
  inout_granted->records = is_played ? made->records : NULL;
  inout_granted->record_labels = is_played ? assay_role_labels (&made->record_data) : NULL;
  return TRUE;
}
