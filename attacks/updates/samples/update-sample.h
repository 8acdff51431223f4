/* The sample behind a gradient G = a x': a model's update by one sample gives it back.
 *
 * All rows of G are multiples a_k x of the sample. Which sign and length x has follows from how
 * a_k depends on it (core/learn/linear-training.h): at most one class is the sample's, and has
 * a_k < 0. Hinge: |a_k| = 1 where the margin is not met, and rows agree up to sign. Logistic: with
 * v along x, w_k the rows of the model and t_k = G_k . v / v . v, the factor f of x = f v is where
 *   t_k = f a_k,  a_k = sigma (f w_k . v), or -sigma (-f w_k . v) for the sample's class
 * hold for all rows together; a single row's equation has up to two roots, since
 * s + (1 + exp (s)) w_k . G_k = 0 has two where w_k . G_k is in (-.27846, 0). With a bias, a_k
 * itself stands in its column.
 *
 * Source: Yonetani, Boddeti, Kitani and Sato 2017, "Privacy-Preserving Visual Learning Using Doubly
 * Permuted Homomorphic Encryption", section A.2, which has one root and no sign. */
#pragma once

#include "attacks/updates/samples/update-gradient.h"

typedef struct {
  gsize cols;
  double *values;     /* the sample, scaled as users scale */
  double *low, *high; /* what the gradient allows; both the value where it tells it */
  guint8 *is_exact;   /* columns that the gradient tells; of others all is likely near 0 */
  gint64 label;       /* -1: not known */
} UpdateSample;

gboolean update_sample_init (gsize cols, UpdateSample *ret_sample, GError **error);
ASSAY_DECLARE_CLEAR (UpdateSample, update_sample_clear)

/* FALSE: the gradient is 0, so that nothing is told (the sample met all margins). @model: w. */
gboolean update_sample_solve (const AssayLinearTraining *training, const float *model,
                              const UpdateGradient *gradient, UpdateSample *inout_sample);

/* How far the gradient is from one of one sample: the share of its squared length, of what it tells
 * exactly, that multiples of @sample leave. 0: none, or no column is told by two rows. */
double update_sample_misfit (const UpdateGradient *gradient, const UpdateSample *sample);
