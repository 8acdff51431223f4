/* Descriptors of generated photographs of places, with a map: what a localisation service has
 * and is sent.
 *
 * A place is two textured walls (place.h; dead leaves, Lee, Mumford and Huang 2001). One camera
 * takes the photograph whose SIFT descriptors are secrets, a group for each place; `references`
 * others take those of the map, whose rows are the role test. The point of a map's row in space is
 * where the ray of its keypoint meets a wall: cameras and walls of a map are known exactly here,
 * where a real map is triangulated.
 *
 * Database and public rows are descriptors of photographs of other places; or, with
 * `database_places` = same, the database is of further photographs of the secrets' places, as a
 * dictionary that is made of a map's own photographs is.
 *
 * An image draws from streams of its own: for its place, its camera, the film's noise and the
 * choice of descriptors. */
#include <string.h>

#include "core/base/parallel.h"
#include "core/plugin/plugin.h"
#include "datasets/generated/place.h"
#include "datasets/photographs/picture-rows.h"

typedef enum { QUERY, REFERENCE, PUBLIC, DATABASE, ROLES } Role;

static const char *const role_names[ROLES] = { "private", "reference", "public", "database" };

typedef enum { PLACE, CAMERA, FILM, CHOICE } Purpose;

typedef enum { OTHER_PLACES, SAME_PLACES } DatabasePlaces;

static const char *const database_places[] = { "other", "same", NULL };

typedef struct {
  gint64 private_images;
  gint64 references;
  gint64 public_images;
  gint64 database_images;
  CAMERA_FIELDS;
  guint database_places; /* DatabasePlaces */
} Places;

typedef struct {
  Role role;
  gsize number; /* within its role */
  gsize group;  /* of queries and references: the place */
  AssayPicture picture;
  AssayPlaceCamera camera;
  float *points; /* of references: count x 3 */
} Image;

typedef struct {
  const Places *settings;
  AssayStreamKey key;
  AssaySift **sift; /* one a worker */
  Image *images;
  gsize n_images;
} Work;

static gsize
images_of_role (const Places *settings, Role role)
{
  return (gsize) (role == QUERY       ? settings->private_images
                  : role == REFERENCE ? settings->private_images * settings->references
                  : role == PUBLIC    ? settings->public_images
                                      : settings->database_images);
}

static gsize
count_images (const Places *settings)
{
  gsize n = 0;

  for (Role role = QUERY; role < ROLES; role++)
    n += images_of_role (settings, role);
  return n;
}

/* The place that an image shows, as the role and number whose stream draws it. */
static void
find_place (const Places *settings, const Image *image, Role *ret_role, gsize *ret_number)
{
  const gsize n = (gsize) settings->private_images;
  const gboolean is_shared
      = image->role == REFERENCE
        || (image->role == DATABASE && settings->database_places == SAME_PLACES);

  *ret_role = is_shared ? QUERY : image->role;
  *ret_number = is_shared ? image->number % n : image->number;
}

static AssayStream
image_stream (const Work *work, Role role, gsize number, Purpose purpose)
{
  return assay_stream (work->key, (guint64) role << 60 | (guint64) number << 2 | purpose);
}

/* ---- Images ---- */

/* The points of the keypoints; those that are on no wall are left out. */
static void
locate_keypoints (const AssayPlace *place, Image *image)
{
  AssayPicture *picture = &image->picture;
  gsize kept = 0;

  image->points = g_new (float, 3 * picture->count + 1);
  for (gsize i = 0; i < picture->count; i++) {
    const AssayKeypoint keypoint = picture->keypoints[i];
    double point[3];

    if (!assay_place_point (place, &image->camera, keypoint.x, keypoint.y, point))
      continue;
    for (gsize c = 0; c < 3; c++)
      image->points[3 * kept + c] = (float) point[c];
    picture->keypoints[kept] = keypoint;
    memmove (picture->descriptors + kept * ASSAY_SIFT_LENGTH,
             picture->descriptors + i * ASSAY_SIFT_LENGTH, ASSAY_SIFT_LENGTH);
    kept++;
  }
  picture->count = kept;
}

static gboolean
make_image (Work *work, Image *image, AssaySift *sift, GError **error)
{
  const Places *settings = work->settings;
  const AssayCamera film = CAMERA_OF (settings);
  AssayStream camera = image_stream (work, image->role, image->number, CAMERA);
  AssayStream noise = image_stream (work, image->role, image->number, FILM);
  AssayStream choice = image_stream (work, image->role, image->number, CHOICE);
  AssayStream stream;
  g_autoptr (AssayPlace) place = NULL;
  g_autoptr (AssayPhoto) photo = NULL;
  Role role;
  gsize number;

  find_place (settings, image, &role, &number);
  image->group = number;
  stream = image_stream (work, role, number, PLACE);
  place = assay_place_new (film.width, film.height, &stream, error);
  if (place == NULL)
    return FALSE;
  image->camera = assay_place_draw_camera (place, &camera);
  photo = assay_place_render (place, &image->camera, &film, &noise, error);
  if (photo == NULL
      || !assay_picture_describe (&image->picture, sift, photo, (gsize) settings->per_image,
                                  &choice, error))
    return FALSE;
  if (image->role == REFERENCE)
    locate_keypoints (place, image);
  if (image->role == QUERY)
    image->picture.photo = g_steal_pointer (&photo);
  return TRUE;
}

