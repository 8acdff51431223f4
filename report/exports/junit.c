/* claims.xml: the verdicts as a JUnit report, in the form that GitHub's and GitLab's readers and
 * Jenkins accept (one testsuite; a testcase per claim and per skipped pair). A violated claim is a
 * failure, an inconclusive one an error, a pair that cannot be combined is skipped.
 *
 * There is no schema that all readers share; tests/cli/junit_rules.py has the rules of each. Some
 * take a number from a test case's "time" without asking whether it is there. The report may not
 * depend on time: every duration is 0, unless durations are asked for. */
#include <math.h>

#include "core/base/text.h"
#include "report/exports/exports.h"

/* XML 1.0 has no control characters, not even escaped, and neither U+FFFE nor U+FFFF. */
static char *
escape (const char *text)
{
  GString *plain = g_string_new (NULL);
  char *escaped;

  for (; text != NULL && *text != '\0'; text = g_utf8_next_char (text)) {
    const gunichar c = g_utf8_get_char (text);

    g_string_append_unichar (plain, c == '\n' || assay_text_is_shown (c) ? c : ' ');
  }
  escaped = g_markup_escape_text (plain->str, (gssize) plain->len);
  g_string_free (plain, TRUE);
  return escaped;
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

char *
assay_report_junit (const AssayResults *results, const double *seconds)
{
  g_autofree char *suite = escape (results->title);
  g_autofree char *all = say_time (seconds, results->claims->len);
  const guint n_tests = results->claims->len + results->skipped->len;
  const guint n_failures = assay_results_count (results, ASSAY_VERDICT_VIOLATED);
  const guint n_errors = assay_results_count (results, ASSAY_VERDICT_INCONCLUSIVE);
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
