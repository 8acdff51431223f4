/* What the cells of a run share. */
#include "runner/workspace.h"

#include "runner/pairing.h"

#define NOTHING G_MAXUINT

/* Secrets drawn from the pool and what a defense made of them. */
typedef struct {
  guint dataset, trial, defense; /* what it belongs to; NOTHING: not made */
  AssayMatrix *secrets;
  gint64 *groups;
  AssayRelease *release;
  AssayTruth *truth;
  GError *error; /* why there is no release */
} Protected;

struct _AssayWorkspace {
  const AssayPlan *plan;
  guint dataset; /* the open one */
  AssayDataset open;
  AssayKnowledge knowledge;
  gsize *order; /* of the pool: first what is measured, then what is tuned on */
  gsize tuning_first; /* where in it the secrets for tuning begin */
  Protected cell;
  Protected tuning;
};

static void
drop_release (Protected *protected)
{
  g_clear_pointer (&protected->release, assay_release_free);
  g_clear_pointer (&protected->truth, assay_truth_free);
  g_clear_error (&protected->error);
  protected->defense = NOTHING;
}

static void
drop_secrets (Protected *protected)
{
  drop_release (protected);
  g_clear_pointer (&protected->secrets, assay_matrix_free);
  g_clear_pointer (&protected->groups, g_free);
  protected->dataset = protected->trial = NOTHING;
}

static void
drop_dataset (AssayWorkspace *workspace)
{
  drop_secrets (&workspace->cell);
  drop_secrets (&workspace->tuning);
  assay_dataset_clear (&workspace->open);
  g_clear_pointer (&workspace->order, g_free);
  workspace->dataset = NOTHING;
}

AssayWorkspace *
assay_workspace_new (const AssayPlan *plan)
{
  AssayWorkspace *workspace = g_new0 (AssayWorkspace, 1);

  workspace->plan = plan;
  drop_dataset (workspace);
  return workspace;
}

void
assay_workspace_free (AssayWorkspace *workspace)
{
  if (workspace == NULL)
    return;
  drop_dataset (workspace);
  g_free (workspace);
}

/* One group in so many, rounded up, is set apart for tuning: what is best for the descriptors of a
 * single photograph is often poor for others. */
#define ONE_GROUP_IN 4

/* Whole groups, in random order, until they are enough and hold enough secrets to tune on: other
 * secrets of a group that was tuned on (descriptors of the same photograph) would not be fresh. */
static GHashTable *
draw_tuning_groups (const AssayWorkspace *workspace, AssayStreamKey key)
{
  const AssayDataset *open = &workspace->open;
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

    if (held >= workspace->plan->tune_secrets && g_hash_table_size (chosen) >= enough)
      break;
    if (!g_hash_table_add (chosen, (gpointer) group))
      continue;
    for (gsize j = 0; j < n; j++)
      held += open->groups[j] == *group;
  }
  return chosen;
}

/* Moves the secrets of the groups for tuning to the end of the order. */
static gboolean
set_groups_apart (AssayWorkspace *workspace, AssayStreamKey key, GError **error)
{
  const AssayPlan *plan = workspace->plan;
  const gsize n = assay_rows_count (workspace->open.secrets);
  g_autoptr (GHashTable) chosen = draw_tuning_groups (workspace, key);
  g_autofree gsize *tuning = g_new (gsize, n);
  gsize n_measured = 0, n_tuning = 0;

  for (gsize i = 0; i < n; i++) {
    const gsize row = workspace->order[i];

    if (g_hash_table_contains (chosen, &workspace->open.groups[row]))
      tuning[n_tuning++] = row;
    else
      workspace->order[n_measured++] = row;
  }
  for (gsize i = 0; i < n_tuning; i++)
    workspace->order[n_measured + i] = tuning[i];
  workspace->tuning_first = n_measured;
  return n_measured >= plan->trials * plan->secrets
         || assay_fail (error, ASSAY_ERROR_SCENARIO,
                        "%u of the groups that secrets come in are set apart for tuning, which "
                        "leaves %" G_GSIZE_FORMAT " secrets of other groups, but %" G_GUINT64_FORMAT
                        " are to be measured; expected fewer secrets, trials or tune_secrets",
                        g_hash_table_size (chosen), n_measured, plan->trials * plan->secrets);
}

/* The order in which trials, and then tuning, take secrets from the pool. */
static gboolean
draw_order (AssayWorkspace *workspace, GError **error)
{
  const AssayPlan *plan = workspace->plan;
  const AssayCell cell = { .dataset = workspace->dataset };
  const AssayStreamKey key = assay_plan_stream (plan, &cell, "secrets", NULL);
  AssayStream stream = assay_stream (key, 0);
  const gsize n = assay_rows_count (workspace->open.secrets);

  workspace->order = assay_alloc (n, sizeof (gsize), "order of the secrets", error);
  if (workspace->order == NULL)
    return FALSE;
  assay_stream_permutation (&stream, n, workspace->order);
  workspace->tuning_first = plan->trials * plan->secrets;
  return workspace->open.groups == NULL || plan->tune_secrets == 0
         || set_groups_apart (workspace, key, error);
}

