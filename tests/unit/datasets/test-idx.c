/* The dataset `idx`: what is read, how it is divided, and every way in which files can be wrong. */
#include <gio/gio.h>
#include <sys/stat.h>

#include "core/base/parallel.h"
#include "datasets/images/idx-file.h"
#include "tests/unit/image-data.h"

static char *folder;

/* ---- Files to test with ---- */

/* An IDX header with @n dimensions, and @length bytes counting up from @from in steps of @step. */
static GByteArray *
make_idx (guint8 magic, guint n, const guint32 *shape, gsize length, guint8 from, guint8 step)
{
  GByteArray *bytes = g_byte_array_new ();
  const guint8 head[4] = { 0, 0, magic, (guint8) n };

  g_byte_array_append (bytes, head, 4);
  for (guint k = 0; k < n; k++) {
    const guint32 big = GUINT32_TO_BE (shape[k]);

    g_byte_array_append (bytes, (const guint8 *) &big, 4);
  }
  for (gsize i = 0; i < length; i++) {
    const guint8 value = (guint8) (from + i * step);

    g_byte_array_append (bytes, &value, 1);
  }
  return bytes;
}

static GBytes *
compress (const GByteArray *bytes)
{
  g_autoptr (GConverter) converter
      = G_CONVERTER (g_zlib_compressor_new (G_ZLIB_COMPRESSOR_FORMAT_GZIP, 6));
  g_autofree guint8 *packed = g_malloc (bytes->len + 1000);
  gsize n_read, n_written;

  cr_assert_eq (g_converter_convert (converter, bytes->data, bytes->len, packed, bytes->len + 1000,
                                     G_CONVERTER_INPUT_AT_END, &n_read, &n_written, NULL),
                G_CONVERTER_FINISHED);
  return g_bytes_new (packed, n_written);
}

static void
write_idx (const char *name, guint8 magic, guint n, const guint32 *shape, gsize length, guint8 from,
           guint8 step)
{
  g_autoptr (GByteArray) bytes = make_idx (magic, n, shape, length, from, step);

  if (g_str_has_suffix (name, ".gz")) {
    g_autoptr (GBytes) packed = compress (bytes);

    write_bytes (folder, name, g_bytes_get_data (packed, NULL), g_bytes_get_size (packed));
  } else {
    write_bytes (folder, name, bytes->data, bytes->len);
  }
}

/* @count images of 2 x 3 pixels, byte i of the file being from + 7 i. */
static void
write_images (const char *name, guint32 count, guint8 from)
{
  write_idx (name, 8, 3, (guint32[]){ count, 2, 3 }, count * 6, from, 7);
}

/* Labels 0, 1, 2, ... */
static void
write_labels (const char *name, guint32 count)
{
  write_idx (name, 8, 1, &count, count, 0, 1);
}

static void
set_up (void)
{
  folder = fixture_folder ();
  write_images ("ten", 10, 0);
  write_labels ("ten.labels", 10);
  write_images ("ten.gz", 10, 0);
  write_labels ("ten.labels.gz", 10);
  write_images ("four", 4, 101);
  write_labels ("four.labels", 4);
  write_images ("five.gz", 5, 203);
}

static void
tear_down (void)
{
  fixture_remove (folder);
  g_free (folder);
}

TestSuite (idx, .init = set_up, .fini = tear_down);

/* ---- What is read ---- */

static void
check_bytes (const AssayRows *rows, gsize count, guint8 from)
{
  g_autoptr (AssayMatrix) matrix = read_rows (rows);

  cr_assert (matrix->rows == count && matrix->cols == 6);
  for (gsize i = 0; i < count * 6; i++)
    assert_near (255.0 * (double) matrix->data[i], (guint8) (from + 7 * i), 1e-4, "byte %zu", i);
}

