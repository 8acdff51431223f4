/* Hash functions that were learned, so that releases of the same secrets (repeats, sweeps of
 * epsilon) learn theirs once. */
#pragma once

#include "core/math/hash-function.h"

/* A copy of the function that is kept under @key, or NULL; keeps a copy of one, in the cache of
 * shared work (core/base/shared-work.h). From any thread. */
AssayHashFunction *learned_function_find (const char *key);
void learned_function_keep (const char *key, const AssayHashFunction *function);
