/* Whether a descriptor is whole. The tests ask it of every plugin that is built in, the loader of
 * those that are not: a member that was forgotten is a message there, and not a crash later. */
#include "core/plugin/plugin-check.h"

#include <math.h>
#include <string.h>

#include "core/plugin/registry.h"

/* "a-word", with the separator @separator. */
static gboolean
is_word (const char *text, char separator)
{
  char before = separator;

  if (text == NULL)
    return FALSE;
  for (const char *c = text; *c != '\0'; before = *c++)
    if (*c == separator ? before == separator : !g_ascii_islower (*c) && !g_ascii_isdigit (*c))
      return FALSE;
  return before != separator;
}

static gboolean
is_line (const char *text)
{
  return text != NULL && *text != '\0' && g_utf8_validate (text, -1, NULL)
         && strchr (text, '\n') == NULL;
}

static gboolean
expect (gboolean is_so, const char *id, const char *what, GError **error)
{
  return is_so || assay_fail (error, ASSAY_ERROR_DATA, "'%s': %s", id, what);
}

/* ---- Settings ---- */

static gsize
field_size (AssayParamType type)
{
  switch (type) {
  case ASSAY_PARAM_TYPE_BOOL:
    return sizeof (bool);
  case ASSAY_PARAM_TYPE_INT:
    return sizeof (gint64);
  case ASSAY_PARAM_TYPE_REAL:
    return sizeof (double);
  case ASSAY_PARAM_TYPE_CHOICE:
    return sizeof (guint);
  case ASSAY_PARAM_TYPE_STRING:
    return sizeof (char *);
  }
  return 0;
}

/* Why a setting cannot be as the table has it; NULL: it can. */
static const char *
fault_of (const AssayPlugin *plugin, const AssayParam *param)
{
  const gsize size = field_size (param->type);
  guint n_choices = 0;

  if (!is_word (param->name, '_'))
    return "expected a name in snake_case";
  if (!is_line (param->help))
    return "has no help";
  if (size == 0)
    return "has no type that there is";
  if (size > plugin->settings_size || param->offset > plugin->settings_size - size)
    return "lies outside the struct of the settings";
  for (const AssayParam *other = plugin->parameters; other < param; other++)
    if (g_str_equal (other->name, param->name) || other->offset == param->offset)
      return "stands twice";
  if (param->type == ASSAY_PARAM_TYPE_CHOICE) {
    while (param->choices != NULL && param->choices[n_choices] != NULL)
      n_choices++;
    return param->number >= 0 && param->number < n_choices
               ? NULL
               : "has a default that is none of its choices";
  }
  if (param->type != ASSAY_PARAM_TYPE_STRING
      && !(isfinite (param->low) && isfinite (param->high) && param->low <= param->number
           && param->number <= param->high))
    return "has a default outside its range";
  return NULL;
}

static gboolean
check_parameters (const AssayPlugin *plugin, GError **error)
{
  if ((plugin->parameters != NULL) != (plugin->settings_size > 0))
    return expect (FALSE, plugin->id, "expected parameters and settings_size, or neither", error);
  for (const AssayParam *param = plugin->parameters; param != NULL && param->name != NULL;
       param++) {
    const char *fault = fault_of (plugin, param);

    if (fault != NULL)
      return assay_fail (error, ASSAY_ERROR_DATA, "'%s': the setting '%s' %s", plugin->id,
                         param->name, fault);
  }
  return TRUE;
}

/* ---- The types ---- */

static gboolean
check_dataset (const AssayDatasetPlugin *dataset, GError **error)
{
  return expect (dataset->probe != NULL && dataset->open != NULL, dataset->id,
                 "expected the members probe and open", error);
}

static gboolean
check_mechanism (const AssayDefense *defense, GError **error)
{
  const AssayMechanism *mechanism = defense->mechanism;
  const gboolean has_canaries = mechanism->canaries != NULL;
  /* Of this process with pairs of its own, or of another with pairs in a file. */
  const gboolean is_whole
      = mechanism->run_many == NULL
            ? mechanism->pair != NULL && mechanism->run != NULL && mechanism->n_proposed > 0
            : mechanism->load_pair != NULL && mechanism->count_pairs != NULL
                  && mechanism->check_pairs != NULL && mechanism->batch_runs != NULL;

  return expect (is_line (defense->claim) && is_line (mechanism->neighbours), defense->id,
                 "has a mechanism: expected the members claim and mechanism.neighbours", error)
         && expect (mechanism->budget != NULL && mechanism->size != NULL && is_whole, defense->id,
                    "expected the mechanism's members budget, size, pair, run and n_proposed, or "
                    "run_many with load_pair, count_pairs, check_pairs and batch_runs",
                    error)
         && expect ((mechanism->max_canaries != NULL) == has_canaries
                        && (mechanism->canary_scores != NULL) == has_canaries,
                    defense->id,
                    "expected the mechanism's members max_canaries, canaries and canary_scores, or "
                    "none of them",
                    error);
}

