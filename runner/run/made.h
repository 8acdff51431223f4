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
  double seconds;     /* that making it took */
  GError *error;      /* why there is no release */
} Made;

/* One release of the secrets into @made: release, truth and, with rows that are known, these;
 * @repeat 0 is the one that cells attack. With `known` rows, items of the secrets become release
 * and truth as if there were no others, and it is ASSAY_ERROR_MISMATCH where there are not as many
 * that are of nobody among the secrets. */
gboolean made_protect (const AssayReleaseTerms *terms, gsize repeat, Made *made, GError **error);

void made_free (gpointer made);

/* Whether two releases have the same arrays, to the bit. */
gboolean made_equals (const AssayRelease *a, const AssayRelease *b);

/* A dictionary that releases share is counted with each: they may outlive one another. */
gsize made_bytes (const Made *made);
