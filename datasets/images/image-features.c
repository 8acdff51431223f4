/* Features of images. */
#include "datasets/images/image-features.h"

#include "core/base/free.h"
#include "core/data/row-file.h"

typedef struct {
  AssayRowFiles *secrets, *public;
} Opened;

ASSAY_LOCAL_CLEAR (Opened, opened_clear, assay_drop (self->secrets, assay_row_files_free),
                   assay_drop (self->public, assay_row_files_free))

static gboolean
is_named (const AssayImageFeatures *features)
{
  return *features->secrets != '\0' || *features->public != '\0';
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
open_both (const AssayImageFeatures *features, const AssayDatasetContext *context,
           const gsize *counts, Opened *opened, GError **error)
{
  gsize cols, public_cols;

  if (!open_role ("features", features->secrets, context, counts[0], &opened->secrets, error)
      || !open_role ("public_features", features->public, context, counts[1], &opened->public,
                     error))
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

gboolean
assay_image_features_open (const AssayImageFeatures *features, const AssayDatasetContext *context,
                           AssayDataset *dataset, GError **error)
{
  g_auto (Opened) opened = { 0 };
  g_autoptr (GChecksum) checksum = NULL;
  gsize counts[2];

  if (!is_named (features))
    return TRUE;
  if (dataset->public_rows == NULL)
    return assay_fail (error, ASSAY_ERROR_MISMATCH,
                       "features: there are no public images; expected some, with features");
  counts[0] = assay_rows_count (dataset->secrets);
  counts[1] = assay_rows_count (dataset->public_rows);
  if (!open_both (features, context, counts, &opened, error))
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

gboolean
assay_image_features_probe (const AssayImageFeatures *features, const AssayDatasetContext *context,
                            AssayProbe *probe, GError **error)
{
  const gsize counts[2] = { probe->n_secrets, probe->n_public };
  g_auto (Opened) opened = { 0 };

  if (!is_named (features))
    return TRUE;
  if (!open_both (features, context, counts, &opened, error))
    return FALSE;
  probe->cols = assay_rows_cols (opened.secrets->rows);
  probe->geometry = (AssayGeometry){ 0 };
  probe->n_test = 0;
  probe->holdings &= ~(guint) (ASSAY_HAS_IMAGES | ASSAY_HAS_TEST_LABELS);
  probe->holdings |= ASSAY_HAS_ORIGINALS;
  return TRUE;
}
