/* What the cells of a run share. */
#include "runner/workspace.h"

#include <string.h>

#include "runner/pairing.h"

#define NOTHING G_MAXUINT

/* Secrets drawn from the pool and what a defense made of them. */
typedef struct {
  guint dataset, trial, defense; /* what it belongs to; NOTHING: not made */
  AssayMatrix *secrets;
  gint64 *groups;
  gint64 *labels;
  gint64 *label_sets;
  gint64 *counterparts;
  float *frames;
  AssayRelease *release;
  AssayTruth *truth;
  GPtrArray *repeats; /* further releases; as many as were asked for so far */
  GError *error;      /* why there is no release */
} Protected;

struct _AssayWorkspace {
  const AssayPlan *plan;
  guint dataset; /* the open one */
  AssayDataset open;
  AssayKnowledge knowledge;
  gsize *order;  /* of the pool: first what is measured, then what is tuned on */
  gsize *starts; /* where in it the secrets of each trial begin, and those of the last one end */
  gsize tuning_first; /* where the secrets for tuning begin */
  Protected cell;
  Protected tuning;
  GPtrArray *granted; /* of the repeats, those that the attack at hand wants */
};

static void
drop_release (Protected *protected)
{
  g_clear_pointer (&protected->release, assay_release_free);
  g_clear_pointer (&protected->truth, assay_truth_free);
  g_clear_pointer (&protected->repeats, g_ptr_array_unref);
  g_clear_error (&protected->error);
  protected->defense = NOTHING;
}

static void
drop_secrets (Protected *protected)
{
  drop_release (protected);
  g_clear_pointer (&protected->secrets, assay_matrix_free);
  g_clear_pointer (&protected->groups, g_free);
  g_clear_pointer (&protected->labels, g_free);
  g_clear_pointer (&protected->label_sets, g_free);
  g_clear_pointer (&protected->counterparts, g_free);
  g_clear_pointer (&protected->frames, g_free);
  protected->dataset = protected->trial = NOTHING;
}

static void
drop_dataset (AssayWorkspace *workspace)
{
  drop_secrets (&workspace->cell);
  drop_secrets (&workspace->tuning);
  assay_dataset_clear (&workspace->open);
  g_clear_pointer (&workspace->order, g_free);
  g_clear_pointer (&workspace->starts, g_free);
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
  g_clear_pointer (&workspace->granted, g_ptr_array_unref);
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

/* Moves the secrets of the groups for tuning to the end of the order, and says how many groups. */
static guint
set_groups_apart (AssayWorkspace *workspace, AssayStreamKey key)
{
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
  return g_hash_table_size (chosen);
}

/* Whole groups one after the other: the order of the rows becomes one of the groups, each as likely
 * as any other, with the rows of a group in the order of the pool. */
static void
order_by_groups (AssayWorkspace *workspace, AssayStreamKey key)
{
  const AssayDataset *open = &workspace->open;
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

    memcpy (workspace->order + next, members->data, members->len * sizeof (gsize));
    next += members->len;
  }
}

/* Where the trials begin. FALSE where there are too few secrets, or groups of them. */
static gboolean
divide_trials (AssayWorkspace *workspace)
{
  const AssayPlan *plan = workspace->plan;
  const gint64 *groups = workspace->open.groups;
  const gsize end = workspace->tuning_first;
  gsize at = 0;

  workspace->starts = g_new0 (gsize, plan->trials + 1);
  for (guint64 t = 0; t < plan->trials; t++) {
    for (guint64 g = 0; g < plan->secret_groups; g++) {
      const gsize first = at;

      while (at < end && groups[workspace->order[at]] == groups[workspace->order[first]])
        at++;
      if (at == first)
        return FALSE;
    }
    at += plan->secrets;
    workspace->starts[t + 1] = at;
  }
  return at <= end;
}

