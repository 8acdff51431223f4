/* The dataset `cifar`: what is read, public images beside it, and files that are wrong. */
#include <math.h>
#include <sys/stat.h>

#include "datasets/generated/dead-leaves.h"
#include "datasets/images/cifar-file.h"
#include "tests/unit/image-data.h"
#include "tests/unit/photo-folders.h"

#define PIXELS 3072

static char *folder;

/* Byte @p of plane @c of the image with number @number. */
static guint8
byte_of (gsize number, gsize c, gsize p)
{
  return (guint8) (number * 31 + c * 85 + p * 3 + p / 100);
}

/* Records of the images @first, @first + 1, ... with their numbers modulo @n_classes as labels (the
 * fine ones; coarse ones are 19), and @more bytes. */
static void
write_records (const char *name, gsize first, gsize count, gsize n_label_bytes, gsize n_classes,
               gsize more)
{
  g_autoptr (GByteArray) bytes = g_byte_array_new ();

  for (gsize i = first; i < first + count; i++) {
    const guint8 labels[2] = { 19, (guint8) (i % n_classes) };

    g_byte_array_append (bytes, labels + 2 - n_label_bytes, (guint) n_label_bytes);
    for (gsize k = 0; k < PIXELS; k++) {
      const guint8 value = byte_of (i, k / 1024, k % 1024);

      g_byte_array_append (bytes, &value, 1);
    }
  }
  for (gsize i = 0; i < more; i++)
    g_byte_array_append (bytes, (const guint8 *) "x", 1);
  write_bytes (folder, name, bytes->data, bytes->len);
}

static void
set_up (void)
{
  folder = fixture_folder ();
  write_records ("a.bin", 0, 12, 1, 10, 0);
  write_records ("b.bin", 12, 5, 1, 10, 0);
  write_records ("test.bin", 20, 3, 1, 10, 0);
  write_records ("fine.bin", 0, 110, 2, 100, 0);
}

static void
tear_down (void)
{
  fixture_remove (folder);
  g_free (folder);
}

TestSuite (cifar, .init = set_up, .fini = tear_down);

/* Image i of the role has the number first + i, its channels interleaved. */
static void
check_images (const AssayRows *rows, gsize first, gsize count)
{
  g_autoptr (AssayMatrix) matrix = read_rows (rows);

  cr_assert (matrix->rows == count && matrix->cols == PIXELS);
  for (gsize i = 0; i < count; i++)
    for (gsize p = 0; p < 1024; p++)
      for (gsize c = 0; c < 3; c++)
        assert_near (255 * (double) assay_matrix_row (matrix, i)[p * 3 + c],
                     byte_of (first + i, c, p), 1e-4, "image %zu, pixel %zu", i, p);
}

Test (cifar, several_files_and_roles)
{
  AssayDataset dataset;

  open_images ("cifar", folder, "images=a.bin,b.bin test_images=test.bin scale=unit", 1, &dataset);
  check_images (dataset.secrets, 0, 17);
  check_images (dataset.test, 20, 3);
  cr_assert_null (dataset.public_rows);
  for (gsize i = 0; i < 17; i++)
    cr_assert_eq (assay_array_int64 (dataset.secret_data.labels)[i], (gint64) (i % 10));
  cr_assert_eq (assay_array_int64 (dataset.test_data.labels)[2], 2);
  cr_assert (dataset.n_classes == 10 && dataset.geometry.height == 32
             && dataset.geometry.width == 32 && dataset.geometry.channels == 3);
  assay_dataset_clear (&dataset);
}

Test (cifar, fine_labels)
{
  AssayDataset dataset;

  open_images ("cifar", folder, "images=fine.bin classes=100 test_share=0 scale=unit", 1, &dataset);
  check_images (dataset.secrets, 0, 110);
  cr_assert_eq (dataset.n_classes, 100);
  cr_assert_eq (assay_array_int64 (dataset.secret_data.labels)[99], 99);
  assay_dataset_clear (&dataset);
}

/* Records of either length; labels of public images mean nothing. */
Test (cifar, public_files)
{
  AssayDataset dataset;

  write_records ("public.bin", 100, 6, 1, 200, 0);
  write_records ("public-fine.bin", 100, 6, 2, 200, 0);
  for (gsize i = 0; i < 2; i++) {
    open_images ("cifar", folder,
                 i == 0 ? "images=a.bin public=public.bin scale=unit"
                        : "images=a.bin public=public-fine.bin scale=unit",
                 1, &dataset);
    check_images (dataset.public_rows, 100, 6);
    cr_assert_null (dataset.public_data.labels);
    assay_dataset_clear (&dataset);
  }
}

