/* Plans: cells and their order, identities, and what is refused. */
#include <criterion/criterion.h>
#include <string.h>

#include "runner/plan/planner.h"
#include "tests/reference/fixtures.h"

static char *folder;

static void
set_up (void)
{
  folder = fixture_folder ();
  fixture_write_normal (folder, "private.npy", 40, 8, 40);
  fixture_write_normal (folder, "public.npy", 30, 8, 30);
  fixture_write_normal (folder, "database.npy", 50, 8, 50);
}

static void
tear_down (void)
{
  fixture_remove (folder);
  g_free (folder);
}

TestSuite (plan, .init = set_up, .fini = tear_down);

#define HEAD                                                                                       \
  "[scenario]\ntitle = T\nseed = 3\ntrials = 2\n[dataset]\nplugin = vectors\n"                     \
  "private = private.npy\npublic = public.npy\ndatabase = database.npy\nsecrets = 5\n"
#define LIFTING "[defense lifting]\nplugin = affine-lifting\ndimension = 2; 4\n"
#define NONE "[defense plain]\nplugin = none\n"
#define VERBATIM "[attack verbatim]\nplugin = verbatim\n"
#define DATABASE "[attack db]\nplugin = database\ngrants = database\naveraged = 3\n"

static AssayPlan *
make_plan (const char *text, const char *assignment, GError **error)
{
  g_autofree char *path = fixture_write (folder, "a.scenario", text);
  const char *const assignments[] = { assignment, NULL };
  const AssayPlanOptions options = { .assignments = assignments };

  return assay_plan_new (path, &options, error);
}

static AssayPlan *
good_plan (const char *text, const char *assignment)
{
  GError *error = NULL;
  AssayPlan *plan = make_plan (text, assignment, &error);

  cr_assert (plan != NULL, "%s", error->message);
  return plan;
}

/* "lifting dimension=2 variant=hybrid" and so on: what of the settings is not as by default. */
static char *
describe_component (const AssayComponent *component)
{
  g_autoptr (AssaySettings) defaults
      = assay_settings_new (component->plugin->parameters, component->plugin->settings_size);
  GString *text = g_string_new (component->label);

  for (const AssayParam *p = component->plugin->parameters; p != NULL && p->name != NULL; p++) {
    g_autofree char *value = assay_settings_get (component->settings, p);
    g_autofree char *otherwise = assay_settings_get (defaults, p);

    if (!g_str_equal (value, otherwise))
      g_string_append_printf (text, " %s=%s", p->name, value);
  }
  return g_string_free (text, FALSE);
}

static char *
describe_cells (const AssayPlan *plan)
{
  GString *text = g_string_new (NULL);

  for (gsize i = 0; i < plan->cells->len; i++) {
    const AssayCell *cell = assay_plan_cell (plan, i);
    g_autofree char *defense
        = describe_component (assay_plan_component (plan->defenses, cell->defense));
    g_autofree char *attack
        = describe_component (assay_plan_component (plan->attacks, cell->attack));

    g_string_append_printf (text, "%u: %s / %s\n", cell->trial, defense, attack);
  }
  return g_string_free (text, FALSE);
}

/* ---- Cells ---- */

/* Trials, then defenses, then attacks, groups in the order of the file; in a group the key that
 * stands last varies fastest, whatever the order of the parameter table. */
Test (plan, order_of_cells)
{
  static const char text[]
      = HEAD "[defense lifting]\nplugin = affine-lifting\ndimension = 4; 2\nvariant = random; "
             "hybrid\n" NONE DATABASE "neighbours = 10; 20\n" VERBATIM;
  static const char *const defenses[]
      = { "lifting variant=random", "lifting", "lifting variant=random dimension=2",
          "lifting dimension=2" };
  g_autoptr (AssayPlan) plan = good_plan (text, NULL);
  g_autofree char *found = describe_cells (plan);
  g_autoptr (GString) expected = g_string_new (NULL);

  for (guint trial = 0; trial < 2; trial++) {
    for (guint d = 0; d < 4; d++)
      g_string_append_printf (expected,
                              "%u: %s / db neighbours=10 averaged=3\n"
                              "%u: %s / db neighbours=20 averaged=3\n%u: %s / verbatim\n",
                              trial, defenses[d], trial, defenses[d], trial, defenses[d]);
    g_string_append_printf (expected, "%u: plain / verbatim\n", trial);
  }
  cr_assert_str_eq (found, expected->str);
  cr_assert (plan->seed == 3 && plan->trials == 2 && plan->secrets == 5 && plan->confidence == 0.95
             && plan->tune_secrets == 0);
}

