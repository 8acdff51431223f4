/* Dead leaves: scenes of occluding objects whose statistics are those of photographs.
 *
 * Source: A. Lee, D. Mumford, J. Huang, "Occlusion Models for Natural Images: A Statistical Study
 * of a Scale-Invariant Dead Leaves Model", IJCV 2001, sections 3 and 4. Leaves fall on the plane
 * as a Poisson process; their sizes r have the density
 *
 *   f(r) = 2 r^-3 / (a^-2 - b^-2),  a <= r <= b,
 *
 * the only power for which the picture looks alike at every scale, and each has a colour of its
 * own. Here leaves are drawn from the foremost to the hindmost (W. Kendall, E. Thoennes, "Perfect
 * simulation in stochastic geometry", Pattern Recognition 1999): a place is finished as soon as a
 * leaf covers it, and leaves that fall on finished places need no details.
 *
 * The model has plain discs. What photographs have beside that, and SIFT sees, is added: other
 * shapes, more of them upright in built scenes; rims, and rows of equal leaves; textures; shading,
 * shadows, edges out of focus; a palette for each scene; a camera's blur, noise and sharpening.
 * The numbers below, foremost the least size, were chosen so that descriptors agree with those of
 * photographs in the figures of docs/scenes.md.
 *
 * Edges in focus are sharper than a pixel, as in photographs that were reduced without filtering:
 * the stair-steps give many of the keypoints that lie on edges. */
#include "datasets/generated/dead-leaves.h"

#include <math.h>

#include "core/data/matrix.h"

#define TILE 8.0      /* side of a tile */
#define MIN_SIZE 14.0 /* a: median over scenes */
#define MAX_SHARE 0.5 /* b, by the shorter side of the scene */
#define LAYERS 8.0    /* mean number of leaves above a point */
#define N_COLOURS 8
/* Wave k of four of a blob has, by its size, at most 1 / (1 + k / 2) of this: the sum of all,
 * 0.2 (1 + 2/3 + 1/2 + 2/5), leaves 0.28 of its radius. */
#define BLOB_WAVE 0.2

/* What the leaves of one scene have in common. */
typedef struct {
  float base[N_COLOURS][3];
  double built;    /* 0: grown, 1: built by people: upright rectangles, straight edges */
  double tilt;     /* of upright things, radians */
  double textured; /* share of textured leaves */
  double repeated; /* share of leaves that begin a row of equal ones */
  double rimmed;   /* share of leaves with a rim */
  double softness; /* median of the edges' softness */
  double light[2]; /* change of brightness over the scene, along x and y */
} Mood;

struct _AssayScene {
  double width, height;
  double least, most;
  Mood mood;
  GArray *leaves; /* AssayLeaf */
  gsize columns, rows;
  GArray **tiles; /* guint32 numbers of the leaves that may be seen there, foremost first */
  guint8 *is_closed;
  gsize n_open;
};

/* ---- Leaves ---- */

static double
power_law_size (const AssayScene *scene, AssayStream *stream)
{
  const double a = 1.0 / (scene->least * scene->least), b = 1.0 / (scene->most * scene->most);

  return 1.0 / sqrt (a - (a - b) * assay_stream_uniform (stream));
}

static double
log_normal (AssayStream *stream, double median, double spread)
{
  return median * exp (spread * assay_stream_normal (stream));
}

