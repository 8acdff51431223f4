/* Samples that were found in model updates. Which secret an estimate is of, an attack does not know
 * beyond the step, and it may be the user, whose update it came from: it counts for the secret that
 * it is nearest to of those that went into it first then. Of a step (and user) there count as many
 * estimates as samples went into it, the first ones: more guesses find no more.
 *
 * Samples that an attack finds in one sum, of which it does not say whose each is, are found
 * together or not at all: those of a sum are one group, in place of groups of the dataset. Where it
 * reads each user's update by itself, the groups of the dataset stay.
 *
 * Compared are the columns that the attack is sure of, and for the error all of them. */
#include <float.h>
#include <math.h>

#include "core/plugin/plugin.h"
#include "metrics/recovery/errors.h"

enum { RECOVERED, ERROR, FIRST, LABEL, COLUMNS, UNIT, N_SERIES };

typedef struct {
  double tau;
} SampleRecovery;

typedef struct {
  AssayView secrets, estimates;
  const guint8 *is_known;                             /* of estimates; NULL: all columns */
  const gint64 *users, *steps, *labels;               /* of secrets; labels may be NULL */
  const gint64 *of_users, *of_steps, *guessed_labels; /* of estimates; all but steps may be NULL */
  guint8 *counts; /* estimates: whether it is one of the first */
} Comparison;

static const gint64 *
numbers_of (const AssayArrays *arrays, const char *name)
{
  const AssayArray *array = assay_arrays_get (arrays, name);

  return array != NULL ? assay_array_int64 (array) : NULL;
}

static gboolean
is_of_user (const Comparison *comparison, gsize estimate)
{
  return comparison->of_users != NULL && comparison->of_users[estimate] >= 0;
}

/* Whether the estimate came from the update that the secret went into. */
static gboolean
can_be (const Comparison *comparison, gsize estimate, gsize secret)
{
  return comparison->steps[secret] >= 0
         && comparison->of_steps[estimate] == comparison->steps[secret]
         && (!is_of_user (comparison, estimate)
             || comparison->of_users[estimate] == comparison->users[secret]);
}

static int
compare_pairs (gconstpointer a, gconstpointer b)
{
  const gint64 *x = a, *y = b;

  for (guint i = 0; i < 3; i++)
    if (x[i] != y[i])
      return x[i] < y[i] ? -1 : 1;
  return 0;
}

/* The first estimates of each step and user, as many as there are samples. */
static gboolean
choose_first (Comparison *comparison, GError **error)
{
  const gsize n = comparison->estimates.rows;
  g_autofree gint64 *places = assay_alloc (3 * n, sizeof (gint64), "estimates", error);

  if (places == NULL)
    return FALSE;
  for (gsize e = 0; e < n; e++) {
    places[3 * e] = comparison->of_steps[e];
    places[3 * e + 1] = is_of_user (comparison, e) ? comparison->of_users[e] : -1;
    places[3 * e + 2] = (gint64) e;
  }
  qsort (places, n, 3 * sizeof (gint64), compare_pairs);
  for (gsize first = 0, end; first < n; first = end) {
    const gsize of = (gsize) places[3 * first + 2];
    gsize samples = 0;

    for (gsize i = 0; i < comparison->secrets.rows; i++)
      samples += can_be (comparison, of, i);
    for (end = first; end < n && places[3 * end] == places[3 * first]
                      && places[3 * end + 1] == places[3 * first + 1];
         end++)
      comparison->counts[places[3 * end + 2]] = end - first < samples;
  }
  return TRUE;
}

/* Squared distance over the columns that the estimate is sure of, or all. */
static double
distance (const Comparison *comparison, gsize estimate, gsize secret, gboolean of_known)
{
  const float *x = assay_view_row (comparison->secrets, secret);
  const float *y = assay_view_row (comparison->estimates, estimate);
  const gsize d = comparison->secrets.cols;
  double sum = 0;

  for (gsize j = 0; j < d; j++)
    if (!of_known || comparison->is_known == NULL || comparison->is_known[estimate * d + j])
      sum += ((double) x[j] - (double) y[j]) * ((double) x[j] - (double) y[j]);
  return sum;
}

