/* The attacks on affine lifting as LDP-FEAT (section 4.1) words them: one secret at a time, every
 * distance by its definition, in double. */
#pragma once

#include "core/search/scan.h"

G_BEGIN_DECLS

typedef struct {
  double *estimate; /* d */
  gsize *adversarial;
  gsize n_adversarial;
  /* How clear the choices were: the smallest gap between the distance or score of the last that was
   * taken and the first that was not. Float32 may decide otherwise where it is small. */
  double margin;
} NaiveGuess;

void naive_guess_clear (NaiveGuess *guess);
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (NaiveGuess, naive_guess_clear)

/* x := t + sum_i (b_i . (x - t)) b_i */
void naive_project (const AssaySubspaces *subspaces, gsize index, double *inout_x);

/* argmin over the @count rows z of dist (z, D), projected onto D with @project. */
NaiveGuess naive_nearest_attack (const AssaySubspaces *subspaces, gsize index, const float *rows,
                                 gsize count, gboolean project);

/* |V| = neighbours, |U| = averaged; is_ratio: scores are divided by the distance from D. */
typedef struct {
  gsize n_adversarial, neighbours, averaged;
  gboolean is_ratio;
} NaiveDatabase;

/* Steps 1 to 3. */
NaiveGuess naive_database_attack (const AssaySubspaces *subspaces, gsize index, const float *rows,
                                  gsize count, const NaiveDatabase *settings);

G_END_DECLS
