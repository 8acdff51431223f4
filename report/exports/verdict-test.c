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

/* "by Gaffke's test, which over all hypotheses leaves 0.2658 to 0.474". */
static void
append_test (GString *text, const AssayResultHypothesis *one)
{
  static const char leaves[] = ", which over all hypotheses leaves ";

  g_string_append_printf (text, " by %s", one->test);
  if (isfinite (one->test_lower) && isfinite (one->test_upper))
    g_string_append_printf (text, "%s%.4g to %.4g", leaves, one->test_lower, one->test_upper);
  else if (isfinite (one->test_lower))
    g_string_append_printf (text, "%sat least %.4g", leaves, one->test_lower);
  else if (isfinite (one->test_upper))
    g_string_append_printf (text, "%sat most %.4g", leaves, one->test_upper);
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
  append_test (text, one);
  return g_string_free (g_steal_pointer (&text), FALSE);
}
