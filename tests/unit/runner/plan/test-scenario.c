/* Scenario files: every error with its line, and agreement with GKeyFile on what both accept. */
#include <criterion/criterion.h>
#include <string.h>

#include "runner/plan/scenario.h"
#include "tests/reference/fixtures.h"

static char *folder;

static void
set_up (void)
{
  folder = fixture_folder ();
}

static void
tear_down (void)
{
  fixture_remove (folder);
  g_free (folder);
}

TestSuite (scenario, .init = set_up, .fini = tear_down);

static AssayScenario *
load (const char *text, GError **error)
{
  g_autofree char *path = fixture_write (folder, "a.scenario", text);

  return assay_scenario_load (path, error);
}

static void
check_load_error (const char *text, const char *message)
{
  g_autoptr (AssayScenario) scenario = NULL;
  g_autofree char *path = g_build_filename (folder, "a.scenario", NULL);
  g_autofree char *why = NULL;
  GError *error = NULL;

  scenario = load (text, &error);
  cr_assert (scenario == NULL, "accepted: %s", text);
  cr_assert (fixture_error_is (&error, ASSAY_ERROR_SCENARIO, message, path, &why), "%s", why);
}

Test (scenario, groups_keys_and_lines)
{
  g_autoptr (AssayScenario) scenario
      = load ("# about\n\n[scenario]\r\n  title =  A = b; c \n\n[defense a-1]\n#x=1\nx.y-z_1=2\n"
              "[ attack  b ]\nk =\n",
              NULL);
  const AssayGroup *group;

  cr_assert (scenario != NULL && scenario->groups->len == 3);
  group = assay_scenario_find (scenario, "scenario", "");
  cr_assert (group != NULL && group->line == 3 && group->entries->len == 1);
  cr_assert_str_eq (assay_group_find (group, "title")->value, "A = b; c");
  cr_assert (assay_group_find (group, "title")->line == 4);
  group = assay_scenario_find (scenario, "defense", "a-1");
  cr_assert (group != NULL && group->line == 6 && group->entries->len == 1);
  cr_assert (assay_group_find (group, "x.y-z_1")->line == 8);
  group = assay_scenario_find (scenario, "attack", "b");
  cr_assert (group != NULL && group->line == 9);
  cr_assert_str_eq (assay_group_find (group, "k")->value, "");
  cr_assert (assay_scenario_find (scenario, "defense", "b") == NULL);
  cr_assert (assay_group_find (group, "title") == NULL);
}

/* '@' is the file. */
Test (scenario, every_error_has_its_line)
{
  static const char *const cases[][2] = {
    { "\n[defense a\n", "@:2: '[defense a': expected a group as [NAME]" },
    { "[defense a] # x\n", "@:1: '[defense a] # x': expected a group as [NAME]" },
    { "[defence a]\n",
      "@:1: unknown group [defence a] (did you mean 'defense'?); expected scenario, "
      "dataset, defense, attack, utility, metric, claim, pictures" },
    { "[]\n",
      "@:1: unknown group []; expected scenario, dataset, defense, attack, utility, metric, "
      "claim, pictures" },
    { "[Dataset]\n", "@:1: unknown group [Dataset] (did you mean 'dataset'?); expected scenario, "
                     "dataset, defense, attack, utility, metric, claim, pictures" },
    { "[dataset a]\n", "@:1: group [dataset a]: expected [dataset] without a name" },
    { "[defense]\n",
      "@:1: group [defense]: expected [defense NAME], NAME of letters, digits, - and _" },
    { "[attack a b]\n",
      "@:1: group [attack a b]: expected [attack NAME], NAME of letters, digits, - and _" },
    { "[attack ../x]\n",
      "@:1: group [attack ../x]: expected [attack NAME], NAME of letters, digits, - and _" },
    { "[attack a]\n[defense a]\n\n[attack  a]\n",
      "@:4: group [attack a] is already on line 1" },
    { "[scenario]\ntitle\n", "@:2: 'title': expected KEY = VALUE or [GROUP]" },
    { "# x\nseed = 1\n",
      "@:2: 'seed = 1': expected a group as [NAME] before the first key" },
    { "[scenario]\na b = 1\n", "@:2: key 'a b': expected letters, digits, -, _ and dots" },
    { "[scenario]\n= 1\n", "@:2: key '': expected letters, digits, -, _ and dots" },
    { "[scenario]\ntitle[de] = 1\n",
      "@:2: key 'title[de]': expected letters, digits, -, _ and dots" },
    { "[scenario]\nseed = 1\ntrials = 2\nseed = 1\n", "@:4: key 'seed' is already on line 2" },
    { "", "@: has no groups; expected [dataset], [defense NAME] and [attack NAME]" },
    { "# only\n", "@: has no groups; expected [dataset], [defense NAME] and [attack NAME]" },
    { "[scenario]\ntitle = \xff\n", "@: expected UTF-8 text" },
  };

  for (gsize i = 0; i < G_N_ELEMENTS (cases); i++)
    check_load_error (cases[i][0], cases[i][1]);
}

