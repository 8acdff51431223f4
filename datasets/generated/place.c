/* Places of two textured walls, seen by cameras. */
#include "datasets/generated/place.h"

#include <math.h>
#include <string.h>

#define FOCAL 0.9 /* widths */
#define MIN_DISTANCE 8
#define MAX_DISTANCE 14
#define MAX_TOWARDS (35 * G_PI / 180)
#define MAX_AWAY (25 * G_PI / 180)
#define MAX_LEAN (5 * G_PI / 180)

enum { WALLS = 2 };

typedef struct {
  AssayScene *scene;
  double along[3]; /* level, of unit length, away from the edge */
} Wall;

struct _AssayPlace {
  gsize width, height;
  double distance; /* of the edge */
  double unit;     /* metres of a unit of the scenes */
  Wall walls[WALLS];
};

static double
dot (const double *a, const double *b)
{
  return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

AssayPlace *
assay_place_new (gsize width, gsize height, AssayStream *stream, GError **error)
{
  g_autoptr (AssayPlace) place = g_new0 (AssayPlace, 1);

  place->width = width;
  place->height = height;
  place->distance = assay_stream_between (stream, MIN_DISTANCE, MAX_DISTANCE);
  place->unit = place->distance / (FOCAL * (double) width);
  for (gsize i = 0; i < WALLS; i++) {
    const double angle = assay_stream_between (stream, -MAX_AWAY, MAX_TOWARDS);

    place->walls[i].along[0] = (i == 0 ? -1 : 1) * cos (angle);
    place->walls[i].along[2] = -sin (angle);
  }
  for (gsize i = 0; i < WALLS; i++) {
    place->walls[i].scene = assay_scene_new ((double) width, 2 * (double) height, stream, error);
    if (place->walls[i].scene == NULL)
      return NULL;
  }
  return g_steal_pointer (&place);
}

void
assay_place_free (AssayPlace *place)
{
  if (place == NULL)
    return;
  for (gsize i = 0; i < WALLS; i++)
    assay_scene_free (place->walls[i].scene);
  g_free (place);
}

static void
cross (const double *a, const double *b, double *ret_c)
{
  for (gsize i = 0; i < 3; i++)
    ret_c[i] = a[(i + 1) % 3] * b[(i + 2) % 3] - a[(i + 2) % 3] * b[(i + 1) % 3];
}

AssayPlaceCamera
assay_place_draw_camera (const AssayPlace *place, AssayStream *stream)
{
  const double stand[3]
      = { assay_stream_between (stream, -2, 2), assay_stream_between (stream, -0.5, 0.5),
          assay_stream_between (stream, -1.5, 1.5) };
  const double target[3] = { assay_stream_between (stream, -1, 1),
                             assay_stream_between (stream, -0.5, 0.5), place->distance };
  const double lean = assay_stream_between (stream, -MAX_LEAN, MAX_LEAN);
  static const double down[3] = { 0, 1, 0 };
  double ahead[3], level[3], below[3], length;
  AssayPlaceCamera camera = { .focal = FOCAL * (double) place->width,
                              .cx = ((double) place->width - 1) / 2,
                              .cy = ((double) place->height - 1) / 2 };

  for (gsize i = 0; i < 3; i++)
    ahead[i] = target[i] - stand[i];
  length = sqrt (dot (ahead, ahead));
  for (gsize i = 0; i < 3; i++)
    ahead[i] /= length;
  cross (down, ahead, level);
  length = sqrt (dot (level, level));
  for (gsize i = 0; i < 3; i++)
    level[i] /= length;
  cross (ahead, level, below);
  for (gsize i = 0; i < 3; i++) {
    camera.turn[i] = cos (lean) * level[i] + sin (lean) * below[i];
    camera.turn[3 + i] = cos (lean) * below[i] - sin (lean) * level[i];
    camera.turn[6 + i] = ahead[i];
  }
  for (gsize i = 0; i < 3; i++)
    camera.shift[i] = -dot (camera.turn + 3 * i, stand);
  return camera;
}

static void
find_stand (const AssayPlaceCamera *camera, double ret_stand[3])
{
  for (gsize i = 0; i < 3; i++)
    ret_stand[i] = -camera->turn[i] * camera->shift[0] - camera->turn[3 + i] * camera->shift[1]
                   - camera->turn[6 + i] * camera->shift[2];
}

/* R'(a, b, c) of the direction (a, b, c) before the camera. */
static void
turn_back (const AssayPlaceCamera *camera, const double seen[3], double ret_direction[3])
{
  for (gsize i = 0; i < 3; i++)
    ret_direction[i]
        = camera->turn[i] * seen[0] + camera->turn[3 + i] * seen[1] + camera->turn[6 + i] * seen[2];
}

/* The normal of a wall that points away from the camera, and how far the wall is along it. */
static double
wall_normal (const AssayPlace *place, const Wall *wall, const double stand[3], double ret_normal[3])
{
  static const double down[3] = { 0, 1, 0 };
  const double edge[3] = { -stand[0], -stand[1], place->distance - stand[2] };
  double depth;

  cross (wall->along, down, ret_normal);
  depth = dot (ret_normal, edge);
  for (gsize i = 0; depth < 0 && i < 3; i++)
    ret_normal[i] = -ret_normal[i];
  return fabs (depth);
}

/* The wall that is seen at a pixel, and its point there; WALLS: none. */
static gsize
wall_at (const AssayPlace *place, const AssayPlaceCamera *camera, const double pixel[2],
         double ret_point[3])
{
  const double seen[3]
      = { (pixel[0] - camera->cx) / camera->focal, (pixel[1] - camera->cy) / camera->focal, 1 };
  double stand[3], direction[3], least = INFINITY;
  gsize nearest = WALLS;

  find_stand (camera, stand);
  turn_back (camera, seen, direction);
  for (gsize i = 0; i < WALLS; i++) {
    const Wall *wall = &place->walls[i];
    double normal[3], point[3];
    const double depth = wall_normal (place, wall, stand, normal);
    const double steps = depth / dot (normal, direction);

    if (!(steps > 0 && steps < least))
      continue;
    for (gsize k = 0; k < 3; k++)
      point[k] = stand[k] + steps * direction[k];
    if (wall->along[0] * point[0] + wall->along[2] * (point[2] - place->distance) < 0)
      continue;
    least = steps;
    nearest = i;
    memcpy (ret_point, point, sizeof point);
  }
  return nearest;
}

gboolean
assay_place_point (const AssayPlace *place, const AssayPlaceCamera *camera, double x, double y,
                   double ret_point[3])
{
  double point[3];

  if (wall_at (place, camera, (const double[2]){ x, y }, point) == WALLS)
    return FALSE;
  memcpy (ret_point, point, sizeof point);
  return TRUE;
}

/* From pixels to the wall's scene: with the direction d of a pixel (linear in it), the normal n,
 * the stand C and the depth h of the wall, its point is C + h d / (n d). */
static void
wall_homography (const AssayPlace *place, const AssayPlaceCamera *camera, const Wall *wall,
                 double ret_h[9])
{
  const double f = camera->focal;
  const double columns[3][3]
      = { { 1 / f, 0, 0 }, { 0, 1 / f, 0 }, { -camera->cx / f, -camera->cy / f, 1 } };
  double stand[3], normal[3], depth;

  find_stand (camera, stand);
  depth = wall_normal (place, wall, stand, normal);
  for (gsize c = 0; c < 3; c++) {
    double direction[3], point[3], w;

    turn_back (camera, columns[c], direction);
    w = dot (normal, direction);
    for (gsize k = 0; k < 3; k++)
      point[k] = stand[k] * w + depth * direction[k];
    ret_h[c] = (wall->along[0] * point[0] + wall->along[2] * (point[2] - place->distance * w))
               / place->unit;
    ret_h[3 + c] = point[1] / place->unit + (double) place->height * w;
    ret_h[6 + c] = w;
  }
}

AssayPhoto *
assay_place_render (const AssayPlace *place, const AssayPlaceCamera *camera,
                    const AssayCamera *film, AssayStream *stream, GError **error)
{
  g_autoptr (AssayPhoto) photo = assay_photo_new (film->width, film->height, 3, error);

  if (photo == NULL)
    return NULL;
  for (gsize i = 0; i < 3 * photo->width * photo->height; i++)
    photo->data[i] = 128;
  for (gsize i = 0; i < WALLS; i++) {
    double h[9];
    g_autoptr (AssayPhoto) one = NULL;

    wall_homography (place, camera, &place->walls[i], h);
    one = assay_scene_render (place->walls[i].scene, h, film, stream, error);
    if (one == NULL)
      return NULL;
    for (gsize y = 0; y < photo->height; y++)
      for (gsize x = 0; x < photo->width; x++) {
        double point[3];

        if (wall_at (place, camera, (const double[2]){ (double) x, (double) y }, point) == i)
          memcpy (assay_photo_pixel (photo, x, y), assay_photo_pixel (one, x, y),
                  3 * sizeof (float));
      }
  }
  return g_steal_pointer (&photo);
}
