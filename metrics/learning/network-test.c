/* A trained network against the test rows of a dataset. */
#include "metrics/learning/network-test.h"

#include <float.h>
#include <math.h>

#include "core/base/interrupt.h"
#include "metrics/learning/owner-reading.h"

gboolean
network_test_check_labels (const gint64 *labels, gsize n, gsize n_classes, const char *what,
                           GError **error)
{
  for (gsize i = 0; i < n; i++)
    if (labels[i] < 0 || (guint64) labels[i] >= n_classes)
      return assay_fail (error, ASSAY_ERROR_DATA,
                         "the label of %s %zu is %" G_GINT64_FORMAT
                         "; expected less than %zu, the number of classes, and no negative number",
                         what, i, labels[i], n_classes);
  return TRUE;
}

typedef struct {
  const NetworkTest *test;
  const Encryption *encryption; /* the test's, or that with a record */
  gsize n_classes;
  AssayMatrix *rows; /* a chunk of each of these */
  AssayMatrix *encrypted;
  AssayMatrix *inputs;
  AssayMatrix *shares;
  double *sums; /* chunk x n_sums, over encryptions */
  gsize n_sums;
  OwnerReading *reading; /* NULL: sums are of shares */
  EncryptionRecord record;
  Encryption recorded;
} Testing;

ASSAY_LOCAL_CLEAR (Testing, testing_clear, assay_matrix_free (self->rows),
                   assay_matrix_free (self->encrypted), assay_matrix_free (self->inputs),
                   assay_matrix_free (self->shares), g_free (self->sums),
                   owner_reading_free (self->reading), g_free (self->record.coefficients),
                   g_free (self->record.secrets))

static gboolean
make_record (Testing *testing, GError **error)
{
  const gsize k = testing->test->encryption->coefficients.k;
  EncryptionRecord *record = &testing->record;

  testing->reading = owner_reading_new (testing->n_classes);
  testing->recorded = *testing->test->encryption;
  testing->recorded.record = record;
  testing->encryption = &testing->recorded;
  record->coefficients
      = assay_alloc (NETWORK_TEST_CHUNK, k * sizeof *record->coefficients, "coefficients", error);
  record->secrets
      = assay_alloc (NETWORK_TEST_CHUNK, k * sizeof *record->secrets, "partners", error);
  return record->coefficients != NULL && record->secrets != NULL;
}

static gboolean
make_room (Testing *testing, GError **error)
{
  const NetworkTest *test = testing->test;
  const gsize cols = test->input->row_cols, n_classes = testing->n_classes;
  const gboolean is_owner = test->encryption != NULL && test->owner_labels != NULL;

  testing->n_sums = is_owner ? owner_reading_sums (n_classes) : n_classes;
  return (testing->rows = assay_matrix_new (NETWORK_TEST_CHUNK, cols, error)) != NULL
         && (testing->encrypted = assay_matrix_new (NETWORK_TEST_CHUNK, cols, error)) != NULL
         && (testing->inputs = assay_matrix_new (NETWORK_TEST_CHUNK, test->input->cols, error))
                != NULL
         && (testing->shares = assay_matrix_new (NETWORK_TEST_CHUNK, n_classes, error)) != NULL
         && (testing->sums
             = assay_alloc (NETWORK_TEST_CHUNK, testing->n_sums * sizeof (double), "shares", error))
                != NULL
         && (!is_owner || make_record (testing, error));
}

static gboolean
predict (const NetworkTest *test, AssayView inputs, float *ret_shares, GError **error)
{
  const NetworkInput *input = test->input;

  if (test->tape == NULL)
    return assay_network_predict (test->network, inputs, ret_shares, error);
  return assay_view_check_finite (inputs, "inputs", error)
         && image_network_predict (
             test->tape,
             &(ImageNetworkRows){ test->geometry, input->cols / input->row_cols, inputs, { 0 } },
             ret_shares, error);
}

/* What the first @count rows of a chunk say under one encryption. @labels: their classes, to learn
 * from; NULL: they are not known. */
static void
add_encryption (const Testing *testing, gsize count, const gint64 *labels)
{
  const Encryption *encryption = testing->encryption;
  const gsize k = encryption->coefficients.k, s = encryption_count_secrets (encryption);
  gint64 partners[ASSAY_MIXTURE_MAX_IMAGES];

  for (gsize i = 0; i < count; i++) {
    const OwnerEncryption known = { k, testing->record.coefficients + i * k, partners,
                                    assay_matrix_row (testing->shares, i) };
    double *sums = testing->sums + i * testing->n_sums;

    for (gsize j = 0; j < k - 1; j++)
      partners[j] = j < s ? testing->test->owner_labels[testing->record.secrets[i * s + j]] : -1;
    if (labels != NULL)
      owner_reading_add_labelled (testing->reading, &known, (gsize) labels[i], sums);
    else
      owner_reading_add (testing->reading, &known, sums);
  }
}

