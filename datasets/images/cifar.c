/* Images of CIFAR's binary files: 32 x 32 pixels in colour, with labels.
 *
 * Secrets are the images of `images`. The role test has those of `test_images`, or where none are
 * named the share `test_share` of the former, chosen at random; a test image is never a secret: one
 * whose pixels are those of a secret is left out, with a warning. */
#include "core/base/free.h"
#include "core/data/row-file.h"
#include "datasets/images/cifar-file.h"
#include "datasets/images/image-set.h"

enum { TEN, HUNDRED };

static const char *const class_choices[] = { "10", "100", NULL };

typedef struct {
  char *images;
  char *test_images;
  double test_share;
  char *public;
  bool public_labels;
  char *features;
  char *public_features;
  gint64 crops;
  guint classes;
  guint scale;
} Cifar;

static gsize
count_classes (const Cifar *settings)
{
  return settings->classes == HUNDRED ? 100 : 10;
}

/* The path of the one file that @word names, of several a span alone (@ret_span). */
static char *
find_file (const AssayDatasetContext *context, const char *word, gboolean is_alone,
           AssayRowSpan *ret_span, GError **error)
{
  g_autofree char *name = assay_row_span_split (word, ret_span, error);

  if (name == NULL)
    return NULL;
  if (*ret_span->text != '\0' && !is_alone)
    return assay_fail_null (error, ASSAY_ERROR_DATA,
                            "%s: expected one file where some of its images are named", word);
  return assay_row_file_find (name, context->folders, error);
}

/* The paths of the files that @setting names, separated by commas; NULL ends. */
static char **
find_files (const AssayDatasetContext *context, const char *setting, const char *names,
            AssayRowSpan *ret_span, GError **error)
{
  g_auto (GStrv) words = g_strsplit (names, ",", -1);
  g_autoptr (GPtrArray) paths = g_ptr_array_new_with_free_func (g_free);

  for (gsize i = 0; words[i] != NULL; i++) {
    char *path = find_file (context, g_strstrip (words[i]), g_strv_length (words) == 1, ret_span,
                            error);

    if (path == NULL)
      return assay_prefix_null (error, "%s: ", setting);
    for (guint k = 0; k < paths->len; k++)
      if (g_str_equal (paths->pdata[k], path)) {
        assay_fail (error, ASSAY_ERROR_DATA, "%s: %s is named twice; expected every file once",
                    setting, path);
        g_free (path);
        return NULL;
      }
    g_ptr_array_add (paths, path);
  }
  g_ptr_array_add (paths, NULL);
  return (char **) g_ptr_array_free (g_steal_pointer (&paths), FALSE);
}

static gboolean
load_files (const AssayDatasetContext *context, const char *setting, const char *names,
            gboolean is_probe, AssayImages **ret_images, GError **error)
{
  const Cifar *settings = context->settings;
  const guint n_label_bytes = settings->classes == HUNDRED ? 2 : 1;
  g_auto (GStrv) paths = NULL;
  AssayRowSpan span;

  if (*names == '\0')
    return TRUE;
  paths = find_files (context, setting, names, &span, error);
  if (paths == NULL)
    return FALSE;
  *ret_images = is_probe ? assay_cifar_probe ((const char *const *) paths, n_label_bytes, error)
                         : assay_cifar_read ((const char *const *) paths, n_label_bytes,
                                             count_classes (settings), error);
  return (*ret_images != NULL && assay_images_keep (*ret_images, &span, error))
         || assay_prefix (error, "%s: ", setting);
}

static gboolean
load (const AssayDatasetContext *context, gboolean is_probe, AssayImagePools *pools, GError **error)
{
  const Cifar *settings = context->settings;
  const AssayPublicImages named = { settings->public, (gsize) settings->crops };

  return load_files (context, "images", settings->images, is_probe, &pools->secrets, error)
         && load_files (context, "test_images", settings->test_images, is_probe, &pools->test,
                        error)
         && (settings->public_labels
                 ? load_files (context, "public", settings->public, is_probe,
                               &pools->public_images, error)
                 : assay_public_images_load (&named, context, is_probe, pools, error));
}

