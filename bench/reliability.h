/* How often pictures are right of which an attack is so and so sure. */
#pragma once

#include "bench/measure.h"

/* Numbers are gathered in the order in which they come. */
typedef struct {
  GArray *confidences; /* double, 0 to 1 */
  GArray *likenesses;  /* double: |correlation| with the secret that the picture is most like */
} Reliability;

Reliability reliability_new (void);
void reliability_clear (Reliability *gathered);
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (Reliability, reliability_clear)

void reliability_add (Reliability *gathered, double confidence, double likeness);

/* A row for each range of confidences that has pictures: how many, their mean confidence, and the
 * share whose correlation is above 0.8, with 95 % intervals as if they were independent; then one
 * for all of 0.9 and more. */
void reliability_report (const Reliability *gathered, Report *report);
