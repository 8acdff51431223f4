/* What users get of training a classifier together: how well the last model that was made public
 * knows test rows, and, to compare, how well the first one did, which no user had a part in.
 *
 * One test row is one unit. A row that is tested in several trials stays one unit. Where classes
 * are of unequal size, the mean over classes says something else than the share of rows; a row's
 * outcome is what it does to that mean: with C classes that have test rows, n_c of n rows in the
 * row's class and r = 1 where the row is right,
 *   mean over classes + n / (C n_c) (r - share right of its class). */
#include "metrics/learning/linear-test.h"

enum { LAST, FIRST, BY_CLASS, N_SERIES };

/* What each row does to the mean over classes, of what is @right. */
static void
weigh_classes (const gint64 *labels, gsize n, const double *right, double *ret_outcomes)
{
  gsize n_labels = 0, n_classes = 0;
  g_autofree double *rows = NULL, *shares = NULL;
  double mean = 0;

  for (gsize i = 0; i < n; i++)
    n_labels = MAX (n_labels, (gsize) labels[i] + 1);
  rows = g_new0 (double, n_labels);
  shares = g_new0 (double, n_labels);
  for (gsize i = 0; i < n; i++) {
    rows[labels[i]]++;
    shares[labels[i]] += right[i];
  }
  for (gsize c = 0; c < n_labels; c++) {
    shares[c] = rows[c] > 0 ? shares[c] / rows[c] : 0;
    n_classes += rows[c] > 0;
    mean += shares[c];
  }
  mean /= (double) n_classes;
  for (gsize i = 0; i < n; i++)
    ret_outcomes[i]
        = mean
          + (double) n / ((double) n_classes * rows[labels[i]]) * (right[i] - shares[labels[i]]);
}

static gboolean
assess (const AssayUtilityContext *context, const AssayReceived *received,
        AssayOutcomes *ret_outcomes, GError **error)
{
  const gint64 *labels = assay_role_labels (&context->dataset->test_data);
  g_auto (LinearTest) test = { 0 };
  g_autofree float *row = NULL;

  if (!linear_test_open (context, received, FALSE, &test, error))
    return FALSE;
  row = assay_alloc (test.shape.cols, sizeof *row, "a row", error);
  if (row == NULL || !assay_outcomes_alloc (ret_outcomes, N_SERIES, test.n, error))
    return FALSE;
  for (gsize i = 0; i < test.n; i++) {
    linear_test_row (&test, i, row);
    ret_outcomes->series[LAST][i]
        = (gint64) assay_linear_classify (&test.shape, test.last, row) == labels[i];
    ret_outcomes->series[FIRST][i]
        = (gint64) assay_linear_classify (&test.shape, test.first, row) == labels[i];
  }
  weigh_classes (labels, test.n, ret_outcomes->series[LAST], ret_outcomes->series[BY_CLASS]);
  return TRUE;
}

ASSAY_UTILITY (model_accuracy, "model-accuracy",
  .summary = "How well the model that users trained together classifies test rows",
  .reference = { ASSAY_PAPER_DPHE, "section 3.2, table 1" },
  .reads = ASSAY_RELEASE_UPDATES,
  .needs = ASSAY_HAS_LABELS | ASSAY_HAS_TEST_LABELS,
  .has_own_units = TRUE,
  .repeats_units = TRUE,
  ASSAY_MEASURES (N_SERIES,
    ASSAY_MEASURE (LAST, "model-accuracy", RATE, 0, 1, "share of test rows",
                   "Test rows that the last model classifies correctly", ASSAY_HEADLINE),
    ASSAY_MEASURE (FIRST, "first-model-accuracy", RATE, 0, 1, "share of test rows",
                   "The same for the model that users begin with"),
    ASSAY_MEASURE (BY_CLASS, "model-class-accuracy", MEAN, 0, 1, "share of test rows",
                   "The same for the last model in each class; mean over classes",
                   .is_influence = TRUE)),
  .assess = assess);
