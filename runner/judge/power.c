/* The power of audits. */
#include "runner/judge/power.h"

#include <math.h>

#include "core/base/each.h"
#include "core/stats/epsilon.h"
#include "runner/judge/pool.h"
#include "runner/plan/claim.h"
#include "runner/plan/fit.h"
#include "runner/store/records.h"

#define MAX_RUNS 1e12

/* How an audit would go on a mechanism of the epsilon that it must be able to see. */
typedef struct {
  const AssayAudit *audit;
  gboolean is_known, is_measured;
  double epsilon;
  double hit, mistake; /* chances of the event; of one run the first: of a right guess */
} Prospect;

/* The mean of what was counted in the trials of a cell; none where a trial has none. */
static gboolean
measured_rates (const AssayQuestion *question, gsize first, Prospect *prospect, GError **error)
{
  g_autoptr (GArray) trials = assay_pool_trials (question->plan, first);
  double hit = 0, mistake = 0;
  guint found = 0;

  for (guint t = 0; t < trials->len; t++) {
    g_autoptr (GArray) leaks = NULL;

    if (!assay_leaks_load (question->store, g_array_index (trials, gsize, t), &leaks, error))
      return FALSE;
    ASSAY_FOR_EACH_IN (const AssayLeakRecord, leak, leaks) {
      if (leak->epsilon != prospect->epsilon)
        continue;
      hit += leak->hit;
      mistake += leak->mistake;
      found++;
    }
  }
  prospect->is_measured = TRUE;
  prospect->is_known = found > 0 && found == trials->len;
  prospect->hit = hit / MAX (found, 1);
  prospect->mistake = mistake / MAX (found, 1);
  return TRUE;
}

static gboolean
foresee (const AssayQuestion *question, const AssayResultHypothesis *hypothesis,
         const AssayEvidence *evidence, Prospect *ret_prospect, GError **error)
{
  const AssayCell *cell = assay_plan_cell (question->plan, evidence->first);
  Prospect prospect = { .audit = &evidence->sample->audit,
                        .epsilon = assay_claim_must_see (question->claim, hypothesis->bound) };
  AssayOracle oracle;
  gboolean is_ok = TRUE;

  if (prospect.audit->kind == ASSAY_AUDIT_ONE_RUN) {
    prospect.is_known = TRUE;
    prospect.hit = 1 / (1 + exp (-prospect.epsilon));
  } else {
    oracle = assay_plan_oracle (question->plan, cell);
    prospect.is_known = assay_oracle_has_tight_event (&oracle);
    if (prospect.is_known)
      oracle.mechanism->tight_event (oracle.settings, oracle.cols, prospect.epsilon, &prospect.hit,
                                     &prospect.mistake);
    else
      is_ok = measured_rates (question, evidence->first, &prospect, error);
  }
  *ret_prospect = prospect;
  return is_ok;
}

/* After so many runs, or guesses about canaries in the same proportion. */
static double
chance (const Prospect *prospect, double bound, double alpha, double runs)
{
  AssayAudit audit = *prospect->audit;

  if (audit.kind == ASSAY_AUDIT_ONE_RUN) {
    audit.mistakes = (guint64) (runs * (double) audit.mistakes / (double) MAX (audit.runs, 1));
    audit.runs = (guint64) runs;
    return assay_epsilon_one_run_power (&audit, prospect->hit, bound, alpha);
  }
  return assay_epsilon_power ((guint64) runs, prospect->hit, prospect->mistake, audit.delta, bound,
                              alpha);
}

gboolean
assay_power_of (const AssayQuestion *question, const AssayResultHypothesis *hypothesis,
                const AssayEvidence *evidence, double alpha, AssayPower *ret_power, GError **error)
{
  Prospect prospect;

  if (!foresee (question, hypothesis, evidence, &prospect, error))
    return FALSE;
  *ret_power
      = (AssayPower){ .epsilon = prospect.epsilon,
                      .is_measured = prospect.is_measured,
                      .chance = prospect.is_known ? chance (&prospect, hypothesis->bound, alpha,
                                                            (double) prospect.audit->runs)
                                                  : NAN };
  return TRUE;
}

double
assay_power_runs_needed (const AssayQuestion *question, const AssayResultHypothesis *hypothesis,
                         const AssayEvidence *evidence, double alpha, double wanted, GError **error)
{
  Prospect prospect;
  double low = 1, high = 2;

  if (!foresee (question, hypothesis, evidence, &prospect, error))
    return -1;
  if (!prospect.is_known)
    return 0;
  for (; high <= MAX_RUNS && chance (&prospect, hypothesis->bound, alpha, high) < wanted;
       high *= 2)
    low = high;
  if (high > MAX_RUNS)
    return 0;
  /* To three digits: more would promise what an estimate cannot hold. */
  while (high - low > high / 1000 && high - low > 1) {
    const double middle = floor ((low + high) / 2);

    *(chance (&prospect, hypothesis->bound, alpha, middle) < wanted ? &low : &high) = middle;
  }
  return high;
}
