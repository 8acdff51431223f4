/* Tests of independence.
 *
 * Runs by themselves: three signs of each run (whether the event holds; one bit of a hash of the
 * output, by which noise that comes again is seen whatever it is; whether the sum of the columns is
 * above its median) are compared with those of the run so many later, at every lag. With k_1 and
 * k_2 signs among the n runs that have a partner, the number of pairs that both have it is
 * hypergeometric where runs are independent. All lags are looked at by one Fourier transform; the
 * exact tail is computed where the transform shows more than so many deviations.
 *
 * Runs in panels: counts of the event in 1024 runs vary as binomial ones.
 *
 * Starts: runs from another stream have no more in common with those of the test, at the same
 * place, than with others; and of a program the first runs of starts differ, as runs of a batch do.
 *
 * A constant mechanism has no signs, and nothing to test. */
#include "core/games/independence.h"

#define MATHLIB_STANDALONE 1
#include <Rmath.h>
#include <complex.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/parallel.h"
#include "core/base/vectors.h"

#define LEVEL 1e-7     /* of each of the tests */
#define LEAST_PAIRS 24 /* that a lag is compared by */
#define LOOK_AT 5.0    /* deviations from which the exact tail is computed */
#define MOST_EXACT 64  /* lags for which it is */
#define MOST_OVERDISPERSED 8.0
#define LEAST_PANELS 50
#define LEAST_HITS 1000 /* in all panels together */
#define PROBE_RUNS 1024
#define MOST_STARTS 40 /* of which the first run is looked at */

/* ---- Lags ---- */

/* In place; @n is a power of two, and @roots holds n/2 of its roots of unity. */
static void
transform (double complex *x, gsize n, const double complex *roots)
{
  for (gsize i = 1, j = 0; i < n; i++) {
    gsize bit = n >> 1;

    for (; j & bit; bit >>= 1)
      j ^= bit;
    j ^= bit;
    if (i < j) {
      const double complex kept = x[i];

      x[i] = x[j];
      x[j] = kept;
    }
  }
  for (gsize size = 2; size <= n; size *= 2)
    for (gsize start = 0; start < n; start += size)
      for (gsize k = 0; k < size / 2; k++) {
        const double complex w = roots[k * (n / size)], a = x[start + k];
        const double complex b = x[start + k + size / 2];
        /* Written out: the product of C looks for infinities. */
        const double complex wb = creal (w) * creal (b) - cimag (w) * cimag (b)
                                  + I * (creal (w) * cimag (b) + cimag (w) * creal (b));

        x[start + k] = a + wb;
        x[start + k + size / 2] = a - wb;
      }
}

typedef enum { SIGN_EVENT, SIGN_HASH, SIGN_SUM, N_SIGNS } Sign;

typedef struct {
  double p; /* of the most telling lag, before any correction; 1: none was looked at */
  gsize lag;
} Lag;

typedef struct {
  const AssayRunLog *log;
  gsize size; /* of the transform: twice the runs, up to a power of two */
  const double complex *roots;
  Lag lags[2 * N_SIGNS];
} Lags;

static double
median_of (const double *values, gsize n)
{
  const gsize most = MIN (n, 4096);
  g_autofree double *sorted = g_memdup2 (values, most * sizeof *values);

  for (gsize i = 0; i < most; i++)
    if (isnan (sorted[i]))
      sorted[i] = INFINITY;
  qsort (sorted, most, sizeof *sorted, assay_compare_doubles);
  return sorted[most / 2];
}

static void
find_signs (const AssayRunLog *log, guint side, Sign sign, guint8 *ret_signs)
{
  const double median = median_of (log->sides[side].sums, log->count);

  if (sign == SIGN_EVENT)
    memcpy (ret_signs, log->sides[side].is_event, log->count);
  for (gsize i = 0; sign == SIGN_HASH && i < log->count; i++)
    ret_signs[i] = (guint8) (log->sides[side].hashes[i] & 1);
  for (gsize i = 0; sign == SIGN_SUM && i < log->count; i++)
    ret_signs[i] = !(log->sides[side].sums[i] < median);
}

/* Two-sided, of @both among @first and @second of @n. */
static double
overlap_p_value (gsize both, gsize first, gsize second, gsize n)
{
  const double k = (double) first, m = (double) second, rest = (double) (n - first);
  const double above = both > 0 ? phyper ((double) both - 1, k, rest, m, FALSE, FALSE) : 1;
  const double below = phyper ((double) both, k, rest, m, TRUE, FALSE);

  return fmin (1, 2 * fmin (above, below));
}

static double
lag_p_value (const guint8 *signs, gsize n, gsize lag)
{
  gsize both = 0, first = 0, second = 0;

  for (gsize i = 0; i + lag < n; i++) {
    both += signs[i] & signs[i + lag];
    first += signs[i];
    second += signs[i + lag];
  }
  return overlap_p_value (both, first, second, n - lag);
}

/* The smallest of the lags whose deviation is near the largest: multiples of a period are as
 * telling as the period. */
