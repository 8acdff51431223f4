/* What Gaussian noise gives. Two normal distributions of one deviation whose means are @m
 * deviations apart have
 *   delta (epsilon) = Phi (a) - exp (epsilon) Phi (-a - 2 epsilon / m),  a = m / 2 - epsilon / m
 * (Balle and Wang 2018, "Improving the Gaussian Mechanism for Differential Privacy: Analytical
 * Calibration and Optimal Denoising", theorem 8), which is attained by the event {log-likelihood
 * ratio >= epsilon}; its probabilities are the two Phi. delta grows with m:
 * d delta / d m = phi (a). */
#pragma once

#include <glib.h>

/* Natural logarithms of the probabilities of that event on both inputs. */
void assay_gaussian_event_logs (double m, double epsilon, double *ret_first, double *ret_second);

/* The m for which delta (epsilon) = @delta, 0 < delta < 1, epsilon > 0. */
double assay_gaussian_distance (double epsilon, double delta);

/* The epsilon at which inputs @m deviations apart have @delta; 0 if they have less at any. */
double assay_gaussian_epsilon (double m, double delta);
