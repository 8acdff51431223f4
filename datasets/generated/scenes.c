/* Descriptors of generated photographs: a dataset of any size that needs no files.
 *
 * Each image is a photograph of a scene of dead leaves (dead-leaves.c; Lee, Mumford and Huang
 * 2001); its SIFT descriptors (datasets/photographs/sift.c; Lowe 2004) are rows of 128 bytes. The
 * roles have images of their own: secrets are descriptors of the private images, grouped by image;
 * public rows and the database are descriptors of other images, as an attacker's and a defender's
 * photographs of other places would give them.
 *
 * An image with more than `per_image` keypoints gives that many of them, drawn without
 * replacement, as sift_places_public does. Image i of role r draws from items of the stream that
 * depend on (r, i) only: neither on the other counts nor on threads. How these descriptors compare
 * with those of photographs is measured in docs/scenes.md.
 *
 * With `pictures` the photographs of private and public images are kept, with the keypoints that
 * their rows were taken at. With `views` every private image is photographed a second time, from
 * elsewhere (scene-image.h): the rows of the role test, up to `per_image` of each view in
 * the same way, with the homographies between the photographs. With `database_scenes` = same the
 * database is made of photographs of the private scenes, each from elsewhere again, as that of a
 * map of the same place is; other ones by default. */
#include "core/base/parallel.h"
#include "core/plugin/plugin.h"
#include "datasets/generated/scene-image.h"
#include "datasets/photographs/picture-rows.h"

static const char *const role_names[ASSAY_SCENE_ROLES]
    = { "private", "public", "database", "view" };

typedef enum { OTHER_SCENES, SAME_SCENES } DatabaseScenes;

static const char *const database_scenes[] = { "other", "same", NULL };

typedef struct {
  gint64 private_images;
  gint64 public_images;
  gint64 database_images;
  CAMERA_FIELDS;
  bool pictures;
  bool views;
  guint database_scenes; /* DatabaseScenes */
} Scenes;

typedef struct {
  const Scenes *settings;
  AssaySceneRules rules;
  AssaySift **sift; /* one a worker */
  AssaySceneImage *images;
  gsize n_images;
} Work;

static gboolean
work_on_image (gsize index, guint worker, gpointer data, GError **error)
{
  Work *work = data;
  AssaySceneImage *image = &work->images[index];

  return assay_scene_image_make (&work->rules, work->sift[worker], image, error)
         || assay_prefix (error, "scenes: %s image %zu: ", role_names[image->role], image->number);
}

/* Images that are made; views come with the private ones. */
static gsize
images_of_role (const Scenes *settings, AssaySceneRole role)
{
  return (gsize) (role == ASSAY_SCENE_PRIVATE    ? settings->private_images
                  : role == ASSAY_SCENE_PUBLIC   ? settings->public_images
                  : role == ASSAY_SCENE_DATABASE ? settings->database_images
                                                 : 0);
}

static gsize
count_images (const Scenes *settings)
{
  gsize n = 0;

  for (AssaySceneRole role = ASSAY_SCENE_PRIVATE; role < ASSAY_SCENE_ROLES; role++)
    n += images_of_role (settings, role);
  return n;
}

static gboolean
keeps_photos (const Scenes *settings, AssaySceneRole role)
{
  switch (role) {
  case ASSAY_SCENE_PRIVATE:
    return settings->pictures || settings->views;
  case ASSAY_SCENE_PUBLIC:
    return settings->pictures;
  case ASSAY_SCENE_VIEW:
    return settings->views;
  default:
    return FALSE;
  }
}

static void
free_work (Work *work)
{
  for (gsize i = 0; i < work->n_images; i++)
    assay_scene_image_clear (&work->images[i]);
  g_free (work->images);
  assay_sift_free_all (work->sift);
}

/* ---- Joining ---- */

/* The images that give @role its rows, of AssayPicture. Those without descriptors are left out; the
 * view of a private image stands at the place of that image, whether or not it has any. */
static GPtrArray *
find_images (const Work *work, AssaySceneRole role)
{
  const AssaySceneRole of = role == ASSAY_SCENE_VIEW ? ASSAY_SCENE_PRIVATE : role;
  GPtrArray *found = g_ptr_array_new ();

  for (gsize i = 0; i < work->n_images; i++) {
    AssaySceneImage *image = &work->images[i];

    if (image->role == of && image->image.count > 0)
      g_ptr_array_add (found, role == ASSAY_SCENE_VIEW ? &image->view : &image->image);
  }
  return found;
}

