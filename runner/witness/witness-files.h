/* The witness of an audit as files that anybody can count again: the outputs of all test runs, as
 * the run kept them (runner/store/counted.h), and a script that holds the event.
 *
 *   NAME.py          needs Python 3 and NumPy, and nothing of Assay; prints how often the event is
 *                    seen on either input
 *   NAME-first.npy   outputs of the runs on the first input, runs x columns, float32 or float64
 *   NAME-second.npy  the same on the second
 *   NAME-events.npy  2 x runs of 0 and 1: where the audit saw the event
 * The script holds the whole formula of a learned score, and of any score of one column that has
 * none (a declared density) the intervals of it that are the event; it ends with 1 where these say
 * of a run something else than the audit did. Of densities of several columns it counts what the
 * audit marked, and ends with 1 where equal outputs are marked differently, so that no event at all
 * would do it. */
#pragma once

#include "runner/store/counted.h"

/* What formulas are made of, and what counts: witness-head.py and witness-count.py. */
extern const char assay_witness_head[];
extern const char assay_witness_count[];

/* Bytes of runs that are made again, where the run kept none. */
#define ASSAY_WITNESS_MOST (256u << 20)

/* @place: folder and name without an ending; the folder is made. ASSAY_ERROR_IO. */
gboolean assay_witness_files_write (const char *place, const AssayAuditRecord *audit,
                                    const AssayCounted *counted, GError **error);
