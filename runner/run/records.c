/* What games ask beside a release. */
#include "runner/run/records.h"

#include <string.h>

#define MOST (gsize) 1000 /* items of game cross, whose pairs with all of the first are scored */

static gboolean
plays (const AssayReleaseTerms *terms, AssayGame game)
{
  const AssayComponent *component = assay_plan_attack (terms->plan, terms->cell);
  const AssayAttack *attack = assay_attack_of (component->plugin);

  return attack != NULL && assay_attack_plays (attack, component->settings->values) == game;
}

/* ---- Records of the game member ---- */

static gsize
n_secrets_of (const AssayReleaseTerms *terms)
{
  return terms->secrets->rows.rows;
}

/* The place of the first secret in the order. */
static gsize
first_of (const AssayReleaseTerms *terms)
{
  return terms->is_tuning ? terms->order->tuning_first
                          : assay_order_first (terms->order, terms->cell->trial);
}

/* Places in the order of rows that were not released. */
static gsize *
find_others (const AssayReleaseTerms *terms, gsize *ret_n)
{
  const gsize n = assay_rows_count (terms->dataset->secrets);
  gint64 *groups = terms->dataset->groups;
  g_autoptr (GHashTable) taken = g_hash_table_new (g_int64_hash, g_int64_equal);
  gsize *others = g_new (gsize, n + 1);

  *ret_n = 0;
  for (gsize i = 0; groups != NULL && i < n_secrets_of (terms); i++)
    g_hash_table_add (taken, &groups[terms->order->rows[first_of (terms) + i]]);
  for (gsize i = 0; i < n; i++) {
    const gsize row = terms->order->rows[i];
    const gboolean is_released
        = i >= first_of (terms) && i < first_of (terms) + n_secrets_of (terms);

    if (!is_released
        && (groups == NULL || !g_hash_table_contains (taken, &groups[row])))
      others[(*ret_n)++] = row;
  }
  return others;
}

