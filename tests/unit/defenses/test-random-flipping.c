/* Random Flipping: how often bits are turned, and by which numbers. Rates are of independent bits:
 * a share of n of them is off by more than 5 sqrt (p (1 - p) / n) with probability 6e-7. */
#include <string.h>

#include "core/base/error.h"
#include "core/base/parallel.h"
#include "defenses/codes/flipping-mechanism.h"
#include "defenses/codes/random-flipping.h"
#include "tests/unit/assert-near.h"

enum { CODES = 3000 };

static AssayStreamKey
key_of (guint64 trial)
{
  return assay_stream_key (6, trial, "flips", "");
}

/* Random codes, bits beyond the last 0. */
static AssayArray *
random_codes (gsize bits)
{
  const gsize bytes = assay_code_bytes (bits);
  AssayStream stream = assay_stream (key_of (99), 0);
  guint8 *data = g_new0 (guint8, CODES * bytes);

  for (gsize i = 0; i < CODES; i++)
    for (gsize j = 0; j < bits; j++)
      data[i * bytes + j / 8] |= (guint8) (assay_stream_below (&stream, 2) << (j % 8));
  return assay_array_take (ASSAY_UINT8, 2, (const gsize[]){ CODES, bytes }, data);
}

static gboolean
is_turned (const AssayArray *before, const AssayArray *after, gsize row, gsize bit)
{
  const gsize bytes = before->shape[1];

  return assay_code_bit (before->data + row * bytes, bit)
         != assay_code_bit (after->data + row * bytes, bit);
}

Test (random_flipping, rate_of_every_bit)
{
  static const gsize lengths[] = { 1, 12, 64, 65, 130 };
  static const double betas[] = { 0.001, 0.25, 0.5, 0.9, 0.999 };

  for (gsize l = 0; l < G_N_ELEMENTS (lengths); l++)
    for (gsize b = 0; b < G_N_ELEMENTS (betas); b++) {
      const gsize bits = lengths[l];
      const double beta = betas[b], variance = beta * (1 - beta);
      g_autoptr (AssayArray) codes = random_codes (bits);
      g_autoptr (AssayArray) turned
          = random_flipping_apply (codes, bits, beta, key_of (l * 10 + b), NULL);
      double total = 0;

      for (gsize j = 0; j < bits; j++) {
        double share = 0;

        for (gsize i = 0; i < CODES; i++)
          share += is_turned (codes, turned, i, j);
        total += share;
        /* One of 272 bits and 5 betas; a rare count has longer tails: 3 more of it. */
        assert_near (share / CODES, beta, 6 * sqrt (variance / CODES) + 3.0 / CODES,
                     "%zu bits, beta %g, bit %zu", bits, beta, j);
      }
      assert_near (total / (double) (CODES * bits), beta,
                   5 * sqrt (variance / (double) (CODES * bits)) + 3.0 / CODES, "%zu bits, %g",
                   bits, beta);
      for (gsize i = 0; i < CODES; i++)
        for (gsize j = bits; j < 8 * assay_code_bytes (bits); j++)
          cr_assert (!is_turned (codes, turned, i, j), "%zu bits: bit %zu", bits, j);
    }
}

/* Neighbouring bits, and the same bit of neighbouring codes, are turned both with probability
 * beta^2. */
Test (random_flipping, bits_are_independent)
{
  const double beta = 0.3, both = beta * beta;
  const gsize bits = 48;
  g_autoptr (AssayArray) codes = random_codes (bits);
  g_autoptr (AssayArray) turned = random_flipping_apply (codes, bits, beta, key_of (7), NULL);
  double in_code = 0, across = 0;

  for (gsize i = 0; i + 1 < CODES; i += 2)
    for (gsize j = 0; j + 1 < bits; j += 2) {
      in_code += is_turned (codes, turned, i, j) && is_turned (codes, turned, i, j + 1);
      across += is_turned (codes, turned, i, j) && is_turned (codes, turned, i + 1, j);
    }
  assert_near (in_code / (CODES / 2 * 24), both, 5 * sqrt (both / (CODES / 2 * 24)), "in a code");
  assert_near (across / (CODES / 2 * 24), both, 5 * sqrt (both / (CODES / 2 * 24)), "across");
}

