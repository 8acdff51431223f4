/* What is doubtful about a plan that nothing is wrong with.
 *
 * Whether a claim can be decided at all is known before anything runs. With m hypotheses in the
 * scenario, Holm's correction asks of the smallest p-value alpha = (1 - confidence) / m, and no
 * sample speaks more clearly than one in which all n units lie on the claim's side: its p-value is
 * (1 - b)^n for a share of at most b, and b^n for one of at least b (docs/statistics.md, "Claims").
 * Of epsilon it is the ceiling that decides: the most that so many runs can certify. */
#include "cli/lint.h"

#include <math.h>

#include "core/external/program.h"
#include "core/stats/epsilon.h"
#include "runner/plan/claim.h"
#include "runner/plan/contact-sheet.h"
#include "runner/plan/fit.h"

static void add (GPtrArray *doubts, const char *format, ...) G_GNUC_PRINTF (2, 3);

/* Once, however many settings of a group give it. */
static void
add (GPtrArray *doubts, const char *format, ...)
{
  va_list arguments;
  char *doubt;

  va_start (arguments, format);
  doubt = g_strdup_vprintf (format, arguments);
  va_end (arguments);
  if (g_ptr_array_find_with_equal_func (doubts, doubt, g_str_equal, NULL))
    g_free (doubt);
  else
    g_ptr_array_add (doubts, doubt);
}

/* ---- Claims ---- */

/* Pooled cells that a claim is about; of a tuned attack those that it may turn out to be about. */
static gboolean
is_about (const AssayPlan *plan, const AssayClaim *claim, const AssayCell *cell)
{
  return cell->trial == 0 && assay_claim_may_select (plan, claim, cell);
}

static guint
count_hypotheses (const AssayPlan *plan)
{
  guint count = 0;

  for (guint c = 0; c < plan->claims->len; c++)
    for (gsize i = 0; i < plan->cells->len; i++)
      count += is_about (plan, plan->claims->pdata[c], assay_plan_cell (plan, i));
  return MAX (count, 1);
}

/* Independent units of all trials, at most. */
static guint64
count_units (const AssayPlan *plan, const AssayCell *cell)
{
  const AssayProbe *probe = &plan->probes[cell->dataset];
  const guint64 secrets = plan->trials * plan->secrets;

  if (plan->secret_groups > 0)
    return plan->trials * plan->secret_groups;
  return probe->n_groups > 0 ? MIN (secrets, probe->n_groups) : secrets;
}

/* A share of the secrets: other measures have units that only a run can count. */
static void
check_share (GPtrArray *doubts, const AssayPlan *plan, const AssayClaim *claim,
             const AssayCell *cell, double alpha)
{
  const AssayMeasuring *metric = assay_plan_measuring (plan, cell, claim->metric)->measuring;
  const guint64 units = count_units (plan, cell);
  const double share = claim->is_at_most ? 1 - claim->bound : claim->bound;
  const double needed = ceil (log (alpha) / log (share));
  const gboolean has_groups = plan->probes[cell->dataset].n_groups > 0;
  const char *what = has_groups ? "groups of secrets" : "secrets";

  if (claim->measure->statistic != ASSAY_STATISTIC_RATE || metric->has_own_units || share <= 0
      || share >= 1 || (double) units >= needed)
    return;
  add (doubts,
       "[claim %s] cannot be upheld by %" G_GUINT64_FORMAT " %s, whatever they show; expected at "
       "least %.0f, for %s %s %.10g at this confidence and with so many claims",
       claim->id, units, what, needed, claim->measure->name,
       claim->is_at_most ? "of at most" : "of at least", claim->bound);
}

/* The setting @name as a number; 0: there is none. */
static gint64
whole_setting (const AssaySettings *settings, const char *name)
{
  for (const AssayParam *param = settings->table; param != NULL && param->name != NULL; param++)
    if (g_str_equal (param->name, name) && param->type == ASSAY_PARAM_TYPE_INT)
      return *(const gint64 *) ((const char *) settings->values + param->offset);
  return 0;
}