Test (idx, images_labels_and_roles)
{
  static const char *const forms[]
      = { "images=ten labels=ten.labels test_images=four test_labels=four.labels public=five.gz "
          "scale=unit",
          "images=ten.gz labels=ten.labels.gz test_images=four test_labels=four.labels "
          "public=five.gz scale=unit" };
  g_autofree char *sha256 = NULL;

  for (gsize f = 0; f < 2; f++) {
    AssayDataset dataset;

    open_images ("idx", folder, forms[f], 1, &dataset);
    check_bytes (dataset.secrets, 10, 0);
    check_bytes (dataset.test, 4, 101);
    check_bytes (dataset.public_rows, 5, 203);
    for (gint64 i = 0; i < 10; i++)
      cr_assert_eq (assay_array_int64 (dataset.secret_data.labels)[i], i);
    cr_assert_eq (assay_array_int64 (dataset.test_data.labels)[3], 3);
    cr_assert (dataset.n_classes == 10 && dataset.geometry.height == 2
               && dataset.geometry.width == 3 && dataset.geometry.channels == 1
               && dataset.geometry.black == 0 && dataset.geometry.white == 1);
    /* What was read counts, not how it was packed. */
    cr_assert (f == 0 || g_str_equal (dataset.sha256, sha256));
    if (f == 0)
      sha256 = g_strdup (dataset.sha256);
    assay_dataset_clear (&dataset);
  }
}

Test (idx, without_labels_there_are_no_classes)
{
  AssayDataset dataset;

  open_images ("idx", folder, "images=ten test_images=four", 1, &dataset);
  cr_assert (dataset.secret_data.labels == NULL && dataset.n_classes == 0);
  assay_dataset_clear (&dataset);
}

/* Three of ten are set apart: with their labels, in their order, by the seed and not by threads. */
Test (idx, test_share)
{
  static const char settings[] = "images=ten labels=ten.labels test_share=0.3 scale=unit";
  gsize n_as_first = 0;

  for (guint64 seed = 0; seed < 40; seed++) {
    AssayDataset dataset, again;
    gsize seen[10] = { 0 };

    assay_parallel_set_threads (1);
    open_images ("idx", folder, settings, seed, &dataset);
    assay_parallel_set_threads (3);
    open_images ("idx", folder, settings, seed, &again);
    cr_assert_str_eq (dataset.sha256, again.sha256);
    {
      g_autoptr (AssayMatrix) secrets = read_rows (dataset.secrets),
                              test = read_rows (dataset.test);
      const gint64 *labels = assay_array_int64 (dataset.secret_data.labels);
      const gint64 *test_labels = assay_array_int64 (dataset.test_data.labels);

      cr_assert (secrets->rows == 7 && test->rows == 3);
      for (gsize i = 0; i < 10; i++) {
        const gint64 label = i < 7 ? labels[i] : test_labels[i - 7];
        const float *row = i < 7 ? assay_matrix_row (secrets, i) : assay_matrix_row (test, i - 7);

        seen[label]++;
        assert_near (255.0 * (double) row[0], (guint8) (42 * label), 1e-4, "image %zu", i);
        cr_assert (i == 0 || i == 7 || (i < 7 ? labels[i - 1] : test_labels[i - 8]) < label);
      }
      for (gsize i = 0; i < 10; i++)
        cr_assert_eq (seen[i], 1);
      n_as_first += test_labels[0] == 0;
    }
    assay_dataset_clear (&dataset);
    assay_dataset_clear (&again);
  }
  /* Image 0 with probability 0.3: outside 1 .. 28 of 40 with probability below 1e-6. */
  cr_assert (n_as_first >= 1 && n_as_first <= 28, "%zu", n_as_first);
}

/* Every private byte is 0, 1 or 2, so that images repeat. */
Test (idx, public_images_that_are_private_are_left_out)
{
  AssayDataset dataset;

  write_images ("public", 4, 42 * 9 - 256); /* the first is the last of the secrets */
  open_images ("idx", folder, "images=ten public=public test_share=0 scale=unit", 1, &dataset);
  check_bytes (dataset.public_rows, 3, (guint8) (42 * 10));
  cr_assert_null (dataset.test);
  assay_dataset_clear (&dataset);
  expect_failure ("idx", OPEN, folder, "images=ten public=ten test_share=0", ASSAY_ERROR_DATA,
                  "public: @/ten: every image is also a private image of @/ten; expected others");
}

