/* Share of secrets that their estimate points at: the nearest of the private descriptors to d^ is d
 * itself. The private descriptors are those of the cell. Secrets that are equal to the bit cannot
 * be told apart and count for each other. Chance is what the same estimates are worth where the
 * truth is shuffled: of n secrets of which c are equal to the one that an estimate points at, c / n
 * by expectation over all orders. */
#include <string.h>

#include "core/math/row-copies.h"
#include "core/plugin/plugin.h"
#include "core/search/knn.h"
#include "metrics/recovery/errors.h"

enum { IDENTIFIED, CHANCE, N_SERIES };

static gboolean
is_same (AssayView secrets, gsize a, gsize b)
{
  return memcmp (assay_view_row (secrets, a), assay_view_row (secrets, b),
                 secrets.cols * sizeof (float))
         == 0;
}

static gboolean
fill_chance (AssayView secrets, const AssayNearest *nearest, double *ret_chance, GError **error)
{
  const gsize n = secrets.rows;
  g_autoptr (AssayPartition) parts = assay_partition_new (n);
  g_autofree gsize *copies = assay_alloc (n, sizeof (gsize), "copies", error);

  if (copies == NULL)
    return FALSE;
  assay_copies_find_equal (secrets, parts);
  memset (copies, 0, n * sizeof (gsize));
  for (gsize i = 0; i < n; i++)
    copies[assay_partition_find (parts, i)]++;
  for (gsize i = 0; i < n; i++)
    ret_chance[i] = (double) copies[assay_partition_find (parts, (gsize) nearest->rows[i])]
                    / (double) n;
  return TRUE;
}

static gboolean
measure (G_GNUC_UNUSED const AssayMetricContext *context, const AssayTruth *truth,
         const AssayGuess *guess, AssayOutcomes *ret_outcomes, GError **error)
{
  AssayView secrets, estimates;
  g_autoptr (AssayNearest) nearest = NULL;

  if (!metric_pair (truth, guess, &secrets, &estimates, error))
    return FALSE;
  nearest = assay_knn_search (secrets, estimates, 1, error);
  if (nearest == NULL || !assay_outcomes_alloc (ret_outcomes, N_SERIES, secrets.rows, error))
    return FALSE;
  for (gsize i = 0; i < secrets.rows; i++)
    ret_outcomes->series[IDENTIFIED][i] = is_same (secrets, (gsize) nearest->rows[i], i);
  return fill_chance (secrets, nearest, ret_outcomes->series[CHANCE], error);
}

ASSAY_METRIC (identification_rate, "identification-rate",
  .summary = "Share of estimates whose nearest private descriptor is the true one, beside chance",
  .reference = { ASSAY_PAPER_LDP_FEAT, "section 6.1" },
  .reads_truth = ASSAY_ARRAY_NAMES ("secrets"),
  .reads_guess = ASSAY_ARRAY_NAMES ("estimates"),
  ASSAY_MEASURES (N_SERIES,
    ASSAY_MEASURE (IDENTIFIED, "identification-rate", RATE, 0, 1, "share of secrets",
                   "Estimates whose nearest private descriptor is the true one", ASSAY_HEADLINE,
                   ASSAY_HIGHER_IS_WORSE, ASSAY_TELLS_APART),
    ASSAY_MEASURE (CHANCE, "identification-chance", MEAN, 0, 1, "share of secrets",
                   "The same where the order of the secrets is shuffled: what chance identifies",
                   ASSAY_HEADLINE, ASSAY_HIGHER_IS_WORSE, ASSAY_IS_REFERENCE)),
  .measure = measure);
