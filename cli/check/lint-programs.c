/* What an auditor is told of the programs that a plan starts. */

#include "cli/check/lint.h"

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

void
assay_lint_programs (const AssayPlan *plan, GPtrArray *doubts)
{
  check_components (doubts, plan->defenses);
  check_components (doubts, plan->attacks);
}
