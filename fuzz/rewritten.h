/* A run's store, written again. */
#pragma once

#include "runner/compare/saved-run.h"

/* Writes what was read of @run into a store in memory, as a run does it, and reads it back: the
 * plan, the times, and of its first cells status, outcomes and pictures, all equal. */
void fuzz_check_rewritten (const AssaySavedRun *run);