Test (scenario, files_that_are_no_scenario)
{
  g_autofree char *missing = g_build_filename (folder, "missing", NULL);
  g_autofree char *big = g_strnfill (1024 * 1024 + 1, '#');
  g_autofree char *path = g_build_filename (folder, "zero", NULL);
  g_autofree char *why = NULL;
  GError *error = NULL;

  check_load_error (big, "@: 1048577 bytes are too many (1 MiB at most)");
  g_file_set_contents (path, "[scenario]\0\n", 12, NULL);
  cr_assert (assay_scenario_load (path, &error) == NULL);
  cr_assert (fixture_error_is (&error, ASSAY_ERROR_SCENARIO, "@: expected UTF-8 text", path, &why),
             "%s", why);
  g_free (why);
  cr_assert (assay_scenario_load (missing, &error) == NULL);
  cr_assert (fixture_error_is (&error, ASSAY_ERROR_DATA,
                               "@: cannot be read: No such file or directory", missing, &why),
             "%s", why);
}

/* The file's own bytes, comments included. */
Test (scenario, sha256_is_of_the_bytes)
{
  g_autoptr (AssayScenario) scenario = load ("[scenario]\n", NULL);

  /* printf '[scenario]\n' | sha256sum */
  cr_assert_str_eq (scenario->sha256,
                    "d9ecc32527cfdfd27a0de549de70602ca917765d7519da3bb73beeddbbd21a79");
}

/* ---- Values ---- */

static void
check_value (const char *value, const char *text, const char *list)
{
  g_autofree char *file = g_strdup_printf ("[scenario]\nk = %s\n", value);
  g_autoptr (AssayScenario) scenario = load (file, NULL);
  const AssayEntry *entry = assay_group_find (assay_scenario_find (scenario, "scenario", ""), "k");
  g_autofree char *found_text = assay_entry_text (entry, NULL);
  g_auto (GStrv) items = assay_entry_list (entry, NULL);
  g_autofree char *found_list = items != NULL ? g_strjoinv ("|", items) : NULL;

  cr_assert (g_strcmp0 (found_text, text) == 0, "%s: text '%s'", value, found_text);
  cr_assert (g_strcmp0 (found_list, list) == 0, "%s: list '%s'", value, found_list);
}

