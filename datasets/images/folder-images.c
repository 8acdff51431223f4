/* Images of a folder. */
#include "datasets/images/folder-images.h"

#include <string.h>

#include "core/base/error.h"
#include "core/base/parallel.h"
#include "core/base/text.h"
#include "core/data/secret-paths.h"
#include "datasets/photographs/photo.h"

/* ---- Finding ---- */

ASSAY_FREE_FUNC (AssayImageFolder, assay_image_folder_free, g_free (self->path),
                 g_ptr_array_unref (self->classes), g_ptr_array_unref (self->files),
                 g_array_unref (self->labels))

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
add_files (AssayImageFolder *folder, const char *path, gint64 label, GError **error)
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
number_class (AssayImageFolder *folder, const char *name, const GPtrArray *classes,
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
add_classes (AssayImageFolder *folder, const GPtrArray *names, const GPtrArray *classes,
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
fill_folder (AssayImageFolder *folder, const GPtrArray *classes, GError **error)
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

AssayImageFolder *
assay_image_folder_find (const char *name, const char *const *folders, const GPtrArray *classes,
                         GError **error)
{
  g_autoptr (AssayImageFolder) folder = NULL;
  char *path = assay_row_file_find (name, folders, error);

  if (path == NULL)
    return NULL;
  assay_secret_links_add (path);
  folder = g_new0 (AssayImageFolder, 1);
  folder->path = path;
  folder->classes = g_ptr_array_new_with_free_func (g_free);
  folder->files = g_ptr_array_new_with_free_func (g_free);
  folder->labels = g_array_new (FALSE, FALSE, sizeof (gint64));
  return fill_folder (folder, classes, error) ? g_steal_pointer (&folder) : NULL;
}

/* ---- Reading ---- */

AssayImages *
assay_image_folder_probe (const AssayImageFolder *folder, const AssayImageForm *form,
                          GError **error)
{
  AssayImages found = { .count = folder->files->len,
                        .height = form->size,
                        .width = form->size,
                        .channels = form->channels,
                        .has_labels = folder->has_classes,
                        .source = folder->path };

  if (form->size == 0
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
  const AssayImageFolder *folder;
  const AssayImageForm *form;
  AssayImages *images;
} Reading;

static gboolean
check_size (const Reading *reading, const AssayPhoto *photo, const char *file, GError **error)
{
  const AssayImages *images = reading->images;

  if (reading->form->size > 0)
    return MIN (photo->width, photo->height) >= reading->form->size
           || assay_fail (error, ASSAY_ERROR_DATA,
                          "%s: %zu x %zu pixels; expected %zu on each side or more", file,
                          photo->width, photo->height, reading->form->size);
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
  const char *file = reading->folder->files->pdata[i];
  g_autoptr (AssayPhoto) photo = assay_photo_load (file, error);
  g_autoptr (AssayPhoto) small = NULL;
  g_autoptr (AssayPhoto) grey = NULL;
  const AssayPhoto *shown;
  guint8 *row;

  if (photo == NULL || !check_size (reading, photo, file, error))
    return FALSE;
  small = reading->form->size > 0 ? reduce (photo, reading->form->size, error) : NULL;
  if (reading->form->size > 0 && small == NULL)
    return FALSE;
  shown = small != NULL ? small : photo;
  if (reading->form->channels == 1) {
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

AssayImages *
assay_image_folder_read (const AssayImageFolder *folder, const AssayImageForm *form, GError **error)
{
  g_autoptr (AssayImages) known = NULL;
  g_autoptr (AssayImages) images = NULL;
  g_autoptr (AssayPhoto) first = NULL;
  Reading reading = { .folder = folder, .form = form };

  known = assay_image_folder_probe (folder, form, error);
  if (known == NULL)
    return NULL;
  /* Upright, which headers are not. */
  if (form->size == 0) {
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
