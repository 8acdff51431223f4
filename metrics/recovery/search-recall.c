/* What an approximate search found of what the exact one finds: recall. An attack that looks at a
 * part of its database only (database, with search = approximate) runs the exact search, too, for a
 * sample of the released items; an item's outcome is the share of its k nearest rows that were
 * found. It measures the attack and not the defense: where it is low, that the attack recovered
 * little says that much less. */
#include "core/plugin/plugin.h"
#include "metrics/recovery/errors.h"

enum { RECALL, UNIT, N_SERIES };

/* A row of the array: the item, how many of its nearest rows were found, and of how many. */
enum { ITEM, FOUND, OF, N_COLUMNS };

static gboolean
check_row (const gint64 *row, gsize number, gsize n_secrets, GError **error)
{
  if (row[ITEM] < 0 || (guint64) row[ITEM] >= n_secrets)
    return assay_fail (error, ASSAY_ERROR_DATA,
                       "recall: row %zu is of item %" G_GINT64_FORMAT ", expected one of %zu",
                       number, row[ITEM], n_secrets);
  if (row[OF] < 1 || row[FOUND] < 0 || row[FOUND] > row[OF])
    return assay_fail (error, ASSAY_ERROR_DATA,
                       "recall: row %zu has %" G_GINT64_FORMAT " found of %" G_GINT64_FORMAT
                       ", expected 0 to all of 1 or more",
                       number, row[FOUND], row[OF]);
  return TRUE;
}

static gboolean
measure (G_GNUC_UNUSED const AssayMetricContext *context, const AssayTruth *truth,
         const AssayGuess *guess, AssayOutcomes *ret_outcomes, GError **error)
{
  const AssayArray *recall = assay_arrays_get (&guess->arrays, "recall");
  const gsize n_secrets = assay_arrays_get (&truth->arrays, "secrets")->shape[0];
  const gsize n = recall->shape[0];

  if (n == 0 || recall->shape[1] != N_COLUMNS)
    return assay_fail (error, ASSAY_ERROR_MISMATCH,
                       "recall is %zu x %zu, expected one row or more of %d columns", n,
                       recall->shape[1], N_COLUMNS);
  if (!assay_outcomes_alloc (ret_outcomes, N_SERIES, n, error))
    return FALSE;
  for (gsize i = 0; i < n; i++) {
    const gint64 *row = assay_array_int64 (recall) + i * N_COLUMNS;

    if (!check_row (row, i, n_secrets, error))
      return FALSE;
    ret_outcomes->series[RECALL][i] = (double) row[FOUND] / (double) row[OF];
    ret_outcomes->series[UNIT][i] = metric_group_of (truth, row[ITEM]);
  }
  return TRUE;
}

ASSAY_METRIC (search_recall, "search-recall",
  .summary = "Share of the nearest rows that an attack's approximate search found",
  .reference = { "Jegou, Douze and Schmid 2011, Product Quantization for Nearest Neighbor "
                 "Search",
                 "section V-A, recall" },
  .has_own_units = TRUE,
  .names_units = TRUE,
  .reads_truth = ASSAY_ARRAY_NAMES ("secrets"),
  .reads_guess = ASSAY_ARRAY_NAMES ("recall"),
  ASSAY_MEASURES (N_SERIES,
    ASSAY_MEASURE (RECALL, "search-recall", MEAN, 0, 1, "share of nearest rows",
                   "Rows found by an exact search that the attack's own search found, too",
                   ASSAY_HEADLINE, ASSAY_HIGHER_IS_WORSE, .is_reach = TRUE)),
  .measure = measure);
