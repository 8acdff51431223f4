/* Photographs of scenes of dead leaves and what SIFT finds in them.
 *
 * An image draws from streams of its own: one for the scene, one for the camera's noise, one for
 * the choice of descriptors. The view of a private image is a second photograph of the same scene,
 * by a camera that stands elsewhere; it has streams of its own as well (in place of the scene's,
 * one for the homography), so that the photograph is the same whether or not there is a view.
 *
 * An image that shares a private scene is a photograph of it from elsewhere, too: its homography is
 * drawn where an image of its own scene draws that scene.
 *
 * The homography H (photograph to view) is T(centre + shift) P T(-centre) with
 *
 *   P = [ s R(a)  0 ; p/half width, q/half height  1 ],
 *
 * whose inverse has R(a)^T / s in place of s R(a), and below it minus the last row times that. The
 * scene is rendered by the inverse: what the view shows of the plane beyond the photograph is the
 * scene's border, drawn out, which has hardly a keypoint. */
#include "datasets/generated/scene-image.h"

#include <math.h>

/* What an image draws numbers for. */
typedef enum { SCENE, CAMERA, CHOICE, HOMOGRAPHY = SCENE } Purpose;

static AssayStream
image_stream (AssayStreamKey key, AssaySceneRole role, gsize number, Purpose purpose)
{
  return assay_stream (key, (guint64) role << 60 | (guint64) number << 2 | purpose);
}

/* ---- Homographies ---- */

#define MAX_ANGLE (15 * G_PI / 180)
#define MAX_SCALE 1.25
#define MAX_PERSPECTIVE 0.1
#define MAX_SHIFT 0.05

/* @core moved from one centre to another: T(to) core T(-from). */
static void
move (const double *core, const double *from, const double *to, double *ret_matrix)
{
  double right[9];

  for (gsize r = 0; r < 3; r++) {
    right[3 * r] = core[3 * r];
    right[3 * r + 1] = core[3 * r + 1];
    right[3 * r + 2] = core[3 * r + 2] - core[3 * r] * from[0] - core[3 * r + 1] * from[1];
  }
  for (gsize c = 0; c < 3; c++) {
    ret_matrix[c] = right[c] + to[0] * right[6 + c];
    ret_matrix[3 + c] = right[3 + c] + to[1] * right[6 + c];
    ret_matrix[6 + c] = right[6 + c];
  }
}

void
assay_scene_draw_homography (gsize width, gsize height, AssayStream *stream,
                             double *ret_homography, double *ret_inverse)
{
  const double sides[2] = { (double) width, (double) height };
  const double centre[2] = { (sides[0] - 1) / 2, (sides[1] - 1) / 2 };
  const double angle = assay_stream_between (stream, -MAX_ANGLE, MAX_ANGLE);
  const double scale = exp (assay_stream_between (stream, -log (MAX_SCALE), log (MAX_SCALE)));
  const double c = cos (angle), s = sin (angle);
  double slopes[2], moved[2];

  for (gsize i = 0; i < 2; i++) {
    slopes[i] = assay_stream_between (stream, -MAX_PERSPECTIVE, MAX_PERSPECTIVE) / (sides[i] / 2);
    moved[i] = centre[i] + assay_stream_between (stream, -MAX_SHIFT, MAX_SHIFT) * sides[i];
  }
  move ((const double[9]){ scale * c, -scale * s, 0, scale * s, scale * c, 0, slopes[0], slopes[1],
                           1 },
        centre, moved, ret_homography);
  move ((const double[9]){ c / scale, s / scale, 0, -s / scale, c / scale, 0,
                           -(slopes[0] * c - slopes[1] * s) / scale,
                           -(slopes[0] * s + slopes[1] * c) / scale, 1 },
        moved, centre, ret_inverse);
}

/* ---- Images ---- */

/* From where a photograph is taken, and in which role. */
typedef struct {
  const AssayScene *scene;
  const double *homography; /* NULL: as the scene lies */
  AssaySceneRole role;
} Shot;

/* Takes the photograph and describes it. */
static gboolean
describe (const AssaySceneRules *rules, AssaySift *sift, const Shot *shot, AssaySceneImage *image,
          GError **error)
{
  AssayPicture *picture = shot->role == ASSAY_SCENE_VIEW ? &image->view : &image->image;
  AssayStream camera = image_stream (rules->key, shot->role, image->number, CAMERA);
  AssayStream choice = image_stream (rules->key, shot->role, image->number, CHOICE);
  g_autoptr (AssayPhoto) photo
      = assay_scene_render (shot->scene, shot->homography, &rules->camera, &camera, error);

  if (photo == NULL
      || !assay_picture_describe (picture, sift, photo, rules->per_image, &choice, error))
    return FALSE;
  if (image->has_photo)
    picture->photo = g_steal_pointer (&photo);
  return TRUE;
}

gboolean
assay_scene_image_make (const AssaySceneRules *rules, AssaySift *sift, AssaySceneImage *image,
                        GError **error)
{
  const gsize width = rules->camera.width, height = rules->camera.height;
  const gboolean is_shared = image->n_shared > 0;
  AssayStream scene_stream
      = image_stream (rules->key, is_shared ? ASSAY_SCENE_PRIVATE : image->role,
                      is_shared ? image->number % image->n_shared : image->number, SCENE);
  AssayStream elsewhere = image_stream (rules->key, image->role, image->number, HOMOGRAPHY);
  AssayStream stream = image_stream (rules->key, ASSAY_SCENE_VIEW, image->number, HOMOGRAPHY);
  g_autoptr (AssayScene) scene
      = assay_scene_new ((double) width, (double) height, &scene_stream, error);
  double inverse[9];
  Shot shot = { scene, is_shared ? inverse : NULL, image->role };

  if (is_shared)
    assay_scene_draw_homography (width, height, &elsewhere, image->homography, inverse);
  if (scene == NULL || !describe (rules, sift, &shot, image, error))
    return FALSE;
  if (!image->has_view)
    return TRUE;
  assay_scene_draw_homography (width, height, &stream, image->homography, inverse);
  shot = (Shot){ scene, inverse, ASSAY_SCENE_VIEW };
  return describe (rules, sift, &shot, image, error);
}

ASSAY_CLEAR_FUNC (AssaySceneImage, assay_scene_image_clear, assay_picture_clear (&self->image),
                  assay_picture_clear (&self->view))
