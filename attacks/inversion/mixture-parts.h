/* The private part of every mixture by itself, before anything is known of the secrets. */
#pragma once

#include "attacks/inversion/mixture-intake.h"
#include "attacks/whitened/image-prior.h"

/* Of N mixtures. */
typedef struct {
  AssayMatrix *rows;       /* N x d, as images of share 1, less the mean public image; NULL: none */
  gsize *partners;         /* N x (k - 2): the public images that were taken out */
  double *shares;          /* ... and how much of each */
  guint16 *windows;        /* ... and which of its windows (mixture-windows.h); NULL: as it is */
  gsize shift;             /* how far windows are moved */
  AssayMatrix *directions; /* C x d: leading components of public images, each divided by the root
                            * of its variance and a little */
  double standing; /* 0 to 1: the part of the mixtures in which one public image stands out */
} MixtureParts;

ASSAY_DECLARE_CLEAR (MixtureParts, mixture_parts_clear)

/* Takes the public images out of each of the state's mixtures (attacks/whitened/joint-removal.h).
 * What is left has the signs of pixels, and of the whole, as shares of public images are positive:
 * two that share a secret have a part in common with one sign, and so their products under the
 * covariance of public images tell more than those of squares do.
 *
 * Where @shift is not 0, public images were moved by so much at most and mirrored before they were
 * mixed: each has its best window, and the candidates among these are taken out
 * (attacks/whitened/window-removal.h).
 *
 * `standing` is about the best of the scores before removal: above all others by what the best of
 * so many comes to by chance and one standard deviation more, sqrt (2 ln n_public) of images as
 * they are, and as Gumbel's law has it of those that are the best of their windows, where images
 * that did not move do not count. It is small
 * where the public set is not the one that was used, or only windows of it were; below
 * @least_standing nothing is taken out, and all but `standing` stays NULL.
 *
 * Cost: about 6 (partners + 12) 2 d^2 multiplications a mixture, and an eigenvalue problem of order
 * d; memory for N n_public numbers. Of windows n_public (2 shift + 1)^2 8 C (d + N) more, with C
 * components, and 2 candidates d^2 a mixture. @ret_parts, which arrives zeroed, is cleared by the
 * caller. */
gboolean mixture_parts_find (const MixtureIntake *intake, gsize shift, double least_standing,
                             MixtureParts *ret_parts, GError **error);

typedef struct {
  gsize shift;           /* how far public images were moved at most */
  double image_error;    /* variance of the images there are, as a multiple of public pixels' */
  double least_standing; /* as of mixture_parts_find */
} PartsAgain;

/* The same for windows once there are images, pairs and weights: what the state says of the
 * secrets is taken for known (attacks/whitened/window-search.h), so that windows stand out that
 * squares do not show, and signs are surer. Cost: that of window_search, and of mixture_parts_find
 * with fewer candidates. */
gboolean mixture_parts_find_again (const MixtureIntake *intake, const ImagePrior *prior,
                                   const PartsAgain *options, MixtureParts *ret_parts,
                                   GError **error);

/* The leading components of the prior, by which parts are compared; NULL: no memory. */
AssayMatrix *mixture_parts_directions (const ImagePrior *prior, GError **error);

/* Images of which the parts are mixtures, with the pairs and weights of the state: least squares,
 * in which parts that are far from what their pair makes of them count less. Replaces the state's
 * images. */
gboolean mixture_parts_solve (const MixtureParts *parts, const double *mean, MixtureState *state,
                              GError **error);

/* Takes over the public images of those parts that the state's images explain: partners, known,
 * noise and, where labels leave them open, weights. Of the others nothing is known. */
void mixture_parts_take_public (const MixtureParts *parts, const double *mean, MixtureState *state);
