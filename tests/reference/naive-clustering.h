/* The clustering attack as LDP-FEAT (section 4.2) words it, one secret at a time, and the distance
 * of two affine subspaces by the singular values of their stacked bases. In double. */
#pragma once

#include "core/base/rng.h"
#include "tests/reference/naive-attacks.h"

G_BEGIN_DECLS

/* ||(I - P)(t_a - t_b)||, P the projector onto the left singular vectors of [B_a; B_b]' with
 * singular values over @cut. */
double naive_intersection_distance (const AssaySubspaces *subspaces, gsize a, gsize b, double cut);

typedef struct {
  gsize neighbours, clusters, rounds, starts;
  gboolean is_farthest_first; /* in place of random starts */
} NaiveClustering;

/* Steps 1 to 4 for the secret with number @index, with the @n_meeting others of @meeting as Q'.
 * The margin is also over the gaps within V, whose order decides what k-means draws. */
NaiveGuess naive_clustering_attack (const AssaySubspaces *subspaces, gsize index, const float *rows,
                                    gsize count, const NaiveClustering *settings,
                                    AssayStreamKey key, const gsize *meeting, gsize n_meeting);

G_END_DECLS
