/* The metric of inferred attributes against naive forms, and what it leaves out. */
#include <criterion/criterion.h>
#include <string.h>

#include "core/games/guesses/infer.h"
#include "core/stats/bound-test.h"
#include "tests/unit/assert-near.h"
#include "tests/unit/metrics/measurement.h"

extern const AssayMetric assay_metric_attribute;

enum { SECRETS = 60, VALUES = 4, GROUP = 3 };

static AssayStream
stream_of (guint64 seed)
{
  return assay_stream (assay_stream_key (seed, 0, "attribute", ""), 0);
}

/* Labels 0 .. VALUES - 1, and scores of which @lean speaks for the right one; groups of GROUP. */
static void
make_case (Measurement *measured, guint64 seed, float lean, gboolean has_groups)
{
  AssayStream stream = stream_of (seed);
  float *scores = g_new (float, SECRETS * VALUES);
  gint64 *labels = g_new (gint64, SECRETS);
  gint64 *groups = g_new (gint64, SECRETS);

  for (gsize i = 0; i < SECRETS; i++) {
    const guint64 drawn = assay_stream_below (&stream, VALUES + 2);

    labels[i] = (gint64) MIN (drawn, VALUES - 1);
    groups[i] = (gint64) (i / GROUP);
    for (gint64 k = 0; k < VALUES; k++)
      scores[i * VALUES + (gsize) k]
          = (float) assay_stream_below (&stream, 8) + (k == labels[i] ? lean : 0);
  }
  assay_arrays_take_rows (&measured->truth->arrays, "secrets", ASSAY_FLOAT32, SECRETS, 1,
                          g_new0 (float, SECRETS));
  assay_arrays_take (&measured->truth->arrays, "labels",
                     assay_array_take (ASSAY_INT64, 1, (const gsize[]){ SECRETS }, labels));
  if (has_groups)
    assay_arrays_take (&measured->truth->arrays, "groups",
                       assay_array_take (ASSAY_INT64, 1, (const gsize[]){ SECRETS }, groups));
  else
    g_free (groups);
  assay_arrays_take_rows (&measured->guess->arrays, "class-scores", ASSAY_FLOAT32, SECRETS, VALUES,
                          scores);
}

static double
mean_of (const char *name, const Measurement *measured)
{
  const double *outcomes = measurement_series (&assay_metric_attribute, name, measured);
  double sum = 0;

  for (gsize i = 0; i < measured->outcomes.n; i++)
    sum += outcomes[i];
  return sum / (double) measured->outcomes.n;
}

static const float *
scores_of (const Measurement *measured)
{
  return assay_array_view (assay_arrays_get (&measured->guess->arrays, "class-scores")).data;
}

static const gint64 *
labels_of (const Measurement *measured)
{
  return assay_array_int64 (assay_arrays_get (&measured->truth->arrays, "labels"));
}

static gint64
choice_of (const Measurement *measured, gsize secret)
{
  const float *scores = scores_of (measured) + secret * VALUES;
  gint64 best = 0;

  for (gint64 k = 0; k < VALUES; k++)
    if (scores[k] > scores[best])
      best = k;
  return best;
}

/* Over all ordered pairs of secrets of different groups. */
static double
naive_control (const Measurement *measured, gboolean has_groups)
{
  double agreeing = 0, pairs = 0;

  for (gsize i = 0; i < SECRETS; i++)
    for (gsize j = 0; j < SECRETS; j++)
      if (has_groups ? i / GROUP != j / GROUP : i != j) {
        agreeing += choice_of (measured, j) == labels_of (measured)[i];
        pairs++;
      }
  return agreeing / pairs;
}

static double
naive_area (const Measurement *measured)
{
  double mean = 0;

  for (gint64 k = 0; k < VALUES; k++) {
    double above = 0, pairs = 0;

    for (gsize i = 0; i < SECRETS; i++)
      for (gsize j = 0; j < SECRETS; j++)
        if (labels_of (measured)[i] == k && labels_of (measured)[j] != k) {
          const float a = scores_of (measured)[i * VALUES + (gsize) k];
          const float b = scores_of (measured)[j * VALUES + (gsize) k];

          above += a > b ? 1 : a == b ? 0.5 : 0;
          pairs++;
        }
    mean += above / pairs / VALUES;
  }
  return mean;
}

static double
naive_balanced (const Measurement *measured)
{
  double mean = 0;

  for (gint64 k = 0; k < VALUES; k++) {
    double right = 0, having = 0;

    for (gsize i = 0; i < SECRETS; i++)
      if (labels_of (measured)[i] == k) {
        right += choice_of (measured, i) == k;
        having++;
      }
    mean += right / having / VALUES;
  }
  return mean;
}

Test (attribute, measures_are_their_naive_forms)
{
  for (guint has_groups = 0; has_groups < 2; has_groups++) {
    g_auto (Measurement) measured = measurement_new ();
    double right = 0, control;

    make_case (&measured, 3 + has_groups, 3, has_groups);
    measurement_take (&assay_metric_attribute, "", &measured);
    for (gsize i = 0; i < SECRETS; i++)
      right += choice_of (&measured, i) == labels_of (&measured)[i];
    right /= SECRETS;
    control = naive_control (&measured, has_groups);
    cr_assert (right > control && control > 0);
    assert_near (mean_of ("attribute-accuracy", &measured), right, 1e-12, "accuracy");
    assert_near (mean_of ("attribute-control", &measured), control, 1e-12, "control");
    assert_near (mean_of ("attribute-excess", &measured), (right - control) / (1 - control), 1e-12,
                 "excess");
    assert_near (mean_of ("attribute-balanced-accuracy", &measured), naive_balanced (&measured),
                 1e-12, "balanced accuracy");
    assert_near (mean_of ("attribute-auc", &measured), naive_area (&measured), 1e-12, "area");
  }
}

