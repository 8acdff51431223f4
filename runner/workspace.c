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
  gsize *order; /* of the pool */
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

/* The order in which trials, and then tuning, take secrets from the pool. */
static gboolean
draw_order (AssayWorkspace *workspace, GError **error)
{
  const AssayCell cell = { .dataset = workspace->dataset };
  AssayStream stream
      = assay_stream (assay_plan_stream (workspace->plan, &cell, "secrets", NULL), 0);
  const gsize n = assay_rows_count (workspace->open.secrets);

  workspace->order = assay_alloc (n, sizeof (gsize), "order of the secrets", error);
  if (workspace->order == NULL)
    return FALSE;
  assay_stream_permutation (&stream, n, workspace->order);
  return TRUE;
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
  const gsize first = (is_tuning ? plan->trials : trial) * plan->secrets;
  const char *ignored;

  if (!assay_workspace_dataset (workspace, cell->dataset, &ignored, error))
    return FALSE;
  if (protected->dataset == cell->dataset && protected->trial == trial)
    return TRUE;
  drop_secrets (protected);
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
    const AssayStreamKey stream = assay_plan_stream (
        workspace->plan, cell, is_tuning ? "tune-defense" : "defense", NULL);

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
