/* What an attempt of mixture-inversion comes to, and the best of all attempts. */
#pragma once

#include "attacks/evidence/mixture-confidence.h"
#include "attacks/inversion/mixture-play.h"
#include "core/base/free.h"

typedef struct {
  gsize n;                   /* n, or of mirrored secrets twice as many as groups were found */
  float *images;             /* n x d */
  double *fits;              /* n: what explains the mixtures (mixture-fit.h) */
  MixtureEvidence *evidence; /* n */
  gint64 *pairs; /* N x 2: which of these are in a mixture, the larger share first; -1: not known */
  double explained; /* 0 to 1: of what is in all mixtures */
  gboolean without_labels;
  gboolean is_mirrored;
  gboolean is_moved;
  gboolean has_windows; /* by windows of public images (mixture_play_windows) */
} MixtureResult;

ASSAY_DECLARE_CLEAR (MixtureResult, mixture_result_clear)

/* What the state of @intake has come to in @play, as one image for each secret, takes the place of
 * @inout_best, unless it explains less (half as much will do for images by which public images were
 * found, beside those by which none were), or has found no mirror images where it looked for them.
 * The state's images may be gone.
 *
 * Images by squares alone, of which the share of public images known is below 0.1, are smoothed by
 * a Wiener filter: m + C (C + r I)^-1 (x - m) with the mean image m and the covariance C of public
 * images. r is the variance of errors where images have least of their own, a tenth of a pixel's
 * (with another public set 0.06 at k = 4 and 0.16 at k = 6). What images explain and how sure they
 * are is measured before. */
gboolean mixture_result_take (const MixturePlay *play, MixtureIntake *intake,
                              MixtureResult *inout_best, GError **error);

/* The same of secrets that were moved by at most @shift as well as mirrored, from private @parts
 * (attacks/moved/moved-secrets.h); unless they stand still. */
gboolean mixture_result_take_moved (const MixtureIntake *intake, const MixtureParts *parts,
                                    gsize n_secrets, gsize shift, MixtureResult *inout_best,
                                    GError **error);

/* A copy of the images for the @state that they were taken from, as they have become. */
gboolean mixture_result_restore (const MixtureResult *result, MixtureState *state, GError **error);

/* The share of the @n_secrets secrets of which one is expected to be found. */
double mixture_result_confidence (const MixtureResult *result, gsize n_secrets);

/* The share of public images that were found as they are, over all images; 0 where secrets were
 * moved. Of mirrored or moved secrets, or with other pairs, much of it is missing. */
double mixture_result_known (const MixtureResult *result);
