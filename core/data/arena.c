/* Arrays that end together. */
#include "core/data/arena.h"

gpointer
assay_arena_alloc (AssayArena *arena, gsize count, gsize size, const char *what, GError **error)
{
  gpointer block = arena->has_failed ? NULL : assay_alloc (count, size, what, error);

  if (block != NULL)
    arena->blocks = g_slist_prepend (arena->blocks, block);
  arena->has_failed = block == NULL;
  return block;
}

ASSAY_CLEAR_FUNC (AssayArena, assay_arena_clear,
                  g_slist_free_full (g_steal_pointer (&self->blocks), g_free))
