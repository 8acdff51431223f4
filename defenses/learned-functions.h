/* Hash functions that were learned, so that releases of the same secrets (repeats, sweeps of
 * epsilon) learn theirs once. */
#pragma once

#include "defenses/hash-learning.h"

G_BEGIN_DECLS

/* The name of what @method learns from @training with @settings: equal for equal input. */
char *learned_function_key (HashMethod method, const HashSettings *settings,
                            const HashTraining *training);

/* A copy of the function that is kept under @key, or NULL; keeps a copy of one, and drops the one
 * that was not asked for longest when there are more than LEARNED_FUNCTIONS_MOST. From any
 * thread. */
#define LEARNED_FUNCTIONS_MOST 16
AssayHashFunction *learned_function_find (const char *key);
void learned_function_keep (const char *key, const AssayHashFunction *function);

G_END_DECLS
