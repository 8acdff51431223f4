/* The test that decided a verdict, in words: an interval describes one number, a verdict is of all
 * hypotheses of the scenario together. */
#include <math.h>

#include "report/exports/exports.h"

static void
append_p (GString *text, double p, const char *verdict)
{
  if (isfinite (p))
    g_string_append_printf (text, "%sp (%s) = %.3g", text->len > 0 ? ", " : "adjusted ", verdict,
                            p);
}

/* "by Gaffke's test, which over all hypotheses leaves 26.58 to 47.4 %". */
static void
append_test (GString *text, const AssayResultMeasure *measure, const AssayResultHypothesis *one)
{
  static const char leaves[] = ", which over all hypotheses leaves ";
  g_autofree char *range = assay_result_range (measure, one->test_lower, one->test_upper);
  g_autofree char *lower = assay_result_value (measure, one->test_lower);
  g_autofree char *upper = assay_result_value (measure, one->test_upper);

  g_string_append_printf (text, " by %s", one->test);
  if (isfinite (one->test_lower) && isfinite (one->test_upper))
    g_string_append_printf (text, "%s%s", leaves, range);
  else if (isfinite (one->test_lower))
    g_string_append_printf (text, "%sat least %s", leaves, lower);
  else if (isfinite (one->test_upper))
    g_string_append_printf (text, "%sat most %s", leaves, upper);
}

char *
assay_report_verdict_test (const AssayResultClaim *result)
{
  const AssayResultHypothesis *one = assay_result_decisive (result);
  g_autoptr (GString) text = g_string_new (NULL);

  if (one == NULL || one->test == NULL)
    return NULL;
  /* Where nothing was decided, neither test decided. */
  if (result->verdict != ASSAY_VERDICT_UPHELD)
    append_p (text, one->adjusted_violated, "violated");
  if (result->verdict != ASSAY_VERDICT_VIOLATED)
    append_p (text, one->adjusted_upheld, "upheld");
  if (text->len == 0)
    return NULL;
  append_test (text, result->measure, one);
  return g_string_free (g_steal_pointer (&text), FALSE);
}
