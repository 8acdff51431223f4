/* What the cells of a run share. */
#include "runner/run/workspace.h"

#include <string.h>

#include "core/base/shared-work.h"
#include "core/data/formats/label-sets.h"
#include "core/graph/edge-array.h"
#include "runner/plan/order.h"
#include "runner/plan/pairing.h"
#include "runner/run/records.h"

#define NOTHING G_MAXUINT

/* Secrets drawn from the pool, and what was made of them. */
typedef struct {
  gboolean is_tuning;
  guint dataset, trial; /* what it belongs to; NOTHING: not drawn */
  AssayMatrix *rows;
  AssaySecrets secrets; /* those rows, and what is known of them */
  GPtrArray *known;     /* arrays of it */
  AssayArray *edges;    /* between them; NULL: there is no graph */
  guint defense;     /* whose release is held, or was last; NOTHING: none */
  gsize known_rows;  /* public rows that were protected among the secrets */
  AssayShared *held; /* the release, as Made; others may drop it when we let go. NULL: none */
} Protected;

struct _AssayWorkspace {
  const AssayPlan *plan;
  guint64 owner;      /* of releases */
  guint64 data_owner; /* of open datasets */
  guint dataset; /* the open one */
  AssayShared *held; /* keeps the open dataset in memory */
  AssayDataset open; /* borrowed from it */
  AssayKnowledge knowledge;
  AssayOrder order;  /* of its pool */
  AssayUnits *units; /* of what is drawn from it; NULL: not looked for yet */
  Protected cell;
  Protected tuning;
  GPtrArray *granted;  /* of the repeats, those that the attack at hand wants */
  AssayShadow *shadow; /* that it may run */
};

static Made *
made_of (const Protected *protected)
{
  return assay_shared_value (protected->held);
}

static char *
release_name (const Protected *protected, guint defense)
{
  return g_strdup_printf ("%s %u %u %u %zu", protected->is_tuning ? "tuning" : "cell",
                          protected->dataset, protected->trial, defense, protected->known_rows);
}

/* Cells come release by release: the one before is not asked for again, and does not wait for its
 * place to be wanted. */
static void
drop_release (AssayWorkspace *workspace, Protected *protected)
{
  g_autofree char *name = release_name (protected, protected->defense);

  g_clear_pointer (&workspace->shadow, assay_shadow_free);
  g_clear_pointer (&protected->held, assay_shared_release);
  if (protected->defense != NOTHING)
    assay_shared_forget (workspace->owner, name);
  protected->defense = NOTHING;
}

static void
drop_secrets (AssayWorkspace *workspace, Protected *protected)
{
  drop_release (workspace, protected);
  g_clear_pointer (&protected->rows, assay_matrix_free);
  g_clear_pointer (&protected->known, g_ptr_array_unref);
  g_clear_pointer (&protected->edges, assay_array_free);
  protected->dataset = protected->trial = NOTHING;
}

static void
drop_dataset (AssayWorkspace *workspace)
{
  drop_secrets (workspace, &workspace->cell);
  drop_secrets (workspace, &workspace->tuning);
  workspace->open = (AssayDataset){ 0 };
  g_clear_pointer (&workspace->held, assay_shared_release);
  assay_order_clear (&workspace->order);
  g_clear_pointer (&workspace->units, assay_units_free);
  workspace->dataset = NOTHING;
}

AssayWorkspace *
assay_workspace_new (const AssayPlan *plan)
{
  AssayWorkspace *workspace = g_new0 (AssayWorkspace, 1);

  workspace->plan = plan;
  workspace->owner = workspace->data_owner = assay_shared_owner ();
  workspace->tuning.is_tuning = TRUE;
  workspace->cell.defense = workspace->tuning.defense = NOTHING;
  drop_dataset (workspace);
  return workspace;
}

void
assay_workspace_share_data (AssayWorkspace *workspace, guint64 owner)
{
  workspace->data_owner = owner;
}

ASSAY_FREE_FUNC (AssayWorkspace, assay_workspace_free, drop_dataset (self),
                 assay_shared_forget_all (self->owner),
                 assay_drop (self->granted, g_ptr_array_unref),
                 assay_drop (self->shadow, assay_shadow_free))

static void
dataset_free (gpointer data)
{
  assay_dataset_clear (data);
  g_free (data);
}

/* Everything that opening a dataset depends on. */
static char *
dataset_name (const AssayComponent *component, const AssayDatasetContext *context)
{
  g_autofree char *settings = assay_settings_canonical (component->settings);
  g_autofree char *folders = context->folders != NULL
                                 ? g_strjoinv ("\n", (char **) context->folders)
                                 : g_strdup ("");

  return g_strdup_printf ("data %s\n%s%08x%08x\n%s", component->plugin->id, settings,
                          context->stream.word[0], context->stream.word[1], folders);
}

