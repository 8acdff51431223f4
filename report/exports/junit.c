/* claims.xml: the verdicts as a JUnit report, in the form that GitHub's and GitLab's readers and
 * Jenkins accept (one testsuite; a testcase per claim and per skipped pair). A violated claim is a
 * failure, an inconclusive one an error, a pair that cannot be combined is skipped. Where cells
 * ended in an error, one more test case says so: there may be no claim about them. One more is
 * the comparison with a baseline.
 *
 * There is no schema that all readers share; tests/cli/junit_rules.py has the rules of each. Some
 * take a number from a test case's "time" without asking whether it is there. The report may not
 * depend on time: every duration is 0, unless durations are asked for. */
#include <math.h>
#include <string.h>

#include "core/base/text.h"
#include "report/exports/exports.h"

/* XML 1.0 has no control characters, not even escaped, and neither U+FFFE nor U+FFFF. */
static char *
escape (const char *text)
{
  g_autofree char *plain = assay_text_plain_lines (text != NULL ? text : "");

  return g_markup_escape_text (plain, -1);
}

static void
append_property (GString *xml, const char *name, double value)
{
  g_autofree char *number = NULL;

  if (!isfinite (value) || fabs (value) >= G_MAXDOUBLE) /* not known, no bound */
    return;
  number = assay_text_number (value);
  g_string_append_printf (xml, "        <property name=\"%s\" value=\"%s\"/>\n", name, number);
}

static void
append_mutants (GString *xml, const AssayResultMutants *mutants)
{
  if (mutants == NULL || mutants->is_stale)
    return;
  append_property (xml, "mutants-seen", mutants->n_seen);
  append_property (xml, "mutants", mutants->n_counted);
}

/* What the claim said when it was sealed. */
static void
append_seal (GString *xml, const AssayResults *results, const AssayResultClaim *result)
{
  g_autofree char *sealed = assay_report_seal_of (results, result->id);
  g_autofree char *escaped = escape (sealed);

  if (sealed != NULL)
    g_string_append_printf (xml, "        <property name=\"claim-sealed\" value=\"%s\"/>\n",
                            escaped);
}

/* Of all hypotheses together, where intervals are of one number each. */
static void
append_test (GString *xml, const AssayResultHypothesis *one)
{
  if (one->test == NULL)
    return;
  g_string_append_printf (xml, "        <property name=\"test\" value=\"%s\"/>\n", one->test);
  append_property (xml, "adjusted-p-violated", one->adjusted_violated);
  append_property (xml, "adjusted-p-upheld", one->adjusted_upheld);
  append_property (xml, "test-lower", one->test_lower);
  append_property (xml, "test-upper", one->test_upper);
}

static void
append_properties (GString *xml, const AssayResults *results, const AssayResultClaim *result)
{
  const AssayResultHypothesis *one = assay_result_decisive (result);
  const AssayResultUnits *units
      = one != NULL ? assay_result_units (results, one->cell->dataset) : NULL;

  g_string_append (xml, "      <properties>\n");
  g_string_append_printf (xml, "        <property name=\"measure\" value=\"%s\"/>\n",
                          result->measure->name);
  if (results->claims_sha256 != NULL)
    g_string_append_printf (xml, "        <property name=\"claims-sha256\" value=\"%s\"/>\n",
                            results->claims_sha256);
  append_seal (xml, results, result);
  append_property (xml, result->is_at_most ? "at-most" : "at-least",
                   assay_result_claim_bound (result));
  if (one != NULL) {
    append_property (xml, "estimate", one->interval.estimate);
    append_property (xml, "lower", one->interval.lower);
    append_property (xml, "upper", one->interval.upper);
    append_property (xml, "n", (double) one->interval.n);
    append_property (xml, "confidence", result->confidence);
    append_test (xml, one);
    if (units != NULL && units->says != NULL)
      append_property (xml, "effective-units", units->effective);
    if (result->measure->is_epsilon && isfinite (one->power)) {
      append_property (xml, "power", one->power);
      append_property (xml, "power-at", one->power_at);
    }
  }
  append_mutants (xml, results->mutants);
  g_string_append (xml, "      </properties>\n");
}

