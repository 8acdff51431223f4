/* How well an attribute of the secrets was inferred, beside chance (Giomi, Boenisch, Wehmeyer and
 * Tasnadi 2023, Anonymeter, sections 4 and 5).
 *
 * The attack guesses the value with the largest score. Beside its accuracy stand
 *   baseline  the best that can be said without the release: the value that is most frequent among
 *             the attacker's own rows (the array `prior`), or, where a guess does not say what
 *             that is, among the secrets themselves, which no attacker does better without it
 *   control   the same guesses, each held against the attribute of another person, whom its item is
 *             not about: the mean over all ordered pairs of secrets i and j of different groups of
 *             "the guess for i is the value of j". What is right there is right by chance.
 *   excess    (accuracy - control) / (1 - control), core/stats/excess.h: Cohen's kappa (1960)
 *
 * The control's outcome of secret i is s_i + t_i - c: the share of others' guesses that are its
 * value, the share of others' values that are its guess, and their mean. With it the spread of the
 * mean over secrets is that of a mean over pairs (Hoeffding 1948), of which each secret is in many.
 *
 * Balanced accuracy is the mean over the values of the share that is right; the area under the ROC
 * curve the mean over the values of that of its score against all other values (DeLong et al.
 * 1988). Both weigh secrets by how many have their value, so that the outcome of a secret is what
 * it does to the measure, and the mean of outcomes is the measure. */
#include "core/base/free.h"
#include "core/games/guesses/infer.h"
#include "core/plugin/plugin.h"
#include "core/stats/excess.h"
#include "metrics/recovery/errors.h"

enum { RIGHT, BALANCED, AREA, BASELINE, GAIN, CONTROL, EXCESS, N_SERIES };

/* What there is of one secret each, or of one value each. */
typedef struct {
  AssayView scores;
  gsize n;
  gsize n_values; /* with those that a guess has no score for */
  gint64 *values;
  gint64 *choices;
  gsize *having; /* secrets of each value */
  const gint64 *groups; /* NULL: each secret is one of its own */
  double *const *series;
} Judged;

ASSAY_LOCAL_CLEAR (Judged, judged_clear, g_free (self->values), g_free (self->choices),
                   g_free (self->having))

static gboolean
find_values (const AssayTruth *truth, const AssayGuess *guess, Judged *judged, GError **error)
{
  const AssayArray *groups = assay_arrays_get (&truth->arrays, "groups");
  AssayAttribute attribute;

  judged->scores = assay_array_view (assay_arrays_get (&guess->arrays, "class-scores"));
  if (!assay_guess_attribute (guess, &attribute, error))
    return FALSE;
  judged->values = assay_attribute_values (&truth->arrays, &attribute, &judged->n, error);
  if (judged->values == NULL)
    return FALSE;
  if (judged->scores.rows != judged->n || judged->scores.cols < 2)
    return assay_fail (error, ASSAY_ERROR_MISMATCH,
                       "class-scores are %zu x %zu; expected some of two values or more for each "
                       "of %zu secrets",
                       judged->scores.rows, judged->scores.cols, judged->n);
  judged->n_values = judged->scores.cols;
  for (gsize i = 0; i < judged->n; i++)
    judged->n_values = MAX (judged->n_values, (gsize) judged->values[i] + 1);
  judged->having = assay_alloc (judged->n_values, sizeof (gsize), "values", error);
  for (gsize i = 0; judged->having != NULL && i < judged->n; i++)
    judged->having[judged->values[i]]++;
  judged->choices = assay_class_choices (judged->scores);
  judged->groups = groups != NULL ? assay_array_int64 (groups) : NULL;
  return judged->having != NULL;
}

/* ---- Right guesses ---- */

static gint64
constant_guess (const Judged *judged, const AssayGuess *guess)
{
  const AssayArray *prior = assay_arrays_get (&guess->arrays, "prior");
  gint64 best = 0;

  if (prior != NULL) {
    const float *shares = assay_array_view (prior).data;

    for (gsize k = 1; k < prior->shape[0]; k++)
      best = shares[k] > shares[best] ? (gint64) k : best;
    return best;
  }
  for (gsize k = 1; k < judged->n_values; k++)
    best = judged->having[k] > judged->having[best] ? (gint64) k : best;
  return best;
}

static void
judge_right (const Judged *judged, gint64 constant)
{
  for (gsize i = 0; i < judged->n; i++) {
    const double is_right = judged->choices[i] == judged->values[i];

    judged->series[RIGHT][i] = is_right;
    judged->series[BASELINE][i] = judged->values[i] == constant;
    judged->series[GAIN][i] = is_right - judged->series[BASELINE][i];
  }
}