Test (random_flipping, nothing_at_0_and_nothing_outside)
{
  static const double bad[] = { 1, 1.5, -0.1, NAN };
  g_autoptr (AssayArray) codes = random_codes (20);
  g_autoptr (AssayArray) same = random_flipping_apply (codes, 20, 0, key_of (1), NULL);

  cr_assert (memcmp (codes->data, same->data, CODES * 3) == 0);
  for (gsize b = 0; b < G_N_ELEMENTS (bad); b++) {
    g_autoptr (GError) error = NULL;

    cr_assert_null (random_flipping_apply (codes, 20, bad[b], key_of (1), &error));
    cr_assert (g_error_matches (error, ASSAY_ERROR, ASSAY_ERROR_PARAMETER));
    cr_assert_not_null (strstr (error->message, "expected at least 0 and less than 1"), "%s",
                        error->message);
  }
}

Test (random_flipping, signs_are_turned_as_bits_are)
{
  const gsize bits = 100;
  g_autoptr (AssayArray) codes = random_codes (bits);
  g_autoptr (AssayArray) turned = random_flipping_apply (codes, bits, 0.4, key_of (3), NULL);

  for (gsize i = 0; i < CODES; i += 500) {
    AssayStream stream = assay_stream (key_of (3), i);
    float signs[100];

    for (gsize j = 0; j < bits; j++)
      signs[j] = 1;
    random_flipping_signs (0.4, &stream, bits, signs);
    for (gsize j = 0; j < bits; j++)
      cr_assert (signs[j] == (is_turned (codes, turned, i, j) ? -1 : 1), "row %zu, bit %zu", i, j);
  }
}

Test (random_flipping, same_for_any_number_of_threads)
{
  g_autoptr (AssayArray) codes = random_codes (70);
  AssayArray *turned[2];

  for (guint t = 0; t < 2; t++) {
    assay_parallel_set_threads (t == 0 ? 1 : 3);
    turned[t] = random_flipping_apply (codes, 70, 0.5, key_of (5), NULL);
  }
  cr_assert (memcmp (turned[0]->data, turned[1]->data, CODES * 9) == 0);
  assay_array_free (turned[0]);
  assay_array_free (turned[1]);
}

/* What flipping a bit with these chances has: |ln ((1 - beta) / beta)|. */
static double
epsilon_of (FlippingCalibration calibration, double epsilon)
{
  double kept, turned;

  flipping_chances (calibration, epsilon, &kept, &turned);
  return fabs (log (kept / turned));
}

/* At beta = e^-epsilon a bit has |ln (e^epsilon - 1)|: by hand 1.2587 at 0.25, 0.4328 at 0.5,
 * 0.5413 at 1, and 0 at ln 2. */
Test (random_flipping, epsilons)
{
  double kept, turned;

  assert_near (epsilon_of (FLIPPING_PAPER, 0.25), 1.2587, 5e-5, "0.25");
  assert_near (epsilon_of (FLIPPING_PAPER, 0.5), 0.4328, 5e-5, "0.5");
  assert_near (epsilon_of (FLIPPING_PAPER, 1), 0.5413, 5e-5, "1");
  assert_near (epsilon_of (FLIPPING_PAPER, G_LN2), 0, 1e-15, "ln 2");
  assert_near (epsilon_of (FLIPPING_RANDOMISED_RESPONSE, 3), 3, 1e-13, "3");
  flipping_chances (FLIPPING_PAPER, 4 / 50.0, &kept, &turned);
  assert_near (turned, exp (-0.08), 1e-16, "50 iterations");
}
