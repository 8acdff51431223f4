/* Inner products of released mixtures with public images (core/search/search.h), and among
 * themselves: what the attacks on mixed images score by (InstaHide, Huang, Song, Li and Arora 2020,
 * sections 2.1, 2.2 and 9). What is compared are features (mixture-space.h).
 *
 * Public images are streamed from where they lie, unless P is learned from them, or most of them
 * are to be ranked and their features take no more than 1 GiB: these are held. Scores are panels of
 * matrix products, each at most MIXTURE_PANEL_BYTES a thread. No N x N matrix is ever held. All
 * results are the same to the bit for any number of threads. */
#pragma once

#include "attacks/mixtures/mixture-space.h"

#define MIXTURE_PANEL_BYTES ((gsize) 64 << 20)

/* The images of a release; all @rows in the scale of the release; both as new matrices. */
AssayMatrix *mixture_images (const AssayRelease *release, GError **error);
AssayMatrix *mixture_public (const AssayRelease *release, const AssayRows *rows, GError **error);
/* From the least pixel to the greatest, the range that SSIM is told; 1 where they are equal. */
double mixture_range (AssayView images);

/* The setting `keep` of an attack of the game link. */
#define MIXTURE_PARAMETER_KEEP(Struct)                                                             \
  ASSAY_PARAM_INT (Struct, keep, 0, 0, 100000000, "public images",                                 \
                   "Candidates named for each mixture; 0: all, so that every rank is known")

/* How many of @n_public that is. */
static inline gsize
mixture_keep (gint64 keep, gsize n_public)
{
  return keep == 0 ? n_public : MIN ((gsize) keep, n_public);
}

/* Takes over @candidates, n x @keep, into the guess. */
void mixture_take_candidates (AssayGuess *ret_guess, gsize n, gsize keep, gint64 *candidates);

/* The game link by one space for all: ranks every public image for every mixture and adds the first
 * @keep (0: all of them) to the guess as `candidates`. */
gboolean mixture_link (const MixtureOptions *options, gint64 keep, const AssayObservation *seen,
                       AssayGuess *ret_guess, GError **error);

/* The @keep best public images of each of @inout_images, which become features, n x @keep: those of
 * the public set are held. */
gboolean mixture_rank_public (const MixtureOptions *options, const AssayObservation *seen,
                              AssayMatrix *inout_images, gsize keep, gint64 *ret_rows,
                              GError **error);

/* For each of the queries the @keep (>= 1) rows of @set with the largest inner products, best
 * first, equal ones in row order. */
gboolean mixture_rank (AssayView queries, AssayView set, gsize keep, gint64 *ret_rows,
                       GError **error);

/* The same of scores that are there already, n x m. */
gboolean mixture_order (const float *scores, gsize n, gsize m, gsize keep, gint64 *ret_rows,
                        GError **error);

/* <left_i, right_j> of all i < j, packed by rows: n (n - 1) / 2 numbers. */
gboolean mixture_pair_products (AssayView left, AssayView right, float *ret_scores, GError **error);

/* What an attack by these scores holds: features of both, and under `whiten` the covariance; its
 * panels, and for each thread the order of the public rows. */
#define MIXTURE_HOLDS                                                                              \
  .holds = { .items = 2,                                                                           \
             .publics = 2,                                                                         \
             .columns = 5,                                                                         \
             .columns_under = "whiten",                                                            \
             .per_thread = MIXTURE_PANEL_BYTES }

/* How many images are in each mixture: @own, the attack's setting, unless that is 0; else what the
 * release says, or @usual where it says nothing. ASSAY_ERROR_MISMATCH where it is withheld: then
 * the attack should have been told by the setting @instead. */
gboolean mixture_find_k (const AssayRelease *release, gint64 own, gint64 usual, const char *instead,
                         gint64 *ret_k, GError **error);

/* An attack of the game link by one space for all: the settings in Struct, among them `keep`,
 * are what options_of () makes features by. */
#define MIXTURE_LINK_ATTACK(symbol, name, Struct, ...)                                             \
  static gboolean attack (const AssayAttackContext *context, const AssayObservation *seen,         \
                          AssayGuess *ret_guess, GError **error)                                   \
  {                                                                                                \
    const Struct *settings = context->settings;                                                    \
    const MixtureOptions options = options_of (settings);                                          \
    return mixture_link (&options, settings->keep, seen, ret_guess, error);                        \
  }                                                                                                \
  ASSAY_ATTACK (symbol, name, MIXTURE_HOLDS, .reads = ASSAY_RELEASE_MIXTURES,                      \
                .needs = ASSAY_GRANT_PUBLIC, .game = ASSAY_GAME_LINK, .attack = attack,            \
                __VA_ARGS__)
