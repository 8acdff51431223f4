/* One attempt of mixture-inversion: pairs and weights to start from, then images, public images and
 * pairs in turn. */
#pragma once

#include "attacks/inversion/mixture-parts.h"

typedef struct {
  AssayStreamKey stream;
  guint64 start;             /* random start number of the embedding */
  gsize n_secrets;           /* n */
  gsize n_mixtures;          /* N; the state may have fewer, of an earlier attempt */
  gsize forms;               /* images a secret: 2 where secrets may have been mirrored */
  const float *labels;       /* NULL: none */
  const MixtureParts *parts; /* private parts of the first mixtures; NULL: by squares */
  gint64 matchings; /* with labels and by squares: how often pairs are found from squares */
  gint64 rounds;    /* of public images, secrets and pairs in turn */
  double beaten;    /* what some of the mixtures have to explain; negative: nothing */
} MixturePlay;

/* The state of @intake is made anew, with forms x n images, and without labels if these have
 * nothing to do with its mixtures.
 *
 * By squares: a cold start of everything (below; phase-retrieval.h), signs of pixels from
 * neighbours (sign-tree.h), and then in turn public images, secrets and pairs. By parts: images of
 * which the parts are mixtures, their public images taken over, the same turns with these mixtures
 * alone; of two forms that are not mirror images the surest n are kept (mixture-surplus.h), with
 * turns once more; then the pairs of all others by the squares of the images, and the turns with
 * all. This last, the dearest, is left out where the parts explain no more (mixture-fit.h) than
 * `beaten`: *@ret_is_better is FALSE then, and the state of no use. It is also left out where
 * public images are windows, of which nobody knows those of the others: the state has the first
 * mixtures alone then. */
gboolean mixture_play (const MixturePlay *play, MixtureIntake *intake, gboolean *ret_is_better,
                       GError **error);

typedef struct {
  gsize shift;           /* how far public images were moved at most */
  double least_standing; /* of windows in mixtures (mixture-parts.h), below which nothing is done */
} WindowPlay;

/* Goes on from the images, pairs and weights of the state, which the last attempt has left: round
 * by round windows of public images are found with what is known of the secrets, private parts
 * without these, pairs by the embedding of these parts, and images, until windows stand out in no
 * more mixtures than the round before. The state has the first mixtures alone then.
 * *@ret_is_better is FALSE where too few windows stand out: at all, or in the second round in half
 * of the mixtures, as right windows lead to others and those of another public set do not. */
gboolean mixture_play_windows (const MixturePlay *play, const WindowPlay *windows,
                               MixtureIntake *intake, gboolean *ret_is_better, GError **error);

/* ---- Starts (mixture-start.c) ---- */

#define MIXTURE_LEAST_AGREEMENT 3.0 /* deviations, below which labels count as invented */

/* Pairs, weights and noise of the state from squares of mixtures under the inverse covariance of
 * squared mixtures of public images: their embedding (mixture-embedding.h, with random start number
 * @start of @key), and centres in it (mixture-clusters.h). The state's labels are given up where
 * they have nothing to do with the pairs (mixture-labels.h). */
gboolean mixture_start_squares (AssayStreamKey key, guint64 start, MixtureIntake *intake,
                                GError **error);

/* The same from @parts (mixture-parts.h) of the state's mixtures, under the inverse covariance of
 * public images. */
gboolean mixture_start_parts (AssayStreamKey key, guint64 start, AssayView parts,
                              MixtureIntake *intake, GError **error);
