/* The distinguishing game: two neighbouring inputs, fresh runs of a mechanism on each, an event
 * that an auditor chose on runs of its own, and counts on runs that nobody has seen.
 *
 * The auditor gets an oracle: pairs of neighbouring inputs, labelled runs on either of them to
 * train on, and the exact likelihood ratio where the mechanism knows its density. It returns an
 * event. The game alone then draws the runs on which that event is tested; they come from other
 * items of the mechanism's stream, so that nothing chosen by looking at data is ever tested on
 * them. Memory does not depend on the number of runs. */
#pragma once

#include "core/plugin/oracle.h"
#include "core/stats/measure.h"

/* Tests @event on its fresh runs; the counts do not depend on the number of threads. Fails where
 * the mechanism does, and with ASSAY_ERROR_CANCELLED. */
gboolean assay_distinguish (const AssayOracle *oracle, const AssayEvent *event,
                            AssayAudit *ret_audit, GError **error);
