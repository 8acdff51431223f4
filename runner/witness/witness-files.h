/* The witness of an audit as files that anybody can count again: the outputs of all test runs, as
 * the run kept them (runner/store/counted.h), and a script that holds the event.
 *
 *   NAME.py          needs Python 3 and NumPy, and nothing of Assay; prints how often the event is
 *                    seen on either input
 *   NAME-first.npy   outputs of the runs on the first input, runs x columns, float32 or float64
 *   NAME-second.npy  the same on the second
 *   NAME-events.npy  2 x runs of 0 and 1: where the audit saw the event
 * The script holds the whole formula of scores of the kinds patterns, classifier and trees, and of
 * any score of one column the intervals of it that are the event; it ends with 1 where these say
 * of a run something else than the audit did. Of other scores (repeats, digits, order, ... of
 * several columns, and densities) it counts what the audit marked, and ends with 1 where equal
 * outputs are marked differently, so that no event at all would do it. */
#pragma once

#include "runner/store/counted.h"

/* Bytes of runs that are made again, where the run kept none. */
#define ASSAY_WITNESS_MOST (256u << 20)

/* @place: folder and name without an ending; the folder is made. ASSAY_ERROR_IO. */
gboolean assay_witness_files_write (const char *place, const AssayAuditRecord *audit,
                                    const AssayCounted *counted, GError **error);
