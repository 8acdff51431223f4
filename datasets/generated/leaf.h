/* One leaf of a scene: its shape, texture and colour as functions of a point. */
#pragma once

#include <glib.h>

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

/* The point (@x, @y) of the scene in the frame of the leaf. */
void assay_leaf_locate (const AssayLeaf *leaf, double x, double y, double *ret_u, double *ret_v);
/* Signed distance (nearly, and exactly 0 on it) from the edge to the point (u, v) of the leaf's
 * frame, positive inside. */
double assay_leaf_edge_distance (const AssayLeaf *leaf, double u, double v);
/* No point of the leaf, its soft edge and its shadow is farther from the centre. */
double assay_leaf_reach (const AssayLeaf *leaf, double softness);
/* All points of the leaf's frame that are nearer to the centre are within its edge, if those around
 * them are: shapes are convex, but for blobs. */
double assay_leaf_convex_radius (const AssayLeaf *leaf);

/* A point of the scene, seen by a pixel that covers @footprint units of it. */
typedef struct {
  double x, y;
  double footprint;
} AssayLeafView;

/* Blends the leaf into @sum (red, green, blue), of which the fraction @open is still to be filled;
 * the @is_last one covers everything. Returns what is left of @open. */
double assay_leaf_blend (const AssayLeaf *leaf, gboolean is_last, const AssayLeafView *view,
                         double open, double *sum);
