/* Mutants of mechanisms: twenty mistakes that programs with a formal claim are known for. The
 * mutant claims what its base claims, has its pairs and its declared density; only its runs differ.
 *
 * What a mistake reveals is which side of the middle of pair 0 an input lies on (mechanism-view.h),
 * so that it shows on the pair that the mechanism itself proposes as the worst; but for the missing
 * clamp, which shows only on inputs beyond those of pair 0. */
#pragma once

#include "core/games/mutants/mutant.h"

/* In the order in which they are played; NULL: there are no more. */
const AssayMutantKind *assay_mechanism_mutant_kind (guint index);

/* Mutant number @index of @base, whose secrets have @cols columns, at the claimed budget. NULL with
 * *ret_why_not where the mistake cannot be made here, or with an error where the mechanism fails.
 * */
AssayMutant *assay_mechanism_mutant_new (guint index, const AssayDefense *base,
                                         const AssaySettings *settings, gsize cols,
                                         const char **ret_why_not, GError **error);