Test (scenario, values_and_lists)
{
  check_value ("4", "4", "4");
  check_value ("a; b;c", "a; b;c", "a|b|c");
  check_value ("a; b ;", "a; b ;", "a|b");
  check_value ("a\\;b; c", "a;b; c", "a;b|c");
  check_value ("\\sa\\t\\\\n;x\\r", " a\t\\n;x\r", " a\t\\n|x\r");
  check_value ("", NULL, NULL);
  check_value (";", ";", NULL);
  check_value ("a;;b", "a;;b", NULL);
  check_value ("; a", "; a", NULL);
  check_value ("a; b; a", "a; b; a", NULL);
  check_value ("1; \\s1", "1;  1", "1| 1");
  check_value ("a\\x", NULL, NULL);
  check_value ("a\\", NULL, NULL);
  check_value ("\xc3\xa9; \xe2\x82\xac", "\xc3\xa9; \xe2\x82\xac", "\xc3\xa9|\xe2\x82\xac");
}

static void
check_value_error (const char *value, gboolean is_list, const char *message)
{
  AssayEntry entry = { (char *) "k", (char *) value, 1 };
  g_autofree char *why = NULL;
  GError *error = NULL;

  cr_assert (is_list ? assay_entry_list (&entry, &error) == NULL
                     : assay_entry_text (&entry, &error) == NULL,
             "%s", value);
  cr_assert (fixture_error_is (&error, ASSAY_ERROR_SCENARIO, message, NULL, &why), "%s", why);
}

Test (scenario, errors_of_values)
{
  check_value_error ("", FALSE, "k: the value is empty");
  check_value_error ("", TRUE, "k: a value is empty");
  check_value_error ("a;;b", TRUE, "k: a value is empty");
  check_value_error ("a; a", TRUE, "k: the value 'a' appears twice in the list");
  check_value_error ("a\\q", FALSE,
                     "'a\\q': expected one of \\s \\n \\t \\r \\\\ \\; after a backslash");
  check_value_error ("b; a\\", TRUE,
                     "'a\\': expected one of \\s \\n \\t \\r \\\\ \\; after a backslash");
}

/* ---- Against GKeyFile ---- */

/* A value of words, escapes, semicolons and signs that neither parser may take for syntax. */
static char *
random_value (AssayStream *stream)
{
  static const char *const pieces[]
      = { "a",   "bc",  "7",    "-1.5", ";",        " ",  "=",  "[x]", "\\s", "#",
          "\\n", "\\t", "\\\\", "\\r",  "\xc3\xa9", "; ", "\"", "'",   "%",   "0.30" };
  GString *value = g_string_new ("v");
  const guint64 n = assay_stream_below (stream, 12);

  for (guint64 i = 0; i < n; i++)
    g_string_append (value, pieces[assay_stream_below (stream, G_N_ELEMENTS (pieces))]);
  g_string_append (value, "w");
  return g_string_free (value, FALSE);
}

static void
compare_entry (const AssayEntry *entry, GKeyFile *file, const char *group)
{
  g_autofree char *text = assay_entry_text (entry, NULL);
  g_autofree char *expected = g_key_file_get_string (file, group, entry->key, NULL);
  g_auto (GStrv) items = assay_entry_list (entry, NULL);
  g_auto (GStrv) expected_items = g_key_file_get_string_list (file, group, entry->key, NULL, NULL);

  cr_assert (g_strcmp0 (text, expected) == 0, "%s = %s: '%s' instead of '%s'", entry->key,
             entry->value, text, expected);
  if (items == NULL) /* an empty or a repeated item, which GKeyFile lets pass */
    return;
  cr_assert (g_strv_length (items) == g_strv_length (expected_items), "%s", entry->value);
  for (guint i = 0; items[i] != NULL; i++)
    cr_assert (g_str_equal (g_strstrip (items[i]), g_strstrip (expected_items[i])),
               "%s: item %u is '%s' instead of '%s'", entry->value, i, items[i], expected_items[i]);
}

