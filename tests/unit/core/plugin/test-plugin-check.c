/* Descriptors that are not whole, and adding plugins to the registry. */
#include <criterion/criterion.h>
#include <string.h>

#include "core/plugin/plugin-check.h"
#include "core/plugin/registry.h"
#include "tests/reference/fixtures.h"

#define EXPECT_ERROR(call, message)                                                                \
  do {                                                                                             \
    g_autofree char *why = NULL;                                                                   \
    GError *error = NULL;                                                                          \
                                                                                                   \
    cr_assert (!(call), "%s", message);                                                            \
    cr_assert (fixture_error_is (&error, ASSAY_ERROR_DATA, message, NULL, &why), "%s", why);       \
  } while (0)

#define CHECK(descriptor) assay_plugin_check (&(descriptor).plugin, &error)

typedef struct {
  double width;
  guint form;
} Settings;

static const char *const forms[] = { "round", "square", NULL };

static gboolean
measure (G_GNUC_UNUSED const AssayMetricContext *context, G_GNUC_UNUSED const AssayTruth *truth,
         G_GNUC_UNUSED const AssayGuess *guess, G_GNUC_UNUSED AssayOutcomes *ret_outcomes,
         G_GNUC_UNUSED GError **error)
{
  return FALSE;
}

static const AssayPlugin *
built_in (AssayPluginType type, const char *id)
{
  return assay_registry_find (type, id, NULL);
}

Test (plugin_check, what_is_built_in_is_whole)
{
  for (guint type = ASSAY_PLUGIN_NONE + 1; type < ASSAY_N_PLUGIN_TYPES; type++)
    for (const AssayPlugin *const *p = assay_plugin_lists[type]; *p != NULL; p++) {
      g_autoptr (GError) error = NULL;

      cr_assert ((*p)->type == type, "%s", (*p)->id);
      cr_assert (assay_plugin_check (*p, &error), "%s", error != NULL ? error->message : "");
    }
}

Test (plugin_check, metadata)
{
  AssayDefense defense = *(const AssayDefense *) built_in (ASSAY_PLUGIN_DEFENSE, "none");

  defense.id = "Not-Kebab";
  EXPECT_ERROR (CHECK (defense), "a defense without an id in kebab-case");
  defense.id = NULL;
  EXPECT_ERROR (CHECK (defense), "a defense without an id in kebab-case");
  defense.id = "a-defense-";
  EXPECT_ERROR (CHECK (defense), "a defense without an id in kebab-case");
  defense.id = "mine";
  defense.summary = "two\nlines";
  EXPECT_ERROR (CHECK (defense), "'mine': expected the member summary, of one line");
  defense.summary = "a line";
  defense.reference.place = "";
  EXPECT_ERROR (CHECK (defense), "'mine': expected the member reference, of a work and a place");
}

Test (plugin_check, settings)
{
  AssayDefense defense = *(const AssayDefense *) built_in (ASSAY_PLUGIN_DEFENSE, "none");
  AssayParam table[]
      = { ASSAY_PARAM_REAL (Settings, width, 1, 0, 2, "", "The width"),
          ASSAY_PARAM_CHOICE (Settings, form, 0, forms, "The form"), ASSAY_PARAM_END };
  const AssayParam whole = table[0];

  defense.id = "mine";
  defense.parameters = table;
  EXPECT_ERROR (CHECK (defense), "'mine': expected parameters and settings_size, or neither");
  defense.settings_size = sizeof (Settings);
  cr_assert (assay_plugin_check (&defense.plugin, NULL));
  table[0].number = 3;
  EXPECT_ERROR (CHECK (defense), "'mine': the setting 'width' has a default outside its range");
  table[0] = whole;
  table[0].offset = sizeof (Settings) - 4;
  EXPECT_ERROR (CHECK (defense),
                "'mine': the setting 'width' lies outside the struct of the settings");
  table[0] = whole;
  table[0].help = NULL;
  EXPECT_ERROR (CHECK (defense), "'mine': the setting 'width' has no help");
  table[0] = whole;
  table[1].number = 2;
  EXPECT_ERROR (CHECK (defense),
                "'mine': the setting 'form' has a default that is none of its choices");
  table[1] = table[0];
  EXPECT_ERROR (CHECK (defense), "'mine': the setting 'width' appears twice");
}

