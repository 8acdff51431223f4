/* Secrets that training moved and mirrored at random each time, from the private parts of single
 * mixtures. */
#pragma once

#include "attacks/evidence/mixture-confidence.h"
#include "attacks/inversion/mixture-parts.h"

typedef struct {
  gsize n;       /* images: what was found, and each of them mirrored, as nobody can tell which */
  float *images; /* n x d */
  double *fits;  /* n: what each explains of its parts, 0 to 1 */
  MixtureEvidence *evidence; /* n */
  gint64 *pairs;             /* N x 2: of each part its images, the larger share first */
  double explained;          /* 0 to 1: of all parts */
  double moved; /* 0 to 1: the part of images in rows that stand elsewhere than they mostly do */
} MovedSecrets;

ASSAY_DECLARE_CLEAR (MovedSecrets, moved_secrets_clear)

/* Each part is a_t M_t x_i + b_t M'_t x_j + noise, with a window of either image (M, M': moves of
 * at most @shift pixels, and mirrored or not) as training drew it. From first images
 * (moved-start.h), in turn pairs, moves and weights (moved-explain.h), and images by weighted least
 * squares, in which M' M is a count of pixels; each image is then moved to the middle of the
 * windows it was seen in. All likeness is under the inverse covariance of public images.
 *
 * `explained`: 1 - r / r_0, r what images leave of the parts, r_0 what they leave of as many
 * mixtures of two public images each. Cost: about 8 (2 shift + 1)^2 2 n C (d + 8 N) multiplications
 * a round, with C <= 400 components of images, and four times that for the first ones. */
gboolean moved_secrets_find (const MixtureIntake *intake, const MixtureParts *parts,
                             gsize n_secrets, gsize shift, MovedSecrets *ret_secrets,
                             GError **error);
