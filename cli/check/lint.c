/* What is doubtful about a plan that nothing is wrong with; of its claims: lint-claims.c. */
#include "cli/check/lint.h"

#include <string.h>

#include "core/base/text.h"
#include "core/external/program.h"

/* Once, however many settings of a group give it. */
void
assay_doubt (GPtrArray *doubts, const char *format, ...)
{
  va_list arguments;

  va_start (arguments, format);
  assay_names_take (doubts, g_strdup_vprintf (format, arguments));
  va_end (arguments);
}

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
      assay_doubt (doubts, "[defense %s] is met by no attack and no utility of the scenario",
                   component->label);
  }
}

/* A value that `assay init` left to be filled in. */
static void
check_gaps (GPtrArray *doubts, const char *kind, const GPtrArray *components)
{
  ASSAY_FOR_EACH (const AssayComponent, component, components) {
    ASSAY_FOR_EACH_PARAM (param, component->settings->table) {
      g_autofree char *value = assay_settings_get (component->settings, param);

      if (g_strcmp0 (value, "FILL_IN") == 0)
        assay_doubt (doubts, "[%s %s] %s = FILL_IN is to be replaced", kind, component->label,
                     param->name);
    }
  }
}

/* "k=[2,4,8]" of a program's own settings: one text, where several values were meant. */
static void
check_lists (GPtrArray *doubts, const char *kind, const GPtrArray *components)
{
  ASSAY_FOR_EACH (const AssayComponent, component, components) {
    const AssayParam *param = assay_param_find (component->settings->table, "settings");
    g_autofree char *text
        = param != NULL ? assay_settings_get (component->settings, param) : g_strdup ("");
    g_auto (GStrv) words = g_strsplit (text, " ", -1);

    for (guint i = 0; words[i] != NULL; i++) {
      const char *value = strchr (words[i], '=');

      if (value != NULL && value[1] == '[' && strchr (value, ',') != NULL)
        assay_doubt (doubts,
                     "[%s %s] set.%.*s = %s is one value, which the program gets as a text; "
                     "several are separated by semicolons: 2; 4; 8",
                     kind, component->label, (int) (value - words[i]), words[i], value + 1);
    }
  }
}

/* The program that it starts, or NULL. */
static char *
command_of (const AssayComponent *component)
{
  const AssayExternal *external = assay_plugin_external (component->plugin);

  const AssayParam *command = assay_param_find (component->settings->table, "command");

  return external != NULL && external->files != NULL && command != NULL
             ? assay_settings_get (component->settings, command)
             : NULL;
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

  ASSAY_FOR_EACH (const AssayComponent, component, components) {
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
      assay_doubt (doubts, "[%s %s] %s", kind, component->label, error->message);
    script = words != NULL ? missing_script (words) : NULL;
    if (script != NULL)
      assay_doubt (
          doubts,
          "[%s %s] command: there is no file '%s', neither in the scenario's folder nor in "
          "the working folder",
          kind, component->label, script);
  }
}

static void
check_tuning (GPtrArray *doubts, const AssayPlan *plan)
{
  ASSAY_FOR_EACH (const AssayComponent, component, plan->attacks) {
    if (component->candidates != NULL && component->candidates->len == 1)
      assay_doubt (doubts,
                   "[attack %s] %s leaves one candidate: nothing is chosen, and the secrets set "
                   "apart for tuning are lost",
                   component->label, component->tuned_keys);
  }
}

static gboolean
is_claimed (const AssayPlan *plan, const AssayComponent *metric)
{
  ASSAY_FOR_EACH (const AssayClaim, claim, plan->claims)
    if (claim->utility == NULL && assay_plan_component (plan->metrics, claim->metric) == metric)
      return TRUE;
  return FALSE;
}

/* What the run will not have, and no claim asks for: of claims, lint-numbers.c tells it. */
static void
check_metrics (GPtrArray *doubts, const AssayPlan *plan)
{
  ASSAY_FOR_EACH (const AssaySkip, skip, plan->skipped)
    ASSAY_FOR_EACH (const AssayComponent, component, plan->metrics)
      if (g_str_equal (skip->attack, component->label) && !is_claimed (plan, component))
        assay_doubt (doubts, "[metric %s] measures nothing on %s: %s", component->label,
                     skip->defense, skip->reason);
}

/* Test rows are the same in every trial: the interval of one trial says nothing of how much the
 * next release of the same defense would differ. */
static void
check_trials (GPtrArray *doubts, const AssayPlan *plan)
{
  for (guint i = 0; plan->trials == 1 && i < plan->utilities->len; i++) {
    const AssayComponent *component = assay_plan_component (plan->utilities, i);

    if (component->utility->repeats_units)
      assay_doubt (doubts,
                   "[utility %s] is measured on the same test rows in every trial: with trials = 1 "
                   "its intervals do not tell how much releases differ",
                   component->label);
  }
}

GPtrArray *
assay_lint (const AssayPlan *plan)
{
  GPtrArray *doubts = g_ptr_array_new_with_free_func (g_free);

  check_gaps (doubts, "defense", plan->defenses);
  check_gaps (doubts, "attack", plan->attacks);
  check_lists (doubts, "defense", plan->defenses);
  check_lists (doubts, "attack", plan->attacks);
  check_programs (doubts, plan, "defense", plan->defenses);
  check_programs (doubts, plan, "attack", plan->attacks);
  check_defenses (doubts, plan);
  check_tuning (doubts, plan);
  check_trials (doubts, plan);
  check_metrics (doubts, plan);
  for (guint d = 0; d < plan->datasets->len; d++)
    if (*plan->probes[d].remark != '\0')
      assay_doubt (doubts, "[dataset]: %s", plan->probes[d].remark);
  return doubts;
}
