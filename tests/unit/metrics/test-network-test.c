/* What is done to rows before a network learns or judges them: one scale, encryption of test rows
 * in closed form, means of predictions. */
#include <criterion/criterion.h>
#include <math.h>

#include "core/base/parallel.h"
#include "core/data/kinds/mixtures.h"
#include "core/data/kinds/parameters.h"
#include "metrics/learning/network-test.h"
#include "tests/unit/assert-stops.h"
#include "tests/unit/image-data.h"
#include "tests/unit/metrics/classification-rows.h"

/* By hand: of 1, -3, 5 with a constant beside it. The deviation of the values 1, 3, 5 from 3 is 8/3
 * over three, over both columns 4/3. */
Test (network_test, inputs_are_centred_and_have_one_scale)
{
  static const float rows[] = { 1, 7, -3, 7, 5, 7 };
  static const float means[3][4] = { { 1, 7 }, { 3, 7 }, { 1, 7, 3, 7 } };
  static const double variances[] = { (0 + 16 + 16) / 6.0, (4 + 0 + 4) / 6.0, (32 + 8) / 12.0 };
  const AssayView view = { 3, 2, 2, rows };

  for (guint k = 0; k < 3; k++) {
    const NetworkInputForm form = NETWORK_INPUT_PLAIN + k;
    g_auto (NetworkInput) input = { 0 };
    g_autoptr (AssayMatrix) taken = network_input_learn (form, view, &input, NULL);
    float again[12];

    cr_assert_eq (taken->cols, k == 2 ? 4 : 2);
    assert_near ((double) input.scale, 1 / sqrt (variances[k]), 1e-6, "form %u", k);
    for (gsize i = 0; i < 3; i++)
      for (gsize c = 0; c < taken->cols; c++) {
        const float value = rows[2 * i + c % 2];
        const float form_value = k == 1 || c >= 2 ? fabsf (value) : value;

        assert_near ((double) assay_matrix_row (taken, i)[c],
                     ((double) form_value - (double) means[k][c]) / sqrt (variances[k]), 1e-6,
                     "form %u, row %zu, column %zu", k, i, c);
      }
    network_input_take (&input, view, again);
    cr_assert_arr_eq (again, taken->data, 3 * taken->cols * sizeof (float));
  }
}

/* ---- Encryption ---- */

enum { N = 2000, D = 40 };

static Encryption
encryption_of (EncryptionPartners partners, gsize k, double max_coefficient)
{
  return (Encryption){ .coefficients = { .distribution = ASSAY_MIXTURE_UNIFORM,
                                         .k = k,
                                         .max_coefficient = max_coefficient },
                       .n_public = encryption_count_public (partners, k),
                       .has_mask = TRUE,
                       .key = classification_key (5),
                       .encryptions = 2 };
}

static AssayMatrix *
encrypt (const Encryption *encryption, const AssayMatrix *rows, gsize turn)
{
  AssayMatrix *encrypted = assay_matrix_new (rows->rows, rows->cols, NULL);

  cr_assert (
      encryption_apply (encryption, assay_matrix_view (rows), 0, turn, encrypted->data, NULL));
  return encrypted;
}

/* Rows of ones, partners that are rows of the identity: |x~| is lambda_1 off the partners' places
 * and lambda_1 + lambda_j at them. Places are distinct and cover all; the mean of lambda_1 is
 * 1 / k; half of the signs are negative (5 deviations of 2,000 x 40 coins: 0.009; of 2,000
 * coefficients of deviation below 0.15: 0.017). */
Test (network_test, encryptions_are_masked_mixtures)
{
  g_autoptr (AssayMatrix) ones = assay_matrix_new (N, D, NULL);
  g_autoptr (AssayMatrix) identity = assay_matrix_new (D, D, NULL);
  Encryption encryption = encryption_of (ENCRYPTION_SECRETS, 4, 0.65);
  g_autoptr (AssayMatrix) first = NULL, second = NULL;
  gsize n_negative = 0, n_places[D] = { 0 }, n_same = 0;
  double sum = 0;

  for (gsize i = 0; i < N * D; i++)
    ones->data[i] = 1;
  for (gsize i = 0; i < D; i++)
    assay_matrix_row (identity, i)[i] = 1;
  encryption.secrets = assay_matrix_view (identity);
  first = encrypt (&encryption, ones, 0);
  second = encrypt (&encryption, ones, 1);
  for (gsize i = 0; i < N; i++) {
    const float *row = assay_matrix_row (first, i);
    double least = 1, beyond = 0;
    gsize n_beyond = 0;

    for (gsize c = 0; c < D; c++) {
      least = MIN (least, fabs ((double) row[c]));
      n_negative += row[c] < 0;
      n_same += row[c] == assay_matrix_row (second, i)[c];
    }
    for (gsize c = 0; c < D; c++)
      if (fabs ((double) row[c]) > least + 1e-6) {
        cr_assert (fabs ((double) row[c]) - least <= 0.65 + 1e-6, "row %zu", i);
        beyond += fabs ((double) row[c]) - least;
        n_places[c]++;
        n_beyond++;
      }
    cr_assert_eq (n_beyond, 3, "row %zu", i);
    assert_near (least + beyond, 1, 1e-6, "row %zu", i);
    cr_assert (least <= 0.65 + 1e-6);
    sum += least;
  }
  assert_near (sum / N, 0.25, 0.017, "lambda_1");
  assert_near ((double) n_negative / (N * D), 0.5, 0.009, "signs");
  cr_assert_eq (n_same, 0);
  /* Binomial (2000, 3 / 40): 150 and 5 deviations of 11.8. */
  for (gsize c = 0; c < D; c++)
    assert_near ((double) n_places[c], 150, 59, "place %zu", c);
}

