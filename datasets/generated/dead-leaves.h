/* Generated photographs: a scene of occluding leaves (Lee, Mumford and Huang 2001), and views of
 * it. A scene is a list of leaves and a function that colours a point of its plane, so that any
 * number of views of one scene, related by homographies, can be rendered. */
#pragma once

#include <glib.h>

#include "core/base/rng.h"
#include "datasets/photographs/photo.h"

G_BEGIN_DECLS

typedef enum {
  ASSAY_LEAF_ELLIPSE,
  ASSAY_LEAF_BLOB, /* a disc with a wavy edge */
  ASSAY_LEAF_RECTANGLE,
  ASSAY_LEAF_STRIP, /* a long, possibly bent rectangle */
  ASSAY_LEAF_POLYGON,
} AssayLeafShape;

typedef enum {
  ASSAY_TEXTURE_PLAIN,
  ASSAY_TEXTURE_CLOUDS,
  ASSAY_TEXTURE_GRAIN, /* clouds that are stretched along one axis */
  ASSAY_TEXTURE_STRIPES,
  ASSAY_TEXTURE_SPOTS,
  ASSAY_TEXTURE_BRICKS,
  ASSAY_TEXTURE_WRITING,
} AssayTexture;

#define ASSAY_LEAF_SIDES 6

/* Lengths in units of the scene: pixels of the view without homography. */
typedef struct {
  double x, y;         /* centre */
  double size;         /* half of the longest extent: density proportional to size^-3 */
  double aspect;       /* shortest by longest extent */
  double cosine, sine; /* of the direction of the long axis */
  double softness;     /* half of the width over which the edge fades */
  double shadow;       /* strength of the shadow that falls on what lies behind */
  gboolean is_copy;    /* one of a row of equal leaves, but not its first */
  AssayLeafShape shape;
  guint n_sides;                         /* of a polygon */
  double sides[ASSAY_LEAF_SIDES][3];     /* polygon: normal and distance; blob: phases, waves */
  double bend;                           /* strip: how far its axis departs from a line */
  float colour[3];                       /* red, green, blue */
  double rim;                            /* width of a rim along the edge; 0: none */
  double rim_brightness;                 /* its colour by the leaf's */
  double shading[3];                     /* change of brightness along both axes and outwards */
  AssayTexture texture;
  double period;   /* of the texture */
  double contrast; /* of the texture, grey levels */
  double texture_cosine, texture_sine;
  guint32 seed; /* of the texture's details */
} AssayLeaf;

typedef struct _AssayScene AssayScene;

/* A scene whose leaves cover [0, width) x [0, height), drawn from @stream. */
AssayScene *assay_scene_new (double width, double height, AssayStream *stream, GError **error);
void assay_scene_free (AssayScene *scene);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (AssayScene, assay_scene_free)

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
  double blur;    /* standard deviation of the lens's blur, pixels; 0: none */
  double sharpen; /* strength of the unsharp mask that most photographs have gone through */
  double noise;   /* standard deviation of the sensor's noise at full brightness, grey levels */
} AssayCamera;

/* A photograph of the scene: @width x @height pixels, red, green and blue, whole numbers.
 * @homography (3 x 3, row-major; NULL: identity) takes a pixel (x, y, 1) of the photograph to a
 * point of the scene. The noise is drawn from @stream. */
AssayPhoto *assay_scene_render (const AssayScene *scene, const double *homography, gsize width,
                                gsize height, const AssayCamera *camera, AssayStream *stream,
                                GError **error);

G_END_DECLS
