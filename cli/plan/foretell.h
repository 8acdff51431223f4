/* How long a run would take, for assay plan. */
#pragma once

#include "cli/options.h"

/* Plays parts of @plan, which is of @options, for at most @seconds. One line of text. What does not
 * end when the time is over goes on in a thread, with which the process cannot end as usual:
 * cli_foretell_end does then end it, with @code. */
char *cli_foretell (const AssayPlan *plan, const CliPlanOptions *options, double seconds);
void cli_foretell_end (int code);
