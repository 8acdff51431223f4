/* Photographs from folders: the SIFT descriptors of JPEG and PNG files, bytes of norm about 512 as
 * in `scenes` and in TEXMEX files.
 *
 * Roles are given by photograph, never by descriptor: the descriptors of one photograph repeat each
 * other, so that a secret from a photograph with public parts would be found for free. Each role
 * names a folder; a folder that several roles name is divided between them
 * (datasets/photo-roles.h). A picture that is there twice is an error (datasets/photo-set.h).
 *
 * A photograph cannot be used if it cannot be decoded whole, is too large or too small for SIFT, or
 * has no keypoint. That is an error, or with `skip_unreadable` a warning, and the photograph is
 * left out; the roles of the others stay as they were.
 *
 * With `descriptors` > 0 a photograph gives that many at most, drawn without replacement from a
 * stream of its own that the picture names: other photographs do not change them. */
#include <stdlib.h>
#include <string.h>

#include "core/plugin.h"
#include "datasets/photo-set.h"

typedef enum { PRIVATE, PUBLIC, DATABASE, N_ROLES } Role;

static const char *const role_names[N_ROLES] = { "private", "public", "database" };

typedef struct {
  char *private;
  char *public;
  char *database;
  double private_share;
  double public_share;
  double database_share;
  gint64 largest;
  gint64 descriptors;
  bool skip_unreadable;
} Photos;

/* The photographs of all roles, with their headers read. */
static AssayPhotoSet *
find_photos (const AssayDatasetContext *context, GError **error)
{
  const Photos *settings = context->settings;
  const AssayPhotoRole roles[N_ROLES] = {
    { role_names[PRIVATE], settings->private, settings->private_share },
    { role_names[PUBLIC], settings->public, settings->public_share },
    { role_names[DATABASE], settings->database, settings->database_share },
  };
  const AssayPhotoRules rules
      = { .largest = (gsize) settings->largest, .skip_unusable = settings->skip_unreadable };

  return assay_photo_set_new (roles, N_ROLES, &rules, context->folders, context->stream, error);
}

/* ---- Rows ---- */

/* A photograph gives at most one row for so many of its pixels, so that a survey can say how many
 * there are at most. Photographs have one in 50 or fewer; gratings can have one in 5. */
#define PIXELS_PER_ROW 16

static gsize
most_rows (const Photos *settings, const AssayPhotograph *photo)
{
  const gsize most = photo->width * photo->height / PIXELS_PER_ROW;

  return settings->descriptors > 0 ? MIN (most, (gsize) settings->descriptors) : most;
}

/* Rows that @photo gives @role. */
static gsize
count_rows (const Photos *settings, const AssayPhotograph *photo, Role role)
{
  if (photo->error != NULL || photo->file->role != role)
    return 0;
  return MIN (photo->features->keypoints->len, most_rows (settings, photo));
}

static int
compare_sizes (gconstpointer a, gconstpointer b)
{
  const gsize x = *(const gsize *) a, y = *(const gsize *) b;

  return (x > y) - (x < y);
}

/* @count of the photograph's descriptors, in their order. */
static void
copy_rows (const AssayPhotograph *photo, gsize count, AssayStreamKey key, guint8 *ret_rows)
{
  const gsize all = photo->features->keypoints->len;
  char head[17] = "";
  AssayStream stream;
  g_autofree gsize *chosen = NULL;

  if (count == all) {
    memcpy (ret_rows, photo->features->descriptors, all * ASSAY_SIFT_LENGTH);
    return;
  }
  /* Half of all items: the others are those of folders. */
  memcpy (head, photo->features->picture, 16);
  stream = assay_stream (key, g_ascii_strtoull (head, NULL, 16) >> 1);
  chosen = g_new (gsize, count);
  assay_stream_choose (&stream, all, count, chosen);
  qsort (chosen, count, sizeof *chosen, compare_sizes);
  for (gsize i = 0; i < count; i++)
    memcpy (ret_rows + i * ASSAY_SIFT_LENGTH,
            photo->features->descriptors + chosen[i] * ASSAY_SIFT_LENGTH, ASSAY_SIFT_LENGTH);
}

/* The rows of a role; NULL with an error if it has none. Of private ones also the groups. */
static AssayRows *
join_rows (const AssayDatasetContext *context, const AssayPhotoSet *set, Role role,
           GChecksum *checksum, AssayDataset *dataset, GError **error)
{
  const Photos *settings = context->settings;
  g_autoptr (AssayRows) rows = assay_rows_new (ASSAY_SIFT_LENGTH);
  g_autoptr (GBytes) bytes = NULL;
  g_autofree char *line = NULL;
  guint8 *joined;
  gsize count = 0, next = 0;

  for (gsize i = 0; i < assay_photo_set_count (set); i++)
    count += count_rows (settings, assay_photo_set_get (set, i), role);
  if (count == 0) {
    assay_fail (error, ASSAY_ERROR_DATA, "%s: every photograph was skipped", role_names[role]);
    return NULL;
  }
  joined = assay_alloc (count, ASSAY_SIFT_LENGTH, "descriptors", error);
  if (joined == NULL)
    return NULL;
  if (role == PRIVATE)
    dataset->groups = g_new (gint64, count);
  for (gsize i = 0; i < assay_photo_set_count (set); i++) {
    const AssayPhotograph *photo = assay_photo_set_get (set, i);
    const gsize n = count_rows (settings, photo, role);

    if (n == 0)
      continue;
    copy_rows (photo, n, context->stream, joined + next * ASSAY_SIFT_LENGTH);
    for (gsize k = 0; role == PRIVATE && k < n; k++)
      dataset->groups[next + k] = (gint64) dataset->n_groups;
    dataset->n_groups += role == PRIVATE;
    next += n;
  }
  line = g_strdup_printf ("%s %" G_GSIZE_FORMAT "\n", role_names[role], count);
  g_checksum_update (checksum, (const guchar *) line, -1);
  g_checksum_update (checksum, joined, (gssize) (count * ASSAY_SIFT_LENGTH));
  bytes = g_bytes_new_take (joined, count * ASSAY_SIFT_LENGTH);
  assay_rows_append (rows, bytes, joined, ASSAY_UINT8, ASSAY_SIFT_LENGTH, count);
  return g_steal_pointer (&rows);
}

