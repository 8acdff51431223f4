/* Photographs by role. A folder of n photographs that roles with the shares s_0, s_1, ... name is
 * shuffled, and role k takes places [round (n S_k / S), round (n S_(k + 1) / S)), where S_k is the
 * sum of the shares before k and S that of all. Unreadable files count as photographs here: whether
 * one can be read must not change the role of another. */
#include "datasets/photographs/photo-roles.h"

#include <errno.h>
#include <math.h>

#include <glib/gstdio.h>

#include "core/base/error.h"
#include "core/base/text.h"
#include "core/data/row-file.h"
#include "core/data/secret-paths.h"

typedef struct {
  char *path; /* NULL: nobody has the role */
  guint64 device, inode;
  gboolean is_done;
} Place;

static gboolean
is_photograph (const char *name)
{
  static const char *const endings[] = { ".jpg", ".jpeg", ".png" };
  g_autofree char *small = g_ascii_strdown (name, -1);

  for (gsize i = 0; i < G_N_ELEMENTS (endings); i++)
    if (*name != '.' && g_str_has_suffix (small, endings[i]))
      return TRUE;
  return FALSE;
}

/* Paths of the photographs in @folder, ordered; at least one. */
static GPtrArray *
list_photographs (const char *folder, GError **error)
{
  g_autoptr (GError) cause = NULL;
  g_autoptr (GDir) dir = g_dir_open (folder, 0, &cause);
  g_autoptr (GPtrArray) paths = g_ptr_array_new_with_free_func (g_free);
  const char *name;

  if (dir == NULL)
    return assay_fail_null (error, ASSAY_ERROR_DATA, "%s: %s", folder, cause->message);
  while ((name = g_dir_read_name (dir)) != NULL) {
    g_autofree char *path = g_build_filename (folder, name, NULL);

    if (is_photograph (name) && !g_file_test (path, G_FILE_TEST_IS_DIR))
      g_ptr_array_add (paths, g_steal_pointer (&path));
  }
  if (paths->len == 0)
    return assay_fail_null (error, ASSAY_ERROR_DATA,
                            "%s: a folder without photographs; expected files that end in .jpg, "
                            ".jpeg or .png",
                            folder);
  g_ptr_array_sort (paths, assay_compare_strings);
  return g_steal_pointer (&paths);
}

static gboolean
find_place (const AssayPhotoRole *role, const char *const *folders, Place *ret_place,
            GError **error)
{
  GStatBuf about;

  ret_place->path = assay_row_file_find (role->folder, folders, error);
  if (ret_place->path == NULL)
    return FALSE;
  if (g_stat (ret_place->path, &about) != 0)
    return assay_fail (error, ASSAY_ERROR_DATA, "%s: %s", ret_place->path, g_strerror (errno));
  if (!S_ISDIR (about.st_mode))
    return assay_fail (error, ASSAY_ERROR_DATA, "%s: is not a folder; expected one of photographs",
                       ret_place->path);
  assay_secret_links_add (ret_place->path);
  ret_place->device = (guint64) about.st_dev;
  ret_place->inode = (guint64) about.st_ino;
  return TRUE;
}

static gboolean
is_same_folder (const Place *a, const Place *b)
{
  return a->path != NULL && b->path != NULL && a->device == b->device && a->inode == b->inode;
}

/* What is being divided. */
typedef struct {
  const AssayPhotoRole *roles;
  guint n_roles;
  Place *places;  /* one a role */
  GArray **lists; /* one a role: its photographs */
  AssayStreamKey key;
} Division;

/* Into @ret_owner the role of every one of @n photographs in the folder of role @first. */
static gboolean
divide (const Division *division, guint first, gsize n, guint *ret_owner, GError **error)
{
  const AssayPhotoRole *roles = division->roles;
  const Place *places = division->places;
  const guint n_roles = division->n_roles;
  /* Items with this bit are not those of photographs. */
  AssayStream stream = assay_stream (division->key, (guint64) 1 << 63 | first);
  g_autofree gsize *order = g_new (gsize, n);
  double sum = 0, before = 0;
  gsize next = 0;

  for (guint r = first; r < n_roles; r++)
    sum += is_same_folder (&places[first], &places[r]) ? roles[r].share : 0;
  assay_stream_permutation (&stream, n, order);
  for (guint r = first; r < n_roles; r++) {
    gsize end;

    if (!is_same_folder (&places[first], &places[r]))
      continue;
    before += roles[r].share;
    end = MIN ((gsize) lrint ((double) n * (before / sum)), n);
    if (end == next)
      return assay_fail (error, ASSAY_ERROR_DATA,
                         "%s: its %zu photographs are divided between several roles, and a share "
                         "of %g in %g gives %s none",
                         places[first].path, n, roles[r].share, sum, roles[r].name);
    while (next < end)
      ret_owner[order[next++]] = r;
  }
  return TRUE;
}

/* The photographs of the folder of role @first, for all roles that name it. */
static gboolean
share_folder (const Division *division, guint first, GError **error)
{
  Place *places = division->places;
  g_autoptr (GPtrArray) paths = list_photographs (places[first].path, error);
  g_autofree guint *owner = NULL;

  if (paths == NULL)
    return FALSE;
  owner = g_new (guint, paths->len);
  if (!divide (division, first, paths->len, owner, error))
    return FALSE;
  for (guint i = 0; i < paths->len; i++) {
    const AssayPhotoFile file = { .role = owner[i], .path = g_strdup (paths->pdata[i]) };

    g_array_append_val (division->lists[owner[i]], file);
  }
  for (guint r = first; r < division->n_roles; r++)
    places[r].is_done |= is_same_folder (&places[first], &places[r]);
  return TRUE;
}

static void
clear_file (gpointer data)
{
  g_free (((AssayPhotoFile *) data)->path);
}

GArray *
assay_photo_roles_find (const AssayPhotoRole *roles, guint n_roles, const char *const *folders,
                        AssayStreamKey key, GError **error)
{
  g_autofree Place *places = g_new0 (Place, n_roles);
  g_autofree GArray **lists = g_new0 (GArray *, n_roles);
  g_autoptr (GArray) files = g_array_new (FALSE, FALSE, sizeof (AssayPhotoFile));
  const Division division
      = { .roles = roles, .n_roles = n_roles, .places = places, .lists = lists, .key = key };
  gboolean is_good = TRUE;

  g_array_set_clear_func (files, clear_file);
  for (guint r = 0; r < n_roles; r++)
    lists[r] = g_array_new (FALSE, FALSE, sizeof (AssayPhotoFile));
  for (guint r = 0; r < n_roles && is_good; r++)
    if (*roles[r].folder != '\0' && !find_place (&roles[r], folders, &places[r], error)) {
      g_prefix_error (error, "%s: ", roles[r].name);
      is_good = FALSE;
    }
  for (guint r = 0; r < n_roles && is_good; r++)
    if (places[r].path != NULL && !places[r].is_done
        && !share_folder (&division, r, error)) {
      g_prefix_error (error, "%s: ", roles[r].name);
      is_good = FALSE;
    }
  for (guint r = 0; r < n_roles; r++) {
    if (lists[r]->len > 0)
      g_array_append_vals (files, lists[r]->data, lists[r]->len);
    g_array_unref (lists[r]);
    g_free (places[r].path);
  }
  return is_good ? g_steal_pointer (&files) : NULL;
}