Test (scenario, agrees_with_gkeyfile)
{
  AssayStream stream = assay_stream (assay_stream_key (1, 0, "scenario", ""), 0);

  for (guint round = 0; round < 60; round++) {
    g_autoptr (GString) text = g_string_new ("# x\n[scenario]\n");
    g_autoptr (GKeyFile) file = g_key_file_new ();
    g_autoptr (AssayScenario) scenario = NULL;

    for (guint g = 0; g < 4; g++) {
      for (guint k = 0; k < 4; k++) {
        g_autofree char *value = random_value (&stream);

        g_string_append_printf (text, "%skey.%u_x%s=%s%s\n", k % 2 == 0 ? "" : " ", k,
                                k % 3 == 0 ? " " : "", k == 2 ? "\t " : "", value);
      }
      g_string_append_printf (text, "\n%s[defense g-%u]\n", g == 1 ? "# y\n" : "", g);
    }
    scenario = load (text->str, NULL);
    cr_assert (scenario != NULL && g_key_file_load_from_data (file, text->str, text->len, 0, NULL),
               "%s", text->str);
    for (guint g = 0; g < scenario->groups->len; g++) {
      const AssayGroup *group = scenario->groups->pdata[g];
      g_autofree char *name = assay_group_name (group);

      cr_assert (g_key_file_has_group (file, name), "%s", name);
      for (guint k = 0; k < group->entries->len; k++)
        compare_entry (group->entries->pdata[k], file, name);
    }
  }
}

/* ---- --set ---- */

static const char base[] = "[scenario]\nseed = 1\n[defense lift]\nplugin = p\na = 1\nb = 2\n";

Test (scenario, set_replaces_in_place_or_adds)
{
  g_autoptr (AssayScenario) scenario = load (base, NULL);
  const AssayGroup *group = assay_scenario_find (scenario, "defense", "lift");

  cr_assert (assay_scenario_set (scenario, "defense lift.a=4;8", NULL));
  cr_assert (assay_scenario_set (scenario, " defense lift . tune.c = x=y ", NULL));
  cr_assert (assay_scenario_set (scenario, "scenario.seed=9", NULL));
  cr_assert (group->entries->len == 4);
  cr_assert_str_eq (((AssayEntry *) group->entries->pdata[1])->key, "a");
  cr_assert_str_eq (((AssayEntry *) group->entries->pdata[1])->value, "4;8");
  cr_assert (((AssayEntry *) group->entries->pdata[1])->line == 0);
  cr_assert (((AssayEntry *) group->entries->pdata[2])->line == 6);
  cr_assert_str_eq (((AssayEntry *) group->entries->pdata[3])->key, "tune.c");
  cr_assert_str_eq (((AssayEntry *) group->entries->pdata[3])->value, "x=y");
}

Test (scenario, errors_of_set)
{
  static const char *const cases[][2] = {
    { "seed=1", "--set 'seed=1': expected \"GROUP.KEY=VALUE\", such as "
                "\"defense lifting.dimension=4;8\"" },
    { "scenario.seed", "--set 'scenario.seed': expected \"GROUP.KEY=VALUE\", such as "
                       "\"defense lifting.dimension=4;8\"" },
    { "a=b.c", "--set 'a=b.c': expected \"GROUP.KEY=VALUE\", such as "
               "\"defense lifting.dimension=4;8\"" },
    { "scenario. =1", "--set 'scenario. =1': '' is not a key" },
    { "scenario.a b=1", "--set 'scenario.a b=1': 'a b' is not a key" },
    { "defense lifd.a=1", "--set 'defense lifd.a=1': the scenario has no group [defense lifd] (did "
                          "you mean 'defense lift'?)" },
    { "x.a=1", "--set 'x.a=1': the scenario has no group [x]" },
  };

  for (gsize i = 0; i < G_N_ELEMENTS (cases); i++) {
    g_autoptr (AssayScenario) scenario = load (base, NULL);
    g_autofree char *why = NULL;
    GError *error = NULL;

    cr_assert (!assay_scenario_set (scenario, cases[i][0], &error), "%s", cases[i][0]);
    cr_assert (fixture_error_is (&error, ASSAY_ERROR_SCENARIO, cases[i][1], NULL, &why), "%s", why);
  }
}