/* Joins the descriptors of a role's images. No rows at all is an error. */
static gboolean
join_role (const Work *work, AssaySceneRole role, GChecksum *checksum, AssayRows **ret_rows,
           AssayRoleData *ret_data, GError **error)
{
  const Scenes *settings = work->settings;
  g_autoptr (GPtrArray) images = find_images (work, role);
  gboolean has_rows = FALSE;

  for (guint i = 0; i < images->len; i++)
    has_rows |= ((const AssayPicture *) images->pdata[i])->count > 0;
  if (!has_rows)
    return assay_fail (
        error, ASSAY_ERROR_DATA,
        "scenes: none of the %s images (%zu of %" G_GINT64_FORMAT " x %" G_GINT64_FORMAT
        " pixels, blur %g) has a keypoint",
        role_names[role],
        images_of_role (settings, role == ASSAY_SCENE_VIEW ? ASSAY_SCENE_PRIVATE : role),
        settings->width, settings->height, settings->blur);
  g_checksum_update (checksum, (const guchar *) role_names[role], -1);
  return assay_pictures_join (images, checksum, ret_rows,
                              keeps_photos (settings, role) ? ret_data : NULL, error);
}

/* Of the private images that have descriptors. */
static gboolean
join_homographies (const Work *work, GChecksum *checksum, AssayDataset *dataset, GError **error)
{
  const gsize shape[] = { dataset->n_groups, 3, 3 };
  double *homographies
      = assay_alloc (dataset->n_groups, 9 * sizeof (double), "homographies", error);
  gsize next = 0;

  if (homographies == NULL)
    return FALSE;
  for (gsize i = 0; i < work->n_images; i++)
    if (work->images[i].has_view && work->images[i].image.count > 0)
      for (gsize k = 0; k < 9; k++)
        homographies[next++] = work->images[i].homography[k];
  g_checksum_update (checksum, (const guchar *) homographies,
                     (gssize) (next * sizeof *homographies));
  dataset->homographies = assay_array_take (ASSAY_FLOAT64, 3, shape, homographies);
  return TRUE;
}

static gboolean
join (const Work *work, AssayDataset *dataset, GError **error)
{
  const Scenes *settings = work->settings;
  g_autoptr (GChecksum) checksum = g_checksum_new (G_CHECKSUM_SHA256);
  g_autoptr (GPtrArray) private = find_images (work, ASSAY_SCENE_PRIVATE);
  AssayRows **rows[ASSAY_SCENE_ROLES]
      = { &dataset->secrets, &dataset->public_rows, &dataset->database, &dataset->test };
  AssayRoleData *data[ASSAY_SCENE_ROLES]
      = { &dataset->secret_data, &dataset->public_data, NULL, &dataset->test_data };

  for (AssaySceneRole role = ASSAY_SCENE_PRIVATE; role < ASSAY_SCENE_ROLES; role++)
    if ((role == ASSAY_SCENE_VIEW ? settings->views : images_of_role (settings, role) > 0)
        && !join_role (work, role, checksum, rows[role], data[role], error))
      return FALSE;
  dataset->groups = assay_pictures_number (private);
  dataset->n_groups = private->len;
  if (settings->views && !join_homographies (work, checksum, dataset, error))
    return FALSE;
  dataset->sha256 = g_strdup (g_checksum_get_string (checksum));
  return TRUE;
}

/* ---- Callbacks ---- */

static gboolean
open_scenes (const AssayDatasetContext *context, AssayDataset *ret_dataset, GError **error)
{
  const Scenes *settings = context->settings;
  Work work = {
    .settings = settings,
    .rules = { .camera = CAMERA_OF (settings),
               .per_image = (gsize) settings->per_image,
               .key = context->stream },
    .n_images = count_images (settings),
  };
  gboolean is_ready;
  gsize i = 0;

  work.images = g_new0 (AssaySceneImage, work.n_images);
  for (AssaySceneRole role = ASSAY_SCENE_PRIVATE; role < ASSAY_SCENE_ROLES; role++)
    for (gsize number = 0; number < images_of_role (settings, role); number++)
      work.images[i++]
          = (AssaySceneImage){ .role = role,
                               .number = number,
                               .n_shared = role == ASSAY_SCENE_DATABASE
                                                   && settings->database_scenes == SAME_SCENES
                                               ? (gsize) settings->private_images
                                               : 0,
                               .has_view = settings->views && role == ASSAY_SCENE_PRIVATE,
                               .has_photo = keeps_photos (settings, role) };
  work.sift = assay_sift_new_for_all (assay_parallel_threads (), (gsize) settings->width,
                                      (gsize) settings->height, error);
  is_ready = work.sift != NULL && assay_parallel_try (work.n_images, work_on_image, &work, error)
             && join (&work, ret_dataset, error);
  free_work (&work);
  return is_ready;
}