Test (plugin_check, callbacks)
{
  AssayDefense defense = *(const AssayDefense *) built_in (ASSAY_PLUGIN_DEFENSE, "laplace");
  AssayMechanism mechanism = *defense.mechanism;
  AssayAttack attack = *(const AssayAttack *) built_in (ASSAY_PLUGIN_ATTACK, "nearest");
  AssayAuditor auditor = *(const AssayAuditor *) built_in (ASSAY_PLUGIN_AUDITOR, "one-run");
  AssayDatasetPlugin dataset
      = *(const AssayDatasetPlugin *) built_in (ASSAY_PLUGIN_DATASET, "vectors");

  mechanism.run = NULL;
  defense.mechanism = &mechanism;
  EXPECT_ERROR (CHECK (defense),
                "'laplace': expected the mechanism's members pair, n_proposed, and run or doubles, "
                "or batches");
  mechanism.batches = &(AssayBatches){ .run_many = NULL };
  EXPECT_ERROR (CHECK (defense), "'laplace': expected every member of the mechanism's batches");
  mechanism = *assay_defense_of (built_in (ASSAY_PLUGIN_DEFENSE, "laplace"))->mechanism;
  mechanism.canaries = &(AssayCanaries){ .most = NULL };
  EXPECT_ERROR (CHECK (defense), "'laplace': expected every member of the mechanism's canaries");
  defense.mechanism = NULL;
  defense.produces = ASSAY_RELEASE_VECTORS | ASSAY_RELEASE_CODES;
  EXPECT_ERROR (CHECK (defense), "'laplace': expected the member produces to be a kind of release");
  defense.protect = NULL;
  EXPECT_ERROR (CHECK (defense), "'laplace': expected the member protect");
  attack.control.make = NULL;
  EXPECT_ERROR (CHECK (attack), "'nearest': expected the member control.make");
  attack.game = (AssayGame) 17;
  EXPECT_ERROR (CHECK (attack), "'nearest': expected the member game to be one that there is");
  auditor.score_canaries = NULL;
  EXPECT_ERROR (CHECK (auditor), "'one-run': expected the member choose_event, or for the game "
                                 "one-run one_run_sizes and score_canaries");
  auditor.control.play = NULL;
  EXPECT_ERROR (CHECK (auditor), "'one-run': expected the members control.says and control.play");
  dataset.probe = NULL;
  EXPECT_ERROR (CHECK (dataset), "'vectors': expected the members probe and open");
  dataset.type = ASSAY_PLUGIN_NONE;
  EXPECT_ERROR (CHECK (dataset), "'vectors': is of no type that there is");
}

Test (plugin_check, measures)
{
  static AssayMeasure measures[]
      = { ASSAY_MEASURE (0, "mine-share", RATE, 0, 1, "share", "A share", ASSAY_HEADLINE,
                         ASSAY_HIGHER_IS_WORSE),
          ASSAY_MEASURE_END };
  AssayMetric metric = { .type = ASSAY_PLUGIN_METRIC,
                         .id = "mine",
                         .summary = "A metric",
                         .reference = { "a work", "a place" },
                         .n_series = 1,
                         .measures = measures };
  AssayUtility utility = { .type = ASSAY_PLUGIN_UTILITY,
                           .id = "mine",
                           .summary = "A utility",
                           .reference = { "a work", "a place" },
                           .n_series = 1,
                           .measures = measures };

  EXPECT_ERROR (CHECK (utility), "'mine': expected the member assess");
  EXPECT_ERROR (CHECK (metric), "'mine': expected the member measure");
  metric.measure = measure;
  cr_assert (assay_plugin_check (&metric.plugin, NULL));
  metric.n_series = ASSAY_MAX_SERIES + 1;
  EXPECT_ERROR (CHECK (metric), "'mine': expected the member n_series to be 1 to 12");
  metric.n_series = 1;
  measures[0].series = 1;
  EXPECT_ERROR (CHECK (metric),
                "'mine': the measure 'mine-share': expected a name in kebab-case, help, unit, a "
                "series that there is, a statistic and a range");
}

