/* What a defense made of secrets, which the cells of one release share. */
#pragma once

#include "runner/run/own/own-pairs.h"

typedef struct {
  AssayRelease *release;
  AssayTruth *truth;
  GPtrArray *repeats; /* further releases; as many as were asked for so far */
  AssayOwnStore *own; /* pairs that attackers learn from; as far as they were asked for */
  AssayRows *records; /* of the game member, where it is played; the truth then has `members` */
  AssayRoleData record_data; /* their labels and attributes */
  AssayRelease *crossed; /* of the game cross, where it is played; the truth then has `mates` */
  AssayOwnRelease *known; /* what was released of public rows that were among the secrets; NULL: of
                           * none */
  GError *error;      /* why there is no release */
} Made;

/* What a release is made of. */
typedef struct {
  const AssayPlan *plan;
  const AssayCell *cell;
  gboolean is_tuning;
  gsize known; /* public rows that are protected among the secrets */
  const AssayDataset *dataset;
  const AssaySecrets *secrets;
  const AssayKnowledge *knowledge;
} MadeTerms;

AssayRunPosition made_position (const AssayPlan *plan, const AssayCell *cell, gboolean is_tuning,
                                gsize repeat);

/* One release of the secrets into @made: release, truth and, with rows that are known, these;
 * @repeat 0 is the one that cells attack. */
gboolean made_protect (const MadeTerms *terms, gsize repeat, Made *made, GError **error);
/* The same with `known` public rows among the secrets, in random order (known-rows.c). Items of the
 * secrets become release and truth, as if there were no others. @how and @secrets are those of the
 * secrets alone. ASSAY_ERROR_MISMATCH where there are not as many rows that are of nobody among the
 * secrets. */
gboolean made_protect_known (const MadeTerms *terms, const AssayProtecting *how,
                             const AssaySecrets *secrets, Made *made, GError **error);

void made_free (gpointer made);

/* A dictionary that releases share is counted with each: they may outlive one another. */
gsize made_bytes (const Made *made);
