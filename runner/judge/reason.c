/* Why a verdict is what it is. */
#include "runner/judge/reason.h"

#include <math.h>

#include "core/base/text.h"
#include "core/data/exchange.h"
#include "core/stats/bound-test.h"
#include "core/stats/epsilon.h"
#include "runner/plan/plan.h"

/* The cell in words. */
static char *
name_cell (const AssayResultCell *cell)
{
  return cell->is_utility ? g_strdup_printf ("utility %s of %s", cell->attack_or_utility->name,
                                             cell->defense->name)
                          : g_strdup_printf ("attack %s against %s", cell->attack_or_utility->name,
                                             cell->defense->name);
}

/* With the settings of the metric: a tolerance of next to nothing is missed by every attack. */
static char *
describe_units (const AssayResultClaim *claim, const AssayResultHypothesis *hypothesis)
{
  const char *settings = claim->metric != NULL ? claim->metric->settings->line : "";
  g_autofree char *interval = assay_result_interval (claim->measure, &hypothesis->interval);

  return g_strdup_printf ("%s of n = %" G_GSIZE_FORMAT "%s%s, the claim says at %s", interval,
                          hypothesis->interval.n, *settings != '\0' ? " with " : "", settings,
                          claim->is_at_most ? "most" : "least");
}

static char *
describe_audit (const AssayResultClaim *claim, const AssayResultHypothesis *hypothesis)
{
  const AssayInterval *interval = &hypothesis->interval;
  g_autofree char *n = assay_text_count (interval->n);
  g_autofree char *delta = assay_text_number (hypothesis->delta);
  const gboolean is_one_run = g_str_equal (interval->method, "one-run-bound");

  return g_strdup_printf (
      "at least %.4g with confidence %g (%s %s%s%s), the claim says at most", interval->lower,
      claim->confidence, n, is_one_run ? "guesses" : "runs on each input",
      hypothesis->delta > 0 ? ", delta " : "", hypothesis->delta > 0 ? delta : "");
}

/* As exactly as the scenario has it; of a share in per cent, as what was measured. */
static char *
describe_bound (const AssayResultClaim *claim, double bound)
{
  return claim->measure->is_share ? g_strdup_printf ("%.10g %%", 100 * bound)
                                  : assay_text_number (bound);
}

/* The cell, what was measured in it and what the claim says, with words before and behind. */
static char *describe (const AssayResultClaim *claim, const AssayResultHypothesis *hypothesis,
                       const char *before, const char *after, ...) G_GNUC_PRINTF (4, 5);

static char *
describe (const AssayResultClaim *claim, const AssayResultHypothesis *hypothesis,
          const char *before, const char *after, ...)
{
  g_autofree char *cell = name_cell (hypothesis->cell);
  g_autofree char *bound = describe_bound (claim, hypothesis->bound);
  g_autofree char *numbers = claim->measure->is_epsilon ? describe_audit (claim, hypothesis)
                                                        : describe_units (claim, hypothesis);
  g_autofree char *rest = NULL;
  va_list words;

  va_start (words, after);
  rest = g_strdup_vprintf (after, words);
  va_end (words);
  return g_strdup_printf ("%s%s: %s is %s %s%s", before, cell, claim->measure->name, numbers, bound,
                          rest);
}

char *
assay_reason_decided (const AssayResultClaim *claim, const AssayResultHypothesis *hypothesis)
{
  return describe (claim, hypothesis, "", "%s", "");
}

char *
assay_reason_upheld (const AssayResultClaim *claim, const AssayResultHypothesis *hypothesis)
{
  g_autofree char *detectable = assay_result_value (claim->measure, hypothesis->detectable);

  if (!isfinite (hypothesis->detectable))
    return assay_reason_decided (claim, hypothesis);
  return describe (claim, hypothesis, "", "; an estimate of %s or %s would have violated it",
                   detectable, claim->is_at_most ? "more" : "less");
}

char *
assay_reason_excluded (const AssayResultHypothesis *hypothesis)
{
  g_autofree char *cell = name_cell (hypothesis->cell);

  return g_strdup_printf ("%s: %s", cell, hypothesis->why_not);
}

