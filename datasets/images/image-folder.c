/* Images in folders: sub-folders are classes, as image data sets are commonly laid out.
 *
 * Secrets are the images of `images`. The role test has those of `test_images`, or where none are
 * named the share `test_share` of the former, chosen at random; public images come from a folder of
 * the same form. Classes are numbered by the order of the names of `images`; the other folders may
 * have those alone. Images that are there twice are left out as those of files are. */
#include <string.h>

#include "core/base/free.h"
#include "core/base/parallel.h"
#include "core/base/text.h"
#include "datasets/images/image-set.h"
#include "datasets/photographs/photo.h"

enum { COLOUR, GREY };

static const char *const colours[] = { "colour", "grey", NULL };

typedef struct {
  char *images;
  char *test_images;
  double test_share;
  char *public;
  gint64 size;
  guint colour;
  guint scale;
} ImageFolder;

static gsize
channels_of (const ImageFolder *settings)
{
  return settings->colour == GREY ? 1 : 3;
}

/* Its sub-folders are classes, in the order of their names, or it holds the images itself and there
 * are none. Files are JPEG or PNG, by their names; others, and names that begin with a dot, are
 * passed over. */
typedef struct {
  char *path;
  gboolean has_classes; /* it has sub-folders */
  GPtrArray *classes;   /* their names, where they are not given */
  GPtrArray *files;     /* paths, class by class and then by name, bytewise */
  GArray *labels;       /* gint64, of each file; of no classes all 0 */
} Folder;

/* ---- Finding ---- */

ASSAY_LOCAL_FREE (Folder, folder_free, g_free (self->path), g_ptr_array_unref (self->classes),
                  g_ptr_array_unref (self->files), g_array_unref (self->labels))

/* Names in @path, in order, that do not begin with a dot. */
static GPtrArray *
list_names (const char *path, GError **error)
{
  g_autoptr (GPtrArray) names = g_ptr_array_new_with_free_func (g_free);
  g_autoptr (GError) problem = NULL;
  g_autoptr (GDir) dir = g_dir_open (path, 0, &problem);
  const char *name;

  if (dir == NULL)
    return assay_fail_null (error, ASSAY_ERROR_DATA, "%s", problem->message);
  while ((name = g_dir_read_name (dir)) != NULL)
    if (*name != '.')
      g_ptr_array_add (names, g_strdup (name));
  g_ptr_array_sort (names, assay_compare_strings);
  return g_steal_pointer (&names);
}

static gboolean
is_image (const char *name)
{
  static const char *const ends[] = { ".jpg", ".jpeg", ".png" };
  g_autofree char *small = g_ascii_strdown (name, -1);

  for (guint i = 0; i < G_N_ELEMENTS (ends); i++)
    if (g_str_has_suffix (small, ends[i]))
      return TRUE;
  return FALSE;
}

/* Adds the images that lie in @path itself. */
static gboolean
add_files (Folder *folder, const char *path, gint64 label, GError **error)
{
  g_autoptr (GPtrArray) names = list_names (path, error);

  if (names == NULL)
    return FALSE;
  for (guint i = 0; i < names->len; i++) {
    char *file = g_build_filename (path, names->pdata[i], NULL);

    if (!is_image (names->pdata[i]) || g_file_test (file, G_FILE_TEST_IS_DIR)) {
      g_free (file);
      continue;
    }
    g_ptr_array_add (folder->files, file);
    g_array_append_val (folder->labels, label);
  }
  return TRUE;
}

/* The number of the class @name among @classes, or a new one. */
static gboolean
number_class (Folder *folder, const char *name, const GPtrArray *classes,
              gint64 *ret_label, GError **error)
{
  const GPtrArray *known = classes != NULL ? classes : folder->classes;
  guint at;

  if (classes == NULL)
    g_ptr_array_add (folder->classes, g_strdup (name));
  if (!g_ptr_array_find_with_equal_func ((GPtrArray *) known, name, g_str_equal, &at))
    return assay_fail (error, ASSAY_ERROR_DATA,
                       "%s: the sub-folder '%s' is no class of the images that are protected",
                       folder->path, name);
  *ret_label = at;
  folder->has_classes = TRUE;
  return TRUE;
}

