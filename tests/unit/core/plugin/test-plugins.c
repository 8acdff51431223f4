/* Every plugin that is built in: its metadata, and the lists that it stands in. */
#include <criterion/criterion.h>
#include <string.h>

#include "core/data/codes.h"
#include "core/plugin/registry.h"
#include "tests/reference/fixtures.h"
#include "tests/unit/core/plugin/plugin-promises.h"

static const struct {
  AssayPluginType type;
  const char *folder, *list;
} types[] = {
  { ASSAY_PLUGIN_DEFENSE, "defenses", "defenses" }, { ASSAY_PLUGIN_ATTACK, "attacks", "attacks" },
  { ASSAY_PLUGIN_AUDITOR, "attacks", "auditors" },  { ASSAY_PLUGIN_METRIC, "metrics", "metrics" },
  { ASSAY_PLUGIN_UTILITY, "metrics", "utilities" }, { ASSAY_PLUGIN_DATASET, "datasets", "datasets" }
};

static gboolean
is_word_of (const char *text, const char *separators)
{
  gboolean after_separator = TRUE;

  for (const char *c = text; *c != '\0'; c++) {
    const gboolean is_separator = strchr (separators, *c) != NULL;

    if ((is_separator && after_separator)
        || (!is_separator && !g_ascii_islower (*c) && !g_ascii_isdigit (*c)))
      return FALSE;
    after_separator = is_separator;
  }
  return !after_separator;
}

/* Every default is a value that a scenario could have given: in range, and of the right type. */
static void
check_parameter (const AssayPlugin *plugin, const AssayParam *param)
{
  g_autoptr (AssaySettings) settings
      = assay_settings_new (plugin->parameters, plugin->settings_size);
  g_autofree char *value = assay_settings_get (settings, param);
  g_autofree char *again = NULL;
  g_autoptr (GError) error = NULL;
  const gboolean is_required = param->type == ASSAY_PARAM_TYPE_STRING && param->text == NULL;

  cr_assert (is_word_of (param->name, "_"), "%s: %s is not snake_case", plugin->id, param->name);
  cr_assert (plugin_is_text (param->help), "%s: %s has no help", plugin->id, param->name);
  cr_assert (param->offset < plugin->settings_size, "%s: %s", plugin->id, param->name);
  cr_assert (param->low <= param->high, "%s: %s has no range", plugin->id, param->name);
  for (const AssayParam *other = plugin->parameters; other < param; other++)
    cr_assert (!g_str_equal (other->name, param->name) && other->offset != param->offset,
               "%s: %s appears twice", plugin->id, param->name);
  if (is_required)
    return;
  cr_assert (assay_settings_set (settings, param->name, value, &error), "%s: default of %s: %s",
             plugin->id, param->name, error != NULL ? error->message : "");
  again = assay_settings_get (settings, param);
  cr_assert_str_eq (again, value, "%s: %s", plugin->id, param->name);
}

Test (plugins, metadata_is_complete)
{
  for (gsize t = 0; t < G_N_ELEMENTS (types); t++) {
    const AssayPlugin *const *list = assay_plugin_lists[types[t].type];

    cr_assert (list[0] != NULL, "no %s", types[t].list);
    for (gsize i = 0; list[i] != NULL; i++) {
      const AssayPlugin *plugin = list[i];

      cr_assert (is_word_of (plugin->id, "-"), "%s is not kebab-case", plugin->id);
      cr_assert (i == 0 || strcmp (list[i - 1]->id, plugin->id) < 0, "%s is out of order",
                 plugin->id);
      cr_assert (plugin_is_text (plugin->summary) && plugin_is_text (plugin->reference.work)
                     && plugin_is_text (plugin->reference.place),
                 "%s: summary or reference", plugin->id);
      cr_assert ((plugin->parameters != NULL) == (plugin->settings_size > 0), "%s", plugin->id);
      cr_assert (assay_registry_find (types[t].type, plugin->id, NULL) == plugin, "%s", plugin->id);
      for (const AssayParam *p = plugin->parameters; p != NULL && p->name != NULL; p++)
        check_parameter (plugin, p);
    }
  }
}

