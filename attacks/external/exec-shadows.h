/* What programs of the games member and cross learn from: runs of the defense in the folder
 * shadows/, run R as shadows/R, a release. Rows are chosen as membership and cross-linkage choose
 * them (attacks/adaptive), so that they share runs. Where the program may not run the defense,
 * nothing is written. */
#pragma once

#include "core/external/exec-folder.h"
#include "core/plugin/plugin.h"

/* member: half of the records are in each run, and the other half in the next; members.npy (int64
 * runs x records) has 1 where a record was in it. The number of runs is a multiple of 4. */
gboolean exec_shadows_of_records (AssayExecFolder *folder, const AssayObservation *seen,
                                  GError **error);

/* cross: runs 2 k and 2 k + 1 are of the same public rows in the same order, with keys of their
 * own. */
gboolean exec_shadows_of_keys (AssayExecFolder *folder, const AssayObservation *seen,
                               GError **error);
