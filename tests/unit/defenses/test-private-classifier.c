/* private-classifier: what a row can do at most, how much noise there is, what is learned without
 * it, its mechanism, and what it refuses. */
#include <criterion/criterion.h>
#include <math.h>

#include "core/data/kinds/updates.h"
#include "core/plugin/registry.h"
#include "core/stats/renyi-privacy.h"
#include "tests/reference/fixtures.h"
#include "tests/unit/assert-near.h"
#include "tests/unit/assert-stops.h"

enum { N = 90, COLS = 5, CLASSES = 3, WIDTH = COLS + 1 };

static AssayMatrix *
make_rows (gint64 *ret_labels)
{
  AssayMatrix *rows = fixture_normal (N, COLS, 3);

  for (gsize i = 0; i < N; i++) {
    ret_labels[i] = (gint64) (i % CLASSES);
    assay_matrix_row (rows, i)[i % CLASSES] += 4;
  }
  return rows;
}

/* The last model of the first @n rows. */
static float *
train_on (gsize n, const char *assignments, guint64 seed)
{
  const AssayDefense *defense = (const AssayDefense *) assay_registry_find (
      ASSAY_PLUGIN_DEFENSE, "private-classifier", NULL);
  g_autoptr (AssaySettings) settings = fixture_settings (&defense->plugin, assignments);
  gint64 labels[N];
  g_autoptr (AssayMatrix) rows = make_rows (labels);
  const AssayDefenseContext context = { .settings = settings->values,
                                        .stream = assay_stream_key (seed, 0, "release", ""),
                                        .labels = labels,
                                        .n_classes = CLASSES };
  g_autoptr (AssayRelease) release = assay_release_new (ASSAY_RELEASE_UPDATES, "test");
  g_autoptr (AssayTruth) truth = assay_truth_new ();
  g_autoptr (GError) error = NULL;
  const AssayArray *models;

  cr_assert (defense->protect (&context, assay_view_rows (assay_matrix_view (rows), 0, n), release,
                               truth, &error),
             "%s", error != NULL ? error->message : "");
  cr_assert (assay_release_check (release, &error), "%s", error != NULL ? error->message : "");
  models = assay_arrays_get (&release->arrays, "models");
  cr_assert (models->shape[0] == 2 && models->shape[1] == CLASSES * WIDTH);
  return g_memdup2 ((const float *) models->data + CLASSES * WIDTH,
                    CLASSES * WIDTH * sizeof (float));
}

static gboolean
train_anew (G_GNUC_UNUSED gpointer data, GError **error)
{
  const AssayDefense *defense = (const AssayDefense *) assay_registry_find (
      ASSAY_PLUGIN_DEFENSE, "private-classifier", NULL);
  g_autoptr (AssaySettings) settings = fixture_settings (&defense->plugin, "rounds=12");
  gint64 labels[N];
  g_autoptr (AssayMatrix) rows = make_rows (labels);
  const AssayDefenseContext context = { .settings = settings->values,
                                        .stream = assay_stream_key (1, 0, "release", ""),
                                        .labels = labels,
                                        .n_classes = CLASSES };
  g_autoptr (AssayRelease) release = assay_release_new (ASSAY_RELEASE_UPDATES, "test");
  g_autoptr (AssayTruth) truth = assay_truth_new ();

  return defense->protect (&context, assay_matrix_view (rows), release, truth, error);
}

Test (private_classifier, every_round_asks_whether_to_stop)
{
  assert_stops (train_anew, NULL, 12, 12);
}

/* One round from zeros, of sums as they are: rows differ by one gradient, which is
 * (1/3 - y) (x, 1)' at C = 100, and of length C at C = 0.5. */
