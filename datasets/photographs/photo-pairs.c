/* Pairs of photographs of a plane, with the homography between them: what matching is tested on.
 *
 * The folder has for every pair the pictures NAMEA and NAMEB (.jpg, .jpeg, .png) and the text file
 * NAME_H_A_to_B.txt (homography-file.h), whose matrix H takes a pixel (x, y, 1) of A to B,
 * at the files' own sizes and the centre of the first pixel at 0, 0. Secrets are descriptors of the
 * pictures A, grouped by pair in the order of names; rows of the role test are those of the
 * pictures B.
 *
 * Where pictures are reduced, pixel x of n becomes (x + 1/2) m / n - 1/2 of m, since what is mapped
 * is the area that pixels cover and their centres lie at halves of it. With S the matrix of that,
 * the homography of the reduced pictures is S_B H S_A^-1. The default of `largest` leaves all but
 * the largest photographs as they are: homographies that were annotated by hand are good to a pixel
 * or two, and reducing takes away keypoints that would not be placed any better.
 *
 * Other photographs may be public or the database, as in `photos`. A picture that is there twice is
 * an error, whatever its roles. */
#include <string.h>

#include "core/base/free.h"
#include "datasets/photographs/homography-file.h"
#include "datasets/photographs/photo-rows.h"

typedef enum { PRIVATE, VIEW, PUBLIC, DATABASE, N_ROLES } Role;

static const char *const role_names[N_ROLES] = { "private", "view", "public", "database" };

typedef struct {
  char *folder;
  char *public;
  char *database;
  double public_share;
  double database_share;
  gint64 largest;
  gint64 descriptors;
} PhotoPairs;

#define H_ENDING "_H_A_to_B.txt"

typedef struct {
  char *name;
  char *files[2]; /* A and B */
  double homography[9];
} Pair;

/* ---- Pairs ---- */

ASSAY_LOCAL_FREE (Pair, free_pair, g_free (self->name), g_free (self->files[0]),
                  g_free (self->files[1]))

/* Puts the picture @path where it belongs in @pairs (by name). */
static gboolean
add_picture (GHashTable *pairs, const char *path, GError **error)
{
  g_autofree char *stem = g_path_get_basename (path);
  char which;
  Pair *pair;
  char **file;

  *strrchr (stem, '.') = '\0';
  which = *stem != '\0' ? stem[strlen (stem) - 1] : '\0';
  if (strlen (stem) < 2 || (which != 'A' && which != 'B'))
    return assay_fail (error, ASSAY_ERROR_DATA,
                       "%s: belongs to no pair; expected pictures NAMEA and NAMEB with a file "
                       "NAME" H_ENDING,
                       path);
  stem[strlen (stem) - 1] = '\0';
  pair = g_hash_table_lookup (pairs, stem);
  if (pair == NULL) {
    pair = g_new0 (Pair, 1);
    pair->name = g_strdup (stem);
    g_hash_table_insert (pairs, pair->name, pair);
  }
  file = &pair->files[which == 'B'];
  if (*file != NULL)
    return assay_fail (error, ASSAY_ERROR_DATA, "%s: is picture %c of the pair %s, as %s is", path,
                       which, pair->name, *file);
  *file = g_strdup (path);
  return TRUE;
}

static gboolean
complete_pair (Pair *pair, GError **error)
{
  const gsize there = pair->files[0] != NULL ? 0 : 1;
  g_autofree char *folder = g_path_get_dirname (pair->files[there]);
  g_autofree char *name = g_strconcat (pair->name, H_ENDING, NULL);
  g_autofree char *matrix = g_build_filename (folder, name, NULL);

  if (pair->files[1 - there] == NULL)
    return assay_fail (error, ASSAY_ERROR_DATA,
                       "%s: picture %c of a pair without the other; expected %s%c.jpg, .jpeg or "
                       ".png beside it",
                       pair->files[there], "AB"[there], pair->name, "AB"[1 - there]);
  if (assay_homography_read (matrix, pair->homography, error))
    return TRUE;
  return assay_prefix (error, "the homography of the pair %s: ", pair->name);
}

static int
compare_pairs (gconstpointer a, gconstpointer b)
{
  return strcmp ((*(const Pair *const *) a)->name, (*(const Pair *const *) b)->name);
}

