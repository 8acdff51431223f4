/* The sum of several updates, as what its samples span. */
#include "attacks/updates/sums/sum-space.h"

#include "core/math/linalg.h"

/* Singular values below this share of the largest are rounding errors of float32. */
#define GAP 1e-4

ASSAY_CLEAR_FUNC (SumSpace, sum_space_clear, assay_drop (self->u, g_free),
                  assay_drop (self->s, g_free), assay_drop (self->vt, g_free),
                  assay_drop (self->scores, g_free))

static void
fill_scores (SumSpace *space, const float *model)
{
  for (gsize k = 0; k < space->classes; k++)
    for (gsize r = 0; r < space->rank; r++) {
      double sum = 0;

      for (gsize j = 0; j < space->width; j++)
        sum += (double) model[k * space->width + j] * space->vt[r * space->width + j];
      space->scores[k * space->rank + r] = sum;
    }
}

gboolean
sum_space_init (const AssayLinearTraining *training, const float *model, const UpdateGradient *sum,
                SumSpace *ret_space, GError **error)
{
  const gsize k = sum->classes, w = sum->width, least = MIN (k, w);
  g_autofree double *u = assay_alloc (k * least, sizeof (double), "a sum of updates", error);

  *ret_space = (SumSpace){ .training = training, .classes = k, .width = w };
  ret_space->s = assay_alloc (least, sizeof (double), "a sum of updates", error);
  ret_space->vt = assay_alloc (least * w, sizeof (double), "a sum of updates", error);
  if (u == NULL || ret_space->s == NULL || ret_space->vt == NULL
      || !assay_linalg_svd (k, w, sum->middle, &(AssaySvd){ u, ret_space->s, ret_space->vt },
                            error))
    return FALSE;
  while (ret_space->rank < least && ret_space->s[ret_space->rank] > GAP * ret_space->s[0])
    ret_space->rank++;
  ret_space->u = g_new0 (double, k *(ret_space->rank + 1));
  ret_space->scores = g_new0 (double, k *(ret_space->rank + 1));
  for (gsize i = 0; i < k; i++)
    for (gsize r = 0; r < ret_space->rank; r++)
      ret_space->u[i * ret_space->rank + r] = u[i * least + r];
  fill_scores (ret_space, model);
  return TRUE;
}

ASSAY_LOCAL_FREE (SumSample, sample_free, g_free (self->u))

GPtrArray *
sum_samples_new (void)
{
  return g_ptr_array_new_with_free_func ((GDestroyNotify) sample_free);
}

void
sum_samples_add (GPtrArray *samples, const SumSpace *space, const double *u, gint64 label)
{
  SumSample *sample = g_new (SumSample, 1);

  sample->u = g_memdup2 (u, space->rank * sizeof (double));
  sample->label = label;
  g_ptr_array_add (samples, sample);
}
