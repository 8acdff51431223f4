/* The photographs of a dataset with their features: which of them can be used, and that none is
 * there twice. */
#pragma once

#include "datasets/photographs/features.h"
#include "datasets/photographs/photo-roles.h"

typedef struct {
  gsize largest;          /* pixels of the longer side, to which photographs are reduced */
  gboolean skip_unusable; /* instead of failing */
} AssayPhotoRules;

typedef struct {
  const AssayPhotoFile *file;
  gsize stored;            /* pixels of the file ... */
  gsize width, height;     /* ... and its sides after the reduction, as its header has them */
  AssayFeatures *features; /* at least one keypoint; NULL until they are asked for */
  gsize full_width;        /* sides of the picture upright and before the reduction, and ... */
  gsize full_height;
  AssayPhoto *picture;     /* ... in colour, with the sides of its features: when asked for */
  GError *error;           /* why it cannot be used; NULL: it can */
} AssayPhotograph;

/* Photographs by role, then by name; or in the order of the files. */
typedef struct {
  AssayPhotoRules rules;
  guint n_roles;
  const char **role_names;
  GArray *files;                /* of AssayPhotoFile */
  AssayPhotograph *photographs; /* one a file */
  gsize n;
  guint n_workers;
  AssaySift **sift; /* one a worker, while features are taken */
  guint role;       /* whose pictures are loaded, while they are */
} AssayPhotoSet;

/* Whether it is one of @role, and can be used as far as is known. */
static inline gboolean
assay_photograph_has_role (const AssayPhotograph *photo, guint role)
{
  return photo->error == NULL && photo->file->role == role;
}

/* Finds the files (assay_photo_roles_find) and reads their headers. A photograph that cannot be
 * used, by its header (assay_photo_read_size) or because its sides are too short for SIFT, is
 * ASSAY_ERROR_DATA, or is kept with its error where @rules skip such ones. */
AssayPhotoSet *assay_photo_set_new (const AssayPhotoRole *roles, guint n_roles,
                                    const AssayPhotoRules *rules, const char *const *folders,
                                    AssayStreamKey key, GError **error);
/* The same of @files (of AssayPhotoFile), of which a reference is taken, in their order. */
AssayPhotoSet *assay_photo_set_of_files (GArray *files, const AssayPhotoRole *roles, guint n_roles,
                                         const AssayPhotoRules *rules, GError **error);
ASSAY_DECLARE_FREE (AssayPhotoSet, assay_photo_set_free)

gsize assay_photo_set_usable (const AssayPhotoSet *set, guint role);

/* The features of all photographs, in parallel and by the cache (assay_features_load).
 * ASSAY_ERROR_DATA for a photograph that cannot be decoded whole or has no keypoint (as above), and
 * in any case for two that show the same picture, naming both. What is skipped is said by
 * g_warning, one line a role: whoever runs this decides where that goes. */
gboolean assay_photo_set_describe (AssayPhotoSet *set, GError **error);

/* The pictures of the photographs of @role that can be used, after their features and in parallel.
 * ASSAY_ERROR_DATA for a file that is not what it was then. */
gboolean assay_photo_set_load_pictures (AssayPhotoSet *set, guint role, GError **error);

/* Bytes that the calls above hold at most beside features and pictures. */
guint64 assay_photo_set_memory (const AssayPhotoSet *set);
