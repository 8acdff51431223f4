/* Small nonlinear least squares: Levenberg and Marquardt (Hartley and Zisserman 2004, appendix
 * 6.2). */
#pragma once

#include <glib.h>

#define MAX_UNKNOWNS 8
#define MAX_LEAST_SQUARES_NUMBERS 12

typedef struct {
  gconstpointer data;
  gsize unknowns;
  gsize numbers; /* of a model, which may be more than it has freedom */
  /* The sum of squares r'r. With @gram (J'J, unknowns x unknowns, its lower triangle) and @slope
   * (J'r), which arrive zero, these too. */
  double (*sum) (gconstpointer data, const double *model, double *gram, double *slope);
  /* @model less @change of the unknowns. */
  void (*change) (const double *model, const double *change, double *ret_model);
} LeastSquares;

/* Moves @model to a minimum nearby, by at most 20 steps; the sum never grows. FALSE, and @model
 * unchanged, where the sum is not finite at the start. */
gboolean least_squares_improve (const LeastSquares *problem, double *model);
