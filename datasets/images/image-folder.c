/* Images in folders: sub-folders are classes, as image data sets are commonly laid out.
 *
 * Secrets are the images of `images`. The role test has those of `test_images`, or where none are
 * named the share `test_share` of the former, chosen at random; public images come from a folder of
 * the same form. Classes are numbered by the order of the names of `images`; the other folders may
 * have those alone. Images that are there twice are left out as those of files are. */
#include "datasets/images/folder-images.h"
#include "datasets/images/image-set.h"

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

typedef struct {
  const char *setting, *name;
  const GPtrArray *classes; /* that it may have; NULL: any */
  gboolean is_probe;
} Role;

static gboolean
load_role (const AssayDatasetContext *context, const Role *role, AssayImageFolder **ret_folder,
           AssayImages **ret_images, GError **error)
{
  const ImageFolder *settings = context->settings;
  const AssayImageForm form = { (gsize) settings->size, settings->colour == GREY ? 1 : 3 };

  if (*role->name == '\0')
    return TRUE;
  *ret_folder = assay_image_folder_find (role->name, context->folders, role->classes, error);
  if (*ret_folder == NULL)
    return assay_prefix (error, "%s: ", role->setting);
  *ret_images = role->is_probe ? assay_image_folder_probe (*ret_folder, &form, error)
                               : assay_image_folder_read (*ret_folder, &form, error);
  return *ret_images != NULL || assay_prefix (error, "%s: ", role->setting);
}

static gboolean
load (const AssayDatasetContext *context, gboolean is_probe, AssayImagePools *pools,
      gsize *ret_classes, GError **error)
{
  const ImageFolder *settings = context->settings;
  g_autoptr (AssayImageFolder) secrets = NULL;
  g_autoptr (AssayImageFolder) test = NULL;
  g_autoptr (AssayImageFolder) public = NULL;
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
