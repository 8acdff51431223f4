/* One measure of two defenses: is the one better than the other? */
#include "runner/compare/compare-test.h"

#include <math.h>

#define MATHLIB_STANDALONE 1
#include <Rmath.h>

#include "core/stats/bound-test.h"
#include "core/stats/interval.h"
#include "core/stats/paired-test.h"
#include "runner/judge/pool.h"

/* Halvings of the logarithm of a: its ends are 2^-40 of their distance apart. */
#define HALVINGS 40
#define MIN_LEVEL 1e-12
/* The least of which percentiles of resamples can tell. */
#define RESAMPLED_LEVEL (2.0 / (ASSAY_RESAMPLES + 1))

struct _AssayEvidence {
  AssayPool pool;
  GHashTable *samples; /* of each measure that was asked for: every point is in many pairs */
};

ASSAY_FREE_FUNC (AssayEvidence, assay_evidence_free, assay_pool_clear (&self->pool),
                 g_hash_table_unref (self->samples))

AssayEvidence *
assay_evidence_new (const AssaySavedRun *run, gsize first, guint metric, GError **error)
{
  g_autoptr (GArray) indices = assay_pool_trials (run->plan, first);
  AssayEvidence *evidence = g_new0 (AssayEvidence, 1);
  gboolean is_ok;

  evidence->samples = g_hash_table_new_full (NULL, NULL, NULL, (GDestroyNotify) assay_sample_free);
  is_ok = assay_pool_fill (&evidence->pool, run->plan, run->store, indices, metric, error);
  if (is_ok)
    return evidence;
  assay_evidence_free (evidence);
  return NULL;
}

/* NULL: a cell left the measure out. */
static const AssaySample *
sample_of (const AssayEvidence *evidence, const AssayMeasure *measure)
{
  AssaySample *sample = g_hash_table_lookup (evidence->samples, measure);

  if (sample == NULL) {
    sample = assay_pool_sample (&evidence->pool, measure);
    if (sample != NULL)
      g_hash_table_insert (evidence->samples, (gpointer) measure, sample);
  }
  return sample;
}

/* ---- The same units ---- */

/* Gaffke's test of the differences of @n outcomes, moved and scaled into 0 to 1. */
static double
test_bounded (const double *better, const double *worse, const gint64 *groups, gsize n,
              const AssayContest *contest)
{
  const AssayMeasure *measure = contest->measure;
  const AssayMeasure scaled
      = { .name = measure->name, .statistic = ASSAY_STATISTIC_MEAN, .low = 0, .high = 1 };
  const double range = measure->high - measure->low;
  const double sign = contest->lower_is_better ? -1 : 1;
  g_autofree double *shares = g_new (double, n);
  g_autoptr (AssaySample) sample = NULL;

  for (gsize i = 0; i < n; i++)
    shares[i] = (sign * (better[i] - worse[i]) / range + 1) / 2;
  sample = assay_sample_new (&scaled, shares, groups, n);
  return assay_bound_test (sample, (1 - contest->margin / range) / 2, contest->stream).p_above;
}

/* The outcomes of the better side stand "before": what got worse after them was better there. */
static double
test_paired (const AssayEvidence *a, const AssayEvidence *b, const gint64 *groups,
             const AssayContest *contest, const char **ret_method)
{
  const guint series = contest->measure->series;
  const gsize n = a->pool.series[series]->len;
  const double *better = (const double *) (gconstpointer) a->pool.series[series]->data;
  const double *worse = (const double *) (gconstpointer) b->pool.series[series]->data;
  AssayMeasure directed = *contest->measure;
  AssayPairedTest test;

  if (contest->margin > 0) {
    *ret_method = "gaffke-paired";
    return test_bounded (better, worse, groups, n, contest);
  }
  directed.higher_is_worse = contest->lower_is_better;
  test = assay_paired_test (&directed, better, worse, groups, n, contest->stream);
  *ret_method = test.method;
  return test.p_worse;
}

/* ---- Intervals that are apart ---- */

