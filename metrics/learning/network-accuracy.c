/* What users get of a network that was trained on secrets and made public: how well it knows test
 * rows. One test row is one unit; a row that is tested in several trials stays one unit. */
#include <float.h>
#include <math.h>

#include "core/base/interrupt.h"
#include "core/network/classifier/released-network.h"
#include "metrics/learning/network-test.h"

enum { RIGHT, LOSS, N_SERIES };

static void
judge (const float *shares, gsize n_classes, gint64 label, gsize i, AssayOutcomes *outcomes)
{
  gsize best = 0;

  for (gsize c = 1; c < n_classes; c++)
    best = shares[c] > shares[best] ? c : best;
  outcomes->series[RIGHT][i] = (gint64) best == label;
  outcomes->series[LOSS][i] = -log (MAX ((double) shares[label], (double) FLT_MIN));
}

static gboolean
check_material (const AssayReleasedNetwork *network, const AssayDataset *dataset, GError **error)
{
  if (dataset->test == NULL || dataset->test_data.labels == NULL)
    return assay_fail (error, ASSAY_ERROR_MISMATCH,
                       "expected a dataset with rows to test with, and their labels");
  return network_test_check_labels (assay_role_labels (&dataset->test_data),
                                    assay_rows_count (dataset->test), network->images.n_classes,
                                    "test row", error);
}

static gboolean
assess (const AssayUtilityContext *context, const AssayReceived *received,
        AssayOutcomes *ret_outcomes, GError **error)
{
  const AssayDataset *dataset = context->dataset;
  g_auto (AssayReleasedNetwork) network = { 0 };
  g_autoptr (AssayMatrix) rows = NULL, shares = NULL;
  gsize n;

  if (!assay_released_network_open (received->release, &network, error)
      || !check_material (&network, dataset, error))
    return FALSE;
  n = assay_rows_count (dataset->test);
  rows = assay_matrix_new (NETWORK_TEST_CHUNK, assay_rows_cols (dataset->test), error);
  shares = assay_matrix_new (NETWORK_TEST_CHUNK, network.images.n_classes, error);
  if (rows == NULL || shares == NULL || !assay_outcomes_alloc (ret_outcomes, N_SERIES, n, error))
    return FALSE;
  for (gsize first = 0; first < n; first += NETWORK_TEST_CHUNK) {
    const gsize count = MIN (NETWORK_TEST_CHUNK, n - first);

    assay_rows_read (dataset->test, first, count, ASSAY_SCALE_NONE, rows->data);
    if (!assay_interrupt_goes_on (error)
        || !assay_released_network_predict (
            &network, assay_view_rows (assay_matrix_view (rows), 0, count), shares->data, error)) {
      g_prefix_error (error, "test rows from %zu on: ", first);
      return FALSE;
    }
    for (gsize i = 0; i < count; i++)
      judge (assay_matrix_row (shares, i), shares->cols,
             assay_role_labels (&dataset->test_data)[first + i], first + i, ret_outcomes);
  }
  return TRUE;
}

ASSAY_UTILITY (network_accuracy, "network-accuracy",
  .summary = "How well a network that was made public classifies test rows",
  .reference = { ASSAY_PAPER_INSTAHIDE, "section 5.1, table 2" },
  .reads = ASSAY_RELEASE_NETWORK,
  .needs = ASSAY_HAS_LABELS | ASSAY_HAS_TEST_LABELS,
  .has_own_units = TRUE,
  .repeats_units = TRUE,
  ASSAY_MEASURES (N_SERIES,
    ASSAY_MEASURE (RIGHT, "network-accuracy", RATE, 0, 1, "share of test rows",
                   "Test rows that the network classifies correctly", ASSAY_HEADLINE),
    ASSAY_MEASURE (LOSS, "network-loss", MEAN, 0, G_MAXDOUBLE, "nats",
                   "-ln of the share that it gives the right class; mean over test rows",
                   ASSAY_HIGHER_IS_WORSE)),
  .assess = assess);
