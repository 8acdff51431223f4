/* What users get of training detectors together: each class of a model is one against all others,
 * and is looked at as a detector of a label by itself. How well does it put test rows that have the
 * label before those that have not (average precision), and for how many is its sign right?
 *
 * Of one label this is what a detector of it is judged by, of several (those most frequent among
 * what users trained on) the mean over labels, mAP. A row of the role test is one unit; its outcome
 * is what it does to the measure (average-precision.h), which is the mean of outcomes.
 *
 * `label-prevalence` is the average precision of scores that say nothing, and
 * `constant-label-accuracy` the accuracy of the better constant answer to each label, by what users
 * have: without it, an accuracy over labels that few rows have says little. */
#include "core/base/error.h"
#include "core/data/formats/label-sets.h"
#include "metrics/learning/average-precision.h"
#include "metrics/learning/linear-test.h"

enum { AP, FIRST_AP, PREVALENCE, RIGHT, FIRST_RIGHT, CONSTANT, N_SERIES };

typedef struct {
  gint64 top;
  gint64 label;
} Detection;

/* Whether rows have a label, by the sets of labels that rows have, or their only one. */
typedef struct {
  const gint64 *labels;
  const gint64 *sets; /* of words each; NULL: one label each */
  gsize words;
  gsize n;
} RowLabels;

static gboolean
row_has (const RowLabels *rows, gsize i, gsize label)
{
  return rows->sets != NULL
             ? assay_label_set_has (rows->sets + i * rows->words, rows->words, label)
             : rows->labels[i] == (gint64) label;
}

typedef struct {
  gsize label;
  gsize rows; /* that users have */
} Frequency;

static int
by_falling_frequency (gconstpointer a, gconstpointer b)
{
  const Frequency *one = a, *other = b;

  if (one->rows != other->rows)
    return one->rows < other->rows ? 1 : -1;
  return (one->label > other->label) - (one->label < other->label);
}

/* ---- Material ---- */

static gboolean
labels_of_secrets (const AssayReceived *received, gsize n_classes, RowLabels *ret_labels,
                   GError **error)
{
  const AssayArray *labels = assay_arrays_get (&received->truth->arrays, "labels");
  const AssayArray *sets = assay_arrays_get (&received->truth->arrays, "label-sets");

  if (labels == NULL)
    return assay_fail (error, ASSAY_ERROR_MISMATCH,
                       "expected the labels of what users trained on, found none");
  *ret_labels = (RowLabels){ assay_array_int64 (labels),
                             sets != NULL ? assay_array_int64 (sets) : NULL,
                             assay_label_sets_words (sets), assay_array_count (labels) };
  for (gsize i = 0; i < ret_labels->n; i++)
    if (ret_labels->labels[i] < 0 || (guint64) ret_labels->labels[i] >= n_classes)
      return assay_fail (error, ASSAY_ERROR_DATA,
                         "the label of secret %zu is %" G_GINT64_FORMAT "; expected 0 to %zu", i,
                         ret_labels->labels[i], n_classes - 1);
  return TRUE;
}

/* The labels that are looked at, with how many secrets have them; NULL with @error. */
static Frequency *
choose_labels (const Detection *settings, const RowLabels *secrets, gsize n_classes, gsize *ret_n,
               GError **error)
{
  g_autofree Frequency *all = g_new0 (Frequency, n_classes);

  for (gsize c = 0; c < n_classes; c++) {
    all[c].label = c;
    for (gsize i = 0; i < secrets->n; i++)
      all[c].rows += row_has (secrets, i, c);
  }
  if (settings->label >= 0) {
    if ((guint64) settings->label >= n_classes)
      return assay_fail_null (error, ASSAY_ERROR_PARAMETER,
                              "label = %" G_GINT64_FORMAT
                              ": expected -1 to %zu, as models have classes",
                              settings->label, n_classes - 1);
    all[0] = all[settings->label];
    *ret_n = 1;
    return g_steal_pointer (&all);
  }
  qsort (all, n_classes, sizeof *all, by_falling_frequency);
  *ret_n = settings->top == 0 ? n_classes : MIN ((gsize) settings->top, n_classes);
  return g_steal_pointer (&all);
}

/* Scores of all classes of the last model, and of the first, class after class: n each. */
static gboolean
score_rows (const LinearTest *test, double *ret_last, double *ret_first, GError **error)
{
  g_autofree float *row = assay_alloc (test->shape.cols, sizeof *row, "a row", error);
  g_autofree double *scores = g_new (double, 2 * test->shape.classes);

  if (row == NULL)
    return FALSE;
  for (gsize i = 0; i < test->n; i++) {
    linear_test_row (test, i, row);
    assay_linear_scores (&test->shape, test->last, row, scores);
    assay_linear_scores (&test->shape, test->first, row, scores + test->shape.classes);
    for (gsize c = 0; c < test->shape.classes; c++) {
      ret_last[c * test->n + i] = scores[c];
      ret_first[c * test->n + i] = scores[test->shape.classes + c];
    }
  }
  return TRUE;
}

/* ---- Outcomes ---- */

/* One label, of whose test rows @has says which have it; @constant: the answer that most secrets
 * would give. */
static void
judge_label (const double *last, const double *first, const gboolean *has, gboolean constant,
             AssayOutcomes *outcomes)
{
  average_precision (last, has, outcomes->n, outcomes->series[AP]);
  average_precision (first, has, outcomes->n, outcomes->series[FIRST_AP]);
  for (gsize i = 0; i < outcomes->n; i++) {
    outcomes->series[PREVALENCE][i] += has[i];
    outcomes->series[RIGHT][i] += (last[i] > 0) == has[i];
    outcomes->series[FIRST_RIGHT][i] += (first[i] > 0) == has[i];
    outcomes->series[CONSTANT][i] += constant == has[i];
  }
}