/* Numbers of @half secrets and as many others, in random order. */
static void
draw_rows (const AssayReleaseTerms *terms, const gsize *others, gsize n_others, gsize half,
           gsize *ret_rows, gint64 *ret_members)
{
  AssayStream stream = assay_stream (assay_release_terms_stream (terms, "records"), 0);
  g_autofree gsize *places = g_new (gsize, 2 * half);
  g_autofree gsize *chosen = g_new (gsize, half);

  assay_stream_permutation (&stream, 2 * half, places);
  assay_stream_sample (&stream, n_secrets_of (terms), half, chosen);
  for (gsize i = 0; i < half; i++) {
    ret_rows[places[i]] = terms->order->rows[first_of (terms) + chosen[i]];
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
draw_records (const AssayReleaseTerms *terms, Made *made, GError **error)
{
  gsize n_others;
  g_autofree gsize *others = find_others (terms, &n_others);
  const gsize half = MIN (n_secrets_of (terms), n_others), n = 2 * half;
  g_autofree gsize *rows = g_new (gsize, n + 1);
  AssayMatrix *records;
  gint64 *members;

  if (half == 0)
    return assay_fail (error, ASSAY_ERROR_MISMATCH,
                       "the game member asks for records that were not released, and the dataset "
                       "has no secrets beside these %zu; expected fewer secrets, or a larger "
                       "dataset",
                       n_secrets_of (terms));
  records = assay_matrix_new (n, assay_rows_cols (terms->dataset->secrets), error);
  if (records == NULL)
    return FALSE;
  members = g_new0 (gint64, n);
  draw_rows (terms, others, n_others, half, rows, members);
  assay_rows_gather (terms->dataset->secrets, rows, n, ASSAY_SCALE_NONE, records->data);
  made->records = assay_rows_take_matrix (records);
  made->record_data.labels = known_of (terms->dataset->secret_data.labels, rows, n);
  made->record_data.attributes = known_of (terms->dataset->secret_data.attributes, rows, n);
  assay_arrays_take (&made->truth->arrays, "members",
                     assay_array_take (ASSAY_INT64, 1, &n, members));
  return TRUE;
}

gboolean
assay_records_grant (const AssayReleaseTerms *terms, Made *made, AssayGranted *inout_granted,
                     GError **error)
{
  const gboolean is_played = plays (terms, ASSAY_GAME_MEMBER);

  if (is_played && made->records == NULL && !draw_records (terms, made, error))
    return FALSE;
  inout_granted->records = is_played ? made->records : NULL;
  inout_granted->record_labels = is_played ? assay_role_labels (&made->record_data) : NULL;
  return TRUE;
}

/* ---- The second release of the game cross ---- */

/* Protects the secrets @mates, in this order, with randomness and a key of their own. */
static gboolean
protect_mates (const AssayReleaseTerms *terms, const gint64 *mates, gsize m, Made *made,
               GError **error)
{
  const AssayComponent *component = assay_plan_defense (terms->plan, terms->cell);
  const AssaySecrets *all = terms->secrets;
  g_autoptr (AssayMatrix) rows = assay_matrix_new (m, all->rows.cols, error);
  g_autofree gint64 *labels = all->labels != NULL ? g_new (gint64, m) : NULL;
  AssaySecrets secrets = { .labels = labels,
                           .n_classes = all->n_classes,
                           .geometry = all->geometry,
                           .position = assay_release_terms_position (terms, 0) };
  const AssayProtecting how = { .settings = component->settings,
                                .stream = assay_release_terms_stream (terms, "crossed"),
                                .common = assay_release_terms_stream (terms, "crossed-key"),
                                .knowledge = terms->knowledge };
  AssayTruth *truth = NULL;
  gboolean is_ok;

  if (rows == NULL)
    return FALSE;
  for (gsize j = 0; j < m; j++) {
    memcpy (assay_matrix_row (rows, j), assay_view_row (all->rows, (gsize) mates[j]),
            rows->cols * sizeof (float));
    if (labels != NULL)
      labels[j] = all->labels[mates[j]];
  }
  secrets.rows = assay_matrix_view (rows);
  is_ok = assay_step_protect (component->defense, &how, &secrets, &made->crossed, &truth, error);
  assay_truth_free (truth);
  return is_ok || assay_prefix (error, "second release: ");
}

static gboolean
draw_crossed (const AssayReleaseTerms *terms, Made *made, GError **error)
{
  const AssayExternal *external
      = assay_plugin_external (assay_plan_defense (terms->plan, terms->cell)->plugin);
  const gsize n = terms->secrets->rows.rows, m = MIN (n, MOST);
  AssayStream stream = assay_stream (assay_release_terms_stream (terms, "crossed-order"), 0);
  g_autofree gsize *chosen = g_new (gsize, n);
  gint64 *mates;

  if (external != NULL && external->verify != NULL)
    return assay_fail (error, ASSAY_ERROR_MISMATCH,
                       "the game cross asks for a second release under another key, which an "
                       "external release has not; expected a defense that can be run");
  assay_stream_permutation (&stream, n, chosen);
  mates = g_new (gint64, m);
  for (gsize j = 0; j < m; j++)
    mates[j] = (gint64) chosen[j];
  if (!protect_mates (terms, mates, m, made, error)) {
    g_free (mates);
    return FALSE;
  }
  assay_arrays_take (&made->truth->arrays, "mates", assay_array_take (ASSAY_INT64, 1, &m, mates));
  return TRUE;
}

gboolean
assay_crossed_grant (const AssayReleaseTerms *terms, Made *made, const AssayRelease **ret_crossed,
                     GError **error)
{
  const gboolean is_played = plays (terms, ASSAY_GAME_CROSS);

  if (is_played && made->crossed == NULL && !draw_crossed (terms, made, error))
    return FALSE;
  *ret_crossed = is_played ? made->crossed : NULL;
  return TRUE;
}
