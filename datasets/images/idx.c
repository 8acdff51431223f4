/* Images of MNIST's IDX files (MNIST, Fashion-MNIST, EMNIST), plain or gzip: grey, with labels.
 *
 * Secrets are the training images. The role test has the test files, or where none are named the
 * share `test_share` of the training images, chosen at random; a test image is never a secret: one
 * whose pixels are those of a secret is left out, with a warning. */
#include "core/data/row-file.h"
#include "datasets/images/idx-file.h"
#include "datasets/images/image-set.h"

typedef struct {
  char *images;
  char *labels;
  char *test_images;
  char *test_labels;
  double test_share;
  char *public;
  char *public_labels;
  gint64 crops;
  gint64 classes;
  guint scale;
} Idx;

/* A file of images and one of their labels ("": none), and what messages call them. */
typedef struct {
  const char *images_setting;
  const char *images;
  const char *labels_setting;
  const char *labels;
} Pair;

static gboolean
check_lengths (const char *images, gsize n_images, const char *labels, gsize n_labels,
               GError **error)
{
  return n_images == n_labels
         || assay_fail (error, ASSAY_ERROR_DATA,
                        "%s has %zu images, %s has %zu labels; expected as many", images, n_images,
                        labels, n_labels);
}

static char *
find_file (const AssayDatasetContext *context, const char *setting, const char *name,
           AssayRowSpan *ret_span, GError **error)
{
  g_autofree char *alone = assay_row_span_split (name, ret_span, error);
  char *path = alone != NULL ? assay_row_file_find (alone, context->folders, error) : NULL;

  if (path == NULL)
    g_prefix_error (error, "%s: ", setting);
  return path;
}

/* The labels that belong to @images: those that @span names, of all that the file has. */
static gboolean
read_labels (const Pair *pair, const char *path, const AssayRowSpan *span, gsize n_classes,
             AssayImages *images, GError **error)
{
  gsize n_labels, first, end;
  g_autofree guint8 *bytes = assay_idx_read (path, 1, &n_labels, error);

  if (bytes == NULL || !assay_row_span_resolve (span, path, n_labels, &first, &end, error)
      || !check_lengths (images->source, images->count, path, end - first, error))
    return assay_prefix (error, "%s: ", pair->labels_setting);
  images->labels = assay_alloc (end - first, sizeof (gint64), "labels", error);
  if (images->labels == NULL)
    return FALSE;
  for (gsize i = first; i < end; i++) {
    if (bytes[i] >= n_classes)
      return assay_fail (error, ASSAY_ERROR_DATA,
                         "%s: %s: label %zu is %d; expected 0 to %zu (classes = %zu)",
                         pair->labels_setting, path, i, bytes[i], n_classes - 1, n_classes);
    images->labels[i - first] = bytes[i];
  }
  return TRUE;
}

static gboolean
probe_labels (const Pair *pair, const char *path, const AssayRowSpan *span,
              const AssayImages *images, GError **error)
{
  gsize n_labels, first, end;

  if (assay_idx_read_shape (path, 1, &n_labels, error)
      && assay_row_span_resolve (span, path, n_labels, &first, &end, error)
      && check_lengths (images->source, images->count, path, end - first, error))
    return TRUE;
  return assay_prefix (error, "%s: ", pair->labels_setting);
}

static gboolean
load_pair (const AssayDatasetContext *context, const Pair *pair, gboolean is_probe,
           AssayImages **ret_images, GError **error)
{
  const Idx *settings = context->settings;
  g_autofree char *path = NULL, *labels = NULL;
  AssayRowSpan span;

  if (*pair->images == '\0')
    return TRUE;
  path = find_file (context, pair->images_setting, pair->images, &span, error);
  if (path == NULL)
    return FALSE;
  *ret_images = assay_images_read_idx (path, is_probe, error);
  if (*ret_images == NULL || !assay_images_keep (*ret_images, &span, error))
    return assay_prefix (error, "%s: ", pair->images_setting);
  (*ret_images)->has_labels = *pair->labels != '\0';
  if (*pair->labels == '\0')
    return TRUE;
  labels = find_file (context, pair->labels_setting, pair->labels, &span, error);
  return labels != NULL
         && (is_probe ? probe_labels (pair, labels, &span, *ret_images, error)
                      : read_labels (pair, labels, &span, (gsize) settings->classes, *ret_images,
                                     error));
}