/* The reason, and by a line each what it rests on: the test, and how a violation is seen again. */
static char *
say_all (const AssayResults *results, const AssayResultClaim *result)
{
  GString *text = g_string_new (result->reason);
  g_autofree char *test = assay_report_verdict_test (result);

  if (test != NULL)
    g_string_append_printf (text, "\n%s", test);
  if (result->attackers.says != NULL)
    g_string_append_printf (text, "\n%s", result->attackers.says);
  if (result->witness.is_set) {
    g_autofree char *command = assay_report_replay (results, result, results->replay_with);

    g_string_append_printf (text, "\nwitness: %s", command);
  }
  return g_string_free (text, FALSE);
}

/* Jenkins and the reporters for GitHub show the message, GitLab shows nothing but the text. */
static void
append_outcome (GString *xml, const AssayResultClaim *result, const char *all)
{
  const char *verdict = assay_verdict_name (result->verdict);
  g_autofree char *reason = escape (result->reason);

  if (result->verdict == ASSAY_VERDICT_VIOLATED)
    g_string_append_printf (xml, "      <failure type=\"%s\" message=\"%s\">%s</failure>\n",
                            verdict, reason, all);
  else if (result->verdict == ASSAY_VERDICT_INCONCLUSIVE)
    g_string_append_printf (xml, "      <error type=\"%s\" message=\"%s\">%s</error>\n", verdict,
                            reason, all);
  else
    g_string_append_printf (xml, "      <system-out>%s: %s</system-out>\n", verdict, all);
}

/* In milliseconds, as the readers of test times have them. */
static char *
say_time (const double *seconds, guint i)
{
  const double milliseconds = seconds != NULL && isfinite (seconds[i]) ? seconds[i] * 1000 : 0;

  return assay_text_number (round (milliseconds) / 1000);
}

static void
append_claim (GString *xml, const AssayResults *results, const AssayResultClaim *result,
              const char *suite, const char *time)
{
  g_autofree char *id = escape (result->id);
  g_autofree char *says = escape (result->says);
  g_autofree char *file = escape (results->scenario);
  g_autofree char *all = say_all (results, result);
  g_autofree char *escaped = escape (all);

  g_string_append_printf (xml, "    <testcase classname=\"%s\" name=\"%s%s%s\" time=\"%s\"", suite,
                          id, *says != '\0' ? ": " : "", says, time);
  /* Readers that annotate sources (GitLab; action-junit-report) show the claim where it stands. */
  if (results->scenario != NULL && result->line > 0)
    g_string_append_printf (xml, " file=\"%s\" line=\"%u\"", file, result->line);
  g_string_append (xml, ">\n");
  append_properties (xml, results, result);
  append_outcome (xml, result, escaped);
  g_string_append (xml, "    </testcase>\n");
}

static guint
count_errors (const AssayResults *results, const AssayResultBad **ret_first)
{
  guint n = 0;

  ASSAY_FOR_EACH_IN (const AssayResultBad, bad, results->bad) {
    if (bad->status == ASSAY_RESULT_ERROR && n++ == 0)
      *ret_first = bad;
  }
  return n;
}

/* The type is what a job looks for: a run that lacks measurements is no baseline. */
static void
append_errors (GString *xml, const AssayResults *results, const char *suite)
{
  const AssayResultBad *first = NULL;
  const guint n = count_errors (results, &first);
  g_autofree char *says = NULL;
  g_autofree char *all = NULL;
  g_autofree char *message = NULL;
  g_autofree char *text = NULL;

  if (n == 0)
    return;
  says = g_strdup_printf ("%u of %zu cells ended in an error, the first: %s against %s, trial %u: "
                          "%s",
                          n, results->n_planned, first->attack_or_utility->name,
                          first->defense->name, first->trial, first->message);
  all = assay_report_failures (results);
  message = escape (g_strdelimit (says, "\n", ' '));
  text = escape (g_strstrip (all));
  g_string_append_printf (xml,
                          "    <testcase classname=\"%s\" name=\"cells: all ended well\" "
                          "time=\"0\">\n      <error type=\"cell-error\" message=\"%s\">%s"
                          "\n%s</error>\n    </testcase>\n",
                          suite, message, message, text);
}

