/* Adam (Kingma and Ba 2015, algorithm 1, with 0.9, 0.999 and 1e-8). */
#pragma once

#include <glib.h>

/* Weights that are trained, and what is kept of their gradients. */
typedef struct {
  gsize n;
  double *weights;
  const double *gradient;
  double *first, *second; /* moments, 0 at first */
} AssayAdam;

/* Step number @step, from 1. */
void assay_adam_step (const AssayAdam *adam, double rate, double step);
