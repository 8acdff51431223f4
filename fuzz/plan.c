/* Fuzz target: scenarios up to their plan, with every setting checked, on data whose sizes are told
 * (as for the report of a run that was made before, which reads no data). */
#include <string.h>

#include "fuzz/fuzz.h"

#include "core/plugin/plugin.h"
#include "runner/plan/planner.h"

static const AssayProbe probe
    = { .n_secrets = 1000,
        .n_public = 500,
        .n_database = 2000,
        .n_test = 300,
        .n_groups = 10,
        .n_classes = 10,
        .cols = 64,
        .holdings = G_MAXUINT,
        .geometry = { .height = 8, .width = 8, .channels = 1, .white = 1 } };

static void
check_plan (const AssayPlan *plan)
{
  FUZZ_REQUIRE (plan->cells->len > 0);
  for (guint i = 0; i < MIN (plan->cells->len, 50); i++) {
    const AssayCell *cell = assay_plan_cell (plan, i);
    g_autofree char *id = assay_plan_cell_id (plan, cell);

    FUZZ_REQUIRE (strlen (id) == 16);
    FUZZ_REQUIRE (cell->dataset < plan->datasets->len && cell->defense < plan->defenses->len);
    FUZZ_REQUIRE ((cell->attack == ASSAY_NO_COMPONENT) != (cell->utility == ASSAY_NO_COMPONENT));
    FUZZ_REQUIRE (cell->trial < plan->trials);
    FUZZ_REQUIRE (assay_plan_n_measuring (plan, cell) > 0);
  }
}

int
LLVMFuzzerTestOneInput (const uint8_t *data, size_t size)
{
  FuzzInput input = { data, size };
  g_autofree char *text = fuzz_take_text (&input, '\0');
  const AssayPlanOptions options = { .text = text, .probes = &probe, .n_probes = 1 };
  g_autoptr (AssayPlan) plan = NULL;
  g_autoptr (GError) error = NULL;

  if (!g_utf8_validate (text, -1, NULL))
    return 0;
  plan = assay_plan_new ("a.scenario", &options, &error);
  fuzz_check_outcome (plan != NULL, error);
  if (plan != NULL)
    check_plan (plan);
  return 0;
}
