/* Photographs with their features. Work is cut by photograph, and of several errors the first in
 * their order is reported, so that neither depends on threads.
 *
 * The picture decides which photograph it is, not the file: two files with the same grey levels
 * after the reduction are one photograph. With different roles they would give secrets away for
 * free; with one role they would count as two independent groups. */
#include "datasets/photographs/photo-set.h"

#include "core/base/error.h"
#include "core/base/parallel.h"

void
assay_photo_set_free (AssayPhotoSet *set)
{
  if (set == NULL)
    return;
  assay_sift_free_all (set->sift);
  for (gsize i = 0; i < set->n; i++) {
    assay_features_free (set->photographs[i].features);
    assay_photo_free (set->photographs[i].picture);
    g_clear_error (&set->photographs[i].error);
  }
  g_free (set->photographs);
  g_clear_pointer (&set->files, g_array_unref);
  g_free (set->role_names);
  g_free (set);
}

gsize
assay_photo_set_usable (const AssayPhotoSet *set, guint role)
{
  gsize n = 0;

  for (gsize i = 0; i < set->n; i++)
    n += assay_photograph_has_role (&set->photographs[i], role);
  return n;
}

/* ---- Headers ---- */

/* FALSE with an error if @photo cannot be used and that is not to be passed over. Want of memory is
 * never passed over: another machine would have another dataset. */
static gboolean
is_tolerated (const AssayPhotoSet *set, const AssayPhotograph *photo, GError **error)
{
  if (photo->error == NULL
      || (set->rules.skip_unusable
          && g_error_matches (photo->error, ASSAY_ERROR, ASSAY_ERROR_DATA)))
    return TRUE;
  g_propagate_prefixed_error (error, g_error_copy (photo->error), "%s: ",
                              set->role_names[photo->file->role]);
  return FALSE;
}

static gboolean
inspect (const AssayPhotoRules *rules, AssayPhotograph *photo, GError **error)
{
  gsize width, height;

  if (!assay_photo_read_size (photo->file->path, &width, &height, error))
    return FALSE;
  photo->stored = width * height;
  assay_photo_shrunk_size (width, height, rules->largest, &photo->width, &photo->height);
  if (MIN (photo->width, photo->height) < ASSAY_SIFT_MIN_SIDE)
    return assay_fail (error, ASSAY_ERROR_DATA,
                       "%s: %zu x %zu pixels, described at %zu x %zu; expected at least %d on "
                       "each side",
                       photo->file->path, width, height, photo->width, photo->height,
                       ASSAY_SIFT_MIN_SIDE);
  return TRUE;
}

AssayPhotoSet *
assay_photo_set_of_files (GArray *files, const AssayPhotoRole *roles, guint n_roles,
                          const AssayPhotoRules *rules, GError **error)
{
  g_autoptr (AssayPhotoSet) set = g_new0 (AssayPhotoSet, 1);

  set->rules = *rules;
  set->n_roles = n_roles;
  set->role_names = g_new (const char *, n_roles);
  for (guint r = 0; r < n_roles; r++)
    set->role_names[r] = roles[r].name;
  set->files = g_array_ref (files);
  set->n = set->files->len;
  set->n_workers = (guint) MIN (assay_parallel_threads (), set->n);
  set->photographs = g_new0 (AssayPhotograph, set->n);
  for (gsize i = 0; i < set->n; i++) {
    AssayPhotograph *photo = &set->photographs[i];

    photo->file = &g_array_index (set->files, AssayPhotoFile, i);
    if (!inspect (rules, photo, &photo->error) && !is_tolerated (set, photo, error))
      return NULL;
  }
  return g_steal_pointer (&set);
}

AssayPhotoSet *
assay_photo_set_new (const AssayPhotoRole *roles, guint n_roles, const AssayPhotoRules *rules,
                     const char *const *folders, AssayStreamKey key, GError **error)
{
  g_autoptr (GArray) files = assay_photo_roles_find (roles, n_roles, folders, key, error);

  return files != NULL ? assay_photo_set_of_files (files, roles, n_roles, rules, error) : NULL;
}

/* The one with the most pixels of those that can be used, or NULL. */
static const AssayPhotograph *
find_largest (const AssayPhotoSet *set)
{
  const AssayPhotograph *largest = NULL;

  for (gsize i = 0; i < set->n; i++) {
    const AssayPhotograph *photo = &set->photographs[i];

    if (photo->error == NULL
        && (largest == NULL || photo->width * photo->height > largest->width * largest->height))
      largest = photo;
  }
  return largest;
}

/* A picture in the file's size: as the decoder has it, turned, and as floats in colour and grey. */
#define BYTES_PER_STORED_PIXEL (4 + 4 + 3 * 4 + 4)

guint64
assay_photo_set_memory (const AssayPhotoSet *set)
{
  const AssayPhotograph *largest = find_largest (set);
  gsize stored = 0;

  for (gsize i = 0; i < set->n; i++)
    stored = MAX (stored, set->photographs[i].stored);
  return largest == NULL ? 0
                         : set->n_workers
                               * (assay_sift_memory (largest->width, largest->height)
                                  + (guint64) stored * BYTES_PER_STORED_PIXEL);
}

