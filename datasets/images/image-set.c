/* Pools of images to a dataset.
 *
 * A public image that is also a secret would be found for free by every attack that compares
 * released images with public ones, and one that is a test image would be trained on where a
 * defense mixes it in. A test image that is also a secret is trained on wherever the release is,
 * and what is tested with it is memory. Such images are left out and not refused: two published
 * sets, or the two parts of one, may share an image, and nobody could mend that by a setting. */
#include "datasets/images/image-set.h"

#include "core/data/row-file.h"
#include "datasets/images/cifar-file.h"
#include "datasets/images/idx-file.h"

ASSAY_CLEAR_FUNC (AssayImagePools, assay_image_pools_clear,
                  assay_drop (self->secrets, assay_images_free),
                  assay_drop (self->test, assay_images_free),
                  assay_drop (self->public_images, assay_images_free))

gboolean
assay_image_pools_split (AssayImagePools *pools, double share, AssayStreamKey key, GError **error)
{
  const gsize n_apart = assay_images_share_count (pools->secrets->count, share);

  if (pools->test != NULL || n_apart == 0)
    return TRUE;
  return assay_images_set_apart (pools->secrets, n_apart, key, &pools->test, error);
}

/* ---- Opening ---- */

/* Leaves out of @images, which play @role, those that play @other_role. Numbers in the message are
 * within the role: those of a file, unless the other role was set apart from it. */
static gboolean
drop_shared (AssayImages *images, const char *role, const AssayImages *others,
             const char *other_role, GError **error)
{
  const gsize count = images->count;
  gsize image, other, n;

  if (others == NULL)
    return TRUE;
  n = assay_images_drop_shared (images, others, &image, &other);
  if (images->count == 0)
    return assay_fail (error, ASSAY_ERROR_DATA,
                       "%s: %s: every image is also a %s image of %s; expected others", role,
                       images->source, other_role, others->source);
  if (n > 0)
    g_message ("%s: %zu of %zu images left out that are also %s images; the first: %s image %zu "
               "of %s is %s image %zu of %s",
               role, n, count, other_role, role, image, images->source, other_role, other,
               others->source);
  return TRUE;
}

static gboolean
check_pools (const AssayImagePools *pools, GError **error)
{
  return (pools->test == NULL
          || (assay_images_check_size (pools->test, "test", pools->secrets, error)
              && drop_shared (pools->test, "test", pools->secrets, "private", error)))
         && (pools->public_images == NULL
             || (assay_images_check_size (pools->public_images, "public", pools->secrets, error)
                 && drop_shared (pools->public_images, "public", pools->secrets, "private", error)
                 && drop_shared (pools->public_images, "public", pools->test, "test", error)));
}

static AssayArray *
take_labels (AssayImages *images)
{
  return images->labels == NULL ? NULL
                                : assay_array_take (ASSAY_INT64, 1, (gsize[]){ images->count },
                                                    g_steal_pointer (&images->labels));
}

/* The rows of a pool, which is freed. */
static gboolean
take_rows (const AssayNormaliser *normaliser, AssayImages **images, const char *role,
           AssayRows **ret_rows, AssayRoleData *data, GError **error)
{
  AssayMatrix *matrix;

  if (*images == NULL)
    return TRUE;
  matrix = assay_normalise (normaliser, *images, role, error);
  if (matrix == NULL)
    return FALSE;
  *ret_rows = assay_rows_take_matrix (matrix);
  data->labels = take_labels (*images);
  g_clear_pointer (images, assay_images_free);
  return TRUE;
}

gboolean
assay_image_pools_open (AssayImagePools *pools, AssayPixelScale scale, gsize n_classes,
                        AssayDataset *dataset, GError **error)
{
  const AssayImages *secrets = pools->secrets;
  g_autoptr (GChecksum) checksum = g_checksum_new (G_CHECKSUM_SHA256);
  AssayNormaliser normaliser;

  if (!check_pools (pools, error) || !assay_normaliser_init (&normaliser, scale, secrets, error))
    return FALSE;
  assay_images_hash (secrets, "secrets", checksum);
  assay_images_hash (pools->test, "test", checksum);
  assay_images_hash (pools->public_images, "public", checksum);
  dataset->sha256 = g_strdup (g_checksum_get_string (checksum));
  dataset->n_classes = secrets->labels != NULL ? n_classes : 0;
  dataset->geometry = (AssayGeometry){ .height = secrets->height,
                                       .width = secrets->width,
                                       .channels = secrets->channels };
  assay_normaliser_range (&normaliser, secrets->channels, &dataset->geometry);
  if (secrets->groups != NULL) {
    dataset->n_groups = (gsize) secrets->groups[secrets->count - 1] + 1;
    dataset->groups = g_steal_pointer (&pools->secrets->groups);
  }
  return take_rows (&normaliser, &pools->secrets, "private", &dataset->secrets,
                    &dataset->secret_data, error)
         && take_rows (&normaliser, &pools->test, "test", &dataset->test, &dataset->test_data,
                       error)
         && take_rows (&normaliser, &pools->public_images, "public", &dataset->public_rows,
                       &dataset->public_data, error);
}

