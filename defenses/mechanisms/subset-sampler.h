/* The omega-subset sampler: a random set of numbers that holds a given one with a probability set
 * by epsilon (Ye and Barg 2018; LDP-FEAT, Pittaluga and Zhuang 2023, section 5, equation 5). */
#pragma once

#include "core/base/rng.h"

typedef struct {
  double epsilon;
  gsize dictionary; /* K: numbers are 0 to K - 1, and K at most 2^24, which float32 still counts */
  gsize members;    /* m < K */
} SubsetSampler;

/* Pr (u = 1) = m exp (epsilon) / (m exp (epsilon) + K - m), that a set holds the number it was made
 * of, and the complement, which is not to be had from it without loss. */
void subset_inclusion (const SubsetSampler *sampler, double *ret_in, double *ret_out);

/* @count sets of m distinct numbers each, made of @value, in uniformly random order. */
void subset_sample (const SubsetSampler *sampler, AssayStream *stream, float value, gsize count,
                    float *ret_sets);
