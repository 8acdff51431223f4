/* Reliability tables. */
#include "bench/reliability.h"

#include "core/stats/binomial.h"

#define RIGHT 0.8 /* a correlation above which a picture counts */

Reliability
reliability_new (void)
{
  return (Reliability){ g_array_new (FALSE, FALSE, sizeof (double)),
                        g_array_new (FALSE, FALSE, sizeof (double)) };
}

void
reliability_clear (Reliability *gathered)
{
  g_clear_pointer (&gathered->confidences, g_array_unref);
  g_clear_pointer (&gathered->likenesses, g_array_unref);
}

void
reliability_add (Reliability *gathered, double confidence, double likeness)
{
  g_array_append_val (gathered->confidences, confidence);
  g_array_append_val (gathered->likenesses, likeness);
}

static void
report_range (const Reliability *gathered, Report *report, double from, double to)
{
  double n = 0, right = 0, sum = 0;

  for (guint i = 0; i < gathered->confidences->len; i++) {
    const double confidence = g_array_index (gathered->confidences, double, i);

    if (confidence < from || confidence >= to)
      continue;
    n++;
    sum += confidence;
    right += g_array_index (gathered->likenesses, double, i) > RIGHT;
  }
  if (n == 0)
    return;
  report_case (report, "%.2f to %.2f", from, MIN (to, 1));
  report_number (report, "pictures", n, 0);
  report_number (report, "mean confidence", sum / n, 3);
  report_interval (report, "right", right / n, assay_binomial_lower (right, n, 0.025),
                   assay_binomial_upper (right, n, 0.025), 3);
}

void
reliability_report (const Reliability *gathered, Report *report)
{
  static const double edges[] = { 0, 0.1, 0.3, 0.5, 0.7, 0.8, 0.9, 0.95, 0.98, 1.01 };

  report_next_table (report);
  for (gsize i = 0; i + 1 < G_N_ELEMENTS (edges); i++)
    report_range (gathered, report, edges[i], edges[i + 1]);
  report_range (gathered, report, 0.9, 1.02);
}