/* The pairs of the folder (of Pair), at least one, by name. */
static GPtrArray *
find_pairs (const AssayDatasetContext *context, GError **error)
{
  const PhotoPairs *settings = context->settings;
  const AssayPhotoRole role = { "folder", settings->folder, 1 };
  g_autoptr (GArray) files
      = assay_photo_roles_find (&role, 1, context->folders, context->stream, error);
  g_autoptr (GHashTable) by_name = g_hash_table_new (g_str_hash, g_str_equal);
  g_autoptr (GPtrArray) pairs = g_ptr_array_new_with_free_func ((GDestroyNotify) free_pair);
  gboolean is_good = files != NULL;
  GHashTableIter iter;
  gpointer pair;

  for (guint i = 0; is_good && i < files->len; i++)
    is_good = add_picture (by_name, g_array_index (files, AssayPhotoFile, i).path, error);
  g_hash_table_iter_init (&iter, by_name);
  while (g_hash_table_iter_next (&iter, NULL, &pair))
    g_ptr_array_add (pairs, pair);
  g_ptr_array_sort (pairs, compare_pairs);
  for (guint i = 0; is_good && i < pairs->len; i++)
    is_good = complete_pair (pairs->pdata[i], error);
  return is_good ? g_steal_pointer (&pairs) : NULL;
}

/* The photographs of all roles: pictures A, pictures B in the same order, others. */
static AssayPhotoSet *
find_photos (const AssayDatasetContext *context, const GPtrArray *pairs, GError **error)
{
  const PhotoPairs *settings = context->settings;
  const AssayPhotoRole roles[N_ROLES] = {
    { role_names[PRIVATE], "", 1 },
    { role_names[VIEW], "", 1 },
    { role_names[PUBLIC], settings->public, settings->public_share },
    { role_names[DATABASE], settings->database, settings->database_share },
  };
  const AssayPhotoRules rules = { .largest = (gsize) settings->largest };
  g_autoptr (GArray) files
      = assay_photo_roles_find (roles, N_ROLES, context->folders, context->stream, error);

  if (files == NULL)
    return NULL;
  for (guint i = 0; i < 2 * pairs->len; i++) {
    const Pair *pair = pairs->pdata[i % pairs->len];
    const Role role = i < pairs->len ? PRIVATE : VIEW;
    const AssayPhotoFile file = { .role = role, .path = g_strdup (pair->files[role]) };

    g_array_insert_val (files, i, file);
  }
  return assay_photo_set_of_files (files, roles, N_ROLES, &rules, error);
}

/* ---- Homographies ---- */

/* From the pictures' own sizes to those after the reduction. */
static void
scale_homography (const double *h, const AssayPhotograph *a, const AssayPhotograph *b,
                  double *ret_h)
{
  const double enlarge[2] = { (double) a->full_width / (double) a->features->width,
                              (double) a->full_height / (double) a->features->height };
  const double reduce[2] = { (double) b->features->width / (double) b->full_width,
                             (double) b->features->height / (double) b->full_height };
  double scaled[9];

  for (gsize r = 0; r < 3; r++) {
    const double *row = h + 3 * r;

    scaled[3 * r] = row[0] * enlarge[0];
    scaled[3 * r + 1] = row[1] * enlarge[1];
    scaled[3 * r + 2] = row[2] + row[0] * (enlarge[0] - 1) / 2 + row[1] * (enlarge[1] - 1) / 2;
  }
  for (gsize c = 0; c < 3; c++) {
    for (gsize r = 0; r < 2; r++)
      ret_h[3 * r + c] = reduce[r] * scaled[3 * r + c] + (reduce[r] - 1) / 2 * scaled[6 + c];
    ret_h[6 + c] = scaled[6 + c];
  }
}

/* Points of picture A on a grid, one of which at least picture B must show. */
#define GRID 32

static gboolean
shows_anything (const double *h, const AssayPhotograph *a, const AssayPhotograph *b)
{
  for (gsize i = 0; i < GRID * GRID; i++) {
    const double x = ((double) (i % GRID) + 0.5) / GRID * (double) a->features->width;
    const double y = ((double) (i / GRID) + 0.5) / GRID * (double) a->features->height;
    const double w = h[6] * x + h[7] * y + h[8];
    const double u = (h[0] * x + h[1] * y + h[2]) / w, v = (h[3] * x + h[4] * y + h[5]) / w;

    if (u >= 0 && u < (double) b->features->width && v >= 0 && v < (double) b->features->height)
      return TRUE;
  }
  return FALSE;
}

static gboolean
join_homographies (const GPtrArray *pairs, const AssayPhotoSet *set, GChecksum *checksum,
                   AssayArray **ret_homographies, GError **error)
{
  const gsize shape[] = { pairs->len, 3, 3 };
  double *all = assay_alloc (pairs->len, 9 * sizeof (double), "homographies", error);

  if (all == NULL)
    return FALSE;
  for (guint i = 0; i < pairs->len; i++) {
    const Pair *pair = pairs->pdata[i];
    const AssayPhotograph *a = &set->photographs[i];
    const AssayPhotograph *b = &set->photographs[pairs->len + i];

    scale_homography (pair->homography, a, b, all + 9 * i);
    if (shows_anything (all + 9 * i, a, b))
      continue;
    g_free (all);
    return assay_fail (error, ASSAY_ERROR_DATA,
                       "the homography of the pair %s takes nothing of picture A into picture B; "
                       "expected one from pixels of A to pixels of B",
                       pair->name);
  }
  g_checksum_update (checksum, (const guchar *) all, (gssize) (pairs->len * 9 * sizeof (double)));
  *ret_homographies = assay_array_take (ASSAY_FLOAT64, 3, shape, all);
  return TRUE;
}

