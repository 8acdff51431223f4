/* All mistakes of a scenario, where its plan cannot be made because of one. */
#pragma once

#include "runner/plan/plan.h"
#include "runner/plan/scenario.h"

/* Makes a plan of @scenario; NULL with an error that begins with FILE:LINE: where it has a place
 * there. */
typedef AssayPlan *(*AssayPlanMaker) (const AssayScenario *scenario, gconstpointer data,
                                      GError **error);

/* Takes what @error blames out of @scenario and has a plan made of the rest, again and again, and
 * adds to the message of @error, a line each, what else is wrong. What follows from what was taken
 * out is not said. Where @error is of the text, @scenario is what could be read of it. */
void assay_mistakes_add (AssayScenario *scenario, gboolean is_of_text, AssayPlanMaker make,
                         gconstpointer data, GError **error);
