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
      return "appears twice";
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
  ASSAY_FOR_EACH_PARAM (param, plugin->parameters) {
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

/* Of pairs and runs, those of this process, or those of another. */
static gboolean
check_runs (const AssayMechanism *mechanism, const char *id, GError **error)
{
  const AssayBatches *batches = mechanism->batches;

  return batches == NULL
             ? expect (mechanism->pair != NULL && mechanism->n_proposed > 0
                           && (mechanism->doubles == NULL
                                   ? mechanism->run != NULL
                                   : mechanism->run == NULL && mechanism->log_ratio == NULL
                                         && mechanism->doubles->run != NULL),
                       id,
                       "expected the mechanism's members pair, n_proposed, and run or doubles, or "
                       "batches",
                       error)
             : expect (batches->count_pairs != NULL && batches->check_pairs != NULL
                           && batches->load_pair != NULL && batches->batch_runs != NULL
                           && batches->run_many != NULL,
                       id, "expected every member of the mechanism's batches", error);
}

static gboolean
check_mechanism (const AssayDefense *defense, GError **error)
{
  const AssayMechanism *mechanism = defense->mechanism;
  const AssayCanaries *canaries = mechanism->canaries;

  return expect (is_line (defense->claim) && is_line (mechanism->neighbours), defense->id,
                 "has a mechanism: expected the members claim and mechanism.neighbours", error)
         && expect (mechanism->budget != NULL && mechanism->size != NULL, defense->id,
                    "expected the mechanism's members budget and size", error)
         && check_runs (mechanism, defense->id, error)
         && expect (
             canaries == NULL
                 || (canaries->most != NULL && canaries->make != NULL && canaries->score != NULL),
             defense->id, "expected every member of the mechanism's canaries", error);
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
  return expect (is_line (attack->control.says), attack->id,
                 "expected the member control.says: what winning its control shows", error)
         && expect (attack->game <= ASSAY_GAME_EDGE, attack->id,
                    "expected the member game to be one that there is", error)
         && expect (attack->attack != NULL, attack->id, "expected the member attack", error)
         && expect (attack->control.make != NULL || attack->external != NULL, attack->id,
                    "expected the member control.make", error)
         && expect (attack->reads != 0, attack->id, "expected the member reads", error);
}

static gboolean
check_auditor (const AssayAuditor *auditor, GError **error)
{
  const gboolean has_game
      = auditor->game == ASSAY_AUDIT_ONE_RUN
            ? auditor->one_run_sizes != NULL && auditor->score_canaries != NULL
            : auditor->game == ASSAY_AUDIT_TWO_INPUTS && auditor->choose_event != NULL;

  return expect (is_line (auditor->control.says) && auditor->control.play != NULL, auditor->id,
                 "expected the members control.says and control.play", error)
         && expect (has_game, auditor->id,
                    "expected the member choose_event, or for the game one-run one_run_sizes and "
                    "score_canaries",
                    error);
}

static gboolean
check_measuring (const AssayMeasuring *measuring, GError **error)
{
  if (!expect (measuring->n_series >= 1 && measuring->n_series <= ASSAY_MAX_SERIES, measuring->id,
               "expected the member n_series to be 1 to " G_STRINGIFY (ASSAY_MAX_SERIES), error)
               || !expect (measuring->measures != NULL && measuring->measures[0].name != NULL,
                           measuring->id, "expected the member measures", error))
    return FALSE;
  for (const AssayMeasure *m = measuring->measures; m->name != NULL; m++)
    if (!is_word (m->name, '-') || !is_line (m->help) || !is_line (m->unit)
        || MAX (m->series, MAX (m->success, m->control)) >= measuring->n_series
        || !(m->low < m->high) || (guint) m->statistic > ASSAY_STATISTIC_EPSILON)
      return assay_fail (error, ASSAY_ERROR_DATA,
                         "'%s': the measure '%s': expected a name in kebab-case, help, unit, a "
                         "series that there is, a statistic and a range",
                         measuring->id, m->name);
  return TRUE;
}

static gboolean
check_metric (const AssayMetric *metric, GError **error)
{
  return check_measuring (&metric->measuring, error)
         && expect (metric->measure != NULL
                        || (metric->n_series == ASSAY_AUDIT_SERIES
                            && metric->measures[0].statistic == ASSAY_STATISTIC_EPSILON),
                    metric->id, "expected the member measure", error);
}

static gboolean
check_utility (const AssayUtility *utility, GError **error)
{
  return expect (utility->assess != NULL, utility->id, "expected the member assess", error)
         && expect (utility->reads != 0, utility->id, "expected the member reads", error)
         && check_measuring (&utility->measuring, error);
}

gboolean
assay_plugin_check (const AssayPlugin *plugin, GError **error)
{
  if (!is_word (plugin->id, '-'))
    return assay_fail (error, ASSAY_ERROR_DATA, "a %s without an id in kebab-case",
                       assay_plugin_type_name (plugin->type));
  if (!expect (is_line (plugin->summary), plugin->id, "expected the member summary, of one line",
               error)
      || !expect (is_line (plugin->reference.work) && is_line (plugin->reference.place), plugin->id,
                  "expected the member reference, of a work and a place", error)
      || !check_parameters (plugin, error))
    return FALSE;
  switch (plugin->type) {
  case ASSAY_PLUGIN_DATASET:
    return check_dataset (assay_dataset_plugin_of (plugin), error);
  case ASSAY_PLUGIN_DEFENSE:
    return check_defense (assay_defense_of (plugin), error);
  case ASSAY_PLUGIN_ATTACK:
    return check_attack (assay_attack_of (plugin), error);
  case ASSAY_PLUGIN_AUDITOR:
    return check_auditor (assay_auditor_of (plugin), error);
  case ASSAY_PLUGIN_METRIC:
    return check_metric (assay_metric_of (plugin), error);
  case ASSAY_PLUGIN_UTILITY:
    return check_utility (assay_utility_of (plugin), error);
  case ASSAY_PLUGIN_NONE:
    break;
  }
  return expect (FALSE, plugin->id, "is of no type that there is", error);
}