static void
draw_shape (const Mood *mood, AssayLeaf *leaf, AssayStream *stream)
{
  const gboolean is_built = assay_stream_uniform (stream) < mood->built;
  const double which = assay_stream_uniform (stream);
  double direction = assay_stream_between (stream, 0, 2.0 * G_PI);

  leaf->aspect = assay_stream_between (stream, 0.3, 1.0);
  if (is_built) {
    leaf->shape = which < 0.45   ? ASSAY_LEAF_RECTANGLE
                  : which < 0.75 ? ASSAY_LEAF_STRIP
                  : which < 0.87 ? ASSAY_LEAF_POLYGON
                                 : ASSAY_LEAF_ELLIPSE;
    if (assay_stream_uniform (stream) < 0.75)
      direction = mood->tilt + 0.5 * G_PI * (double) assay_stream_below (stream, 4)
                  + 0.03 * assay_stream_normal (stream);
  } else
    leaf->shape = which < 0.35   ? ASSAY_LEAF_BLOB
                  : which < 0.60 ? ASSAY_LEAF_POLYGON
                  : which < 0.85 ? ASSAY_LEAF_ELLIPSE
                                 : ASSAY_LEAF_STRIP;
  leaf->cosine = cos (direction);
  leaf->sine = sin (direction);
  if (leaf->shape == ASSAY_LEAF_STRIP) {
    leaf->aspect *= 0.2;
    leaf->bend = is_built ? 0.0 : 0.4 * assay_stream_normal (stream);
    leaf->bend = CLAMP (leaf->bend, -1.0, 1.0);
  }
  if (leaf->shape == ASSAY_LEAF_BLOB) {
    leaf->n_sides = 4;
    for (guint k = 0; k < leaf->n_sides; k++) {
      leaf->sides[k][0] = assay_stream_between (stream, 0, BLOB_WAVE) / (1.0 + 0.5 * k);
      leaf->sides[k][1] = assay_stream_between (stream, 0, 2.0 * G_PI);
    }
  }
  if (leaf->shape == ASSAY_LEAF_POLYGON) {
    leaf->n_sides = 3 + (guint) assay_stream_below (stream, ASSAY_LEAF_SIDES - 2);
    for (guint k = 0; k < leaf->n_sides; k++) {
      const double turn
          = 2.0 * G_PI * (k + assay_stream_between (stream, -0.25, 0.25)) / leaf->n_sides;

      leaf->sides[k][0] = cos (turn);
      leaf->sides[k][1] = sin (turn);
      leaf->sides[k][2] = leaf->size * assay_stream_between (stream, 0.4, 0.75);
    }
  }
}

static void
draw_surface (const Mood *mood, AssayLeaf *leaf, AssayStream *stream)
{
  const float *base = mood->base[assay_stream_below (stream, N_COLOURS)];
  const double brightness = exp (0.45 * assay_stream_normal (stream));
  const gboolean is_textured = assay_stream_uniform (stream) < mood->textured;
  double turn = assay_stream_between (stream, 0, G_PI);

  for (guint c = 0; c < 3; c++) {
    const double value = base[c] * brightness + 8.0 * assay_stream_normal (stream);

    /* Highlights are compressed, as cameras do. */
    leaf->colour[c] = (float) (255.0 * (1.0 - exp (-MAX (value, 4.0) / 140.0)));
  }
  leaf->softness = log_normal (stream, mood->softness, 0.8);
  leaf->softness = MIN (leaf->softness, 0.5 * leaf->size * leaf->aspect);
  leaf->shadow = MAX (0.0, assay_stream_between (stream, -0.4, 0.6));
  for (guint k = 0; k < 3; k++)
    leaf->shading[k] = 0.15 * assay_stream_normal (stream);
  if (assay_stream_uniform (stream) < mood->rimmed) {
    leaf->rim = leaf->size * leaf->aspect * assay_stream_between (stream, 0.05, 0.4);
    leaf->rim_brightness = log_normal (stream, 1.0, 0.5);
  }
  leaf->texture = ASSAY_TEXTURE_PLAIN;
  leaf->seed = assay_stream_u32 (stream);
  if (is_textured) {
    leaf->texture = ASSAY_TEXTURE_CLOUDS + (AssayTexture) assay_stream_below (stream, 6);
    if (assay_stream_uniform (stream) < 0.6)
      turn = 0.5 * G_PI * (double) assay_stream_below (stream, 2);
    leaf->period = CLAMP (log_normal (stream, 8.0, 0.7), 2.5, MAX (leaf->size, 3.0));
    leaf->contrast = MIN (log_normal (stream, 16.0, 0.7), 80.0);
  }
  leaf->texture_cosine = cos (turn);
  leaf->texture_sine = sin (turn);
}

/* ---- Scenes ---- */

