/* Reliability tables, and logistic regressions by Newton's method. */
#include "bench/reliability.h"

#include <math.h>

#include "core/math/linalg.h"
#include "core/stats/binomial.h"

#define RIGHT 0.8 /* a correlation above which a picture counts */
#define TERMS 3   /* a constant, log odds of the agreement, known */
#define ROUNDS 100
#define RIDGE 0.05 /* on all but the constant */
#define LEAST_AGREEMENT 0.01
#define MOST_AGREEMENT 0.9999

Reliability
reliability_new (void)
{
  return (Reliability){ g_array_new (FALSE, FALSE, sizeof (Picture)) };
}

void
reliability_clear (Reliability *gathered)
{
  g_clear_pointer (&gathered->pictures, g_array_unref);
}

static void
report_range (const Reliability *gathered, Report *report, double from, double to)
{
  double n = 0, right = 0, sum = 0, least = 1;

  for (guint i = 0; i < gathered->pictures->len; i++) {
    const Picture *picture = &g_array_index (gathered->pictures, Picture, i);

    if (picture->confidence < from || picture->confidence >= to)
      continue;
    n++;
    sum += picture->confidence;
    right += picture->likeness > RIGHT;
    least = MIN (least, picture->likeness);
  }
  if (n == 0)
    return;
  report_case (report, "%.2f to %.2f", from, MIN (to, 1));
  report_number (report, "pictures", n, 0);
  report_number (report, "mean confidence", sum / n, 3);
  report_interval (report, "right", right / n, assay_binomial_lower (right, n, 0.025),
                   assay_binomial_upper (right, n, 0.025), 3);
  report_number (report, "least correlation", least, 3);
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

/* ---- Regression ---- */

static void
take_terms (const Picture *picture, double *ret_terms)
{
  const double a = CLAMP (picture->evidence[0], LEAST_AGREEMENT, MOST_AGREEMENT);

  ret_terms[0] = 1;
  ret_terms[1] = log (a * a / (1 - a * a));
  ret_terms[2] = picture->evidence[2];
}

/* One step of Newton's on the first @terms coefficients. */
static gsize
improve (const Reliability *gathered, gboolean is_moved, gsize terms, double *coefficients)
{
  double hessian[TERMS * TERMS] = { 0 }, gradient[TERMS] = { 0 };
  gsize count = 0;

  for (gsize i = 0; i < terms; i++) {
    hessian[i * terms + i] = i > 0 ? RIDGE : 1e-9;
    gradient[i] = i > 0 ? -RIDGE * coefficients[i] : 0;
  }
  for (guint p = 0; p < gathered->pictures->len; p++) {
    const Picture *picture = &g_array_index (gathered->pictures, Picture, p);
    double x[TERMS], y = 0, chance;

    if ((picture->evidence[3] > 0) != is_moved)
      continue;
    count++;
    take_terms (picture, x);
    for (gsize i = 0; i < terms; i++)
      y += coefficients[i] * x[i];
    chance = 1 / (1 + exp (-y));
    for (gsize i = 0; i < terms; i++) {
      gradient[i] += x[i] * ((picture->likeness > RIGHT) - chance);
      for (gsize j = 0; j < terms; j++)
        hessian[i * terms + j] += chance * (1 - chance) * x[i] * x[j];
    }
  }
  if (count > 0 && assay_linalg_solve_spd (terms, 1, hessian, gradient, NULL))
    for (gsize i = 0; i < terms; i++)
      coefficients[i] += gradient[i];
  return count;
}

static void
report_coefficients (const Reliability *gathered, gboolean is_moved, gsize terms, Report *report)
{
  static const char *const names[TERMS] = { "constant", "of agreement", "of known" };
  double coefficients[TERMS] = { 0 };
  gsize count = 0;

  for (gsize round = 0; round < ROUNDS; round++)
    count = improve (gathered, is_moved, terms, coefficients);
  if (count == 0)
    return;
  report_case (report, "%s", is_moved ? "moved" : "not moved");
  report_number (report, "pictures", (double) count, 0);
  for (gsize i = 0; i < terms; i++)
    report_number (report, names[i], coefficients[i], 2);
}

void
reliability_report_fit (const Reliability *gathered, Report *report)
{
  report_next_table (report);
  report_coefficients (gathered, FALSE, TERMS, report);
  report_next_table (report);
  report_coefficients (gathered, TRUE, 2, report);
}