/* Adds what lies in the sub-folders. */
static gboolean
add_classes (Folder *folder, const GPtrArray *names, const GPtrArray *classes,
             GError **error)
{
  for (guint i = 0; i < names->len; i++) {
    g_autofree char *path = g_build_filename (folder->path, names->pdata[i], NULL);
    gint64 label = 0;

    if (g_file_test (path, G_FILE_TEST_IS_DIR)
        && (!number_class (folder, names->pdata[i], classes, &label, error)
            || !add_files (folder, path, label, error)))
      return FALSE;
  }
  return TRUE;
}

static gboolean
fill_folder (Folder *folder, const GPtrArray *classes, GError **error)
{
  g_autoptr (GPtrArray) names = list_names (folder->path, error);
  gsize n_flat;

  if (names == NULL || !add_files (folder, folder->path, 0, error))
    return FALSE;
  n_flat = folder->files->len;
  if (n_flat == 0 && !add_classes (folder, names, classes, error))
    return FALSE;
  for (guint i = 0; n_flat > 0 && i < names->len; i++) {
    g_autofree char *path = g_build_filename (folder->path, names->pdata[i], NULL);

    if (g_file_test (path, G_FILE_TEST_IS_DIR))
      return assay_fail (error, ASSAY_ERROR_DATA,
                         "%s: there are images beside the sub-folder '%s'; expected images in "
                         "sub-folders, which are their classes, or no sub-folders",
                         folder->path, (const char *) names->pdata[i]);
  }
  return folder->files->len > 0
         || assay_fail (error, ASSAY_ERROR_DATA,
                        "%s: there are no images; expected files in .jpg, .jpeg or .png, or "
                        "sub-folders that have some",
                        folder->path);
}

/* ASSAY_ERROR_DATA names the folder: it is missing or unreadable, has no images, or images beside
 * sub-folders that have some. @classes: names that its sub-folders may have, which number them;
 * NULL: any. */
static Folder *
folder_find (const char *name, const char *const *folders, const GPtrArray *classes, GError **error)
{
  g_autoptr (Folder) folder = NULL;
  char *path = assay_row_file_find (name, folders, error);

  if (path == NULL)
    return NULL;
  folder = g_new0 (Folder, 1);
  folder->path = path;
  folder->classes = g_ptr_array_new_with_free_func (g_free);
  folder->files = g_ptr_array_new_with_free_func (g_free);
  folder->labels = g_array_new (FALSE, FALSE, sizeof (gint64));
  return fill_folder (folder, classes, error) ? g_steal_pointer (&folder) : NULL;
}

/* ---- Reading ---- */

/* What is known by the headers of the files, and all of them. ASSAY_ERROR_DATA names the file that
 * cannot be read, or is smaller than, or of another size than, what is expected. */
static AssayImages *
folder_probe (const Folder *folder, const ImageFolder *settings, GError **error)
{
  AssayImages found = { .count = folder->files->len,
                        .height = (gsize) settings->size,
                        .width = (gsize) settings->size,
                        .channels = channels_of (settings),
                        .has_labels = folder->has_classes,
                        .source = folder->path };

  if (settings->size == 0
      && !assay_photo_read_size (folder->files->pdata[0], &found.width, &found.height, error))
    return NULL;
  return assay_images_probed (&found);
}

