/* Noisy sums of records that take part at random. */
#include "defenses/updates/sampled-sums.h"

#include <math.h>

#include "core/stats/renyi-privacy.h"

double
sampled_sums_noise (const SampledSums *sums)
{
  static GMutex lock;
  static SampledSums last;
  static double kept;
  const AssaySampledGaussian mechanism = { .rate = sums->rate, .rounds = sums->rounds };
  double noise;

  g_mutex_lock (&lock);
  if (last.rate != sums->rate || last.epsilon != sums->epsilon || last.delta != sums->delta
      || last.rounds != sums->rounds)
    kept = assay_sampled_gaussian_noise (&mechanism, sums->epsilon, sums->delta);
  last = *sums;
  noise = kept;
  g_mutex_unlock (&lock);
  return noise;
}

void
sampled_sums_pair (G_GNUC_UNUSED gconstpointer settings, G_GNUC_UNUSED gsize cols,
                   G_GNUC_UNUSED guint index, G_GNUC_UNUSED AssayStream *stream, float *ret_first,
                   float *ret_second)
{
  *ret_first = 1;
  *ret_second = 0;
}

void
sampled_sums_run (const SampledSums *sums, AssayStream *stream, float input, gsize count,
                  float *ret_outputs)
{
  const double z = sampled_sums_noise (sums);

  for (gsize k = 0; k < count * sums->rounds; k++) {
    const double record
        = input > 0 && assay_stream_uniform (stream) < sums->rate ? (double) input : 0;

    ret_outputs[k] = (float) (record + z * assay_stream_normal (stream));
  }
}

void
sampled_sums_log_ratio (const SampledSums *sums, AssayInputPair pair, const float *outputs,
                        gsize count, double *ret_scores)
{
  const double z = sampled_sums_noise (sums), q = sums->rate;
  const double sign = (double) *pair.first - (double) *pair.second;

  for (gsize i = 0; i < count; i++) {
    double sum = 0;

    for (gsize t = 0; t < sums->rounds; t++) {
      const double y = (double) outputs[i * sums->rounds + t];

      sum += log1p (q * expm1 ((2 * y - 1) / (2 * z * z)));
    }
    ret_scores[i] = sign * sum;
  }
}
