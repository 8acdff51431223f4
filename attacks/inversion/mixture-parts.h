/* The private part of every mixture by itself, before anything is known of the secrets. */
#pragma once

#include "attacks/inversion/mixture-intake.h"

/* Of N mixtures. */
typedef struct {
  AssayMatrix *rows; /* N x d, as images of share 1, less the mean public image; NULL: none */
  gsize *partners;   /* N x (k - 2): the public images that were taken out */
  double *shares;    /* ... and how much of each */
  double standing;   /* 0 to 1: the part of the mixtures in which one public image stands out */
} MixtureParts;

ASSAY_DECLARE_CLEAR (MixtureParts, mixture_parts_clear)

/* Takes the public images out of each of the state's mixtures (attacks/whitened/joint-removal.h).
 * What is left has the signs of pixels, and of the whole, as shares of public images are positive:
 * two that share a secret have a part in common with one sign, and so their products under the
 * covariance of public images tell more than those of squares do.
 *
 * `standing` is about the best of the scores before removal: above all others by sqrt (2 ln
 * n_public) + 1 standard deviations, as in public-pursuit.h. It is small where the public set is
 * not the one that was used, or only windows of it were; below @least_standing nothing is taken
 * out, and all but `standing` stays NULL.
 *
 * Cost: about 6 (partners + 12) 2 d^2 multiplications a mixture, and an eigenvalue problem of order
 * d; memory for N n_public numbers. @ret_parts, which arrives zeroed, is cleared by the caller. */
gboolean mixture_parts_find (const MixtureIntake *intake, double least_standing,
                             MixtureParts *ret_parts, GError **error);

/* Images of which the parts are mixtures, with the pairs and weights of the state: least squares,
 * in which parts that are far from what their pair makes of them count less. Replaces the state's
 * images. */
gboolean mixture_parts_solve (const MixtureParts *parts, const double *mean, MixtureState *state,
                              GError **error);

/* Takes over the public images of those parts that the state's images explain: partners, known,
 * noise and, where labels leave them open, weights. Of the others nothing is known. */
void mixture_parts_take_public (const MixtureParts *parts, const double *mean, MixtureState *state);
