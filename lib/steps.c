/* Protect, attack and measure, with arrays in memory. The random numbers are those of the program's
 * commands with the same seed. */
#include "core/base/error.h"
#include "core/base/free.h"
#include "core/base/json.h"
#include "core/plugin/registry.h"
#include "core/stats/interval.h"
#include "lib/sets.h"
#include "lib/status.h"
#include "runner/by-hand/steps-by-hand.h"

/* What is played in a step. */
typedef struct {
  const AssayPlugin *plugin;
  AssaySettings *settings;
  AssayKnowledge knowledge;
} Step;

ASSAY_LOCAL_CLEAR (Step, clear_step, assay_drop (self->settings, assay_settings_free),
                   assay_drop (self->knowledge.database, assay_rows_unref),
                   assay_drop (self->knowledge.public_rows, assay_rows_unref))

static gboolean
open_step (AssayPluginType type, const AssayApiPlay *play, const AssayApiKnown *known, Step *step,
           GError **error)
{
  static const AssayApiKnown nothing = { 0 };

  known = known != NULL ? known : &nothing;
  step->plugin = assay_registry_find (type, play->plugin, error);
  if (step->plugin == NULL)
    return FALSE;
  step->settings = assay_by_hand_settings (step->plugin, play->settings, "", error);
  return step->settings != NULL
         && assay_lib_rows (known->database, "database", &step->knowledge.database, error)
         && assay_lib_rows (known->public_rows, "public", &step->knowledge.public_rows, error);
}

/* ---- Protect ---- */

/* Whole numbers from 0 on, one for each of @n secrets. */
static AssayArray *
read_labels (const AssayApiArray *labels, gsize n, gsize *ret_classes, GError **error)
{
  g_autoptr (AssayArray) own = assay_lib_array (labels, error);

  if (own == NULL)
    return assay_prefix_null (error, "labels: ");
  if (own->type != ASSAY_INT64 || own->n_dimensions != 1 || own->shape[0] != n)
    return assay_fail_null (error, ASSAY_ERROR_MISMATCH, "labels: expected int64 %zu", n);
  for (gsize i = 0; i < n; i++) {
    const gint64 label = assay_array_int64 (own)[i];

    if (label < 0 || label >= 1000000)
      return assay_fail_null (error, ASSAY_ERROR_DATA,
                              "labels: number %zu is %" G_GINT64_FORMAT "; expected 0 to 999999", i,
                              label);
    *ret_classes = MAX (*ret_classes, (gsize) label + 1);
  }
  return g_steal_pointer (&own);
}

static gboolean
protect (const AssayApiPlay *defense, const AssayApiArray *array, const AssayApiKnown *known,
         AssayRelease **ret_release, AssayTruth **ret_truth, GError **error)
{
  g_auto (Step) step = { 0 };
  g_autoptr (AssayRows) rows = NULL;
  g_autoptr (AssayMatrix) matrix = NULL;
  g_autoptr (AssayArray) labels = NULL;
  AssaySecrets secrets = { 0 };
  AssayStreamKey stream;

  if (!open_step (ASSAY_PLUGIN_DEFENSE, defense, known, &step, error)
      || !assay_lib_rows (array, "secrets", &rows, error)
      || (matrix = assay_rows_matrix (rows, ASSAY_SCALE_NONE, error)) == NULL)
    return FALSE;
  secrets.rows = assay_matrix_view (matrix);
  if (known != NULL && known->labels != NULL) {
    labels = read_labels (known->labels, secrets.rows.rows, &secrets.n_classes, error);
    if (labels == NULL)
      return FALSE;
    secrets.labels = assay_array_int64 (labels);
  }
  stream = assay_by_hand_stream (defense->seed, "defense", step.plugin->id, step.settings);
  return assay_step_protect ((const AssayDefense *) step.plugin,
                             &(AssayProtecting){ .settings = step.settings,
                                                 .stream = stream,
                                                 .common = stream,
                                                 .knowledge = &step.knowledge },
                             &secrets, ret_release, ret_truth, error);
}

int
assay_api_protect (const AssayApiPlay *defense, const AssayApiArray *secrets,
                   const AssayApiKnown *known, AssayApiSet **ret_release, AssayApiSet **ret_truth)
{
  AssayRelease *release = NULL;
  AssayTruth *truth = NULL;
  GError *error = NULL;

  assay_lib_begin ();
  if (!protect (defense, secrets, known, &release, &truth, &error))
    return assay_lib_fail (error);
  *ret_release = g_new0 (AssayApiSet, 1);
  (*ret_release)->release = release;
  *ret_truth = g_new0 (AssayApiSet, 1);
  (*ret_truth)->truth = truth;
  return ASSAY_API_OK;
}

/* ---- Attack ---- */

/* What is given is what is granted, and the release is given whole. */
static const guint granted = ASSAY_GRANT_DATABASE | ASSAY_GRANT_PUBLIC | ASSAY_GRANT_OTHER_RELEASES
                             | ASSAY_GRANT_LABELS | ASSAY_GRANT_HASH_FUNCTION
                             | ASSAY_GRANT_AGGREGATOR | ASSAY_GRANT_MESSAGES | ASSAY_GRANT_USER
                             | ASSAY_GRANT_KEY_GENERATOR | ASSAY_GRANT_MODEL;