char *
assay_reason_no_evidence (const AssayResultClaim *claim, const AssayResultHypothesis *hypothesis)
{
  const AssayMeasurement *reach = assay_result_short_reach (hypothesis->cell);
  g_autofree char *share
      = reach != NULL ? assay_result_interval (reach->measure, &reach->interval) : NULL;

  if (hypothesis->cell->has_small_control)
    return describe (claim, hypothesis, "",
                     ", but no case like this release could be made for the program, and it may "
                     "have known the small one that it won: no control tells whether it could have "
                     "found more");
  if (hypothesis->cell->lost_shape.n > 0)
    return describe (claim, hypothesis, "",
                     ", but of another case of the same shape, made of public images, the attack "
                     "recovered no more than %.3g %% of %zu: what it does not find here, it may "
                     "not find anywhere",
                     100 * hypothesis->cell->lost_shape.share, hypothesis->cell->lost_shape.n);
  if (reach == NULL)
    return describe (claim, hypothesis, "",
                     ", but the guess is external: no control tells whether its maker could "
                     "have found more");
  return describe (claim, hypothesis, "",
                   ", but the attack looked at a part only of what it was given (%s is %s): "
                   "what it missed it could not recover",
                   reach->measure->name, share);
}

/* ", and 5 to 34 % by the binomial test over 9 hypotheses": the interval that the verdict is about,
 * where the one above tells otherwise. */
static char *
describe_range (const AssayResultClaim *claim, const AssayResultHypothesis *one,
                guint n_hypotheses)
{
  const double bound = one->bound;
  const gboolean looks_decided = one->interval.lower > bound || one->interval.upper < bound;
  g_autofree char *range = assay_result_range (claim->measure, one->test_lower, one->test_upper);

  if (one->test == NULL || !looks_decided || !isfinite (one->test_lower)
      || !isfinite (one->test_upper))
    return g_strdup ("");
  return g_strdup_printf (", and %s by %s over %u hypothes%s", range, one->test, n_hypotheses,
                          n_hypotheses == 1 ? "is" : "es");
}

char *
assay_reason_undecided (const AssayResultClaim *claim, const AssayResultHypothesis *hypothesis,
                        const AssaySample *sample, guint n_hypotheses)
{
  const double floor_p = assay_bound_floor_p (sample);
  g_autofree char *range = describe_range (claim, hypothesis, n_hypotheses);
  g_autofree char *more = NULL;

  if (hypothesis->units_needed > 0)
    more = g_strdup_printf ("; about %.0f more %s would decide it if the estimate stays",
                            MAX (1, hypothesis->units_needed - (double) hypothesis->interval.n),
                            hypothesis->cell->is_utility ? "units" : "secrets");
  else if (floor_p * n_hypotheses >= 1 - claim->confidence)
    more = g_strdup_printf ("; %u hypotheses are too many for p-values from %d resamples, whatever "
                            "the number of secrets",
                            n_hypotheses, ASSAY_RESAMPLES);
  else
    more = g_strdup ("; the estimate is too near the bound for any number of secrets to decide");
  return describe (claim, hypothesis, "underpowered: ", "%s%s", range, more);
}

static const char *
describe_leak (const AssayResultHypothesis *hypothesis)
{
  if (hypothesis->is_power_measured)
    return "as an injected leak measured it";
  return g_str_equal (hypothesis->interval.method, "one-run-bound") ? "by the best guesser"
                                                                    : "by its tight event";
}

/* "so many could have certified up to 10.4, and by its tight event an epsilon of 1.5 with
 * probability 0.99" */
static char *
describe_sight (const AssayResultHypothesis *hypothesis)
{
  if (!isfinite (hypothesis->power))
    return g_strdup_printf ("so many could have certified up to %.4g", hypothesis->detectable);
  return g_strdup_printf ("so many could have certified up to %.4g, and %s an epsilon of %.4g with "
                          "probability %.3g",
                          hypothesis->detectable, describe_leak (hypothesis), hypothesis->power_at,
                          hypothesis->power);
}