/* Of four test images the first two are the last secrets. */
Test (idx, test_images_that_are_private_are_left_out)
{
  AssayDataset dataset = { 0 };

  write_images ("repeats", 4, 42 * 8 - 256);
  cr_assert (run_stage ("idx", OPEN, folder,
                        "images=ten labels=ten.labels test_images=repeats test_labels=four.labels "
                        "scale=unit",
                        1, NULL, &dataset, NULL));
  check_bytes (dataset.secrets, 10, 0);
  check_bytes (dataset.test, 2, (guint8) (42 * 10));
  cr_assert (assay_array_int64 (dataset.test_data.labels)[0] == 2
             && assay_array_int64 (dataset.test_data.labels)[1] == 3);
  assay_dataset_clear (&dataset);
  expect_failure ("idx", OPEN, folder, "images=ten test_images=ten.gz", ASSAY_ERROR_DATA,
                  "test: @/ten.gz: every image is also a private image of @/ten; expected others");
}

/* ---- What is wrong ---- */

Test (idx, headers)
{
  const guint32 shape[3] = { 10, 2, 3 };
  const guint32 empty[3] = { 0, 2, 3 };
  const guint32 huge[3] = { G_MAXUINT32, G_MAXUINT32, G_MAXUINT32 };

  write_idx ("floats", 13, 3, shape, 240, 0, 1);
  write_idx ("short", 8, 3, shape, 59, 0, 1);
  write_idx ("long", 8, 3, shape, 61, 0, 1);
  write_idx ("none", 8, 3, empty, 0, 0, 1);
  write_idx ("huge", 8, 3, huge, 6, 0, 1);
  write_idx ("huge.gz", 8, 3, huge, 6, 0, 1);
  write_bytes (folder, "header", "\0\0\x08\x03\0\0", 6);
  write_bytes (folder, "empty", "", 0);
  for (Stage stage = PROBE; stage <= OPEN; stage++) {
    expect_failure ("idx", stage, folder, "images=floats", ASSAY_ERROR_DATA,
                    "images: @/floats: begins with 00 00 0d 03; expected 00 00 08 03, an IDX file "
                    "of bytes with 3 dimensions");
    expect_failure ("idx", stage, folder, "images=ten.labels", ASSAY_ERROR_DATA,
                    "images: @/ten.labels: begins with 00 00 08 01; expected 00 00 08 03, an IDX "
                    "file of bytes with 3 dimensions");
    expect_failure ("idx", stage, folder, "images=ten labels=ten", ASSAY_ERROR_DATA,
                    "labels: @/ten: begins with 00 00 08 03; expected 00 00 08 01, an IDX file of "
                    "bytes with 1 dimension");
    expect_failure ("idx", stage, folder, "images=short", ASSAY_ERROR_DATA,
                    "images: @/short: the header promises 60 bytes after it, the file has 59");
    expect_failure ("idx", stage, folder, "images=long", ASSAY_ERROR_DATA,
                    "images: @/long: the header promises 60 bytes after it, the file has 61");
    expect_failure ("idx", stage, folder, "images=none", ASSAY_ERROR_DATA,
                    "images: @/none: dimension 0 is 0");
    expect_failure ("idx", stage, folder, "images=huge", ASSAY_ERROR_DATA,
                    "images: @/huge: the header promises 18446744073709551615 bytes after it, the "
                    "file has 6");
    expect_failure ("idx", stage, folder, "images=header", ASSAY_ERROR_DATA,
                    "images: @/header: ends after 6 bytes, in its header");
    expect_failure ("idx", stage, folder, "images=empty", ASSAY_ERROR_DATA,
                    "images: @/empty: is empty; expected an IDX file");
    expect_failure ("idx", stage, folder, "images=.", ASSAY_ERROR_DATA,
                    "images: @/.: is a folder; expected an IDX file");
    expect_failure ("idx", stage, folder, "images=absent", ASSAY_ERROR_DATA,
                    "images: absent: no such file (looked for @/absent); the environment variable "
                    "ASSAY_DATA tells in which folder data is");
    expect_failure ("idx", stage, folder, "images=ten labels=four.labels", ASSAY_ERROR_DATA,
                    "labels: @/ten has 10 images, @/four.labels has 4 labels; expected as many");
    expect_failure ("idx", stage, folder, "images=ten public=absent", ASSAY_ERROR_DATA,
                    "public: absent: no such file (looked for @/absent); the environment variable "
                    "ASSAY_DATA tells in which folder data is");
  }
  expect_failure ("idx", OPEN, folder, "images=ten labels=ten.labels classes=4", ASSAY_ERROR_DATA,
                  "labels: @/ten.labels: label 4 is 4; expected 0 to 3 (classes = 4)");
}