static Lag
find_lag (const guint8 *signs, const double *deviations, gsize n)
{
  Lag best = { .p = 1 };
  double largest = 0;
  guint looked = 0;

  for (gsize lag = 1; lag + LEAST_PAIRS <= n; lag++)
    largest = fmax (largest, fabs (deviations[lag]));
  for (gsize lag = 1; largest > LOOK_AT && lag + LEAST_PAIRS <= n && looked < MOST_EXACT; lag++)
    if (fabs (deviations[lag]) > fmax (LOOK_AT, 0.4 * largest)) {
      const double p = lag_p_value (signs, n, lag);

      looked++;
      if (p * (double) n < LEVEL)
        return (Lag){ p, lag };
      if (p < best.p)
        best = (Lag){ p, lag };
    }
  return best;
}

static void
test_signs (gsize index, guint worker, gpointer data)
{
  Lags *lags = data;
  const gsize n = lags->log->count, size = lags->size;
  g_autofree guint8 *signs = g_new (guint8, n);
  g_autofree double complex *x = g_new0 (double complex, size);
  g_autofree double *deviations = g_new (double, n);
  double mean = 0, spread;

  (void) worker;
  find_signs (lags->log, (guint) (index % 2), (Sign) (index / 2), signs);
  for (gsize i = 0; i < n; i++)
    mean += signs[i];
  mean /= (double) n;
  spread = mean * (1 - mean);
  lags->lags[index] = (Lag){ .p = 1 };
  if (spread == 0)
    return;
  for (gsize i = 0; i < n; i++)
    x[i] = signs[i] - mean;
  transform (x, size, lags->roots);
  for (gsize i = 0; i < size; i++)
    x[i] = creal (x[i]) * creal (x[i]) + cimag (x[i]) * cimag (x[i]);
  transform (x, size, lags->roots);
  for (gsize lag = 0; lag < n; lag++)
    deviations[lag] = creal (x[lag]) / (double) size / (spread * sqrt ((double) (n - lag)));
  lags->lags[index] = find_lag (signs, deviations, n);
}

/* The reason, or NULL. */
static char *
test_lags (const AssayRunLog *log)
{
  static const char *const signs[] = { "the event", "the output", "the size of the output" };
  Lags lags = { .log = log, .size = 2 };
  g_autofree double complex *roots = NULL;

  if (log->count < 2 * LEAST_PAIRS)
    return NULL;
  while (lags.size < 2 * log->count)
    lags.size *= 2;
  roots = g_new (double complex, lags.size / 2);
  for (gsize k = 0; k < lags.size / 2; k++) {
    const double angle = -2 * M_PI * (double) k / (double) lags.size;

    roots[k] = cos (angle) + I * sin (angle);
  }
  lags.roots = roots;
  assay_parallel_for (2 * N_SIGNS, test_signs, &lags);
  for (guint t = 0; t < 2 * N_SIGNS; t++)
    if (lags.lags[t].p * (double) log->count < LEVEL)
      return g_strdup_printf (
          "%s of a run on the %s input has to do with that of the run %zu later "
          "(lag %zu)",
          signs[t / 2], t % 2 == 0 ? "first" : "second", lags.lags[t].lag, lags.lags[t].lag);
  return NULL;
}

/* ---- Panels ---- */

/* Of sums over panels of k runs each, sum (x - mean)^2 / (k p (1 - p)) is about chi-squared. */
static char *
test_panels (const AssayRunLog *log, guint64 runs)
{
  const double panels = (double) (runs / ASSAY_PANEL_RUNS), k = ASSAY_PANEL_RUNS;

  for (guint side = 0; side < 2 && panels >= LEAST_PANELS; side++) {
    const double hits = (double) log->hits[side], p = hits / panels / k;
    const double least = fmin (hits, panels * k - hits);
    double spread, deviation;

    if (least < LEAST_HITS)
      continue;
    spread = ((double) log->squares[side] - hits * hits / panels) / (k * p * (1 - p));
    deviation = (spread - (panels - 1)) / sqrt ((panels - 1) * (2 + 1 / (k * p * (1 - p))));
    if (fabs (deviation) > MOST_OVERDISPERSED)
      return g_strdup_printf ("counts of the event in %d runs on the %s input vary %.3g times as "
                              "much as those of independent runs (lags up to %d)",
                              ASSAY_PANEL_RUNS, side == 0 ? "first" : "second",
                              spread / (panels - 1), ASSAY_PANEL_RUNS);
  }
  return NULL;
}

/* ---- Starts ---- */

typedef struct {
  const AssayOracle *oracle;
  const AssayEvent *event;
  const AssayRunLog *log;
  const float *inputs;
  gpointer outputs; /* PROBE_RUNS of them */
} Probe;

