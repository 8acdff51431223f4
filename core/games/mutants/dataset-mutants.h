/* Mutants of mechanisms that act on a whole dataset, as the game one-run sees them: twenty mistakes
 * in what one run makes of its records. */
#pragma once

#include "core/games/mutants/mutant.h"

/* In the order in which they are played; NULL: there are no more. */
const AssayMutantKind *assay_dataset_mutant_kind (guint index);

/* Mutant number @index of @base. NULL with *ret_why_not where the mistake cannot be made. */
AssayMutant *assay_dataset_mutant_new (guint index, const AssayDefense *base,
                                       const AssaySettings *settings, const char **ret_why_not);
