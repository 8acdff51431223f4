/* dsh: deep supervised hashing. Of rows of one class the squared distance D of their numbers, of
 * others what it is short of m = 2 c, and numbers shall be near -1 or 1:
 *   mean over pairs (s D / 2 + (1 - s) max (m - D, 0) / 2) + alpha mean over rows ||(|u| - 1)||_1
 * Source: Liu, Wang, Shan and Chen 2016, "Deep Supervised Hashing for Fast Image Retrieval",
 * equation 4, with m of twice the bits and alpha = 0.01. There alpha weighs both rows of each pair,
 * which over rows is 2 alpha: of 0.01, as they have it, here is half. */
#include <math.h>

#include "defenses/codes/deep-hash.h"

#define ALPHA 0.01

/* A distance is h_i' h_i + h_j' h_j - 2 h_i' h_j: half its slope goes to either length, as both
 * orders of a pair are there, and minus its slope to the product. */
static double
compare (const DeepBatch *batch, double *inout_products)
{
  const gsize n = batch->count;
  const double margin = 2 * (double) batch->bits;
  g_autofree double *squares = g_new (double, n);
  double sum = 0;

  for (gsize i = 0; i < n; i++)
    squares[i] = inout_products[i * n + i];
  for (gsize i = 0; i < n; i++) {
    double own = 0;

    for (gsize j = 0; j < n; j++) {
      double *product = inout_products + i * n + j;
      const double distance = squares[i] + squares[j] - 2 * *product;
      const gboolean is_alike = deep_are_alike (batch, i, j);
      const double slope = is_alike ? 0.5 : distance < margin ? -0.5 : 0;

      if (i == j)
        continue;
      sum += is_alike ? distance / 2 : MAX (margin - distance, 0) / 2;
      *product = -2 * slope;
      own += 2 * slope;
    }
    inout_products[i * n + i] = own;
  }
  return sum;
}

static double
near_corner (G_GNUC_UNUSED const DeepBatch *batch, double u, double *ret_slope)
{
  const double beyond = fabs (u) - 1;

  *ret_slope = ALPHA * (beyond > 0 ? 1 : -1) * (u > 0 ? 1 : -1);
  return ALPHA * fabs (beyond);
}

const DeepLoss dsh_loss = { .pairs = compare, .number = near_corner };

AssayHashFunction *
dsh_learn (const HashTraining *training, const HashSettings *settings, GError **error)
{
  return deep_hash_learn (training, settings, &dsh_loss, error);
}

DEEP_DEFENSE (dsh, "dsh", HASH_DSH,
              .summary = "Hash codes by a network, by distances within and between classes",
              .reference
              = { "Liu, Wang, Shan and Chen 2016, Deep Supervised Hashing for Fast Image "
                  "Retrieval",
                  "equation 4" });
