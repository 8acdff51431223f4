/* What the owner of a test image makes of the predictions for its encryptions: she drew the
 * coefficients and knows the labels of her own images that it was mixed with.
 *
 * Let g be the logarithms of the shares of C classes that a network gives for one encryption, less
 * their mean. They are taken for linear in what was mixed, g = sum_c s_c m_c + u m_C + noise, where
 * s_c is the part of class c in the mixture and u that of images without a label. Of an image of
 * class y, which has part a_t in encryption t, and partners with parts s_t,
 *
 *   v = sum_t a_t (g_t - M s_t) / sum_t a_t^2
 *
 * is the least-squares estimate of m_y. Linear discriminant analysis (Hastie, Tibshirani and
 * Friedman 2009, section 4.3) compares it with every m_c under the covariance of v - m_y, which is
 * taken to fall as 1 / sum_t a_t^2, each class being as likely as another. M and the covariance are
 * learned from encryptions of images whose classes she knows, her own training images. Nothing but
 * encryptions goes to who has the network. */
#pragma once

#include "core/base/free.h"

typedef struct OwnerReading OwnerReading;

/* One encryption: of @k images the first is the one in question. */
typedef struct {
  gsize k;
  const float *coefficients; /* k */
  const gint64 *labels;      /* of the others, k - 1; -1: none */
  const float *shares;       /* what the network gives, one for each class */
} OwnerEncryption;

OwnerReading *owner_reading_new (gsize n_classes);
ASSAY_DECLARE_FREE (OwnerReading, owner_reading_free)

/* Numbers of what is summed over the encryptions of an image. */
gsize owner_reading_sums (gsize n_classes);
/* Adds an encryption to the sums of its image. */
void owner_reading_add (const OwnerReading *reading, const OwnerEncryption *encryption,
                        double *inout_sums);
/* The same of an image of class @label, from which the reading is learned. */
void owner_reading_add_labelled (OwnerReading *reading, const OwnerEncryption *encryption,
                                 gsize label, double *inout_sums);
/* After those were added: @sums (n x owner_reading_sums) of the images with @labels. ASSAY_ERROR_
 * NUMERIC for shares that are not finite. */
gboolean owner_reading_learn (OwnerReading *reading, gsize n, const double *sums,
                              const gint64 *labels, GError **error);
/* Probabilities of classes. */
void owner_reading_judge (const OwnerReading *reading, const double *sums,
                          double *ret_probabilities);