/* The square in the middle of @photo, reduced to @size pixels a side. */
static AssayPhoto *
reduce (const AssayPhoto *photo, gsize size, GError **error)
{
  const gsize side = MIN (photo->width, photo->height);
  const gsize left = (photo->width - side) / 2, top = (photo->height - side) / 2;
  g_autoptr (AssayPhoto) square = assay_photo_new (side, side, photo->channels, error);

  if (square == NULL)
    return NULL;
  for (gsize y = 0; y < side; y++)
    memcpy (assay_photo_pixel (square, 0, y), assay_photo_pixel (photo, left, top + y),
            side * photo->channels * sizeof (float));
  return assay_photo_shrink (square, size, error);
}

typedef struct {
  const Folder *folder;
  const ImageFolder *settings;
  AssayImages *images;
} Reading;

static gboolean
check_size (const Reading *reading, const AssayPhoto *photo, const char *file, GError **error)
{
  const AssayImages *images = reading->images;
  const gsize size = (gsize) reading->settings->size;

  if (size > 0)
    return MIN (photo->width, photo->height) >= size
           || assay_fail (error, ASSAY_ERROR_DATA,
                          "%s: %zu x %zu pixels; expected %zu on each side or more", file,
                          photo->width, photo->height, size);
  return (photo->width == images->width && photo->height == images->height)
         || assay_fail (error, ASSAY_ERROR_DATA,
                        "%s: %zu x %zu pixels; expected %zu x %zu as the first image has, or size "
                        "= PIXELS, to which all are reduced",
                        file, photo->width, photo->height, images->width, images->height);
}

static gboolean
read_one (gsize i, G_GNUC_UNUSED guint worker, gpointer data, GError **error)
{
  const Reading *reading = data;
  const ImageFolder *settings = reading->settings;
  const char *file = reading->folder->files->pdata[i];
  g_autoptr (AssayPhoto) photo = assay_photo_load (file, error);
  g_autoptr (AssayPhoto) small = NULL;
  g_autoptr (AssayPhoto) grey = NULL;
  const AssayPhoto *shown;
  guint8 *row;

  if (photo == NULL || !check_size (reading, photo, file, error))
    return FALSE;
  small = settings->size > 0 ? reduce (photo, (gsize) settings->size, error) : NULL;
  if (settings->size > 0 && small == NULL)
    return FALSE;
  shown = small != NULL ? small : photo;
  if (settings->colour == GREY) {
    grey = assay_photo_grey (shown, error);
    if (grey == NULL)
      return FALSE;
    shown = grey;
  }
  row = assay_images_row (reading->images, i);
  for (gsize j = 0; j < assay_images_cols (reading->images); j++)
    row[j] = (guint8) assay_photo_byte (shown->data[j]);
  if (reading->images->labels != NULL)
    reading->images->labels[i] = g_array_index (reading->folder->labels, gint64, i);
  return TRUE;
}

static AssayImages *
folder_read (const Folder *folder, const ImageFolder *settings, GError **error)
{
  g_autoptr (AssayImages) known = folder_probe (folder, settings, error);
  g_autoptr (AssayImages) images = NULL;
  g_autoptr (AssayPhoto) first = NULL;
  Reading reading = { .folder = folder, .settings = settings };

  if (known == NULL)
    return NULL;
  /* Upright, which headers are not. */
  if (settings->size == 0) {
    first = assay_photo_load (folder->files->pdata[0], error);
    if (first == NULL)
      return NULL;
    known->width = first->width;
    known->height = first->height;
  }
  images = assay_images_new (known, error);
  reading.images = images;
  return images != NULL && assay_parallel_try (images->count, read_one, &reading, error)
             ? g_steal_pointer (&images)
             : NULL;
}

/* ---- The dataset ---- */

typedef struct {
  const char *setting, *name;
  const GPtrArray *classes; /* that it may have; NULL: any */
  gboolean is_probe;
} Role;

