/* Noise that parties add to what they learn: in PRR10 (prr10.c) to the mean of their models, in
 * RA12 (ra12.c) to the sum of their gradients, once and in each step. */
#pragma once

#include "core/base/rng.h"

typedef enum {
  PRR10_COORDINATES, /* Laplace (scale) on each number by itself */
  PRR10_SPHERICAL,   /* of any direction, |eta| ~ Gamma (count, scale) */
} Prr10Noise;

/* 2 / (n epsilon lambda), n the rows of the smallest party. */
double prr10_scale (gsize rows, double epsilon, double penalty);

void prr10_draw (Prr10Noise noise, double scale, AssayStream *stream, gsize count,
                 double *ret_noise);

typedef enum { RA12_BOTH, RA12_GRADIENT, RA12_OBJECTIVE } Ra12Noise;

extern const char *const ra12_noises[];

typedef struct {
  double once; /* deviation of a Gaussian; 0: none */
  double step; /* scale of Laplace noise; 0: none */
} Ra12Scales;

Ra12Scales ra12_scales (double epsilon, double delta, Ra12Noise noise);

/* @count numbers of either. */
void ra12_draw_once (const Ra12Scales *scales, AssayStream *stream, gsize count, double *ret_noise);
void ra12_draw_step (const Ra12Scales *scales, AssayStream *stream, gsize count, double *ret_noise);
