/* Privacy of many rounds of a Gaussian mechanism on a random part of the records, by Renyi
 * divergences of whole orders. */
#pragma once

#include <glib.h>

/* @rounds rounds, in each of which every record takes part with probability @rate (Poisson), and
 * noise of deviation @noise times the sensitivity is added to a sum; neighbours have one record
 * more or less. */
typedef struct {
  double rate;
  double noise;
  gsize rounds;
} AssaySampledGaussian;

/* The divergence of order @order, 2 to 256, of one round (Mironov, Talwar and Zhang 2019, "Renyi
 * Differential Privacy of the Sampled Gaussian Mechanism", section 3.3):
 *   ln (sum_k C(a, k) (1 - q)^(a - k) q^k exp ((k^2 - k) / (2 z^2))) / (a - 1) */
double assay_sampled_gaussian_divergence (const AssaySampledGaussian *mechanism, guint order);

/* The least epsilon at @delta over the orders 2 to 256 (Canonne, Kamath and Steinke 2020, "The
 * Discrete Gaussian for Differential Privacy", proposition 12):
 *   T eps_a + ln ((a - 1) / a) - (ln delta + ln a) / (a - 1) */
double assay_sampled_gaussian_epsilon (const AssaySampledGaussian *mechanism, double delta);

/* The noise with which @mechanism, whose noise does not count, has @epsilon at @delta. */
double assay_sampled_gaussian_noise (const AssaySampledGaussian *mechanism, double epsilon,
                                     double delta);
