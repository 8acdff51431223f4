/* Deep hashing: the published losses against sums over pairs as the papers write them, their slopes
 * against central differences, the turns of ADSH, and codes of classes that can be told. */
#include <criterion/criterion.h>
#include <math.h>

#include "core/base/parallel.h"
#include "core/plugin/registry.h"
#include "defenses/codes/deep-hash.h"
#include "defenses/codes/supervised-hashing.h"
#include "tests/reference/fixtures.h"
#include "tests/unit/assert-near.h"
#include "tests/unit/assert-stops.h"
#include "tests/unit/defenses/hashing-rows.h"
#include "tests/unit/seeds.h"

enum { COUNT = 9, BITS = 5 };

static const gint64 labels[] = { 0, 1, 2, 0, 1, 2, 2, 0, 1 };
static const gsize items[] = { 3, 0, 8, 7, 1, 2, 5, 4, 6 };

static const DeepBatch batch = {
  .count = COUNT, .bits = BITS, .items = items, .labels = labels, .similar = 0.25, .step = 40
};

static double
product_of (const double *u, gsize i, gsize j, double rise)
{
  double sum = 0;

  for (gsize k = 0; k < BITS; k++)
    sum += rise > 0 ? tanh (rise * u[i * BITS + k]) * tanh (rise * u[j * BITS + k])
                    : u[i * BITS + k] * u[j * BITS + k];
  return sum;
}

static double
naive_pair (const DeepLoss *loss, const double *u, gsize i, gsize j)
{
  const gboolean is_alike = labels[items[i]] == labels[items[j]];
  const double distance
      = product_of (u, i, i, 0) + product_of (u, j, j, 0) - 2 * product_of (u, i, j, 0);
  const double theta = product_of (u, i, j, 0) / 2;
  const double h = product_of (u, i, j, sqrt (1 + 0.005 * 40)) * 10 / BITS;

  if (loss == &dpsh_loss)
    return log (1 + exp (theta)) - is_alike * theta;
  if (loss == &dsh_loss)
    return is_alike ? distance / 2 : MAX (2 * BITS - distance, 0) / 2;
  return (log (1 + exp (h)) - is_alike * h) / (is_alike ? 0.25 : 0.75);
}

static double
naive_number (const DeepLoss *loss, double u)
{
  if (loss == &dpsh_loss)
    return 0.1 / BITS * pow (u - (u > 0 ? 1 : -1), 2);
  return loss == &dsh_loss ? 0.01 * fabs (fabs (u) - 1) : 0;
}

static double
naive_loss (const DeepLoss *loss, const double *u)
{
  double sum = 0;

  for (gsize i = 0; i < COUNT; i++) {
    for (gsize j = 0; j < COUNT; j++)
      if (i != j)
        sum += naive_pair (loss, u, i, j) / (COUNT * (COUNT - 1));
    for (gsize k = 0; k < BITS; k++)
      sum += naive_number (loss, u[i * BITS + k]) / COUNT;
  }
  return sum;
}

Test (deep_hash, losses_and_slopes)
{
  const DeepLoss *const losses[] = { &dpsh_loss, &dsh_loss, &hashnet_loss };
  g_autoptr (AssayMatrix) drawn = fixture_normal (COUNT, BITS, 1);
  double u[COUNT * BITS], slopes[COUNT * BITS], unused[COUNT * BITS];
  double work[2 * COUNT * BITS + COUNT * COUNT];

  for (gsize k = 0; k < COUNT * BITS; k++)
    u[k] = 1.3 * (double) drawn->data[k];
  for (gsize l = 0; l < G_N_ELEMENTS (losses); l++) {
    assert_near (deep_loss_slope (losses[l], &batch, u, work, slopes), naive_loss (losses[l], u),
                 1e-12, "loss %zu", l);
    for (gsize k = 0; k < COUNT * BITS; k++) {
      const double kept = u[k];
      double ends[2];

      for (int e = 0; e < 2; e++) {
        u[k] = kept + (e == 0 ? -1e-6 : 1e-6);
        ends[e] = deep_loss_slope (losses[l], &batch, u, work, unused);
      }
      u[k] = kept;
      assert_near (slopes[k], (ends[1] - ends[0]) / 2e-6, 1e-8, "loss %zu, number %zu", l, k);
    }
  }
}

/* ---- Learning ---- */

enum { ROWS = 240, COLS = 12, CLASSES = 4 };

/* Each class is two clusters on opposite sides of the origin, which no plane tells from others. */
typedef struct {
  AssayMatrix *rows;
  gint64 labels[ROWS];
  HashTraining training;
} Classes;

static void
make_classes (Classes *ret_classes)
{
  ret_classes->rows = fixture_normal (ROWS, COLS, 3);
  for (gsize i = 0; i < ROWS; i++) {
    ret_classes->labels[i] = (gint64) (i % CLASSES);
    assay_matrix_row (ret_classes->rows, i)[i % CLASSES] += i / CLASSES % 2 == 0 ? 7.0f : -7.0f;
  }
  ret_classes->training = (HashTraining){ .rows = assay_matrix_view (ret_classes->rows),
                                          .labels = ret_classes->labels,
                                          .n_classes = CLASSES,
                                          .stream = hashing_key ("deep", 0) };
}

static const HashSettings settings = { .bits = 8, .hidden = 32, .steps = 300, .rate = 5e-3 };

