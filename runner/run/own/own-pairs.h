/* What a cell's attacker learns from: a handle by which they run the defense on rows of their own
 * (core/plugin/shadow.h), and pairs, which are made once for a release and shared by its
 * attacks. */
#pragma once

#include "runner/run/terms.h"

/* The pairs beside one release, as far as attacks asked for them. */
typedef struct _AssayOwnStore AssayOwnStore;

AssayOwnStore *assay_own_store_new (void);
void assay_own_store_free (AssayOwnStore *store);         /* may be NULL */
gsize assay_own_store_bytes (const AssayOwnStore *store); /* 0 of NULL */

typedef struct {
  const AssayReleaseTerms *terms; /* the cell is one of an attack */
  const AssayRelease *release;    /* under attack */
  const AssayTruth *truth;        /* of it: only to see that pairs are of others */
  const AssayOwnRelease *known;   /* rows that are known in it; NULL: none */
  const AssayRoleData *records;   /* what is known of the records of the game member */
} AssayOwnGrant;

/* What the attack of the cell is granted of it: NULL where nothing is. @ret_pairs belong to the
 * store. Makes or reads the pairs that are not there yet; ASSAY_ERROR_MISMATCH for pairs of which
 * a row is a secret under attack. */
gboolean assay_own_store_grant (AssayOwnStore *store, const AssayOwnGrant *grant,
                                AssayShadow **ret_shadow, const AssayPairs **ret_pairs,
                                GError **error);
