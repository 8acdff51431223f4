/* What ksh and sdh have in common: labels to learn from, and the features
 *   z_i (x) = exp (-||x - anchor_i||^2 / (2 width^2)) - mean_i,   i = 1 .. m,
 * of anchors that are training rows drawn at random, with mean_i so that each feature is 0 on
 * average over the training rows (Liu et al. 2012; Shen et al. 2015: ksh.c, sdh.c). */
#pragma once

#include "defenses/codes/hash-learning.h"

/* Substreams of HashTraining.stream that are drawn from here, far from those of rows. */
#define KERNEL_ITEM_ANCHORS (G_GUINT64_CONSTANT (1) << 40)
#define KERNEL_ITEM_LABELLED (KERNEL_ITEM_ANCHORS + 1)
#define KERNEL_ITEM_CODES (G_GUINT64_CONSTANT (1) << 41) /* and the number of the row */

typedef struct {
  AssayHashFunction *function; /* all but its projection */
  AssayMatrix *features;       /* z of the training rows, t x m */
} KernelFeatures;

ASSAY_DECLARE_CLEAR (KernelFeatures, kernel_features_clear)

/* With @anchors distinct training rows and a @width (0: the mean distance between rows and
 * anchors). ASSAY_ERROR_MISMATCH for fewer rows than anchors, ASSAY_ERROR_DATA where all rows have
 * the same features. @ret_features, which may hold what was allocated before an error, is to be
 * cleared. */
gboolean kernel_features_learn (const HashTraining *training, gsize anchors, double width,
                                KernelFeatures *ret_features, GError **error);

/* Takes the features apart: the function with @projection (c x m). */
AssayHashFunction *kernel_features_finish (KernelFeatures *features, AssayMatrix *projection);

/* ASSAY_ERROR_MISMATCH without labels, ASSAY_ERROR_DATA for one outside 0 .. n_classes - 1 and
 * where all are the same. */
gboolean kernel_labels_check (const HashTraining *training, GError **error);

/* A' B, a.cols x b.cols row-major, in double, for A and B of the same rows. In parallel, the same
 * for any number of threads; A' A is symmetric to the bit. */
void kernel_cross_products (AssayView a, AssayView b, double *ret_products);