static void
add_predictions (const Testing *testing, gsize count, const gint64 *labels)
{
  if (testing->reading != NULL)
    add_encryption (testing, count, labels);
  else
    for (gsize i = 0; i < count * testing->n_classes; i++)
      testing->sums[i] += (double) testing->shares->data[i];
}

/* Sums over the encryptions of the first @count rows of the chunk, which are numbered from @first;
 * @labels as above. */
static gboolean
sum_predictions (const Testing *testing, gsize first, gsize count, const gint64 *labels,
                 GError **error)
{
  const Encryption *encryption = testing->encryption;
  const gsize turns = encryption != NULL ? encryption->encryptions : 1;
  const AssayView rows = assay_view_rows (assay_matrix_view (testing->rows), 0, count);
  const AssayView encrypted = assay_view_rows (assay_matrix_view (testing->encrypted), 0, count);
  const AssayView inputs = assay_view_rows (assay_matrix_view (testing->inputs), 0, count);

  for (gsize i = 0; i < count * testing->n_sums; i++)
    testing->sums[i] = 0;
  for (gsize turn = 0; turn < turns; turn++) {
    if (!assay_interrupt_goes_on (error))
      return FALSE;
    if (encryption != NULL
        && !encryption_apply (encryption, rows, first, turn, testing->encrypted->data, error))
      return FALSE;
    network_input_take (testing->test->input, encryption != NULL ? encrypted : rows,
                        testing->inputs->data);
    if (!predict (testing->test, inputs, testing->shares->data, error))
      return FALSE;
    add_predictions (testing, count, labels);
  }
  return TRUE;
}

/* From the first of the owner's own rows, which are numbered from @first. */
static gboolean
learn_reading (Testing *testing, gsize first, GError **error)
{
  const AssayView secrets = testing->test->encryption->secrets;
  const gint64 *labels = testing->test->owner_labels;
  const gsize count = MIN (NETWORK_TEST_CHUNK, secrets.rows);

  for (gsize i = 0; i < count; i++)
    for (gsize c = 0; c < secrets.cols; c++)
      assay_matrix_row (testing->rows, i)[c] = assay_view_row (secrets, i)[c];
  return sum_predictions (testing, first, count, labels, error)
         && owner_reading_learn (testing->reading, count, testing->sums, labels, error);
}

/* Shares of classes, of what is summed. */
static void
finish (const Testing *testing, const double *sums, double *ret_shares)
{
  const Encryption *encryption = testing->encryption;
  const double turns = encryption != NULL ? (double) encryption->encryptions : 1;

  if (testing->reading != NULL)
    owner_reading_judge (testing->reading, sums, ret_shares);
  else
    for (gsize c = 0; c < testing->n_classes; c++)
      ret_shares[c] = sums[c] / turns;
}

static void
judge (const double *shares, gsize n_classes, gint64 label, double *ret_right, double *ret_loss)
{
  gsize best = 0;

  for (gsize c = 1; c < n_classes; c++)
    best = shares[c] > shares[best] ? c : best;
  *ret_right = best == (gsize) label;
  *ret_loss = -log (MIN (1, MAX (shares[label], (double) FLT_MIN)));
}

gboolean
network_test_run (const NetworkTest *test, const AssayDataset *dataset, double *ret_right,
                  double *ret_losses, GError **error)
{
  const gsize n = assay_rows_count (dataset->test), n_classes = dataset->n_classes;
  const gint64 *labels = assay_array_int64 (dataset->test_data.labels);
  g_autofree double *shares = g_new (double, n_classes);
  g_auto (Testing) testing
      = { .test = test, .encryption = test->encryption, .n_classes = n_classes };

  if (!network_test_check_labels (labels, n, n_classes, "test row", error)
      || !make_room (&testing, error))
    return FALSE;
  if (testing.reading != NULL && !learn_reading (&testing, n, error)) {
    g_prefix_error (error, "rows of the owner: ");
    return FALSE;
  }
  for (gsize first = 0; first < n; first += NETWORK_TEST_CHUNK) {
    const gsize count = MIN (NETWORK_TEST_CHUNK, n - first);

    assay_rows_read (dataset->test, first, count, test->scale, testing.rows->data);
    if (!sum_predictions (&testing, first, count, NULL, error)) {
      g_prefix_error (error, "test rows from %zu on: ", first);
      return FALSE;
    }
    for (gsize i = 0; i < count; i++) {
      finish (&testing, testing.sums + i * testing.n_sums, shares);
      judge (shares, n_classes, labels[first + i], &ret_right[first + i], &ret_losses[first + i]);
    }
  }
  return TRUE;
}