/* ---- Callbacks ---- */

static gboolean
open_pairs (const AssayDatasetContext *context, AssayDataset *ret_dataset, GError **error)
{
  const PhotoPairs *settings = context->settings;
  g_autoptr (GPtrArray) pairs = find_pairs (context, error);
  g_autoptr (AssayPhotoSet) set = pairs != NULL ? find_photos (context, pairs, error) : NULL;
  g_autoptr (GChecksum) checksum = g_checksum_new (G_CHECKSUM_SHA256);
  const AssayPhotoRows from = { .set = set,
                                .limit = (gsize) settings->descriptors,
                                .key = context->stream,
                                .checksum = checksum };
  const AssayPhotoPlace places[N_ROLES] = {
    { &ret_dataset->secrets, &ret_dataset->secret_data },
    { &ret_dataset->test, &ret_dataset->test_data },
    { &ret_dataset->public_rows, &ret_dataset->public_data },
    { &ret_dataset->database, NULL },
  };

  if (set == NULL || !assay_photo_rows_open (&from, places, ret_dataset, error)
      || !join_homographies (pairs, set, checksum, &ret_dataset->homographies, error))
    return FALSE;
  ret_dataset->sha256 = g_strdup (g_checksum_get_string (checksum));
  return TRUE;
}

static gboolean
probe (const AssayDatasetContext *context, AssayProbe *ret_probe, GError **error)
{
  static const gboolean is_kept[N_ROLES] = { TRUE, TRUE, TRUE, FALSE };
  const PhotoPairs *settings = context->settings;
  g_autoptr (GPtrArray) pairs = find_pairs (context, error);
  g_autoptr (AssayPhotoSet) set = pairs != NULL ? find_photos (context, pairs, error) : NULL;
  gsize counts[N_ROLES];

  if (set == NULL)
    return FALSE;
  assay_photo_rows_probe (set, (gsize) settings->descriptors, is_kept, counts, ret_probe);
  ret_probe->holdings = ASSAY_HAS_FRAMES | ASSAY_HAS_VIEWS
                        | (*settings->public != '\0' ? ASSAY_HAS_PUBLIC_FRAMES : 0);
  ret_probe->n_secrets = counts[PRIVATE];
  ret_probe->n_test = counts[VIEW];
  ret_probe->n_public = counts[PUBLIC];
  ret_probe->n_database = counts[DATABASE];
  return TRUE;
}

ASSAY_DATASET (photo_pairs, "photo-pairs",
  .summary = "SIFT descriptors of photographs of planes, in pairs with known homographies",
  .reference = { "Lebeda, Matas, Chum 2012, Fixing the Locally Optimized RANSAC; Lowe 2004, "
                 "Distinctive Image Features from Scale-Invariant Keypoints",
                 "experiments (the set homogr); sections 3 to 6" },
  ASSAY_SETTINGS (PhotoPairs,
    ASSAY_PARAM_STRING (PhotoPairs, folder, NULL,
                        "Folder of the pairs: NAMEA and NAMEB (.jpg, .jpeg, .png) with "
                        "NAME" H_ENDING),
    ASSAY_PARAM_STRING (PhotoPairs, public, "",
                        "Folder of other photographs, whose descriptors are public; where several "
                        "roles name one folder, its photographs are divided among them at random"),
    ASSAY_PARAM_STRING (PhotoPairs, database, "",
                        "Folder of photographs from which a defense draws its material, likewise"),
    ASSAY_PARAM_REAL (PhotoPairs, public_share, 1, 0.001, 1000, "",
                      "Share of public photographs where one folder is divided, relative to "
                      "database_share"),
    ASSAY_PARAM_REAL (PhotoPairs, database_share, 1, 0.001, 1000, "",
                      "Share of the database's photographs where one folder is divided"),
    ASSAY_PARAM_INT (PhotoPairs, largest, 1024, 32, 4096, "pixels",
                     "Longest side of a photograph; larger ones are reduced by area averages, and "
                     "homographies with them"),
    ASSAY_PARAM_INT (PhotoPairs, descriptors, 1500, 0, 100000, "descriptors",
                     "The most descriptors kept of a photograph, chosen at random; 0: all, but no "
                     "more than one in 16 pixels")),
  .probe = probe,
  .open = open_pairs);
