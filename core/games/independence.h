/* Whether the runs of a mechanism are fresh and independent, as the bounds of an audit suppose.
 *
 * Noise that comes again after so many runs, or is alike from run to run, makes counts vary more
 * than those of independent runs do, and a claim that is kept seem violated; noise that every start
 * of a program draws anew from the same seed makes an event fit the runs on which it is tested.
 *
 * The game keeps a few bytes of each of its first runs; they are tested afterwards, and some runs
 * are drawn beside them. All tests together say of independent runs that they are not in less than
 * one of 10^6 audits. */
#pragma once

#include "core/games/distinguish.h"

/* Why runs are not independent, in words that name the lag; NULL in @ret_why: they seem to be. Runs
 * of run_many are drawn by a few more starts: two of 1024 runs from one seed, and starts of one run
 * until two of them differ. @ret_own: two starts from one seed differed, so that no run can be
 * played again. FALSE where a run fails. */
gboolean assay_independence_test (const AssayOracle *oracle, const AssayEvent *event,
                                  const AssayRunLog *log, char **ret_why, gboolean *ret_own,
                                  GError **error);
