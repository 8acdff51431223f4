/* What is external about a defense or an attack: programs of others, or what was made outside of
 * Assay. */
#pragma once

#include "core/plugin/common.h"

G_BEGIN_DECLS

/* Members may be NULL. */
typedef struct {
  /* Of settings that name programs: takes the folder of the scenario, where their files are looked
   * for first; and the paths of those files, on whose content results depend: a run is not gone on
   * with when they changed. */
  void (*locate) (gpointer settings, const char *folder);
  GPtrArray *(*files) (gconstpointer settings);
  /* Of a release or a guess in the folder that the setting `folder` names: checks it before
   * anything runs, and returns the sha256 of what it holds; NULL with an error. The secrets are
   * those that it is of, so that the dataset must keep its order. An attack of that kind has no
   * control: what it recovered counts, and what it did not proves nothing. */
  char *(*verify) (gconstpointer settings, const AssayRunPosition *position,
                   const AssayShape *shape, GError **error);
  /* Of a release in a folder: what an attack on it will meet (n_released, n_members), as far as the
   * folder can be read. */
  void (*release_shape) (gconstpointer settings, const AssayRunPosition *position,
                         AssayShape *inout_shape);
  /* Of settings that name programs: what confines them here, in words (core/external/confine.h). */
  char *(*confinement) (gconstpointer settings);
} AssayExternal;

G_END_DECLS
