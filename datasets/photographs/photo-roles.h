/* Which photographs have which role: folders, one a role, or divided image by image. */
#pragma once

#include <glib.h>

#include "core/base/rng.h"

typedef struct {
  const char *name;   /* "private" */
  const char *folder; /* "": nobody has this role */
  double share;       /* of a folder that other roles name too; > 0 */
} AssayPhotoRole;

typedef struct {
  guint role;
  char *path;
} AssayPhotoFile;

/* The photographs of all roles, by role and then by name, bytewise: every file of a role's folder
 * (not of folders in it) whose name ends in .jpg, .jpeg or .png, in capitals or not, and does not
 * begin with a dot. Relative folders are looked for in @folders in order (NULL: the working
 * folder).
 *
 * A folder that several roles name, by whatever path, is divided between them: in an order that is
 * drawn from @key each takes a part in proportion to its share. No file has two roles.
 *
 * ASSAY_ERROR_DATA names the folder: it is missing, unreadable, no folder, has no photographs, or
 * fewer than it takes to give every role one. */
GArray *assay_photo_roles_find (const AssayPhotoRole *roles, guint n_roles,
                                const char *const *folders, AssayStreamKey key, GError **error);
