/* Descriptors of generated photographs: a dataset of any size that needs no files.
 *
 * Each image is a photograph of a scene of dead leaves (datasets/dead-leaves.c; Lee, Mumford and
 * Huang 2001); its SIFT descriptors (datasets/sift.c; Lowe 2004) are rows of 128 bytes. The roles
 * have images of their own: secrets are descriptors of the private images, grouped by image;
 * public rows and the database are descriptors of other images, as an attacker's and a defender's
 * photographs of other places would give them.
 *
 * An image with more than `per_image` keypoints gives that many of them, drawn without
 * replacement, as sift_places_public does. Image i of role r draws from items of the stream that
 * depend on (r, i) only: neither on the other counts nor on threads. How these descriptors compare
 * with those of photographs is measured in docs/scenes.md. */
#include <stdlib.h>
#include <string.h>

#include "core/parallel.h"
#include "core/plugin.h"
#include "datasets/dead-leaves.h"
#include "datasets/sift.h"

typedef enum { PRIVATE, PUBLIC, DATABASE, N_ROLES } Role;

static const char *const role_names[N_ROLES] = { "private", "public", "database" };

typedef struct {
  gint64 private_images;
  gint64 public_images;
  gint64 database_images;
  gint64 per_image;
  gint64 width;
  gint64 height;
  double blur;
  double sharpen;
  double noise;
} Scenes;

/* What an image draws numbers for. */
typedef enum { SCENE, CAMERA, CHOICE } Purpose;

typedef struct {
  Role role;
  gsize number; /* within its role */
  gsize count;  /* descriptors */
  guint8 *rows; /* count x 128 */
  GError *error;
} Image;

typedef struct {
  const Scenes *settings;
  AssayStreamKey key;
  AssaySift **sift; /* one a worker */
  Image *images;
} Work;

static AssayStream
image_stream (AssayStreamKey key, const Image *image, Purpose purpose)
{
  return assay_stream (key, (guint64) image->role << 60 | (guint64) image->number << 2 | purpose);
}

static int
compare_sizes (gconstpointer a, gconstpointer b)
{
  const gsize x = *(const gsize *) a, y = *(const gsize *) b;

  return (x > y) - (x < y);
}

/* Takes a photograph of the scene of @image. */
static AssayPhoto *
photograph (const Work *work, const Image *image, GError **error)
{
  const gsize width = (gsize) work->settings->width, height = (gsize) work->settings->height;
  const AssayCamera camera = { .blur = work->settings->blur,
                               .sharpen = work->settings->sharpen,
                               .noise = work->settings->noise };
  AssayStream scene_stream = image_stream (work->key, image, SCENE);
  AssayStream camera_stream = image_stream (work->key, image, CAMERA);
  g_autoptr (AssayScene) scene
      = assay_scene_new ((double) width, (double) height, &scene_stream, error);
  g_autoptr (AssayPhoto) photo = NULL;

  if (scene == NULL)
    return NULL;
  photo = assay_scene_render (scene, NULL, width, height, &camera, &camera_stream, error);
  return photo != NULL ? assay_photo_grey (photo, error) : NULL;
}

static gboolean
describe_image (const Work *work, guint worker, Image *image, GError **error)
{
  AssayStream stream = image_stream (work->key, image, CHOICE);
  g_autoptr (AssayPhoto) grey = photograph (work, image, error);
  g_autoptr (GArray) keypoints = NULL;
  g_autofree gsize *chosen = NULL;

  if (grey == NULL)
    return FALSE;
  keypoints = assay_sift_detect (work->sift[worker], grey, error);
  if (keypoints == NULL)
    return FALSE;
  image->count = MIN (keypoints->len, (gsize) work->settings->per_image);
  image->rows = assay_alloc (image->count, ASSAY_SIFT_LENGTH, "descriptors", error);
  if (image->rows == NULL)
    return FALSE;
  chosen = g_new (gsize, image->count + 1);
  assay_stream_choose (&stream, keypoints->len, image->count, chosen);
  qsort (chosen, image->count, sizeof *chosen, compare_sizes);
  for (gsize i = 0; i < image->count; i++)
    assay_sift_describe (work->sift[worker], &g_array_index (keypoints, AssayKeypoint, chosen[i]),
                         image->rows + i * ASSAY_SIFT_LENGTH);
  return TRUE;
}

static void
work_on_image (gsize index, guint worker, gpointer data)
{
  Work *work = data;
  Image *image = &work->images[index];

  describe_image (work, worker, image, &image->error);
}

