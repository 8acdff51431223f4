/* Rows from photographs. The stream from which a photograph's rows are drawn is the item that the
 * head of the picture's sha256 names, in one half of all items; the other half is for folders. */
#include "datasets/photographs/photo-rows.h"

#include <string.h>


static gsize
most_rows (const AssayPhotograph *photo, gsize limit)
{
  const gsize most = photo->width * photo->height / ASSAY_PHOTO_PIXELS_PER_ROW;

  return limit > 0 ? MIN (most, limit) : most;
}

/* Those of its descriptors that @photo gives, in their order. */
static gboolean
choose_rows (const AssayPhotograph *photo, gsize limit, AssayStreamKey key, AssayPicture *ret_image,
             GError **error)
{
  const AssayFeatures *features = photo->features;
  const gsize all = features->keypoints->len, count = MIN (all, most_rows (photo, limit));
  char head[17] = "";
  AssayStream stream;
  g_autofree gsize *chosen = NULL;

  if (!assay_picture_reserve (ret_image, count, error))
    return FALSE;
  memcpy (head, features->picture, 16);
  stream = assay_stream (key, g_ascii_strtoull (head, NULL, 16) >> 1);
  chosen = assay_picture_choose (&stream, all, count);
  for (gsize i = 0; i < count; i++) {
    ret_image->keypoints[i] = g_array_index (features->keypoints, AssayKeypoint, chosen[i]);
    memcpy (ret_image->descriptors + i * ASSAY_SIFT_LENGTH,
            features->descriptors + chosen[i] * ASSAY_SIFT_LENGTH, ASSAY_SIFT_LENGTH);
  }
  return TRUE;
}

static void
free_image (gpointer data)
{
  assay_picture_clear (data);
  g_free (data);
}

/* Of AssayPicture: what the photographs of @role give, with their pictures if these were loaded. */
static GPtrArray *
find_images (const AssayPhotoRows *from, guint role, gsize *ret_rows, GError **error)
{
  g_autoptr (GPtrArray) images = g_ptr_array_new_with_free_func (free_image);

  *ret_rows = 0;
  for (gsize i = 0; i < from->set->n; i++) {
    AssayPhotograph *photo = &from->set->photographs[i];
    AssayPicture *image;

    if (!assay_photograph_has_role (photo, role))
      continue;
    image = g_new0 (AssayPicture, 1);
    g_ptr_array_add (images, image);
    if (!choose_rows (photo, from->limit, from->key, image, error))
      return NULL;
    image->photo = g_steal_pointer (&photo->picture);
    *ret_rows += image->count;
  }
  return g_steal_pointer (&images);
}

/* The rows of @role, at least one, with the number of its photograph (those that cannot be used are
 * not counted) for each in @ret_numbers where that is not NULL. */
static gboolean
join (const AssayPhotoRows *from, guint role, const AssayPhotoPlace *place, gint64 **ret_numbers,
      GError **error)
{
  const char *name = from->set->role_names[role];
  g_autoptr (GPtrArray) images = NULL;
  g_autofree char *line = NULL;
  gsize count;

  if (place->data != NULL && !assay_photo_set_load_pictures (from->set, role, error))
    return FALSE;
  images = find_images (from, role, &count, error);
  if (images == NULL)
    return FALSE;
  if (count == 0)
    return assay_fail (error, ASSAY_ERROR_DATA, "%s: every photograph was skipped", name);
  line = g_strdup_printf ("%s %zu\n", name, count);
  g_checksum_update (from->checksum, (const guchar *) line, -1);
  if (!assay_pictures_join (images, from->checksum, place->rows, place->data, error))
    return FALSE;
  if (ret_numbers != NULL)
    *ret_numbers = assay_pictures_number (images);
  return TRUE;
}

static gboolean
has_files (const AssayPhotoSet *set, guint role)
{
  for (gsize i = 0; i < set->n; i++)
    if (set->photographs[i].file->role == role)
      return TRUE;
  return FALSE;
}

gboolean
assay_photo_rows_open (const AssayPhotoRows *from, const AssayPhotoPlace *places,
                       AssayDataset *ret_dataset, GError **error)
{
  if (!assay_photo_set_describe (from->set, error))
    return FALSE;
  for (guint role = 0; role < from->set->n_roles; role++)
    if (has_files (from->set, role)
        && !join (from, role, &places[role], role == 0 ? &ret_dataset->groups : NULL, error))
      return FALSE;
  ret_dataset->n_groups = assay_photo_set_usable (from->set, 0);
  return TRUE;
}

void
assay_photo_rows_probe (const AssayPhotoSet *set, gsize limit, const gboolean *is_kept,
                        gsize *ret_counts, AssayProbe *ret_probe)
{
  const gsize per_keypoint = ASSAY_SIFT_LENGTH + sizeof (AssayKeypoint);

  *ret_probe = (AssayProbe){ .cols = ASSAY_SIFT_LENGTH,
                             .n_groups = assay_photo_set_usable (set, 0),
                             .is_estimate = TRUE,
                             .memory = assay_photo_set_memory (set) };
  memset (ret_counts, 0, set->n_roles * sizeof *ret_counts);
  for (gsize i = 0; i < set->n; i++) {
    const AssayPhotograph *photo = &set->photographs[i];
    const gsize pixels = photo->width * photo->height, most = most_rows (photo, limit);

    if (photo->error != NULL)
      continue;
    ret_counts[photo->file->role] += most;
    /* All features, the rows that are taken from them, and these joined. */
    ret_probe->memory += pixels / ASSAY_PHOTO_PIXELS_PER_ROW * per_keypoint
                         + most * (per_keypoint + ASSAY_SIFT_LENGTH);
    if (is_kept[photo->file->role])
      ret_probe->memory += pixels * ASSAY_KEPT_PIXEL_BYTES + most * ASSAY_FRAME_BYTES;
  }
}
