/* Attacks that are asked for less than they can: by one choice where another tries all, or with
 * fewer rows or runs than they learn well from. That they fail so shows nothing. */
#pragma once

#include "runner/plan/plan.h"

/* Pairs of rows that one who learns from them wants, where there are as many: learners are chosen
 * on so many (docs/adaptive.md). */
#define ASSAY_ENOUGH_PAIRS (gsize) 1000
/* Runs of the defense that one who compares releases wants: the default of mechanism_runs. */
#define ASSAY_ENOUGH_RUNS 20

/* "score = classifier, where auto tries all": what keeps the attack of @cell, which has @settings,
 * from all that it can; NULL: nothing. */
char *assay_asks_less (const AssayPlan *plan, const AssayCell *cell,
                       const AssaySettings *settings);