static gboolean
play_attack (const AssayApiPlay *play, const AssayRelease *release, const AssayApiKnown *known,
             AssayGuess **ret_guess, GError **error)
{
  g_auto (Step) step = { 0 };

  if (!open_step (ASSAY_PLUGIN_ATTACK, play, known, &step, error)
      || !assay_release_check (release, error))
    return FALSE;
  return assay_by_hand_attack (
      step.plugin, step.settings,
      assay_by_hand_stream (play->seed, "attack", step.plugin->id, step.settings),
      &(AssayGranted){ .grants = granted, .release = release, .knowledge = &step.knowledge },
      ret_guess, error);
}

int
assay_api_attack (const AssayApiPlay *attack, const AssayApiSet *release,
                  const AssayApiKnown *known, AssayApiSet **ret_guess)
{
  AssayGuess *guess = NULL;
  GError *error = NULL;

  assay_lib_begin ();
  if (release->release == NULL)
    assay_fail (&error, ASSAY_ERROR_PARAMETER, "expected a release, found a guess or a truth");
  if (error != NULL || !play_attack (attack, release->release, known, &guess, &error))
    return assay_lib_fail (error);
  *ret_guess = g_new0 (AssayApiSet, 1);
  (*ret_guess)->guess = guess;
  return ASSAY_API_OK;
}

/* ---- Measure ---- */

typedef struct {
  const AssayRelease *release;
  const AssayTruth *truth;
  const AssayGuess *guess;
  double confidence;
  guint64 seed;
  AssayJson *json;
} Measuring;

static void
write_outcomes (const Measuring *of, const AssayMetric *metric, const AssaySettings *settings,
                const AssayPool *pool)
{
  for (const AssayMeasure *measure = metric->measures; measure->name != NULL; measure++) {
    g_autoptr (AssaySample) sample = assay_pool_sample (pool, measure);
    AssayInterval interval;

    if (sample == NULL)
      continue;
    interval = assay_sample_interval (
        sample, of->confidence, assay_by_hand_stream (of->seed, "metric", measure->name, settings));
    assay_by_hand_write (of->json, measure, &interval, of->confidence, settings);
  }
}

static gboolean
measure_one (const Measuring *of, const AssayMetric *metric, GError **error)
{
  g_autoptr (AssaySettings) settings = assay_by_hand_settings (&metric->plugin, NULL, "", error);
  AssayPool pool;

  if (settings == NULL
      || !assay_by_hand_measure (
          metric, &(AssayMetricContext){ .settings = settings->values, .release = of->release },
          of->truth, of->guess, &pool, error))
    return FALSE;
  write_outcomes (of, metric, settings, &pool);
  assay_pool_clear (&pool);
  return TRUE;
}

static gboolean
measure_all (const Measuring *of, GError **error)
{
  gboolean is_any = FALSE;

  if (!(of->confidence >= 0.5 && of->confidence <= 0.999999))
    return assay_fail (error, ASSAY_ERROR_PARAMETER, "confidence: expected 0.5 to 0.999999");
  if (!assay_truth_check (of->truth, error)
      || !assay_guess_check (of->guess, assay_registry_guess_arrays (), error))
    return FALSE;
  assay_json_begin_array (of->json);
  for (guint m = 0; assay_metrics[m] != NULL; m++) {
    const AssayMetric *metric = assay_metrics[m];

    if (metric->on_request
        || !assay_metric_applies (metric, NULL, of->release, of->truth, of->guess))
      continue;
    is_any = TRUE;
    if (!measure_one (of, metric, error))
      return FALSE;
  }
  assay_json_end_array (of->json);
  return is_any
         || assay_fail (error, ASSAY_ERROR_MISMATCH,
                        "no metric applies: truth and guess hold no arrays that belong together");
}

int
assay_api_measure (const AssayApiSet *truth, const AssayApiSet *guess, const AssayApiSet *release,
                   double confidence, uint64_t seed, char **ret_json)
{
  Measuring of = { .release = release != NULL ? release->release : NULL,
                   .truth = truth->truth,
                   .guess = guess->guess,
                   .confidence = confidence,
                   .seed = seed };
  GError *error = NULL;

  assay_lib_begin ();
  if (of.truth == NULL || of.guess == NULL || (release != NULL && of.release == NULL))
    assay_fail (&error, ASSAY_ERROR_PARAMETER, "expected a truth, a guess and a release or none");
  of.json = assay_json_new ();
  if (error != NULL || !measure_all (&of, &error)) {
    assay_json_free (of.json);
    return assay_lib_fail (error);
  }
  *ret_json = assay_json_finish (of.json);
  return ASSAY_API_OK;
}

/* ---- What there is ---- */

char *
assay_api_list (void)
{
  static const struct {
    const char *heading;
    AssayPluginType type;
  } lists[] = { { "defenses", ASSAY_PLUGIN_DEFENSE },
                { "attacks", ASSAY_PLUGIN_ATTACK },
                { "metrics", ASSAY_PLUGIN_METRIC },
                { "datasets", ASSAY_PLUGIN_DATASET } };
  AssayJson *json = assay_json_new ();

  assay_json_begin_object (json);
  for (guint l = 0; l < G_N_ELEMENTS (lists); l++) {
    g_autoptr (GPtrArray) offers = assay_registry_offers (lists[l].type);

    assay_json_key (json, lists[l].heading);
    assay_json_begin_array (json);
    ASSAY_FOR_EACH (const AssayPlugin, plugin, offers) {
      assay_json_write (json, "{name %s summary %s}", plugin->id, plugin->summary);
    }
    assay_json_end_array (json);
  }
  assay_json_end_object (json);
  return assay_json_finish (json);
}
