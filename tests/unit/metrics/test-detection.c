/* The utilities detection and model-accuracy against their definitions, and what they refuse. */
#include <criterion/criterion.h>

#include "metrics/learning/average-precision.h"
#include "tests/reference/naive-retrieval.h"
#include "tests/unit/assert-near.h"
#include "tests/unit/metrics/model-test-case.h"

extern const AssayUtility assay_utility_detection;
extern const AssayUtility assay_utility_model_accuracy;

enum { AP, FIRST_AP, PREVALENCE, RIGHT, FIRST_RIGHT, CONSTANT };
enum { LAST, FIRST, BY_CLASS };

/* ---- Average precision ---- */

/* By its definition, of weighted rows: precision at the threshold of each row with the label. */
static double
naive_precision (const double *scores, const gboolean *has, const double *weights, gsize n)
{
  double sum = 0, members = 0;

  for (gsize k = 0; k < n; k++) {
    double above = 0, right = 0;

    if (!has[k])
      continue;
    for (gsize i = 0; i < n; i++)
      if (scores[i] >= scores[k]) {
        above += weights[i];
        right += has[i] ? weights[i] : 0;
      }
    members += weights[k];
    sum += weights[k] * right / above;
  }
  return sum / members;
}

/* Rows 5, 4, 3, 2, 1 of which the first, third and fourth have the label: (1 + 2/3 + 3/4) / 3; and
 * with the second and third tied: (1 + 2/3 + 3/4) / 3 again, with all of them tied 3/5. */
Test (detection, by_hand)
{
  static const gboolean has[] = { TRUE, FALSE, TRUE, TRUE, FALSE };
  static const double scores[3][5] = { { 5, 4, 3, 2, 1 }, { 5, 3, 3, 2, 1 }, { 0, 0, 0, 0, 0 } };
  const double expected[] = { (1 + 2 / 3.0 + 3 / 4.0) / 3, (1 + 2 / 3.0 + 3 / 4.0) / 3, 3 / 5.0 };
  double influences[5] = { 0 };

  for (guint k = 0; k < 3; k++)
    assert_near (average_precision (scores[k], has, 5, influences), expected[k], 1e-15, "case %u",
                 k);
}

/* Against the definition, against a sorted list where nothing is tied, and influences against what
 * a change of a row's weight does: central differences of 1e-5 are off by 1e-9 or so. */
Test (detection, influences_are_derivatives)
{
  enum { N = 80 };

  for (guint64 trial = 0; trial < 20; trial++) {
    AssayStream stream = assay_stream (assay_stream_key (11, 0, "test", "precision"), trial);
    const gboolean has_ties = trial % 2 == 0;
    double scores[N], weights[N], influences[N] = { 0 }, mean = 0, ap;
    gboolean has[N], listed[N];

    for (gsize i = 0; i < N; i++) {
      scores[i] = has_ties ? (double) assay_stream_below (&stream, 12)
                           : assay_stream_normal (&stream);
      has[i] = i == 0 || assay_stream_uniform (&stream) < 0.3;
      weights[i] = 1;
    }
    ap = average_precision (scores, has, N, influences);
    assert_near (ap, naive_precision (scores, has, weights, N), 1e-12, "trial %d", (int) trial);
    for (gsize i = 0; i < N && !has_ties; i++) {
      gsize place = 0;

      for (gsize k = 0; k < N; k++)
        place += scores[k] > scores[i];
      listed[place] = has[i];
    }
    if (!has_ties)
      assert_near (ap, naive_retrieval_of_list (listed, N, N).map, 1e-12, "list %d", (int) trial);
    for (gsize i = 0; i < N; i++) {
      double up, down;

      weights[i] = 1 + 1e-5;
      up = naive_precision (scores, has, weights, N);
      weights[i] = 1 - 1e-5;
      down = naive_precision (scores, has, weights, N);
      weights[i] = 1;
      assert_near (influences[i], ap + N * (up - down) / 2e-5, 1e-6, "trial %d, row %zu",
                   (int) trial, i);
      mean += influences[i] / N;
    }
    assert_near (mean, ap, 1e-12, "mean of trial %d", (int) trial);
  }
}

/* ---- The utilities ---- */

static double
precision_of (const ModelTestCase *test, gboolean is_first, gsize label)
{
  const gint64 *labels = assay_role_labels (&test->dataset.test_data);
  double scores[CASE_ROWS], weights[CASE_ROWS];
  gboolean has[CASE_ROWS];

  for (gsize i = 0; i < CASE_ROWS; i++) {
    scores[i] = model_test_case_score (test, is_first, i, label);
    weights[i] = 1;
    has[i] = labels[i] == (gint64) label;
  }
  scores[8] = scores[7]; /* rows are equal, whatever rounding says */
  return naive_precision (scores, has, weights, CASE_ROWS);
}

static double
right_of (const ModelTestCase *test, gsize label)
{
  const gint64 *labels = assay_role_labels (&test->dataset.test_data);
  double right = 0;

  for (gsize i = 0; i < CASE_ROWS; i++)
    right += (model_test_case_score (test, FALSE, i, label) > 0) == (labels[i] == (gint64) label);
  return right / CASE_ROWS;
}

