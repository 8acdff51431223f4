/* Cells whose attack plays with the defense's mechanism. */
#include "runner/run/audit.h"

#include <math.h>

#include "core/base/each.h"
#include "core/base/error.h"
#include "core/external/child-process.h"
#include "core/games/independence.h"
#include "core/games/leak.h"
#include "core/games/one-run.h"
#include "core/games/single-runs.h"
#include "core/stats/epsilon.h"
#include "runner/plan/claim.h"
#include "runner/plan/fit.h"
#include "runner/store/formula.h"

/* What was tried of what there was to be tried. */
static gboolean
record_pairs (const AssayOracle *oracle, const AssayEvent *event, AssayPairsRecord *ret_pairs,
              GError **error)
{
  char *decisive = assay_oracle_describe_pair (oracle, event->pair, error);

  *ret_pairs = (AssayPairsRecord){ .tried = MAX (event->n_pairs, 1),
                                   .offered = oracle->n_proposed,
                                   .own = oracle->n_own,
                                   .is_trusted = oracle->is_trusted,
                                   .decisive = decisive };
  return decisive != NULL;
}

/* One pair's game: what is asked of it, and what comes of it. */
typedef struct {
  const AssayAudited *audited;
  const AssayAuditor *auditor;
  const AssayAuditContext *context;
  AssayCounted *counted; /* NULL: no claim can have a witness in these runs */
} Playing;

/* Whether the shares alone say more than a claim about the cell allows. */
static gboolean
may_be_violated (const AssayAudited *audited, const AssayAudit *counts)
{
  g_autoptr (GArray) bounds = assay_claims_must_see (audited->plan, audited->cell);
  const double runs = (double) counts->runs;
  const double hit = (double) counts->hits / runs - counts->delta;
  const double mistake = (double) counts->mistakes / runs;

  for (guint i = 0; i < bounds->len; i++)
    if (hit > mistake * exp (g_array_index (bounds, AssayMustSee, i).bound))
      return TRUE;
  return FALSE;
}

/* The runs of the log, which is left without them; without any where none were kept. */
static AssayCounted *
take_counted (const AssayOracle *oracle, const AssayEvent *event, AssayRunLog *log)
{
  const gsize runs = (gsize) event->runs;
  const gsize shape[] = { runs, oracle->n_outputs };
  AssayCounted *counted = g_new0 (AssayCounted, 1);
  guint8 *marks;

  if (log->outputs[0] == NULL)
    return counted;
  marks = g_malloc (2 * runs);
  assay_run_log_mark (log, oracle, event, marks);
  counted->marks = assay_array_take (ASSAY_UINT8, 2, (const gsize[]){ 2, runs }, marks);
  for (guint side = 0; side < 2; side++)
    counted->outputs[side]
        = assay_array_take (oracle->is_double ? ASSAY_FLOAT64 : ASSAY_FLOAT32, 2, shape,
                            g_steal_pointer (&log->outputs[side]));
  /* A plugin's may be more than arithmetic, which no store may hold. */
  if (event->python != NULL && assay_formula_is_plain (event->python))
    counted->python = g_strdup (event->python);
  return counted;
}

/* Tests the event, and keeps what may show it. */
static gboolean
test_event (Playing *playing, const AssayOracle *oracle, const AssayEvent *event, AssayRunLog *log,
            AssayAudit *ret_counts, GError **error)
{
  const gsize stride = assay_oracle_stride (oracle);
  const gboolean is_kept = event->runs <= playing->audited->most_kept / (2 * (stride + 1));

  if ((is_kept && !assay_run_log_keep (log, event->runs, stride, error))
      || !assay_distinguish_logged (oracle, event, log, ret_counts, error))
    return FALSE;
  if (playing->audited->most_kept > 0 && may_be_violated (playing->audited, ret_counts))
    playing->counted = take_counted (oracle, event, log);
  return TRUE;
}