/* One secret of ones and k - 2 public rows of the identity, around test rows of zeros. */
Test (network_test, partners_are_of_the_kind_that_was_asked_for)
{
  g_autoptr (AssayMatrix) zeros = assay_matrix_new (50, D, NULL);
  g_autoptr (AssayMatrix) ones = assay_matrix_new (3, D, NULL);
  g_autoptr (AssayMatrix) identity = assay_matrix_new (D, D, NULL);
  g_autoptr (AssayRows) public_rows = NULL;

  for (gsize i = 0; i < 3 * D; i++)
    ones->data[i] = 1;
  for (gsize i = 0; i < D; i++)
    assay_matrix_row (identity, i)[i] = 1;
  public_rows = fixture_rows (identity);
  for (guint both = 0; both < 2; both++) {
    Encryption encryption = encryption_of (both ? ENCRYPTION_BOTH : ENCRYPTION_PUBLIC, 5, 0.65);
    g_autoptr (AssayMatrix) encrypted = NULL;

    encryption.secrets = assay_matrix_view (ones);
    encryption.public_rows = public_rows;
    encrypted = encrypt (&encryption, zeros, 0);
    for (gsize i = 0; i < 50; i++) {
      const float *row = assay_matrix_row (encrypted, i);
      gsize n_above = 0;
      double least = 1;

      for (gsize c = 0; c < D; c++)
        least = MIN (least, fabs ((double) row[c]));
      for (gsize c = 0; c < D; c++)
        n_above += fabs ((double) row[c]) > least + 1e-6;
      cr_assert_eq (least > 0, both, "row %zu", i);
      cr_assert_eq (n_above, both ? 3 : 4, "row %zu", i);
    }
  }
}

/* What a release says of its mixtures goes for test rows; one that is silent is refused. */
Test (network_test, encryption_is_as_the_release_says)
{
  Encryption encryption = encryption_of (ENCRYPTION_SECRETS, 2, 0.9);
  g_autoptr (AssayRelease) release = assay_release_new (ASSAY_RELEASE_MIXTURES, "mixup");
  g_autofree char *why = NULL;
  GError *error = NULL;

  cr_assert (!encryption_take_release (&encryption, release, &error));
  cr_assert (fixture_error_is (&error, ASSAY_ERROR_MISMATCH,
                               "partners = release: the mixtures do not say their `k`, `partners` "
                               "and `mask`; expected a release that does, or another value",
                               NULL, &why),
             "%s", why);
  ASSAY_SET_PARAMETER (release, AssayMixturesParameters, k, 6);
  ASSAY_SET_PARAMETER (release, AssayMixturesParameters, partners, 4);
  ASSAY_SET_PARAMETER (release, AssayMixturesParameters, max_coefficient, 0.5);
  ASSAY_SET_PARAMETER (release, AssayMixturesParameters, private_share, 0.3);
  ASSAY_SET_PARAMETER (release, AssayMixturesParameters, mask, FALSE);
  cr_assert (encryption_take_release (&encryption, release, NULL));
  cr_assert_eq (encryption.coefficients.k, 6);
  assert_near (encryption.coefficients.private_share, 0.3, 0, "share of the secrets");
  cr_assert_eq (encryption.n_public, 4);
  assert_near (encryption.coefficients.max_coefficient, 0.5, 0, "bound");
  cr_assert (!encryption.has_mask);
  ASSAY_SET_PARAMETER (release, AssayMixturesParameters, max_coefficient, 0.1);
  cr_assert (!encryption_take_release (&encryption, release, NULL), "six of at most a tenth");
}