static gboolean
load_role (const AssayDatasetContext *context, const Role *role, Folder **ret_folder,
           AssayImages **ret_images, GError **error)
{
  if (*role->name == '\0')
    return TRUE;
  *ret_folder = folder_find (role->name, context->folders, role->classes, error);
  if (*ret_folder == NULL)
    return assay_prefix (error, "%s: ", role->setting);
  *ret_images = (role->is_probe ? folder_probe : folder_read) (*ret_folder, context->settings,
                                                               error);
  return *ret_images != NULL || assay_prefix (error, "%s: ", role->setting);
}

static gboolean
load (const AssayDatasetContext *context, gboolean is_probe, AssayImagePools *pools,
      gsize *ret_classes, GError **error)
{
  const ImageFolder *settings = context->settings;
  g_autoptr (Folder) secrets = NULL;
  g_autoptr (Folder) test = NULL;
  g_autoptr (Folder) public = NULL;
  const Role of_secrets = { "images", settings->images, NULL, is_probe };
  Role others[] = { { "test_images", settings->test_images, NULL, is_probe },
                    { "public", settings->public, NULL, is_probe } };

  if (!load_role (context, &of_secrets, &secrets, &pools->secrets, error))
    return FALSE;
  if (secrets->has_classes)
    others[0].classes = others[1].classes = secrets->classes;
  *ret_classes = secrets->classes->len;
  if (!load_role (context, &others[0], &test, &pools->test, error)
      || !load_role (context, &others[1], &public, &pools->public_images, error))
    return FALSE;
  if (pools->public_images != NULL)
    pools->public_images->is_estimate = is_probe; /* without those that are left out */
  return TRUE;
}

static gboolean
probe (const AssayDatasetContext *context, AssayProbe *ret_probe, GError **error)
{
  const ImageFolder *settings = context->settings;
  g_auto (AssayImagePools) pools = { 0 };
  gsize n_classes;

  return load (context, TRUE, &pools, &n_classes, error)
         && assay_image_pools_probe (&pools, settings->test_share, n_classes, ret_probe, error);
}

static gboolean
open_folder (const AssayDatasetContext *context, AssayDataset *ret_dataset, GError **error)
{
  const ImageFolder *settings = context->settings;
  g_auto (AssayImagePools) pools = { 0 };
  gsize n_classes;

  return load (context, FALSE, &pools, &n_classes, error)
         && assay_image_pools_split (&pools, settings->test_share, context->stream, error)
         && assay_image_pools_open (&pools, settings->scale, n_classes, ret_dataset, error);
}

ASSAY_DATASET (image_folder, "image-folder",
  .summary = "Images in folders (JPEG, PNG), with sub-folders as their classes",
  .reference = { "Deng et al. 2009, ImageNet: A Large-Scale Hierarchical Image Database",
                 "the layout of its folders" },
  ASSAY_SETTINGS (ImageFolder,
    ASSAY_PARAM_STRING (ImageFolder, images, NULL,
                        "Images to protect: a folder of JPEG or PNG files, or of sub-folders with "
                        "such files, each of them a class"),
    ASSAY_PARAM_STRING (ImageFolder, test_images, "", "Test images, in the same form"),
    ASSAY_PARAM_REAL (ImageFolder, test_share, 0.1, 0, 0.9, "",
                      "Share of the images set apart at random as test images, where no test "
                      "images are named"),
    ASSAY_PARAM_STRING (ImageFolder, public, "", "Public images, in the same form"),
    ASSAY_PARAM_INT (ImageFolder, size, 0, 0, 4096, "pixels",
                     "The square in the middle of each image is reduced to this side; 0: images "
                     "stay as they are, and must have one size"),
    ASSAY_PARAM_CHOICE (ImageFolder, colour, COLOUR, colours,
                        "Whether images have three channels, or are made grey"),
    ASSAY_PARAM_CHOICE (ImageFolder, scale, ASSAY_PIXELS_DATASET, assay_pixel_scales,
                        ASSAY_PIXEL_SCALE_HELP)),
  .probe = probe,
  .open = open_folder);
