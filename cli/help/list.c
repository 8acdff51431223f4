/* assay list and assay describe: the plugins and their settings, from their own tables. */
#include <stdio.h>
#include <string.h>

#include "cli/cli.h"
#include "core/base/json.h"
#include "core/base/text.h"
#include "core/plugin/registry.h"

#define N_TYPES 4

static const AssayPluginType types[N_TYPES]
    = { ASSAY_PLUGIN_DEFENSE, ASSAY_PLUGIN_ATTACK, ASSAY_PLUGIN_METRIC, ASSAY_PLUGIN_DATASET };

/* A utility is a metric that reads releases. */
static gboolean
is_utility (AssayPluginType type, const AssayPlugin *plugin)
{
  return type == ASSAY_PLUGIN_METRIC && ((const AssayMetric *) plugin)->assess != NULL;
}

/* What is listed under one heading. */
typedef struct {
  AssayPluginType type;
  gboolean is_of_utilities;
  const char *heading;
  const char *word; /* by which it is asked for */
} Listing;

static const Listing listings[] = {
  { ASSAY_PLUGIN_DEFENSE, FALSE, "defenses", "defenses" },
  { ASSAY_PLUGIN_ATTACK, FALSE, "attacks", "attacks" },
  { ASSAY_PLUGIN_METRIC, FALSE, "metrics", "metrics" },
  { ASSAY_PLUGIN_METRIC, TRUE, "utilities", "metrics" },
  { ASSAY_PLUGIN_DATASET, FALSE, "datasets", "datasets" },
};

static gboolean
is_asked_for (const Listing *listing, const char *word)
{
  return word == NULL || g_str_equal (word, listing->word);
}

static void
print_listing (const Listing *listing, int width)
{
  const AssayPlugin *const *list = assay_registry_list (listing->type);

  printf ("%s\n", listing->heading);
  for (guint i = 0; list[i] != NULL; i++) {
    const AssayPluginOrigin *origin = assay_registry_origin (list[i]);
    g_autofree char *file = origin != NULL ? g_path_get_basename (origin->path) : NULL;

    if (is_utility (listing->type, list[i]) == listing->is_of_utilities)
      printf ("  %-*s %s%s%s%s\n", width, list[i]->id, list[i]->summary,
              file != NULL ? " (from " : "", file != NULL ? file : "", file != NULL ? ")" : "");
  }
}

/* The longest id of all that is asked for, so that summaries stand in one column. */
static int
id_width (const char *word)
{
  gsize width = 0;

  for (gsize l = 0; l < G_N_ELEMENTS (listings); l++) {
    const AssayPlugin *const *list = assay_registry_list (listings[l].type);

    for (guint i = 0; is_asked_for (&listings[l], word) && list[i] != NULL; i++)
      width = MAX (width, strlen (list[i]->id));
  }
  return (int) width;
}

static int
list_plugins (int n, char **words)
{
  const char *word = n > 0 ? words[0] : NULL;
  const int width = id_width (word);
  gboolean is_any = FALSE;

  for (gsize l = 0; l < G_N_ELEMENTS (listings); l++) {
    if (!is_asked_for (&listings[l], word))
      continue;
    if (is_any)
      printf ("\n");
    is_any = TRUE;
    print_listing (&listings[l], width);
  }
  return is_any ? EXIT_OK
                : cli_refuse ("'%s': expected defenses, attacks, metrics or datasets", word);
}

const CliUsage cli_list = {
  .parameters = "[defenses|attacks|metrics|datasets]",
  .summary = "Lists what Assay can audit and attack with.",
  .entries = cli_no_options,
  .max_words = 1,
  .run = list_plugins,
};

/* ---- describe ---- */

static void
print_parameters (const AssayPlugin *plugin)
{
  if (plugin->parameters == NULL)
    return;
  printf ("\nSettings\n");
  for (const AssayParam *param = plugin->parameters; param->name != NULL; param++) {
    g_autofree char *about = assay_param_describe (param);

    printf ("  %s\n      %s\n      %s\n", param->name, param->help, about);
  }
}

static void
print_measures (const AssayMetric *metric)
{
  printf ("\nMeasures\n");
  for (const AssayMeasure *measure = metric->measures; measure->name != NULL; measure++)
    printf ("  %s\n      %s\n      %s; %s\n", measure->name, measure->help, measure->unit,
            assay_measure_direction (metric, measure));
}