static gboolean
check_measured (AssayWorkspace *workspace, guint n_apart, GError **error)
{
  const AssayPlan *plan = workspace->plan;
  const gboolean takes_groups = plan->secret_groups > 0;

  return divide_trials (workspace)
         || assay_fail (error, ASSAY_ERROR_SCENARIO,
                        "%u of the groups that secrets come in are set apart for tuning, which "
                        "leaves %" G_GSIZE_FORMAT " secrets of other groups, but %" G_GUINT64_FORMAT
                        "%s are to be measured; expected fewer %s, trials or tune_secrets",
                        n_apart, workspace->tuning_first,
                        plan->trials * (plan->secrets + plan->secret_groups),
                        takes_groups ? " whole groups" : "", takes_groups ? "groups" : "secrets");
}

/* Tuning takes the first of the secrets set apart: of every group some, not one group alone. */
static void
mix_tuning (AssayWorkspace *workspace, AssayStreamKey key)
{
  const gsize first = workspace->tuning_first;
  const gsize n = assay_rows_count (workspace->open.secrets) - first;
  AssayStream stream = assay_stream (key, 3);
  g_autofree gsize *tail = g_memdup2 (workspace->order + first, n * sizeof (gsize));
  g_autofree gsize *places = g_new (gsize, n + 1);

  assay_stream_permutation (&stream, n, places);
  for (gsize i = 0; i < n; i++)
    workspace->order[first + i] = tail[places[i]];
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
  const gboolean has_groups = workspace->open.groups != NULL;
  guint n_apart = 0;

  workspace->order = assay_alloc (n, sizeof (gsize), "order of the secrets", error);
  if (workspace->order == NULL)
    return FALSE;
  if (assay_plan_keeps_order (plan, workspace->dataset))
    for (gsize i = 0; i < n; i++)
      workspace->order[i] = i;
  else if (plan->secret_groups > 0)
    order_by_groups (workspace, key);
  else
    assay_stream_permutation (&stream, n, workspace->order);
  workspace->tuning_first = has_groups || plan->tune_secrets == 0 ? n : n - plan->tune_secrets;
  if (has_groups && plan->tune_secrets > 0)
    n_apart = set_groups_apart (workspace, key);
  if (plan->secret_groups > 0)
    mix_tuning (workspace, key);
  if (!check_measured (workspace, n_apart, error))
    return FALSE;
  /* Independent secrets for tuning follow those that are measured, however many there are. */
  if (!has_groups)
    workspace->tuning_first = workspace->starts[plan->trials];
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
        || !assay_plan_check_pool (plan, assay_rows_count (workspace->open.secrets),
                                   workspace->open.n_groups, error)) {
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

static gint64 *
gather_numbers (const gint64 *values, const gsize *index, gsize count)
{
  gint64 *gathered = values != NULL ? g_new (gint64, count) : NULL;

  for (gsize i = 0; values != NULL && i < count; i++)
    gathered[i] = values[index[i]];
  return gathered;
}

/* Takes @count secrets from place @first of the pool's order. */
static gboolean
take_secrets (AssayWorkspace *workspace, gsize first, gsize count, Protected *protected,
              GError **error)
{
  const AssayDataset *open = &workspace->open;
  const AssayArray *labels = open->secret_data.labels, *frames = open->secret_data.frames;
  const AssayArray *sets = open->secret_data.label_sets;
  const gsize *chosen = workspace->order + first;

  protected->secrets = assay_matrix_new (count, assay_rows_cols (open->secrets), error);
  if (protected->secrets == NULL)
    return FALSE;
  assay_rows_gather (open->secrets, chosen, count, ASSAY_SCALE_NONE, protected->secrets->data);
  protected->groups = gather_numbers (open->groups, chosen, count);
  protected->labels
      = gather_numbers (labels != NULL ? assay_array_int64 (labels) : NULL, chosen, count);
  protected->label_sets
      = gather_numbers (sets != NULL ? assay_array_int64 (sets) : NULL, chosen, count);
  protected->counterparts = gather_numbers (open->counterparts, chosen, count);
  if (frames != NULL) {
    const AssayView all = assay_array_view (frames);

    protected->frames = g_new (float, count *all.cols);
    for (gsize i = 0; i < count; i++)
      memcpy (protected->frames + i * all.cols, assay_view_row (all, chosen[i]),
              all.cols * sizeof (float));
  }
  return TRUE;
}

static gboolean
ensure_secrets (AssayWorkspace *workspace, const AssayCell *cell, gboolean is_tuning,
                Protected *protected, GError **error)
{
  const AssayPlan *plan = workspace->plan;
  const guint trial = is_tuning ? 0 : cell->trial;
  gsize first, count;
  const char *ignored;

  if (!assay_workspace_dataset (workspace, cell->dataset, &ignored, error))
    return FALSE;
  if (protected->dataset == cell->dataset && protected->trial == trial)
    return TRUE;
  drop_secrets (protected);
  first = is_tuning ? workspace->tuning_first : workspace->starts[trial];
  count = is_tuning ? MIN (plan->tune_secrets, assay_rows_count (workspace->open.secrets) - first)
                    : workspace->starts[trial + 1] - first;
  if (!take_secrets (workspace, first, count, protected, error))
    return FALSE;
  protected->dataset = cell->dataset;
  protected->trial = trial;
  return TRUE;
}

static AssayPlace
place_of (const AssayWorkspace *workspace, const AssayCell *cell, gboolean is_tuning, gsize repeat)
{
  const AssayPlan *plan = workspace->plan;

  return (AssayPlace){ .folders = (const char *const *) plan->folders,
                       .trial = is_tuning ? 0 : cell->trial,
                       .repeat = repeat,
                       .defense = assay_plan_part (plan->defenses, cell->defense)->name,
                       .is_tuning = is_tuning };
}

static AssaySecrets
secrets_of (const AssayWorkspace *workspace, const Protected *protected)
{
  return (AssaySecrets){ .rows = assay_matrix_view (protected->secrets),
                         .groups = protected->groups,
                         .labels = protected->labels,
                         .label_sets = protected->label_sets,
                         .counterparts = protected->counterparts,
                         .frames = protected->frames,
                         .n_classes = workspace->open.n_classes,
                         .geometry = workspace->open.geometry };
}

/* One release of the secrets; @repeat 0 is the one that cells attack. */
static gboolean
protect (AssayWorkspace *workspace, const AssayCell *cell, gboolean is_tuning, gsize repeat,
         const Protected *protected, AssayRelease **ret_release, AssayTruth **ret_truth,
         GError **error)
{
  const AssayPlan *plan = workspace->plan;
  const AssayPart *part = assay_plan_part (plan->defenses, cell->defense);
  AssaySecrets secrets = secrets_of (workspace, protected);
  AssayCell keyed = *cell;
  g_autofree char *common = g_strdup_printf ("%sdefense", is_tuning ? "tune-" : "");
  g_autofree char *role = NULL;

  secrets.place = place_of (workspace, cell, is_tuning, repeat);
  if (is_tuning)
    keyed.trial = 0;
  role = g_strdup_printf (repeat > 0 ? "%sdefense-repeat-%" G_GSIZE_FORMAT : "%sdefense",
                          is_tuning ? "tune-" : "", repeat);
  return assay_step_protect ((const AssayDefense *) part->plugin, part->settings,
                             assay_plan_stream (plan, &keyed, role, NULL),
                             assay_plan_stream (plan, &keyed, common, NULL), &secrets,
                             &workspace->knowledge, ret_release, ret_truth, error);
}

/* Makes the release, or remembers why there is none: every attack on it fails for that reason. */
static gboolean
ensure_release (AssayWorkspace *workspace, const AssayCell *cell, gboolean is_tuning,
                Protected *protected, GError **error)
{
  if (!ensure_secrets (workspace, cell, is_tuning, protected, error))
    return FALSE;
  if (protected->defense != cell->defense) {
    drop_release (protected);
    protected->defense = cell->defense;
    protect (workspace, cell, is_tuning, 0, protected, &protected->release, &protected->truth,
             &protected->error);
  }
  if (protected->error == NULL)
    return TRUE;
  if (error != NULL)
    *error = g_error_copy (protected->error);
  return FALSE;
}

/* The first @count further releases of the same secrets. */
static gboolean
ensure_repeats (AssayWorkspace *workspace, const AssayCell *cell, gboolean is_tuning, gsize count,
                Protected *protected, GError **error)
{
  if (protected->repeats == NULL)
  protected->repeats = g_ptr_array_new_with_free_func ((GDestroyNotify) assay_release_free);
  while (protected->repeats->len < count) {
    AssayRelease *release = NULL;
    g_autoptr (AssayTruth) truth = NULL;

    if (!protect (workspace, cell, is_tuning, protected->repeats->len + 1, protected, &release,
                  &truth, error))
      return FALSE;
    g_ptr_array_add (protected->repeats, release);
  }
  return TRUE;
}

static gboolean
work_on (AssayWorkspace *workspace, const AssayCell *cell, gboolean is_tuning, AssayJob *ret_job,
         GError **error)
{
  Protected *protected = is_tuning ? &workspace->tuning : &workspace->cell;

  if (!ensure_release (workspace, cell, is_tuning, protected, error))
    return FALSE;
  *ret_job = (AssayJob){ .knowledge = &workspace->knowledge,
                         .dataset = &workspace->open,
                         .groups = assay_truth_released_groups (protected->truth),
                         .release = protected->release,
                         .truth = protected->truth };
  return TRUE;
}

gboolean
assay_workspace_grant (AssayWorkspace *workspace, const AssayCell *cell,
                       const AssaySettings *settings, gboolean is_tuning, AssayGranted *ret_granted,
                       GError **error)
{
  const AssayPart *part = assay_plan_part (workspace->plan->attacks, cell->attack);
  const AssayAttack *attack = (const AssayAttack *) part->plugin;
  const gsize n_repeats = attack->repeats != NULL && (part->grants & ASSAY_GRANT_REPEATS)
                              ? attack->repeats (settings->values)
                              : 0;
  Protected *protected = is_tuning ? &workspace->tuning : &workspace->cell;

  if (!ensure_repeats (workspace, cell, is_tuning, n_repeats, protected, error))
    return FALSE;
  g_clear_pointer (&workspace->granted, g_ptr_array_unref);
  workspace->granted = g_ptr_array_new ();
  for (gsize r = 0; r < n_repeats; r++)
    g_ptr_array_add (workspace->granted, protected->repeats->pdata[r]);
  *ret_granted = (AssayGranted){ .grants = part->grants,
                                 .knowledge = &workspace->knowledge,
                                 .groups = assay_truth_released_groups (protected->truth),
                                 .repeats = workspace->granted,
                                 .place = place_of (workspace, cell, is_tuning, 0) };
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
assay_workspace_groups (AssayWorkspace *workspace, const AssayCell *cell, const gint64 **ret_groups,
                        gsize *ret_n, GError **error)
{
  if (!ensure_secrets (workspace, cell, FALSE, &workspace->cell, error))
    return FALSE;
  *ret_groups = workspace->cell.groups;
  *ret_n = workspace->cell.secrets->rows;
  return TRUE;
}

gboolean
assay_workspace_secrets (AssayWorkspace *workspace, const AssayCell *cell,
                         AssaySecrets *ret_secrets, GError **error)
{
  if (!ensure_secrets (workspace, cell, FALSE, &workspace->cell, error))
    return FALSE;
  *ret_secrets = secrets_of (workspace, &workspace->cell);
  return TRUE;
}

void
assay_workspace_end_tuning (AssayWorkspace *workspace)
{
  drop_release (&workspace->tuning);
}
