/* Cells whose attack plays with the defense's mechanism. */
#include "runner/run/audit.h"

#include "core/base/text.h"
#include "core/games/one-run.h"

void
assay_audit_record_free (AssayAuditRecord *record)
{
  if (record == NULL)
    return;
  g_free (record->says);
  g_free (record);
}

char *
assay_audit_why_not (const AssayPart *part, const AssayPart *defense_part)
{
  const AssayAttack *attack = (const AssayAttack *) part->plugin;
  const AssayDefense *defense = (const AssayDefense *) defense_part->plugin;
  const AssayMechanism *mechanism
      = assay_defense_mechanism (defense, defense_part->settings->values);
  const char *reason = NULL;

  if (attack->game == ASSAY_GAME_RECONSTRUCT)
    return NULL;
  if (mechanism == NULL && defense->mechanism == NULL && defense->claim != NULL)
    return g_strdup_printf ("attack '%s' tests a formal claim by running the mechanism, and "
                            "defense '%s' offers none to run",
                            attack->id, defense->id);
  if (mechanism == NULL)
    return g_strdup_printf ("attack '%s' tests a formal claim, and defense '%s' makes none%s",
                            attack->id, defense->id,
                            defense->mechanism != NULL ? " (setting epsilon)" : "");
  if (attack->game == ASSAY_GAME_ONE_RUN && mechanism->canaries == NULL)
    return g_strdup_printf ("attack '%s' needs a defense that acts on a whole dataset, and '%s' "
                            "protects each secret for itself",
                            attack->id, defense->id);
  if (attack->why_not != NULL)
    reason = attack->why_not (part->settings->values, mechanism);
  return reason == NULL ? NULL
                        : g_strdup_printf ("attack '%s': %s, and defense '%s' does not",
                                           attack->id, reason, defense->id);
}

AssayOracle
assay_plan_oracle (const AssayPlan *plan, const AssayCell *cell)
{
  const AssayPart *defense = assay_plan_part (plan->defenses, cell->defense);
  const AssayPart *attack = assay_plan_part (plan->attacks, cell->attack);
  const AssayAttack *plugin = (const AssayAttack *) attack->plugin;

  return assay_oracle (((const AssayDefense *) defense->plugin)->mechanism,
                       defense->settings->values, plan->probes[cell->dataset].cols,
                       assay_plan_stream (plan, cell, "runs", NULL),
                       plugin->delta != NULL ? plugin->delta (attack->settings->values) : -1);
}

gboolean
assay_audit_check (const AssayPlan *plan, const AssayCell *cell, GError **error)
{
  const AssayPart *defense = assay_plan_part (plan->defenses, cell->defense);
  const AssayPart *part = assay_plan_part (plan->attacks, cell->attack);
  const AssayAttack *attack = (const AssayAttack *) part->plugin;
  const AssayOracle oracle = assay_plan_oracle (plan, cell);
  g_autofree char *delta = assay_text_number (oracle.delta);

  if (oracle.mechanism->canaries == NULL && !oracle.mechanism->has_own_inputs
      && oracle.n_inputs != oracle.cols)
    return assay_fail (error, ASSAY_ERROR_MISMATCH,
                       "defense '%s' protects secrets of %" G_GSIZE_FORMAT
                       " columns, but the dataset has %" G_GSIZE_FORMAT,
                       defense->label, oracle.n_inputs, oracle.cols);
  if (attack->game == ASSAY_GAME_ONE_RUN) {
    const gsize available = oracle.mechanism->max_canaries (oracle.settings, oracle.cols);
    gsize canaries, guesses;

    attack->one_run_sizes (part->settings->values, &canaries, &guesses);
    if (canaries > available)
      return assay_fail (error, ASSAY_ERROR_MISMATCH,
                         "wants %" G_GSIZE_FORMAT " canaries, but defense '%s' has room for %"
                         G_GSIZE_FORMAT,
                         canaries, defense->label, available);
  }
  if (oracle.delta == 0 || oracle.claimed.delta > 0)
    return TRUE;
  return assay_fail (error, ASSAY_ERROR_PARAMETER,
                     "delta = %s, but defense '%s' claims pure epsilon (delta = 0); expected delta "
                     "= claimed",
                     delta, defense->label);
}

