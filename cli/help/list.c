/* assay list and assay describe: the plugins and their settings, from their own tables. */
#include <stdio.h>
#include <string.h>

#include "cli/cli.h"
#include "core/base/each.h"
#include "core/base/json.h"
#include "core/base/text.h"
#include "core/plugin/registry.h"

#define N_TYPES 4

static const AssayPluginType types[N_TYPES]
    = { ASSAY_PLUGIN_DEFENSE, ASSAY_PLUGIN_ATTACK, ASSAY_PLUGIN_METRIC, ASSAY_PLUGIN_DATASET };

/* What is listed under one heading. */
typedef struct {
  AssayPluginType type;
  const char *heading;
  const char *word; /* by which it is asked for */
} Listing;

static const Listing listings[] = {
  { ASSAY_PLUGIN_DEFENSE, "defenses", "defenses" },
  { ASSAY_PLUGIN_ATTACK, "attacks", "attacks" },
  { ASSAY_PLUGIN_METRIC, "metrics", "metrics" },
  { ASSAY_PLUGIN_UTILITY, "utilities", "metrics" }, /* and by its heading */
  { ASSAY_PLUGIN_DATASET, "datasets", "datasets" },
};

/* Auditors are attacks; utilities have a heading of their own. */
static gboolean
is_listed (const Listing *listing, const AssayPlugin *plugin)
{
  return g_str_equal (assay_plugin_type_name (plugin->type),
                      assay_plugin_type_name (listing->type));
}

static gboolean
is_asked_for (const Listing *listing, const char *word)
{
  return word == NULL || g_str_equal (word, listing->word) || g_str_equal (word, listing->heading);
}

static void
print_listing (const Listing *listing, int width)
{
  g_autoptr (GPtrArray) offers = assay_registry_offers (listing->type);

  printf ("%s\n", listing->heading);
  ASSAY_FOR_EACH (const AssayPlugin, plugin, offers) {
    const AssayPluginOrigin *origin = assay_registry_origin (plugin);
    g_autofree char *file = origin != NULL ? g_path_get_basename (origin->path) : NULL;

    if (is_listed (listing, plugin))
      printf ("  %-*s %s%s%s%s\n", width, plugin->id, plugin->summary,
              file != NULL ? " (from " : "", file != NULL ? file : "", file != NULL ? ")" : "");
  }
}

/* The longest id of all that is asked for, so that summaries stand in one column. */
static int
id_width (const char *word)
{
  gsize width = 0;

  for (gsize l = 0; l < G_N_ELEMENTS (listings); l++) {
    g_autoptr (GPtrArray) offers = assay_registry_offers (listings[l].type);

    for (guint i = 0; is_asked_for (&listings[l], word) && i < offers->len; i++)
      width = MAX (width, strlen (((const AssayPlugin *) offers->pdata[i])->id));
  }
  return (int) width;
}

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
print_measures (const AssayMeasuring *measuring)
{
  printf ("\nMeasures\n");
  for (const AssayMeasure *measure = measuring->measures; measure->name != NULL; measure++)
    printf ("  %s\n      %s\n      %s; %s\n", measure->name, measure->help, measure->unit,
            assay_measure_direction (measuring, measure));
}

static void
print_defense (const AssayDefense *defense)
{
  g_autofree char *kinds = assay_release_kinds_describe (defense->produces);

  printf ("\nReleases: %s\nFormal claim: %s\n", kinds,
          defense->claim != NULL ? defense->claim : "none");
  if (defense->mechanism != NULL)
    printf ("Neighbours: %s\nDensity: %s\n", defense->mechanism->neighbours,
            assay_mechanism_has_ratio (defense->mechanism) ? "exact" : "not known");
}

static void
print_attack (const AssayPlugin *plugin, guint read, guint needed)
{
  g_autofree char *reads = assay_release_kinds_describe (read);
  g_autofree char *needs = assay_grants_describe (needed);

  printf ("\nReads: %s\nNeeds the grants: %s\nControl: %s\n", reads,
          *needs != '\0' ? needs : "none", assay_control_terms (plugin).says);
}

static void
print_measuring (const AssayMeasuring *measuring, gboolean is_on_request)
{
  g_autofree char *reads = assay_release_kinds_describe (measuring->reads);
  g_autofree char *needs = assay_holdings_describe (measuring->needs);

  if (measuring->reads != 0)
    printf ("\nReads: %s\n", reads);
  if (measuring->needs != 0)
    printf ("%sNeeds of the dataset: %s\n", measuring->reads != 0 ? "" : "\n", needs);
  if (is_on_request)
    printf ("%sMeasured where a [metric] of the scenario names it\n",
            measuring->reads != 0 || measuring->needs != 0 ? "" : "\n");
}