/* Opens the dataset, or finds it open. */
static gboolean
hold_dataset (AssayWorkspace *workspace, guint index, GError **error)
{
  const AssayPlan *plan = workspace->plan;
  const AssayComponent *component = assay_plan_component (plan->datasets, index);
  const AssayCell cell = { .dataset = index };
  const AssayDatasetContext context = { .settings = component->settings->values,
                                        .stream = assay_plan_stream (plan, &cell, "data", NULL),
                                        .folders = (const char *const *) plan->folders };
  g_autofree char *name = dataset_name (component, &context);
  AssayDataset *open;

  workspace->held = assay_shared_find (workspace->data_owner, name);
  if (workspace->held == NULL) {
    open = g_new0 (AssayDataset, 1);
    if (!component->dataset->open (&context, open, error)) {
      dataset_free (open);
      return FALSE;
    }
    workspace->held = assay_shared_add (workspace->data_owner, name, open,
                                        plan->probes[index].memory, dataset_free);
  }
  workspace->open = *(const AssayDataset *) assay_shared_value (workspace->held);
  return TRUE;
}

gboolean
assay_workspace_dataset (AssayWorkspace *workspace, guint index, const char **ret_sha256,
                         GError **error)
{
  const AssayPlan *plan = workspace->plan;
  const AssayComponent *component = assay_plan_component (plan->datasets, index);

  if (workspace->dataset != index) {
    drop_dataset (workspace);
    if (!hold_dataset (workspace, index, error)
        || !assay_plan_check_pool (plan, assay_rows_count (workspace->open.secrets),
                                   workspace->open.n_groups, error)) {
      drop_dataset (workspace);
      g_prefix_error (error, "dataset %s: ", component->plugin->id);
      return FALSE;
    }
    workspace->dataset = index;
    workspace->knowledge = assay_knowledge_of (&workspace->open);
    if (!assay_order_draw (plan, index, &workspace->open, &workspace->order, error)) {
      drop_dataset (workspace);
      return FALSE;
    }
  }
  *ret_sha256 = workspace->open.sha256;
  return TRUE;
}

/* The entries @index of @values, which have @size bytes each; NULL of NULL. */
static gconstpointer
gather (Protected *protected, gconstpointer values, gsize size, const gsize *index)
{
  const gsize count = protected->rows->rows;
  guint8 *gathered;

  if (values == NULL)
    return NULL;
  gathered = g_malloc (count * size);
  g_ptr_array_add (protected->known, gathered);
  for (gsize i = 0; i < count; i++)
    memcpy (gathered + i * size, (const guint8 *) values + index[i] * size, size);
  return gathered;
}

static gconstpointer
data_of (const AssayArray *array)
{
  return array != NULL ? array->data : NULL;
}

/* Takes @count secrets from place @first of the pool's order. */
static gboolean
take_secrets (AssayWorkspace *workspace, gsize first, gsize count, Protected *protected,
              GError **error)
{
  const AssayDataset *open = &workspace->open;
  const AssayRoleData *data = &open->secret_data;
  const gsize q = data->attributes != NULL ? data->attributes->shape[1] : 0;
  const gsize words = assay_label_sets_words (data->label_sets);
  const gsize *chosen = workspace->order.rows + first;

  protected->rows = assay_matrix_new (count, assay_rows_cols (open->secrets), error);
  if (protected->rows == NULL)
    return FALSE;
  assay_rows_gather (open->secrets, chosen, count, ASSAY_SCALE_NONE, protected->rows->data);
  protected->known = g_ptr_array_new_with_free_func (g_free);
  protected->secrets = (AssaySecrets){
    .rows = assay_matrix_view (protected->rows),
    .groups = gather (protected, open->groups, sizeof (gint64), chosen),
    .labels = gather (protected, data_of (data->labels), sizeof (gint64), chosen),
    .label_sets = gather (protected, data_of (data->label_sets), words * sizeof (gint64), chosen),
    .label_words = words,
    .attributes = gather (protected, data_of (data->attributes), q * sizeof (gint64), chosen),
    .n_attributes = q,
    .counterparts = gather (protected, open->counterparts, sizeof (gint64), chosen),
    .originals = assay_rows_gathered (data->originals, chosen, count),
    .n_original_cols = data->originals != NULL ? assay_rows_cols (data->originals) : 0,
    .frames = gather (protected, data_of (data->frames), 4 * sizeof (float), chosen),
    .n_classes = open->n_classes,
    .first_cols = open->first_cols,
    .geometry = open->geometry,
  };
  g_ptr_array_add (protected->known, (gpointer) protected->secrets.originals);
  if (open->edges != NULL)
    protected->edges = assay_edge_array_among (open->edges, assay_rows_count (open->secrets),
                                               chosen, count, error);
  protected->secrets.edges = protected->edges;
  return open->edges == NULL || protected->edges != NULL;
}

