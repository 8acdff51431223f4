/* The bounds that a test would not reject. */
#include "core/stats/bound-range.h"

#include <math.h>

#include "core/stats/bound-test.h"
#include "core/stats/epsilon.h"
#include "core/stats/fraction-test.h"
#include "core/stats/interval.h"

/* Halvings between the estimate and a bound that is rejected. */
#define N_HALVINGS 40
/* Doublings of the distance to a first one, where the measure has no end on that side. */
#define N_DOUBLINGS 60

typedef struct {
  const AssaySample *sample;
  double alpha;
  AssayStreamKey stream;
  gboolean is_above; /* bounds above the estimate are asked about */
} Search;

static gboolean
is_rejected (const Search *search, double bound)
{
  const AssayBoundTest test = assay_bound_test (search->sample, bound, search->stream);

  return (search->is_above ? test.p_below : test.p_above) < search->alpha;
}

/* The farthest bound there can be, or one that is rejected. */
static double
find_far (const Search *search, double end)
{
  const double from = search->sample->estimate;
  double step = MAX (fabs (from), 1e-3);

  if (isfinite (end) && fabs (end) < G_MAXDOUBLE)
    return end;
  for (guint i = 0; i < N_DOUBLINGS; i++, step *= 2) {
    const double bound = search->is_above ? from + step : from - step;

    if (is_rejected (search, bound))
      return bound;
  }
  return search->is_above ? INFINITY : -INFINITY;
}

static double
find_edge (const Search *search, double end)
{
  double kept = search->sample->estimate;
  double rejected = find_far (search, end);

  if (!isfinite (rejected) || !is_rejected (search, rejected))
    return rejected;
  for (guint i = 0; i < N_HALVINGS; i++) {
    const double middle = kept + (rejected - kept) / 2;

    *(is_rejected (search, middle) ? &rejected : &kept) = middle;
  }
  return kept;
}

static gboolean
is_resampled (const AssaySample *sample)
{
  return !assay_fraction_is_tested (sample)
         && (sample->method == ASSAY_SAMPLE_BOOTSTRAP
             || sample->method == ASSAY_SAMPLE_GROUP_BOOTSTRAP);
}

AssayBoundRange
assay_bound_range (const AssaySample *sample, double alpha, AssayStreamKey stream)
{
  const AssayMeasure *measure = sample->measure;
  const Search above = { sample, alpha, stream, TRUE }, below = { sample, alpha, stream, FALSE };
  AssayInterval resampled;

  if (sample->method == ASSAY_SAMPLE_TOO_SMALL || !isfinite (sample->estimate))
    return (AssayBoundRange){ -INFINITY, INFINITY };
  if (sample->method == ASSAY_SAMPLE_AUDIT)
    return (AssayBoundRange){ assay_epsilon_lower (&sample->audit, alpha), INFINITY };
  /* Counting resamples once for all bounds is the same, and not 2,000 resamples a bound. */
  if (is_resampled (sample)) {
    if (assay_bound_floor_p (sample) >= alpha)
      return (AssayBoundRange){ -INFINITY, INFINITY };
    resampled = assay_sample_interval (sample, 1 - 2 * alpha, stream);
    return (AssayBoundRange){ resampled.lower, resampled.upper };
  }
  return (AssayBoundRange){ find_edge (&below, measure->low), find_edge (&above, measure->high) };
}

const char *
assay_bound_test_name (const AssaySample *sample)
{
  if (assay_fraction_is_tested (sample))
    return "Gaffke's test";
  switch (sample->method) {
  case ASSAY_SAMPLE_BINOMIAL:
  case ASSAY_SAMPLE_EXTREME:
    return "the binomial test";
  case ASSAY_SAMPLE_ORDER:
    return "the sign test";
  case ASSAY_SAMPLE_BOOTSTRAP:
    return "resampling";
  case ASSAY_SAMPLE_GROUP_BOOTSTRAP:
    return "resampling of groups";
  case ASSAY_SAMPLE_GROUP_T:
    return "the t test over groups";
  case ASSAY_SAMPLE_CROSSED:
    return "the t test over crossed groups";
  case ASSAY_SAMPLE_EXCESS:
    return "the test of an excess over its control";
  case ASSAY_SAMPLE_AUDIT:
    return "the audit's own test";
  case ASSAY_SAMPLE_TOO_SMALL:
    break;
  }
  return "no test";
}