/* ---- Callbacks ---- */

static const char *
folder_of (const Photos *settings, Role role)
{
  return role == PRIVATE  ? settings->private
         : role == PUBLIC ? settings->public
                          : settings->database;
}

static gboolean
open_photos (const AssayDatasetContext *context, AssayDataset *ret_dataset, GError **error)
{
  g_autoptr (AssayPhotoSet) set = find_photos (context, error);
  g_autoptr (GChecksum) checksum = g_checksum_new (G_CHECKSUM_SHA256);
  AssayRows **rows[N_ROLES]
      = { &ret_dataset->secrets, &ret_dataset->public_rows, &ret_dataset->database };

  if (set == NULL || !assay_photo_set_describe (set, error))
    return FALSE;
  for (Role role = PRIVATE; role < N_ROLES; role++) {
    if (*folder_of (context->settings, role) == '\0')
      continue;
    *rows[role] = join_rows (context, set, role, checksum, ret_dataset, error);
    if (*rows[role] == NULL)
      return FALSE;
  }
  g_checksum_update (checksum, (const guchar *) ret_dataset->groups,
                     (gssize) (assay_rows_count (ret_dataset->secrets) * sizeof (gint64)));
  ret_dataset->sha256 = g_strdup (g_checksum_get_string (checksum));
  return TRUE;
}

/* SIFT takes about 1.2 us a pixel that is described, decoding 25 ns a pixel of the file, in
 * operations of 40 GFLOP/s. */
#define WORK_PER_PIXEL 47000.0
#define WORK_PER_STORED_PIXEL 1000.0

static gboolean
survey (const AssayDatasetContext *context, AssaySurvey *ret_survey, GError **error)
{
  const Photos *settings = context->settings;
  g_autoptr (AssayPhotoSet) set = find_photos (context, error);
  gsize counts[N_ROLES] = { 0 };

  if (set == NULL)
    return FALSE;
  *ret_survey = (AssaySurvey){ .cols = ASSAY_SIFT_LENGTH,
                               .is_estimate = TRUE,
                               .memory = assay_photo_set_memory (set) };
  for (gsize i = 0; i < assay_photo_set_count (set); i++) {
    const AssayPhotograph *photo = assay_photo_set_get (set, i);
    const gsize pixels = photo->width * photo->height, most = most_rows (settings, photo);

    if (photo->error != NULL)
      continue;
    counts[photo->file->role] += most;
    ret_survey->n_groups += photo->file->role == PRIVATE;
    /* All features, and the rows that are taken from them. */
    ret_survey->memory += pixels / PIXELS_PER_ROW * (ASSAY_SIFT_LENGTH + sizeof (AssayKeypoint))
                          + most * ASSAY_SIFT_LENGTH;
    ret_survey->work += (double) pixels * WORK_PER_PIXEL
                        + (double) photo->stored * WORK_PER_STORED_PIXEL;
  }
  ret_survey->n_secrets = counts[PRIVATE];
  ret_survey->n_public = counts[PUBLIC];
  ret_survey->n_database = counts[DATABASE];
  return TRUE;
}

static const AssayParam parameters[] = {
  ASSAY_PARAM_STRING (Photos, private, NULL,
                      "Folder of the photographs whose descriptors are the secrets (.jpg, .jpeg, "
                      ".png)"),
  ASSAY_PARAM_STRING (Photos, public, "",
                      "Folder of those whose descriptors are public; roles that name one folder "
                      "divide its photographs between them at random"),
  ASSAY_PARAM_STRING (Photos, database, "",
                      "Folder of those from which a defense draws its material, in the same way"),
  ASSAY_PARAM_REAL (Photos, private_share, 1, 0.001, 1000, "",
                    "Private part of a divided folder, relative to the shares of the other roles"),
  ASSAY_PARAM_REAL (Photos, public_share, 1, 0.001, 1000, "", "Public part of a divided folder"),
  ASSAY_PARAM_REAL (Photos, database_share, 1, 0.001, 1000, "",
                    "The database's part of a divided folder"),
  ASSAY_PARAM_INT (Photos, largest, 640, 32, 4096, "pixels",
                   "Longer side of a photograph at most; larger ones are reduced by area"),
  ASSAY_PARAM_INT (Photos, descriptors, 0, 0, 100000, "descriptors",
                   "Descriptors of a photograph at most, chosen at random; 0: all, but no more "
                   "than one in 16 pixels"),
  ASSAY_PARAM_BOOL (Photos, skip_unreadable, false,
                    "Leave out photographs that cannot be used, with a warning, instead of "
                    "stopping"),
  ASSAY_PARAM_END
};

const AssayDatasetPlugin assay_dataset_photos = {
  .id = "photos",
  .summary = "SIFT descriptors of photographs (JPEG, PNG), divided by photograph",
  .reference = { "Lowe 2004, Distinctive Image Features from Scale-Invariant Keypoints",
                 "sections 3 to 6" },
  .parameters = parameters,
  .settings_size = sizeof (Photos),
  .survey = survey,
  .open = open_photos,
};
