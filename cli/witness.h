/* Replaying the witness of a violated claim. */
#pragma once

#include "cli/cli.h"
#include "runner/judge/results.h"
#include "runner/store/folder.h"

/* Plays the witness of claim @id again from the finished run in @place, and prints it. */
int cli_witness (const AssayPlan *plan, const char *place, const char *id);
