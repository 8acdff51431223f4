/* Further records of the secrets among the public rows: what an attacker has who knows whom to look
 * for (game link). */
#pragma once

#include "core/base/rng.h"
#include "core/data/dataset.h"

/* Puts before the public rows of @dataset (there may be none) a record of each secret: the secret
 * itself, with Gaussian noise of @noise times the standard deviation of its column in each number.
 * The places are shuffled together with the public rows, and kept in `counterparts`. Labels and
 * frames of public rows are dropped. */
gboolean record_copies_add (AssayDataset *dataset, double noise, AssayStreamKey key,
                            GError **error);