static void
check_epsilon (GPtrArray *doubts, const AssayPlan *plan, const AssayClaim *claim,
               const AssayCell *cell, double alpha)
{
  const AssayComponent *component = assay_plan_component (plan->attacks, cell->attack);
  const AssayAuditor *auditor = component->auditor;
  const AssayOracle oracle = assay_plan_oracle (plan, cell);
  AssayAudit audit = { .kind = ASSAY_AUDIT_TWO_INPUTS, .delta = oracle.delta };
  const double bound = assay_claim_bound (plan, claim, cell);
  double ceiling;

  if (auditor->game == ASSAY_AUDIT_ONE_RUN) {
    gsize canaries, guesses;

    auditor->one_run_sizes (component->settings->values, &canaries, &guesses);
    audit.kind = ASSAY_AUDIT_ONE_RUN;
    audit.mistakes = plan->trials * canaries;
    audit.runs = audit.hits = plan->trials * (guesses > 0 ? guesses : canaries);
  } else {
    audit.runs = audit.hits = plan->trials * (guint64) whole_setting (component->settings, "runs");
  }
  if (audit.runs == 0)
    return;
  ceiling = assay_epsilon_ceiling (&audit, alpha);
  if (ceiling <= bound)
    add (doubts,
         "[claim %s] cannot be refuted by attack %s against %s: %" G_GUINT64_FORMAT
         " %s certify an "
         "epsilon of %.3g at most, and the bound is %.3g; expected more of them",
         claim->id, component->label, assay_plan_component (plan->defenses, cell->defense)->name,
         audit.runs, audit.kind == ASSAY_AUDIT_ONE_RUN ? "guesses" : "runs", ceiling, bound);
}

/* One doubt a claim: the first cell that gives one. */
static void
check_claim (GPtrArray *doubts, const AssayPlan *plan, const AssayClaim *claim, guint n_hypotheses)
{
  const double alpha = (1 - claim->confidence) / n_hypotheses;
  const guint before = doubts->len;

  for (gsize i = 0; i < plan->cells->len && doubts->len == before; i++) {
    const AssayCell *cell = assay_plan_cell (plan, i);

    if (!is_about (plan, claim, cell))
      continue;
    if (claim->measure->statistic == ASSAY_STATISTIC_EPSILON)
      check_epsilon (doubts, plan, claim, cell, alpha);
    else
      check_share (doubts, plan, claim, cell, alpha);
  }
}

/* ---- The rest ---- */

/* A defense that nothing is combined with does not stand in the results. */
static void
check_defenses (GPtrArray *doubts, const AssayPlan *plan)
{
  for (guint d = 0; d < plan->defenses->len; d++) {
    const AssayComponent *component = assay_plan_component (plan->defenses, d);
    gboolean is_met = FALSE;

    for (gsize i = 0; i < plan->cells->len && !is_met; i++)
      is_met = assay_plan_cell (plan, i)->defense == d;
    if (!is_met)
      add (doubts, "[defense %s] is met by no attack and no utility of the scenario",
           component->label);
  }
}

/* A value that `assay init` left to be filled in. */
static void
check_gaps (GPtrArray *doubts, const char *kind, const GPtrArray *components)
{
  for (guint i = 0; i < components->len; i++) {
    const AssayComponent *component = assay_plan_component (components, i);

    for (const AssayParam *param = component->settings->table; param != NULL && param->name != NULL;
         param++) {
      g_autofree char *value = assay_settings_get (component->settings, param);

      if (g_strcmp0 (value, "FILL_IN") == 0)
        add (doubts, "[%s %s] %s = FILL_IN is to be replaced", kind, component->label, param->name);
    }
  }
}