Test (plan, pairs_that_do_not_fit_are_skipped_once)
{
  g_autoptr (AssayPlan) plan
      = good_plan (HEAD LIFTING NONE DATABASE "neighbours = 10; 20\n" VERBATIM, NULL);
  const AssaySkip *skip;

  cr_assert (plan->skipped->len == 1, "%u", plan->skipped->len);
  skip = plan->skipped->pdata[0];
  cr_assert_str_eq (skip->defense, "plain");
  cr_assert_str_eq (skip->attack, "db");
  cr_assert_str_eq (skip->reason,
                    "attack 'database' reads subspaces, but defense 'none' releases vectors");
}

/* Every metric that no group names is there with its defaults, once. */
Test (plan, metrics)
{
  g_autoptr (AssayPlan) plan
      = good_plan (HEAD NONE VERBATIM "[metric recovery-rate]\ntau = 0.5; 1\n", NULL);
  g_autofree char *first = describe_component (assay_plan_component (plan->metrics, 0));
  g_autofree char *second = describe_component (assay_plan_component (plan->metrics, 1));
  guint n_recovery = 0;

  cr_assert_str_eq (first, "recovery-rate tau=0.5");
  cr_assert_str_eq (second, "recovery-rate tau=1");
  for (guint i = 0; i < plan->metrics->len; i++)
    n_recovery
        += g_str_equal (assay_plan_component (plan->metrics, i)->plugin->id, "recovery-rate");
  cr_assert (n_recovery == 2 && plan->metrics->len >= 5, "%u of %u", n_recovery,
             plan->metrics->len);
}

/* ---- Identities ---- */

static void
collect_ids (const AssayPlan *plan, GHashTable *ids)
{
  for (gsize i = 0; i < plan->cells->len; i++)
    g_hash_table_add (ids, assay_plan_cell_id (plan, assay_plan_cell (plan, i)));
}

Test (plan, cell_ids_are_unique_and_depend_on_the_cell_alone)
{
  g_autoptr (AssayPlan) plan = good_plan (HEAD LIFTING DATABASE "neighbours = 10; 20\n", NULL);
  /* Another order of groups and keys, a comment, more defenses and attacks, another title. */
  g_autoptr (AssayPlan) other = good_plan (
      VERBATIM "# more\n[attack db]\naveraged=3\nneighbours = 20; 10; 30\nplugin = database\n"
               "grants=database\n" NONE LIFTING HEAD,
      "scenario.title=Other");
  g_autoptr (AssayPlan) changed
      = good_plan (HEAD LIFTING DATABASE "neighbours = 10; 20\n", "defense lifting.normalize=no");
  g_autoptr (GHashTable) ids = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);
  g_autoptr (GHashTable) others = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);

  collect_ids (plan, ids);
  cr_assert (g_hash_table_size (ids) == 8, "%u of 8", g_hash_table_size (ids));
  collect_ids (other, others);
  cr_assert (g_hash_table_size (others) == other->cells->len);
  for (gsize i = 0; i < plan->cells->len; i++) {
    g_autofree char *id = assay_plan_cell_id (plan, assay_plan_cell (plan, i));
    g_autofree char *after = assay_plan_cell_id (changed, assay_plan_cell (changed, i));

    cr_assert (strlen (id) == 16 && strspn (id, "0123456789abcdef") == 16, "%s", id);
    cr_assert (g_hash_table_contains (others, id), "cell %zu has another id", i);
    cr_assert (!g_hash_table_contains (ids, after), "cell %zu has the old id", i);
  }
}

static const char tuned[]
    = HEAD LIFTING DATABASE "tune.neighbours = 5; 10\ntune_measure = recovery-rate\n" VERBATIM
                            "[metric recovery-rate]\ntau = 0.3\n";