static AssayAuditRecord *
distinguish (Playing *playing, const AssayOracle *oracle, GError **error)
{
  g_autoptr (AssayEvent) event = playing->auditor->choose_event (playing->context, oracle, error);
  g_autoptr (AssayAuditRecord) record = NULL;
  g_autoptr (AssayRunLog) log = NULL;

  if (event == NULL)
    return assay_prefix_null (error, "attack %s: ", playing->auditor->id);
  record = g_new0 (AssayAuditRecord, 1);
  log = assay_run_log_new (event->runs);
  if (!test_event (playing, oracle, event, log, &record->counts, error)
      || !assay_independence_test (oracle, event, log, &record->dependent, &record->draws_own,
                                   error)
      || !record_pairs (oracle, event, &record->pairs, error))
    return NULL;
  record->pair = event->pair;
  record->is_swapped = event->is_swapped;
  record->trained_on = event->trained_on;
  record->says = record->draws_own
                     ? g_strdup_printf ("%s; the program does not draw from its seed alone: "
                                        "no run can be played again",
                                        event->says)
                     : g_strdup (event->says);
  return g_steal_pointer (&record);
}

/* Of a program of which @problem is how it failed on @pair, with a start for each run. NULL with
 * the problem where that tells nothing: all runs fail, or none does by itself. */
static AssayAuditRecord *
distinguish_failures (Playing *playing, const AssayOracle *oracle, guint pair,
                      const GError *problem)
{
  g_autoptr (AssayAuditRecord) record = NULL;
  g_autofree char *says = NULL;
  AssayOracle single;

  if (!assay_single_runs (oracle, pair, assay_child_ran_out_of_time (problem), &single, NULL))
    return NULL;
  g_clear_pointer (&playing->counted, assay_counted_free);
  record = distinguish (playing, &single, NULL);
  if (record == NULL
      || (record->counts.hits == single.single_runs
          && record->counts.mistakes == single.single_runs))
    return NULL;
  says = g_steal_pointer (&record->says);
  record->says = g_strdup_printf ("%s; a start for every run, because a batch failed: %s", says,
                                  problem->message);
  return g_steal_pointer (&record);
}

static AssayAuditRecord *
play_one_run (const AssayPlan *plan, const AssayCell *cell, const AssayAuditor *auditor,
              const AssayAuditContext *context, GError **error)
{
  const AssayComponent *defense = assay_plan_defense (plan, cell);
  const AssayOneRunGame game = { .auditor = auditor,
                                 .context = context,
                                 .defense = defense->defense,
                                 .settings = defense->settings->values,
                                 .cols = plan->probes[cell->dataset].cols,
                                 .coins = assay_plan_stream (plan, cell, "canaries", NULL),
                                 .noise = assay_plan_stream (plan, cell, "defense", NULL) };
  AssayAudit counts;
  AssayAuditRecord *record;

  if (!assay_one_run (&game, &counts, error))
    return NULL;
  record = g_new0 (AssayAuditRecord, 1);
  record->counts = counts;
  record->says = g_strdup_printf ("%" G_GUINT64_FORMAT " of %" G_GUINT64_FORMAT
                                  " guesses about %" G_GUINT64_FORMAT " canaries right",
                                  counts.hits, counts.runs, counts.mistakes);
  return record;
}

static AssayAuditContext
context_of (const AssayAudited *audited)
{
  g_autofree char *canonical = assay_settings_canonical (audited->settings);

  return (AssayAuditContext){
    .settings = audited->settings->values,
    .stream = assay_plan_stream (audited->plan, audited->cell, "attack", canonical),
  };
}

static AssayOracle
oracle_of (const AssayAudited *audited)
{
  AssayOracle oracle = assay_plan_oracle (audited->plan, audited->cell);

  oracle.is_cancelled = audited->is_cancelled;
  oracle.cancel_data = audited->data;
  return oracle;
}