static gboolean
is_on_request (const AssayPlugin *plugin)
{
  const AssayMetric *metric = assay_metric_of (plugin);

  return metric != NULL ? assay_metric_on_request (metric) : assay_registry_origin (plugin) != NULL;
}

static void
print_description (const AssayPlugin *plugin)
{
  const AssayPluginOrigin *origin = assay_registry_origin (plugin);
  const AssayDefense *defense = assay_defense_of (plugin);
  const AssayAttack *attack = assay_attack_of (plugin);
  const AssayAuditor *auditor = assay_auditor_of (plugin);
  const AssayMeasuring *measuring = assay_measuring_of (plugin);

  printf ("%s (%s)\n%s\n\n%s\n%s\n", plugin->id, assay_plugin_type_name (plugin->type),
          plugin->summary, plugin->reference.work, plugin->reference.place);
  if (defense != NULL)
    print_defense (defense);
  if (attack != NULL)
    print_attack (plugin, attack->reads, attack->needs);
  if (auditor != NULL)
    print_attack (plugin, auditor->reads, ASSAY_GRANT_NONE);
  if (measuring != NULL)
    print_measuring (measuring, is_on_request (plugin));
  if (origin != NULL)
    printf ("\nLoaded from %s\nsha256 %s\n", origin->path, origin->sha256);
  print_parameters (plugin);
  if (measuring != NULL)
    print_measures (measuring);
}

static void
write_parameter (AssayJson *json, const AssayParam *param)
{
  static const char *const names[] = { "bool", "int", "real", "choice", "string" };

  assay_json_write (json, "{name %s type %s help %s", param->name, names[param->type], param->help);
  if (param->type == ASSAY_PARAM_TYPE_INT || param->type == ASSAY_PARAM_TYPE_REAL) {
    assay_json_write (json, "low %g high %g default %g unit %s", param->low, param->high,
                      param->number, param->unit);
  } else if (param->type == ASSAY_PARAM_TYPE_BOOL) {
    assay_json_write (json, "default %i", param->number != 0);
  } else if (param->type == ASSAY_PARAM_TYPE_CHOICE) {
    assay_json_write (json, "choices [");
    for (guint i = 0; param->choices[i] != NULL; i++)
      assay_json_string (json, param->choices[i]);
    assay_json_write (json, "] default %s", param->choices[(guint) param->number]);
  } else {
    assay_json_write (json, "default %s", param->text);
  }
  assay_json_end_object (json);
}