static gboolean
load (const AssayDatasetContext *context, gboolean is_probe, AssayImagePools *pools, GError **error)
{
  const Idx *settings = context->settings;
  const AssayPublicImages named = { settings->public, (gsize) settings->crops };
  const Pair training = { "images", settings->images, "labels", settings->labels };
  const Pair test
      = { "test_images", settings->test_images, "test_labels", settings->test_labels };
  const Pair public = { "public", settings->public, "public_labels", settings->public_labels };

  return load_pair (context, &training, is_probe, &pools->secrets, error)
         && load_pair (context, &test, is_probe, &pools->test, error)
         && (*settings->public_labels != '\0'
                 ? load_pair (context, &public, is_probe, &pools->public_images, error)
                 : assay_public_images_load (&named, context, is_probe, pools, error));
}

static gboolean
probe (const AssayDatasetContext *context, AssayProbe *ret_probe, GError **error)
{
  const Idx *settings = context->settings;
  g_auto (AssayImagePools) pools = { 0 };

  return load (context, TRUE, &pools, error)
         && assay_image_pools_probe (&pools, settings->test_share, (gsize) settings->classes,
                                     ret_probe, error);
}

static gboolean
open_idx (const AssayDatasetContext *context, AssayDataset *ret_dataset, GError **error)
{
  const Idx *settings = context->settings;
  g_auto (AssayImagePools) pools = { 0 };

  return load (context, FALSE, &pools, error)
         && assay_image_pools_split (&pools, settings->test_share, context->stream, error)
         && assay_image_pools_open (&pools, settings->scale, (gsize) settings->classes, ret_dataset,
                                    error);
}

static gboolean
check (gconstpointer data, G_GNUC_UNUSED const AssayShape *shape, GError **error)
{
  const Idx *settings = data;

  if (*settings->public_labels != '\0' && *settings->public == '\0')
    return assay_fail (error, ASSAY_ERROR_PARAMETER,
                       "public_labels = %s: expected public images beside them",
                       settings->public_labels);
  if (*settings->test_labels != '\0' && *settings->test_images == '\0')
    return assay_fail (error, ASSAY_ERROR_PARAMETER,
                       "test_labels = %s: expected test_images beside them", settings->test_labels);
  if (*settings->test_images != '\0'
      && (*settings->test_labels == '\0') != (*settings->labels == '\0'))
    return assay_fail (error, ASSAY_ERROR_PARAMETER,
                       "%s is given without %s; expected both or neither",
                       *settings->labels != '\0' ? "labels" : "test_labels",
                       *settings->labels != '\0' ? "test_labels" : "labels");
  return TRUE;
}

ASSAY_DATASET (idx, "idx",
  .summary = "Labelled images from IDX files (MNIST, Fashion-MNIST), plain or gzip",
  .reference = { "LeCun, Cortes and Burges, The MNIST database; Xiao, Rasul and Vollgraf 2017, "
                 "Fashion-MNIST",
                 "file formats" },
  ASSAY_SETTINGS (Idx,
    ASSAY_PARAM_STRING (Idx, images, NULL,
                        "Images to protect: an IDX file of three dimensions, plain or gzip; "
                        "FILE[0:2000] takes the first 2,000 (here and below)"),
    ASSAY_PARAM_STRING (Idx, labels, "", "Labels of the images: an IDX file of one dimension"),
    ASSAY_PARAM_STRING (Idx, test_images, "", "Test images, in the same form"),
    ASSAY_PARAM_STRING (Idx, test_labels, "", "Labels of the test images"),
    ASSAY_PARAM_REAL (Idx, test_share, 0.1, 0, 0.9, "",
                      "Share of the images set apart at random as test images, where no test "
                      "images are named"),
    ASSAY_PARAM_STRING (Idx, public, "", ASSAY_PUBLIC_IMAGES_HELP),
    ASSAY_PARAM_INT (Idx, crops, 4, 1, 1000, "images", ASSAY_PUBLIC_CROPS_HELP),
    ASSAY_PARAM_INT (Idx, classes, 10, 2, 256, "classes", "Labels go from 0 to classes - 1"),
    ASSAY_PARAM_CHOICE (Idx, scale, ASSAY_PIXELS_DATASET, assay_pixel_scales,
                        ASSAY_PIXEL_SCALE_HELP),
    ASSAY_PARAM_STRING (Idx, public_labels, "",
                        "Labels of the public images, for attackers who learn from them: an IDX "
                        "file of one dimension; `public` must be an IDX file, too",
                        ASSAY_PARAM_EXTRA)),
  .check = check,
  .probe = probe,
  .open = open_idx);