/* @count runs on the first input from stream number @start, which no other purpose has. */
static gboolean
draw (const Probe *probe, guint start, gsize count, GError **error)
{
  const AssayOracle *oracle = probe->oracle;
  const AssayOracleRuns source
      = { oracle, probe->inputs, ASSAY_PURPOSE_PROBE, ASSAY_SIDE_FIRST, probe->event->pair };
  AssayStream stream = assay_oracle_stream (oracle, ASSAY_PURPOSE_PROBE, ASSAY_SIDE_FIRST,
                                            probe->event->pair, start);

  if (oracle->mechanism->batches != NULL)
    return assay_oracle_run_batch (&source, (guint64) start * ASSAY_PANEL_RUNS, count,
                                   probe->outputs, error);
  assay_oracle_run (oracle, &stream, probe->inputs, count, probe->outputs);
  return TRUE;
}

static guint64
hash_at (const Probe *probe, gsize i)
{
  return assay_run_hash (assay_oracle_outputs (probe->oracle, probe->outputs), i);
}

/* Whether the probe and the runs of the test are the same noise, or each of one that the other has
 * not: by a bit of the outputs at the same places, and by how often either has the first output. */
static char *
compare_with_test (const Probe *probe, gsize n)
{
  const guint64 *hashes = probe->log->sides[0].hashes;
  gsize both = 0, first = 0, second = 0, same = 0, same_probe = 0;

  for (gsize i = 0; i < n; i++) {
    const guint64 mine = hash_at (probe, i);

    both += hashes[i] & mine & 1;
    first += hashes[i] & 1;
    second += mine & 1;
    same += hashes[i] == hashes[0];
    same_probe += mine == hashes[0];
  }
  if (first > 0 && first < n && overlap_p_value (both, first, second, n) < LEVEL)
    return g_strdup ("runs from two seeds are the same (lag: one start): the noise does not come "
                     "from the seed");
  if (overlap_p_value (same, same + same_probe, n, 2 * n) < LEVEL)
    return g_strdup ("runs of one start have more in common than runs of two (lag: within a "
                     "start)");
  return NULL;
}

/* The share of the most frequent output, and two deviations more. */
static double
most_frequent (const guint64 *hashes, gsize count)
{
  const gsize n = MIN (count, 8192);
  g_autofree guint64 *sorted = g_memdup2 (hashes, n * sizeof *hashes);
  gsize most = 1, same = 1;

  qsort (sorted, n, sizeof *sorted, assay_compare_uint64s);
  for (gsize i = 1; i < n; i++) {
    same = sorted[i] == sorted[i - 1] ? same + 1 : 1;
    most = MAX (most, same);
  }
  return ((double) most + 2 * sqrt ((double) most) + 1) / (double) n;
}

/* The first runs of starts, until two differ. */
static gboolean
test_first_runs (const Probe *probe, char **ret_why, GError **error)
{
  const double share = most_frequent (probe->log->sides[0].hashes, probe->log->count);
  double chance = 1;
  guint64 first = 0;

  for (guint start = 0; start < MOST_STARTS; start++) {
    if (!draw (probe, 1 + start, 1, error))
      return FALSE;
    if (start == 0)
      first = hash_at (probe, 0);
    else if (hash_at (probe, 0) != first)
      return TRUE;
    else if ((chance *= share) < LEVEL) {
      *ret_why = g_strdup_printf ("the first runs of %u starts, with different seeds, put out the "
                                  "same (lag: one start)",
                                  start + 1);
      return TRUE;
    }
  }
  return TRUE;
}

static gboolean
test_starts (const Probe *probe, char **ret_why, gboolean *ret_own, GError **error)
{
  const gsize n = MIN (PROBE_RUNS, probe->log->count);
  const gboolean is_program = probe->oracle->mechanism->batches != NULL;
  const gsize bytes = n * assay_oracle_stride (probe->oracle);
  g_autofree gpointer again = NULL;

  if (!draw (probe, 0, n, error))
    return FALSE;
  *ret_why = compare_with_test (probe, n);
  if (*ret_why != NULL || !is_program)
    return TRUE;
  again = g_memdup2 (probe->outputs, bytes);
  if (!draw (probe, 0, n, error))
    return FALSE;
  *ret_own = memcmp (again, probe->outputs, bytes) != 0;
  return test_first_runs (probe, ret_why, error);
}

gboolean
assay_independence_test (const AssayOracle *oracle, const AssayEvent *event, const AssayRunLog *log,
                         char **ret_why, gboolean *ret_own, GError **error)
{
  g_autofree float *inputs = assay_oracle_inputs (oracle, event->pair, error);
  g_autofree gpointer outputs
      = assay_alloc (PROBE_RUNS, assay_oracle_stride (oracle), "runs", error);
  const Probe probe = { oracle, event, log, inputs, outputs };

  *ret_own = FALSE;
  *ret_why = NULL;
  if (inputs == NULL || outputs == NULL)
    return FALSE;
  *ret_why = test_lags (log);
  if (*ret_why == NULL)
    *ret_why = test_panels (log, event->runs);
  /* Single runs are all starts of their own. */
  return *ret_why != NULL || oracle->single_runs > 0
         || test_starts (&probe, ret_why, ret_own, error);
}
