/* Clusters that users find together: passes of mini-batch k-means with sparse centroids.
 *
 * A model is classes x cols numbers, the centroid of one cluster after another, without a bias; the
 * shape and the penalty are those of linear training (linear-training.h), and labels are not read.
 *
 * Source: Sculley 2010, "Web-Scale K-Means Clustering", algorithm 1; sparse centroids as in Jumutc,
 * Langone and Suykens 2015, "Regularized and Sparse Stochastic K-Means for Distributed Large-Scale
 * Clustering"; both as Yonetani, Boddeti, Kitani and Sato 2017, "Privacy-Preserving Visual Learning
 * Using Doubly Permuted Homomorphic Encryption", section A.3, has users do it. */
#pragma once

#include "core/learn/linear-training.h"

/* The cluster whose centroid is nearest to a row; the first of equals. */
gsize assay_cluster_nearest (const AssayLinearTraining *training, const double *centroids,
                             const float *row);

/* One pass over all samples in their order, @batch of which are given to the nearest centroids at a
 * time (0: all at once). Centroid c moves to each of its samples x by
 *   n_c += 1,  w_c += (x - w_c) / n_c
 * with n_c = 0 when the pass begins, so that it ends in the mean of its samples; one without any
 * stays. Then
 *   w_c = S (w_c, lambda rho) / (1 + lambda (1 - rho)),  S (v, t) = sign (v) max (|v| - t, 0),
 * which is the least of 1/2 mean |x - w|^2 + lambda (rho |w|_1 + (1 - rho) / 2 |w|^2) over the
 * samples of the cluster. */
void assay_cluster_pass (const AssayLinearTraining *training, const AssayLinearSamples *samples,
                         gsize batch, double *inout_centroids);