static const char *
word_for (AssayPluginType type, const AssayPlugin *plugin)
{
  return is_utility (type, plugin) ? "utility" : assay_plugin_type_name (type);
}

static void
print_description (AssayPluginType type, const AssayPlugin *plugin)
{
  const AssayPluginOrigin *origin = assay_registry_origin (plugin);

  printf ("%s (%s)\n%s\n\n%s\n%s\n", plugin->id, word_for (type, plugin), plugin->summary,
          plugin->reference.work, plugin->reference.place);
  if (type == ASSAY_PLUGIN_DEFENSE) {
    const AssayDefense *defense = (const AssayDefense *) plugin;
    g_autofree char *kinds = assay_release_kinds_describe (defense->produces);

    printf ("\nReleases: %s\nFormal claim: %s\n", kinds,
            defense->claim != NULL ? defense->claim : "none");
    if (defense->mechanism != NULL)
      printf ("Neighbours: %s\nDensity: %s\n", defense->mechanism->neighbours,
              defense->mechanism->log_ratio != NULL ? "exact" : "not known");
  } else if (type == ASSAY_PLUGIN_ATTACK) {
    const AssayAttack *attack = (const AssayAttack *) plugin;
    g_autofree char *reads = assay_release_kinds_describe (attack->reads);
    g_autofree char *needs = assay_grants_describe (attack->needs);

    printf ("\nReads: %s\nNeeds the grants: %s\nControl: %s\n", reads,
            *needs != '\0' ? needs : "none", attack->control.says);
  } else if (type == ASSAY_PLUGIN_METRIC) {
    const AssayMetric *metric = (const AssayMetric *) plugin;
    g_autofree char *reads = assay_release_kinds_describe (metric->reads);
    g_autofree char *needs = assay_holdings_describe (metric->needs);

    if (metric->reads != 0)
      printf ("\nReads: %s\n", reads);
    if (metric->needs != 0)
      printf ("%sNeeds of the dataset: %s\n", metric->reads != 0 ? "" : "\n", needs);
    if (assay_metric_on_request (metric))
      printf ("%sMeasured where a [metric] of the scenario names it\n",
              metric->reads != 0 || metric->needs != 0 ? "" : "\n");
  }
  if (origin != NULL)
    printf ("\nLoaded from %s\nsha256 %s\n", origin->path, origin->sha256);
  print_parameters (plugin);
  if (type == ASSAY_PLUGIN_METRIC)
    print_measures ((const AssayMetric *) plugin);
}

static void
write_parameter (AssayJson *json, const AssayParam *param)
{
  static const char *const names[] = { "bool", "int", "real", "choice", "string" };

  assay_json_begin_object (json);
  assay_json_member_string (json, "name", param->name);
  assay_json_member_string (json, "type", names[param->type]);
  assay_json_member_string (json, "help", param->help);
  if (param->type == ASSAY_PARAM_TYPE_INT || param->type == ASSAY_PARAM_TYPE_REAL) {
    assay_json_member_double (json, "low", param->low);
    assay_json_member_double (json, "high", param->high);
    assay_json_member_double (json, "default", param->number);
    assay_json_member_string (json, "unit", param->unit);
  } else if (param->type == ASSAY_PARAM_TYPE_BOOL) {
    assay_json_member_bool (json, "default", param->number != 0);
  } else if (param->type == ASSAY_PARAM_TYPE_CHOICE) {
    assay_json_member_array (json, "choices");
    for (guint i = 0; param->choices[i] != NULL; i++)
      assay_json_string (json, param->choices[i]);
    assay_json_end_array (json);
    assay_json_member_string (json, "default", param->choices[(guint) param->number]);
  } else {
    assay_json_member_string (json, "default", param->text);
  }
  assay_json_end_object (json);
}

static void
write_names (AssayJson *json, const char *key, guint set, const char *(*name) (guint bit))
{
  assay_json_member_array (json, key);
  for (guint bit = 0; bit < 32; bit++)
    if (set & (1u << bit))
      assay_json_string (json, name (bit));
  assay_json_end_array (json);
}

static const char *
kind_name (guint bit)
{
  return assay_release_kind_name ((AssayReleaseKind) (1u << bit));
}

static const char *
grant_name (guint bit)
{
  return assay_grant_names[bit];
}