AssayAuditRecord *
assay_audit_cell (const AssayAudited *audited, AssayCounted **ret_counted, GError **error)
{
  const AssayAuditor *auditor = assay_plan_attack (audited->plan, audited->cell)->auditor;
  const AssayAuditContext context = context_of (audited);
  Playing playing = { .audited = audited, .auditor = auditor, .context = &context };
  g_autoptr (GError) problem = NULL;
  guint failed_pair = G_MAXUINT;
  AssayAuditRecord *record;
  AssayOracle oracle;

  *ret_counted = NULL;
  if (auditor->game == ASSAY_AUDIT_ONE_RUN)
    return play_one_run (audited->plan, audited->cell, auditor, &context, error);
  oracle = oracle_of (audited);
  oracle.failed_pair = &failed_pair;
  record = distinguish (&playing, &oracle, &problem);
  if (record == NULL && failed_pair != G_MAXUINT
      && g_error_matches (problem, ASSAY_ERROR, ASSAY_ERROR_DATA))
    record = distinguish_failures (&playing, &oracle, failed_pair, problem);
  if (record == NULL) {
    assay_counted_free (playing.counted);
    g_propagate_error (error, g_steal_pointer (&problem));
    return NULL;
  }
  *ret_counted = playing.counted;
  return record;
}

/* ---- Injected leaks ---- */

/* Unmoved runs on which the event that was chosen under a leak is counted. */
#define LEAK_RUNS 20000

/* No correction brings such a p-value back over any level. */
#define CLEARLY_BROKEN 1e-9

static gboolean
inject (AssayLeaking *leaking, const AssayAuditor *auditor, const AssayAuditContext *context,
        AssayLeakRecord *inout_record, GError **error)
{
  const AssayOracle *oracle = assay_leaking_oracle (leaking);
  const AssayLeak leak = assay_leak_of (inout_record->epsilon, oracle->delta);
  g_autoptr (AssayEvent) event = NULL;
  AssayEventRates rates;

  assay_leaking_set (leaking, leak);
  event = auditor->choose_event (context, oracle, error);
  if (event == NULL
      || !assay_leaking_rates (leaking, event, leak, MIN (event->runs, LEAK_RUNS), &rates, error))
    return FALSE;
  inout_record->hit = rates.hit;
  inout_record->mistake = rates.mistake;
  return TRUE;
}

GArray *
assay_audit_leaks (const AssayAudited *audited, const AssayAudit *counts, GError **error)
{
  const AssayPlan *plan = audited->plan;
  const AssayCell *cell = audited->cell;
  const AssayAuditor *auditor = assay_plan_attack (plan, cell)->auditor;
  const AssayAuditContext context = context_of (audited);
  g_autoptr (GArray) wanted = assay_claims_must_see (plan, cell);
  g_autoptr (GArray) leaks = g_array_new (FALSE, FALSE, sizeof (AssayLeakRecord));
  g_autofree AssayLeaking *leaking = NULL;
  g_autoptr (GError) problem = NULL;
  guint failed_pair = G_MAXUINT;
  AssayOracle oracle;

  if (auditor->game != ASSAY_AUDIT_TWO_INPUTS || wanted->len == 0)
    return g_steal_pointer (&leaks);
  oracle = oracle_of (audited);
  oracle.failed_pair = &failed_pair;
  if (assay_oracle_has_tight_event (&oracle))
    return g_steal_pointer (&leaks);
  ASSAY_FOR_EACH_IN (const AssayMustSee, must_see, wanted) {
    AssayLeakRecord leak = { .epsilon = must_see->epsilon };

    if (assay_epsilon_p_value (counts, must_see->bound) < CLEARLY_BROKEN)
      continue;
    if (leaking == NULL)
      leaking
          = assay_leaking_new (&oracle, assay_plan_stream (plan, cell, "power", NULL), &problem);
    if (leaking == NULL || !inject (leaking, auditor, &context, &leak, &problem)) {
      /* A program whose batches fail was audited by few single runs, and would see nothing. */
      if (failed_pair != G_MAXUINT && g_error_matches (problem, ASSAY_ERROR, ASSAY_ERROR_DATA)) {
        g_clear_error (&problem);
        g_array_append_val (leaks, leak);
        continue;
      }
      g_propagate_error (error, g_steal_pointer (&problem));
      g_prefix_error (error, "measuring what attack %s would see: ", auditor->id);
      return NULL;
    }
    g_array_append_val (leaks, leak);
  }
  return g_steal_pointer (&leaks);
}