static gboolean
ensure_secrets (AssayWorkspace *workspace, const AssayCell *cell, Protected *protected,
                GError **error)
{
  const AssayPlan *plan = workspace->plan;
  const gboolean is_tuning = protected->is_tuning;
  const guint trial = is_tuning ? 0 : cell->trial;
  gsize first, count;
  const char *ignored;

  if (!assay_workspace_dataset (workspace, cell->dataset, &ignored, error))
    return FALSE;
  if (protected->dataset == cell->dataset && protected->trial == trial)
    return TRUE;
  drop_secrets (workspace, protected);
  first = is_tuning ? workspace->order.tuning_first : assay_order_first (&workspace->order, trial);
  count = is_tuning ? MIN (plan->tune_secrets, assay_rows_count (workspace->open.secrets) - first)
                    : assay_order_count (&workspace->order, trial);
  if (!take_secrets (workspace, first, count, protected, error))
    return FALSE;
  protected->dataset = cell->dataset;
  protected->trial = trial;
  return TRUE;
}

static AssayReleaseTerms
terms_of (const AssayWorkspace *workspace, const AssayCell *cell, const Protected *protected)
{
  return (AssayReleaseTerms){ .plan = workspace->plan,
                              .cell = cell,
                              .is_tuning = protected->is_tuning,
                              .known = protected->known_rows,
                              .dataset = &workspace->open,
                              .order = &workspace->order,
                              .secrets = &protected->secrets,
                              .knowledge = &workspace->knowledge };
}

static AssayShared *
make_release (AssayWorkspace *workspace, const AssayCell *cell, const Protected *protected,
              const char *name)
{
  const AssayReleaseTerms terms = terms_of (workspace, cell, protected);
  const gint64 began = g_get_monotonic_time ();
  Made *made = g_new0 (Made, 1);

  made_protect (&terms, 0, made, &made->error);
  made->seconds = (double) (g_get_monotonic_time () - began) / G_USEC_PER_SEC;
  return assay_shared_add (workspace->owner, name, made, made_bytes (made), made_free);
}

/* Makes the release, or remembers why there is none: every attack on it fails for that reason. */
static gboolean
ensure_release (AssayWorkspace *workspace, const AssayCell *cell, Protected *protected,
                GError **error)
{
  const gsize known_rows = cell->attack != ASSAY_NO_COMPONENT
                               ? assay_plan_attack (workspace->plan, cell)->own.known
                               : 0;

  if (!ensure_secrets (workspace, cell, protected, error))
    return FALSE;
  if (protected->defense != cell->defense || protected->known_rows != known_rows)
    drop_release (workspace, protected);
  protected->known_rows = known_rows;
  if (protected->held != NULL) {
    assay_shared_touch (protected->held);
  } else {
    g_autofree char *name = release_name (protected, cell->defense);

    protected->defense = cell->defense;
    protected->held = assay_shared_find (workspace->owner, name);
    if (protected->held == NULL)
      protected->held = make_release (workspace, cell, protected, name);
  }
  if (made_of (protected)->error == NULL)
    return TRUE;
  if (error != NULL)
    *error = g_error_copy (made_of (protected)->error);
  return FALSE;
}

/* The first @count further releases of the same secrets. */
static gboolean
ensure_repeats (AssayWorkspace *workspace, const AssayCell *cell, gsize count, Protected *protected,
                GError **error)
{
  const AssayReleaseTerms terms = terms_of (workspace, cell, protected);
  Made *made = made_of (protected);

  if (made->repeats == NULL)
    made->repeats = g_ptr_array_new_with_free_func ((GDestroyNotify) assay_release_free);
  while (made->repeats->len < count) {
    Made one = { 0 };

    if (!made_protect (&terms, made->repeats->len + 1, &one, error))
      return FALSE;
    assay_truth_free (one.truth);
    assay_own_release_free (one.known);
    g_ptr_array_add (made->repeats, one.release);
    assay_shared_resize (protected->held, made_bytes (made));
  }
  return TRUE;
}

/* The release that @cell attacks, or the one that its settings are tuned on. */
static gboolean
job_of (AssayWorkspace *workspace, const AssayCell *cell, gboolean is_tuning, AssayJob *ret_job,
        GError **error)
{
  Protected *protected = is_tuning ? &workspace->tuning : &workspace->cell;
  const Made *made;

  if (!ensure_release (workspace, cell, protected, error))
    return FALSE;
  made = made_of (protected);
  *ret_job = (AssayJob){ .knowledge = &workspace->knowledge,
                         .dataset = &workspace->open,
                         .groups = assay_truth_released_groups (made->truth),
                         .release = made->release,
                         .truth = made->truth };
  return TRUE;
}