/* Images 10 and 11 are private, 12 to 16 are not; with image 12 for testing it goes too. */
/* Unless they are asked for: they are those of the same file as images to protect. */
Test (cifar, labels_of_public_images)
{
  AssayDataset public, private;

  write_records ("public.bin", 100, 6, 1, 10, 0);
  open_images ("cifar", folder, "images=a.bin public=public.bin public_labels=yes", 1, &public);
  open_images ("cifar", folder, "images=public.bin test_share=0", 1, &private);
  cr_assert_eq (public.public_data.labels->shape[0], assay_rows_count (public.public_rows));
  cr_assert_eq (private.secret_data.labels->shape[0], 6);
  for (gsize i = 0; i < 6; i++)
    cr_assert_eq (assay_array_int64 (public.public_data.labels)[i],
                  assay_array_int64 (private.secret_data.labels)[i]);
  assay_dataset_clear (&public);
  assay_dataset_clear (&private);
}

Test (cifar, public_images_of_another_role_are_left_out)
{
  AssayDataset dataset;

  write_records ("public.bin", 10, 7, 1, 10, 0);
  write_records ("twelve.bin", 12, 1, 1, 10, 0);
  open_images ("cifar", folder, "images=a.bin public=public.bin test_share=0 scale=unit", 1,
               &dataset);
  check_images (dataset.public_rows, 12, 5);
  assay_dataset_clear (&dataset);
  open_images ("cifar", folder, "images=a.bin public=public.bin test_images=twelve.bin scale=unit",
               1, &dataset);
  check_images (dataset.public_rows, 13, 4);
  assay_dataset_clear (&dataset);
}

/* A test file that repeats images 10 and 11 of the training file: these are left out of the test,
 * with their labels, and the others stay as they are. One that holds no others is refused. */
Test (cifar, test_images_that_are_private_are_left_out)
{
  AssayDataset dataset = { 0 };

  write_records ("repeats.bin", 10, 5, 1, 10, 0);
  cr_assert (run_stage ("cifar", OPEN, folder,
                        "images=a.bin test_images=repeats.bin scale=unit", 1, NULL, &dataset,
                        NULL));
  check_images (dataset.secrets, 0, 12);
  check_images (dataset.test, 12, 3);
  for (gsize i = 0; i < 3; i++)
    cr_assert_eq (assay_array_int64 (dataset.test_data.labels)[i], (gint64) (12 + i) % 10);
  assay_dataset_clear (&dataset);
  expect_failure ("cifar", OPEN, folder, "images=a.bin,b.bin test_images=b.bin", ASSAY_ERROR_DATA,
                  "test: @/b.bin: every image is also a private image of @/a.bin; expected others");
}

/* Opening one would wait for who writes into it. */
Test (cifar, a_pipe_is_refused, .timeout = 60)
{
  g_autofree char *path = g_build_filename (folder, "pipe", NULL);
  const char *const paths[] = { path, NULL };
  g_autoptr (GError) error = NULL;

  cr_assert (mkfifo (path, 0600) == 0);
  cr_assert_null (assay_cifar_probe (paths, 1, &error));
  cr_assert (g_str_has_suffix (error->message, "/pipe: is not a regular file"), "%s",
             error->message);
}

/* At most two crops of each photograph, in the size of the secrets, the same for every opening. */
Test (cifar, public_photographs)
{
  static const char settings[] = "images=a.bin public=photos crops=2 test_share=0";
  g_autofree char *photos = g_build_filename (folder, "photos", NULL);
  AssayDataset dataset, again;

  cr_assert_eq (g_mkdir (photos, 0700), 0);
  take (photos, "a.png", 1, 200, 160);
  take (photos, "b.jpg", 2, 160, 220);
  open_images ("cifar", folder, settings, 1, &dataset);
  open_images ("cifar", folder, settings, 1, &again);
  cr_assert (assay_rows_count (dataset.public_rows) >= 2
             && assay_rows_count (dataset.public_rows) <= 4);
  cr_assert_eq (assay_rows_cols (dataset.public_rows), PIXELS);
  cr_assert_str_eq (dataset.sha256, again.sha256);
  assay_dataset_clear (&dataset);
  assay_dataset_clear (&again);
}

