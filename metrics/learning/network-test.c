/* A trained network against the test rows of a dataset. */
#include "metrics/learning/network-test.h"

#include <float.h>
#include <math.h>

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
  AssayMatrix *rows; /* a chunk of each of these */
  AssayMatrix *encrypted;
  AssayMatrix *inputs;
  AssayMatrix *shares;
  double *sums; /* chunk x classes, of shares */
} Testing;

ASSAY_LOCAL_CLEAR (Testing, testing_clear, assay_matrix_free (self->rows),
                   assay_matrix_free (self->encrypted), assay_matrix_free (self->inputs),
                   assay_matrix_free (self->shares), g_free (self->sums))

static gboolean
make_room (Testing *testing, gsize n_classes, GError **error)
{
  const gsize cols = testing->test->input->row_cols;

  return (testing->rows = assay_matrix_new (NETWORK_TEST_CHUNK, cols, error)) != NULL
         && (testing->encrypted = assay_matrix_new (NETWORK_TEST_CHUNK, cols, error)) != NULL
         && (testing->inputs
             = assay_matrix_new (NETWORK_TEST_CHUNK, testing->test->input->cols, error))
                != NULL
         && (testing->shares = assay_matrix_new (NETWORK_TEST_CHUNK, n_classes, error)) != NULL
         && (testing->sums
             = assay_alloc (NETWORK_TEST_CHUNK, n_classes * sizeof (double), "shares", error))
                != NULL;
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

/* Sums of the shares of the first @count rows of the chunk that begins at test row @first. */
static gboolean
sum_shares (const Testing *testing, gsize first, gsize count, GError **error)
{
  const Encryption *encryption = testing->test->encryption;
  const gsize turns = encryption != NULL ? encryption->encryptions : 1;
  const AssayView rows = assay_view_rows (assay_matrix_view (testing->rows), 0, count);
  const AssayView encrypted = assay_view_rows (assay_matrix_view (testing->encrypted), 0, count);
  const AssayView inputs = assay_view_rows (assay_matrix_view (testing->inputs), 0, count);
  const gsize numbers = count * testing->shares->cols;

  for (gsize i = 0; i < numbers; i++)
    testing->sums[i] = 0;
  for (gsize turn = 0; turn < turns; turn++) {
    if (encryption != NULL
        && !encryption_apply (encryption, rows, first, turn, testing->encrypted->data, error))
      return FALSE;
    network_input_take (testing->test->input, encryption != NULL ? encrypted : rows,
                        testing->inputs->data);
    if (!predict (testing->test, inputs, testing->shares->data, error))
      return FALSE;
    for (gsize i = 0; i < numbers; i++)
      testing->sums[i] += (double) testing->shares->data[i];
  }
  for (gsize i = 0; i < numbers; i++)
    testing->sums[i] /= (double) turns;
  return TRUE;
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
  g_auto (Testing) testing = { .test = test };

  if (!network_test_check_labels (labels, n, n_classes, "test row", error)
      || !make_room (&testing, n_classes, error))
    return FALSE;
  for (gsize first = 0; first < n; first += NETWORK_TEST_CHUNK) {
    const gsize count = MIN (NETWORK_TEST_CHUNK, n - first);

    assay_rows_read (dataset->test, first, count, test->scale, testing.rows->data);
    if (!sum_shares (&testing, first, count, error)) {
      g_prefix_error (error, "test rows from %zu on: ", first);
      return FALSE;
    }
    for (gsize i = 0; i < count; i++)
      judge (testing.sums + i * n_classes, n_classes, labels[first + i], &ret_right[first + i],
             &ret_losses[first + i]);
  }
  return TRUE;
}