/* A compressed file of @length bytes after the header of 10 x 2 x 3, cut by @cut, with @more. */
static void
write_damaged (const char *name, gsize length, gsize cut, const char *more)
{
  g_autoptr (GByteArray) bytes = make_idx (8, 3, (guint32[]){ 10, 2, 3 }, length, 0, 7);
  g_autoptr (GBytes) packed = compress (bytes);
  g_autoptr (GByteArray) whole = g_byte_array_new ();

  g_byte_array_append (whole, g_bytes_get_data (packed, NULL),
                       (guint) (g_bytes_get_size (packed) - cut));
  g_byte_array_append (whole, (const guint8 *) more, (guint) strlen (more));
  write_bytes (folder, name, whole->data, whole->len);
}

static void
expect_words (const char *assignments, const char *words)
{
  AssayDataset dataset = { 0 };
  g_autoptr (GError) error = NULL;

  cr_expect_not (run_stage ("idx", OPEN, folder, assignments, 1, NULL, &dataset, &error), "%s",
                 assignments);
  cr_assert (g_error_matches (error, ASSAY_ERROR, ASSAY_ERROR_DATA), "%s", assignments);
  cr_expect_not_null (strstr (error->message, words), "%s: %s", assignments, error->message);
  cr_expect_not_null (strstr (error->message, folder), "%s: %s", assignments, error->message);
  assay_dataset_clear (&dataset);
}

Test (idx, compressed_files)
{
  write_damaged ("cut.gz", 60, 30, "");
  write_damaged ("tail-cut.gz", 60, 4, ""); /* in the checksum's length */
  write_damaged ("short.gz", 59, 0, "");
  write_damaged ("long.gz", 61, 0, "");
  write_damaged ("trailing.gz", 60, 0, "xyz");
  write_damaged ("wrong.gz", 60, 8, "12345678"); /* another checksum */
  write_bytes (folder, "magic.gz", "\x1f\x8b", 2);
  expect_words ("images=cut.gz", "the gzip data is truncated");
  expect_words ("images=tail-cut.gz", "the gzip data is truncated");
  expect_words ("images=magic.gz", "the gzip data is truncated");
  expect_words ("images=wrong.gz", "the gzip data is damaged");
  expect_words ("images=short.gz", "ends after 59 of the 60 bytes that its header promises");
  expect_words ("images=long.gz", "goes on after the 60 bytes that its header promises");
  expect_words ("images=trailing.gz", "3 bytes follow the end of the gzip data");
}

/* Opening one would wait for who writes into it. */
Test (idx, a_pipe_is_refused, .timeout = 60)
{
  g_autofree char *path = g_build_filename (folder, "pipe", NULL);
  g_autoptr (GError) error = NULL;
  gsize shape[3];

  cr_assert (mkfifo (path, 0600) == 0);
  cr_assert_not (assay_idx_read_shape (path, 3, shape, &error));
  cr_assert (g_str_has_suffix (error->message, "/pipe: is not a regular file"), "%s",
             error->message);
}

Test (idx, sizes_of_other_roles)
{
  write_idx ("wide", 8, 3, (guint32[]){ 2, 2, 4 }, 16, 0, 1);
  for (Stage stage = PROBE; stage <= OPEN; stage++) {
    expect_failure ("idx", stage, folder, "images=ten test_images=wide", ASSAY_ERROR_MISMATCH,
                    "test: @/wide: images of 2 x 4 pixels with 1 channel; expected 2 x 3 with 1 "
                    "as the secrets of @/ten have");
    expect_failure ("idx", stage, folder, "images=ten public=wide", ASSAY_ERROR_MISMATCH,
                    "public: @/wide: images of 2 x 4 pixels with 1 channel; expected 2 x 3 with 1 "
                    "as the secrets of @/ten have");
    expect_failure ("idx", stage, folder, "images=ten public=.", ASSAY_ERROR_MISMATCH,
                    "public: @/.: crops of photographs are square; the secrets have 2 x 3 pixels");
  }
}