gboolean
assay_workspace_dataset (AssayWorkspace *workspace, guint index, const char **ret_sha256,
                         GError **error)
{
  const AssayPlan *plan = workspace->plan;
  const AssayPart *part = assay_plan_part (plan->datasets, index);
  const AssayDatasetPlugin *plugin = (const AssayDatasetPlugin *) part->plugin;
  const AssayCell cell = { .dataset = index };

  if (workspace->dataset != index) {
    const AssayDatasetContext context = { .settings = part->settings->values,
                                          .stream = assay_plan_stream (plan, &cell, "data", NULL),
                                          .folders = (const char *const *) plan->folders };

    drop_dataset (workspace);
    if (!plugin->open (&context, &workspace->open, error)
        || !assay_plan_check_pool (plan, assay_rows_count (workspace->open.secrets), error)) {
      drop_dataset (workspace);
      g_prefix_error (error, "dataset %s: ", plugin->id);
      return FALSE;
    }
    workspace->dataset = index;
    workspace->knowledge = (AssayKnowledge){ .database = workspace->open.database,
                                             .public_rows = workspace->open.public_rows };
    if (!draw_order (workspace, error)) {
      drop_dataset (workspace);
      return FALSE;
    }
  }
  *ret_sha256 = workspace->open.sha256;
  return TRUE;
}

/* Takes @count secrets from place @first of the pool's order. */
static gboolean
take_secrets (AssayWorkspace *workspace, gsize first, gsize count, Protected *protected,
              GError **error)
{
  const AssayDataset *open = &workspace->open;
  const gsize *chosen = workspace->order + first;

  protected->secrets = assay_matrix_new (count, assay_rows_cols (open->secrets), error);
  if (protected->secrets == NULL)
    return FALSE;
  assay_rows_gather (open->secrets, chosen, count, ASSAY_SCALE_NONE, protected->secrets->data);
  if (open->groups != NULL) {
    protected->groups = g_new (gint64, count);
    for (gsize i = 0; i < count; i++)
      protected->groups[i] = open->groups[chosen[i]];
  }
  return TRUE;
}

static gboolean
ensure_secrets (AssayWorkspace *workspace, const AssayCell *cell, gboolean is_tuning,
                Protected *protected, GError **error)
{
  const AssayPlan *plan = workspace->plan;
  const guint trial = is_tuning ? 0 : cell->trial;
  gsize first;
  const char *ignored;

  if (!assay_workspace_dataset (workspace, cell->dataset, &ignored, error))
    return FALSE;
  if (protected->dataset == cell->dataset && protected->trial == trial)
    return TRUE;
  drop_secrets (protected);
  first = is_tuning ? workspace->tuning_first : trial * plan->secrets;
  if (!take_secrets (workspace, first, is_tuning ? plan->tune_secrets : plan->secrets, protected,
                     error))
    return FALSE;
  protected->dataset = cell->dataset;
  protected->trial = trial;
  return TRUE;
}

/* Makes the release, or remembers why there is none: every attack on it fails for that reason. */
static gboolean
ensure_release (AssayWorkspace *workspace, const AssayCell *cell, gboolean is_tuning,
                Protected *protected, GError **error)
{
  const AssayPart *part = assay_plan_part (workspace->plan->defenses, cell->defense);

  if (!ensure_secrets (workspace, cell, is_tuning, protected, error))
    return FALSE;
  if (protected->defense != cell->defense) {
    const AssayCell first_trial = { .dataset = cell->dataset, .defense = cell->defense };
    const AssayStreamKey stream
        = is_tuning ? assay_plan_stream (workspace->plan, &first_trial, "tune-defense", NULL)
                    : assay_plan_stream (workspace->plan, cell, "defense", NULL);

    drop_release (protected);
    protected->defense = cell->defense;
    assay_step_protect ((const AssayDefense *) part->plugin, part->settings, stream,
                        assay_matrix_view (protected->secrets), protected->groups,
                        workspace->open.database, &protected->release, &protected->truth,
                        &protected->error);
  }
  if (protected->error == NULL)
    return TRUE;
  if (error != NULL)
    *error = g_error_copy (protected->error);
  return FALSE;
}

static gboolean
work_on (AssayWorkspace *workspace, const AssayCell *cell, gboolean is_tuning, AssayJob *ret_job,
         GError **error)
{
  Protected *protected = is_tuning ? &workspace->tuning : &workspace->cell;

  if (!ensure_release (workspace, cell, is_tuning, protected, error))
    return FALSE;
  *ret_job = (AssayJob){ .knowledge = &workspace->knowledge,
                           .groups = protected->groups,
                           .release = protected->release,
                           .truth = protected->truth };
  return TRUE;
}

gboolean
assay_workspace_cell (AssayWorkspace *workspace, const AssayCell *cell, AssayJob *ret_job,
                      GError **error)
{
  return work_on (workspace, cell, FALSE, ret_job, error);
}

gboolean
assay_workspace_tuning (AssayWorkspace *workspace, const AssayCell *cell, AssayJob *ret_job,
                        GError **error)
{
  return work_on (workspace, cell, TRUE, ret_job, error);
}

gboolean
assay_workspace_groups (AssayWorkspace *workspace, const AssayCell *cell,
                        const gint64 **ret_groups, gsize *ret_n, GError **error)
{
  if (!ensure_secrets (workspace, cell, FALSE, &workspace->cell, error))
    return FALSE;
  *ret_groups = workspace->cell.groups;
  *ret_n = workspace->cell.secrets->rows;
  return TRUE;
}

void
assay_workspace_end_tuning (AssayWorkspace *workspace)
{
  drop_release (&workspace->tuning);
}
