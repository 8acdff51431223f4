/* Levenberg and Marquardt. */
#include "metrics/matching/least-squares.h"

#include <math.h>
#include <string.h>

#include "core/math/linalg.h"

#define MAX_STEPS 20

/* One step with growing damping until the sum is less; FALSE: it cannot be made less. */
static gboolean
step (const LeastSquares *problem, double *model, double *sum, double *damping)
{
  const gsize n = problem->unknowns;
  double gram[MAX_UNKNOWNS * MAX_UNKNOWNS] = { 0 }, slope[MAX_UNKNOWNS] = { 0 };

  problem->sum (problem->data, model, gram, slope);
  for (; *damping < 1e6; *damping *= 10) {
    double damped[MAX_UNKNOWNS * MAX_UNKNOWNS], change[MAX_UNKNOWNS];
    double moved[MAX_LEAST_SQUARES_NUMBERS], moved_sum;

    memcpy (damped, gram, n * n * sizeof (double));
    memcpy (change, slope, n * sizeof (double));
    for (gsize j = 0; j < n; j++)
      damped[(n + 1) * j] *= 1 + *damping;
    if (!assay_linalg_solve_spd (n, 1, damped, change, NULL))
      continue;
    problem->change (model, change, moved);
    moved_sum = problem->sum (problem->data, moved, NULL, NULL);
    if (moved_sum < *sum) {
      memcpy (model, moved, problem->numbers * sizeof (double));
      *sum = moved_sum;
      *damping /= 10;
      return TRUE;
    }
  }
  return FALSE;
}

gboolean
least_squares_improve (const LeastSquares *problem, double *model)
{
  double sum = problem->sum (problem->data, model, NULL, NULL), damping = 1e-4;

  if (!isfinite (sum))
    return FALSE;
  for (gsize i = 0; i < MAX_STEPS; i++) {
    const double before = sum;

    if (!step (problem, model, &sum, &damping) || before - sum <= 1e-12 * before)
      break;
  }
  return TRUE;
}