static gsize
count_present (const Judged *judged)
{
  gsize n_present = 0;

  for (gsize k = 0; k < judged->n_values; k++)
    n_present += judged->having[k] > 0;
  return n_present;
}

static gboolean
judge_balanced (const Judged *judged, GError **error)
{
  const double n = (double) judged->n, n_present = (double) count_present (judged);
  g_autofree double *recall = assay_alloc (judged->n_values, sizeof (double), "values", error);
  double mean = 0;

  if (recall == NULL)
    return FALSE;
  for (gsize i = 0; i < judged->n; i++)
    recall[judged->values[i]]
        += judged->series[RIGHT][i] / (double) judged->having[judged->values[i]];
  for (gsize k = 0; k < judged->n_values; k++)
    mean += recall[k] / n_present;
  for (gsize i = 0; i < judged->n; i++) {
    const gint64 k = judged->values[i];

    judged->series[BALANCED][i] = mean
                                  + n / (n_present * (double) judged->having[k])
                                        * (judged->series[RIGHT][i] - recall[k]);
  }
  return TRUE;
}

/* ---- The control ---- */

/* Secrets of each value, and guesses, in one group. */
typedef struct {
  GHashTable *values;  /* group -> (value -> count) as one key */
  GHashTable *choices;
  GHashTable *sizes;
} Groups;

static gint64 *
key_new (const Judged *judged, gsize secret, gint64 value)
{
  gint64 *key = g_new (gint64, 1);

  *key = judged->groups[secret] * (gint64) judged->n_values + value;
  return key;
}

static void
count_up (GHashTable *table, gint64 *key)
{
  const gsize count = GPOINTER_TO_SIZE (g_hash_table_lookup (table, key));

  g_hash_table_replace (table, key, GSIZE_TO_POINTER (count + 1));
}

static double
count_of (GHashTable *table, const Judged *judged, gsize secret, gint64 value)
{
  g_autofree gint64 *key = key_new (judged, secret, value);

  return (double) GPOINTER_TO_SIZE (g_hash_table_lookup (table, key));
}

static Groups
groups_of (const Judged *judged)
{
  Groups groups = { g_hash_table_new_full (g_int64_hash, g_int64_equal, g_free, NULL),
                    g_hash_table_new_full (g_int64_hash, g_int64_equal, g_free, NULL),
                    g_hash_table_new_full (g_int64_hash, g_int64_equal, g_free, NULL) };

  for (gsize i = 0; judged->groups != NULL && i < judged->n; i++) {
    count_up (groups.values, key_new (judged, i, judged->values[i]));
    count_up (groups.choices, key_new (judged, i, judged->choices[i]));
    count_up (groups.sizes, key_new (judged, i, 0));
  }
  return groups;
}

ASSAY_LOCAL_CLEAR (Groups, groups_clear, g_hash_table_unref (self->values),
                   g_hash_table_unref (self->choices), g_hash_table_unref (self->sizes))

/* Pairs (i, j) of other groups in which the guess for j is the value of i, and in which the value
 * of j is the guess for i: into @ret_outcomes their sum, of which the mean control is returned; -1
 * where there are no two groups. */
static double
count_agreeing (const Judged *judged, const gsize *chosen, double *ret_outcomes)
{
  g_auto (Groups) groups = groups_of (judged);
  const double n = (double) judged->n;
  double n_pairs = 0, agreeing = 0;

  for (gsize i = 0; i < judged->n; i++) {
    const gint64 value = judged->values[i], choice = judged->choices[i];
    const gboolean is_alone = judged->groups == NULL;
    const double same = value == choice;
    const double guesses = (double) chosen[value]
                           - (is_alone ? same : count_of (groups.choices, judged, i, value));
    const double values = (double) judged->having[choice]
                          - (is_alone ? same : count_of (groups.values, judged, i, choice));

    n_pairs += n - (is_alone ? 1 : count_of (groups.sizes, judged, i, 0));
    agreeing += guesses;
    ret_outcomes[i] = guesses + values;
  }
  for (gsize i = 0; n_pairs > 0 && i < judged->n; i++)
    ret_outcomes[i] = (n * ret_outcomes[i] - agreeing) / n_pairs;
  return n_pairs > 0 ? agreeing / n_pairs : -1;
}