/* A defense claims in words and as a mechanism, or not at all; a game has its callbacks. */
Test (plugins, mechanisms_and_games_are_complete)
{
  for (gsize i = 0; assay_defenses[i] != NULL; i++) {
    const AssayDefense *defense = assay_defenses[i];
    const AssayMechanism *mechanism = defense->mechanism;

    if (mechanism == NULL)
      continue;
    cr_assert (plugin_is_text (defense->claim) && plugin_is_text (mechanism->neighbours), "%s",
               defense->id);
    cr_assert (mechanism->budget != NULL && mechanism->size != NULL, "%s", defense->id);
    /* Of this process with pairs of its own, or of another with pairs in a file. */
    cr_assert (mechanism->batches == NULL
                   ? mechanism->pair != NULL && mechanism->run != NULL && mechanism->n_proposed > 0
                   : mechanism->pair == NULL && mechanism->run == NULL,
               "%s", defense->id);
  }
  for (gsize i = 0; assay_attacks[i] != NULL; i++) {
    const AssayAttack *attack = assay_attacks[i];
    const gboolean is_elsewhere = attack->external != NULL && attack->external->verify != NULL;

    cr_assert (attack->attack != NULL, "%s", attack->id);
    /* An external guess has no control. */
    cr_assert (assay_control_terms (&attack->plugin).is_there == !is_elsewhere, "%s", attack->id);
  }
  for (gsize i = 0; assay_auditors[i] != NULL; i++) {
    const AssayAuditor *auditor = assay_auditors[i];

    cr_assert ((auditor->choose_event != NULL) == (auditor->game == ASSAY_AUDIT_TWO_INPUTS), "%s",
               auditor->id);
    cr_assert ((auditor->score_canaries != NULL) == (auditor->game == ASSAY_AUDIT_ONE_RUN), "%s",
               auditor->id);
    cr_assert (auditor->control.play != NULL, "%s", auditor->id);
  }
}

static gboolean
is_verified (const AssayPlugin *plugin)
{
  const AssayExternal *external = assay_plugin_external (plugin);

  return external != NULL && external->verify != NULL;
}

/* Only the plugins exec, and those whose work was done elsewhere: none that should be tested here
 * can leave by itself. */
Test (plugins, defenses_and_attacks_without_defaults)
{
  for (gsize i = 0; assay_defenses[i] != NULL; i++)
    cr_assert (plugin_is_complete (&assay_defenses[i]->plugin)
                   == (!g_str_equal (assay_defenses[i]->id, "exec")
                       && !is_verified (&assay_defenses[i]->plugin)),
               "%s", assay_defenses[i]->id);
  for (gsize i = 0; assay_attacks[i] != NULL; i++)
    cr_assert (plugin_is_complete (&assay_attacks[i]->plugin)
                   == (!g_str_equal (assay_attacks[i]->id, "exec")
                       && !is_verified (&assay_attacks[i]->plugin)),
               "%s", assay_attacks[i]->id);
  for (gsize i = 0; assay_auditors[i] != NULL; i++)
    cr_assert (plugin_is_complete (&assay_auditors[i]->plugin), "%s", assay_auditors[i]->id);
}

/* Defaults that contradict each other could not be run as they are. */
Test (plugins, defaults_agree_with_each_other)
{
  const AssayShape shape
      = { .n_secrets = 2000, .cols = 128, .n_classes = 10, .n_public = 10000, .n_database = 10000 };
  const AssayShape narrow = { .n_secrets = 200, .cols = 1 }; /* what mechanisms take */
  const AssayShape images
      = { .n_secrets = 200, .cols = 64, .geometry = { .height = 8, .width = 8, .channels = 1 } };

  for (gsize t = 0; t < G_N_ELEMENTS (types); t++)
    for (const AssayPlugin *const *p = assay_plugin_lists[types[t].type]; *p != NULL; p++) {
      g_autoptr (AssaySettings) settings
          = assay_settings_new ((*p)->parameters, (*p)->settings_size);
      g_autoptr (GError) error = NULL;

      cr_assert ((*p)->check == NULL || (*p)->check (settings->values, &shape, NULL)
                     || (*p)->check (settings->values, &images, NULL)
                     || (*p)->check (settings->values, &narrow, &error),
                 "%s: %s", (*p)->id, error != NULL ? error->message : "");
    }
}

