/* What the other starts of an attack found that draws numbers. */
#include "runner/judge/earned/starts.h"

#include <math.h>

#include "runner/judge/pool.h"
#include "runner/store/outcomes.h"
#include "runner/store/records.h"

static void
sample_free (gpointer sample)
{
  assay_sample_free (sample);
}

GPtrArray *
assay_starts_samples (const AssayStartsQuestion *question, GError **error)
{
  g_autoptr (GPtrArray) samples = g_ptr_array_new_with_free_func (sample_free);

  for (guint s = 1; s < question->n; s++) {
    AssayPool pool;
    const gboolean is_ok
        = assay_pool_fill (&pool, question->plan, question->store, question->indices,
                           assay_metric_of_start (question->metric, s), error);
    AssaySample *sample = is_ok ? assay_pool_sample (&pool, question->measure) : NULL;

    assay_pool_clear (&pool);
    if (!is_ok)
      return NULL;
    if (sample != NULL)
      g_ptr_array_add (samples, sample);
  }
  return g_steal_pointer (&samples);
}

void
assay_starts_widen (const GPtrArray *samples, double confidence, AssayStreamKey stream,
                    AssayInterval *inout_interval)
{
  for (guint s = 0; s < samples->len; s++) {
    const AssayInterval other = assay_sample_interval (samples->pdata[s], confidence, stream);

    inout_interval->lower = MIN (inout_interval->lower, other.lower);
    inout_interval->upper = MAX (inout_interval->upper, other.upper);
  }
}

gboolean
assay_starts_describe (const AssayPlan *plan, AssayStore *store, const GArray *indices,
                       AssayResultCell *inout_cell, GError **error)
{
  for (guint i = 0; i < indices->len; i++) {
    const gsize index = g_array_index (indices, gsize, i);
    AssayStartsRecord record;

    if (assay_plan_cell (plan, index)->attack == ASSAY_NO_COMPONENT)
      return TRUE;
    if ((inout_cell->suspect == NULL
         && !assay_store_suspect (store, index, &inout_cell->suspect, error))
        || !assay_store_starts (store, index, &record, error))
      return FALSE;
    if (record.n == 0)
      continue;
    inout_cell->n_starts
        = inout_cell->n_starts == 0 ? record.n : MIN (inout_cell->n_starts, record.n);
    if (!isnan (record.confidence) && !(inout_cell->confidence <= record.confidence))
      inout_cell->confidence = record.confidence;
  }
  return TRUE;
}