static gboolean
work_on_image (gsize index, guint worker, gpointer data, GError **error)
{
  Work *work = data;
  Image *image = &work->images[index];

  return make_image (work, image, work->sift[worker], error)
         || assay_prefix (error, "places: %s image %zu: ", role_names[image->role], image->number);
}

static void
free_work (Work *work)
{
  for (gsize i = 0; i < work->n_images; i++) {
    assay_picture_clear (&work->images[i].picture);
    g_free (work->images[i].points);
  }
  g_free (work->images);
  assay_sift_free_all (work->sift);
}

/* ---- Joining ---- */

/* Of the queries that have descriptors: numbers[g] is the group of place g, or -1. */
static gint64 *
number_places (const Work *work, gsize *ret_count)
{
  gint64 *numbers = g_new (gint64, (gsize) work->settings->private_images);
  gsize n = 0;

  for (gsize i = 0; i < work->n_images && work->images[i].role == QUERY; i++)
    numbers[i] = work->images[i].picture.count > 0 ? (gint64) n++ : -1;
  *ret_count = n;
  return numbers;
}

/* The images of a role that have rows. References are those of places with a query. */
static GPtrArray *
find_images (const Work *work, Role role, const gint64 *numbers)
{
  GPtrArray *found = g_ptr_array_new ();

  for (gsize i = 0; i < work->n_images; i++) {
    Image *image = &work->images[i];

    if (image->role == role && image->picture.count > 0
        && (role != REFERENCE || numbers[image->group] >= 0))
      g_ptr_array_add (found, image);
  }
  return found;
}

static gboolean
join_role (const Work *work, const GPtrArray *images, Role role, GChecksum *checksum,
           AssayDataset *dataset, GError **error)
{
  AssayRows **rows[ROLES]
      = { &dataset->secrets, &dataset->test, &dataset->public_rows, &dataset->database };
  g_autoptr (GPtrArray) pictures = g_ptr_array_new ();

  if (images_of_role (work->settings, role) == 0)
    return TRUE;
  if (images->len == 0)
    return assay_fail (error, ASSAY_ERROR_DATA, "places: none of the %s images has a keypoint",
                       role_names[role]);
  for (guint i = 0; i < images->len; i++)
    g_ptr_array_add (pictures, &((Image *) images->pdata[i])->picture);
  g_checksum_update (checksum, (const guchar *) role_names[role], -1);
  if (!assay_pictures_join (pictures, checksum, rows[role],
                            role == QUERY ? &dataset->secret_data : NULL, error))
    return FALSE;
  if (role == QUERY)
    dataset->groups = assay_pictures_number (pictures);
  return TRUE;
}

static gboolean
join_map (const GPtrArray *references, const gint64 *numbers, GChecksum *checksum,
          AssayDataset *dataset, GError **error)
{
  const gsize n = assay_rows_count (dataset->test);
  float *points = assay_alloc (n, 3 * sizeof (float), "points", error);
  gint64 *places = points != NULL ? assay_alloc (n, sizeof (gint64), "places", error) : NULL;
  gsize next = 0;

  for (guint i = 0; places != NULL && i < references->len; i++) {
    const Image *image = references->pdata[i];

    memcpy (points + 3 * next, image->points, 3 * image->picture.count * sizeof (float));
    for (gsize k = 0; k < image->picture.count; k++)
      places[next++] = numbers[image->group];
  }
  if (places == NULL) {
    g_free (points);
    return FALSE;
  }
  g_checksum_update (checksum, (const guchar *) points, (gssize) (3 * n * sizeof (float)));
  dataset->test_data.points
      = assay_array_take (ASSAY_FLOAT32, 2, (const gsize[]){ n, 3 }, points);
  dataset->test_data.pictures = assay_array_take (ASSAY_INT64, 1, &n, places);
  return TRUE;
}

static void
join_cameras (const GPtrArray *queries, GChecksum *checksum, AssayDataset *dataset)
{
  enum { NUMBERS = ASSAY_PLACE_CAMERA_NUMBERS };
  double *cameras = g_new (double, NUMBERS * queries->len);

  for (guint i = 0; i < queries->len; i++) {
    const AssayPlaceCamera *camera = &((const Image *) queries->pdata[i])->camera;
    double *numbers = cameras + NUMBERS * i;

    numbers[0] = camera->focal;
    numbers[1] = camera->cx;
    numbers[2] = camera->cy;
    memcpy (numbers + 3, camera->turn, sizeof camera->turn);
    memcpy (numbers + 12, camera->shift, sizeof camera->shift);
  }
  g_checksum_update (checksum, (const guchar *) cameras,
                     (gssize) (NUMBERS * queries->len * sizeof (double)));
  dataset->cameras
      = assay_array_take (ASSAY_FLOAT64, 2, (const gsize[]){ queries->len, NUMBERS }, cameras);
}

