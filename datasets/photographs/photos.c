/* Photographs from folders: the SIFT descriptors of JPEG and PNG files, bytes of norm about 512 as
 * in `scenes` and in TEXMEX files.
 *
 * Roles are given by photograph, never by descriptor: the descriptors of one photograph repeat each
 * other, so that a secret from a photograph with public parts would be found for free. Each role
 * names a folder; a folder that several roles name is divided between them
 * (photo-roles.h). A picture that is there twice is an error (photo-set.h).
 *
 * A photograph cannot be used if it cannot be decoded whole, is too large or too small for SIFT, or
 * has no keypoint. That is an error, or with `skip_unreadable` a warning, and the photograph is
 * left out; the roles of the others stay as they were.
 *
 * With `descriptors` > 0 a photograph gives that many at most, drawn without replacement from a
 * stream of its own that the picture names: other photographs do not change them.
 *
 * With `pictures` the private and public photographs are kept, in colour and as small as they were
 * described, with the keypoints that their rows were taken at. */
#include "datasets/photographs/photo-rows.h"

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
  bool pictures;
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

/* ---- Callbacks ---- */

static gboolean
open_photos (const AssayDatasetContext *context, AssayDataset *ret_dataset, GError **error)
{
  const Photos *settings = context->settings;
  g_autoptr (AssayPhotoSet) set = find_photos (context, error);
  g_autoptr (GChecksum) checksum = g_checksum_new (G_CHECKSUM_SHA256);
  const AssayPhotoRows from = { .set = set,
                                .limit = (gsize) settings->descriptors,
                                .key = context->stream,
                                .checksum = checksum };
  const AssayPhotoPlace places[N_ROLES] = {
    { &ret_dataset->secrets, settings->pictures ? &ret_dataset->secret_data : NULL },
    { &ret_dataset->public_rows, settings->pictures ? &ret_dataset->public_data : NULL },
    { &ret_dataset->database, NULL },
  };

  if (set == NULL || !assay_photo_rows_open (&from, places, ret_dataset, error))
    return FALSE;
  g_checksum_update (checksum, (const guchar *) ret_dataset->groups,
                     (gssize) (assay_rows_count (ret_dataset->secrets) * sizeof (gint64)));
  ret_dataset->sha256 = g_strdup (g_checksum_get_string (checksum));
  return TRUE;
}

static gboolean
probe (const AssayDatasetContext *context, AssayProbe *ret_probe, GError **error)
{
  const Photos *settings = context->settings;
  g_autoptr (AssayPhotoSet) set = find_photos (context, error);
  const gboolean is_kept[N_ROLES] = { settings->pictures, settings->pictures, FALSE };
  const gboolean has_public = *settings->public != '\0';
  gsize counts[N_ROLES];

  if (set == NULL)
    return FALSE;
  assay_photo_rows_probe (set, (gsize) settings->descriptors, is_kept, counts, ret_probe);
  ret_probe->holdings = (settings->pictures ? ASSAY_HAS_FRAMES : 0)
                        | (settings->pictures && has_public ? ASSAY_HAS_PUBLIC_FRAMES : 0);
  ret_probe->n_secrets = counts[PRIVATE];
  ret_probe->n_public = counts[PUBLIC];
  ret_probe->n_database = counts[DATABASE];
  return TRUE;
}

ASSAY_DATASET (photos, "photos",
  .summary = "SIFT descriptors of photographs (JPEG, PNG), divided by photograph",
  .reference
  = { "Lowe 2004, Distinctive Image Features from Scale-Invariant Keypoints", "sections 3 to 6" },
  ASSAY_SETTINGS (Photos,
    ASSAY_PARAM_STRING (Photos, private, NULL,
                        "Folder of the photographs whose descriptors are the secrets (.jpg, .jpeg, "
                        ".png)"),
    ASSAY_PARAM_STRING (Photos, public, "",
                        "Folder of photographs whose descriptors are public; where several roles "
                        "name one folder, its photographs are divided among them at random"),
    ASSAY_PARAM_STRING (Photos, database, "",
                        "Folder of photographs from which a defense draws its material, likewise"),
    ASSAY_PARAM_REAL (Photos, private_share, 1, 0.001, 1000, "",
                      "Share of private photographs where one folder is divided, relative to the "
                      "other shares"),
    ASSAY_PARAM_REAL (Photos, public_share, 1, 0.001, 1000, "",
                      "Share of public photographs where one folder is divided, relative to the "
                      "other shares"),
    ASSAY_PARAM_REAL (Photos, database_share, 1, 0.001, 1000, "",
                      "Share of the database's photographs where one folder is divided"),
    ASSAY_PARAM_INT (Photos, largest, 640, 32, 4096, "pixels",
                     "Longest side of a photograph; larger ones are reduced by area averages"),
    ASSAY_PARAM_INT (Photos, descriptors, 0, 0, 100000, "descriptors",
                     "The most descriptors kept of a photograph, chosen at random; 0: all, but no "
                     "more than one in 16 pixels"),
    ASSAY_PARAM_BOOL (Photos, skip_unreadable, false,
                      "Leave out photographs that cannot be used, with a warning, instead of "
                      "stopping"),
    ASSAY_PARAM_BOOL (Photos, pictures, false,
                      "Whether private and public photographs are kept, with the keypoints of "
                      "their rows, at 12 bytes a pixel",
                      ASSAY_PARAM_EXTRA)),
  .probe = probe,
  .open = open_photos);
