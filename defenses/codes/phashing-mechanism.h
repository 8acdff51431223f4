/* phashing in the distinguishing game (flipping-mechanism.h). Claimed are
 *   calibration = paper                 epsilon under each relation: theorems 4 and 6 name none;
 *   calibration = randomised-response   epsilon of a bit, c epsilon of a code, and of a record what
 *                                       its code has: as if the hash function said nothing of it.
 * Relation record: what is returned of a dataset is the codes after Random Flipping, and h, which
 * was learned from all records and is not randomised. Pair 0 is of records whose first numbers are
 *   first    16, -1, 1, -1, 1, ...     the outlier moves the mean beyond all others, so that their
 *                                      codes are alike, and unlike its own;
 *   second    0, -1, 1, -1, 1, ...     without it the codes of the others alternate.
 * One record thus changes the codes of half of the others. */
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
  guint base; /* HashMethod */
  double epsilon;
  guint calibration; /* FlippingCalibration */
  FLIPPING_SETTINGS;
} PHashing;

extern const AssayMechanism phashing_mechanism;

/* 1 - beta and beta of its Random Flipping. */
void phashing_chances (const PHashing *settings, double *ret_kept, double *ret_turned);

/* Of relation = record: ASSAY_ERROR_PARAMETER unless a hash function can be learned from the small
 * datasets of pair 0. */
gboolean phashing_mechanism_check (const PHashing *settings, const AssayShape *shape,
                                   GError **error);

/* The defense's `protect`, which relation = record runs. */
gboolean phashing_protect (const AssayDefenseContext *context, AssayView secrets,
                           AssayRelease *ret_release, AssayTruth *ret_truth, GError **error);