static gsize
count_known (const Comparison *comparison, gsize estimate)
{
  const gsize d = comparison->secrets.cols;
  gsize known = 0;

  for (gsize j = 0; j < d; j++)
    known += comparison->is_known == NULL || comparison->is_known[estimate * d + j];
  return known;
}

/* The secret nearest to an estimate, of all in the cell; the first of equals. G_MAXSIZE: it is sure
 * of no column. */
static gsize
nearest_to (const Comparison *comparison, gsize estimate)
{
  gsize best = G_MAXSIZE;
  double least = count_known (comparison, estimate) > 0 ? DBL_MAX : 0;

  for (gsize i = 0; i < comparison->secrets.rows; i++) {
    const double here = distance (comparison, estimate, i, TRUE);

    if (here < least) {
      least = here;
      best = i;
    }
  }
  return best;
}

static void
compare_secret (const Comparison *comparison, const gsize *nearest, double tau, gsize i,
                double *const *series)
{
  const gsize d = comparison->secrets.cols;
  const float *secret = assay_view_row (comparison->secrets, i);
  double length = 0, least = DBL_MAX;
  gsize best = G_MAXSIZE;

  for (gsize j = 0; j < d; j++)
    length += (double) secret[j] * (double) secret[j];
  for (gsize e = 0; e < comparison->estimates.rows; e++) {
    double error;

    if (!comparison->counts[e] || !can_be (comparison, e, i))
      continue;
    error = distance (comparison, e, i, FALSE);
    if (error < least) {
      least = error;
      best = e;
    }
  }
  series[ERROR][i] = best != G_MAXSIZE && length > 0 ? MIN (sqrt (least / length), 1) : 1;
  series[RECOVERED][i] = series[ERROR][i] <= tau;
  series[FIRST][i] = best != G_MAXSIZE && nearest[best] == i;
  series[LABEL][i] = best != G_MAXSIZE && comparison->labels != NULL
                     && comparison->guessed_labels != NULL
                     && comparison->guessed_labels[best] == comparison->labels[i];
  series[COLUMNS][i] = best != G_MAXSIZE ? (double) count_known (comparison, best) / (double) d : 0;
}

static gboolean
prepare (const AssayTruth *truth, const AssayGuess *guess, Comparison *ret_comparison,
         GError **error)
{
  const AssayArray *known = assay_arrays_get (&guess->arrays, "known-columns");

  *ret_comparison = (Comparison){
    .secrets = assay_array_view (assay_arrays_get (&truth->arrays, "secrets")),
    .estimates = assay_array_view (assay_arrays_get (&guess->arrays, "estimates")),
    .is_known = known != NULL ? known->data : NULL,
    .users = numbers_of (&truth->arrays, "users"),
    .steps = numbers_of (&truth->arrays, "steps"),
    .labels = numbers_of (&truth->arrays, "labels"),
    .of_users = numbers_of (&guess->arrays, "of-users"),
    .of_steps = numbers_of (&guess->arrays, "of-steps"),
    .guessed_labels = numbers_of (&guess->arrays, "estimated-labels"),
  };
  if (ret_comparison->estimates.cols != ret_comparison->secrets.cols)
    return assay_fail (error, ASSAY_ERROR_MISMATCH,
                       "estimates have %zu columns; expected %zu, as the secrets have",
                       ret_comparison->estimates.cols, ret_comparison->secrets.cols);
  ret_comparison->counts
      = assay_alloc (ret_comparison->estimates.rows, sizeof (guint8), "estimates", error);
  return ret_comparison->counts != NULL && choose_first (ret_comparison, error);
}

/* ---- What is found together ---- */

/* Whether the attack says of no estimate whose it is. */
static gboolean
are_of_sums (const Comparison *comparison)
{
  for (gsize e = 0; e < comparison->estimates.rows; e++)
    if (is_of_user (comparison, e))
      return FALSE;
  return TRUE;
}