/* The prior of the guess is the baseline; without it, the most frequent of the secrets' values. */
Test (attribute, baseline_is_a_constant)
{
  static const float prior[] = { 0.2f, 0.5f, 0.2f, 0.1f };
  g_auto (Measurement) measured = measurement_new ();
  gsize counts[VALUES] = { 0 };

  make_case (&measured, 5, 0, FALSE);
  for (gsize i = 0; i < SECRETS; i++)
    counts[labels_of (&measured)[i]]++;
  measurement_take (&assay_metric_attribute, "", &measured);
  assert_near (mean_of ("attribute-baseline", &measured), (double) counts[VALUES - 1] / SECRETS,
               1e-12, "the most frequent value");
  assay_arrays_take (&measured.guess->arrays, "prior",
                     assay_array_take (ASSAY_FLOAT32, 1, (const gsize[]){ VALUES },
                                       g_memdup2 (prior, sizeof prior)));
  measurement_take (&assay_metric_attribute, "", &measured);
  assert_near (mean_of ("attribute-baseline", &measured), (double) counts[1] / SECRETS, 1e-12,
               "the most frequent of the attacker's rows");
}

/* Guesses that know nothing: the lower end of the interval of the excess is above 0 no more often
 * than it says. */
Test (attribute, chance_is_no_excess)
{
  const AssayMeasure *excess = NULL;
  gsize above = 0, above_likely = 0;

  for (const AssayMeasure *m = assay_metric_attribute.measures; m->name != NULL; m++)
    if (g_str_equal (m->name, "attribute-excess"))
      excess = m;
  for (guint64 seed = 0; seed < 200; seed++) {
    g_auto (Measurement) measured = measurement_new ();
    g_autoptr (AssaySample) sample = NULL;

    make_case (&measured, 100 + seed, 0, FALSE);
    measurement_take (&assay_metric_attribute, "", &measured);
    sample = assay_sample_new_excess (
        excess, measurement_series (&assay_metric_attribute, "attribute-accuracy", &measured),
        measurement_series (&assay_metric_attribute, "attribute-control", &measured), NULL,
        SECRETS);
    above += assay_bound_test (sample, 0, assay_stream_key (1, 0, "", "")).p_above <= 0.05;
    above_likely += assay_bound_test (sample, 0, assay_stream_key (1, 0, "", "")).p_above <= 0.5;
  }
  /* Binomial (200, 0.05) exceeds 21 with probability 0.0005. */
  cr_assert_leq (above, 21, "%zu", above);
  cr_assert_geq (above_likely, 20, "%zu: a test that never refuses tests nothing", above_likely);
}

Test (attribute, one_value_or_group_is_left_out)
{
  g_auto (Measurement) measured = measurement_new ();
  gint64 *groups = g_new0 (gint64, SECRETS);

  make_case (&measured, 6, 2, FALSE);
  assay_arrays_take (&measured.truth->arrays, "groups",
                     assay_array_take (ASSAY_INT64, 1, (const gsize[]){ SECRETS }, groups));
  measurement_take (&assay_metric_attribute, "", &measured);
  cr_assert_null (measurement_series (&assay_metric_attribute, "attribute-excess", &measured));
  cr_assert_not_null (measurement_series (&assay_metric_attribute, "attribute-auc", &measured));
  assay_arrays_take (&measured.truth->arrays, "labels",
                     assay_array_take (ASSAY_INT64, 1, (const gsize[]){ SECRETS },
                                       g_new0 (gint64, SECRETS)));
  measurement_take (&assay_metric_attribute, "", &measured);
  cr_assert_null (measurement_series (&assay_metric_attribute, "attribute-auc", &measured));
}

/* A threshold on a number of the secrets, and what is none. */
Test (attribute, thresholds_and_columns)
{
  static const float rows[] = { 1, 5, 2, 7, 3, 6, 4, 8 };
  static const float scores[] = { 1, 0, 0, 1, 1, 0, 0, 1 };
  const AssayAttribute above = { ASSAY_ATTRIBUTE_THRESHOLD, 1, 6.5f };
  const AssayAttribute outside = { ASSAY_ATTRIBUTE_THRESHOLD, 2, 0 };
  g_auto (Measurement) measured = measurement_new ();

  assay_arrays_take_rows (&measured.truth->arrays, "secrets", ASSAY_FLOAT32, 4, 2,
                          g_memdup2 (rows, sizeof rows));
  assay_arrays_take_rows (&measured.guess->arrays, "class-scores", ASSAY_FLOAT32, 4, 2,
                          g_memdup2 (scores, sizeof scores));
  measurement_refused (&assay_metric_attribute, "", &measured, ASSAY_ERROR_MISMATCH,
                       "attribute: the rows have no labels; expected a dataset with labels of "
                       "secrets and public rows (public_labels)");
  assay_guess_take_attribute (measured.guess, &above);
  measurement_take (&assay_metric_attribute, "", &measured);
  assert_near (mean_of ("attribute-accuracy", &measured), 1, 0, "all are right");
  assay_guess_take_attribute (measured.guess, &outside);
  measurement_refused (&assay_metric_attribute, "", &measured, ASSAY_ERROR_MISMATCH,
                       "attribute: column 2 of the secrets; expected one of the 2, from 0");
}