/* ---- Features ---- */

/* Files of rows (core/data/row-file.h), one for each image in their order, become the rows of the
 * dataset, and the images what those are features of (AssayRoleData.originals). */
typedef struct {
  AssayRowFiles *secrets, *public;
} Opened;

ASSAY_LOCAL_CLEAR (Opened, opened_clear, assay_drop (self->secrets, assay_row_files_free),
                   assay_drop (self->public, assay_row_files_free))

static gboolean
has_features (const Cifar *settings)
{
  return *settings->features != '\0' || *settings->public_features != '\0';
}

/* The rows of one role, of which there are @n images. */
static gboolean
open_role (const char *setting, const char *name, const AssayDatasetContext *context, gsize n,
           AssayRowFiles **ret_files, GError **error)
{
  if (*name == '\0')
    return assay_fail (error, ASSAY_ERROR_MISMATCH,
                       "%s: none are named; expected features of secrets and of public images, or "
                       "of neither",
                       setting);
  *ret_files = assay_row_files_open (name, context->folders, error);
  if (*ret_files == NULL)
    return assay_prefix (error, "%s: ", setting);
  return assay_row_files_count (*ret_files) == n
         || assay_fail (error, ASSAY_ERROR_MISMATCH,
                        "%s: %zu rows; expected one for each image, %zu (images that are there "
                        "twice, or set apart by test_share, have no place among features)",
                        setting, assay_row_files_count (*ret_files), n);
}

static gboolean
open_both (const AssayDatasetContext *context, const gsize *counts, Opened *opened, GError **error)
{
  const Cifar *settings = context->settings;
  gsize cols, public_cols;

  if (!open_role ("features", settings->features, context, counts[0], &opened->secrets, error)
      || !open_role ("public_features", settings->public_features, context, counts[1],
                     &opened->public, error))
    return FALSE;
  cols = assay_rows_cols (opened->secrets->rows);
  public_cols = assay_rows_cols (opened->public->rows);
  return cols == public_cols
         || assay_fail (error, ASSAY_ERROR_MISMATCH,
                        "public_features: %zu columns; expected %zu as features have", public_cols,
                        cols);
}

/* @features become the rows of a role; its images are what they were made of. */
static void
put_in_place (const AssayRowFiles *features, AssayRows **rows, AssayRoleData *data)
{
  data->originals = *rows;
  *rows = assay_row_files_ref_rows (features);
}

/* Puts features in place of the images of @dataset, which is open; without any nothing happens.
 * There is no test role then. ASSAY_ERROR_DATA for a file; ASSAY_ERROR_MISMATCH where there are not
 * as many rows as images, or the roles differ in columns, or one of them has no features. */
static gboolean
open_features (const AssayDatasetContext *context, AssayDataset *dataset, GError **error)
{
  g_auto (Opened) opened = { 0 };
  g_autoptr (GChecksum) checksum = NULL;
  gsize counts[2];

  if (!has_features (context->settings))
    return TRUE;
  if (dataset->public_rows == NULL)
    return assay_fail (error, ASSAY_ERROR_MISMATCH,
                       "features: there are no public images; expected some, with features");
  counts[0] = assay_rows_count (dataset->secrets);
  counts[1] = assay_rows_count (dataset->public_rows);
  if (!open_both (context, counts, &opened, error))
    return FALSE;
  put_in_place (opened.secrets, &dataset->secrets, &dataset->secret_data);
  put_in_place (opened.public, &dataset->public_rows, &dataset->public_data);
  g_clear_pointer (&dataset->test, assay_rows_unref);
  assay_role_data_clear (&dataset->test_data);
  dataset->original_geometry = dataset->geometry;
  dataset->geometry = (AssayGeometry){ 0 };
  checksum = g_checksum_new (G_CHECKSUM_SHA256);
  g_checksum_update (checksum, (const guchar *) dataset->sha256, -1);
  g_checksum_update (checksum, (const guchar *) assay_rows_sha256 (dataset->secrets), -1);
  g_checksum_update (checksum, (const guchar *) assay_rows_sha256 (dataset->public_rows), -1);
  g_free (dataset->sha256);
  dataset->sha256 = g_strdup (g_checksum_get_string (checksum));
  return TRUE;
}

