/* Units of two groups each: whether intervals hold, by simulation. */
#include <criterion/criterion.h>
#include <math.h>

#include "core/base/rng.h"
#include "core/stats/interval.h"
#include "tests/unit/seeds.h"

static const AssayMeasure mean = { .statistic = ASSAY_STATISTIC_MEAN, .low = -1e9, .high = 1e9 };
static const AssayMeasure rate = { .statistic = ASSAY_STATISTIC_RATE, .low = 0, .high = 1 };
static const AssayMeasure median
    = { .statistic = ASSAY_STATISTIC_MEDIAN, .low = -1e9, .high = 1e9 };

static AssayStream
stream_of (guint64 trial, const char *role)
{
  return assay_stream (assay_stream_key (5, trial, role, "test-crossed"), 0);
}

enum { SECRETS = 30, EACH = 10, MIXTURES = SECRETS * EACH, TRIALS = 120 };

/* y = u_a + u_b + e of mixtures of secrets a and b. */
static void
draw_mixtures (guint64 trial, double own, double noise, double *ret_values, gint64 *ret_groups,
               gint64 *ret_others)
{
  AssayStream stream = stream_of (trial, "mixtures");
  double u[SECRETS];

  for (gsize i = 0; i < SECRETS; i++)
    u[i] = own * assay_stream_normal (&stream);
  for (gsize t = 0; t < MIXTURES; t++) {
    const gsize a = t % SECRETS;
    const gsize b = (a + 1 + assay_stream_below (&stream, SECRETS - 1)) % SECRETS;

    ret_groups[t] = (gint64) a;
    ret_others[t] = (gint64) b;
    ret_values[t] = u[a] + u[b] + noise * assay_stream_normal (&stream);
  }
}

typedef struct {
  gsize crossed, alone;
} Holds;

/* How often intervals of 95 % hold the truth 0 (or the share @truth) in so many samples. */
static Holds
count_mixtures (const AssayMeasure *measure, double own, double noise, double truth)
{
  double values[MIXTURES];
  gint64 groups[MIXTURES], others[MIXTURES];
  Holds holds = { 0 };

  for (guint64 trial = 0; trial < TRIALS; trial++) {
    g_autoptr (AssaySample) sample = NULL;
    AssayInterval crossed, alone;

    draw_mixtures (trial, own, noise, values, groups, others);
    for (gsize t = 0; measure == &rate && t < MIXTURES; t++)
      values[t] = values[t] > 1;
    sample = assay_sample_new_crossed (measure, values, groups, others, TRUE, MIXTURES);
    crossed = assay_sample_interval (sample, 0.95, assay_stream_key (1, trial, "i", "crossed"));
    alone = assay_interval (measure, values, NULL, MIXTURES, 0.95,
                            assay_stream_key (1, trial, "i", "alone"));
    holds.crossed += crossed.lower <= truth && truth <= crossed.upper;
    holds.alone += alone.lower <= truth && truth <= alone.upper;
  }
  return holds;
}

/* Of 120 intervals at 95 % fewer than 106 hold with a probability of 0.1 %: the sandwich's own
 * shortfall with 30 groups is a point or two. */
Test (crossed_intervals, of_mixtures_hold)
{
  Holds of_mean, of_median, of_noise, of_rate;

  TEST_OF_CHANCE ();
  of_mean = count_mixtures (&mean, 1, 1, 0);
  of_median = count_mixtures (&median, 1, 1, 0);
  of_noise = count_mixtures (&mean, 0, 1, 0);
  /* u_a + u_b + e has the variance 3. */
  of_rate = count_mixtures (&rate, 1, 1, 0.5 * erfc (1 / sqrt (6.0)));
  cr_assert (of_mean.crossed >= 104 && of_median.crossed >= 104 && of_rate.crossed >= 104
                 && of_noise.crossed >= 104,
             "%zu %zu %zu %zu of 120", of_mean.crossed, of_median.crossed, of_rate.crossed,
             of_noise.crossed);
  /* Taken for independent they are far too narrow, where secrets differ. */
  cr_assert (of_mean.alone < 72 && of_median.alone < 90 && of_rate.alone < 90, "%zu %zu %zu",
             of_mean.alone, of_median.alone, of_rate.alone);
}

enum { ROWS = 100, TRAININGS = 5 };

/* Whether the answer to a row is right, of trainings that are better or worse. */
Test (crossed_intervals, of_trainings_hold)
{
  static double values[ROWS * TRAININGS];
  static gint64 rows[ROWS * TRAININGS], trainings[ROWS * TRAININGS];
  gsize crossed = 0, by_row = 0;

  TEST_OF_CHANCE ();
  for (guint64 trial = 0; trial < TRIALS; trial++) {
    AssayStream stream = stream_of (trial, "trainings");
    g_autoptr (AssaySample) sample = NULL;
    AssayInterval interval;
    double u[ROWS];

    for (gsize i = 0; i < ROWS; i++)
      u[i] = assay_stream_normal (&stream);
    for (gsize t = 0; t < TRAININGS; t++) {
      const double v = 0.3 * assay_stream_normal (&stream);

      for (gsize i = 0; i < ROWS; i++) {
        values[t * ROWS + i] = u[i] + v + assay_stream_normal (&stream);
        rows[t * ROWS + i] = (gint64) i;
        trainings[t * ROWS + i] = (gint64) t;
      }
    }
    sample = assay_sample_new_crossed (&mean, values, rows, trainings, FALSE, ROWS * TRAININGS);
    interval = assay_sample_interval (sample, 0.95, assay_stream_key (1, trial, "i", "crossed"));
    crossed += interval.lower <= 0 && 0 <= interval.upper;
    interval = assay_interval (&mean, values, rows, ROWS * TRAININGS, 0.95,
                               assay_stream_key (1, trial, "i", "rows"));
    by_row += interval.lower <= 0 && 0 <= interval.upper;
  }
  cr_assert (crossed >= 104 && by_row < 105, "%zu and %zu of 120", crossed, by_row);
}
