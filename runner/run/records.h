/* Records of the game member: secrets that were released, and as many rows of the pool that were
 * not. */
#pragma once

#include "runner/run/made.h"

typedef struct {
  const AssayPlan *plan;
  const AssayCell *cell;
  gboolean is_tuning;
  const AssayDataset *dataset;
  const gsize *order;  /* of the rows of its pool */
  gsize first, count;  /* places of the secrets in it */
} AssayRecordsDraw;

/* Where the attack of the cell plays member, gives @made records and its truth `members`, unless it
 * has them, and sets @ret_records (else to NULL): they are the same for all attacks on a release.
 * Those that were not released are of other groups than the secrets. ASSAY_ERROR_MISMATCH where
 * there are none. */
gboolean assay_records_grant (const AssayRecordsDraw *draw, Made *made,
                              const AssayRows **ret_records, GError **error);