static gboolean
join (const Work *work, AssayDataset *dataset, GError **error)
{
  g_autoptr (GChecksum) checksum = g_checksum_new (G_CHECKSUM_SHA256);
  g_autofree gint64 *numbers = number_places (work, &dataset->n_groups);

  for (Role role = QUERY; role < ROLES; role++) {
    g_autoptr (GPtrArray) images = find_images (work, role, numbers);

    if (!join_role (work, images, role, checksum, dataset, error))
      return FALSE;
    if (role == QUERY)
      join_cameras (images, checksum, dataset);
    else if (role == REFERENCE && !join_map (images, numbers, checksum, dataset, error))
      return FALSE;
  }
  dataset->sha256 = g_strdup (g_checksum_get_string (checksum));
  return TRUE;
}

/* ---- Callbacks ---- */

static gboolean
open_places (const AssayDatasetContext *context, AssayDataset *ret_dataset, GError **error)
{
  const Places *settings = context->settings;
  Work work = { .settings = settings,
                .key = context->stream,
                .n_images = count_images (settings) };
  gboolean is_ready;
  gsize i = 0;

  work.images = g_new0 (Image, work.n_images);
  for (Role role = QUERY; role < ROLES; role++)
    for (gsize number = 0; number < images_of_role (settings, role); number++)
      work.images[i++] = (Image){ .role = role, .number = number };
  work.sift = assay_sift_new_for_all (assay_parallel_threads (), (gsize) settings->width,
                                      (gsize) settings->height, error);
  is_ready = work.sift != NULL && assay_parallel_try (work.n_images, work_on_image, &work, error)
             && join (&work, ret_dataset, error);
  free_work (&work);
  return is_ready;
}

static gboolean
probe (const AssayDatasetContext *context, AssayProbe *ret_probe, G_GNUC_UNUSED GError **error)
{
  const Places *settings = context->settings;
  const gsize width = (gsize) settings->width, height = (gsize) settings->height;
  const gsize per_image = (gsize) settings->per_image, n_images = count_images (settings);
  /* Beside SIFT: three pictures in colour and one in grey, and the leaves of two walls. */
  const guint64 per_worker
      = assay_sift_memory (width, height) + (guint64) width * height * 56 + (32 << 20);

  *ret_probe = (AssayProbe){
    .n_secrets = images_of_role (settings, QUERY) * per_image,
    .n_public = images_of_role (settings, PUBLIC) * per_image,
    .n_database = images_of_role (settings, DATABASE) * per_image,
    .n_test = images_of_role (settings, REFERENCE) * per_image,
    .n_groups = images_of_role (settings, QUERY),
    .cols = ASSAY_SIFT_LENGTH,
    .holdings = ASSAY_HAS_FRAMES | ASSAY_HAS_MAP,
    .is_estimate = TRUE,
    .memory = (guint64) n_images * per_image
                  * (ASSAY_SIFT_LENGTH * 2 + sizeof (AssayKeypoint) + ASSAY_FRAME_BYTES)
              + images_of_role (settings, QUERY) * width * height * ASSAY_KEPT_PIXEL_BYTES
              + per_worker * assay_parallel_threads (),
  };
  return TRUE;
}

ASSAY_DATASET (places, "places",
  .summary = "SIFT descriptors of generated photographs of places, with cameras and a map",
  .reference = { "Lee, Mumford, Huang 2001, Occlusion Models for Natural Images; Pittaluga and "
                 "Zhuang 2023, LDP-FEAT",
                 "sections 3 and 4; section 6.2" },
  ASSAY_SETTINGS (Places,
    ASSAY_PARAM_INT (Places, private_images, 24, 1, 100000, "images",
                     "How many places there are; one photograph of each gives the secrets"),
    ASSAY_PARAM_INT (Places, references, 4, 1, 1000, "images",
                     "Photographs of each place from which the map is made"),
    ASSAY_PARAM_INT (Places, public_images, 0, 0, 100000, "images",
                     "Photographs of other places whose descriptors are public"),
    ASSAY_PARAM_INT (Places, database_images, 40, 0, 100000, "images",
                     "Further photographs whose descriptors are the database"),
    CAMERA_PARAMETERS (Places, 400, 480, 360),
    ASSAY_PARAM_CHOICE (Places, database_places, OTHER_PLACES, database_places,
                        "What the database's images show: other places, or the private ones "
                        "(same)")),
  .probe = probe,
  .open = open_places);
