/* How often the tests behind claims are wrong when the true rate is exactly at the bound: the table
 * of docs/statistics.md, as Markdown.
 *
 * Secrets succeed with the bound as their chance. Those of a group share a chance, which is 0 or 1
 * with a given probability ("whole groups": 1 as often as the bound says) and the bound otherwise,
 * so that the rate over all groups is the bound. */
#include <math.h>
#include <stdio.h>

#include "core/base/parallel.h"
#include "core/stats/bound-test.h"

#define LEVEL 0.05

typedef struct {
  gsize n_groups; /* 0: independent */
  gsize n;
  double bound;
  double whole;
  gsize samples;
  gboolean is_uneven; /* sizes from about 0 to twice the mean, unrelated to what leaks */
} Case;

static const Case cases[] = {
  { 0, 100, 0.1, 0, 20000, FALSE },      { 10, 200, 0.3, 0.01, 8000, FALSE },
  { 10, 200, 0.9, 0.05, 8000, FALSE },   { 12, 240, 0.3, 0, 8000, FALSE },
  { 12, 240, 0.3, 0.2, 8000, FALSE },    { 12, 240, 0.3, 1, 8000, FALSE },
  { 40, 400, 0.02, 0.05, 8000, FALSE },  { 40, 400, 0.1, 0, 8000, FALSE },
  { 40, 400, 0.1, 0.05, 8000, FALSE },   { 40, 400, 0.1, 0.2, 8000, FALSE },
  { 40, 400, 0.1, 1, 8000, FALSE },      { 40, 400, 0.3, 0, 8000, FALSE },
  { 40, 400, 0.3, 0.2, 8000, FALSE },    { 40, 400, 0.3, 1, 8000, FALSE },
  { 40, 400, 0.9, 0.05, 8000, FALSE },   { 100, 1000, 0.02, 0.05, 8000, FALSE },
  { 100, 1000, 0.1, 0.05, 8000, FALSE }, { 200, 1000, 0.1, 0.01, 6000, FALSE },
  { 200, 1000, 0.1, 0.2, 6000, FALSE },  { 200, 1000, 0.1, 1, 6000, FALSE },
  { 40, 400, 0.3, 0.2, 8000, TRUE },     { 40, 400, 0.3, 1, 8000, TRUE },
  { 200, 1000, 0.1, 1, 6000, TRUE },
};

static const AssayMeasure rate = { .statistic = ASSAY_STATISTIC_RATE, .low = 0, .high = 1 };

typedef struct {
  const Case *what;
  AssayStreamKey data, resamples;
  guint8 *beyond, *within; /* rejected, one per sample */
} Job;

static gint64
group_of (const Case *what, gsize i)
{
  const double place = (double) i / (double) what->n;

  if (what->is_uneven)
    return (gint64) ((double) what->n_groups * sqrt (place));
  return (gint64) (what->n_groups > 0 ? i % what->n_groups : 0);
}

static void
try_sample (gsize index, guint worker, gpointer data)
{
  const Job *job = data;
  const Case *what = job->what;
  AssayStream stream = assay_stream (job->data, index);
  AssayStreamKey resamples = job->resamples;
  g_autofree double *chances = g_new (double, what->n_groups + 1);
  g_autofree double *values = g_new (double, what->n);
  g_autofree gint64 *groups = g_new (gint64, what->n);
  g_autoptr (AssaySample) sample = NULL;
  AssayBoundTest test;

  (void) worker;
  for (gsize g = 0; g <= what->n_groups; g++)
    chances[g] = what->n_groups > 0 && assay_stream_uniform (&stream) < what->whole
                     ? assay_stream_uniform (&stream) < what->bound
                     : what->bound;
  for (gsize i = 0; i < what->n; i++) {
    groups[i] = group_of (what, i);
    values[i] = assay_stream_uniform (&stream) < chances[groups[i]];
  }
  sample = assay_sample_new (&rate, values, what->n_groups > 0 ? groups : NULL, what->n);
  resamples.word[0] ^= (guint32) index;
  test = assay_bound_test (sample, what->bound, resamples);
  job->beyond[index] = test.p_above < LEVEL;
  job->within[index] = test.p_below < LEVEL;
}

static double
share (const guint8 *rejected, gsize n)
{
  gsize count = 0;

  for (gsize i = 0; i < n; i++)
    count += rejected[i];
  return (double) count / (double) n;
}

static void
print_case (const Case *what)
{
  g_autofree char *name
      = g_strdup_printf ("%" G_GSIZE_FORMAT " %" G_GSIZE_FORMAT " %g %g %d", what->n_groups,
                         what->n, what->bound, what->whole, what->is_uneven);
  g_autofree guint8 *beyond = g_new0 (guint8, what->samples);
  g_autofree guint8 *within = g_new0 (guint8, what->samples);
  Job job = { .what = what,
              .data = assay_stream_key (1, 0, "claim-calibration", name),
              .resamples = assay_stream_key (1, 0, "claim-calibration-resamples", name),
              .beyond = beyond,
              .within = within };

  assay_parallel_for (what->samples, try_sample, &job);
  if (what->n_groups > 0)
    printf ("| %" G_GSIZE_FORMAT " groups of %s%" G_GSIZE_FORMAT " | %g | ", what->n_groups,
            what->is_uneven ? "1 to " : "", (what->is_uneven ? 2 : 1) * what->n / what->n_groups,
            what->bound);
  else
    printf ("| %" G_GSIZE_FORMAT ", independent | %g | ", what->n, what->bound);
  if (what->n_groups == 0)
    printf ("| ");
  else
    printf ("%g %% | ", 100 * what->whole);
  printf ("%.3f | %.3f | %" G_GSIZE_FORMAT " |\n", share (beyond, what->samples),
          share (within, what->samples), what->samples);
  fflush (stdout);
}

int
main (void)
{
  printf ("| secrets | bound | whole groups | \"beyond the bound\" | \"within the bound\" | "
          "samples |\n"
          "| --- | --- | --- | --- | --- | --- |\n");
  for (gsize i = 0; i < G_N_ELEMENTS (cases); i++)
    print_case (&cases[i]);
  return 0;
}
