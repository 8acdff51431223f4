/* Fuzz target: IDX files, plain and gzip, whole and piece by piece: both ways agree on what is a
 * good file. */
#include "fuzz/table.h"

#include "datasets/images/idx-file.h"

/* Labels and images. */
static gboolean
read_whole (guint n_dimensions, gboolean *ret_is_large)
{
  gsize shape[ASSAY_IDX_MAX_DIMENSIONS] = { 0 }, header[ASSAY_IDX_MAX_DIMENSIONS] = { 0 };
  g_autoptr (GError) error = NULL, unread = NULL;
  g_autofree guint8 *bytes = NULL;
  gboolean has_header;
  gsize total = 1;

  has_header = assay_idx_read_shape ("idx", n_dimensions, header, &unread);
  fuzz_check_outcome (has_header, unread);
  for (guint k = 0; has_header && k < n_dimensions; k++)
    total *= header[k];
  *ret_is_large = total > 1 << 16;
  if (*ret_is_large)
    return FALSE;
  bytes = assay_idx_read ("idx", n_dimensions, shape, &error);
  fuzz_check_outcome (bytes != NULL, error);
  FUZZ_REQUIRE (bytes == NULL || has_header);
  for (guint k = 0; bytes != NULL && k < n_dimensions; k++)
    FUZZ_REQUIRE (shape[k] == header[k]);
  return bytes != NULL;
}

/* Images are the numbers of three dimensions. */
static void
check_images (void)
{
  g_autoptr (AssayImages) probed = assay_images_read_idx ("idx", TRUE, NULL);
  g_autoptr (AssayImages) images = assay_images_read_idx ("idx", FALSE, NULL);

  FUZZ_REQUIRE (images != NULL && probed != NULL && probed->count == images->count);
  FUZZ_REQUIRE (probed->height == images->height && probed->width == images->width);
  FUZZ_REQUIRE (probed->pixels == NULL && images->pixels != NULL && images->channels == 1);
}

int
LLVMFuzzerTestOneInput (const uint8_t *data, size_t size)
{
  gboolean is_read = FALSE, is_any_large = FALSE;

  fuzz_files_add ("idx", data, size);
  assay_idx_is_likely ("idx");
  for (guint n = 1; n <= ASSAY_IDX_MAX_DIMENSIONS; n++) {
    gboolean is_large;
    const gboolean is_this = read_whole (n, &is_large);

    is_read |= is_this;
    is_any_large |= is_large;
    if (n == 3 && is_this)
      check_images ();
  }
  fuzz_files_forget ();
  if (!is_any_large)
    FUZZ_REQUIRE (fuzz_read_table (ASSAY_TABLE_IDX, data, size) == is_read);
  return 0;
}
