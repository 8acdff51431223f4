/* Arrays that are made one after another and end together: what a computation works in, or what an
 * object holds. Whether all of them are there is asked once, in the end. */
#pragma once

#include "core/data/matrix.h"

/* Zeroed: empty. */
typedef struct {
  GSList *blocks;
  gboolean has_failed; /* one of them is NULL */
} AssayArena;

/* As assay_alloc, but not to be freed. After one has failed all others do, and @error stays what it
 * is. */
gpointer assay_arena_alloc (AssayArena *arena, gsize count, gsize size, const char *what,
                            GError **error);
ASSAY_DECLARE_CLEAR (AssayArena, assay_arena_clear)
