/* Which secrets of a pool each trial takes, and which are tuned on. */
#include "runner/plan/order.h"

#include <string.h>

#include "core/base/error.h"

typedef struct {
  const AssayPlan *plan;
  guint dataset;
  const AssayDataset *open;
  AssayOrder order;
} Draw;

/* One group in so many, rounded up, is set apart for tuning: what is best for the descriptors of a
 * single photograph is often poor for others. */
#define ONE_GROUP_IN 4

/* Whole groups, in random order, until they are enough and hold enough secrets to tune on: other
 * secrets of a group that was tuned on (descriptors of the same photograph) would not be fresh. */
static GHashTable *
draw_tuning_groups (const Draw *draw, AssayStreamKey key)
{
  const AssayDataset *open = draw->open;
  const gsize n = assay_rows_count (open->secrets);
  AssayStream stream = assay_stream (key, 1);
  GHashTable *chosen = g_hash_table_new (g_int64_hash, g_int64_equal);
  g_autofree gsize *random = g_new (gsize, n);
  const gsize enough = (open->n_groups + ONE_GROUP_IN - 1) / ONE_GROUP_IN;
  gsize held = 0;

  /* The group of the first secret in a random order, then that of the next one not chosen yet. */
  assay_stream_permutation (&stream, n, random);
  for (gsize i = 0; i < n; i++) {
    const gint64 *group = &open->groups[random[i]];

    if (held >= draw->plan->tune_secrets && g_hash_table_size (chosen) >= enough)
      break;
    if (!g_hash_table_add (chosen, (gpointer) group))
      continue;
    for (gsize j = 0; j < n; j++)
      held += open->groups[j] == *group;
  }
  return chosen;
}

/* Moves the secrets of the groups for tuning to the end of the order, and says how many groups. */
static guint
set_groups_apart (Draw *draw, AssayStreamKey key)
{
  const gsize n = assay_rows_count (draw->open->secrets);
  g_autoptr (GHashTable) chosen = draw_tuning_groups (draw, key);
  g_autofree gsize *tuning = g_new (gsize, n);
  gsize n_measured = 0, n_tuning = 0;

  for (gsize i = 0; i < n; i++) {
    const gsize row = draw->order.rows[i];

    if (g_hash_table_contains (chosen, &draw->open->groups[row]))
      tuning[n_tuning++] = row;
    else
      draw->order.rows[n_measured++] = row;
  }
  for (gsize i = 0; i < n_tuning; i++)
    draw->order.rows[n_measured + i] = tuning[i];
  draw->order.tuning_first = n_measured;
  return g_hash_table_size (chosen);
}

/* Whole groups one after the other: the order of the rows becomes one of the groups, each as likely
 * as any other, with the rows of a group in the order of the pool. */
static void
order_by_groups (Draw *draw, AssayStreamKey key)
{
  const AssayDataset *open = draw->open;
  const gsize n = assay_rows_count (open->secrets);
  g_autoptr (GHashTable) numbers = g_hash_table_new (g_int64_hash, g_int64_equal);
  g_autoptr (GPtrArray) rows
      = g_ptr_array_new_with_free_func ((GDestroyNotify) g_array_unref); /* by group */
  AssayStream stream = assay_stream (key, 2);
  g_autofree gsize *groups = NULL;
  gsize next = 0;

  for (gsize i = 0; i < n; i++) {
    gpointer number;
    GArray *members;

    if (!g_hash_table_lookup_extended (numbers, &open->groups[i], NULL, &number)) {
      number = GUINT_TO_POINTER (rows->len);
      g_hash_table_insert (numbers, (gpointer) &open->groups[i], number);
      g_ptr_array_add (rows, g_array_new (FALSE, FALSE, sizeof (gsize)));
    }
    members = rows->pdata[GPOINTER_TO_UINT (number)];
    g_array_append_val (members, i);
  }
  groups = g_new (gsize, rows->len);
  assay_stream_permutation (&stream, rows->len, groups);
  for (guint g = 0; g < rows->len; g++) {
    const GArray *members = rows->pdata[groups[g]];

    memcpy (draw->order.rows + next, members->data, members->len * sizeof (gsize));
    next += members->len;
  }
}

/* Where the trials begin; without any release they take no secrets. FALSE where there are too few
 * secrets, or groups of them. */
static gboolean
divide_trials (Draw *draw)
{
  const AssayPlan *plan = draw->plan;
  const gint64 *groups = draw->open->groups;
  const gsize end = draw->order.tuning_first;
  gsize at = 0;

  draw->order.n_draws = assay_plan_draws (plan);
  draw->order.starts = g_new0 (gsize, draw->order.n_draws + 1);
  if (!assay_plan_has_releases (plan))
    return TRUE;
  for (gsize t = 0; t < draw->order.n_draws; t++) {
    for (gsize g = 0; g < plan->secret_groups; g++) {
      const gsize first = at;

      while (at < end && groups[draw->order.rows[at]] == groups[draw->order.rows[first]])
        at++;
      if (at == first)
        return FALSE;
    }
    at += plan->secrets;
    draw->order.starts[t + 1] = at;
  }
  return at <= end;
}

static gboolean
check_measured (Draw *draw, guint n_apart, GError **error)
{
  const AssayPlan *plan = draw->plan;
  const gboolean takes_groups = plan->secret_groups > 0;

  return divide_trials (draw)
         || assay_fail (error, ASSAY_ERROR_SCENARIO,
                        "%u of the groups that secrets come in are set apart for tuning, which "
                        "leaves %zu secrets of other groups, but %zu%s are to be measured; "
                        "expected fewer %s, trials or tune_secrets",
                        n_apart, draw->order.tuning_first,
                        draw->order.n_draws * (plan->secrets + plan->secret_groups),
                        takes_groups ? " whole groups" : "", takes_groups ? "groups" : "secrets");
}

