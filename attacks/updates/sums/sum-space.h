/* The sum of several updates, as what its samples span: G = sum_i a_i x_i' = A X, classes x width,
 * of rank r, has the decomposition U S V'; the a_i lie in the span of U, and the x_i in that of V,
 * x_i = V u_i. With fewer samples than classes, few vectors in the span of U can be an a_i. */
#pragma once

#include "attacks/updates/samples/update-gradient.h"
#include "core/base/rng.h"

typedef struct {
  const AssayLinearTraining *training;
  gsize classes;
  gsize width;
  gsize rank;
  double *u;      /* classes x rank */
  double *s;      /* rank */
  double *vt;     /* rank x width */
  double *scores; /* classes x rank: w_k . V, so that w_k . x = scores_k . u */
} SumSpace;

/* A sample of the sum, as u, and its class (-1: not known). */
typedef struct {
  double *u;
  gint64 label;
} SumSample;

ASSAY_DECLARE_CLEAR (SumSpace, sum_space_clear)

/* Of the gradient @sum at the model @model. rank = 0: it is zero. */
gboolean sum_space_init (const AssayLinearTraining *training, const float *model,
                         const UpdateGradient *sum, SumSpace *ret_space, GError **error);

/* The samples of a sum with the hinge loss: G_PTR_ARRAY of SumSample, empty where they cannot be
 * told. Every a_i is a pattern of 0, 1 and at most one -1; of those in the span of U the r
 * independent ones are chosen, by exchange, that contradict the margins of their samples least,
 * and of these the ones with the shortest samples. */
GPtrArray *sum_hinge (const SumSpace *space, AssayStream *stream);
/* ... and with the logistic loss: a_i = sigma (W x_i) - e_c lies in the span of U and
 * x_i' G^+ a_i = 1, for a class c; solved for u by Levenberg and Marquardt's method from random
 * starts. Solutions belong together where x_i' G^+ a_j = 0. r <= (classes + 1) / 2. */
GPtrArray *sum_logistic (const SumSpace *space, AssayStream *stream);

GPtrArray *sum_samples_new (void);
void sum_samples_add (GPtrArray *samples, const SumSpace *space, const double *u, gint64 label);