static void
draw_mood (Mood *mood, AssayStream *stream)
{
  const double brightness = log_normal (stream, 95.0, 0.3);
  const double warmth = 0.15 * assay_stream_normal (stream);

  for (guint k = 0; k < N_COLOURS; k++) {
    const double value = brightness * exp (0.7 * assay_stream_normal (stream));
    const double red = warmth + 0.15 * assay_stream_normal (stream);
    const double green = 0.07 * assay_stream_normal (stream);

    mood->base[k][0] = (float) (value * exp (red));
    mood->base[k][1] = (float) (value * exp (green));
    mood->base[k][2] = (float) (value * exp (-red));
  }
  mood->built = sqrt (assay_stream_uniform (stream));
  mood->tilt = 0.05 * assay_stream_normal (stream);
  mood->textured = assay_stream_between (stream, 0.05, 0.6);
  mood->repeated = assay_stream_between (stream, 0.0, 0.8);
  mood->rimmed = assay_stream_between (stream, 0.0, 0.5);
  mood->softness = log_normal (stream, 0.3, 0.5);
  for (guint k = 0; k < 2; k++)
    mood->light[k] = 0.25 * assay_stream_normal (stream);
}

/* Adds the leaf to the scene, and to every open tile where it may be seen. A tile that it covers
 * is closed: the last leaf of a closed tile covers it. */
static void
place_leaf (AssayScene *scene, const AssayLeaf *leaf)
{
  const guint32 index = scene->leaves->len;
  const double far = assay_leaf_reach (leaf, leaf->softness);
  const double core = assay_leaf_convex_radius (leaf);
  const double left = floor ((leaf->x - far) / TILE), right = floor ((leaf->x + far) / TILE);
  const double top = floor ((leaf->y - far) / TILE), bottom = floor ((leaf->y + far) / TILE);

  g_array_append_vals (scene->leaves, leaf, 1);
  for (gsize row = (gsize) MAX (top, 0); row < scene->rows && (double) row <= bottom; row++)
    for (gsize column = (gsize) MAX (left, 0); column < scene->columns && (double) column <= right;
         column++) {
      const gsize t = row * scene->columns + column;
      gboolean covers = TRUE;

      if (scene->is_closed[t])
        continue;
      for (gsize corner = 0; corner < 4 && covers; corner++) {
        const gsize across = corner & 1, down = corner >> 1;
        double u, v;

        assay_leaf_locate (leaf, TILE * (double) (column + across), TILE * (double) (row + down),
                           &u, &v);
        covers
            = assay_leaf_edge_distance (leaf, u, v) > leaf->softness + 1.0 && hypot (u, v) < core;
      }
      g_array_append_val (scene->tiles[t], index);
      if (covers) {
        scene->is_closed[t] = 1;
        scene->n_open--;
      }
    }
}

static gboolean
meets_open_tile (const AssayScene *scene, const AssayLeaf *leaf)
{
  const double far = assay_leaf_reach (leaf, 0.5 * leaf->size);
  const double left = floor ((leaf->x - far) / TILE), right = floor ((leaf->x + far) / TILE);
  const double top = floor ((leaf->y - far) / TILE), bottom = floor ((leaf->y + far) / TILE);

  for (gsize row = (gsize) MAX (top, 0); row < scene->rows && (double) row <= bottom; row++)
    for (gsize column = (gsize) MAX (left, 0); column < scene->columns && (double) column <= right;
         column++)
      if (!scene->is_closed[row * scene->columns + column])
        return TRUE;
  return FALSE;
}

/* A row of equal leaves: bars of a railing, books on a shelf, panes of a window. */
static void
repeat_leaf (AssayScene *scene, AssayLeaf leaf, AssayStream *stream)
{
  const guint64 count = 1 + assay_stream_below (stream, 8);
  const gboolean is_across = assay_stream_uniform (stream) < 0.8;
  const double extent = 2.0 * leaf.size * (is_across ? leaf.aspect : 1.0);
  const double pitch = extent * (1.0 + log_normal (stream, 0.5, 0.8));
  const gboolean is_varied = assay_stream_uniform (stream) < 0.4;
  const float colour[3] = { leaf.colour[0], leaf.colour[1], leaf.colour[2] };

  leaf.is_copy = TRUE;
  for (guint64 k = 0; k < count; k++) {
    leaf.x += pitch * (is_across ? -leaf.sine : leaf.cosine);
    leaf.y += pitch * (is_across ? leaf.cosine : leaf.sine);
    for (guint c = 0; is_varied && c < 3; c++)
      leaf.colour[c] = colour[c] * (float) assay_stream_between (stream, 0.5, 1.2);
    place_leaf (scene, &leaf);
  }
}