/* What a reader is shown of the comparison, a line each; the first is the message. */
static char *
say_baseline (const AssayResultBaseline *baseline)
{
  g_autofree char *sentence = assay_report_baseline_sentence (baseline);
  GString *text = g_string_new (NULL);

  ASSAY_FOR_EACH (const char, worse, baseline->worse)
    g_string_append_printf (text, "worse: %s\n", worse);
  if (baseline->worse->len == 0 && baseline->is_open)
    g_string_append (text, "not all can be compared with the baseline\n");
  g_string_append_printf (text, "against baseline %s: %s", baseline->folder, sentence);
  ASSAY_FOR_EACH (const char, note, baseline->notes)
    g_string_append_printf (text, "\n%s", note);
  return g_string_free (text, FALSE);
}

/* As the exit codes are: worse is a failure, what cannot be said an error. */
static void
append_baseline (GString *xml, const AssayResultBaseline *baseline, const char *suite)
{
  g_autofree char *all = NULL;
  g_autofree char *text = NULL;
  g_autofree char *message = NULL;
  const char *tag;

  if (baseline == NULL)
    return;
  tag = baseline->worse->len > 0 ? "failure" : "error";
  all = say_baseline (baseline);
  text = escape (all);
  message = g_strndup (text, strcspn (text, "\n"));
  g_string_append_printf (xml,
                          "    <testcase classname=\"%s\" name=\"baseline: nothing leaks more\" "
                          "time=\"0\">\n",
                          suite);
  if (baseline->worse->len > 0 || baseline->is_open)
    g_string_append_printf (xml, "      <%s type=\"baseline\" message=\"%s\">%s</%s>\n", tag,
                            message, text, tag);
  else
    g_string_append_printf (xml, "      <system-out>%s</system-out>\n", text);
  g_string_append (xml, "    </testcase>\n");
}

char *
assay_report_junit (const AssayResults *results, const double *seconds)
{
  g_autofree char *suite = escape (results->title);
  g_autofree char *all = say_time (seconds, results->claims->len);
  const AssayResultBaseline *baseline = results->baseline;
  const AssayResultBad *first;
  const guint has_errors = count_errors (results, &first) > 0;
  const guint n_tests
      = results->claims->len + results->skipped->len + has_errors + (baseline != NULL);
  const gboolean is_worse = baseline != NULL && baseline->worse->len > 0;
  const guint n_failures = assay_results_count (results, ASSAY_VERDICT_VIOLATED) + (guint) is_worse;
  const guint n_errors = assay_results_count (results, ASSAY_VERDICT_INCONCLUSIVE) + has_errors
                         + (baseline != NULL && !is_worse && baseline->is_open);
  GString *xml = g_string_new ("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n");

  g_string_append_printf (xml,
                          "<testsuites tests=\"%u\" failures=\"%u\" errors=\"%u\" time=\"%s\">\n"
                          "  <testsuite name=\"%s\" tests=\"%u\" failures=\"%u\" errors=\"%u\" "
                          "skipped=\"%u\" time=\"%s\">\n",
                          n_tests, n_failures, n_errors, all, suite, n_tests, n_failures, n_errors,
                          results->skipped->len, all);
  for (guint i = 0; i < results->claims->len; i++) {
    g_autofree char *time = say_time (seconds, i);

    append_claim (xml, results, results->claims->pdata[i], suite, time);
  }
  append_errors (xml, results, suite);
  append_baseline (xml, baseline, suite);
  ASSAY_FOR_EACH_IN (const AssaySkip, skip, results->skipped) {
    g_autofree char *reason = escape (skip->reason);

    g_string_append_printf (xml,
                            "    <testcase classname=\"%s\" name=\"%s against %s\" time=\"0\">\n"
                            "      <skipped>%s</skipped>\n    </testcase>\n",
                            suite, skip->attack, skip->defense, reason);
  }
  g_string_append (xml, "  </testsuite>\n</testsuites>\n");
  return g_string_free (xml, FALSE);
}
