/* What got worse since an earlier run, beside the verdicts: claims may all be upheld where the exit
 * code is 1. */
#include "report/exports/exports.h"
#include "report/html/html-page.h"
#include "report/html/html-parts.h"

/* Sentences that the page has room for; baseline.json has all. */
#define MAX_SENTENCES 20

static void
append_items (AssayHtml *html, const GPtrArray *lines, const char *what)
{
  if (lines->len == 0)
    return;
  assay_html_open (html, "ul");
  for (guint i = 0; i < MIN (lines->len, MAX_SENTENCES); i++)
    assay_html_text (html, "li", lines->pdata[i]);
  assay_html_close (html, "ul");
  assay_html_say_rest (html, MIN (lines->len, MAX_SENTENCES), lines->len, what, "baseline.json");
}

void
assay_html_baseline (AssayHtml *html, const AssayResults *results)
{
  const AssayResultBaseline *baseline = results->baseline;
  g_autofree char *sentence = NULL;

  if (baseline == NULL)
    return;
  sentence = assay_report_baseline_sentence (baseline);
  assay_html_say (html, NULL, "<div.notice id=\"baseline\">");
  assay_html_say (html, "p", "*%s* Against the run in {%s}, %s%s.",
                  baseline->worse->len > 0 ? "\u2717 Worse than the baseline."
                  : baseline->is_open      ? "? Not all can be compared with the baseline."
                                           : "\u2713 Not worse than the baseline.",
                  baseline->folder, sentence,
                  baseline->worse->len > 0 ? ", which is exit code 1 whatever the verdicts are"
                                           : "");
  append_items (html, baseline->worse, "comparisons that got worse");
  append_items (html, baseline->notes, "remarks on the comparison");
  assay_html_close (html, "div");
}
