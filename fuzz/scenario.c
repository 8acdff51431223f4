/* Fuzz target: scenarios as text. An input is an assignment of --set, a line end, and a scenario's
 * file. What is read and written again in the plainest way reads back equal. */
#include "fuzz/fuzz.h"

#include <string.h>

#include "runner/plan/scenario.h"

/* A value that begins a line would be another thing there; it never does. */
static void
check_written (const AssayScenario *scenario)
{
  g_autoptr (GString) text = g_string_new (NULL);
  g_autoptr (AssayScenario) again = NULL;

  for (guint i = 0; i < scenario->groups->len; i++) {
    const AssayGroup *group = scenario->groups->pdata[i];
    g_autofree char *name = assay_group_name (group);

    g_string_append_printf (text, "[%s]\n", name);
    for (guint k = 0; k < group->entries->len; k++) {
      const AssayEntry *entry = group->entries->pdata[k];

      g_string_append_printf (text, "%s=%s\n", entry->key, entry->value);
    }
  }
  again = assay_scenario_parse ("again", text->str, NULL);
  FUZZ_REQUIRE (again != NULL && again->groups->len == scenario->groups->len);
  for (guint i = 0; i < again->groups->len; i++) {
    const AssayGroup *a = again->groups->pdata[i], *b = scenario->groups->pdata[i];

    FUZZ_REQUIRE (g_str_equal (a->kind, b->kind) && g_str_equal (a->label, b->label));
    FUZZ_REQUIRE (a->entries->len == b->entries->len);
    for (guint k = 0; k < a->entries->len; k++) {
      const AssayEntry *mine = a->entries->pdata[k], *theirs = b->entries->pdata[k];

      FUZZ_REQUIRE (g_str_equal (mine->key, theirs->key));
      FUZZ_REQUIRE (g_str_equal (mine->value, theirs->value));
    }
  }
}

static void
check_entries (const AssayScenario *scenario)
{
  for (guint i = 0; i < scenario->groups->len; i++) {
    const AssayGroup *group = scenario->groups->pdata[i];

    FUZZ_REQUIRE (assay_scenario_find (scenario, group->kind, group->label) == group);
    for (guint k = 0; k < group->entries->len; k++) {
      const AssayEntry *entry = group->entries->pdata[k];
      g_autoptr (GError) error = NULL;
      g_autofree char *text = assay_entry_text (entry, &error);
      g_auto (GStrv) list = NULL;

      FUZZ_REQUIRE (assay_group_find (group, entry->key) == entry);
      fuzz_check_outcome (text != NULL, error);
      g_clear_error (&error);
      list = assay_entry_list (entry, &error);
      fuzz_check_outcome (list != NULL, error);
      FUZZ_REQUIRE (list == NULL || list[0] != NULL);
    }
  }
}

int
LLVMFuzzerTestOneInput (const uint8_t *data, size_t size)
{
  FuzzInput input = { data, size };
  g_autofree char *assignment = fuzz_take_text (&input, '\n');
  g_autoptr (AssayScenario) scenario = NULL;
  g_autoptr (GError) error = NULL;
  gboolean is_set;

  fuzz_files_add ("a.scenario", input.data, input.left);
  scenario = assay_scenario_load ("a.scenario", &error);
  fuzz_check_outcome (scenario != NULL, error);
  FUZZ_REQUIRE (error == NULL || g_utf8_validate (error->message, -1, NULL));
  fuzz_files_forget ();
  if (scenario == NULL)
    return 0;
  check_entries (scenario);
  check_written (scenario);
  is_set = assay_scenario_set (scenario, assignment, &error);
  fuzz_check_outcome (is_set, error);
  if (is_set)
    check_entries (scenario);
  return 0;
}
