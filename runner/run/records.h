/* What games ask beside a release: records of the game member, secrets that were released and as
 * many rows of the pool that were not; and a second release of the game cross. */
#pragma once

#include "runner/run/made.h"

/* Where the attack of the cell plays member, gives @made records and its truth `members`, unless it
 * has them, and grants them with their classes: they are the same for all attacks on a release.
 * Those that were not released are of other groups than the secrets. ASSAY_ERROR_MISMATCH where
 * there are none. */
gboolean assay_records_grant (const AssayReleaseTerms *terms, Made *made,
                              AssayGranted *inout_granted, GError **error);

/* Where it plays cross, gives @made a second release of its secrets (of 1000 of them at most), in
 * random order, with randomness and a key of its own, and its truth `mates`, and sets @ret_crossed.
 * ASSAY_ERROR_MISMATCH for an external release; errors of the defense. */
gboolean assay_crossed_grant (const AssayReleaseTerms *terms, Made *made,
                              const AssayRelease **ret_crossed, GError **error);
