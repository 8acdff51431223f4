/* One leaf of a scene.
 *
 * Textures are functions of a place and of the size of a pixel, both in periods of the texture,
 * with values of about [-1, 1]. All are made of value noise: random numbers on the integer lattice,
 * interpolated (K. Perlin, "An image synthesizer", SIGGRAPH 1985, for the idea; D. Ebert et al.,
 * "Texturing and Modeling", chapter 2, for the kinds).
 *
 * The edge is a signed distance d: coverage rises from 0 to 1 over |d| <= softness. */
#include "datasets/generated/leaf.h"

#include <math.h>

#define SHADOW_WIDTH 4.0 /* times softness */
#define EDGE_WIDTH 0.3   /* least softness, by the pixel */
#define BLOB_RADIUS 0.8  /* by the size */
#define BLOB_CORE 0.28   /* what waves leave of it at least: see BLOB_WAVE in dead-leaves.c */

/* ---- Textures ---- */

/* A fixed scrambling (the finaliser of MurmurHash3), not a random stream: the seeds come from
 * streams. */
static guint32
scramble (guint32 seed, gint32 x, gint32 y)
{
  guint32 h = seed ^ ((guint32) x * 0x9e3779b1u) ^ ((guint32) y * 0x85ebca77u);

  h ^= h >> 16;
  h *= 0x85ebca6bu;
  h ^= h >> 13;
  h *= 0xc2b2ae35u;
  return h ^ h >> 16;
}

/* [0, 1) */
static double
lattice (guint32 seed, double x, double y)
{
  return scramble (seed, (gint32) x, (gint32) y) * 0x1p-32;
}

static double
smooth (double t)
{
  return t * t * (3.0 - 2.0 * t);
}

/* [-1, 1], features about one unit wide. */
static double
noise (guint32 seed, double x, double y)
{
  const double i = floor (x), j = floor (y);
  const double u = smooth (x - i), v = smooth (y - j);
  const double above = lattice (seed, i, j) * (1 - u) + lattice (seed, i + 1, j) * u;
  const double below = lattice (seed, i, j + 1) * (1 - u) + lattice (seed, i + 1, j + 1) * u;

  return 2.0 * (above * (1 - v) + below * v) - 1.0;
}

/* 0 below -@width, 1 above @width. */
static double
step (double value, double width)
{
  return smooth (CLAMP (0.5 + 0.5 * value / width, 0.0, 1.0));
}

static double
clouds (guint32 seed, double u, double v, double footprint)
{
  double sum = 0, weight = 1;

  for (guint k = 0; k < 6 && footprint < 0.7; k++) {
    sum += weight * noise (seed + k, u, v);
    weight *= 0.7;
    u *= 2;
    v *= 2;
    footprint *= 2;
  }
  return sum;
}

static double
stripes (guint32 seed, double u, double v, double footprint)
{
  const double warp = 0.3 * noise (seed, 0.2 * u, 0.2 * v);
  const double wave = sin (2.0 * G_PI * (u + warp));

  /* Half of the seeds: hard edges. */
  return seed & 1 ? wave : 2.0 * step (wave, 0.3 + 4.0 * footprint) - 1.0;
}

/* One round spot in each unit cell, of random place, radius and strength. */
static double
spots (guint32 seed, double u, double v, double footprint)
{
  const double i = floor (u), j = floor (v);
  const double radius = 0.12 + 0.3 * lattice (seed, i, j);
  const double x = radius + (1 - 2 * radius) * lattice (seed + 1, i, j);
  const double y = radius + (1 - 2 * radius) * lattice (seed + 2, i, j);
  const gboolean is_there = lattice (seed + 3, i, j) < 0.5;
  const double strength = seed & 1 ? 2.5 : -2.0;
  const double inside = radius - hypot (u - i - x, v - j - y);

  return is_there ? strength * step (inside, 0.05 + 0.7 * footprint) : 0.0;
}

static double
bricks (guint32 seed, double u, double v, double footprint)
{
  const double row = floor (v), shift = lattice (seed, row, 0), long_side = 1.0 + (seed & 3);
  const double place = u / long_side + shift, column = floor (place);
  const double to_side = long_side * (0.5 - fabs (place - column - 0.5));
  const double edge = MIN (to_side, 0.5 - fabs (v - row - 0.5));
  const double inside = step (edge - 0.06, 0.05 + 0.7 * footprint);

  return inside * (1.2 * lattice (seed + 1, column, row) - 0.2) - (1 - inside) * 0.8;
}

/* Lines of small marks, some of them blank. */
static double
writing (guint32 seed, double u, double v, double footprint)
{
  const double line = floor (v), mark = floor (2.5 * u), half = floor (5.0 * (v - line));
  const double x = 2.5 * u - mark, y = v - line;
  const gboolean is_blank = lattice (seed, floor (0.3 * mark), line) < 0.25;
  const double ink = lattice (seed + 1, mark, 8.0 * line + half) < 0.55 ? 1.0 : 0.0;
  const double band = step (0.3 - fabs (y - 0.4), 0.05 + 0.7 * footprint);
  const double stroke = step (0.4 - fabs (x - 0.5), 0.1 + 1.7 * footprint);

  return is_blank ? 0.0 : -1.4 * ink * band * stroke;
}