/* Most secrets have label 1, then 2, then 0; of test rows 1/6, 1/3 and 1/2 have labels 0, 1, 2. */
Test (detection, means_over_labels)
{
  static const char *const settings[] = { "", "top=1", "top=2", "label=0", "top=9" };
  static const gsize labels[5][3] = { { 1, 2, 0 }, { 1 }, { 1, 2 }, { 0 }, { 1, 2, 0 } };
  static const gsize counts[] = { 3, 1, 2, 1, 3 };
  static const double shares[] = { 1 / 6.0, 1 / 3.0, 1 / 2.0 };

  for (guint k = 0; k < G_N_ELEMENTS (settings); k++) {
    g_auto (ModelTestCase) test = model_test_case_new ();
    double ap = 0, first = 0, prevalence = 0, right = 0, constant = 0;

    for (gsize l = 0; l < counts[k]; l++) {
      const gsize label = labels[k][l];

      ap += precision_of (&test, FALSE, label) / (double) counts[k];
      first += precision_of (&test, TRUE, label) / (double) counts[k];
      right += right_of (&test, label) / (double) counts[k];
      prevalence += shares[label] / (double) counts[k];
      /* 17 of 30 secrets have label 1, to which the constant answer is yes. */
      constant += (label == 1 ? shares[1] : 1 - shares[label]) / (double) counts[k];
    }
    cr_assert (model_test_case_play (&assay_utility_detection, settings[k], &test, NULL));
    assert_near (model_test_case_mean (&test, AP), ap, 1e-9, "%s", settings[k]);
    assert_near (model_test_case_mean (&test, FIRST_AP), first, 1e-9, "%s", settings[k]);
    assert_near (model_test_case_mean (&test, PREVALENCE), prevalence, 1e-12, "%s", settings[k]);
    assert_near (model_test_case_mean (&test, RIGHT), right, 1e-12, "%s", settings[k]);
    assert_near (model_test_case_mean (&test, CONSTANT), constant, 1e-12, "%s", settings[k]);
  }
}

/* Rows with several labels: bits in place of the only one. */
Test (detection, sets_of_labels)
{
  g_auto (ModelTestCase) test = model_test_case_new ();
  const gsize n = CASE_ROWS;
  gint64 *sets = g_new (gint64, n);

  for (gsize i = 0; i < n; i++)
    sets[i] = i % 3 == 0 ? 7 : 2;
  test.dataset.test_data.label_sets = assay_array_take (ASSAY_INT64, 1, &n, sets);
  cr_assert (model_test_case_play (&assay_utility_detection, "label=1", &test, NULL));
  assert_near (model_test_case_mean (&test, AP), 1, 1e-12, "all rows have it");
  assert_near (model_test_case_mean (&test, PREVALENCE), 1, 1e-12, "all rows have it");
  cr_assert (model_test_case_play (&assay_utility_detection, "label=2", &test, NULL));
  assert_near (model_test_case_mean (&test, PREVALENCE), 1 / 3.0, 1e-12, "a third of the rows");
}

/* Equal weight of classes of 10, 20 and 30 test rows. */
Test (detection, accuracy_over_classes)
{
  g_auto (ModelTestCase) test = model_test_case_new ();
  const gint64 *labels = assay_role_labels (&test.dataset.test_data);
  double right[CASE_CLASSES] = { 0 }, all = 0;
  static const double sizes[] = { 10, 20, 30 };

  for (gsize i = 0; i < CASE_ROWS; i++) {
    gsize best = 0;

    for (gsize c = 1; c < CASE_CLASSES; c++)
      if (model_test_case_score (&test, FALSE, i, c)
          > model_test_case_score (&test, FALSE, i, best))
        best = c;
    right[labels[i]] += (gint64) best == labels[i];
    all += (gint64) best == labels[i];
  }
  cr_assert (model_test_case_play (&assay_utility_model_accuracy, "", &test, NULL));
  assert_near (model_test_case_mean (&test, LAST), all / CASE_ROWS, 1e-12, "rows");
  assert_near (model_test_case_mean (&test, BY_CLASS),
               (right[0] / sizes[0] + right[1] / sizes[1] + right[2] / sizes[2]) / 3, 1e-12,
               "classes");
  cr_assert (fabs (all / CASE_ROWS - model_test_case_mean (&test, BY_CLASS)) > 1e-3,
             "the case cannot tell the two apart");
}

static void
refused (const char *assignments, ModelTestCase *test, const char *message)
{
  g_autoptr (GError) error = NULL;

  cr_assert (!model_test_case_play (&assay_utility_detection, assignments, test, &error));
  cr_assert (strstr (error->message, message) != NULL, "%s", error->message);
}

/* The labels of @n rows, of which @from is replaced by @by, and that of row 4 by @fifth. */
static AssayArray *
changed (const AssayArray *labels, gint64 from, gint64 by, gint64 fifth)
{
  const gsize n = assay_array_count (labels);
  gint64 *copy = g_memdup2 (assay_array_int64 (labels), n * sizeof (gint64));

  for (gsize i = 0; i < n; i++)
    copy[i] = i == 4 ? fifth : copy[i] == from ? by : copy[i];
  return assay_array_take (ASSAY_INT64, 1, &n, copy);
}

Test (detection, what_cannot_be_measured)
{
  g_auto (ModelTestCase) test = model_test_case_new ();
  AssayArray *rows = changed (test.dataset.test_data.labels, 0, 1, 2);
  AssayArray *secrets
      = changed (assay_arrays_get (&test.truth->arrays, "labels"), 0, 0, 5);

  refused ("label=3", &test, "label = 3: expected -1 to 2");
  assay_array_free (test.dataset.test_data.labels);
  test.dataset.test_data.labels = rows;
  refused ("label=0", &test, "none of the 60 test rows has label 0");
  refused ("", &test, "none of the 60 test rows has label 0");
  cr_assert (model_test_case_play (&assay_utility_detection, "top=2", &test, NULL));
  assay_truth_free (test.truth);
  test.truth = assay_truth_new ();
  refused ("top=2", &test, "expected the labels of what users trained on, found none");
  assay_arrays_take (&test.truth->arrays, "labels", secrets);
  refused ("top=2", &test, "the label of secret 4 is 5; expected 0 to 2");
}
