/* Mutants of releases: twenty mistakes of what a defense gives away, for claims that little of the
 * secrets is recovered. The defense protects as it does, and what it released is changed
 * afterwards, or it draws from a seed that can be guessed. */
#pragma once

#include "core/games/mutants/mutant.h"

/* In the order in which they are played; NULL: there are no more. */
const AssayMutantKind *assay_release_mutant_kind (guint index);

/* Mutant number @index of @base. NULL with *ret_why_not where the mistake cannot be made on
 * releases of its kind. What it changes is counted in n_changed: it may turn out to be nothing. */
AssayMutant *assay_release_mutant_new (guint index, const AssayDefense *base,
                                       const AssaySettings *settings, const char **ret_why_not);