static gsize
images_of_role (const Scenes *settings, Role role)
{
  return (gsize) (role == PRIVATE  ? settings->private_images
                  : role == PUBLIC ? settings->public_images
                                   : settings->database_images);
}

static gsize
count_images (const Scenes *settings)
{
  gsize n = 0;

  for (Role role = PRIVATE; role < N_ROLES; role++)
    n += images_of_role (settings, role);
  return n;
}

static void
free_work (Work *work, gsize n_images, guint n_workers)
{
  for (gsize i = 0; i < n_images; i++) {
    g_free (work->images[i].rows);
    g_clear_error (&work->images[i].error);
  }
  g_free (work->images);
  for (guint w = 0; w < n_workers; w++)
    assay_sift_free (work->sift[w]);
  g_free (work->sift);
}

/* Joins the descriptors of a role's images. No rows at all is an error. */
static AssayRows *
join_rows (const Scenes *settings, const Image *images, gsize n_images, Role role,
           GChecksum *checksum, GError **error)
{
  g_autoptr (AssayRows) rows = assay_rows_new (ASSAY_SIFT_LENGTH);
  g_autoptr (GBytes) bytes = NULL;
  guint8 *joined;
  gsize count = 0, next = 0;

  for (gsize i = 0; i < n_images; i++)
    count += images[i].role == role ? images[i].count : 0;
  if (count == 0) {
    assay_fail (error, ASSAY_ERROR_DATA,
                "scenes: none of the %s images (%" G_GSIZE_FORMAT " of %" G_GINT64_FORMAT
                " x %" G_GINT64_FORMAT " pixels, blur %g) has a keypoint",
                role_names[role], images_of_role (settings, role), settings->width,
                settings->height, settings->blur);
    return NULL;
  }
  joined = assay_alloc (count, ASSAY_SIFT_LENGTH, "descriptors", error);
  if (joined == NULL)
    return NULL;
  for (gsize i = 0; i < n_images; i++)
    if (images[i].role == role && images[i].count > 0) {
      memcpy (joined + next * ASSAY_SIFT_LENGTH, images[i].rows,
              images[i].count * ASSAY_SIFT_LENGTH);
      next += images[i].count;
    }
  g_checksum_update (checksum, (const guchar *) role_names[role], -1);
  g_checksum_update (checksum, joined, (gssize) (count * ASSAY_SIFT_LENGTH));
  bytes = g_bytes_new_take (joined, count * ASSAY_SIFT_LENGTH);
  assay_rows_append (rows, bytes, joined, ASSAY_UINT8, ASSAY_SIFT_LENGTH, count);
  return g_steal_pointer (&rows);
}

/* One number for each private image that has descriptors, repeated for each of them. */
static void
number_groups (const Image *images, gsize n_images, AssayDataset *dataset)
{
  gsize next = 0;

  dataset->groups = g_new (gint64, assay_rows_count (dataset->secrets));
  dataset->n_groups = 0;
  for (gsize i = 0; i < n_images; i++)
    if (images[i].role == PRIVATE && images[i].count > 0) {
      for (gsize k = 0; k < images[i].count; k++)
        dataset->groups[next++] = (gint64) dataset->n_groups;
      dataset->n_groups++;
    }
}

static gboolean
join (const Scenes *settings, const Image *images, gsize n_images, AssayDataset *dataset,
      GError **error)
{
  g_autoptr (GChecksum) checksum = g_checksum_new (G_CHECKSUM_SHA256);
  AssayRows **rows[N_ROLES] = { &dataset->secrets, &dataset->public_rows, &dataset->database };

  for (gsize i = 0; i < n_images; i++)
    if (images[i].error != NULL) {
      g_propagate_prefixed_error (error, g_error_copy (images[i].error),
                                  "scenes: %s image %" G_GSIZE_FORMAT ": ",
                                  role_names[images[i].role], images[i].number);
      return FALSE;
    }
  for (Role role = PRIVATE; role < N_ROLES; role++) {
    if (images_of_role (settings, role) == 0)
      continue;
    *rows[role] = join_rows (settings, images, n_images, role, checksum, error);
    if (*rows[role] == NULL)
      return FALSE;
  }
  number_groups (images, n_images, dataset);
  dataset->sha256 = g_strdup (g_checksum_get_string (checksum));
  return TRUE;
}