/* What the attacker learns from, beside the release at hand. */
static gboolean
grant_own (AssayWorkspace *workspace, const AssayReleaseTerms *terms, Protected *protected,
           AssayGranted *granted, GError **error)
{
  Made *made = made_of (protected);
  const AssayOwnGrant own = { .terms = terms,
                              .release = made->release,
                              .truth = made->truth,
                              .known = made->known,
                              .records = &made->record_data };

  g_clear_pointer (&workspace->shadow, assay_shadow_free);
  if (made->own == NULL)
    made->own = assay_own_store_new ();
  if (!assay_own_store_grant (made->own, &own, &workspace->shadow, &granted->pairs, error))
    return FALSE;
  granted->shadow = workspace->shadow;
  assay_shared_resize (protected->held, made_bytes (made));
  return TRUE;
}

gboolean
assay_workspace_grant (AssayWorkspace *workspace, const AssayCell *cell,
                       const AssaySettings *settings, gboolean is_tuning, AssayGranted *ret_granted,
                       GError **error)
{
  const AssayComponent *component = assay_plan_attack (workspace->plan, cell);
  const gsize n_repeats = assay_component_repeats (component, settings);
  Protected *protected = is_tuning ? &workspace->tuning : &workspace->cell;
  const AssayReleaseTerms terms = terms_of (workspace, cell, protected);
  Made *made = made_of (protected);

  if (!ensure_repeats (workspace, cell, n_repeats, protected, error))
    return FALSE;
  g_clear_pointer (&workspace->granted, g_ptr_array_unref);
  workspace->granted = g_ptr_array_new ();
  for (gsize r = 0; r < n_repeats; r++)
    g_ptr_array_add (workspace->granted, made->repeats->pdata[r]);
  *ret_granted
      = (AssayGranted){ .grants = component->grants,
                        .release = made->release,
                        .knowledge = &workspace->knowledge,
                        .groups = assay_truth_released_groups (made->truth),
                        .repeats = workspace->granted,
                        .truth = made->truth,
                        .attribute_names = (const char *const *) workspace->open.attribute_names,
                        .position = assay_release_terms_position (&terms, 0) };
  return assay_records_grant (&terms, made, ret_granted, error)
         && assay_crossed_grant (&terms, made, &ret_granted->crossed, error)
         && grant_own (workspace, &terms, protected, ret_granted, error);
}

gboolean
assay_workspace_cell (AssayWorkspace *workspace, const AssayCell *cell, AssayJob *ret_job,
                      GError **error)
{
  return job_of (workspace, cell, FALSE, ret_job, error);
}

gboolean
assay_workspace_replay (AssayWorkspace *workspace, const AssayCell *cell, double most_seconds,
                        gboolean *ret_is_same, GError **error)
{
  Protected *protected = &workspace->cell;
  AssayReleaseTerms terms;
  gboolean is_ok;
  Made *again;

  if (!ensure_release (workspace, cell, protected, error))
    return FALSE;
  *ret_is_same = TRUE;
  if (made_of (protected)->seconds > most_seconds)
    return TRUE;
  terms = terms_of (workspace, cell, protected);
  again = g_new0 (Made, 1);
  is_ok = made_protect (&terms, 0, again, error);
  if (is_ok)
    *ret_is_same = made_equals (made_of (protected)->release, again->release);
  made_free (again);
  return is_ok;
}

gboolean
assay_workspace_tuning (AssayWorkspace *workspace, const AssayCell *cell, AssayJob *ret_job,
                        GError **error)
{
  return job_of (workspace, cell, TRUE, ret_job, error);
}

gboolean
assay_workspace_secrets (AssayWorkspace *workspace, const AssayCell *cell,
                         AssaySecrets *ret_secrets, GError **error)
{
  if (!ensure_secrets (workspace, cell, &workspace->cell, error))
    return FALSE;
  *ret_secrets = workspace->cell.secrets;
  return TRUE;
}

gboolean
assay_workspace_units (AssayWorkspace *workspace, const AssayCell *cell,
                       const AssayUnits **ret_units, gsize *ret_first, GError **error)
{
  const char *ignored;

  if (!assay_workspace_dataset (workspace, cell->dataset, &ignored, error))
    return FALSE;
  if (workspace->units == NULL)
    workspace->units = assay_run_find_units (workspace->plan, cell->dataset, &workspace->open,
                                             &workspace->order, error);
  *ret_units = workspace->units;
  *ret_first = assay_order_first (&workspace->order, cell->trial);
  return workspace->units != NULL;
}

void
assay_workspace_end_tuning (AssayWorkspace *workspace)
{
  g_clear_pointer (&workspace->tuning.held, assay_shared_release);
}