char *
assay_reason_unrefuted (const AssayResultClaim *claim, const AssayResultHypothesis *nearest,
                        const AssayResultHypothesis *blindest, guint n_hypotheses)
{
  g_autofree char *sight = describe_sight (blindest);
  g_autofree char *cell = name_cell (blindest->cell);
  g_autofree char *corrected
      = nearest->interval.lower > nearest->bound
            ? g_strdup_printf (", and is not beyond it after Holm's correction over %u hypotheses "
                               "(p = %.3g)",
                               n_hypotheses, nearest->adjusted_violated)
            : g_strdup ("");

  return blindest == nearest
             ? describe (claim, nearest, "", "%s; %s", corrected, sight)
             : describe (claim, nearest, "", "%s; least would have been seen by %s: %s", corrected,
                         cell, sight);
}

char *
assay_reason_ceiling (const AssayResultClaim *claim, const AssayResultHypothesis *hypothesis,
                      const AssayAudit *audit, double alpha)
{
  const gboolean is_one_run = audit->kind == ASSAY_AUDIT_ONE_RUN;
  AssayAudit perfect = { .kind = audit->kind, .delta = audit->delta, .runs = 1, .hits = 1 };
  double needed;
  g_autofree char *more = NULL;

  if (is_one_run)
    perfect.mistakes = audit->runs > 0 ? MAX (1, audit->mistakes / audit->runs) : 1;
  needed = assay_epsilon_runs_needed (&perfect, hypothesis->bound, alpha);
  more = needed > 0 ? assay_text_count ((guint64) needed) : g_strdup ("more than 10^15");
  return describe (claim, hypothesis, "underpowered: ",
                   "; at level %.3g so many could have certified at most %.4g: %s %s are needed at "
                   "least",
                   alpha, hypothesis->detectable, more,
                   is_one_run ? "guesses" : "runs on each input");
}

/* ---- What was not earned ---- */

char *
assay_reason_left_out (const AssayResultClaim *claim, const AssayResultHypothesis *hypothesis,
                       guint n_asked, guint n_all)
{
  g_autofree char *before = g_strdup_printf ("the claim names %u of %u attacks, and one that it "
                                             "leaves out breaks the bound: ",
                                             n_asked, n_all);

  return describe (claim, hypothesis, before, "%s", "");
}

char *
assay_reason_asked (guint n_asked, guint n_all)
{
  return g_strdup_printf ("; it names %u of %u attacks", n_asked, n_all);
}

void
assay_reason_settings (GString *inout_text, const char *whose, guint n_asked, guint n_all)
{
  g_string_append_printf (inout_text, "; it names %u of %u settings of %s", n_asked, n_all, whose);
}

char *
assay_reason_identified (const AssayResultCell *cell, const AssayMeasurement *measurement)
{
  const AssayInterval *interval = &measurement->interval;

  return g_strdup_printf ("; but these secrets can be told apart: the guesses of attack %s against "
                          "%s point at their own secret for %.3g %% [%.3g, %.3g] of them (%s)",
                          cell->attack_or_utility->name, cell->defense->name,
                          100 * interval->estimate, 100 * interval->lower, 100 * interval->upper,
                          measurement->measure->name);
}

char *
assay_reason_no_reference (const AssayResultClaim *claim, const AssayResultHypothesis *hypothesis)
{
  return describe (claim, hypothesis, "",
                   ", but nothing shows that the attack could break this bound on these data: it "
                   "needs a defense in the scenario that protects less and that the claim leaves "
                   "out, on which the attack does");
}

