/* assay measure: step 3 alone. */
#include <stdio.h>

#include "cli/cli.h"
#include "core/interval.h"
#include "core/json.h"
#include "core/registry.h"
#include "runner/steps.h"

typedef struct {
  char *truth, *guess, *release, *metric;
  char **assignments;
  double confidence;
  gint64 seed;
  gboolean json;
} MeasureOptions;

static void
options_clear (MeasureOptions *options)
{
  g_free (options->truth);
  g_free (options->guess);
  g_free (options->release);
  g_free (options->metric);
  g_strfreev (options->assignments);
}

static void
print_measurement (const AssayMeasure *measure, const AssayInterval *interval)
{
  printf ("%-30s %.6g [%.6g, %.6g]  n = %" G_GSIZE_FORMAT ", %s\n", measure->name,
          interval->estimate, interval->lower, interval->upper, interval->n, interval->method);
}

static void
write_measurement (AssayJson *json, const AssayMeasure *measure, const AssayInterval *interval,
                   double confidence, const AssaySettings *settings)
{
  assay_json_begin_object (json);
  assay_json_member_string (json, "metric", measure->name);
  assay_json_member_double (json, "estimate", interval->estimate);
  assay_json_member_double (json, "lower", interval->lower);
  assay_json_member_double (json, "upper", interval->upper);
  assay_json_member_double (json, "confidence", confidence);
  assay_json_member_int (json, "n", (gint64) interval->n);
  assay_json_member_string (json, "method", interval->method);
  assay_json_member_string (json, "unit", measure->unit);
  assay_json_key (json, "settings");
  assay_json_settings (json, settings);
  assay_json_end_object (json);
}

