/* Secrets that nobody can tell in full and that can be told apart all the same. */
#include "runner/judge/earned/identified.h"

#include "runner/judge/reason.h"

/* What a claim that allows no share of secrets is held against. */
#define USUAL_SHARE 0.1

/* How many of the secrets of @cell its guesses point at, the most where several measures say it;
 * NULL: that was not measured. */
static const AssayMeasurement *
identified_in (const AssayResultCell *cell)
{
  const AssayMeasurement *most = NULL;

  ASSAY_FOR_EACH_IN (const AssayMeasurement, one, cell->measurements) {
    if (one->measure->tells_apart
        && (most == NULL || one->interval.lower > most->interval.lower))
      most = one;
  }
  return most;
}

char *
assay_identified_note (const AssayResultClaim *claim)
{
  const AssayResultCell *worst = NULL;
  const AssayMeasurement *most = NULL;

  if (claim->metric == NULL || claim->measure->tells_apart)
    return g_strdup ("");
  ASSAY_FOR_EACH_IN (const AssayResultHypothesis, hypothesis, claim->hypotheses) {
    const double allowed
        = claim->measure->is_share && claim->is_at_most ? hypothesis->bound : USUAL_SHARE;
    const AssayMeasurement *one = identified_in (hypothesis->cell);

    if (one == NULL || one->interval.lower <= allowed
        || (most != NULL && one->interval.lower <= most->interval.lower))
      continue;
    most = one;
    worst = hypothesis->cell;
  }
  return most != NULL ? assay_reason_identified (worst, most) : g_strdup ("");
}
