/* Image patches: random crops of photographs from folders, flat ones filtered out
 * (datasets/images/crops.h; Huang, Song, Li and Arora 2020, section 3.2).
 *
 * Roles are given by photograph, as in the dataset `photos` (datasets/photographs/photo-roles.h):
 * crops of one photograph overlap, so that a secret from a photograph with public parts would be
 * known in part. For the same reason secrets from one photograph are a group. Patches have no
 * labels. */
#include "datasets/images/image-set.h"

typedef enum { PRIVATE, PUBLIC, N_ROLES } Role;

typedef struct {
  char *private;
  char *public;
  double private_share;
  double public_share;
  gint64 size;
  guint channels;
  gint64 per_photo;
  gint64 least_side;
  gint64 keypoints;
  gint64 largest;
  bool skip_unreadable;
  guint scale;
} Patches;

enum { GREY, COLOUR };

static const char *const channel_choices[] = { "1", "3", NULL };

static AssayPhotoSet *
find_photos (const AssayDatasetContext *context, GError **error)
{
  const Patches *settings = context->settings;
  const AssayPhotoRole roles[N_ROLES] = {
    { "private", settings->private, settings->private_share },
    { "public", settings->public, settings->public_share },
  };
  const AssayPhotoRules rules
      = { .largest = (gsize) settings->largest, .skip_unusable = settings->skip_unreadable };

  return assay_photo_set_new (roles, N_ROLES, &rules, context->folders, context->stream, error);
}

static AssayCropRules
crop_rules (const Patches *settings)
{
  return (AssayCropRules){ .size = (gsize) settings->size,
                           .channels = settings->channels == COLOUR ? 3 : 1,
                           .per_photo = (gsize) settings->per_photo,
                           .least_side = (gsize) settings->least_side,
                           .keypoints = settings->keypoints };
}

static gboolean
probe (const AssayDatasetContext *context, AssayProbe *ret_probe, GError **error)
{
  const AssayCropRules rules = crop_rules (context->settings);
  g_autoptr (AssayPhotoSet) set = find_photos (context, error);
  g_auto (AssayImagePools) pools = { 0 };

  if (set == NULL)
    return FALSE;
  pools.secrets = assay_crops_probe (set, PRIVATE, &rules);
  pools.public_images = assay_crops_probe (set, PUBLIC, &rules);
  pools.public_images->memory = 0; /* that of the one set stands with the secrets */
  if (!assay_image_pools_probe (&pools, 0, 0, ret_probe, error))
    return FALSE;
  ret_probe->n_groups = pools.secrets->count / rules.per_photo;
  return TRUE;
}

static gboolean
take (const AssayDatasetContext *context, const AssayPhotoSet *set, Role role,
      AssayImages **ret_images, GError **error)
{
  const Patches *settings = context->settings;
  const AssayCropRules rules = crop_rules (settings);

  *ret_images
      = assay_crops_take (set, role, (gsize) settings->largest, &rules, context->stream, error);
  if (*ret_images == NULL)
    g_prefix_error (error, "%s: ", role == PRIVATE ? "private" : "public");
  return *ret_images != NULL;
}

static gboolean
open_patches (const AssayDatasetContext *context, AssayDataset *ret_dataset, GError **error)
{
  const Patches *settings = context->settings;
  g_autoptr (AssayPhotoSet) set = find_photos (context, error);
  g_auto (AssayImagePools) pools = { 0 };

  return set != NULL && assay_photo_set_describe (set, error)
         && take (context, set, PRIVATE, &pools.secrets, error)
         && (*settings->public == '\0' || take (context, set, PUBLIC, &pools.public_images, error))
         && assay_image_pools_open (&pools, settings->scale, 0, ret_dataset, error);
}

static gboolean
check (gconstpointer data, G_GNUC_UNUSED const AssayShape *shape, GError **error)
{
  const Patches *settings = data;

  if (settings->size > settings->largest)
    return assay_fail (error, ASSAY_ERROR_PARAMETER,
                       "size = %" G_GINT64_FORMAT ": expected at most largest = %" G_GINT64_FORMAT,
                       settings->size, settings->largest);
  return TRUE;
}

ASSAY_DATASET (patches, "patches",
  .summary = "Random crops of photographs (JPEG, PNG), without flat ones",
  .reference = { ASSAY_PAPER_INSTAHIDE, "section 3.2" },
  ASSAY_SETTINGS (Patches,
    ASSAY_PARAM_STRING (Patches, private, NULL,
                        "Folder of the photographs whose crops are the secrets (.jpg, .jpeg, "
                        ".png)"),
    ASSAY_PARAM_STRING (Patches, public, "",
                        "Folder of the photographs whose crops are public; if it is the folder of "
                        "the private ones, its photographs are divided between both at random"),
    ASSAY_PARAM_REAL (Patches, private_share, 1, 0.001, 1000, "",
                      "Share of private photographs where one folder is divided, relative to "
                      "public_share"),
    ASSAY_PARAM_REAL (Patches, public_share, 1, 0.001, 1000, "",
                      "Share of public photographs where one folder is divided, relative to the "
                      "other shares"),
    ASSAY_PARAM_INT (Patches, size, 32, 4, 512, "pixels", "Side of a patch"),
    ASSAY_PARAM_CHOICE (Patches, channels, COLOUR, channel_choices,
                        "1: grey; 3: red, green and blue"),
    ASSAY_PARAM_INT (Patches, per_photo, 4, 1, 10000, "patches",
                     "The most patches taken of a photograph"),
    ASSAY_PARAM_INT (Patches, least_side, ASSAY_CROP_MIN_SIDE, 4, 4096, "pixels",
                     "Smallest side of a crop before it is reduced to a patch; never more than the "
                     "shorter side of its photograph"),
    ASSAY_PARAM_INT (Patches, keypoints, ASSAY_CROP_KEYPOINTS, -1, 100000, "keypoints",
                     "A crop is kept if it has more SIFT keypoints than this; -1: flat crops are "
                     "kept, too"),
    ASSAY_PARAM_INT (Patches, largest, ASSAY_CROP_LARGEST, 32, 4096, "pixels",
                     "Longest side of a photograph; larger ones are reduced by area averages"),
    ASSAY_PARAM_BOOL (Patches, skip_unreadable, false,
                      "Leave out photographs that cannot be used, with a warning, instead of "
                      "stopping"),
    ASSAY_PARAM_CHOICE (Patches, scale, ASSAY_PIXELS_DATASET, assay_pixel_scales,
                        ASSAY_PIXEL_SCALE_HELP)),
  .check = check,
  .probe = probe,
  .open = open_patches);
