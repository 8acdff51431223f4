/* The signs of masked mixtures, all pixels of one together: expectation propagation.
 *
 * Of z ~ N (q, t G), with the covariance G of images, the mask leaves e = |z|. Neighbouring pixels
 * of images are alike, and so are their signs but where z passes through 0: what pixels know of one
 * another is in G. Two approximations of the posterior by independent normal numbers exchange what
 * each of them adds to the other (Minka 2001; with one variance for all pixels, and G's
 * eigenvectors, as vector approximate message passing: Rangan, Schniter and Fletcher 2019,
 * algorithm 1), from r ~ N (z, 1 / gamma) on:
 *   pixels      z' = e tanh (gamma e r), of variance a = mean e^2 - z'^2;
 *               message y = (z' / a - gamma r) s, of variance s = 1 / (1 / a - gamma)
 *   images      z'' = q + t G (t G + s I)^-1 (y - q), of variance b = mean t g s / (t g + s);
 *               r = (z'' / b - y / s) / gamma, gamma = 1 / b - 1 / s
 * r moves by DAMPING of the way. With G + ridge I in place of G: a large ridge first, under which
 * pixels know little of one another and signs stay soft, then smaller ones, as in annealing.
 * Noise of variance n that was added to every number under the mask makes t g + n of t g.
 * y is an observation of z that does not know q: what else is in the mixture can be looked for in
 * it as if there were no mask, with s as noise. */
#pragma once

#include "attacks/whitened/image-prior.h"

#define MASK_SIGNS_PANEL 64

/* A panel of mixtures, rows, in units of the prior. `features` are coordinates in its basis. */
typedef struct {
  const ImagePrior *prior;
  gsize count;      /* at most MASK_SIGNS_PANEL */
  gboolean is_open; /* there is no mask: z is known */
  float ridge;
  float added;      /* n, 0 where nothing was */
  float *mixtures;  /* e; without a mask z */
  float *expected;  /* z' */
  float *message;   /* y */
  float *features;  /* of y - m */
  float *known;     /* of q - m */
  float *cavity;    /* r */
  float *room;      /* three rows for each of the panel */
  double *spread;   /* t of each */
  double *noise;    /* s */
  double *sureness; /* gamma */
} MaskSigns;

/* Its arrays are the arena's. */
gboolean mask_signs_init (const ImagePrior *prior, gboolean is_open, AssayArena *arena,
                          MaskSigns *ret_signs, GError **error);

/* Takes on @mixtures, at most MASK_SIGNS_PANEL. */
void mask_signs_open (MaskSigns *signs, AssayView mixtures);
/* m + the images that have these @features (count x d). */
void mask_signs_pixels (const MaskSigns *signs, const float *features, float *ret_pixels);

/* Forgets all messages: r = q. */
void mask_signs_forget (MaskSigns *signs);
/* The step of pixels. */
void mask_signs_observe (MaskSigns *signs);
/* The step of images; in @ret_evidence (count; NULL: not wanted) the logarithm of the probability
 * of e that the fixed point stands for, up to a constant. */
void mask_signs_expect (MaskSigns *signs, double *ret_evidence);