static void
number_units (const Comparison *comparison, const AssayMetricContext *context,
              const AssayTruth *truth, double *ret_numbers)
{
  const gboolean is_of_sums = are_of_sums (comparison);
  g_autoptr (GHashTable) sums = g_hash_table_new_full (g_int64_hash, g_int64_equal, NULL, g_free);

  for (gsize i = 0; i < comparison->secrets.rows; i++) {
    const gint64 *step = comparison->steps + i;
    double *number = g_hash_table_lookup (sums, step);

    if (!is_of_sums || *step < 0) {
      ret_numbers[i] = metric_group_of (truth, (gint64) i);
      continue;
    }
    if (number == NULL) {
      number = g_new (double, 1);
      *number = metric_number_of_sum (context->release, (gsize) *step);
      g_hash_table_insert (sums, (gpointer) step, number);
    }
    ret_numbers[i] = *number;
  }
}

static gboolean
measure (const AssayMetricContext *context, const AssayTruth *truth, const AssayGuess *guess,
         AssayOutcomes *ret_outcomes, GError **error)
{
  const SampleRecovery *settings = context->settings;
  Comparison comparison = { 0 };
  g_autofree guint8 *counts = NULL;
  g_autofree gsize *nearest = NULL;
  gboolean is_ready = prepare (truth, guess, &comparison, error);

  counts = comparison.counts;
  nearest = is_ready ? assay_alloc (comparison.estimates.rows, sizeof (gsize), "estimates", error)
                     : NULL;
  if (nearest == NULL
      || !assay_outcomes_alloc (ret_outcomes, N_SERIES, comparison.secrets.rows, error))
    return FALSE;
  for (gsize e = 0; e < comparison.estimates.rows; e++)
    nearest[e] = counts[e] ? nearest_to (&comparison, e) : G_MAXSIZE;
  for (gsize i = 0; i < comparison.secrets.rows; i++)
    compare_secret (&comparison, nearest, settings->tau, i, ret_outcomes->series);
  number_units (&comparison, context, truth, ret_outcomes->series[UNIT]);
  return TRUE;
}

ASSAY_METRIC (sample_recovery, "sample-recovery",
  .summary = "Samples of users that were found in model updates",
  .reference = { ASSAY_PAPER_DPHE, "section A.2; the measures are ours" },
  ASSAY_SETTINGS (SampleRecovery,
    ASSAY_PARAM_REAL (SampleRecovery, tau, 0.05, 0, 10, "",
                      "Relative error up to which a sample counts as recovered")),
  .reads = ASSAY_RELEASE_UPDATES,
  .reads_truth = ASSAY_ARRAY_NAMES ("secrets", "users", "steps"),
  .reads_guess = ASSAY_ARRAY_NAMES ("estimates", "of-steps"),
  .finds_order = TRUE,
  .has_own_units = TRUE,
  .names_units = TRUE,
  ASSAY_MEASURES (N_SERIES,
    ASSAY_MEASURE (RECOVERED, "sample-recovery-rate", RATE, 0, 1, "share of secrets",
                   "Samples for which an estimate from their update is within tau", ASSAY_HEADLINE,
                   ASSAY_HIGHER_IS_WORSE),
    ASSAY_MEASURE (ERROR, "sample-error-median", MEDIAN, 0, 1, "share of the secret's length",
                   "Median error: half of the samples are found at least this well"),
    ASSAY_MEASURE (FIRST, "sample-identification-rate", RATE, 0, 1, "share of secrets",
                   "Samples that are nearer to their estimate than all other samples of the cell, "
                   "in the columns that the attack is sure of",
                   ASSAY_HIGHER_IS_WORSE, ASSAY_TELLS_APART),
    ASSAY_MEASURE (LABEL, "sample-label-rate", RATE, 0, 1, "share of secrets",
                   "Samples whose class the attack names", ASSAY_HIGHER_IS_WORSE),
    ASSAY_MEASURE (COLUMNS, "sample-columns", MEAN, 0, 1, "share of columns",
                   "Columns of a sample's estimate that the attack is sure of",
                   ASSAY_HIGHER_IS_WORSE)),
  .measure = measure);
