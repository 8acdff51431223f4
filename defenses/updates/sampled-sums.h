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

/* Defines the callbacks `size`, `run` and `log_ratio` of a mechanism that is such sums, those of
 * @sums_of (settings): one input, which is whether the row is there, and an output a round. */
#define SAMPLED_SUMS_RUNS(Settings, sums_of)                                                       \
  static void size (gconstpointer data, G_GNUC_UNUSED gsize cols, gsize *ret_inputs,               \
                    gsize *ret_outputs)                                                            \
  {                                                                                                \
    *ret_inputs = 1;                                                                               \
    *ret_outputs = (gsize) ((const Settings *) data)->rounds;                                      \
  }                                                                                                \
  static void run (gconstpointer data, G_GNUC_UNUSED gsize cols, AssayStream *stream,              \
                   const float *input, gsize count, float *ret_outputs)                            \
  {                                                                                                \
    const SampledSums sums = sums_of (data);                                                       \
    sampled_sums_run (&sums, stream, *input, count, ret_outputs);                                  \
  }                                                                                                \
  static void log_ratio (gconstpointer data, G_GNUC_UNUSED gsize cols, AssayInputPair pair,        \
                         const float *outputs, gsize count, double *ret_scores)                    \
  {                                                                                                \
    const SampledSums sums = sums_of (data);                                                       \
    sampled_sums_log_ratio (&sums, pair, outputs, count, ret_scores);                              \
  }
