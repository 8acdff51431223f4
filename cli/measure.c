/* assay measure: step 3 alone. */
#include <stdio.h>

#include "cli/cli.h"
#include "cli/step.h"
#include "core/base/free.h"
#include "core/base/json.h"
#include "core/plugin/registry.h"
#include "core/stats/interval.h"
#include "runner/by-hand/steps-by-hand.h"

static struct {
  CliStepOptions step; /* of the metric */
  char *truth, *guess, *release;
  double confidence;
  gboolean json;
} options = { .step.seed = 1, .confidence = 0.95 };

static const GOptionEntry entries[]
    = { { "truth", 't', 0, G_OPTION_ARG_FILENAME, &options.truth, "Folder of the truth", "DIR" },
        { "guess", 'g', 0, G_OPTION_ARG_FILENAME, &options.guess, "Folder of the guess", "DIR" },
        { "release", 'r', 0, G_OPTION_ARG_FILENAME, &options.release,
          "Folder of the release, which some metrics read", "DIR" },
        { "public", 0, 0, G_OPTION_ARG_STRING, &options.step.public_rows,
          "The public rows among which the attack looked: a rank is one among so many",
          "FILE[a:b]" },
        { "metric", 'm', 0, G_OPTION_ARG_STRING, &options.step.name,
          "One metric (default: all that apply)", "NAME" },
        CLI_STEP_SET (options.step, "A setting of the metric; needs --metric"),
        { "confidence", 0, 0, G_OPTION_ARG_DOUBLE, &options.confidence,
          "Confidence of the intervals (default 0.95)", "P" },
        CLI_STEP_SEED (options.step, "Seed of the resampling behind intervals (default 1)"),
        CLI_STEP_LIKE (options.step, "the metrics, settings, confidence and resampling"),
        CLI_STEP_QUIET (options.step),
        { "json", 0, 0, G_OPTION_ARG_NONE, &options.json, "Print JSON", NULL },
        G_OPTION_ENTRY_NULL };

static void
print_measurement (const AssayMeasure *measure, const AssayInterval *interval)
{
  printf ("%-30s %.6g [%.6g, %.6g]  n = %zu, %s\n", measure->name, interval->estimate,
          interval->lower, interval->upper, interval->n, interval->method);
}

/* The stream of an interval's resamples; of a cell, as in results.json. */
static gboolean
stream_of (const AssaySettings *settings, const char *canonical_part, const AssayMeasure *measure,
           AssayStreamKey *ret_stream, GError **error)
{
  g_autofree char *played = NULL;
  g_autofree char *of_cell = NULL;
  const AssayComponent *attack = NULL;
  const AssaySettings *with = NULL;

  if (options.step.like.cell != NULL) {
    if (!cli_like_attack (&options.step.like, &attack, &with, error))
      return FALSE;
    played = assay_settings_canonical (with);
    of_cell = g_strdup_printf ("%s%s\n%s", played, canonical_part, measure->name);
  }
  *ret_stream = cli_step_stream (&options.step, "metric", measure->name, settings, of_cell);
  return TRUE;
}

/* What is measured, and of what. */
typedef struct {
  AssayRows *public_rows; /* NULL: not given, as the release */
  AssayRelease *release;
  AssayTruth *truth;
  AssayGuess *guess;
  AssayJson *json; /* NULL: for people */
} Measuring;

ASSAY_LOCAL_CLEAR (Measuring, measuring_clear, assay_release_free (self->release),
                   assay_truth_free (self->truth), assay_guess_free (self->guess),
                   assay_json_free (self->json), assay_drop (self->public_rows, assay_rows_unref))

static gboolean
print_outcomes (const Measuring *of, const AssayMetric *metric, const AssaySettings *settings,
                const char *canonical, const AssayPool *pool, GError **error)
{
  for (const AssayMeasure *measure = metric->measures; measure->name != NULL; measure++) {
    g_autoptr (AssaySample) sample = assay_pool_sample (pool, measure);
    AssayInterval interval;
    AssayStreamKey stream;

    if (pool->omitted[measure->series] != NULL)
      fprintf (stderr, "assay: %s is left out: %s\n", measure->name,
               pool->omitted[measure->series]);
    if (sample == NULL)
      continue;
    if (!stream_of (settings, canonical, measure, &stream, error))
      return FALSE;
    interval = assay_sample_interval (sample, options.confidence, stream);
    if (of->json != NULL)
      assay_by_hand_write (of->json, measure, &interval, options.confidence, settings);
    else
      print_measurement (measure, &interval);
  }
  return TRUE;
}

