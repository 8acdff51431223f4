/* hashnet: hashing by continuation. Numbers h = tanh (beta u) come nearer to bits as beta rises in
 * training, beta = sqrt (1 + 0.005 step). Two rows are of one class with probability
 * 1 / (1 + exp -alpha h_i' h_j), and pairs of one class, which are few, weigh as much as others:
 *   mean over pairs w_ij (ln (1 + exp alpha h_i' h_j) - alpha s_ij h_i' h_j)
 * with w = 1 / share of similar pairs, and 1 / share of the others.
 * Source: Cao, Long, Wang and Yu 2017, "HashNet: Deep Learning to Hash by Continuation", equations
 * 2 to 5; alpha = 10 / c and the rise of beta are those of the authors' program, where beta rises
 * every 200 steps and here in each. Of rows with several labels the paper also weighs a pair by the
 * share that they have in common; here those that share one weigh the same. */
#include <math.h>

#include "defenses/codes/deep-hash.h"

static double
rise (gsize step)
{
  return sqrt (1 + 0.005 * (double) step);
}

static double
compare (const DeepBatch *batch, double *inout_products)
{
  const double alpha = 10 / (double) batch->bits;
  double sum = 0;

  for (gsize i = 0; i < batch->count; i++)
    for (gsize j = 0; j < batch->count; j++) {
      double *product = inout_products + i * batch->count + j;
      const double theta = alpha * *product, alike = deep_are_alike (batch, i, j);
      const double weight = 1 / (alike > 0 ? batch->similar : 1 - batch->similar);
      double slope;

      if (i == j) {
        *product = 0;
        continue;
      }
      sum += weight * (deep_softplus (theta, &slope) - alike * theta);
      *product = weight * alpha * (slope - alike);
    }
  return sum;
}

const DeepLoss hashnet_loss = { .rise = rise, .pairs = compare };

AssayHashFunction *
hashnet_learn (const HashTraining *training, const HashSettings *settings, GError **error)
{
  return deep_hash_learn (training, settings, &hashnet_loss, error);
}

DEEP_DEFENSE (hashnet, "hashnet", HASH_HASHNET,
              .summary = "Hash codes by a network whose outputs approach bits as it is trained",
              .reference = { "Cao, Long, Wang and Yu 2017, HashNet: Deep Learning to Hash by "
                             "Continuation",
                             "equations 2 to 5" });