static void
add_leaves (AssayScene *scene, AssayStream *stream)
{
  const double a = scene->least, b = scene->most;
  const double mean_area = 0.5 * G_PI * 2.0 * log (b / a) / (1.0 / (a * a) - 1.0 / (b * b));
  const double area = (scene->width + 2 * b) * (scene->height + 2 * b);
  const guint32 count = (guint32) (LAYERS * area / mean_area);

  for (guint32 i = 0; i < count && scene->n_open > 0; i++) {
    AssayLeaf leaf = { .size = power_law_size (scene, stream) };

    leaf.x = assay_stream_between (stream, -b, scene->width + b);
    leaf.y = assay_stream_between (stream, -b, scene->height + b);
    if (meets_open_tile (scene, &leaf)) {
      draw_shape (&scene->mood, &leaf, stream);
      draw_surface (&scene->mood, &leaf, stream);
      place_leaf (scene, &leaf);
      if (assay_stream_uniform (stream) < scene->mood.repeated)
        repeat_leaf (scene, leaf, stream);
    } else
      g_array_append_val (scene->leaves, leaf);
  }
}

AssayScene *
assay_scene_new (double width, double height, AssayStream *stream, GError **error)
{
  g_autoptr (AssayScene) scene = NULL;
  /* Large enough to cover the outermost tiles, which reach over the scene's border. */
  AssayLeaf ground = { .x = width / 2,
                       .y = height / 2,
                       .size = hypot (width, height) + 4 * TILE,
                       .aspect = 1,
                       .cosine = 1,
                       .shape = ASSAY_LEAF_ELLIPSE };
  gsize n_tiles;

  g_return_val_if_fail (width >= 1 && height >= 1 && width < 1e5 && height < 1e5, NULL);
  scene = g_new0 (AssayScene, 1);
  scene->width = width;
  scene->height = height;
  scene->least = CLAMP (log_normal (stream, MIN_SIZE, 0.35), 0.4 * MIN_SIZE, 3 * MIN_SIZE);
  scene->most = MAX (MAX_SHARE * MIN (width, height), 2 * scene->least);
  scene->columns = (gsize) ceil (width / TILE);
  scene->rows = (gsize) ceil (height / TILE);
  n_tiles = scene->columns * scene->rows;
  scene->leaves = g_array_new (FALSE, FALSE, sizeof (AssayLeaf));
  scene->is_closed = assay_alloc (n_tiles, 1, "scene", error);
  if (scene->is_closed == NULL)
    return NULL;
  scene->tiles = g_new0 (GArray *, n_tiles);
  for (gsize t = 0; t < n_tiles; t++)
    scene->tiles[t] = g_array_new (FALSE, FALSE, sizeof (guint32));
  scene->n_open = n_tiles;

  draw_mood (&scene->mood, stream);
  add_leaves (scene, stream);
  draw_surface (&scene->mood, &ground, stream);
  place_leaf (scene, &ground);
  return g_steal_pointer (&scene);
}

void
assay_scene_free (AssayScene *scene)
{
  if (scene == NULL)
    return;
  for (gsize t = 0; scene->tiles != NULL && t < scene->columns * scene->rows; t++)
    g_array_unref (scene->tiles[t]);
  g_free (scene->tiles);
  g_free (scene->is_closed);
  g_array_unref (scene->leaves);
  g_free (scene);
}

const AssayLeaf *
assay_scene_leaves (const AssayScene *scene, gsize *ret_count)
{
  *ret_count = scene->leaves->len;
  return &g_array_index (scene->leaves, AssayLeaf, 0);
}

void
assay_scene_sizes (const AssayScene *scene, double *ret_least, double *ret_most)
{
  *ret_least = scene->least;
  *ret_most = scene->most;
}

