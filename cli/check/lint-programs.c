/* What an auditor is told of the programs that a plan starts. */

#include <math.h>

#include "cli/check/lint.h"
#include "core/external/hidden-words.h"
#include "runner/run/replay.h"

static void
check_components (GPtrArray *doubts, const GPtrArray *components)
{
  ASSAY_FOR_EACH (const AssayComponent, component, components) {
    const AssayExternal *external = assay_plugin_external (component->plugin);
    g_autofree char *by = external != NULL && external->confinement != NULL
                              ? external->confinement (component->settings->values)
                              : NULL;

    if (by != NULL && !g_str_has_prefix (by, "bubblewrap"))
      assay_doubt (doubts,
                   "%s %s: %s; expected confine = auto or required where bubblewrap works: a "
                   "program that is audited must not read the secrets or what other cells found",
                   component->kind, component->label, by);
  }
}

/* What a word of the command gives to a program that would be hidden from it otherwise. */
static void
check_words (GPtrArray *doubts, const GPtrArray *components)
{
  ASSAY_FOR_EACH (const AssayComponent, component, components) {
    const AssayExternal *external = assay_plugin_external (component->plugin);
    g_autoptr (GPtrArray) files = external != NULL && external->files != NULL
                                      ? external->files (component->settings->values)
                                      : NULL;

    for (guint i = 0; files != NULL && i < files->len; i++) {
      g_autofree char *secret = assay_hidden_words_secret (files->pdata[i]);

      if (secret != NULL)
        assay_doubt (doubts,
                     "%s %s: its command names %s, and so opens %s, which is hidden from other "
                     "programs; expected a command without data of the audit",
                     component->kind, component->label, (char *) files->pdata[i], secret);
    }
  }
}

void
assay_lint_programs (const AssayPlan *plan, GPtrArray *doubts)
{
  check_components (doubts, plan->defenses);
  check_components (doubts, plan->attacks);
  check_words (doubts, plan->defenses);
  check_words (doubts, plan->attacks);
}

/* A program tries some 10^5 seeds a second against the random numbers of its request. */
#define GUESSED_BITS 40

static gboolean
starts_programs (const GPtrArray *components)
{
  ASSAY_FOR_EACH (const AssayComponent, component, components) {
    const AssayExternal *external = assay_plugin_external (component->plugin);

    if (external != NULL && external->confinement != NULL)
      return TRUE;
  }
  return FALSE;
}

void
assay_lint_seed (const AssayPlan *plan, gboolean is_own, GPtrArray *inout_doubts)
{
  if ((!is_own || plan->seed >> GUESSED_BITS == 0)
      && (starts_programs (plan->defenses) || starts_programs (plan->attacks)))
    assay_doubt (inout_doubts,
                 "seed %" G_GUINT64_FORMAT " can be guessed: a program could tell from its random "
                 "numbers which trial, and which side of a comparison, it is started for; expected "
                 "a run with --seed fresh",
                 plan->seed);
}

static gboolean
check_repeats (const AssayPlan *plan, guint defense, AssayWorkspace *workspace, GPtrArray *doubts,
               GError **error)
{
  const AssayComponent *component = assay_plan_component (plan->defenses, defense);
  g_autoptr (GError) problem = NULL;
  gboolean is_same = TRUE;
  gsize first;

  if (!assay_replay_first (plan, defense, &first)
      || assay_plan_cell (plan, first)->defense != defense)
    return TRUE;
  /* A program that fails is an error of its cells, as in a run. */
  if (!assay_workspace_replay (workspace, assay_plan_cell (plan, first), INFINITY, &is_same,
                               &problem)
      && assay_run_ends_with (problem)) {
    g_propagate_error (error, g_steal_pointer (&problem));
    return assay_prefix (error, "[defense %s]: ", component->label);
  }
  if (!is_same)
    assay_doubt (doubts,
                 "[defense %s] answers differ for the same request: a run cannot be repeated to "
                 "the bit; expected random numbers from request[\"seed\"], and from "
                 "request[\"key\"] what one release draws once for all of its secrets",
                 component->label);
  return TRUE;
}

gboolean
assay_lint_repeats (const AssayPlan *plan, GPtrArray *doubts, GError **error)
{
  g_autoptr (AssayWorkspace) workspace = assay_workspace_new (plan);

  for (guint d = 0; d < plan->defenses->len; d++)
    if (!check_repeats (plan, d, workspace, doubts, error))
      return FALSE;
  return TRUE;
}