/* The program that it starts, or NULL. */
static char *
command_of (const AssayComponent *component)
{
  const AssayExternal *external = assay_plugin_external (component->plugin);

  for (const AssayParam *param = component->settings->table; param != NULL && param->name != NULL;
       param++)
    if (external != NULL && external->files != NULL && g_str_equal (param->name, "command"))
      return assay_settings_get (component->settings, param);
  return NULL;
}

/* The first of @words that looks like a script, as an interpreter is given it, and is not there. */
static const char *
missing_script (char **words)
{
  static const char *const endings[]
      = { ".py", ".js", ".mjs", ".R", ".r", ".jl", ".pl", ".rb", ".lua", ".sh", ".m" };

  for (guint w = 1; words[w] != NULL; w++)
    for (guint e = 0; e < G_N_ELEMENTS (endings); e++)
      if (words[w][0] != '-' && g_str_has_suffix (words[w], endings[e])
          && !g_file_test (words[w], G_FILE_TEST_EXISTS))
        return words[w];
  return NULL;
}

/* That it cannot be started is an error of its cells, and nothing that keeps the others from being
 * run: the program may be installed by then. */
static void
check_programs (GPtrArray *doubts, const AssayPlan *plan, const char *kind,
                const GPtrArray *components)
{
  g_autofree char *folder = g_path_get_dirname (plan->scenario);

  for (guint i = 0; i < components->len; i++) {
    const AssayComponent *component = assay_plan_component (components, i);
    g_autofree char *command = command_of (component);
    g_auto (GStrv) words = NULL;
    g_autofree char *found = NULL;
    const char *script;
    g_autoptr (GError) error = NULL;

    if (command == NULL || g_str_equal (command, "FILL_IN"))
      continue;
    words = assay_program_words (command, folder, NULL);
    found = words != NULL ? assay_program_find (words[0], &error) : NULL;
    if (error != NULL)
      add (doubts, "[%s %s] %s", kind, component->label, error->message);
    script = words != NULL ? missing_script (words) : NULL;
    if (script != NULL)
      add (doubts,
           "[%s %s] command: there is no file '%s', neither in the scenario's folder nor in "
           "the working folder",
           kind, component->label, script);
  }
}

static void
check_tuning (GPtrArray *doubts, const AssayPlan *plan)
{
  for (guint i = 0; i < plan->attacks->len; i++) {
    const AssayComponent *component = assay_plan_component (plan->attacks, i);

    if (component->candidates != NULL && component->candidates->len == 1)
      add (doubts,
           "[attack %s] %s leaves one candidate: nothing is chosen, and the secrets set "
           "apart for tuning are lost",
           component->label, component->tuned_keys);
  }
}

/* Test rows are the same in every trial: the interval of one trial says nothing of how much the
 * next release of the same defense would differ. */
static void
check_trials (GPtrArray *doubts, const AssayPlan *plan)
{
  for (guint i = 0; plan->trials == 1 && i < plan->utilities->len; i++) {
    const AssayComponent *component = assay_plan_component (plan->utilities, i);

    if (component->utility->repeats_units)
      add (doubts,
           "[utility %s] is measured on the same test rows in every trial: with trials = 1 "
           "its intervals do not tell how much releases differ",
           component->label);
  }
}

GPtrArray *
assay_lint (const AssayPlan *plan)
{
  GPtrArray *doubts = g_ptr_array_new_with_free_func (g_free);
  const guint n_hypotheses = count_hypotheses (plan);

  if (plan->claims->len == 0)
    add (doubts, "there is no [claim NAME]: the run will measure, and judge nothing");
  check_gaps (doubts, "defense", plan->defenses);
  check_gaps (doubts, "attack", plan->attacks);
  check_programs (doubts, plan, "defense", plan->defenses);
  check_programs (doubts, plan, "attack", plan->attacks);
  check_defenses (doubts, plan);
  check_tuning (doubts, plan);
  check_trials (doubts, plan);
  for (guint c = 0; c < plan->claims->len; c++)
    check_claim (doubts, plan, plan->claims->pdata[c], n_hypotheses);
  return doubts;
}