/* Test rows get the release's own coefficients: 0.8 of the row itself, and the rest of another. */
Test (network_test, coefficients_are_as_the_release_says)
{
  Encryption encryption = encryption_of (ENCRYPTION_SECRETS, 5, 0.3);
  g_autoptr (AssayRelease) release = assay_release_new (ASSAY_RELEASE_MIXTURES, "mixup");
  g_autoptr (AssayMatrix) zeros = assay_matrix_new (50, D, NULL);
  g_autoptr (AssayMatrix) ones = assay_matrix_new (3, D, NULL);
  g_autoptr (AssayMatrix) mixed = NULL, alone = NULL;

  for (gsize i = 0; i < 3 * D; i++)
    ones->data[i] = 1;
  encryption.secrets = assay_matrix_view (ones);
  ASSAY_SET_PARAMETER (release, AssayMixturesParameters, k, 2);
  ASSAY_SET_PARAMETER (release, AssayMixturesParameters, partners, 0);
  ASSAY_SET_PARAMETER (release, AssayMixturesParameters, mask, FALSE);
  ASSAY_SET_PARAMETER (release, AssayMixturesParameters, coefficients, ASSAY_MIXTURE_FIXED);
  ASSAY_SET_PARAMETER (release, AssayMixturesParameters, alpha, 0.2);
  cr_assert (encryption_take_release (&encryption, release, NULL));
  mixed = encrypt (&encryption, zeros, 0);
  for (gsize i = 0; i < 50 * D; i++)
    assert_near ((double) mixed->data[i], 0.2, 1e-6, "number %zu", i);
  /* One image has no partners, and k = 1 is what releases of signs alone say. */
  ASSAY_SET_PARAMETER (release, AssayMixturesParameters, k, 1);
  ASSAY_SET_PARAMETER (release, AssayMixturesParameters, alpha, 0.0);
  cr_assert (encryption_take_release (&encryption, release, NULL));
  cr_assert (encryption_check_material (&encryption, D, NULL));
  alone = encrypt (&encryption, zeros, 0);
  for (gsize i = 0; i < 50 * D; i++)
    cr_assert (alone->data[i] == 0, "number %zu", i);
}

/* Shares are averaged, not logits: against each encryption by itself. */
Test (network_test, predictions_are_averaged)
{
  const AssayNetworkShape shape = { 2, { COLS, 9, 2 } };
  g_auto (Material) material = classification_material_make (1);
  g_autoptr (AssayNetwork) network = assay_network_new (&shape, classification_key (6), NULL);
  g_auto (NetworkInput) input = { 0 };
  g_autoptr (AssayMatrix) taken = network_input_learn (
      NETWORK_INPUT_ABSOLUTE, assay_matrix_view (material.secrets), &input, NULL);
  g_autoptr (AssayMatrix) rows = read_rows (material.dataset.test);
  g_autoptr (AssayMatrix) first = NULL, second = NULL;
  Encryption encryption = encryption_of (ENCRYPTION_SECRETS, 3, 0.8);
  const NetworkTest test = { .network = network, .input = &input, .encryption = &encryption };
  g_autofree float *a = g_new (float, 2 * TESTS), *b = g_new (float, 2 * TESTS);
  g_autofree double *right = g_new (double, TESTS), *losses = g_new (double, TESTS);

  cr_assert_not_null (taken);
  for (gsize i = 0; i < 18; i++)
    network->weights[1][i] = i % 4 < 2 ? 1 : -0.5f;
  encryption.secrets = assay_matrix_view (material.secrets);
  first = encrypt (&encryption, rows, 0);
  second = encrypt (&encryption, rows, 1);
  network_input_take (&input, assay_matrix_view (first), first->data);
  network_input_take (&input, assay_matrix_view (second), second->data);
  cr_assert (assay_network_predict (network, assay_matrix_view (first), a, NULL)
             && assay_network_predict (network, assay_matrix_view (second), b, NULL)
             && network_test_run (&test, &material.dataset, right, losses, NULL));
  for (gsize i = 0; i < TESTS; i++) {
    const double of_0 = ((double) a[2 * i] + (double) b[2 * i]) / 2;
    const double of_1 = ((double) a[2 * i + 1] + (double) b[2 * i + 1]) / 2;

    assert_near (right[i], (double) ((of_1 > of_0) == (i % 2 == 1)), 0, "row %zu", i);
    assert_near (losses[i], -log (i % 2 ? of_1 : of_0), 1e-9, "row %zu", i);
  }
}

typedef struct {
  NetworkTest test;
  const AssayDataset *dataset;
} Run;

static gboolean
run_test (gpointer data, GError **error)
{
  const Run *run = data;
  g_autofree double *right = g_new (double, TESTS), *losses = g_new (double, TESTS);

  return network_test_run (&run->test, run->dataset, right, losses, error);
}

/* Before each encryption of each chunk, and in predictions before 64 rows. Encryptions may be ten
 * thousand. */
Test (network_test, every_encryption_asks_whether_to_stop)
{
  const AssayNetworkShape shape = { 1, { COLS, 2 } };
  g_auto (Material) material = classification_material_make (1);
  g_autoptr (AssayNetwork) network = assay_network_new (&shape, classification_key (6), NULL);
  g_auto (NetworkInput) input = { 0 };
  g_autoptr (AssayMatrix) taken = network_input_learn (
      NETWORK_INPUT_PLAIN, assay_matrix_view (material.secrets), &input, NULL);
  Encryption encryption = encryption_of (ENCRYPTION_SECRETS, 3, 0.8);
  Run run
      = { { .network = network, .input = &input, .encryption = &encryption }, &material.dataset };
  const guint chunks = assay_pieces (TESTS, NETWORK_TEST_CHUNK), shards = assay_pieces (TESTS, 64);

  cr_assert_not_null (taken);
  encryption.secrets = assay_matrix_view (material.secrets);
  assert_stops (run_test, &run, 2 * (chunks + shards), 7);
}
