/* How long what the claims are about was run: of each claim the sum over its cells in all trials,
 * and of the whole run over all cells. Claims about the same cells count them each. */
#include "report/exports/exports.h"

typedef struct {
  const AssayResults *results;
  double *seconds;
} Adding;

static gboolean
is_about (const AssayResultClaim *claim, const AssayResultCell *cell)
{
  ASSAY_FOR_EACH_IN (const AssayResultHypothesis, one, claim->hypotheses) {
    if (one->cell->dataset == cell->dataset && one->cell->defense == cell->defense
        && one->cell->attack_or_utility == cell->attack_or_utility)
      return TRUE;
  }
  return FALSE;
}

static gboolean
add_cell (const AssayResultCell *cell, gpointer data, G_GNUC_UNUSED GError **error)
{
  const Adding *adding = data;
  const GPtrArray *claims = adding->results->claims;

  for (guint i = 0; i < claims->len; i++)
    if (is_about (claims->pdata[i], cell))
      adding->seconds[i] += cell->seconds;
  adding->seconds[claims->len] += cell->seconds;
  return TRUE;
}

double *
assay_report_durations (const AssayResults *results, GError **error)
{
  g_autofree double *seconds = g_new0 (double, results->claims->len + 1);
  Adding adding = { results, seconds };

  return assay_results_each_cell (results, FALSE, add_cell, &adding, error)
             ? g_steal_pointer (&seconds)
             : NULL;
}
