/* The dataset `patches`: where crops come from, which are kept, and photographs that do not do. */
#include <math.h>

#include "core/base/parallel.h"
#include "datasets/generated/dead-leaves.h"
#include "tests/unit/image-data.h"
#include "tests/unit/photo-folders.h"

static char *folder;

static char *
make_inner (const char *name)
{
  char *path = g_build_filename (folder, name, NULL);

  cr_assert_eq (g_mkdir (path, 0700), 0, "%s", path);
  return path;
}

/* A photograph whose colour at (x, y) is (x, y, 0), so that a crop tells where it was taken. */
static void
save_ramp (const char *place, const char *name, gsize width, gsize height)
{
  g_autofree char *path = g_build_filename (place, name, NULL);
  g_autoptr (AssayPhoto) photo = assay_photo_new (width, height, 3, NULL);

  for (gsize y = 0; y < height; y++)
    for (gsize x = 0; x < width; x++) {
      assay_photo_pixel (photo, x, y)[0] = (float) x;
      assay_photo_pixel (photo, x, y)[1] = (float) y;
      assay_photo_pixel (photo, x, y)[2] = 0;
    }
  /* A disc in blue: a photograph without a keypoint is refused. */
  for (gsize y = 20; y < 60; y++)
    for (gsize x = 20; x < 60; x++)
      if (hypot ((double) x - 40, (double) y - 40) < 6)
        assay_photo_pixel (photo, x, y)[2] = 255;
  save (photo, path, "compression", "6");
}

static void
set_up (void)
{
  g_autofree char *leaves = NULL;
  g_autofree char *others = NULL;

  folder = fixture_folder ();
  leaves = make_inner ("leaves");
  take (leaves, "a.png", 1, 220, 170);
  take (leaves, "b.jpg", 2, 170, 230);
  take (leaves, "c.jpg", 3, 200, 200);
  others = make_inner ("others");
  take (others, "d.png", 4, 240, 180);
}

static void
tear_down (void)
{
  fixture_remove (folder);
  g_free (folder);
}

TestSuite (patches, .init = set_up, .fini = tear_down);

/* A crop of side s at (x, y) reduced to n pixels is, in the middle of its pixel (i, j),
 * (x + (i + 1/2) s / n - 1/2, y + ...): linear, with the same slope s / n both ways, within the
 * photograph. */
Test (patches, crops_are_squares_of_the_photograph)
{
  g_autofree char *ramp = make_inner ("ramp");
  g_autoptr (AssayMatrix) rows = NULL;
  AssayDataset dataset;
  gsize n_largest = 0;

  save_ramp (ramp, "ramp.png", 200, 150);
  open_images ("patches", folder,
               "private=ramp size=16 per_photo=60 least_side=50 keypoints=-1 scale=unit", 1,
               &dataset);
  rows = read_rows (dataset.secrets);
  cr_assert (rows->rows == 60 && rows->cols == 16 * 16 * 3);
  for (gsize i = 0; i < 60; i++) {
    const float *row = assay_matrix_row (rows, i);
    const double first = 255 * (double) row[(15 * 16) * 3];
    const double last = 255 * (double) row[(15 * 16 + 15) * 3];
    const double top = 255 * (double) row[15 * 3 + 1], bottom = 255 * (double) row[255 * 3 + 1];
    const double side = (last - first) * 16 / 15, high = (bottom - top) * 16 / 15;

    /* Two roundings of 1/2 each. */
    assert_near (side, high, 2.2, "crop %zu", i);
    cr_assert (side > 50 - 1.1 && side < 150 + 1.1, "%g", side);
    cr_assert (first - side / 32 > -1.6 && last + side / 32 < 200.6, "%g to %g", first, last);
    cr_assert (top - side / 32 > -1.6 && bottom + side / 32 < 150.6, "%g to %g", top, bottom);
    n_largest += side > 100;
    for (gsize k = 0; k < 16; k++)
      assert_near (255 * (double) row[(15 * 16 + k) * 3], first + (double) k * side / 16, 1.01,
                   "crop %zu, pixel %zu", i, k);
  }
  /* Sides are uniform on 50 .. 150: half of them above 100, within 5 standard deviations. */
  cr_assert (n_largest > 10 && n_largest < 50, "%zu", n_largest);
  cr_assert (dataset.n_groups == 1 && dataset.groups[59] == 0);
  assay_dataset_clear (&dataset);
}