Test (private_classifier, a_row_counts_for_its_clipped_gradient)
{
  gint64 labels[N];
  g_autoptr (AssayMatrix) rows = make_rows (labels);

  for (guint is_clipped = 0; is_clipped < 2; is_clipped++) {
    const char *settings = is_clipped ? "noise=no rate=1 batch=1 rounds=1 learning_rate=1 clip=0.5"
                                      : "noise=no rate=1 batch=1 rounds=1 learning_rate=1 clip=100";
    g_autofree float *with = train_on (8, settings, 1), *without = train_on (7, settings, 1);
    double square = 0;

    for (gsize k = 0; k < CLASSES * WIDTH; k++) {
      const gsize c = k / WIDTH, a = k % WIDTH;
      const double x = a < COLS ? (double) assay_matrix_row (rows, 7)[a] : 1;

      square += pow ((double) (with[k] - without[k]), 2);
      if (!is_clipped)
        assert_near ((double) (without[k] - with[k]), (1.0 / 3 - (labels[7] == (gint64) c)) * x,
                     1e-5, "weight %zu", k);
    }
    if (is_clipped)
      assert_near (sqrt (square), 0.5, 1e-5, "a clipped gradient");
  }
}

/* Of 300 releases in one round, where no row takes part: normal of deviation z C / batch. A
 * variance of 5,400 numbers is known to 2 percent. */
Test (private_classifier, noise_is_that_of_the_accountant)
{
  const AssaySampledGaussian mechanism = { .rate = 1e-6, .rounds = 1 };
  const double z = assay_sampled_gaussian_noise (&mechanism, 2, 1e-7);
  double square = 0;

  for (guint64 seed = 0; seed < 300; seed++) {
    g_autofree float *model = train_on (
        N, "epsilon=2 delta=1e-7 rate=1e-6 rounds=1 batch=4 clip=3 learning_rate=1", seed);

    for (gsize k = 0; k < CLASSES * WIDTH; k++)
      square += pow ((double) model[k], 2) / (300 * CLASSES * WIDTH);
  }
  assert_near (sqrt (square), z * 3 / 4, 0.04 * z * 3 / 4, "deviation");
}

static gsize
count_right (const float *model)
{
  gint64 labels[N];
  g_autoptr (AssayMatrix) rows = make_rows (labels);
  gsize right = 0;

  for (gsize i = 0; i < N; i++) {
    gint64 best = 0;
    double most = -G_MAXDOUBLE;

    for (gsize c = 0; c < CLASSES; c++) {
      double score = (double) model[c * WIDTH + COLS];

      for (gsize a = 0; a < COLS; a++)
        score += (double) model[c * WIDTH + a] * (double) assay_matrix_row (rows, i)[a];
      if (score > most) {
        most = score;
        best = (gint64) c;
      }
    }
    right += best == labels[i];
  }
  return right;
}

/* Classes that lie four deviations apart are learned; under an epsilon of 0.01 they are not. */
Test (private_classifier, learns_what_epsilon_lets_it)
{
  g_autofree float *plain = train_on (N, "noise=no rate=0.5 batch=45 rounds=100", 2);
  g_autofree float *private = train_on (N, "epsilon=0.01 rate=0.5 batch=45 rounds=100", 2);

  cr_assert_gt (count_right (plain), 85u, "%zu", count_right (plain));
  cr_assert_lt (count_right (private), 75u, "%zu", count_right (private));
}

Test (private_classifier, needs_labels)
{
  const AssayDefense *defense = (const AssayDefense *) assay_registry_find (
      ASSAY_PLUGIN_DEFENSE, "private-classifier", NULL);
  g_autoptr (AssaySettings) settings = fixture_settings (&defense->plugin, "rounds=1");
  gint64 labels[N];
  g_autoptr (AssayMatrix) rows = make_rows (labels);
  AssayDefenseContext context = { .settings = settings->values };
  g_autoptr (AssayRelease) release = assay_release_new (ASSAY_RELEASE_UPDATES, "test");
  g_autoptr (AssayTruth) truth = assay_truth_new ();
  GError *error = NULL;
  g_autofree char *why = NULL, *why_not = NULL;

  cr_assert_not (defense->protect (&context, assay_matrix_view (rows), release, truth, &error));
  cr_assert (fixture_error_is (&error, ASSAY_ERROR_MISMATCH,
                               "expected a dataset with labels of two classes or more to train on",
                               NULL, &why),
             "%s", why);
  labels[4] = 7;
  context.labels = labels;
  context.n_classes = CLASSES;
  cr_assert_not (defense->protect (&context, assay_matrix_view (rows), release, truth, &error));
  cr_assert (fixture_error_is (&error, ASSAY_ERROR_DATA,
                               "secret 4 has the label 7; expected 0 to 2", NULL, &why_not),
             "%s", why_not);
}
