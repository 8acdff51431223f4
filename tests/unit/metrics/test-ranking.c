/* Expectations of rankings with ties, against orders that are gone through one by one and
 * closed forms. */
#include <criterion/criterion.h>

#include "metrics/retrieval/ranking.h"
#include "tests/reference/naive-retrieval.h"
#include "tests/unit/assert-near.h"
#include "tests/unit/metrics/ranking-counts.h"

Test (ranking, expectations_are_means_over_all_orders)
{
  enum { MOST = 8, BITS = 3, CASES = 60 };

  for (guint64 c = 0; c < CASES; c++) {
    AssayStream stream = assay_stream (retrieval_key (1), c);
    const gsize n = 1 + assay_stream_below (&stream, MOST);
    const gsize n_distances = 1 + assay_stream_below (&stream, BITS + 1);
    gsize distances[MOST];
    gboolean relevant[MOST];
    guint32 items[BITS + 1], relevant_items[BITS + 1];
    Ranking ranking;

    for (gsize i = 0; i < n; i++) {
      distances[i] = assay_stream_below (&stream, n_distances);
      relevant[i] = assay_stream_below (&stream, 2) == 1;
    }
    relevant[n / 2] = TRUE;
    ranking = retrieval_count (distances, relevant, n, BITS, items, relevant_items);
    for (gsize k = 1; k <= n; k++) {
      const NaiveRetrieval naive = naive_retrieval_of_all_orders (distances, relevant, n, k);
      const double found = ranking_found (&ranking, k);

      assert_near (ranking_average_precision (&ranking), naive.map, 1e-12, "case %d", (int) c);
      assert_near (ranking_average_precision_at (&ranking, k), naive.map_at_k, 1e-12,
                   "case %d at %zu", (int) c, k);
      assert_near (found / (double) k, naive.precision, 1e-12, "case %d at %zu", (int) c, k);
      assert_near (found / (double) ranking_relevant (&ranking), naive.recall, 1e-12,
                   "case %d at %zu", (int) c, k);
    }
    assert_near (naive_expected_map (distances, relevant, n),
                 naive_retrieval_of_all_orders (distances, relevant, n, 1).map, 1e-12, "case %d",
                 (int) c);
  }
}

/* One relevant item in a tie of n: H(n) / n; only relevant ones: 1. Both to the last places, with
 * H(n) added up from its small end. */
Test (ranking, long_ties_lose_no_digits)
{
  static const guint32 sizes[] = { 1, 2, 31, 32, 33, 1000, 1000000 };

  for (gsize i = 0; i < G_N_ELEMENTS (sizes); i++) {
    const guint32 n = sizes[i], one = 1;
    const guint32 behind_items[] = { 1000000, n }, behind[] = { 0, 1 };
    const Ranking single = { .bits = 0, .items = &n, .relevant = &one };
    const Ranking full = { .bits = 0, .items = &n, .relevant = &n };
    const Ranking late = { .bits = 1, .items = behind_items, .relevant = behind };
    long double sum = 0, sum_behind = 0;

    for (guint32 j = n; j >= 1; j--) {
      sum += 1 / (long double) j;
      sum_behind += 1 / (1000000 + (long double) j);
    }
    assert_near (ranking_average_precision (&single) / (double) (sum / n), 1, 1e-14, "%u", n);
    assert_near (ranking_average_precision (&full), 1, 1e-14, "%u", n);
    assert_near (ranking_average_precision (&late) / (double) (sum_behind / n), 1, 1e-12, "%u", n);
    assert_near (ranking_average_precision_at (&full, (n + 1) / 2), 1, 1e-14, "%u", n);
  }
}

/* C (r, m) C (t - r, s - m) / C (t, s). */
static long double
hypergeometric (guint32 t, guint32 r, guint32 s, guint32 m)
{
  const long double logs[] = { r, m, t - r, s - m, t, s };
  long double sum = 0;

  for (guint i = 0; i < 3; i++) {
    const long double n = logs[2 * i], k = logs[2 * i + 1];

    sum += (i < 2 ? 1 : -1) * (lgammal (n + 1) - lgammal (k + 1) - lgammal (n - k + 1));
  }
  return expl (sum);
}

/* A cut through a tie of 5,000 behind ten items, four of them relevant: the sum over how many
 * relevant ones fall before it, with precisions place by place. */
Test (ranking, cuts_through_long_ties)
{
  static const guint32 cases[][2] = { { 900, 1000 }, { 4990, 100 }, { 3, 4000 }, { 0, 500 } };

  for (gsize c = 0; c < G_N_ELEMENTS (cases); c++) {
    const guint32 r = cases[c][0], s = cases[c][1], t = 5000;
    const guint32 items[] = { 4, 6, t }, relevant[] = { 4, 0, r };
    const Ranking ranking = { .bits = 2, .items = items, .relevant = relevant };
    long double sum = 0;

    for (guint32 m = s + r > t ? s + r - t : 0; m <= MIN (s, r); m++) {
      long double precisions = 4;

      for (guint32 j = 1; j <= s; j++)
        precisions += m / (long double) s * (5 + (m > 0 ? (j - 1) * (m - 1.0L) / (s - 1) : 0))
                      / (10 + (long double) j);
      sum += hypergeometric (t, r, s, m) * precisions / (4 + m);
    }
    assert_near (ranking_average_precision_at (&ranking, 10 + s), (double) sum, 1e-10, "case %zu",
                 c);
  }
}
