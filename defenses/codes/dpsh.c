/* dpsh: deep pairwise-supervised hashing. With theta_ij = u_i' u_j / 2, two rows are of one class
 * with probability 1 / (1 + exp -theta), and numbers shall be near their signs b:
 *   - mean over pairs (s_ij theta_ij - ln (1 + exp theta_ij)) + eta mean (b - u)^2
 * with eta = 0.1.
 * Source: Li, Wang and Kang 2016, "Feature Learning Based Deep Supervised Hashing with Pairwise
 * Labels", equations 2 and 4. Theirs are sums over n rows with eta = 10 for CIFAR-10: of means, as
 * here, that is 10 c / n, 0.064 for 32 bits and 5,000 rows. Their program compares a batch with the
 * last numbers of all training rows; here pairs are those of a batch. */
#include "defenses/codes/deep-hash.h"

#define ETA 0.1

static double
compare (const DeepBatch *batch, double *inout_products)
{
  double sum = 0;

  for (gsize i = 0; i < batch->count; i++)
    for (gsize j = 0; j < batch->count; j++) {
      double *product = inout_products + i * batch->count + j;
      const double theta = *product / 2, alike = deep_are_alike (batch, i, j);
      double slope;

      if (i == j) {
        *product = 0;
        continue;
      }
      sum += deep_softplus (theta, &slope) - alike * theta;
      *product = (slope - alike) / 2;
    }
  return sum;
}

static double
quantise (const DeepBatch *batch, double u, double *ret_slope)
{
  const double gap = u - (u > 0 ? 1 : -1), eta = ETA / (double) batch->bits;

  *ret_slope = 2 * eta * gap;
  return eta * gap * gap;
}

const DeepLoss dpsh_loss = { .pairs = compare, .number = quantise };

AssayHashFunction *
dpsh_learn (const HashTraining *training, const HashSettings *settings, GError **error)
{
  return deep_hash_learn (training, settings, &dpsh_loss, error);
}

DEEP_DEFENSE (dpsh, "dpsh", HASH_DPSH,
              .summary = "Hash codes by a network, by the likelihood that two rows are of one "
                         "class",
              .reference = { "Li, Wang and Kang 2016, Feature Learning Based Deep Supervised "
                             "Hashing with Pairwise Labels",
                             "equations 2 and 4" });