static gboolean
judge_labels (const LinearTest *test, const RowLabels *secrets, const Frequency *chosen, gsize n,
              AssayOutcomes *outcomes, GError **error)
{
  const AssayRoleData *data = &test->dataset->test_data;
  const RowLabels rows
      = { assay_role_labels (data),
          data->label_sets != NULL ? assay_array_int64 (data->label_sets) : NULL,
          assay_label_sets_words (data->label_sets), test->n };
  const gsize n_scores = test->shape.classes * test->n;
  g_autofree double *scores = assay_alloc (2 * n_scores, sizeof (double), "scores", error);
  g_autofree gboolean *has = g_new (gboolean, test->n);

  if (scores == NULL || !score_rows (test, scores, scores + n_scores, error))
    return FALSE;
  for (gsize l = 0; l < n; l++) {
    const double *of_label = scores + chosen[l].label * test->n;
    gsize members = 0;

    for (gsize i = 0; i < test->n; i++) {
      has[i] = row_has (&rows, i, chosen[l].label);
      members += has[i] ? 1 : 0;
    }
    if (members == 0)
      return assay_fail (error, ASSAY_ERROR_MISMATCH,
                         "none of the %zu test rows has label %zu, so that it cannot be detected; "
                         "expected another label, or a smaller top",
                         test->n, chosen[l].label);
    judge_label (of_label, of_label + n_scores, has, 2 * chosen[l].rows > secrets->n, outcomes);
  }
  for (guint s = 0; s < N_SERIES; s++)
    for (gsize i = 0; i < test->n; i++)
      outcomes->series[s][i] /= (double) n;
  return TRUE;
}

static gboolean
assess (const AssayUtilityContext *context, const AssayReceived *received,
        AssayOutcomes *ret_outcomes, GError **error)
{
  g_auto (LinearTest) test = { 0 };
  g_autofree Frequency *chosen = NULL;
  RowLabels secrets;
  gsize n;

  if (!linear_test_open (context, received, FALSE, &test, error)
      || !labels_of_secrets (received, test.shape.classes, &secrets, error))
    return FALSE;
  chosen = choose_labels (context->settings, &secrets, test.shape.classes, &n, error);
  return chosen != NULL && assay_outcomes_alloc (ret_outcomes, N_SERIES, test.n, error)
         && judge_labels (&test, &secrets, chosen, n, ret_outcomes, error);
}

static gboolean
check (gconstpointer data, const AssayShape *shape, GError **error)
{
  const Detection *settings = data;

  if (settings->label >= 0 && settings->top > 0)
    return assay_fail (error, ASSAY_ERROR_PARAMETER,
                       "label = %" G_GINT64_FORMAT " and top = %" G_GINT64_FORMAT
                       ": expected one of them",
                       settings->label, settings->top);
  if (shape->n_classes > 0 && settings->label >= (gint64) shape->n_classes)
    return assay_fail (error, ASSAY_ERROR_PARAMETER,
                       "label = %" G_GINT64_FORMAT ": expected -1 to %zu, as there are labels",
                       settings->label, shape->n_classes - 1);
  return TRUE;
}

ASSAY_UTILITY (detection, "detection",
  .summary = "How well models that users trained together predict single labels",
  .reference = { ASSAY_PAPER_DPHE, "tables 3, 4 and 5" },
  ASSAY_SETTINGS (Detection,
    ASSAY_PARAM_INT (Detection, top, 0, 0, 1000000, "labels",
                     "Look at this many labels, the most frequent among users' samples; 0: all"),
    ASSAY_PARAM_INT (Detection, label, -1, -1, 1000000, "",
                     "Look at this label alone; -1: those that `top` selects")),
  .check = check,
  .reads = ASSAY_RELEASE_UPDATES,
  .needs = ASSAY_HAS_LABELS | ASSAY_HAS_TEST_LABELS,
  .has_own_units = TRUE,
  .repeats_units = TRUE,
  ASSAY_MEASURES (N_SERIES,
    ASSAY_MEASURE (AP, "label-average-precision", MEAN, 0, 1, "average precision",
                   "Average precision of test rows ranked by the last model's score of a label; "
                   "mean over labels",
                   ASSAY_HEADLINE, .is_influence = TRUE),
    ASSAY_MEASURE (FIRST_AP, "first-label-average-precision", MEAN, 0, 1, "average precision",
                   "The same for the model that users begin with", .is_influence = TRUE),
    ASSAY_MEASURE (PREVALENCE, "label-prevalence", MEAN, 0, 1, "share of test rows",
                   "Test rows that have the label: the average precision of scores without "
                   "information",
                   ASSAY_IS_REFERENCE),
    ASSAY_MEASURE (RIGHT, "label-accuracy", MEAN, 0, 1, "share of test rows",
                   "Test rows for which the sign of the last model's score says rightly whether "
                   "they have the label; mean over labels"),
    ASSAY_MEASURE (FIRST_RIGHT, "first-label-accuracy", MEAN, 0, 1, "share of test rows",
                   "The same for the model that users begin with"),
    ASSAY_MEASURE (CONSTANT, "constant-label-accuracy", MEAN, 0, 1, "share of test rows",
                   "The same for one answer to all rows: the one that is right for most of the "
                   "users' samples",
                   ASSAY_IS_REFERENCE)),
  .assess = assess);