/* ---- Features ---- */

static void
describe (gsize index, guint worker, gpointer data)
{
  const AssayPhotoSet *set = data;
  AssayPhotograph *photo = &set->photographs[index];

  if (photo->error != NULL)
    return;
  photo->features = assay_features_load (photo->file->path, set->rules.largest, set->sift[worker],
                                         &photo->error);
  if (photo->features != NULL && photo->features->keypoints->len == 0) {
    assay_fail (&photo->error, ASSAY_ERROR_DATA, "%s: %zu x %zu pixels without a SIFT keypoint",
                photo->file->path, photo->features->width, photo->features->height);
    g_clear_pointer (&photo->features, assay_features_free);
  }
}

static gboolean
describe_all (AssayPhotoSet *set, GError **error)
{
  const AssayPhotograph *largest = find_largest (set);

  if (largest == NULL)
    return TRUE;
  set->sift = assay_sift_new_for_all (set->n_workers, largest->width, largest->height, error);
  if (set->sift == NULL)
    return FALSE;
  assay_parallel_for (set->n, describe, set);
  g_clear_pointer (&set->sift, assay_sift_free_all);
  return TRUE;
}

static gboolean
check_distinct (const AssayPhotoSet *set, GError **error)
{
  g_autoptr (GHashTable) known = g_hash_table_new (g_str_hash, g_str_equal);

  for (gsize i = 0; i < set->n; i++) {
    AssayPhotograph *photo = &set->photographs[i];
    const AssayPhotograph *before;

    if (photo->error != NULL)
      continue;
    before = g_hash_table_lookup (known, photo->features->picture);
    if (before != NULL)
      return assay_fail (error, ASSAY_ERROR_DATA,
                         "%s: %s shows the same picture as %s: %s; expected every photograph once",
                         set->role_names[before->file->role], before->file->path,
                         set->role_names[photo->file->role], photo->file->path);
    g_hash_table_insert (known, photo->features->picture, photo);
  }
  return TRUE;
}

static void
warn_of_skipped (const AssayPhotoSet *set)
{
  for (guint role = 0; role < set->n_roles; role++) {
    const GError *first = NULL;
    gsize n = 0, n_skipped = 0;

    for (gsize i = 0; i < set->n; i++)
      if (set->photographs[i].file->role == role) {
        n++;
        n_skipped += set->photographs[i].error != NULL;
        if (first == NULL)
          first = set->photographs[i].error;
      }
    if (first != NULL)
      g_message ("%s: %zu of %zu photographs skipped; the first: %s", set->role_names[role],
                 n_skipped, n, first->message);
  }
}

gboolean
assay_photo_set_describe (AssayPhotoSet *set, GError **error)
{
  if (!describe_all (set, error))
    return FALSE;
  for (gsize i = 0; i < set->n; i++)
    if (!is_tolerated (set, &set->photographs[i], error))
      return FALSE;
  if (!check_distinct (set, error))
    return FALSE;
  warn_of_skipped (set);
  return TRUE;
}

/* ---- Pictures ---- */

static gboolean
load_picture (const AssayPhotoRules *rules, AssayPhotograph *photo, GError **error)
{
  g_autoptr (AssayPhoto) whole = assay_photo_load (photo->file->path, error);
  g_autoptr (AssayPhoto) picture = NULL;

  if (whole == NULL)
    return FALSE;
  picture = assay_photo_shrink (whole, rules->largest, error);
  if (picture == NULL)
    return FALSE;
  if (picture->width != photo->features->width || picture->height != photo->features->height)
    return assay_fail (error, ASSAY_ERROR_DATA,
                       "%s: has become another picture (%zu x %zu pixels, before %zu x %zu) while "
                       "it was read",
                       photo->file->path, picture->width, picture->height, photo->features->width,
                       photo->features->height);
  photo->full_width = whole->width;
  photo->full_height = whole->height;
  photo->picture = g_steal_pointer (&picture);
  return TRUE;
}

static void
work_on_picture (gsize index, G_GNUC_UNUSED guint worker, gpointer data)
{
  const AssayPhotoSet *set = data;
  AssayPhotograph *photo = &set->photographs[index];

  if (assay_photograph_has_role (photo, set->role))
    load_picture (&set->rules, photo, &photo->error);
}

gboolean
assay_photo_set_load_pictures (AssayPhotoSet *set, guint role, GError **error)
{
  set->role = role;
  assay_parallel_for (set->n, work_on_picture, set);
  for (gsize i = 0; i < set->n; i++) {
    const AssayPhotograph *photo = &set->photographs[i];

    if (photo->file->role == role && photo->features != NULL && photo->picture == NULL) {
      g_propagate_prefixed_error (error, g_error_copy (photo->error), "%s: ",
                                  set->role_names[role]);
      return FALSE;
    }
  }
  return TRUE;
}
