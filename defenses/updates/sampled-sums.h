/* The mechanism of DP-SGD (Abadi et al. 2016, "Deep Learning with Differential Privacy", algorithm
 * 1): T noisy sums of clipped gradients, each of the records that take part with probability q.
 *
 * What accounting rests on, and an audit plays, is the record whose gradient has length C in a
 * direction of its own: T noisy sums in that direction, in units of C, with it (input 1) or without
 * (0). The noise z is the least for which the Renyi accountant has (epsilon, delta)
 * (core/stats/renyi-privacy.h). */
#pragma once

#include "core/plugin/mechanism.h"

typedef struct {
  double epsilon;
  double delta;
  double rate;  /* q */
  gsize rounds; /* T */
} SampledSums;

/* z, of which the last one asked for is kept: it takes as long to find as thousands of runs. */
double sampled_sums_noise (const SampledSums *sums);

/* Callbacks of a mechanism (AssayMechanism), of which `pair` asks for no settings. */
void sampled_sums_pair (gconstpointer settings, gsize cols, guint index, AssayStream *stream,
                        float *ret_first, float *ret_second);
/* @count runs on @input: count x T. */
void sampled_sums_run (const SampledSums *sums, AssayStream *stream, float input, gsize count,
                       float *ret_outputs);
/* ln of the ratio of densities of each run, first against second input. */
void sampled_sums_log_ratio (const SampledSums *sums, AssayInputPair pair, const float *outputs,
                             gsize count, double *ret_scores);
