/* What mixture-inversion starts from: the observation, and the metrics of its public set. */
#pragma once

#include "attacks/inversion/public-pursuit.h"
#include "attacks/mixtures/mixture-state.h"
#include "attacks/whitened/whitening.h"

typedef struct {
  gint64 secrets;         /* where the release does not say how many mixtures each secret has */
  gint64 k;               /* where it does not say that */
  double max_coefficient; /* where it does not say that */
  gboolean use_labels;    /* where they are granted */
} MixtureNumbers;

typedef struct {
  AssayArena arena; /* what the other members point to, but for images, known, matrices, the
                     * whitening */
  WhiteningShares shares;
  MixtureState state; /* its pairs, weights, images and noise are yet to be found */
  AssayMatrix *public_images;
  gboolean is_rescaled;  /* these came on another scale than the release's */
  float *precision;      /* the inverse covariance of squared mixtures of public images, d x d */
  float *mean;           /* of those squares, d */
  double noise;          /* variance of what was added to every number */
  AssayMatrix *features; /* e^2 less the mean, N x d; NULL while they are not needed */
  Whitening plain;       /* of public images themselves */
  float *plain_precision;
  double plain_ridge; /* r of the plain precision (C + r I)^-1 */
  PublicFilter filter;
} MixtureIntake;

/* k, the largest coefficient, and n: what the release says of how it was made, or else @numbers.
 * ASSAY_ERROR_MISMATCH where neither does, or they do not fit. */
gboolean mixture_intake_numbers (const MixtureNumbers *numbers, const AssayRelease *release,
                                 WhiteningShares *ret_shares, gsize *ret_n, GError **error);

/* ASSAY_ERROR_MISMATCH where the numbers are not known or do not fit. On failure @ret_intake (which
 * arrives zeroed) is cleared by the caller. */
gboolean mixture_intake_init (const MixtureNumbers *numbers, const AssayObservation *seen,
                              MixtureIntake *ret_intake, GError **error);
ASSAY_DECLARE_CLEAR (MixtureIntake, mixture_intake_clear)

/* Of two that are large one is there at a time: `features`, or the state's known parts, which begin
 * as zeros. Neither is at first. */
gboolean mixture_intake_make_features (MixtureIntake *intake, GError **error);
gboolean mixture_intake_make_known (MixtureIntake *intake, GError **error);
