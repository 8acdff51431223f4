/* One generated photograph of `scenes` with its descriptors, and a second view of its scene. */
#pragma once

#include "datasets/generated/dead-leaves.h"
#include "datasets/photographs/picture-rows.h"

/* Streams are those of a role and a number; a view is of the private image with its number. */
typedef enum {
  ASSAY_SCENE_PRIVATE,
  ASSAY_SCENE_PUBLIC,
  ASSAY_SCENE_DATABASE,
  ASSAY_SCENE_VIEW,
  ASSAY_SCENE_ROLES,
} AssaySceneRole;

typedef struct {
  AssayCamera camera;
  gsize per_image; /* descriptors at most */
  AssayStreamKey key;
} AssaySceneRules;

typedef struct {
  AssaySceneRole role;
  gsize number;       /* within its role */
  gsize n_shared;     /* 0: of a scene of its own; or that of a private one, number mod so many */
  gboolean has_view;  /* wanted before it is made, and there afterwards */
  gboolean has_photo; /* to be kept; with a view that of the view too */
  AssayPicture image;
  AssayPicture view;
  double homography[9]; /* takes a pixel of the photograph to one of the view */
} AssaySceneImage;

/* A homography that a second photograph of a flat scene may have, drawn from @stream: with u, v the
 * pixel relative to the picture's centre, in units of half its sides,
 *
 *   centre + shift + s R(a) (pixel - centre) / (1 + p u + q v)
 *
 * where the angle a is uniform in +-15 degrees, log s uniform between log 0.8 and log 1.25, p and q
 * uniform in +-0.1, and the shift uniform in +-5 % of the sides. @ret_inverse takes a pixel of the
 * view to one of the photograph. Both row-major. */
void assay_scene_draw_homography (gsize width, gsize height, AssayStream *stream,
                                  double *ret_homography, double *ret_inverse);

/* Fills in the image (and view) that @image names by its first fields, by @sift, which is one for
 * pictures of this size. An image without keypoints has no rows. */
gboolean assay_scene_image_make (const AssaySceneRules *rules, AssaySift *sift,
                                 AssaySceneImage *image, GError **error);
void assay_scene_image_clear (AssaySceneImage *image);