static gboolean
open_scenes (const AssayDatasetContext *context, AssayDataset *ret_dataset, GError **error)
{
  const Scenes *settings = context->settings;
  const gsize n_images = count_images (settings);
  const guint n_workers = assay_parallel_threads ();
  Work work = { .settings = settings, .key = context->stream };
  gboolean is_ready = TRUE;
  gsize i = 0;

  work.images = g_new0 (Image, n_images);
  for (Role role = PRIVATE; role < N_ROLES; role++)
    for (gsize number = 0; number < images_of_role (settings, role); number++)
      work.images[i++] = (Image){ .role = role, .number = number };
  work.sift = g_new0 (AssaySift *, n_workers);
  for (guint w = 0; w < n_workers && is_ready; w++) {
    work.sift[w] = assay_sift_new ((gsize) settings->width, (gsize) settings->height, error);
    is_ready = work.sift[w] != NULL;
  }
  if (is_ready) {
    assay_parallel_for (n_images, work_on_image, &work);
    is_ready = join (settings, work.images, n_images, ret_dataset, error);
  }
  free_work (&work, n_images, n_workers);
  return is_ready;
}

/* Rendering and SIFT: about 0.09 s for 320 x 240 pixels, in operations of 40 GFLOP/s. */
#define WORK_PER_PIXEL 47000.0

static gboolean
survey (const AssayDatasetContext *context, AssaySurvey *ret_survey,
        G_GNUC_UNUSED GError **error)
{
  const Scenes *settings = context->settings;
  const gsize width = (gsize) settings->width, height = (gsize) settings->height;
  const gsize per_image = (gsize) settings->per_image;
  const gsize n_images = count_images (settings);
  /* Beside SIFT: two pictures in colour and one in grey, and leaves, which hide each other and
   * are fewer the larger they are. */
  const guint64 per_worker
      = assay_sift_memory (width, height) + (guint64) width * height * 40 + (8 << 20);

  *ret_survey = (AssaySurvey){
    .n_secrets = images_of_role (settings, PRIVATE) * per_image,
    .n_public = images_of_role (settings, PUBLIC) * per_image,
    .n_database = images_of_role (settings, DATABASE) * per_image,
    .n_groups = images_of_role (settings, PRIVATE),
    .cols = ASSAY_SIFT_LENGTH,
    .is_estimate = TRUE,
    .work = (double) n_images * (double) (width * height) * WORK_PER_PIXEL,
    /* Rows are there twice while they are joined. */
    .memory = (guint64) n_images * per_image * ASSAY_SIFT_LENGTH * 2
              + per_worker * assay_parallel_threads (),
  };
  return TRUE;
}

static const AssayParam parameters[] = {
  ASSAY_PARAM_INT (Scenes, private_images, 24, 1, 100000, "images",
                   "Images whose descriptors are the secrets"),
  ASSAY_PARAM_INT (Scenes, public_images, 30, 0, 100000, "images",
                   "Other images whose descriptors are public"),
  ASSAY_PARAM_INT (Scenes, database_images, 80, 0, 100000, "images",
                   "Other images whose descriptors are the database"),
  ASSAY_PARAM_INT (Scenes, per_image, 200, 1, 10000, "descriptors",
                   "Descriptors of an image at most, chosen at random"),
  ASSAY_PARAM_INT (Scenes, width, 320, 32, 4096, "pixels", "Width of the images"),
  ASSAY_PARAM_INT (Scenes, height, 240, 32, 4096, "pixels", "Height of the images"),
  ASSAY_PARAM_REAL (Scenes, blur, 0.4, 0, 20, "pixels",
                    "Blur of the lens (standard deviation)"),
  ASSAY_PARAM_REAL (Scenes, sharpen, 0.6, 0, 5, "",
                    "Strength of the unsharp mask that photographs have gone through"),
  ASSAY_PARAM_REAL (Scenes, noise, 2, 0, 50, "grey levels",
                    "Noise of the sensor at full brightness (standard deviation)"),
  ASSAY_PARAM_END
};

const AssayDatasetPlugin assay_dataset_scenes = {
  .id = "scenes",
  .summary = "SIFT descriptors of generated photographs (dead leaves)",
  .reference = { "Lee, Mumford, Huang 2001, Occlusion Models for Natural Images; Lowe 2004, "
                 "Distinctive Image Features from Scale-Invariant Keypoints",
                 "sections 3 and 4; sections 3 to 6" },
  .parameters = parameters,
  .settings_size = sizeof (Scenes),
  .survey = survey,
  .open = open_scenes,
};