Test (cifar, files_that_are_wrong)
{
  static const guint8 idx[16 + 4] = { 0, 0, 8, 3, 0, 0, 0, 1, 0, 0, 0, 2, 0, 0, 0, 2, 1, 2, 3, 4 };

  write_records ("odd.bin", 0, 2, 1, 10, 5);
  write_bytes (folder, "empty.bin", "", 0);
  write_bytes (folder, "tiny.idx", idx, sizeof idx);
  for (Stage stage = PROBE; stage <= OPEN; stage++) {
    expect_failure ("cifar", stage, folder, "images=odd.bin", ASSAY_ERROR_DATA,
                    "images: @/odd.bin: 6151 bytes; expected a multiple of 3073, the records of "
                    "CIFAR's binary format");
    expect_failure ("cifar", stage, folder, "images=a.bin classes=100", ASSAY_ERROR_DATA,
                    "images: @/a.bin: 36876 bytes; expected a multiple of 3074, the records of "
                    "CIFAR's binary format");
    expect_failure ("cifar", stage, folder, "images=a.bin,empty.bin", ASSAY_ERROR_DATA,
                    "images: @/empty.bin: 0 bytes; expected a multiple of 3073, the records of "
                    "CIFAR's binary format");
    expect_failure ("cifar", stage, folder, "images=a.bin test_images=.", ASSAY_ERROR_DATA,
                    "test_images: @/.: is a folder; expected a CIFAR file");
    expect_failure ("cifar", stage, folder, "images=a.bin,a.bin", ASSAY_ERROR_DATA,
                    "images: @/a.bin is named twice; expected every file once");
    expect_failure ("cifar", stage, folder, "images=a.bin test_images=absent.bin", ASSAY_ERROR_DATA,
                    "test_images: absent.bin: no such file (looked for @/absent.bin); the "
                    "environment variable ASSAY_DATA tells in which folder data is");
    expect_failure ("cifar", stage, folder, "images=a.bin public=odd.bin", ASSAY_ERROR_DATA,
                    "public: @/odd.bin: 6151 bytes; expected a multiple of 3073 or 3074, the "
                    "records of CIFAR's binary format");
    expect_failure ("cifar", stage, folder, "images=a.bin public=.", ASSAY_ERROR_DATA,
                    "public: @/.: a folder without photographs; expected files that end in .jpg, "
                    ".jpeg or .png");
    expect_failure ("cifar", stage, folder, "images=a.bin public=tiny.idx", ASSAY_ERROR_MISMATCH,
                    "public: @/tiny.idx: images of 2 x 2 pixels with 1 channel; expected 32 x 32 "
                    "with 3 as the secrets of @/a.bin have");
  }
  write_records ("label.bin", 0, 12, 1, 11, 0);
  expect_failure ("cifar", OPEN, folder, "images=label.bin", ASSAY_ERROR_DATA,
                  "images: @/label.bin: record 10 has the label 10; expected 0 to 9");
}

/* ---- Real data ---- */

/* Against the README of the data: 10,000 images with mean 120.4, 1,000 of each class, and 3,718
 * public patches with mean 114.6, none of which is private. */
Test (cifar, cifar10_with_imagenet_patches)
{
  const char *data = real_data ("cifar10/cifar10_train10k.bin");
  AssayDataset dataset;
  gsize counts[10] = { 0 };

  open_images ("cifar", data,
               "images=cifar10/cifar10_train10k.bin test_images=cifar10/cifar10_test2k.bin "
               "public=photos/imagenet_patches32.bin scale=unit",
               1, &dataset);
  {
    g_autoptr (AssayMatrix) images = read_rows (dataset.secrets);
    g_autoptr (AssayMatrix) patches = read_rows (dataset.public_rows);
    double sum = 0, public_sum = 0;

    cr_assert (images->rows == 10000 && patches->rows == 3718
               && assay_rows_count (dataset.test) == 2000);
    for (gsize i = 0; i < images->rows * PIXELS; i++)
      sum += (double) images->data[i];
    for (gsize i = 0; i < patches->rows * PIXELS; i++)
      public_sum += (double) patches->data[i];
    assert_near (255 * sum / (10000.0 * PIXELS), 120.4, 0.05, "mean of CIFAR-10");
    assert_near (255 * public_sum / (3718.0 * PIXELS), 114.6, 0.05, "mean of the patches");
    for (gsize i = 0; i < 10000; i++)
      counts[assay_array_int64 (dataset.secret_data.labels)[i]]++;
    for (gsize c = 0; c < 10; c++)
      cr_assert_eq (counts[c], 1000);
  }
  assay_dataset_clear (&dataset);
}