/* ---- Probes ---- */

gboolean
assay_image_pools_probe (const AssayImagePools *pools, double test_share, gsize n_classes,
                         AssayProbe *ret_probe, GError **error)
{
  const AssayImages *secrets = pools->secrets, *test = pools->test, *public = pools->public_images;
  const AssayImages none = { 0 };
  gsize cols, n_apart, n_test, n_images;

  if ((test != NULL && !assay_images_check_size (test, "test", secrets, error))
      || (public != NULL && !assay_images_check_size (public, "public", secrets, error)))
    return FALSE;
  cols = assay_images_cols (secrets);
  n_apart = test != NULL ? 0 : assay_images_share_count (secrets->count, test_share);
  n_test = test != NULL ? test->count : n_apart;
  test = test != NULL ? test : &none;
  public = public != NULL ? public : &none;
  n_images = secrets->count + test->count + public->count;
  *ret_probe = (AssayProbe){
    .n_secrets = secrets->count - n_apart,
    .n_public = public->count,
    .n_test = n_test,
    .n_classes = secrets->has_labels ? n_classes : 0,
    .cols = cols,
    .holdings = ASSAY_HAS_IMAGES | (secrets->has_labels ? ASSAY_HAS_LABELS : 0)
                | (public->has_labels ? ASSAY_HAS_PUBLIC_LABELS : 0)
                | (test->has_labels || (n_apart > 0 && secrets->has_labels) ? ASSAY_HAS_TEST_LABELS
                                                                            : 0),
    .geometry
    = { .height = secrets->height, .width = secrets->width, .channels = secrets->channels },
    .is_estimate = secrets->is_estimate || public->is_estimate,
    /* Bytes and floats, bytes set apart twice; an entry a secret where images are compared, and a
     * label. */
    .memory = (guint64) n_images * cols * (1 + sizeof (float)) + (guint64) n_apart * (cols + 8)
              + (guint64) n_images * 48 + secrets->memory + test->memory + public->memory,
  };
  return TRUE;
}

/* ---- Public images ---- */

/* Crops of the photographs in the folder @path. */
static AssayImages *
load_crops (const AssayPublicImages *public_images, const char *path,
            const AssayDatasetContext *context, gboolean is_probe, const AssayImages *secrets,
            GError **error)
{
  const AssayPhotoRole role = { "public", path, 1 };
  const AssayPhotoRules photo_rules = { .largest = ASSAY_CROP_LARGEST };
  const AssayCropRules rules = { .size = secrets->height,
                                 .channels = secrets->channels,
                                 .per_photo = public_images->crops,
                                 .least_side = ASSAY_CROP_MIN_SIDE,
                                 .keypoints = ASSAY_CROP_KEYPOINTS };
  g_autoptr (AssayPhotoSet) set = NULL;

  if (secrets->height != secrets->width)
    return assay_fail_null (error, ASSAY_ERROR_MISMATCH,
                            "public: %s: crops of photographs are square; the secrets have %zu x "
                            "%zu pixels",
                            path, secrets->height, secrets->width);
  set = assay_photo_set_new (&role, 1, &photo_rules, context->folders, context->stream, error);
  if (set == NULL)
    return NULL;
  if (is_probe)
    return assay_crops_probe (set, 0, &rules);
  return assay_photo_set_describe (set, error)
             ? assay_crops_take (set, 0, ASSAY_CROP_LARGEST, &rules, context->stream, error)
             : NULL;
}

/* The images of an IDX or CIFAR file. */
static AssayImages *
load_file (const char *path, gboolean is_probe, GError **error)
{
  const char *const paths[] = { path, NULL };
  AssayImages *images = assay_idx_is_likely (path) ? assay_images_read_idx (path, is_probe, error)
                        : is_probe                 ? assay_cifar_probe (paths, 0, error)
                                                   : assay_cifar_read (paths, 0, 0, error);

  if (images == NULL)
    g_prefix_error (error, "public: ");
  return images;
}

gboolean
assay_public_images_load (const AssayPublicImages *public_images,
                          const AssayDatasetContext *context, gboolean is_probe,
                          AssayImagePools *pools, GError **error)
{
  g_autofree char *name = NULL, *path = NULL;
  AssayRowSpan span;

  if (*public_images->name == '\0')
    return TRUE;
  name = assay_row_span_split (public_images->name, &span, error);
  path = name != NULL ? assay_row_file_find (name, context->folders, error) : NULL;
  if (path == NULL)
    return assay_prefix (error, "public: ");
  pools->public_images
      = g_file_test (path, G_FILE_TEST_IS_DIR)
            ? load_crops (public_images, path, context, is_probe, pools->secrets, error)
            : load_file (path, is_probe, error);
  if (pools->public_images == NULL)
    return FALSE;
  if (*span.text != '\0' && !assay_images_keep (pools->public_images, &span, error))
    return assay_prefix (error, "public: ");
  pools->public_images->is_estimate = is_probe; /* without those that are left out */
  return TRUE;
}