static gboolean
check_defense (const AssayDefense *defense, GError **error)
{
  return expect (defense->protect != NULL, defense->id, "expected the member protect", error)
         && expect (defense->kind != NULL
                        ? defense->produces != 0
                        : assay_release_kind_from_name (assay_release_kind_name (defense->produces))
                              != ASSAY_RELEASE_NONE,
                    defense->id, "expected the member produces to be a kind of release", error)
         && (defense->mechanism == NULL || check_mechanism (defense, error));
}

static gboolean
check_attack (const AssayAttack *attack, GError **error)
{
  const AssayControl *control = &attack->control;

  if (!expect (is_line (control->says), attack->id,
               "expected the member control.says: what winning its control shows", error))
    return FALSE;
  switch (attack->game) {
  case ASSAY_GAME_RECONSTRUCT:
  case ASSAY_GAME_LINK:
  case ASSAY_GAME_PAIR:
    return expect (attack->attack != NULL, attack->id, "expected the member attack", error)
           && expect (control->make != NULL || attack->external != NULL, attack->id,
                      "expected the member control.make", error)
           && expect (attack->reads != 0, attack->id, "expected the member reads", error);
  case ASSAY_GAME_DISTINGUISH:
    return expect (attack->choose_event != NULL && control->play != NULL, attack->id,
                   "expected the members choose_event and control.play", error);
  case ASSAY_GAME_ONE_RUN:
    return expect (
        attack->one_run_sizes != NULL && attack->score_canaries != NULL && control->play != NULL,
        attack->id, "expected the members one_run_sizes, score_canaries and control.play", error);
  }
  return expect (FALSE, attack->id, "expected the member game to be one that there is", error);
}

static gboolean
check_metric (const AssayMetric *metric, GError **error)
{
  const guint n = (metric->measure != NULL) + (metric->audit != NULL) + (metric->assess != NULL);

  if (!expect (n == 1, metric->id, "expected one of the members measure, audit and assess", error)
      || !expect (metric->assess == NULL || metric->reads != 0, metric->id,
                  "expected the member reads", error)
      || !expect (metric->n_series >= 1 && metric->n_series <= ASSAY_MAX_SERIES, metric->id,
                  "expected the member n_series to be 1 to " G_STRINGIFY (ASSAY_MAX_SERIES), error)
                  || !expect (metric->measures != NULL && metric->measures[0].name != NULL,
                              metric->id, "expected the member measures", error))
    return FALSE;
  for (const AssayMeasure *m = metric->measures; m->name != NULL; m++)
    if (!is_word (m->name, '-') || !is_line (m->help) || !is_line (m->unit)
        || m->series >= metric->n_series || !(m->low < m->high)
        || (guint) m->statistic > ASSAY_STATISTIC_EPSILON)
      return assay_fail (error, ASSAY_ERROR_DATA,
                         "'%s': the measure '%s': expected a name in kebab-case, help, unit, a "
                         "series that there is, a statistic and a range",
                         metric->id, m->name);
  return TRUE;
}

gboolean
assay_plugin_check (AssayPluginType type, const AssayPlugin *plugin, GError **error)
{
  if (!is_word (plugin->id, '-'))
    return assay_fail (error, ASSAY_ERROR_DATA, "a %s without an id in kebab-case",
                       assay_plugin_type_name (type));
  if (!expect (is_line (plugin->summary), plugin->id, "expected the member summary, of one line",
               error)
      || !expect (is_line (plugin->reference.work) && is_line (plugin->reference.place), plugin->id,
                  "expected the member reference, of a work and a place", error)
      || !check_parameters (plugin, error))
    return FALSE;
  switch (type) {
  case ASSAY_PLUGIN_DEFENSE:
    return check_defense ((const AssayDefense *) plugin, error);
  case ASSAY_PLUGIN_ATTACK:
    return check_attack ((const AssayAttack *) plugin, error);
  case ASSAY_PLUGIN_METRIC:
    return check_metric ((const AssayMetric *) plugin, error);
  case ASSAY_PLUGIN_DATASET:
    break;
  }
  return check_dataset ((const AssayDatasetPlugin *) plugin, error);
}