static void
write_names (AssayJson *json, const char *key, guint set, const char *(*name) (guint bit))
{
  assay_json_key (json, key);
  assay_json_begin_array (json);
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
write_measuring (AssayJson *json, const AssayPlugin *plugin)
{
  const AssayMeasuring *measuring = assay_measuring_of (plugin);

  assay_json_write (json, "on_request %i", is_on_request (plugin));
  if (measuring->reads != 0)
    write_names (json, "reads", measuring->reads, kind_name);
  assay_json_write (json, "measures [");
  for (const AssayMeasure *measure = measuring->measures; measure->name != NULL; measure++)
    assay_json_write (json, "{name %s unit %s help %s direction %s headline %i reference %i}",
                      measure->name, measure->unit, measure->help,
                      assay_measure_direction (measuring, measure), measure->is_headline,
                      measure->is_reference);
  assay_json_end_array (json);
}

static void
write_defense (AssayJson *json, const AssayDefense *defense)
{
  g_autofree char *kinds = assay_release_kinds_describe (defense->produces);

  assay_json_write (json, "releases %s claim %s", kinds, defense->claim);
  if (defense->mechanism != NULL)
    assay_json_write (json, "neighbours %s density %i", defense->mechanism->neighbours,
                      assay_mechanism_has_ratio (defense->mechanism));
}

static void
write_attack (AssayJson *json, const AssayPlugin *plugin, guint reads, guint needs)
{
  write_names (json, "reads", reads, kind_name);
  write_names (json, "needs", needs, grant_name);
  assay_json_member_string (json, "control", assay_control_terms (plugin).says);
}

static void
write_plugin (AssayJson *json, const AssayPlugin *plugin)
{
  const AssayPluginOrigin *origin = assay_registry_origin (plugin);
  const AssayDefense *defense = assay_defense_of (plugin);
  const AssayAttack *attack = assay_attack_of (plugin);
  const AssayAuditor *auditor = assay_auditor_of (plugin);

  assay_json_write (json, "{type %s id %s summary %s work %s place %s",
                    assay_plugin_type_name (plugin->type), plugin->id, plugin->summary,
                    plugin->reference.work, plugin->reference.place);
  if (origin != NULL)
    assay_json_write (json, "file %s sha256 %s", origin->path, origin->sha256);
  if (defense != NULL)
    write_defense (json, defense);
  if (attack != NULL)
    write_attack (json, plugin, attack->reads, attack->needs);
  if (auditor != NULL)
    write_attack (json, plugin, auditor->reads, ASSAY_GRANT_NONE);
  if (assay_measuring_of (plugin) != NULL)
    write_measuring (json, plugin);
  assay_json_write (json, "parameters [");
  ASSAY_FOR_EACH_PARAM (param, plugin->parameters)
    write_parameter (json, param);
  assay_json_write (json, "]}");
}

static void
print_json (const AssayPlugin *plugin)
{
  AssayJson *json = assay_json_new ();
  g_autofree char *text = NULL;

  write_plugin (json, plugin);
  text = assay_json_finish (json);
  fputs (text, stdout);
}

/* The closest of all names, since the type was not given. */
static int
fail_unknown (const char *name)
{
  g_autoptr (GPtrArray) ids = g_ptr_array_new ();
  g_autofree char *hint = NULL;

  for (guint t = 0; t < N_TYPES; t++) {
    g_autoptr (GPtrArray) offers = assay_registry_offers (types[t]);

    ASSAY_FOR_EACH (const AssayPlugin, plugin, offers)
      g_ptr_array_add (ids, (gpointer) plugin->id);
  }
  hint = assay_names_hint (ids, name);
  return cli_refuse ("nothing is called '%s'%s; 'assay list' shows all", name, hint);
}

static gboolean is_json;

static const GOptionEntry entries[]
    = { { "json", 0, 0, G_OPTION_ARG_NONE, &is_json, "Print JSON", NULL }, G_OPTION_ENTRY_NULL };

/* All that are called so: a defense and an attack may have one name. */
static gboolean
describe_one (const char *name)
{
  gboolean is_found = FALSE;

  for (guint t = 0; t < N_TYPES; t++) {
    const AssayPlugin *plugin = assay_registry_find (types[t], name, NULL);

    if (plugin == NULL)
      continue;
    is_found = TRUE;
    (is_json ? print_json : print_description) (plugin);
  }
  return is_found;
}

static int
describe (int n, char **words)
{
  if (n == 0)
    return cli_refuse ("expected a name; 'assay list' shows all");
  for (int i = 0; i < n; i++) {
    if (i > 0 && !is_json)
      printf ("\n");
    if (!describe_one (words[i]))
      return fail_unknown (words[i]);
  }
  return EXIT_OK;
}

const CliUsage cli_describe = {
  .parameters = "NAME...",
  .summary
  = "Explains defenses, attacks, metrics, utilities or datasets: what they are, the paper\n"
    "they come from, and their settings.",
  .description = "Example:\n  assay describe ldp-feat majority\n",
  .entries = entries,
  .max_words = CLI_ANY_NUMBER,
  .run = describe,
};

/* ---- list ---- */

/* One array of what is asked for, in the order of the table. */
static gboolean
list_json (const char *word)
{
  AssayJson *json = assay_json_new ();
  g_autofree char *text = NULL;
  gboolean is_any = FALSE;

  assay_json_begin_array (json);
  for (gsize l = 0; l < G_N_ELEMENTS (listings); l++) {
    g_autoptr (GPtrArray) offers = assay_registry_offers (listings[l].type);

    if (!is_asked_for (&listings[l], word))
      continue;
    is_any = TRUE;
    ASSAY_FOR_EACH (const AssayPlugin, plugin, offers) {
      if (is_listed (&listings[l], plugin))
        write_plugin (json, plugin);
    }
  }
  assay_json_end_array (json);
  text = assay_json_finish (json);
  if (is_any)
    fputs (text, stdout);
  return is_any;
}

static gboolean
list_text (const char *word)
{
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
  return is_any;
}

static int
list_plugins (int n, char **words)
{
  static const char *const asked[]
      = { "defenses", "attacks", "metrics", "utilities", "datasets", NULL };
  const char *word = n > 0 ? words[0] : NULL;
  g_autofree char *hint = NULL;

  if (is_json ? list_json (word) : list_text (word))
    return EXIT_OK;
  hint = assay_text_did_you_mean (word, asked);
  return cli_refuse ("'%s'%s: expected defenses, attacks, metrics, utilities or datasets", word,
                     hint);
}

const CliUsage cli_list = {
  .parameters = "[defenses|attacks|metrics|utilities|datasets]",
  .summary = "Lists the defenses that Assay can audit, and the attacks, metrics, utilities and\n"
             "datasets that it has for that.",
  .description = "Example:\n  assay list attacks\n",
  .entries = entries,
  .max_words = 1,
  .run = list_plugins,
};
