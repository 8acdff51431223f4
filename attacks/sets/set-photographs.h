/* Sets of one photograph taken together: which words stand beside which. */
#pragma once

#include "attacks/sets/vector-sets.h"

/* How many times as likely each of the n w members is as it is by public rows alone, given all
 * other sets of its group (n x w, as the sets). @seen has groups, and with public rows
 * their groups too or none; @sets are those of its release.
 * ASSAY_ERROR_MEMORY, and ASSAY_ERROR_MISMATCH where columns differ. */
double *set_photographs_lifts (const VectorSets *sets, const AssayObservation *seen,
                               GError **error);

/* A photograph that is told by which words stand together alone: of each set of 8 the secret's word
 * is of the kind of which all its photograph's are, the others of kinds drawn; all words are as
 * frequent, and as near to a public row, as each other. */
gboolean set_photographs_control (AssayStreamKey key, AssayControlCase *ret_case, GError **error);