/* Tuning takes the first of the secrets set apart: of every group some, not one group alone. */
static void
mix_tuning (Draw *draw, AssayStreamKey key)
{
  const gsize first = draw->order.tuning_first;
  const gsize n = assay_rows_count (draw->open->secrets) - first;
  AssayStream stream = assay_stream (key, 3);
  g_autofree gsize *tail = g_memdup2 (draw->order.rows + first, n * sizeof (gsize));
  g_autofree gsize *places = g_new (gsize, n + 1);

  assay_stream_permutation (&stream, n, places);
  for (gsize i = 0; i < n; i++)
    draw->order.rows[first + i] = tail[places[i]];
}

/* The order in which trials, and then tuning, take secrets from the pool. */
static gboolean
draw_order (Draw *draw, GError **error)
{
  const AssayPlan *plan = draw->plan;
  const AssayCell cell = { .dataset = draw->dataset };
  const AssayStreamKey key = assay_plan_stream (plan, &cell, "secrets", NULL);
  AssayStream stream = assay_stream (key, 0);
  const gsize n = assay_rows_count (draw->open->secrets);
  const gboolean has_groups = draw->open->groups != NULL;
  guint n_apart = 0;

  draw->order.rows = assay_alloc (n, sizeof (gsize), "order of the secrets", error);
  if (draw->order.rows == NULL)
    return FALSE;
  if (assay_plan_keeps_order (plan, draw->dataset))
    for (gsize i = 0; i < n; i++)
      draw->order.rows[i] = i;
  else if (plan->secret_groups > 0)
    order_by_groups (draw, key);
  else
    assay_stream_permutation (&stream, n, draw->order.rows);
  draw->order.tuning_first = has_groups || plan->tune_secrets == 0 ? n : n - plan->tune_secrets;
  if (has_groups && plan->tune_secrets > 0)
    n_apart = set_groups_apart (draw, key);
  if (plan->secret_groups > 0)
    mix_tuning (draw, key);
  if (!check_measured (draw, n_apart, error))
    return FALSE;
  /* Independent secrets for tuning follow those that are measured, however many there are. */
  if (!has_groups)
    draw->order.tuning_first = draw->order.starts[draw->order.n_draws];
  return TRUE;
}

ASSAY_CLEAR_FUNC (AssayOrder, assay_order_clear, assay_drop (self->rows, g_free),
                  assay_drop (self->starts, g_free))

gboolean
assay_order_draw (const AssayPlan *plan, guint dataset, const AssayDataset *open,
                  AssayOrder *ret_order, GError **error)
{
  Draw draw = { .plan = plan, .dataset = dataset, .open = open };

  if (!draw_order (&draw, error)) {
    assay_order_clear (&draw.order);
    return FALSE;
  }
  *ret_order = draw.order;
  return TRUE;
}

static gsize
draw_of (const AssayOrder *order, gsize trial)
{
  return order->n_draws > 1 ? trial : 0;
}

gsize
assay_order_first (const AssayOrder *order, gsize trial)
{
  return order->starts[draw_of (order, trial)];
}

gsize
assay_order_count (const AssayOrder *order, gsize trial)
{
  return order->starts[draw_of (order, trial) + 1] - assay_order_first (order, trial);
}

/* ---- Units ---- */

#define MAX_PUBLIC 1000

static AssayMatrix *
gather (AssayRows *rows, const gsize *index, gsize count, GError **error)
{
  AssayMatrix *matrix = assay_matrix_new (count, assay_rows_cols (rows), error);

  if (matrix != NULL)
    assay_rows_gather (rows, index, count, ASSAY_SCALE_NONE, matrix->data);
  return matrix;
}

/* Public rows from all over the set; NULL in @ret_some: there are none with so many columns. */
static gboolean
gather_public (const AssayDataset *open, AssayMatrix **ret_some, GError **error)
{
  const gsize all = open->public_rows != NULL ? assay_rows_count (open->public_rows) : 0;
  const gsize count = MIN (all, MAX_PUBLIC);
  g_autofree gsize *index = g_new (gsize, count + 1);

  *ret_some = NULL;
  if (count == 0 || assay_rows_cols (open->public_rows) != assay_rows_cols (open->secrets))
    return TRUE;
  for (gsize i = 0; i < count; i++)
    index[i] = i * (all / count);
  *ret_some = gather (open->public_rows, index, count, error);
  return *ret_some != NULL;
}

AssayUnits *
assay_run_find_units (const AssayPlan *plan, guint dataset, const AssayDataset *open,
                      const AssayOrder *order, GError **error)
{
  const AssayCell cell = { .dataset = dataset };
  const gsize n = order->starts[order->n_draws];
  g_autofree gint64 *groups = open->groups != NULL ? g_new (gint64, n) : NULL;
  g_autoptr (AssayMatrix) rows = gather (open->secrets, order->rows, n, error);
  AssayMatrix *like = NULL;

  if (rows == NULL || !gather_public (open, &like, error))
    return NULL;
  for (gsize i = 0; groups != NULL && i < n; i++)
    groups[i] = open->groups[order->rows[i]];
  return assay_units_find (g_steal_pointer (&rows), groups, like,
                           assay_plan_stream (plan, &cell, "units", NULL));
}