static guint
holdings_of (const Scenes *settings)
{
  return (keeps_photos (settings, ASSAY_SCENE_PRIVATE) ? ASSAY_HAS_FRAMES : 0)
         | (settings->pictures && settings->public_images > 0 ? ASSAY_HAS_PUBLIC_FRAMES : 0)
         | (settings->views ? ASSAY_HAS_VIEWS : 0);
}

static gboolean
probe (const AssayDatasetContext *context, AssayProbe *ret_probe, G_GNUC_UNUSED GError **error)
{
  const Scenes *settings = context->settings;
  const gsize width = (gsize) settings->width, height = (gsize) settings->height;
  const gsize per_image = (gsize) settings->per_image;
  const gsize n_views = settings->views ? images_of_role (settings, ASSAY_SCENE_PRIVATE) : 0;
  const gsize n_images = count_images (settings) + n_views;
  /* Beside SIFT: two pictures in colour and one in grey, and leaves, which hide each other and
   * are fewer the larger they are. */
  const guint64 per_worker
      = assay_sift_memory (width, height) + (guint64) width * height * 40 + (8 << 20);
  guint64 n_kept = n_views;

  for (AssaySceneRole role = ASSAY_SCENE_PRIVATE; role < ASSAY_SCENE_VIEW; role++)
    n_kept += keeps_photos (settings, role) ? images_of_role (settings, role) : 0;
  *ret_probe = (AssayProbe){
    .n_secrets = images_of_role (settings, ASSAY_SCENE_PRIVATE) * per_image,
    .n_public = images_of_role (settings, ASSAY_SCENE_PUBLIC) * per_image,
    .n_database = images_of_role (settings, ASSAY_SCENE_DATABASE) * per_image,
    .n_test = n_views * per_image,
    .n_groups = images_of_role (settings, ASSAY_SCENE_PRIVATE),
    .cols = ASSAY_SIFT_LENGTH,
    .holdings = holdings_of (settings),
    .is_estimate = TRUE,
    /* Rows are there twice while they are joined. */
    .memory = (guint64) n_images * per_image * (ASSAY_SIFT_LENGTH * 2 + sizeof (AssayKeypoint))
              + n_kept * (width * height * ASSAY_KEPT_PIXEL_BYTES + per_image * ASSAY_FRAME_BYTES)
              + per_worker * assay_parallel_threads (),
  };
  return TRUE;
}

ASSAY_DATASET (scenes, "scenes",
  .summary = "SIFT descriptors of generated photographs (dead leaves)",
  .reference = { "Lee, Mumford, Huang 2001, Occlusion Models for Natural Images; Lowe 2004, "
                 "Distinctive Image Features from Scale-Invariant Keypoints",
                 "sections 3 and 4; sections 3 to 6" },
  ASSAY_SETTINGS (Scenes,
    ASSAY_PARAM_INT (Scenes, private_images, 24, 1, 100000, "images",
                     "Images whose descriptors are the secrets"),
    ASSAY_PARAM_INT (Scenes, public_images, 30, 0, 100000, "images",
                     "Other images whose descriptors are public"),
    ASSAY_PARAM_INT (Scenes, database_images, 80, 0, 100000, "images",
                     "Other images whose descriptors are the database"),
    CAMERA_PARAMETERS (Scenes, 200, 320, 240),
    ASSAY_PARAM_BOOL (Scenes, pictures, false,
                      "Whether private and public photographs are kept, with the keypoints of "
                      "their rows, at 12 bytes a pixel",
                      ASSAY_PARAM_EXTRA),
    ASSAY_PARAM_BOOL (Scenes, views, false,
                      "Whether every private scene is photographed a second time from elsewhere, "
                      "for tests of matching; this keeps private photographs, too",
                      ASSAY_PARAM_EXTRA),
    ASSAY_PARAM_CHOICE (Scenes, database_scenes, OTHER_SCENES, database_scenes,
                        "What the database's images show: other scenes, or the private ones (same)",
                        ASSAY_PARAM_EXTRA)),
  .probe = probe,
  .open = open_scenes);
