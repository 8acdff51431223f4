/* Places of two textured walls, and cameras that stand before them. Lengths are metres; x goes to
 * the right, y down and z ahead. */
#pragma once

#include "datasets/generated/dead-leaves.h"

/* The walls meet in the upright line x = 0, z = distance, and go off from it to the left and to the
 * right. A wall is covered with a scene of dead leaves of its own (dead-leaves.h), in units of the
 * size that a pixel has there seen straight from the origin. */
typedef struct _AssayPlace AssayPlace;

/* A point X is at R X + t before the camera, and at the pixel (f p_x / p_z + c_x, f p_y / p_z +
 * c_y). */
typedef struct {
  double focal, cx, cy;
  double turn[9]; /* R, row-major */
  double shift[3];
} AssayPlaceCamera;

#define ASSAY_PLACE_CAMERA_NUMBERS 15

/* A place for photographs of @width x @height pixels whose focal length is 0.9 widths. The edge
 * is 8 to 14 m ahead; each wall comes towards the camera by up to 35 degrees, or goes away by up
 * to 25. */
AssayPlace *assay_place_new (gsize width, gsize height, AssayStream *stream, GError **error);
ASSAY_DECLARE_FREE (AssayPlace, assay_place_free)

/* A camera within 2 m to the sides of the origin, 0.5 m in height and 1.5 m ahead and back,
 * which looks to within 1 m to the sides of the edge and 0.5 m in height, and leans by up to 5
 * degrees. */
AssayPlaceCamera assay_place_draw_camera (const AssayPlace *place, AssayStream *stream);

/* The point of a wall that the camera sees at a pixel; FALSE: it sees past both. */
gboolean assay_place_point (const AssayPlace *place, const AssayPlaceCamera *camera, double x,
                            double y, double ret_point[3]);

/* As assay_scene_render; grey where no wall is seen. */
AssayPhoto *assay_place_render (const AssayPlace *place, const AssayPlaceCamera *camera,
                                const AssayCamera *film, AssayStream *stream, GError **error);