/* ---- Playing ---- */

static AssayAuditRecord *
distinguish (const AssayOracle *oracle, const AssayAttack *attack,
             const AssayAttackContext *context, GError **error)
{
  g_autoptr (AssayEvent) event = attack->choose_event (context, oracle, error);
  g_autoptr (AssayAuditRecord) record = NULL;

  if (event == NULL) {
    g_prefix_error (error, "attack %s: ", attack->id);
    return NULL;
  }
  record = g_new0 (AssayAuditRecord, 1);
  if (!assay_distinguish (oracle, event, &record->counts, error))
    return NULL;
  record->pair = event->pair;
  record->is_swapped = event->is_swapped;
  record->trained_on = event->trained_on;
  record->says = g_strdup (event->says);
  return g_steal_pointer (&record);
}

static AssayAuditRecord *
play_one_run (const AssayPlan *plan, const AssayCell *cell, const AssayAttack *attack,
              const AssayAttackContext *context, GError **error)
{
  const AssayPart *defense = assay_plan_part (plan->defenses, cell->defense);
  AssayAudit counts;
  AssayAuditRecord *record;

  if (!assay_one_run (attack, context, (const AssayDefense *) defense->plugin,
                      defense->settings->values, plan->probes[cell->dataset].cols,
                      assay_plan_stream (plan, cell, "canaries", NULL),
                      assay_plan_stream (plan, cell, "defense", NULL), &counts, error))
    return NULL;
  record = g_new0 (AssayAuditRecord, 1);
  record->counts = counts;
  record->says = g_strdup_printf ("%" G_GUINT64_FORMAT " of %" G_GUINT64_FORMAT
                                  " guesses about %" G_GUINT64_FORMAT " canaries right",
                                  counts.hits, counts.runs, counts.mistakes);
  return record;
}

AssayAuditRecord *
assay_audit_cell (const AssayPlan *plan, const AssayCell *cell, const AssaySettings *settings,
                  gboolean (*is_cancelled) (gpointer data), gpointer data, GError **error)
{
  const AssayAttack *attack
      = (const AssayAttack *) assay_plan_part (plan->attacks, cell->attack)->plugin;
  g_autofree char *canonical = assay_settings_canonical (settings);
  const AssayAttackContext context
      = { .settings = settings->values,
          .stream = assay_plan_stream (plan, cell, "attack", canonical) };
  AssayOracle oracle;

  if (attack->game == ASSAY_GAME_ONE_RUN)
    return play_one_run (plan, cell, attack, &context, error);
  oracle = assay_plan_oracle (plan, cell);
  oracle.is_cancelled = is_cancelled;
  oracle.cancel_data = data;
  return distinguish (&oracle, attack, &context, error);
}

/* ---- The store ---- */

static char *
store_key (gsize cell)
{
  return g_strdup_printf ("audit.%" G_GSIZE_FORMAT, cell);
}

gboolean
assay_audit_store (AssayStore *store, gsize cell, const AssayAuditRecord *record, GError **error)
{
  g_autofree char *key = store_key (cell);
  g_autofree char *text = g_strdup_printf ("%u %d %" G_GUINT64_FORMAT " %s", record->pair,
                                           record->is_swapped, record->trained_on, record->says);

  return assay_store_set (store, key, text, error);
}

gboolean
assay_audit_load (AssayStore *store, gsize cell, AssayAuditRecord **ret_record, GError **error)
{
  g_autofree char *key = store_key (cell);
  g_autofree char *text = NULL;
  g_auto (GStrv) words = NULL;
  AssayAuditRecord *record;

  if (!assay_store_get (store, key, &text, error))
    return FALSE;
  *ret_record = NULL;
  words = text != NULL ? g_strsplit (text, " ", 4) : NULL;
  if (words == NULL || g_strv_length (words) != 4)
    return TRUE;
  record = g_new0 (AssayAuditRecord, 1);
  record->pair = (guint) g_ascii_strtoull (words[0], NULL, 10);
  record->is_swapped = g_str_equal (words[1], "1");
  record->trained_on = g_ascii_strtoull (words[2], NULL, 10);
  record->says = g_strdup (words[3]);
  *ret_record = record;
  return TRUE;
}
