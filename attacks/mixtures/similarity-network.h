/* A similarity that is learned: of two images, left and right, whether the one has something of the
 * other in it (InstaHide, Huang, Song, Li and Arora 2020, section 5.3; Carlini et al. 2020).
 *
 * Each side has a network of convolutions of its own, of x, |x| and x^2; with f and g what they
 * give, in c channels of q pixels,
 *
 *   logit p (left, right) = b + sum_c w_c mean_q f_c (left) g_c (right),
 *
 * so that N x M pairs are N + M images through a network and one product of matrices. It is trained
 * on pairs, one in two of which belong together, by the logistic loss. */
#pragma once

#include "core/base/rng.h"
#include "core/data/exchange.h"
#include "core/network/tape.h"

typedef struct {
  const float *const *left;
  gsize n_left;
  const float *const *right;
  gsize n_right;
  const gsize (*ranges)[2]; /* right images that a left one is compared with: first, end */
  /* Pairs that belong together, left << 32 | right, ascending, each once. */
  const guint64 *linked;
  gsize n_linked;
  AssayGeometry geometry;
} SimilarityPairs;

typedef struct {
  gsize width;  /* channels at full size; a multiple of 8 */
  gsize levels; /* how often images are halved before they are compared, and channels doubled */
  gsize pairs;  /* in an epoch */
  gsize epochs;
  double rate;
} SimilarityTraining;

/* Below it no image is halved. */
#define SIMILARITY_LEAST_SIDE 4

typedef enum { SIMILARITY_LEFT, SIMILARITY_RIGHT } SimilaritySide;

typedef struct _SimilarityNetwork SimilarityNetwork;

/* The pairs of the last tenth of the left images that have any are held out; the weights of the
 * epoch that was best there are kept. ASSAY_ERROR_MISMATCH where there are not enough pairs. */
SimilarityNetwork *similarity_network_new (const SimilarityTraining *training,
                                           const SimilarityPairs *pairs, AssayStreamKey key,
                                           GError **error);
ASSAY_DECLARE_FREE (SimilarityNetwork, similarity_network_free)

/* How many numbers an image becomes, of which inner products are scores but for b. */
gsize similarity_network_numbers (const SimilarityNetwork *network);
/* @images: n rows as they are released; @ret_numbers: n x these. */
gboolean similarity_network_see (const SimilarityNetwork *network, SimilaritySide side,
                                 AssayView images, float *ret_numbers, GError **error);

/* What @guess says: what the network learned from, and of how many held-out pairs it is right. The
 * guess is not sure of itself where training diverged. */
void similarity_network_tell (const SimilarityNetwork *network, AssayGuess *guess);

/* What training takes. */
AssayTapeSize similarity_network_size (const SimilarityTraining *training,
                                       const AssayGeometry *geometry);