static void
write_measures (AssayJson *json, const AssayMetric *metric)
{
  assay_json_member_array (json, "measures");
  for (const AssayMeasure *measure = metric->measures; measure->name != NULL; measure++) {
    assay_json_begin_object (json);
    assay_json_member_string (json, "name", measure->name);
    assay_json_member_string (json, "unit", measure->unit);
    assay_json_member_string (json, "help", measure->help);
    assay_json_member_string (json, "direction", assay_measure_direction (metric, measure));
    assay_json_end_object (json);
  }
  assay_json_end_array (json);
}

static void
print_json (AssayPluginType type, const AssayPlugin *plugin)
{
  const AssayPluginOrigin *origin = assay_registry_origin (plugin);
  AssayJson *json = assay_json_new ();
  g_autofree char *text = NULL;

  assay_json_begin_object (json);
  assay_json_member_string (json, "type", assay_plugin_type_name (type));
  assay_json_member_string (json, "id", plugin->id);
  assay_json_member_string (json, "summary", plugin->summary);
  assay_json_member_string (json, "work", plugin->reference.work);
  assay_json_member_string (json, "place", plugin->reference.place);
  if (origin != NULL) {
    assay_json_member_string (json, "file", origin->path);
    assay_json_member_string (json, "sha256", origin->sha256);
  }
  if (type == ASSAY_PLUGIN_DEFENSE) {
    const AssayDefense *defense = (const AssayDefense *) plugin;
    g_autofree char *kinds = assay_release_kinds_describe (defense->produces);

    assay_json_member_string (json, "releases", kinds);
    assay_json_member_string (json, "claim", defense->claim);
    if (defense->mechanism != NULL) {
      assay_json_member_string (json, "neighbours", defense->mechanism->neighbours);
      assay_json_member_bool (json, "density", defense->mechanism->log_ratio != NULL);
    }
  } else if (type == ASSAY_PLUGIN_ATTACK) {
    const AssayAttack *attack = (const AssayAttack *) plugin;

    write_names (json, "reads", attack->reads, kind_name);
    write_names (json, "needs", attack->needs, grant_name);
    assay_json_member_string (json, "control", attack->control.says);
  } else if (type == ASSAY_PLUGIN_METRIC) {
    const AssayMetric *metric = (const AssayMetric *) plugin;

    assay_json_member_bool (json, "utility", metric->assess != NULL);
    assay_json_member_bool (json, "on_request", assay_metric_on_request (metric));
    if (metric->reads != 0)
      write_names (json, "reads", metric->reads, kind_name);
    write_measures (json, metric);
  }
  assay_json_member_array (json, "parameters");
  for (const AssayParam *param = plugin->parameters; param != NULL && param->name != NULL; param++)
    write_parameter (json, param);
  assay_json_end_array (json);
  assay_json_end_object (json);
  text = assay_json_finish (json);
  fputs (text, stdout);
}

/* The closest of all names, since the type was not given. */
static int
fail_unknown (const char *name)
{
  g_autoptr (GPtrArray) ids = g_ptr_array_new ();
  g_autofree char *hint = NULL;

  for (guint t = 0; t < N_TYPES; t++)
    for (guint i = 0; assay_registry_list (types[t])[i] != NULL; i++)
      g_ptr_array_add (ids, (gpointer) assay_registry_list (types[t])[i]->id);
  g_ptr_array_add (ids, NULL);
  hint = assay_text_did_you_mean (name, (const char *const *) ids->pdata);
  return cli_refuse ("nothing is called '%s'%s; 'assay list' shows all", name, hint);
}

static gboolean is_json;

static const GOptionEntry entries[]
    = { { "json", 0, 0, G_OPTION_ARG_NONE, &is_json, "For programs", NULL }, G_OPTION_ENTRY_NULL };

static int
describe (int n, char **words)
{
  gboolean is_found = FALSE;

  if (n != 1)
    return cli_refuse ("expected one name; 'assay list' shows all");
  for (guint t = 0; t < N_TYPES; t++)
    for (guint i = 0; assay_registry_list (types[t])[i] != NULL; i++) {
      const AssayPlugin *plugin = assay_registry_list (types[t])[i];

      if (!g_str_equal (plugin->id, words[0]))
        continue;
      is_found = TRUE;
      (is_json ? print_json : print_description) (types[t], plugin);
    }
  return is_found ? EXIT_OK : fail_unknown (words[0]);
}

const CliUsage cli_describe = {
  .parameters = "NAME",
  .summary = "Explains a defense, attack, metric or dataset.",
  .entries = entries,
  .max_words = CLI_ANY_NUMBER,
  .run = describe,
};