Test (plan, hash_is_of_what_is_run)
{
  static const char *const changes[] = { "scenario.seed=4",
                                         "scenario.trials=3",
                                         "scenario.confidence=0.9",
                                         "dataset.secrets=6",
                                         "dataset.tune_secrets=7",
                                         "dataset.public=public.npy[:10]",
                                         "defense lifting.variant=random",
                                         "defense lifting.dimension=2",
                                         "defense lifting.dimension=4;2",
                                         "defense lifting.normalize=no",
                                         "attack db.averaged=2",
                                         "attack db.grants=database;public",
                                         "attack db.tune.neighbours=10;5",
                                         "attack db.tune_measure=relative-error-median",
                                         "attack verbatim.grants=public",
                                         "metric recovery-rate.tau=0.4" };
  g_autoptr (GHashTable) hashes = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);
  g_autoptr (AssayPlan) plan = good_plan (tuned, NULL);
  g_autofree char *noted = g_strconcat ("# a comment\n\n", tuned, "\n#end", NULL);
  g_autoptr (AssayPlan) commented = good_plan (noted, NULL);
  g_autoptr (AssayPlan) spelled = good_plan (tuned, "metric recovery-rate.tau=0.30");
  g_autoptr (AssayPlan) titled = good_plan (tuned, "scenario.title=U");

  cr_assert (strlen (plan->sha256) == 64);
  g_hash_table_add (hashes, g_strdup (plan->sha256));
  for (gsize i = 0; i < G_N_ELEMENTS (changes); i++) {
    GError *error = NULL;
    g_autoptr (AssayPlan) changed = NULL;

    changed = make_plan (tuned, changes[i], &error);
    cr_assert (changed != NULL, "%s: %s", changes[i], error->message);
    cr_assert (g_hash_table_add (hashes, g_strdup (changed->sha256)), "%s changes nothing",
               changes[i]);
  }
  cr_assert_str_eq (commented->sha256, plan->sha256);
  cr_assert_str_eq (spelled->sha256, plan->sha256);
  cr_assert_str_eq (titled->sha256, plan->sha256);
  cr_assert (!g_str_equal (commented->scenario_sha256, plan->scenario_sha256));
}

Test (plan, options_override_the_file)
{
  g_autofree char *path = fixture_write (folder, "a.scenario", HEAD NONE VERBATIM);
  const AssayPlanOptions options
      = { .has_seed = TRUE, .seed = G_MAXUINT64, .has_trials = TRUE, .trials = 4 };
  g_autoptr (AssayPlan) plan = assay_plan_new (path, &options, NULL);

  cr_assert (plan != NULL && plan->seed == G_MAXUINT64 && plan->trials == 4
             && plan->cells->len == 4);
}

/* ---- Streams ---- */

static gboolean
is_same_stream (const AssayPlan *plan, gsize a, gsize b, const char *role)
{
  const AssayStreamKey x = assay_plan_stream (plan, assay_plan_cell (plan, a), role, NULL);
  const AssayStreamKey y = assay_plan_stream (plan, assay_plan_cell (plan, b), role, NULL);

  return memcmp (&x, &y, sizeof x) == 0;
}

/* A role draws from what is upstream of it. Cells: 2 trials x 2 defenses x 2 attacks. */
Test (plan, streams)
{
  g_autoptr (AssayPlan) plan = good_plan (HEAD LIFTING DATABASE VERBATIM, NULL);
  const AssayCell *cell = assay_plan_cell (plan, 0);
  const AssayStreamKey with = assay_plan_stream (plan, cell, "attack", "averaged=3\n");
  const AssayStreamKey other = assay_plan_stream (plan, cell, "attack", "averaged=4\n");

  cr_assert (plan->cells->len == 8);
  cr_assert (is_same_stream (plan, 0, 1, "defense"), "an attack changes a defense's noise");
  cr_assert (!is_same_stream (plan, 0, 2, "defense"), "two defenses have one noise");
  cr_assert (!is_same_stream (plan, 0, 4, "defense"), "two trials have one noise");
  cr_assert (is_same_stream (plan, 0, 6, "data") && is_same_stream (plan, 0, 6, "secrets"));
  cr_assert (memcmp (&with, &other, sizeof with) != 0, "two settings have one stream");
}

/* ---- What is refused ---- */

typedef struct {
  const char *text, *assignment;
  gint code;
  const char *message; /* '@' is the file */
} Refused;

