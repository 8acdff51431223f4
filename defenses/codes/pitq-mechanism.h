/* pitq in the distinguishing game (flipping-mechanism.h). Theorem 8 composes E Random Flippings of
 * epsilon / E each, and claims epsilon under each relation: it names none.
 * Relations bit and code: what the proof composes, the bits after each of the E flippings. Relation
 * record: what is returned of a dataset, R and U = sign (Y W R), neither of which is flipped after
 * it was computed. Pair 0 is of records whose first numbers are
 *   first    2,  2, 1, -1, 1, -1, ...   records 0 and 1 are duplicates: they share a code, always;
 *   second   2, -2, 1, -1, 1, -1, ...   they lie on opposite sides of the mean: they never do, as
 *                                       rotations keep their angle, which is above 90 degrees. */
#pragma once

#include "defenses/codes/flipping-mechanism.h"
#include "defenses/codes/hash-learning.h"

typedef struct {
  union {
    HashSettings hash;
    struct {
      HASH_SETTINGS;
    };
  };
  double epsilon;
  FLIPPING_SETTINGS;
} Pitq;

extern const AssayMechanism pitq_mechanism;

/* Of relation = record: ASSAY_ERROR_PARAMETER unless the small datasets have a component a bit. */
gboolean pitq_mechanism_check (const Pitq *settings, const AssayShape *shape, GError **error);
