/* Hits of rankings. */
#include "metrics/recovery/ranking-hits.h"

#include "metrics/recovery/errors.h"

gboolean
ranking_hits_read (const AssayMetricContext *context, const AssayTruth *truth,
                   const AssayGuess *guess, RankingHits *ret_ranking, GError **error)
{
  const AssayArray *partners = assay_arrays_get (&truth->arrays, "partners");
  const AssayArray *candidates = assay_arrays_get (&guess->arrays, "candidates");
  const AssayArray *owners = assay_arrays_get (&truth->arrays, "owners");
  const AssayRows *rows = context->dataset != NULL ? context->dataset->public_rows : NULL;

  *ret_ranking = (RankingHits){ .n = partners->shape[0],
                                .p = partners->shape[1],
                                .c = candidates->shape[1],
                                .rows = rows != NULL ? assay_rows_count (rows) : 0,
                                .partners = assay_array_int64 (partners),
                                .candidates = assay_array_int64 (candidates),
                                .owners = owners != NULL ? assay_array_int64 (owners) : NULL };
  return (candidates->shape[0] == ret_ranking->n && ret_ranking->c > 0 && ret_ranking->p > 0)
         || assay_fail (error, ASSAY_ERROR_MISMATCH,
                        "candidates are %zu x %zu, but partners %zu x %zu; expected some of each "
                        "for the same items",
                        candidates->shape[0], ret_ranking->c, ret_ranking->n, ret_ranking->p);
}

double
ranking_hits_at (const RankingHits *ranking, gsize item, gsize k)
{
  for (gsize i = 0; i < k; i++)
    for (gsize j = 0; j < ranking->p; j++)
      if (ranking->candidates[item * ranking->c + i] == ranking->partners[item * ranking->p + j])
        return 1;
  return 0;
}

double
ranking_hits_by_chance (gsize rows, gsize k, gsize p)
{
  double missed = 1;

  for (gsize j = 0; j < p; j++)
    missed *= k + j < rows ? (double) (rows - k - j) / (double) (rows - j) : 0;
  return 1 - missed;
}

void
ranking_hits_set_units (const RankingHits *ranking, const AssayTruth *truth, guint unit,
                        AssayOutcomes *outcomes)
{
  for (gsize i = 0; i < ranking->n; i++)
    outcomes->series[unit][i]
        = metric_number_of_secret (truth, ranking->owners != NULL ? ranking->owners[i] : -1);
}

double
ranking_hits_second (const RankingHits *ranking, const AssayTruth *truth, gsize item)
{
  const AssayArray *sources = assay_arrays_get (&truth->arrays, "sources");
  const gint64 owner = ranking->owners != NULL ? ranking->owners[item] : -1;
  gint64 second = owner;

  for (gsize j = 0; sources != NULL && item < sources->shape[0] && j < sources->shape[1]; j++)
    if (second == owner)
      second = assay_array_int64 (sources)[item * sources->shape[1] + j];
  return metric_number_of_secret (truth, second >= 0 ? second : owner);
}