static void
check_refused (const Refused *refused)
{
  g_autofree char *path = g_build_filename (folder, "a.scenario", NULL);
  g_autoptr (AssayPlan) plan = NULL;
  g_autofree char *why = NULL;
  GError *error = NULL;

  plan = make_plan (refused->text, refused->assignment, &error);
  cr_assert (plan == NULL, "accepted, expected: %s", refused->message);
  cr_assert (fixture_error_is (&error, refused->code, refused->message, path, &why), "%s", why);
}

#define ALL HEAD LIFTING NONE DATABASE VERBATIM

static const Refused refused[] = {
  { LIFTING VERBATIM, NULL, ASSAY_ERROR_SCENARIO, "@: has no [dataset]" },
  { HEAD VERBATIM, NULL, ASSAY_ERROR_SCENARIO, "@: has no [defense NAME]" },
  { HEAD NONE, NULL, ASSAY_ERROR_SCENARIO, "@: has no [attack NAME] and no [utility NAME]" },
  { ALL, "scenario.sead=1", ASSAY_ERROR_SCENARIO,
    "--set scenario.sead: unknown key 'sead' (did you mean 'seed'?)" },
  { ALL, "scenario.seed=-1", ASSAY_ERROR_PARAMETER,
    "--set scenario.seed: seed = '-1': expected a whole number, 0 to 9223372036854775807" },
  { ALL, "scenario.trials=0", ASSAY_ERROR_PARAMETER,
    "--set scenario.trials: trials = '0': expected a whole number, 1 to 1000000" },
  { ALL, "scenario.confidence=1", ASSAY_ERROR_PARAMETER,
    "--set scenario.confidence: confidence = '1': expected a number, 0.5 to 0.999999" },
  { ALL, "dataset.secrets=1.5", ASSAY_ERROR_PARAMETER,
    "--set dataset.secrets: secrets = '1.5': expected a whole number, 1 to 1000000000" },
  { ALL, "dataset.secrets=21", ASSAY_ERROR_SCENARIO,
    "@:5 (as changed by --set): [dataset] the plan takes 42 distinct secrets (2 trials x 21), "
    "but the dataset has 40; expected at most secrets = 20, or trials = 1" },
  { ALL, "dataset.order=other", ASSAY_ERROR_PARAMETER,
    "--set dataset.order: order = 'other': expected random, file or same" },
  { ALL, "dataset.order=same", ASSAY_ERROR_SCENARIO,
    "@: order = same is for utilities, as every trial has the same secrets; expected no [attack "
    "NAME], found [attack db]" },
  { tuned, "dataset.secrets=14", ASSAY_ERROR_SCENARIO,
    "@:5 (as changed by --set): [dataset] the plan takes 42 distinct secrets (2 trials x 14 + 14 "
    "for tuning), but the "
    "dataset has 40" },
  { ALL, "dataset.plugin=vector", ASSAY_ERROR_UNKNOWN_PLUGIN,
    "--set dataset.plugin: unknown dataset 'vector' (did you mean 'vectors'?); 'assay list "
    "datasets' shows all" },
  { HEAD NONE "[attack a]\ngrants = public\n", NULL, ASSAY_ERROR_SCENARIO,
    "@:13: [attack a] 'plugin' is missing; 'assay list attacks' shows all" },
  { ALL, "defense lifting.dimention=2", ASSAY_ERROR_SCENARIO,
    "--set defense lifting.dimention: unknown key 'dimention' (did you mean 'dimension'?)" },
  { ALL, "defense lifting.variant=hybird", ASSAY_ERROR_PARAMETER,
    "--set defense lifting.variant: variant = 'hybird': expected one of random, adversarial, "
    "hybrid, sub-hybrid (did you mean 'hybrid'?)" },
  { ALL, "defense lifting.dimension=2;2", ASSAY_ERROR_SCENARIO,
    "--set defense lifting.dimension: dimension: the value '2' appears twice in the list" },
  { ALL, "defense lifting.dimension=2;3", ASSAY_ERROR_PARAMETER,
    "@:11 (as changed by --set): [defense lifting] dimension = 3: expected an even number, "
    "because variant = hybrid "
    "takes half of the directions from the database" },
  { ALL, "defense lifting.dimension=8", ASSAY_ERROR_PARAMETER,
    "@:11 (as changed by --set): [defense lifting] dimension = 8: expected less than 8, the "
    "dimension of the secrets" },
  { ALL, "defense lifting.tune.dimension=2;4", ASSAY_ERROR_SCENARIO,
    "--set defense lifting.tune.dimension: only settings of an attack can be tuned" },
  { ALL, "attack db.grants=datebase", ASSAY_ERROR_PARAMETER,
    "--set attack db.grants: unknown grant 'datebase' (did you mean 'database'?); expected some of "
    "database, public, groups, other-releases, repeats, labels, hash-function, no-parameters, "
    "mechanism, key, aggregator, messages, user, key-generator, features, known-edges, keypoints, "
    "model" },
  { ALL, "attack db.grants=public", ASSAY_ERROR_MISMATCH,
    "@:16 (as changed by --set): [attack db] attack 'database' needs the grant 'database'; "
    "expected grants = database" },
  { ALL, "attack db.grants=database;groups", ASSAY_ERROR_MISMATCH,
    "@:16 (as changed by --set): [attack db] grants 'groups', which the dataset does not have" },
  { ALL, "attack db.neighbours=2", ASSAY_ERROR_PARAMETER,
    "@:16 (as changed by --set): [attack db] averaged = 3: expected at most neighbours = 2" },
  { ALL, "attack db.tune_measure=recovery-rate", ASSAY_ERROR_SCENARIO,
    "--set attack db.tune_measure: nothing is tuned; expected tune.SETTING = a; b; c" },
  { ALL, "attack db.tune.neighbours=5;10", ASSAY_ERROR_SCENARIO,
    "@:16: [attack db] 'tune_measure' is missing: the measure by which a setting is chosen" },
  { tuned, "attack db.tune.neighbours=1;2", ASSAY_ERROR_PARAMETER,
    "@:14 (as changed by --set): [attack db] averaged = 3: expected at most neighbours = 1" },
  { HEAD NONE DATABASE VERBATIM, NULL, ASSAY_ERROR_MISMATCH,
    "@:13: [attack db] fits no defense of the scenario: attack 'database' reads subspaces, but "
    "defense 'none' releases vectors" },
};