static gboolean
is_resampled (const AssaySample *sample)
{
  return sample->method == ASSAY_SAMPLE_BOOTSTRAP || sample->method == ASSAY_SAMPLE_GROUP_BOOTSTRAP;
}

/* Of a mean, or of the mean of units in groups: by linearisation, with n - 1 degrees of freedom. */
static double
standard_error (const AssaySample *sample)
{
  const gsize n = assay_sample_n_independent (sample);
  g_autofree double *sums = g_new0 (double, n);
  double square = 0;

  for (gsize i = 0; i < sample->n; i++)
    sums[sample->n_groups > 0 ? sample->units[i].group : i]
        += sample->units[i].value - sample->estimate;
  for (gsize i = 0; i < n; i++)
    square += sums[i] * sums[i];
  return sqrt (square * (double) n / (double) (n - 1)) / (double) sample->n;
}

/* Beyond what so many resamples can say, the ends are those of t, and never within the extremes
 * that were resampled. */
static AssayInterval
interval_at (const AssaySample *sample, double level, AssayStreamKey stream)
{
  AssayInterval interval;
  double reach;

  if (!is_resampled (sample) || level >= RESAMPLED_LEVEL)
    return assay_sample_interval (sample, 1 - level, stream);
  interval = assay_sample_interval (sample, 1 - RESAMPLED_LEVEL, stream);
  reach = standard_error (sample)
          * qt (level / 2, (double) assay_sample_n_independent (sample) - 1, FALSE, FALSE);
  interval.lower = MIN (interval.lower, sample->estimate - reach);
  interval.upper = MAX (interval.upper, sample->estimate + reach);
  return interval;
}

static gboolean
are_apart (const AssaySample *better, const AssaySample *worse, const AssayContest *contest,
           double level)
{
  const AssayInterval a = interval_at (better, level, contest->stream);
  const AssayInterval b = interval_at (worse, level, contest->stream);

  return contest->lower_is_better ? a.upper < b.lower + contest->margin
                                  : a.lower > b.upper - contest->margin;
}

/* Units that are all alike have no deviation, and still say no more than 2^-n. */
static double
least_level (const AssaySample *sample)
{
  const double n = (double) assay_sample_n_independent (sample);

  if (!is_resampled (sample))
    return MIN_LEVEL;
  if (sample->p >= 0) /* a quantile has no such error */
    return RESAMPLED_LEVEL;
  return CLAMP (pow (0.5, n), MIN_LEVEL, RESAMPLED_LEVEL);
}

double
assay_samples_apart (const AssaySample *better, const AssaySample *worse,
                     const AssayContest *contest)
{
  double apart = 0.5;
  double level = MAX (least_level (better), least_level (worse));

  if (!are_apart (better, worse, contest, apart))
    return 1;
  if (are_apart (better, worse, contest, level))
    return level;
  for (guint i = 0; i < HALVINGS && apart > 1.0001 * level; i++) {
    const double middle = sqrt (level * apart);

    if (are_apart (better, worse, contest, middle))
      apart = middle;
    else
      level = middle;
  }
  return apart;
}

double
assay_evidence_test (const AssayEvidence *better, const AssayEvidence *worse,
                     const AssayContest *contest, const char **ret_method)
{
  const AssayMeasure *measure = contest->measure;
  const AssaySample *a, *b;

  *ret_method = "none";
  if (measure->statistic == ASSAY_STATISTIC_EPSILON)
    return 1;
  a = sample_of (better, measure);
  b = sample_of (worse, measure);
  if (a == NULL || b == NULL)
    return 1;
  /* Differences of units in two groups each have no test that counts these as such. */
  if (better->pool.others->len == 0
      && assay_pool_are_paired (&better->pool, &worse->pool, measure)) {
    /* Units with names of their own are independent where the sample says so. */
    const gint64 *groups
        = a->n_groups > 0 ? (const gint64 *) (gconstpointer) better->pool.groups->data : NULL;

    return test_paired (better, worse, groups, contest, ret_method);
  }
  *ret_method = "intervals-apart";
  return assay_samples_apart (a, b, contest);
}