static gboolean
judge_control (const Judged *judged, AssayOutcomes *outcomes, GError **error)
{
  g_autofree gsize *chosen = assay_alloc (judged->n_values, sizeof (gsize), "values", error);
  double control;

  if (chosen == NULL)
    return FALSE;
  for (gsize i = 0; i < judged->n; i++)
    chosen[judged->choices[i]]++;
  control = count_agreeing (judged, chosen, outcomes->series[CONTROL]);
  if (control >= 0 && count_present (judged) > 1) {
    assay_excess_influence (judged->series[RIGHT], judged->series[CONTROL], judged->n,
                            judged->series[EXCESS]);
    return TRUE;
  }
  if (control < 0)
    metric_leave_out (outcomes, CONTROL, EXCESS + 1,
                      "all secrets are of one person or group: there are no others whom a guess "
                      "could be held against");
  else
    metric_leave_out (outcomes, CONTROL, EXCESS + 1,
                      "the attribute has the value %" G_GINT64_FORMAT " in all %zu secrets: a "
                      "guess says no more about one than about another; expected two values at "
                      "least",
                      judged->values[0], judged->n);
  return TRUE;
}

static gboolean
measure (G_GNUC_UNUSED const AssayMetricContext *context, const AssayTruth *truth,
         const AssayGuess *guess, AssayOutcomes *ret_outcomes, GError **error)
{
  g_auto (Judged) judged = { 0 };
  double area;

  if (!find_values (truth, guess, &judged, error)
      || !assay_outcomes_alloc (ret_outcomes, N_SERIES, judged.n, error))
    return FALSE;
  judged.series = ret_outcomes->series;
  judge_right (&judged, constant_guess (&judged, guess));
  if (!judge_balanced (&judged, error))
    return FALSE;
  if (count_present (&judged) > 1
      && !assay_infer_area (judged.scores, judged.values, &area, judged.series[AREA], error))
    return FALSE;
  if (count_present (&judged) == 1)
    metric_leave_out (ret_outcomes, AREA, AREA + 1,
                      "the attribute has one value in all secrets; expected two at least");
  return judge_control (&judged, ret_outcomes, error);
}

ASSAY_METRIC (attribute, "attribute",
  .summary = "How well an attribute of the secrets was inferred, beside chance",
  .reference = { "Giomi, Boenisch, Wehmeyer and Tasnadi 2023, A Unified Framework for Quantifying "
                 "Privacy Risk in Synthetic Data (Anonymeter)",
                 "sections 4 and 5; Cohen 1960 for the control" },
  .reads_truth = ASSAY_ARRAY_NAMES ("secrets"),
  .reads_guess = ASSAY_ARRAY_NAMES ("class-scores"),
  ASSAY_MEASURES (N_SERIES,
    ASSAY_MEASURE (RIGHT, "attribute-accuracy", RATE, 0, 1, "share of secrets",
                   "Secrets whose attribute is the value with the largest score", ASSAY_HEADLINE,
                   ASSAY_HIGHER_IS_WORSE),
    ASSAY_MEASURE (BASELINE, "attribute-baseline", RATE, 0, 1, "share of secrets",
                   "The same for the most frequent value, without the release", ASSAY_HEADLINE,
                   ASSAY_HIGHER_IS_WORSE, ASSAY_IS_REFERENCE),
    ASSAY_MEASURE (CONTROL, "attribute-control", MEAN, 0, 1, "share of pairs of secrets",
                   "The same when each guess is compared with the attributes of other people",
                   ASSAY_HEADLINE, ASSAY_HIGHER_IS_WORSE, .is_influence = TRUE,
                   ASSAY_IS_REFERENCE),
    ASSAY_MEASURE (EXCESS, "attribute-excess", EXCESS, -1, 1, "share",
                   "(accuracy - control) / (1 - control): 0, no better than for people whom the "
                   "release is not about; 1, always right",
                   ASSAY_HEADLINE, ASSAY_HIGHER_IS_WORSE, .success = RIGHT, .control = CONTROL,
                   .is_influence = TRUE),
    ASSAY_MEASURE (GAIN, "attribute-gain", MEAN, -1, 1, "share of secrets",
                   "attribute-accuracy less attribute-baseline", ASSAY_HIGHER_IS_WORSE),
    ASSAY_MEASURE (BALANCED, "attribute-balanced-accuracy", MEAN, 0, 1, "share of secrets",
                   "For each value the share of its secrets that are guessed right; the mean over "
                   "values",
                   ASSAY_HIGHER_IS_WORSE, .is_influence = TRUE),
    ASSAY_MEASURE (AREA, "attribute-auc", MEAN, 0, 1, "area under the ROC curve",
                   "For each value the probability that a secret with it scores above one without "
                   "it; the mean over values",
                   ASSAY_HIGHER_IS_WORSE, .is_influence = TRUE)),
  .measure = measure);
