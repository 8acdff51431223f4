/* How far right guesses exceed those of a control. */
#include "core/stats/excess.h"

#include "core/base/each.h"
#include "core/stats/fraction-test.h"

#define STEPS 40 /* of a bisection: the interval is known to 2 / 2^40 */

static const AssayMeasure share
    = { .name = "share", .statistic = ASSAY_STATISTIC_MEAN, .low = 0, .high = 1 };

static double
least_of (double bound)
{
  return bound - 2;
}

static double
width_of (double bound)
{
  return 4 - 3 * bound;
}

/* The differences d_i at @bound, moved to 0 .. 1; where @instead is not NULL, as if every unit were
 * that. */
static AssaySample *
differences (const AssaySample *sample, double bound, const AssayUnit *instead)
{
  g_autofree double *values = g_new (double, sample->n);
  g_autofree gint64 *groups = sample->n_groups > 0 ? g_new (gint64, sample->n) : NULL;

  for (gsize i = 0; i < sample->n; i++) {
    const AssayUnit *unit = instead != NULL ? instead : &sample->units[i];
    const double difference = unit->value - bound - (1 - bound) * unit->control;

    values[i] = CLAMP ((difference - least_of (bound)) / width_of (bound), 0, 1);
    if (groups != NULL)
      groups[i] = (gint64) sample->units[i].group;
  }
  return assay_sample_new (&share, values, groups, sample->n);
}

/* Where 0 was moved to. */
static double
zero_of (double bound)
{
  return -least_of (bound) / width_of (bound);
}

static double
p_at (const AssaySample *sample, double bound, gboolean is_above, const AssayUnit *instead)
{
  g_autoptr (AssaySample) moved = differences (sample, bound, instead);

  return assay_fraction_p (moved, zero_of (bound), is_above);
}

double
assay_excess_p (const AssaySample *sample, double bound, gboolean is_above)
{
  return p_at (sample, bound, is_above, NULL);
}

double
assay_excess_least_p (const AssaySample *sample, double bound, gboolean is_above)
{
  AssayUnit best = { .value = is_above };

  for (gsize i = 0; i < sample->n; i++)
    best.control += sample->units[i].control / (double) sample->n;
  return p_at (sample, bound, is_above, &best);
}

/* The bound at which the p-value of one side is @a: that of "at most" grows with the bound, that of
 * "at least" falls. */
static double
end_of (const AssaySample *sample, double a, gboolean is_lower)
{
  double low = sample->measure->low, high = sample->measure->high;

  ASSAY_BISECT_REAL (STEPS, bound, low, high,
                     (assay_excess_p (sample, bound, is_lower) <= a) == is_lower)
  return is_lower ? low : high;
}

void
assay_excess_interval (const AssaySample *sample, double a, AssayInterval *inout_interval)
{
  inout_interval->lower = MIN (end_of (sample, a, TRUE), sample->estimate);
  inout_interval->upper = MAX (end_of (sample, a, FALSE), sample->estimate);
  inout_interval->method = "gaffke-on-excess";
}

void
assay_excess_influence (const double *right, const double *control, gsize n, double *ret_outcomes)
{
  double mean_right = 0, mean_control = 0, excess;

  for (gsize i = 0; i < n; i++) {
    mean_right += right[i] / (double) n;
    mean_control += control[i] / (double) n;
  }
  excess = (mean_right - mean_control) / (1 - mean_control);
  for (gsize i = 0; i < n; i++)
    ret_outcomes[i] = excess
                      + (right[i] - mean_right - (1 - excess) * (control[i] - mean_control))
                            / (1 - mean_control);
}
