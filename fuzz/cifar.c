/* Fuzz target: CIFAR's binary files. Most of a file are pixels of which any will do, so an input is
 * short: bytes of label or none, classes, records, how many bytes too many or too few, and what is
 * repeated until the file is full. */
#include "fuzz/table.h"

#include "datasets/images/cifar-file.h"

static const char *const paths[] = { "a.bin", NULL };

static void
check_images (const guint8 *file, gsize size, guint n_label_bytes, gsize n_classes)
{
  g_autoptr (GError) error = NULL, other = NULL;
  g_autoptr (AssayImages) probed = assay_cifar_probe (paths, n_label_bytes, &error);
  g_autoptr (AssayImages) images = assay_cifar_read (paths, n_label_bytes, n_classes, &other);
  const gsize count = probed != NULL ? probed->count : 0;
  const gsize record = images != NULL ? size / count : 0;

  fuzz_check_outcome (probed != NULL, error);
  fuzz_check_outcome (images != NULL, other);
  FUZZ_REQUIRE (images == NULL || (probed != NULL && images->count == count && size % count == 0));
  for (gsize i = 0; images != NULL && i < count; i++) {
    const guint8 *planes = file + (i + 1) * record - ASSAY_CIFAR_PIXELS;

    FUZZ_REQUIRE ((images->labels != NULL) == (n_label_bytes > 0));
    FUZZ_REQUIRE (n_label_bytes == 0
                  || (images->labels[i] == planes[-1] && planes[-1] < n_classes));
    FUZZ_REQUIRE (assay_images_row (images, i)[ASSAY_CIFAR_PIXELS - 1]
                  == planes[ASSAY_CIFAR_PIXELS - 1]);
  }
}

int
LLVMFuzzerTestOneInput (const uint8_t *data, size_t size)
{
  FuzzInput input = { data, size };
  const guint n_label_bytes = fuzz_take_byte (&input) % 3;
  const gsize n_classes = fuzz_take_byte (&input);
  const gsize record = ASSAY_CIFAR_PIXELS + fuzz_take_byte (&input) % 4;
  const gsize length = record * (fuzz_take_byte (&input) % 4) + fuzz_take_byte (&input) % 4;
  g_autofree guint8 *file = g_malloc0 (length + 1);

  for (gsize i = 0; input.left > 0 && i < length; i++)
    file[i] = input.data[i % input.left];
  fuzz_files_add ("a.bin", file, length);
  check_images (file, length, n_label_bytes, n_classes);
  fuzz_files_forget ();
  fuzz_read_table (ASSAY_TABLE_CIFAR, file, length);
  return 0;
}