Test (plan, errors)
{
  for (gsize i = 0; i < G_N_ELEMENTS (refused); i++)
    check_refused (&refused[i]);
}

Test (plan, a_defense_needs_its_database)
{
  const Refused without = {
    "[dataset]\nplugin = vectors\nprivate = private.npy\nsecrets = 5\n" LIFTING VERBATIM, NULL,
    ASSAY_ERROR_MISMATCH,
    "@:5: [defense lifting] draws its material from the role 'database', which the dataset does "
    "not "
    "have"
  };
  g_autoptr (AssayPlan) random = good_plan (without.text, "defense lifting.variant=random");

  check_refused (&without);
  cr_assert (random->cells->len == 2);
}

/* Secrets are drawn once, however many trials there are, also of a dataset that keeps its own order
 * and is taken whole. */
Test (plan, the_same_secrets_again)
{
  static const char codes[] = "[scenario]\ntrials = 5\n[dataset]\nplugin = gaussian-classes\n"
                              "count = 40\nsecrets = 40\norder = same\n"
                              "[defense lsh]\nplugin = lsh\nbits = 8\n[utility map]\n"
                              "plugin = map\n";
  static const char graph[] = "[scenario]\ntrials = 5\n[dataset]\nplugin = interactions\n"
                              "count = 60\norder = same\n[defense clear]\nplugin = dmp-graph\n"
                              "[utility graph-error]\n";
  g_autoptr (AssayPlan) of_codes = good_plan (codes, NULL);
  g_autoptr (AssayPlan) fewer = good_plan (codes, "scenario.trials=1");
  g_autoptr (AssayPlan) eight = good_plan (codes, "dataset.secrets=8");
  g_autoptr (AssayPlan) of_graph = good_plan (graph, NULL);

  cr_assert (of_codes->cells->len == 5 && assay_plan_draws (of_codes) == 1);
  cr_assert (assay_plan_secrets_needed (of_codes) == 40);
  cr_assert (assay_plan_draws (eight) == 1 && assay_plan_secrets_needed (eight) == 8);
  cr_assert (of_graph->cells->len == 5 && of_graph->secrets == 60);
  cr_assert (assay_plan_secrets_needed (of_graph) == 60);
  cr_assert (!g_str_equal (of_codes->sha256, fewer->sha256));
}