/* Names of measures are what claims use: unique over all metrics and utilities. */
Test (plugins, measures)
{
  g_autoptr (GHashTable) names = g_hash_table_new (g_str_hash, g_str_equal);
  g_autoptr (GPtrArray) metrics = assay_registry_offers (ASSAY_PLUGIN_METRIC);

  for (gsize i = 0; i < metrics->len; i++) {
    const AssayMeasuring *metric = assay_measuring_of (metrics->pdata[i]);

    cr_assert (metric->n_series >= 1 && metric->n_series <= ASSAY_MAX_SERIES, "%s", metric->id);
    cr_assert (metric->measures[0].name != NULL, "%s", metric->id);
    for (const AssayMeasure *m = metric->measures; m->name != NULL; m++) {
      cr_assert (is_word_of (m->name, "-") && plugin_is_text (m->help) && plugin_is_text (m->unit),
                 "%s", m->name);
      cr_assert (m->series < metric->n_series && m->low < m->high, "%s", m->name);
      cr_assert (m->statistic != ASSAY_STATISTIC_RATE || (m->low == 0 && m->high == 1), "%s",
                 m->name);
      cr_assert (g_hash_table_add (names, (gpointer) m->name), "%s appears twice", m->name);
    }
  }
}

/* The ids of the list in a folder's meson.build, one a line: "  'none',". */
static GHashTable *
listed_in_meson (const char *source, const char *folder, const char *list)
{
  g_autofree char *path = g_build_filename (source, folder, "meson.build", NULL);
  g_autofree char *start = g_strdup_printf ("%s_plugins = [", list);
  g_autofree char *text = NULL;
  g_auto (GStrv) lines = NULL;
  GHashTable *ids = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);
  gboolean is_inside = FALSE;

  cr_assert (g_file_get_contents (path, &text, NULL, NULL), "%s", path);
  lines = g_strsplit (text, "\n", -1);
  for (guint i = 0; lines[i] != NULL; i++) {
    char *line = g_strstrip (lines[i]);

    if (is_inside && *line == ']')
      break;
    if (is_inside && *line == '\'') {
      line[1 + strcspn (line + 1, "'")] = '\0';
      g_hash_table_add (ids, g_path_get_basename (line + 1));
    }
    is_inside |= g_str_equal (line, start);
  }
  return ids;
}

/* What meson's lists name is registered. That each has its file is seen by tools/check-sources. */
Test (plugins, lists_and_registry_agree)
{
  const char *source = g_getenv ("ASSAY_SOURCE");

  cr_assert (source != NULL, "ASSAY_SOURCE is not set: run through meson test");
  for (gsize t = 0; t < G_N_ELEMENTS (types); t++) {
    g_autoptr (GHashTable) listed = listed_in_meson (source, types[t].folder, types[t].list);
    const AssayPlugin *const *registered = assay_plugin_lists[types[t].type];
    guint n = 0;

    for (; registered[n] != NULL; n++)
      cr_assert (g_hash_table_contains (listed, registered[n]->id), "%s is not listed",
                 registered[n]->id);
    cr_assert (n > 0 && n == g_hash_table_size (listed), "%s: %u listed, %u registered",
               types[t].list, g_hash_table_size (listed), n);
  }
}

Test (plugins, unknown_names_have_the_closest_match)
{
  g_autofree char *why = NULL;
  GError *error = NULL;

  cr_assert (assay_registry_find (ASSAY_PLUGIN_ATTACK, "databse", &error) == NULL);
  cr_assert (fixture_error_is (&error, ASSAY_ERROR_UNKNOWN_PLUGIN,
                               "unknown attack 'databse' (did you mean 'database'?); 'assay list "
                               "attacks' shows all",
                               NULL, &why),
             "%s", why);
}