/* How many bits differ in the mean between rows of one class, and of two. */
static void
mean_distances (const AssayArray *codes, const gint64 *of, double *ret_within, double *ret_between)
{
  double sums[2] = { 0, 0 };
  gsize counts[2] = { 0, 0 };

  for (gsize i = 0; i < ROWS; i++)
    for (gsize j = 0; j < i; j++) {
      const int is_other = of[i] != of[j];

      sums[is_other] += __builtin_popcount (codes->data[i] ^ codes->data[j]);
      counts[is_other]++;
    }
  *ret_within = sums[0] / (double) counts[0];
  *ret_between = sums[1] / (double) counts[1];
}

Test (deep_hash, classes_that_no_plane_divides_have_codes_of_their_own)
{
  AssayHashFunction *(*const learners[]) (const HashTraining *, const HashSettings *, GError **)
      = { dpsh_learn, dsh_learn, hashnet_learn, adsh_learn };
  Classes classes;

  make_classes (&classes);
  for (gsize l = 0; l < G_N_ELEMENTS (learners); l++) {
    g_autoptr (GError) error = NULL;
    g_autoptr (AssayHashFunction) function = learners[l](&classes.training, &settings, &error);
    g_autoptr (AssayArray) codes = NULL;
    double within, between;

    cr_assert (function != NULL, "%s", error != NULL ? error->message : "");
    codes = assay_hash_function_codes (function, classes.training.rows, &error);
    mean_distances (codes, classes.labels, &within, &between);
    cr_assert (within < 0.8 && between > 2.5, "learner %zu: %g within, %g between", l, within,
               between);
  }
  assay_matrix_free (classes.rows);
}

Test (deep_hash, same_for_any_number_of_threads)
{
  TEST_OF_RESULTS ();

  Classes classes;
  AssayHashFunction *functions[2];
  HashSettings few = settings;

  make_classes (&classes);
  few.steps = 20;
  for (guint t = 0; t < 2; t++) {
    assay_parallel_set_threads (t == 0 ? 1 : 3);
    functions[t] = adsh_learn (&classes.training, &few, NULL);
  }
  cr_assert (memcmp (functions[0]->hidden->data, functions[1]->hidden->data,
                     functions[0]->hidden->rows * (COLS + 1) * sizeof (float))
             == 0);
  for (guint t = 0; t < 2; t++)
    assay_hash_function_free (functions[t]);
  assay_matrix_free (classes.rows);
}

static gboolean
learn_adsh (gpointer data, GError **error)
{
  const Classes *classes = data;
  HashSettings few = settings;
  g_autoptr (AssayHashFunction) function = NULL;

  few.steps = 15;
  function = adsh_learn (&classes->training, &few, error);
  return function != NULL;
}

/* Each step asks twice, and each turn for every bit. */
Test (deep_hash, adsh_ends_upon_an_interrupt)
{
  Classes classes;

  make_classes (&classes);
  assert_stops (learn_adsh, &classes, 2 * 15 + 4 * 8, 62);
  assay_matrix_free (classes.rows);
}

/* Codes lower the objective in each turn, and in the end no single bit could be turned to advantage
 * with the columns after it as they are: the last column is at its best. */
Test (deep_hash, turns_of_adsh)
{
  double before[40], after[40], codes[ROWS * 8], outputs[ROWS * 8];
  AdshTrace trace = { 40, before, after, codes, outputs };
  HashSettings few = settings;
  g_autoptr (AssayHashFunction) function = NULL;
  Classes classes;

  make_classes (&classes);
  few.steps = 30;
  function = adsh_learn_traced (&classes.training, &few, &trace, NULL);
  cr_assert (function != NULL && trace.n == 9, "%zu turns", trace.n);
  for (gsize t = 0; t < trace.n; t++)
    cr_assert (after[t] <= before[t] * (1 + 1e-12), "turn %zu: %g, then %g", t, before[t],
               after[t]);
  cr_assert_lt (after[trace.n - 1], 0.8 * before[0], "from %g to %g", before[0],
                after[trace.n - 1]);
  for (gsize j = 0; j < ROWS; j++) {
    double ends[2] = { 0, 0 };

    for (int e = 0; e < 2; e++) {
      const double bit = e == 0 ? codes[j * 8 + 7] : -codes[j * 8 + 7];

      for (gsize i = 0; i < ROWS; i++) {
        /* 59 of 239 others are of a row's class. */
        const double similar = i % CLASSES == j % CLASSES ? 1 : -59.0 / 180;
        double gap = outputs[i * 8 + 7] * bit - 8 * similar;

        for (gsize k = 0; k < 7; k++)
          gap += outputs[i * 8 + k] * codes[j * 8 + k];
        ends[e] += gap * gap;
      }
      ends[e] += 200 * pow (bit - outputs[j * 8 + 7], 2);
    }
    cr_assert_leq (ends[0], ends[1] * (1 + 1e-12), "row %zu", j);
  }
  assay_matrix_free (classes.rows);
}

Test (deep_hash, what_cannot_be_learned_from)
{
  Classes classes;
  g_autoptr (GError) error = NULL;
  g_autofree char *why = NULL;

  make_classes (&classes);
  classes.training.labels = NULL;
  cr_assert_null (dpsh_learn (&classes.training, &settings, &error));
  cr_assert (
      fixture_error_is (
          &error, ASSAY_ERROR_MISMATCH,
          "supervised hashing learns from labels: expected labels of the 240 training rows, found "
          "none",
          NULL, &why),
      "%s", why);
  assay_matrix_free (classes.rows);
}