Test (patches, grey)
{
  g_autofree char *ramp = make_inner ("ramp");
  g_autoptr (AssayMatrix) rows = NULL;
  AssayDataset dataset;

  save_ramp (ramp, "ramp.png", 200, 150);
  open_images ("patches", folder,
               "private=ramp size=8 channels=1 per_photo=3 keypoints=-1 least_side=150 scale=unit",
               1, &dataset);
  rows = read_rows (dataset.secrets);
  cr_assert (rows->cols == 64 && dataset.geometry.channels == 1);
  /* The whole height at x = left: 0.299 x + 0.587 y; from row to row 0.587 150 / 8. */
  for (gsize i = 0; i < 3; i++)
    assert_near (255 * (double) (rows->data[i * 64 + 63] - rows->data[i * 64 + 31]) / 4,
                 0.587 * 150 / 8, 0.4, "crop %zu", i);
  assay_dataset_clear (&dataset);
}

/* ---- What is kept ---- */

/* A photograph of which the left half has texture and the right half none: crops of the right are
 * filtered out. The mean deviation between neighbouring pixels tells which a crop is of. */
Test (patches, flat_crops_are_filtered_out)
{
  g_autofree char *half = make_inner ("half");
  g_autofree char *path = g_build_filename (half, "half.png", NULL);
  g_autoptr (AssayPhoto) photo = render (9, 480, 160);
  gsize n_flat[2] = { 0 };

  for (gsize y = 0; y < 160; y++)
    for (gsize x = 200; x < 480; x++)
      for (gsize c = 0; c < 3; c++)
        assay_photo_pixel (photo, x, y)[c] = (float) (100 + x / 16);
  save (photo, path, "compression", "6");
  for (gsize filter = 0; filter < 2; filter++) {
    AssayDataset dataset;
    g_autoptr (AssayMatrix) rows = NULL;

    open_images ("patches", folder,
                 filter ? "private=half per_photo=40 keypoints=4 scale=unit"
                        : "private=half per_photo=40 keypoints=-1 scale=unit",
                 1, &dataset);
    rows = read_rows (dataset.secrets);
    cr_assert (rows->rows >= 20 && rows->rows <= 40);
    for (gsize i = 0; i < rows->rows; i++) {
      const float *row = assay_matrix_row (rows, i);
      double most = 0;

      for (gsize j = 3; j < rows->cols; j++)
        if (j % (32 * 3) >= 3)
          most = MAX (most, fabs (255 * (double) (row[j] - row[j - 3])));
      n_flat[filter] += most < 4;
    }
    assay_dataset_clear (&dataset);
  }
  /* Of places x uniform in 0 .. 480 - side, those right of 200: 0.25 at least on average. */
  cr_assert (n_flat[0] >= 3 && n_flat[1] == 0, "%zu and %zu flat", n_flat[0], n_flat[1]);
}

/* ---- Roles ---- */

Test (patches, photographs_are_groups_and_roles_are_apart)
{
  AssayDataset dataset, alone, divided;

  open_images ("patches", folder, "private=leaves public=others per_photo=5 keypoints=2", 1,
               &dataset);
  open_images ("patches", folder, "private=leaves per_photo=5 keypoints=2 scale=unit", 1, &alone);
  cr_assert (dataset.n_groups == 3 && count_of (dataset.secrets) == 15
             && count_of (dataset.public_rows) == 5);
  for (gsize i = 0; i < 15; i++)
    cr_assert_eq (dataset.groups[i], (gint64) (i / 5));
  cr_assert (alone.public_rows == NULL && alone.n_classes == 0);
  open_images ("patches", folder,
               "private=leaves public=leaves private_share=2 per_photo=5 keypoints=2", 1, &divided);
  cr_assert (divided.n_groups == 2 && count_of (divided.public_rows) == 5);
  assay_dataset_clear (&dataset);
  assay_dataset_clear (&alone);
  assay_dataset_clear (&divided);
}