void
assay_scene_colour (const AssayScene *scene, double x, double y, double footprint,
                    float *ret_colour)
{
  /* fmin and fmax, because they also take care of NaN: a homography may give anything. */
  const double px = fmax (fmin (x, scene->width * (1 - 1e-12)), 0);
  const double py = fmax (fmin (y, scene->height * (1 - 1e-12)), 0);
  const AssayLeafView view = { px, py, fmin (fmax (footprint, 1e-3), 1e3) };
  const GArray *tile = scene->tiles[(gsize) (py / TILE) * scene->columns + (gsize) (px / TILE)];
  const double light = 1.0 + scene->mood.light[0] * (px / scene->width - 0.5)
                       + scene->mood.light[1] * (py / scene->height - 0.5);
  double sum[3] = { 0 }, open = 1.0;

  for (guint i = 0; i < tile->len && open > 1.0 / 512; i++) {
    const guint32 index = g_array_index (tile, guint32, i);
    const AssayLeaf *leaf = &g_array_index (scene->leaves, AssayLeaf, index);

    open = assay_leaf_blend (leaf, i + 1 == tile->len, &view, open, sum);
  }
  for (guint c = 0; c < 3; c++)
    ret_colour[c] = (float) (MAX (light, 0.2) * sum[c]);
}

/* ---- Camera ---- */

/* Half of the noise's variance is the sensor's own, half grows with the light. */
static void
expose (AssayPhoto *photo, double noise_level, AssayStream *stream)
{
  for (gsize i = 0; i < photo->width * photo->height; i++) {
    float *pixel = photo->data + 3 * i;
    const double light = CLAMP ((double) pixel[1] / 255.0, 0.0, 1.0);
    const double grain = noise_level > 0
                             ? noise_level * sqrt (0.5 + 0.5 * light) * assay_stream_normal (stream)
                             : 0.0;

    for (gsize c = 0; c < 3; c++)
      pixel[c] += (float) grain;
  }
}

static void
to_bytes (AssayPhoto *photo)
{
  for (gsize i = 0; i < photo->width * photo->height * 3; i++)
    photo->data[i] = rintf (CLAMP (photo->data[i], 0.0f, 255.0f));
}

/* The scene's point at a pixel, and the size of the pixel there: the root of |det| of the
 * homography's Jacobian, det H / w^3. */
static void
scene_point (const double *h, double x, double y, double *ret_point, double *ret_footprint)
{
  const double w = h[6] * x + h[7] * y + h[8];
  const double determinant = h[0] * (h[4] * h[8] - h[5] * h[7]) - h[1] * (h[3] * h[8] - h[5] * h[6])
                             + h[2] * (h[3] * h[7] - h[4] * h[6]);

  ret_point[0] = (h[0] * x + h[1] * y + h[2]) / w;
  ret_point[1] = (h[3] * x + h[4] * y + h[5]) / w;
  *ret_footprint = sqrt (fabs (determinant / (w * w * w)));
}

AssayPhoto *
assay_scene_render (const AssayScene *scene, const double *homography, const AssayCamera *camera,
                    AssayStream *stream, GError **error)
{
  const double identity[9] = { 1, 0, 0, 0, 1, 0, 0, 0, 1 };
  const double *h = homography != NULL ? homography : identity;
  g_autoptr (AssayPhoto) photo = assay_photo_new (camera->width, camera->height, 3, error);

  if (photo == NULL)
    return NULL;
  for (gsize y = 0; y < photo->height; y++)
    for (gsize x = 0; x < photo->width; x++) {
      double point[2], footprint;

      scene_point (h, (double) x, (double) y, point, &footprint);
      assay_scene_colour (scene, point[0], point[1], footprint, assay_photo_pixel (photo, x, y));
    }
  if (camera->blur > 0 && !assay_photo_blur (photo, camera->blur, error))
    return NULL;
  expose (photo, camera->noise, stream);
  if (camera->sharpen > 0 && !assay_photo_sharpen (photo, camera->sharpen, error))
    return NULL;
  to_bytes (photo);
  return g_steal_pointer (&photo);
}