static gboolean
measure_one (const MeasureOptions *options, const AssayMetric *metric,
             const AssaySettings *settings, const AssayRelease *release, const AssayTruth *truth,
             const AssayGuess *guess, AssayJson *json, GError **error)
{
  const gint64 *groups = metric->has_own_units ? NULL : assay_truth_groups (truth);
  g_autofree char *canonical = assay_settings_canonical (settings);
  AssayOutcomes outcomes = { 0 };

  if (!assay_step_measure (metric, settings, NULL, release, truth, guess, &outcomes, error))
    return FALSE;
  for (const AssayMeasure *measure = metric->measures; outcomes.n > 0 && measure->name != NULL;
       measure++) {
    g_autofree char *upstream = g_strconcat (measure->name, "\n", canonical, NULL);
    AssayInterval interval;

    if (outcomes.left_out[measure->series] != NULL) {
      fprintf (stderr, "assay: %s is left out: %s\n", measure->name,
               outcomes.left_out[measure->series]);
      continue;
    }
    interval = assay_interval (
        measure, outcomes.series[measure->series], groups, outcomes.n, options->confidence,
        assay_stream_key ((guint64) options->seed, 0, "metric", upstream));
    if (json != NULL)
      write_measurement (json, measure, &interval, options->confidence, settings);
    else
      print_measurement (measure, &interval);
  }
  assay_outcomes_clear (&outcomes);
  return TRUE;
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
metric_asked_for (const MeasureOptions *options, const AssayTruth *truth, const AssayGuess *guess)
{
  if (options->metric != NULL)
    return (const AssayMetric *) assay_registry_find (ASSAY_PLUGIN_METRIC, options->metric, NULL);
  for (guint m = 0; assay_metrics[m] != NULL; m++)
    if (assay_metrics[m]->reads_guess != NULL && assay_metrics[m]->reads != 0
        && has_arrays (&truth->arrays, assay_metrics[m]->reads_truth)
        && has_arrays (&guess->arrays, assay_metrics[m]->reads_guess))
      return assay_metrics[m];
  return NULL;
}

static gboolean
fail_nothing_applies (const MeasureOptions *options, const AssayRelease *release,
                      const AssayTruth *truth, const AssayGuess *guess, GError **error)
{
  const AssayMetric *metric = metric_asked_for (options, truth, guess);
  g_autofree char *of_truth = NULL;
  g_autofree char *of_guess = NULL;
  g_autofree char *kinds = NULL;

  if (metric != NULL && metric->measure != NULL && metric->reads != 0
      && (release == NULL || (metric->reads & release->kind) == 0)) {
    kinds = assay_release_kinds_describe (metric->reads);
    return assay_fail (error, ASSAY_ERROR_MISMATCH,
                       "metric '%s' reads a release of %s; expected it as --release DIR, found %s",
                       metric->id, kinds,
                       release != NULL ? assay_release_kind_name (release->kind) : "none");
  }
  if (metric == NULL || metric->reads_truth == NULL || metric->reads_guess == NULL)
    return assay_fail (error, ASSAY_ERROR_MISMATCH,
                       "no metric applies: %s and %s hold no arrays that belong together",
                       options->truth, options->guess);
  of_truth = g_strjoinv (", ", (char **) metric->reads_truth);
  of_guess = g_strjoinv (", ", (char **) metric->reads_guess);
  return assay_fail (error, ASSAY_ERROR_MISMATCH,
                     "metric '%s' does not apply: expected the arrays %s in %s and %s in %s",
                     metric->id, of_truth, options->truth, of_guess, options->guess);
}

/* One metric if it was named, otherwise all that apply and are not on request. */
static gboolean
measure_all (const MeasureOptions *options, AssayJson *json, GError **error)
{
  g_autoptr (AssayTruth) truth = assay_truth_read (options->truth, error);
  g_autoptr (AssayGuess) guess = truth != NULL ? assay_guess_read (options->guess, error) : NULL;
  g_autoptr (AssayRelease) release = NULL;
  gboolean is_any = FALSE;

  if (guess != NULL && options->release != NULL)
    release = assay_release_read (options->release, error);
  if (guess == NULL || (options->release != NULL && release == NULL)
      || (options->metric != NULL
          && assay_registry_find (ASSAY_PLUGIN_METRIC, options->metric, error) == NULL))
    return FALSE;
  for (guint m = 0; assay_metrics[m] != NULL; m++) {
    const AssayMetric *metric = assay_metrics[m];
    g_autoptr (AssaySettings) settings = NULL;

    if ((options->metric != NULL ? !g_str_equal (options->metric, metric->id)
                                 : assay_metric_on_request (metric))
        || !assay_metric_applies (metric, NULL, release, truth, guess))
      continue;
    is_any = TRUE;
    settings = cli_settings (&metric->plugin, options->assignments, error);
    if (settings == NULL
        || !measure_one (options, metric, settings, release, truth, guess, json, error))
      return FALSE;
  }
  return is_any || fail_nothing_applies (options, release, truth, guess, error);
}

static int
measure (const MeasureOptions *options)
{
  AssayJson *json = options->json ? assay_json_new () : NULL;
  g_autoptr (GError) error = NULL;
  g_autofree char *text = NULL;

  if (json != NULL)
    assay_json_begin_array (json);
  if (!measure_all (options, json, &error)) {
    assay_json_free (json);
    return cli_fail (error);
  }
  if (json != NULL) {
    assay_json_end_array (json);
    text = assay_json_finish (json);
    fputs (text, stdout);
  }
  return EXIT_OK;
}

int
cli_measure (int argc, char **argv)
{
  MeasureOptions options = { .seed = 1, .confidence = 0.95 };
  const GOptionEntry entries[] = {
    { "truth", 't', 0, G_OPTION_ARG_FILENAME, &options.truth, "Folder of the truth", "DIR" },
    { "guess", 'g', 0, G_OPTION_ARG_FILENAME, &options.guess, "Folder of the guess", "DIR" },
    { "release", 'r', 0, G_OPTION_ARG_FILENAME, &options.release,
      "Folder of the release, which some metrics read", "DIR" },
    { "metric", 'm', 0, G_OPTION_ARG_STRING, &options.metric,
      "One metric (default: all that apply)", "NAME" },
    { "set", 's', 0, G_OPTION_ARG_STRING_ARRAY, &options.assignments,
      "A setting of it; needs --metric", "SETTING=VALUE" },
    { "confidence", 0, 0, G_OPTION_ARG_DOUBLE, &options.confidence,
      "Of the intervals (default 0.95)", "P" },
    { "seed", 0, 0, G_OPTION_ARG_INT64, &options.seed, "Seed of the resamples (default 1)", "N" },
    { "json", 0, 0, G_OPTION_ARG_NONE, &options.json, "For programs", NULL },
    G_OPTION_ENTRY_NULL
  };
  int code = EXIT_BAD_INPUT;

  if (!cli_parse (&argc, &argv, "", "Measures what a guess recovered of the truth.", NULL, entries)
      || !cli_check_words (argc, argv, 0))
    ;
  else if (options.truth == NULL || options.guess == NULL)
    g_printerr ("assay measure: expected --truth and --guess\n");
  else if (options.assignments != NULL && options.metric == NULL)
    g_printerr ("assay measure: --set needs --metric\n");
  else if (!(options.confidence >= 0.5 && options.confidence <= 0.999999))
    g_printerr ("assay measure: --confidence: expected 0.5 to 0.999999\n");
  else
    code = measure (&options);
  options_clear (&options);
  return code;
}
