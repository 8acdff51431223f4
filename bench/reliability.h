/* How often pictures are right of which an attack is so and so sure, and what makes it sure. */
#pragma once

#include "bench/measure.h"

#define RELIABILITY_EVIDENCE 4 /* numbers, as mixture-inversion gives them */

/* Of one picture. */
typedef struct {
  double confidence; /* 0 to 1 */
  double likeness;   /* |correlation| with the secret that it is most like */
  double evidence[RELIABILITY_EVIDENCE];
} Picture;

/* Pictures in the order in which they come. */
typedef struct {
  GArray *pictures; /* Picture */
} Reliability;

Reliability reliability_new (void);
void reliability_clear (Reliability *gathered);
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (Reliability, reliability_clear)

/* A row for each range of confidences that has pictures: how many, their mean confidence, the share
 * whose correlation is above 0.8, with 95 % intervals as if they were independent, and the least
 * correlation; then one for all of 0.9 and more. */
void reliability_report (const Reliability *gathered, Report *report);

/* Coefficients of mixture-confidence.h: logistic regressions of "the correlation is above 0.8" on
 * the evidence, of pictures that were not moved and of those that were. */
void reliability_report_fit (const Reliability *gathered, Report *report);