/* The same of what is known before images are read. */
static gboolean
probe_features (const AssayDatasetContext *context, AssayProbe *probe, GError **error)
{
  const gsize counts[2] = { probe->n_secrets, probe->n_public };
  g_auto (Opened) opened = { 0 };

  if (!has_features (context->settings))
    return TRUE;
  if (!open_both (context, counts, &opened, error))
    return FALSE;
  probe->cols = assay_rows_cols (opened.secrets->rows);
  probe->geometry = (AssayGeometry){ 0 };
  probe->n_test = 0;
  probe->holdings &= ~(guint) (ASSAY_HAS_IMAGES | ASSAY_HAS_TEST_LABELS);
  probe->holdings |= ASSAY_HAS_ORIGINALS;
  return TRUE;
}

/* ---- Callbacks ---- */

static gboolean
probe (const AssayDatasetContext *context, AssayProbe *ret_probe, GError **error)
{
  const Cifar *settings = context->settings;
  g_auto (AssayImagePools) pools = { 0 };

  return load (context, TRUE, &pools, error)
         && assay_image_pools_probe (&pools, settings->test_share, count_classes (settings),
                                     ret_probe, error)
         && probe_features (context, ret_probe, error);
}

static gboolean
open_cifar (const AssayDatasetContext *context, AssayDataset *ret_dataset, GError **error)
{
  const Cifar *settings = context->settings;
  g_auto (AssayImagePools) pools = { 0 };

  return load (context, FALSE, &pools, error)
         && assay_image_pools_split (&pools, settings->test_share, context->stream, error)
         && assay_image_pools_open (&pools, settings->scale, count_classes (settings), ret_dataset,
                                    error)
         && open_features (context, ret_dataset, error);
}

ASSAY_DATASET (cifar, "cifar",
  .summary = "Labelled colour images from CIFAR-10 and CIFAR-100 binary files",
  .reference
  = { "Krizhevsky 2009, Learning Multiple Layers of Features from Tiny Images", "binary version" },
  ASSAY_SETTINGS (Cifar,
    ASSAY_PARAM_STRING (Cifar, images, NULL,
                        "Images to protect: a file in CIFAR's binary format, or several "
                        "separated by commas; FILE[0:2000] takes the first 2,000 of one file "
                        "(here and below)"),
    ASSAY_PARAM_STRING (Cifar, test_images, "", "Test images, in the same form"),
    ASSAY_PARAM_REAL (Cifar, test_share, 0.1, 0, 0.9, "",
                      "Share of the images set apart at random as test images, where no test "
                      "images are named"),
    ASSAY_PARAM_STRING (Cifar, public, "", ASSAY_PUBLIC_IMAGES_HELP),
    ASSAY_PARAM_INT (Cifar, crops, 4, 1, 1000, "images", ASSAY_PUBLIC_CROPS_HELP),
    ASSAY_PARAM_CHOICE (Cifar, classes, TEN, class_choices,
                        "CIFAR-10, or CIFAR-100 with its fine labels"),
    ASSAY_PARAM_CHOICE (Cifar, scale, ASSAY_PIXELS_DATASET, assay_pixel_scales,
                        ASSAY_PIXEL_SCALE_HELP),
    ASSAY_PARAM_BOOL (Cifar, public_labels, FALSE,
                      "Whether the public images are a file in CIFAR's format whose labels are "
                      "read, for attackers who learn from them",
                      ASSAY_PARAM_EXTRA),
    ASSAY_PARAM_STRING (Cifar, features, "",
                        "Files of features, with a row for each image, which are protected in "
                        "place of the images; test_images and test_share cannot be used with them",
                        ASSAY_PARAM_EXTRA),
    ASSAY_PARAM_STRING (Cifar, public_features, "",
                        "Files of features of the public images, likewise", ASSAY_PARAM_EXTRA)),
  .probe = probe,
  .open = open_cifar);
