/* Generated photographs: a scene of occluding leaves (Lee, Mumford and Huang 2001), and views of
 * it. A scene is a list of leaves and a function that colours a point of its plane, so that any
 * number of views of one scene, related by homographies, can be rendered. */
#pragma once

#include <glib.h>

#include "core/base/rng.h"
#include "datasets/generated/leaf.h"
#include "datasets/photographs/photo.h"

typedef struct _AssayScene AssayScene;

/* A scene whose leaves cover [0, width) x [0, height), drawn from @stream. */
AssayScene *assay_scene_new (double width, double height, AssayStream *stream, GError **error);
ASSAY_DECLARE_FREE (AssayScene, assay_scene_free)

/* All leaves that were drawn, the foremost first, hidden ones too (those have only place and
 * size). Sizes are independent and identically distributed, but for copies, which follow the leaf
 * that they repeat, and for the last leaf, which is the ground. */
const AssayLeaf *assay_scene_leaves (const AssayScene *scene, gsize *ret_count);
/* The range of the sizes, which is the scene's own. */
void assay_scene_sizes (const AssayScene *scene, double *ret_least, double *ret_most);

/* Red, green and blue (0 .. 255, unclipped) of the scene at a point, seen by a pixel that covers
 * @footprint units: edges fade over it, and finer textures vanish. Points outside have the colour
 * of the border. */
void assay_scene_colour (const AssayScene *scene, double x, double y, double footprint,
                         float *ret_colour);

typedef struct {
  gsize width, height; /* of a photograph, pixels */
  double blur;    /* standard deviation of the lens's blur, pixels; 0: none */
  double sharpen; /* strength of the unsharp mask that most photographs have gone through */
  double noise;   /* standard deviation of the sensor's noise at full brightness, grey levels */
} AssayCamera;

/* The settings of a dataset of such photographs, of which @most descriptors are kept: fields, rows
 * of its table, and the camera of a struct that has them; an initialiser. */
#define CAMERA_FIELDS                                                                              \
  gint64 per_image;                                                                                \
  gint64 width;                                                                                    \
  gint64 height;                                                                                   \
  double blur;                                                                                     \
  double sharpen;                                                                                  \
  double noise
#define CAMERA_PARAMETERS(Struct, most, wide, high)                                                \
  ASSAY_PARAM_INT (Struct, per_image, most, 1, 10000, "descriptors",                               \
                   "The most descriptors kept of an image, chosen at random"),                     \
      ASSAY_PARAM_INT (Struct, width, wide, 32, 4096, "pixels", "Width of the images"),            \
      ASSAY_PARAM_INT (Struct, height, high, 32, 4096, "pixels", "Height of the images"),          \
      ASSAY_PARAM_REAL (Struct, blur, 0.4, 0, 20, "pixels",                                        \
                        "Blur of the lens (standard deviation)"),                                  \
      ASSAY_PARAM_REAL (Struct, sharpen, 0.6, 0, 5, "",                                            \
                        "Strength of the unsharp mask applied to photographs"),                    \
      ASSAY_PARAM_REAL (Struct, noise, 2, 0, 50, "grey levels",                                    \
                        "Noise of the sensor at full brightness (standard deviation)")
#define CAMERA_OF(settings)                                                                        \
  {                                                                                                \
    .width = (gsize) (settings)->width, .height = (gsize) (settings)->height,                      \
    .blur = (settings)->blur, .sharpen = (settings)->sharpen, .noise = (settings)->noise           \
  }

/* A photograph of the scene: red, green and blue, whole numbers. @homography (3 x 3, row-major;
 * NULL: identity) takes a pixel (x, y, 1) of the photograph to a point of the scene. The noise is
 * drawn from @stream. */
AssayPhoto *assay_scene_render (const AssayScene *scene, const double *homography,
                                const AssayCamera *camera, AssayStream *stream, GError **error);
