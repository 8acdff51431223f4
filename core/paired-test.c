/* Did an outcome get worse on the same units? */
#include "core/paired-test.h"

#include "core/bound-test.h"

#define MATHLIB_STANDALONE 1
#include <Rmath.h>

/* Exact McNemar: of the units that changed, how many changed for the worse. */
static double
mcnemar (const double *before, const double *after, gsize n, gboolean higher_leaks)
{
  gsize worse = 0, changed = 0;

  for (gsize i = 0; i < n; i++) {
    changed += before[i] != after[i];
    worse += higher_leaks ? after[i] > before[i] : after[i] < before[i];
  }
  return worse == 0 ? 1 : pbinom ((double) worse - 1, (double) changed, 0.5, FALSE, FALSE);
}

AssayPairedTest
assay_paired_test (const AssayMeasure *measure, const double *before, const double *after,
                   const gint64 *groups, gsize n, AssayStreamKey stream)
{
  const AssayMeasure change = { .name = measure->name,
                                .statistic = ASSAY_STATISTIC_MEAN,
                                .low = -G_MAXDOUBLE,
                                .high = G_MAXDOUBLE };
  g_autofree double *differences = g_new (double, n);
  g_autoptr (AssaySample) sample = NULL;
  AssayPairedTest result = { .n = n };
  AssayBoundTest test;

  for (gsize i = 0; i < n; i++)
    differences[i] = after[i] - before[i];
  sample = assay_sample_new (&change, differences, groups, n);
  result.difference = sample->estimate;
  if (groups == NULL && measure->statistic == ASSAY_STATISTIC_RATE) {
    result.p_worse = mcnemar (before, after, n, measure->higher_leaks);
    result.method = "mcnemar";
    return result;
  }
  test = assay_bound_test (sample, 0, stream);
  result.p_worse = measure->higher_leaks ? test.p_above : test.p_below;
  result.method = sample->method == ASSAY_SAMPLE_GROUP_T           ? "t-on-group-means"
                  : sample->method == ASSAY_SAMPLE_GROUP_BOOTSTRAP ? "cluster-bootstrap-2000"
                                                                   : "paired-bootstrap-2000";
  return result;
}