static gboolean
measure_one (const Measuring *of, const AssayMetric *metric, const AssaySettings *settings,
             const char *canonical, GError **error)
{
  /* The public rows alone; what else metrics need of a dataset, no folder has. */
  const AssayDataset dataset = { .public_rows = of->public_rows };
  const AssayMetricContext context = { .settings = settings->values,
                                       .dataset = of->public_rows != NULL ? &dataset : NULL,
                                       .release = of->release };
  CliProgress *progress = cli_progress_of_step (options.step.quiet, metric->id);
  AssayPool pool;
  gboolean is_ok = assay_by_hand_measure (metric, &context, of->truth, of->guess, &pool, error);

  cli_progress_free (progress);
  if (!is_ok)
    return FALSE;
  is_ok = print_outcomes (of, metric, settings, canonical, &pool, error);
  assay_pool_clear (&pool);
  return is_ok;
}

static gboolean
has_arrays (const AssayArrays *arrays, const char *const *names)
{
  for (; names != NULL && *names != NULL; names++)
    if (assay_arrays_get (arrays, *names) == NULL)
      return FALSE;
  return TRUE;
}

/* The metric that was named; or the one to which only the release is missing. */
static const AssayMetric *
metric_asked_for (const Measuring *of)
{
  if (options.step.name != NULL)
    return assay_metric_of (assay_registry_find (ASSAY_PLUGIN_METRIC, options.step.name, NULL));
  for (guint m = 0; assay_metrics[m] != NULL; m++)
    if (assay_metrics[m]->reads_guess != NULL && assay_metrics[m]->reads != 0
        && has_arrays (&of->truth->arrays, assay_metrics[m]->reads_truth)
        && has_arrays (&of->guess->arrays, assay_metrics[m]->reads_guess))
      return assay_metrics[m];
  return NULL;
}

static gboolean
fail_nothing_applies (const Measuring *of, GError **error)
{
  const AssayMetric *metric = metric_asked_for (of);
  g_autofree char *of_truth = NULL;
  g_autofree char *of_guess = NULL;
  g_autofree char *kinds = NULL;

  if (metric != NULL && metric->reads != 0
      && (of->release == NULL || (metric->reads & of->release->kind) == 0)) {
    kinds = assay_release_kinds_describe (metric->reads);
    return assay_fail (error, ASSAY_ERROR_MISMATCH,
                       "metric '%s' reads a release of %s; expected it as --release DIR, found %s",
                       metric->id, kinds,
                       of->release != NULL ? assay_release_kind_name (of->release->kind) : "none");
  }
  if (metric == NULL || metric->reads_truth == NULL || metric->reads_guess == NULL)
    return assay_fail (error, ASSAY_ERROR_MISMATCH,
                       "no metric applies: %s and %s hold no arrays that belong together",
                       options.truth, options.guess);
  of_truth = g_strjoinv (", ", (char **) metric->reads_truth);
  of_guess = g_strjoinv (", ", (char **) metric->reads_guess);
  return assay_fail (error, ASSAY_ERROR_MISMATCH,
                     "metric '%s' does not apply: expected the arrays %s in %s and %s in %s",
                     metric->id, of_truth, options.truth, of_guess, options.guess);
}

static gboolean
is_asked_for (const AssayMetric *metric, gboolean is_named)
{
  if (options.step.name != NULL)
    return g_str_equal (options.step.name, metric->id);
  return is_named || !metric->on_request;
}

static gboolean
applies (const Measuring *of, const AssayMetric *metric)
{
  return assay_metric_applies (metric, NULL, of->release, of->truth, of->guess);
}

