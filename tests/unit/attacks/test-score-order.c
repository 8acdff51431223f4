/* The order of scores against a naive one, for scores that suit the fast sort and that do not. */
#include <criterion/criterion.h>
#include <math.h>
#include <stdlib.h>

#include "attacks/mixtures/score-order.h"
#include "core/base/rng.h"

static int
compare (const void *a, const void *b, void *data)
{
  const float *scores = data;
  const gint64 x = *(const gint64 *) a, y = *(const gint64 *) b;

  if (scores[x] != scores[y])
    return scores[x] > scores[y] ? -1 : 1;
  return (x > y) - (x < y);
}

static void
check (const float *scores, gsize n, const char *says)
{
  const gsize keeps[] = { 1, 1 + n / 3, n - n / 7, n };
  g_autofree gint64 *naive = g_new (gint64, n);
  g_autofree gint64 *rows = g_new (gint64, n);
  g_autofree guint64 *words = g_new (guint64, 2 * n);

  for (gsize j = 0; j < n; j++)
    naive[j] = (gint64) j;
  qsort_r (naive, n, sizeof *naive, compare, (void *) scores);
  for (gsize i = 0; i < G_N_ELEMENTS (keeps); i++) {
    for (gsize j = 0; j < n; j++)
      rows[j] = -1;
    score_order (scores, n, keeps[i], words, rows);
    for (gsize k = 0; k < n; k++)
      cr_assert (rows[k] == (k < keeps[i] ? naive[k] : -1),
                 "%s: %zu scores, %zu kept: place %zu has row %" G_GINT64_FORMAT
                 ", expected %" G_GINT64_FORMAT,
                 says, n, keeps[i], k, rows[k], naive[k]);
  }
}

/* Sizes on both sides of powers of two, of vectors and of what the fast sort takes. */
static const gsize sizes[] = { 1, 2, 3, 8, 9, 100, 4096, 4097, 10000, 16384, 16385, 40000 };

Test (score_order, of_normal_scores)
{
  for (gsize s = 0; s < G_N_ELEMENTS (sizes); s++) {
    AssayStream stream = assay_stream (assay_stream_key (1, 0, "test", "score-order"), s);
    g_autofree float *scores = g_new (float, sizes[s]);

    for (gsize j = 0; j < sizes[s]; j++)
      scores[j] = (float) assay_stream_normal (&stream);
    check (scores, sizes[s], "normal");
  }
}

/* Whole numbers: many equal scores, in and across the last place that is kept. */
Test (score_order, of_equal_scores)
{
  for (gsize s = 0; s < G_N_ELEMENTS (sizes); s++)
    for (guint distinct = 1; distinct < 3000; distinct *= 13) {
      g_autofree float *scores = g_new (float, sizes[s]);

      for (gsize j = 0; j < sizes[s]; j++)
        scores[j] = (float) (j * 7919 % distinct) - 100;
      check (scores, sizes[s], "equal");
    }
}

/* One score far above makes one step of all others, which differ by their last bits. */
Test (score_order, of_scores_beside_one_far_away)
{
  for (gsize s = 0; s < G_N_ELEMENTS (sizes); s++) {
    g_autofree float *scores = g_new (float, sizes[s]);

    for (gsize j = 0; j < sizes[s]; j++)
      scores[j] = 1 + 0x1p-23f * (float) (j * 1237 % sizes[s]);
    scores[sizes[s] / 2] = 1e30f;
    check (scores, sizes[s], "far away");
  }
}

/* Signs, zeros of both signs, subnormal numbers, and a range that is none. */
Test (score_order, of_extreme_scores)
{
  static const float extremes[]
      = { 0,          -0.0f,    1e-45f,    -1e-45f, G_MAXFLOAT, -G_MAXFLOAT,  1e38f,  -1e38f,
          G_MINFLOAT, INFINITY, -INFINITY, 1,       -1,         1 + 0x1p-23f, 1e-45f, 0 };
  const gsize n = G_N_ELEMENTS (extremes);

  check (extremes, n, "extreme");
  for (gsize j = 0; j < n; j++)
    check (extremes + j, n - j, "the last of the extreme");
  check (extremes, 4, "subnormal");
}