/* The texture at (u, v) of the leaf's frame. */
static double
texture_value (const AssayLeaf *leaf, double u, double v, double footprint)
{
  const double x = (leaf->texture_cosine * u + leaf->texture_sine * v) / leaf->period;
  const double y = (leaf->texture_cosine * v - leaf->texture_sine * u) / leaf->period;
  const double f = footprint / leaf->period;
  /* A period of less than two footprints cannot be seen. */
  const double visible = CLAMP (2.0 - 4.0 * f, 0.0, 1.0);

  if (visible <= 0)
    return 0;
  switch (leaf->texture) {
  case ASSAY_TEXTURE_CLOUDS:
    return clouds (leaf->seed, x, y, f);
  case ASSAY_TEXTURE_GRAIN:
    return clouds (leaf->seed, x, 0.15 * y, f);
  case ASSAY_TEXTURE_STRIPES:
    return visible * stripes (leaf->seed, x, y, f);
  case ASSAY_TEXTURE_SPOTS:
    return visible * spots (leaf->seed, x, y, f);
  case ASSAY_TEXTURE_BRICKS:
    return visible * bricks (leaf->seed, x, y, f);
  case ASSAY_TEXTURE_WRITING:
    return visible * writing (leaf->seed, x, y, f);
  case ASSAY_TEXTURE_PLAIN:
  default:
    return 0;
  }
}

/* ---- Shapes ---- */

double
assay_leaf_edge_distance (const AssayLeaf *leaf, double u, double v)
{
  const double a = leaf->size, b = leaf->size * leaf->aspect;
  double distance;

  switch (leaf->shape) {
  case ASSAY_LEAF_ELLIPSE: {
    const double f = hypot (u / a, v / b), slope = hypot (u / (a * a), v / (b * b));

    return f < 0.5 ? (1 - f) * b : (1 - f) * f / slope;
  }
  case ASSAY_LEAF_BLOB: {
    const double direction = atan2 (v, u);
    double radius = BLOB_RADIUS;

    for (guint k = 0; k < leaf->n_sides; k++)
      radius += leaf->sides[k][0] * cos ((k + 2) * direction + leaf->sides[k][1]);
    return radius * a - hypot (u, v);
  }
  case ASSAY_LEAF_POLYGON: /* cut off by a circle, for three sides may not meet */
    distance = a - hypot (u, v);
    for (guint k = 0; k < leaf->n_sides; k++)
      distance = MIN (distance, leaf->sides[k][2] - leaf->sides[k][0] * u - leaf->sides[k][1] * v);
    return distance;
  case ASSAY_LEAF_STRIP:
    v -= leaf->bend * (u * u / a - 0.5 * a);
    return MIN (a - fabs (u), b - fabs (v));
  case ASSAY_LEAF_RECTANGLE:
  default:
    return MIN (a - fabs (u), b - fabs (v));
  }
}

void
assay_leaf_locate (const AssayLeaf *leaf, double x, double y, double *ret_u, double *ret_v)
{
  const double dx = x - leaf->x, dy = y - leaf->y;

  *ret_u = leaf->cosine * dx + leaf->sine * dy;
  *ret_v = leaf->cosine * dy - leaf->sine * dx;
}

double
assay_leaf_reach (const AssayLeaf *leaf, double softness)
{
  return 1.5 * leaf->size + (1.0 + SHADOW_WIDTH) * softness;
}

double
assay_leaf_convex_radius (const AssayLeaf *leaf)
{
  return leaf->shape == ASSAY_LEAF_BLOB ? BLOB_CORE * leaf->size : G_MAXDOUBLE;
}

/* ---- Colours ---- */

static void
leaf_colour (const AssayLeaf *leaf, double u, double v, double distance, double footprint,
             double *ret_colour)
{
  const double a = leaf->size, s = u / a, t = v / a;
  const double shade
      = 1.0 + leaf->shading[0] * s + leaf->shading[1] * t + leaf->shading[2] * (s * s + t * t);
  const double texture = leaf->contrast * texture_value (leaf, u, v, footprint);
  const double softness = MAX (leaf->softness, EDGE_WIDTH * footprint);
  const double rim = leaf->rim > 0 ? step (leaf->rim - distance, softness) : 0.0;
  const double strength = MAX (shade, 0.2) * (1.0 + rim * (leaf->rim_brightness - 1.0));

  for (guint c = 0; c < 3; c++)
    ret_colour[c] = strength * ((double) leaf->colour[c] + (1.0 - rim) * texture);
}

double
assay_leaf_blend (const AssayLeaf *leaf, gboolean is_last, const AssayLeafView *view, double open,
                  double *sum)
{
  const double softness = MAX (leaf->softness, EDGE_WIDTH * view->footprint);
  const double far = assay_leaf_reach (leaf, softness);
  double u, v, distance, cover, colour[3];

  assay_leaf_locate (leaf, view->x, view->y, &u, &v);
  if (!is_last && u * u + v * v > far * far)
    return open;
  distance = assay_leaf_edge_distance (leaf, u, v);
  cover = is_last ? 1.0 : step (distance, softness);
  if (cover > 0) {
    leaf_colour (leaf, u, v, distance, view->footprint, colour);
    for (guint c = 0; c < 3; c++)
      sum[c] += open * cover * colour[c];
  }
  /* The shadow is a black layer around the leaf, strongest at its edge. */
  open *= 1.0 - leaf->shadow * CLAMP (1.0 + distance / (SHADOW_WIDTH * softness), 0.0, 1.0);
  return open * (1.0 - cover);
}