/* What cannot be normalised. */
Test (idx, images_of_one_value)
{
  write_idx ("flat", 8, 3, (guint32[]){ 3, 2, 3 }, 18, 9, 0);
  expect_failure (
      "idx", OPEN, folder, "images=flat", ASSAY_ERROR_DATA,
      "@/flat: channel 0 is 9 in every pixel of the secrets; scale = dataset divides by "
      "its standard deviation");
  expect_failure ("idx", OPEN, folder, "images=ten public=flat scale=vector", ASSAY_ERROR_DATA,
                  "public: @/flat: image 0 is 9 in every pixel; scale = vector gives every image "
                  "mean 0 and norm 1, which it cannot have");
}

Test (idx, settings)
{
  const AssayDatasetPlugin *plugin
      = (const AssayDatasetPlugin *) assay_registry_find (ASSAY_PLUGIN_DATASET, "idx", NULL);
  static const struct {
    const char *assignments, *message;
  } cases[] = {
    { "images=ten test_labels=four.labels",
      "test_labels = four.labels: expected test_images beside them" },
    { "images=ten labels=ten.labels test_images=four",
      "labels is given without test_labels; expected both or neither" },
    { "images=ten test_images=four test_labels=four.labels",
      "test_labels is given without labels; expected both or neither" },
  };
  const AssayShape shape = { 0 };

  for (gsize i = 0; i < G_N_ELEMENTS (cases); i++) {
    g_autoptr (AssaySettings) settings = fixture_settings (&plugin->plugin, cases[i].assignments);
    g_autofree char *why = NULL;
    GError *error = NULL;

    cr_expect_not (plugin->check (settings->values, &shape, &error));
    cr_expect (fixture_error_is (&error, ASSAY_ERROR_PARAMETER, cases[i].message, NULL, &why), "%s",
               why);
  }
}

/* ---- Real data ---- */

/* Against the README of the data: 60,000 images with mean 72.9, 6,000 of each class; the first
 * labels are those of the official file. */
Test (idx, fashion_mnist)
{
  const char *data = real_data ("fashion_mnist/train-images-idx3-ubyte.gz");
  static const gint64 first[10] = { 9, 0, 0, 3, 0, 2, 7, 2, 5, 5 };
  AssayDataset dataset;
  gsize counts[10] = { 0 };
  const gint64 begin = g_get_monotonic_time ();

  open_images ("idx", data,
               "images=fashion_mnist/train-images-idx3-ubyte.gz "
               "labels=fashion_mnist/train-labels-idx1-ubyte.gz "
               "test_images=fashion_mnist/t10k-images-idx3-ubyte.gz "
               "test_labels=fashion_mnist/t10k-labels-idx1-ubyte.gz scale=unit",
               1, &dataset);
  cr_log_info ("opened in %.2f s", (double) (g_get_monotonic_time () - begin) / 1e6);
  {
    g_autoptr (AssayMatrix) images = read_rows (dataset.secrets);
    const gint64 *labels = assay_array_int64 (dataset.secret_data.labels);
    double sum = 0;

    cr_assert (images->rows == 60000 && images->cols == 784
               && assay_rows_count (dataset.test) == 10000);
    for (gsize i = 0; i < images->rows * images->cols; i++)
      sum += (double) images->data[i];
    assert_near (255 * sum / (60000.0 * 784), 72.9, 0.05, "mean pixel");
    for (gsize i = 0; i < 60000; i++)
      counts[labels[i]]++;
    for (gsize i = 0; i < 10; i++)
      cr_assert (labels[i] == first[i] && counts[i] == 6000, "%zu", i);
  }
  assay_dataset_clear (&dataset);
}

/* ---- Public labels ---- */

Test (idx, labels_of_public_images)
{
  AssayDataset dataset;

  open_images ("idx", folder, "images=ten public=four public_labels=four.labels test_share=0", 1,
               &dataset);
  cr_assert_eq (assay_rows_count (dataset.public_rows), 4);
  for (gsize i = 0; i < 4; i++)
    cr_assert_eq (assay_array_int64 (dataset.public_data.labels)[i], (gint64) i);
  assay_dataset_clear (&dataset);
  expect_failure ("idx", OPEN, folder, "images=ten public=four public_labels=ten.labels",
                  ASSAY_ERROR_DATA,
                  "public_labels: @/four has 4 images, @/ten.labels has 10 labels; expected as "
                  "many");
}
