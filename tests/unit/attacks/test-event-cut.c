/* The cut of scores at which an event promises the largest epsilon, against all cuts. */
#include <criterion/criterion.h>
#include <float.h>
#include <math.h>

#include "attacks/mechanisms/event-cut.h"
#include "core/stats/binomial.h"
#include "core/stats/epsilon.h"
#include "core/stats/interval.h"
#include "tests/unit/assert-near.h"

/* The best of all cuts of few scores, each judged from the definition. */
static double
naive_promise (const double *first, const double *second, gsize n, guint64 runs, double delta)
{
  double best = 0;

  for (gsize k = 0; k < 2 * n; k++) {
    const double t = k < n ? first[k] : second[k - n];
    double x = 0, y = 0;

    for (gsize i = 0; i < n; i++) {
      x += first[i] >= t;
      y += second[i] >= t;
    }
    for (guint side = 0; side < 2; side++) {
      const double hits = side == 0 ? x : (double) n - y;
      const double mistakes = side == 0 ? y : (double) n - x;
      const double p = assay_binomial_lower (hits, (double) n, 0.025);
      const double q = assay_binomial_upper (mistakes, (double) n, 0.025);
      const AssayAudit audit = { .delta = delta,
                                 .runs = runs,
                                 .hits = (guint64) (p * (double) runs),
                                 .mistakes = (guint64) ceil (q * (double) runs) };

      best = fmax (best, assay_epsilon_lower (&audit, 0.05));
    }
  }
  return best;
}

Test (event_cut, cut_is_the_best_of_all)
{
  enum { N = 120 };

  for (guint64 trial = 0; trial < 40; trial++) {
    AssayStream stream = assay_stream (assay_stream_key (trial, 0, "cuts", ""), 0);
    const double shift = 0.5 * (double) (trial % 6), delta = trial % 2 == 0 ? 0 : 0.1;
    const guint64 runs = trial % 3 == 0 ? 100 : 100000;
    double first[N], second[N], expected;
    EventCut cut;

    for (gsize i = 0; i < N; i++) {
      first[i] = assay_stream_normal (&stream) + shift;
      second[i] = assay_stream_normal (&stream);
      if (trial % 4 == 3) { /* atoms */
        first[i] = round (first[i]);
        second[i] = round (second[i]);
      }
    }
    expected = naive_promise (first, second, N, runs, delta);
    cut = event_cut_choose (first, second, N, runs, delta);
    assert_near (cut.bound, expected, 1e-12, "trial %d", (int) trial);
  }
}

/* 10^5 scores have too many cuts to try them all; those that are tried miss little. The shares of
 * N (1, 1) against N (0, 1) above t are known, so is the best bound at such shares. */
Test (event_cut, cut_of_many_scores)
{
  enum { N = 100000 };
  AssayStream stream = assay_stream (assay_stream_key (1, 0, "many cuts", ""), 0);
  g_autofree double *first = g_new (double, N);
  g_autofree double *second = g_new (double, N);
  double best = 0, found;
  EventCut cut;

  for (gsize i = 0; i < N; i++) {
    first[i] = assay_stream_normal (&stream) + 1;
    second[i] = assay_stream_normal (&stream);
  }
  cut = event_cut_choose (first, second, N, N, 0);
  for (double t = 0; t < 5; t += 0.01) {
    const double p = erfc ((t - 1) / sqrt (2)) / 2, q = erfc (t / sqrt (2)) / 2;
    const AssayAudit audit
        = { .runs = N, .hits = (guint64) (p * N), .mistakes = (guint64) ceil (q * N) };

    best = fmax (best, assay_epsilon_lower (&audit, 0.05));
  }
  /* What the chosen threshold is worth, by the known shares; by symmetry of either direction. */
  {
    const double t = cut.is_swapped ? 1 - cut.threshold : cut.threshold;
    const AssayAudit audit = { .runs = N,
                               .hits = (guint64) (erfc ((t - 1) / sqrt (2)) / 2 * N),
                               .mistakes = (guint64) ceil (erfc (t / sqrt (2)) / 2 * N) };

    found = assay_epsilon_lower (&audit, 0.05);
  }
  cr_assert (found >= 0.97 * best, "%g of %g at %g", found, best, cut.threshold);
}

/* Scores that differ by rounding are one atom; those that only one side has lie far out. */
Test (event_cut, cuts_lie_between_atoms)
{
  double first[] = { 1, 1 + 1e-15, 1 - 1e-15, 1 + 2e-15, DBL_MAX, DBL_MAX, 1, 1, DBL_MAX, DBL_MAX };
  double second[] = { 1, 1 - 2e-15, 1, 1, 1, 1, 1 + 1e-15, 1, 1, 1 };
  double same[] = { 3, 3, 3 }, again[] = { 3, 3, 3 };
  EventCut cut = event_cut_choose (first, second, 10, 1000, 0);

  assert_near (cut.threshold, 2, 1e-9, "between 1 and infinity");
  cr_assert (!cut.is_swapped && cut.evidence > 0);
  cut = event_cut_choose (same, again, 3, 1000, 0);
  cr_assert (cut.threshold == -DBL_MAX && cut.bound == 0);
}