/* A photograph's crops are its own: neither threads nor other photographs change them. */
Test (patches, crops_depend_on_seed_and_photograph_alone)
{
  static const char settings[] = "private=leaves per_photo=5 keypoints=2 scale=unit";
  g_autofree char *leaves = g_build_filename (folder, "leaves", NULL);
  AssayDataset one, three, other, more;

  assay_parallel_set_threads (1);
  open_images ("patches", folder, settings, 1, &one);
  assay_parallel_set_threads (3);
  open_images ("patches", folder, settings, 1, &three);
  open_images ("patches", folder, settings, 2, &other);
  take (leaves, "aa.png", 8, 180, 200);
  open_images ("patches", folder, settings, 1, &more);
  cr_assert_str_eq (one.sha256, three.sha256);
  cr_assert_str_neq (one.sha256, other.sha256);
  {
    g_autoptr (AssayMatrix) before = read_rows (one.secrets), after = read_rows (more.secrets);
    const gsize bytes = before->cols * sizeof (float);

    cr_assert (before->rows == 15 && after->rows == 20);
    cr_assert_arr_eq (before->data, after->data, 5 * bytes);
    cr_assert_arr_eq (assay_matrix_row (before, 5), assay_matrix_row (after, 10), 10 * bytes);
  }
  assay_dataset_clear (&one);
  assay_dataset_clear (&three);
  assay_dataset_clear (&other);
  assay_dataset_clear (&more);
}

/* ---- What is wrong ---- */

Test (patches, photographs_that_do_not_do)
{
  g_autofree char *damaged = make_inner ("damaged");

  g_free (make_inner ("empty"));
  write_bytes (damaged, "x.png", "no picture", 10);
  for (Stage stage = PROBE; stage <= OPEN; stage++) {
    expect_failure ("patches", stage, folder, "private=absent", ASSAY_ERROR_DATA,
                    "private: absent: no such file (looked for @/absent); the environment variable "
                    "ASSAY_DATA tells in which folder data is");
    expect_failure ("patches", stage, folder, "private=leaves public=empty", ASSAY_ERROR_DATA,
                    "public: @/empty: a folder without photographs; expected files that end in "
                    ".jpg, .jpeg or .png");
    expect_failure ("patches", stage, folder, "private=leaves public=damaged", ASSAY_ERROR_DATA,
                    "public: @/damaged/x.png: no picture; expected JPEG or PNG");
  }
  expect_failure ("patches", OPEN, folder, "private=leaves public=others keypoints=90000",
                  ASSAY_ERROR_DATA,
                  "private: none of 3 photographs has a crop of at least 64 pixels with more than "
                  "90000 SIFT keypoints; expected one at least");
}

Test (patches, patches_larger_than_photographs)
{
  const AssayDatasetPlugin *plugin
      = (const AssayDatasetPlugin *) assay_registry_find (ASSAY_PLUGIN_DATASET, "patches", NULL);
  g_autoptr (AssaySettings) settings
      = fixture_settings (&plugin->plugin, "private=leaves size=64 largest=40");
  const AssayShape shape = { 0 };
  g_autofree char *why = NULL;
  GError *error = NULL;

  cr_expect_not (plugin->check (settings->values, &shape, &error));
  cr_expect (fixture_error_is (&error, ASSAY_ERROR_PARAMETER,
                               "size = 64: expected at most largest = 40", NULL, &why),
             "%s", why);
  expect_failure ("patches", OPEN, folder, "private=leaves size=200 least_side=64 keypoints=500",
                  ASSAY_ERROR_DATA,
                  "private: none of 3 photographs has a crop of at least 200 pixels with more than "
                  "500 SIFT keypoints; expected one at least");
}