char *
assay_reason_no_starts (const AssayResultClaim *claim, const AssayResultHypothesis *hypothesis)
{
  const guint n = hypothesis->cell->n_starts;

  if (n > 0 && n < ASSAY_ENOUGH_STARTS)
    return describe (claim, hypothesis, "",
                     ", but the attack draws numbers and was played with %u start%s: what they "
                     "missed, others may find; expected 'starts = %d' or more in [scenario]",
                     n, n == 1 ? "" : "s", ASSAY_ENOUGH_STARTS);
  return describe (claim, hypothesis, "",
                   ", but the attack itself is not sure of its guess (confidence %.3g, %g is asked "
                   "for): that it failed shows nothing; expected more 'starts' in [scenario], or "
                   "an attack that succeeds by its own measure",
                   hypothesis->cell->confidence, ASSAY_SURE);
}

char *
assay_reason_asks_less (const AssayResultClaim *claim, const AssayResultHypothesis *hypothesis,
                        const char *why)
{
  return describe (claim, hypothesis, "",
                   ", but the attack was asked for less than it can: %s; that it failed so shows "
                   "nothing",
                   why);
}

char *
assay_reason_suspect (const AssayResultClaim *claim, const AssayResultHypothesis *hypothesis)
{
  return describe (claim, hypothesis, "", ", but the cell is suspect, so that it shows nothing: %s",
                   hypothesis->cell->suspect);
}

char *
assay_reason_generic (const AssayResultHypothesis *hypothesis)
{
  return g_strdup_printf ("attack %s takes what is released for the secret, or for something near "
                          "it, whatever defense %s does: an attack that knows the defense, or "
                          "learns it, is needed",
                          hypothesis->cell->attack_or_utility->name,
                          hypothesis->cell->defense->name);
}

char *
assay_reason_no_power (const AssayResultClaim *claim, const AssayResultHypothesis *hypothesis,
                       double wanted, double runs)
{
  const gboolean is_one_run = g_str_equal (hypothesis->interval.method, "one-run-bound");
  g_autofree char *needed = assay_text_count ((guint64) runs);
  g_autofree char *more
      = runs > 0 ? g_strdup_printf (": about %s %s are needed", needed,
                                    is_one_run ? "guesses" : "runs on each input")
                 : g_strdup (", and no number of runs would give it: another score is needed");

  if (!isfinite (hypothesis->power))
    return describe (claim, hypothesis, "underpowered: ",
                     "; what it would have seen of a leak was not measured for this claim: run the "
                     "scenario again");
  return describe (claim, hypothesis, "underpowered: ",
                   "; %s so many would have seen an epsilon of %.4g with probability %.3g only, "
                   "%.3g is asked for%s",
                   describe_leak (hypothesis), hypothesis->power_at, hypothesis->power, wanted,
                   more);
}

char *
assay_reason_changed_claims (void)
{
  return g_strdup ("claims were changed after cells had run; expected a new run, or "
                   "--accept-changed-claims with --resume");
}

/* ---- Independent units ---- */

char *
assay_reason_contradicted (const AssayResultUnits *units, gboolean has_own_units)
{
  return g_strdup_printf (
      "%s%s", units->says,
      has_own_units ? ", but this measure counts other units, which cannot be joined; expected "
                      "secrets without copies"
                    : "; expected groups that say which secrets belong together, and enough of "
                      "them");
}

char *
assay_reason_few_pairs (const AssayResultClaim *claim, const AssayResultHypothesis *hypothesis,
                        guint n_tried, guint n_offered)
{
  return describe (claim, hypothesis, "",
                   ", but %u of %u pairs of inputs %s tried, and the worst may be among the "
                   "others: the setting candidates of attack %s asks for less, 0 tries all",
                   n_tried, n_offered, n_tried == 1 ? "was" : "were",
                   hypothesis->cell->attack_or_utility->name);
}

char *
assay_reason_harmless (const AssayResultClaim *claim, const AssayResultHypothesis *hypothesis,
                       double worst, gboolean has_pairs)
{
  g_autofree char *seen = describe_sight (hypothesis);

  return describe (
      claim, hypothesis, "",
      "; %s: the %s tried would not show this claim's worst case, which is an epsilon of %.4g; "
      "expected %s, or a smaller claim",
      seen, has_pairs ? "pairs" : "canaries", worst,
      has_pairs ? "inputs that come near it, or a declared domain of which they are made"
                : "canaries that the release shows");
}