/* The lists stay sorted and terminated, and know where a plugin came from. */
Test (registry, adding)
{
  const AssayPluginOrigin origin = { (char *) "/p/mine.so", (char *) "abc" };
  AssayDefense first = *(const AssayDefense *) built_in (ASSAY_PLUGIN_DEFENSE, "none");
  AssayDefense last = first, again = first;
  guint n_before = 0, n_after = 0;

  while (assay_defenses[n_before] != NULL)
    n_before++;
  first.id = "aaa";
  last.id = again.id = "zzz";
  cr_assert (assay_registry_add (&last.plugin, &origin, NULL));
  cr_assert (assay_registry_add (&first.plugin, &origin, NULL));
  while (assay_defenses[n_after] != NULL)
    n_after++;
  cr_assert (n_after == n_before + 2 && assay_defenses[0] == &first
             && assay_defenses[n_after - 1] == &last);
  for (guint i = 1; i < n_after; i++)
    cr_assert (strcmp (assay_defenses[i - 1]->id, assay_defenses[i]->id) < 0);
  cr_assert (built_in (ASSAY_PLUGIN_DEFENSE, "zzz") == &last.plugin);
  cr_assert_str_eq (assay_registry_origin (&last.plugin)->path, "/p/mine.so");
  cr_assert (assay_registry_origin (built_in (ASSAY_PLUGIN_DEFENSE, "none")) == NULL);
  EXPECT_ERROR (assay_registry_add (&again.plugin, &origin, &error),
                "there is another defense 'zzz' already (/p/mine.so)");
  again.id = "none";
  EXPECT_ERROR (assay_registry_add (&again.plugin, &origin, &error),
                "there is another defense 'none' already (built in)");
}

/* Claims name measures without their metric. A loaded metric is measured on request alone. */
Test (registry, measures_are_unique)
{
  const AssayPluginOrigin origin = { (char *) "/p/mine.so", (char *) "abc" };
  AssayMetric metric = *(const AssayMetric *) built_in (ASSAY_PLUGIN_METRIC, "recovery-rate");
  static const AssayMeasure measures[]
      = { ASSAY_MEASURE (0, "mine-share", RATE, 0, 1, "share", "A share", ASSAY_HEADLINE,
                         ASSAY_HIGHER_IS_WORSE),
          ASSAY_MEASURE_END };

  metric.id = "mine";
  EXPECT_ERROR (assay_registry_add (&metric.plugin, &origin, &error),
                "the metric 'mine' has a measure 'recovery-rate', and so has 'recovery-rate' "
                "(built in)");
  metric.measures = measures;
  cr_assert (!assay_metric_on_request (&metric));
  cr_assert (assay_registry_add (&metric.plugin, &origin, NULL));
  cr_assert (assay_metric_on_request (&metric));
}

/* Users name an auditor as an attack, and a utility where a metric is asked for. */
Test (registry, names_are_shared)
{
  const AssayPluginOrigin origin = { (char *) "/p/mine.so", (char *) "abc" };
  AssayAttack attack = *(const AssayAttack *) built_in (ASSAY_PLUGIN_ATTACK, "nearest");
  g_autoptr (GPtrArray) attacks = assay_registry_offers (ASSAY_PLUGIN_ATTACK);

  attack.id = "one-run";
  EXPECT_ERROR (assay_registry_add (&attack.plugin, &origin, &error),
                "there is another attack 'one-run' already (built in)");
  cr_assert (assay_auditor_of (built_in (ASSAY_PLUGIN_ATTACK, "one-run")) != NULL);
  cr_assert (assay_utility_of (built_in (ASSAY_PLUGIN_METRIC, "matching")) != NULL);
  for (guint i = 1; i < attacks->len; i++)
    cr_assert (strcmp (((const AssayPlugin *) attacks->pdata[i - 1])->id,
                       ((const AssayPlugin *) attacks->pdata[i])->id)
               < 0);
}

/* An array of which nobody says what it is would be refused in every guess. */
Test (plugin_check, metrics_read_arrays_that_attacks_or_games_write)
{
  for (guint i = 0; assay_metrics[i] != NULL; i++)
    for (const char *const *name = assay_metrics[i]->reads_guess; name != NULL && *name != NULL;
         name++) {
      g_autoptr (AssayGuess) guess = assay_guess_new ();
      g_autoptr (GError) error = NULL;
      static const gsize none = 0;

      /* Of a type that none of them has. */
      assay_arrays_take (&guess->arrays, *name,
                         assay_array_take (ASSAY_INT32, 1, &none, g_malloc (1)));
      cr_assert (!assay_guess_check (guess, assay_registry_guess_arrays (), &error));
      cr_assert (strstr (error->message, "does not know") == NULL, "%s reads '%s'",
                 assay_metrics[i]->id, *name);
    }
}