/* The metrics of the cell's scenario, with their settings there. */
static gboolean
measure_like (const Measuring *of, gboolean *ret_is_any, GError **error)
{
  const GPtrArray *metrics = options.step.like.run->plan->metrics;

  ASSAY_FOR_EACH (const AssayComponent, component, metrics) {
    const AssayMetric *metric = component->metric;

    if (!is_asked_for (metric, TRUE) || !applies (of, metric))
      continue;
    *ret_is_any = TRUE;
    if (!measure_one (of, metric, component->settings, component->canonical, error))
      return FALSE;
  }
  return TRUE;
}

/* One metric if it was named, otherwise all that apply and are not on request. */
static gboolean
measure_known (const Measuring *of, gboolean *ret_is_any, GError **error)
{
  for (guint m = 0; assay_metrics[m] != NULL; m++) {
    const AssayMetric *metric = assay_metrics[m];
    g_autoptr (AssaySettings) settings = NULL;

    if (!is_asked_for (metric, FALSE) || !applies (of, metric))
      continue;
    *ret_is_any = TRUE;
    settings = assay_by_hand_settings (
        &metric->plugin, (const char *const *) options.step.assignments, "--set: ", error);
    if (settings == NULL || !measure_one (of, metric, settings, "", error))
      return FALSE;
  }
  return TRUE;
}

static gboolean
read_folders (Measuring *of, GError **error)
{
  of->truth = assay_truth_read (options.truth, error);
  of->guess = of->truth != NULL
                  ? assay_guess_read (options.guess, assay_registry_guess_arrays (), error)
                  : NULL;
  if (of->guess != NULL && options.release != NULL)
    of->release = assay_release_read (options.release, error);
  return of->guess != NULL && (options.release == NULL || of->release != NULL)
         && cli_open_rows (options.step.public_rows, "public", &of->public_rows, error);
}

static gboolean
measure_all (Measuring *of, GError **error)
{
  gboolean is_any = FALSE;

  if (!read_folders (of, error)
      || (options.step.name != NULL
          && assay_registry_find (ASSAY_PLUGIN_METRIC, options.step.name, error) == NULL)
      || !(options.step.like.cell != NULL ? measure_like : measure_known) (of, &is_any, error))
    return FALSE;
  return is_any || fail_nothing_applies (of, error);
}

static gboolean
measure_and_print (GError **error)
{
  g_auto (Measuring) of = { .json = options.json ? assay_json_new () : NULL };
  g_autofree char *text = NULL;

  if (!cli_like_open (&options.step.like, error))
    return FALSE;
  if (options.step.like.cell != NULL)
    options.confidence = options.step.like.run->plan->confidence;
  if (of.json == NULL)
    return measure_all (&of, error);
  assay_json_begin_array (of.json);
  if (!measure_all (&of, error))
    return FALSE;
  assay_json_end_array (of.json);
  text = assay_json_finish (g_steal_pointer (&of.json));
  fputs (text, stdout);
  return TRUE;
}

static int
measure (G_GNUC_UNUSED int n, G_GNUC_UNUSED char **words)
{
  const CliStepOptions *given = &options.step;
  g_autoptr (GError) error = NULL;
  gboolean is_ok;

  if (options.truth == NULL || options.guess == NULL)
    return cli_refuse ("expected --truth and --guess");
  if (given->assignments != NULL && given->name == NULL)
    return cli_refuse ("--set needs --metric");
  if (given->assignments != NULL && given->like.folder != NULL)
    return cli_refuse ("--like: the run says with which settings; expected no --set");
  if (!(options.confidence >= 0.5 && options.confidence <= 0.999999))
    return cli_refuse ("--confidence: expected 0.5 to 0.999999");
  is_ok = measure_and_print (&error);
  cli_like_clear (&options.step.like);
  return is_ok ? EXIT_OK : cli_fail (error);
}

const CliUsage cli_measure = {
  .parameters = "",
  .summary = "Measures what a guess recovered of the truth.",
  .description = "Example, after those of 'protect --help' and 'attack --help':\n"
                 "  assay measure --truth truth --guess guess --release release\n",
  .entries = entries,
  .run = measure,
};
