#include "tests/unit/metrics/measurement.h"

#include <criterion/criterion.h>

#include "tests/reference/fixtures.h"
#include "tests/unit/assert-near.h"

void
measurement_clear (Measurement *measured)
{
  assay_truth_free (measured->truth);
  assay_guess_free (measured->guess);
  assay_outcomes_clear (&measured->outcomes);
}

Measurement
measurement_new (void)
{
  return (Measurement){ .truth = assay_truth_new (), .guess = assay_guess_new () };
}

static gboolean
try_measure (const AssayMetric *metric, const char *assignments, Measurement *measured,
             GError **error)
{
  g_autoptr (AssaySettings) settings = fixture_settings (&metric->plugin, assignments);
  const AssayMetricContext context = { .settings = settings->values, .dataset = measured->dataset };

  assay_outcomes_clear (&measured->outcomes);
  measured->outcomes = (AssayOutcomes){ 0 };
  return metric->measure (&context, measured->truth, measured->guess, &measured->outcomes, error);
}

void
measurement_take (const AssayMetric *metric, const char *assignments, Measurement *measured)
{
  g_autoptr (GError) error = NULL;

  cr_assert (try_measure (metric, assignments, measured, &error), "%s", error->message);
}

void
measurement_refused (const AssayMetric *metric, const char *assignments, Measurement *measured,
                     AssayErrorCode code, const char *message)
{
  g_autofree char *why = NULL;
  GError *error = NULL;

  cr_assert (!try_measure (metric, assignments, measured, &error), "%s", message);
  cr_assert (fixture_error_is (&error, (gint) code, message, NULL, &why), "%s", why);
}

const double *
measurement_series (const AssayMetric *metric, const char *name, const Measurement *measured)
{
  for (const AssayMeasure *m = metric->measures; m->name != NULL; m++)
    if (g_str_equal (m->name, name))
      return measured->outcomes.series[m->series];
  cr_assert_fail ("no measure %s", name);
  return NULL;
}
