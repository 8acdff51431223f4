/* The dataset `photos`: its rows against SIFT photograph by photograph, and roles that share no
 * photograph. */
#include <math.h>
#include <unistd.h>

#include "tests/unit/photo-folders.h"
#include "tests/unit/view-share.h"

static AssayProbe
probe_surely (const Fixture *fixture, const char *changes)
{
  const char *const folders[] = { fixture->root, NULL };
  g_autoptr (AssaySettings) settings = settings_of (changes);
  const AssayDatasetContext context = { .settings = settings->values,
                                        .stream = assay_stream_key (7, 0, "data", "photos"),
                                        .folders = folders };
  g_autoptr (GError) error = NULL;
  AssayProbe probe = { 0 };

  cr_assert (assay_dataset_photos.probe (&context, &probe, &error), "%s",
             error != NULL ? error->message : "");
  return probe;
}

static guint8 *
bytes_of (const AssayRows *rows)
{
  const gsize count = rows != NULL ? assay_rows_count (rows) : 0;
  g_autofree float *values = g_new (float, count * ROW + 1);
  guint8 *bytes = g_new (guint8, count * ROW + 1);

  if (count > 0)
    assay_rows_read (rows, 0, count, ASSAY_SCALE_NONE, values);
  for (gsize i = 0; i < count * ROW; i++)
    bytes[i] = (guint8) values[i];
  return bytes;
}

/* How many rows of @a are also in @b. */
static gsize
count_common (const AssayRows *a, const AssayRows *b)
{
  g_autofree guint8 *first = bytes_of (a), *second = bytes_of (b);
  gsize n = 0;

  for (gsize i = 0; i < assay_rows_count (a); i++)
    for (gsize j = 0; j < assay_rows_count (b); j++)
      if (memcmp (first + i * ROW, second + j * ROW, ROW) == 0) {
        n++;
        break;
      }
  return n;
}

/* ---- Rows ---- */

/* Each photograph by itself, with an object made for its size. */
Test (photos, rows_are_the_descriptors_in_the_order_of_names)
{
  Fixture fixture = begin ();
  g_autofree char *folder = make_private (&fixture);
  const char *const names[] = { "a.png", "b.jpg", "c.JPEG" };
  g_autofree guint8 *rows = NULL;
  AssayDataset dataset;
  gsize next = 0;

  open_surely (&fixture, "private=private", 7, &dataset);
  rows = bytes_of (dataset.secrets);
  for (gsize i = 0; i < G_N_ELEMENTS (names); i++) {
    g_autofree char *path = g_build_filename (folder, names[i], NULL);
    g_autoptr (AssayPhoto) photo = assay_photo_load (path, NULL);
    g_autoptr (AssayPhoto) whole = assay_photo_grey (photo, NULL);
    g_autoptr (AssayPhoto) grey = assay_photo_shrink (whole, 128, NULL);
    g_autoptr (AssaySift) sift = assay_sift_new (grey->width, grey->height, NULL);
    g_autoptr (GArray) keypoints = assay_sift_detect (sift, grey, NULL);

    cr_assert_gt (keypoints->len, 10, "%s", names[i]);
    cr_assert_leq (next + keypoints->len, assay_rows_count (dataset.secrets), "%s", names[i]);
    for (guint k = 0; k < keypoints->len; k++, next++) {
      guint8 expected[ROW];

      assay_sift_describe (sift, &g_array_index (keypoints, AssayKeypoint, k), expected);
      cr_assert_arr_eq (rows + next * ROW, expected, ROW, "%s, keypoint %u", names[i], k);
      cr_assert_eq (dataset.groups[next], (gint64) i, "%s, keypoint %u", names[i], k);
    }
  }
  cr_expect_eq (next, assay_rows_count (dataset.secrets));
  cr_expect_eq (dataset.n_groups, 3);
  cr_expect_null (dataset.public_rows);
  cr_expect_null (dataset.database);
  assay_dataset_clear (&dataset);
  end (&fixture);
}

/* A filter for one shape serves others of as many pixels at most, those with more octaves too. */
Test (photos, resized_sift_is_that_of_the_size)
{
  const gsize sides[][2] = { { 200, 60 }, { 60, 200 }, { 109, 109 }, { 41, 37 }, { 200, 60 } };
  g_autoptr (AssaySift) used = assay_sift_new (200, 60, NULL);
  g_autoptr (GError) error = NULL;

  for (gsize i = 0; i < G_N_ELEMENTS (sides); i++) {
    g_autoptr (AssayPhoto) photo = render (i, sides[i][0], sides[i][1]);
    g_autoptr (AssayPhoto) grey = assay_photo_grey (photo, NULL);
    g_autoptr (AssaySift) fresh = assay_sift_new (sides[i][0], sides[i][1], NULL);
    g_autoptr (GArray) expected = assay_sift_detect (fresh, grey, NULL);
    g_autoptr (GArray) found = NULL;

    cr_assert (assay_sift_resize (used, sides[i][0], sides[i][1], NULL), "case %zu", i);
    found = assay_sift_detect (used, grey, NULL);
    cr_assert_gt (expected->len, 0, "case %zu", i);
    cr_assert_eq (found->len, expected->len, "case %zu", i);
    cr_assert_arr_eq (found->data, expected->data, found->len * sizeof (AssayKeypoint));
    for (guint k = 0; k < found->len; k++) {
      guint8 a[ROW], b[ROW];

      assay_sift_describe (used, &g_array_index (found, AssayKeypoint, k), a);
      assay_sift_describe (fresh, &g_array_index (expected, AssayKeypoint, k), b);
      cr_assert_arr_eq (a, b, ROW, "case %zu, keypoint %u", i, k);
    }
  }
  cr_expect_not (assay_sift_resize (used, 110, 110, &error));
  cr_expect (g_error_matches (error, ASSAY_ERROR, ASSAY_ERROR_DATA));
  g_clear_error (&error);
  cr_expect_not (assay_sift_resize (used, 11, 20, &error));
}

/* A limit takes rows away; which ones does not depend on other photographs. */
Test (photos, limit_draws_by_photograph)
{
  Fixture fixture = begin ();
  g_autofree char *folder = make_private (&fixture);
  AssayDataset all, few, more, other;

  open_surely (&fixture, "private=private", 7, &all);
  open_surely (&fixture, "private=private descriptors=6", 7, &few);
  open_surely (&fixture, "private=private descriptors=6", 8, &other);
  cr_assert_eq (assay_rows_count (few.secrets), 3 * 6);
  cr_expect_eq (count_common (few.secrets, all.secrets), 3 * 6);
  cr_expect_lt (count_common (few.secrets, other.secrets), 3 * 6);
  take (folder, "0.png", 9, 128, 128);
  open_surely (&fixture, "private=private descriptors=6", 7, &more);
  cr_expect_eq (assay_rows_count (more.secrets), 4 * 6);
  cr_expect_eq (count_common (few.secrets, more.secrets), 3 * 6);
  assay_dataset_clear (&all);
  assay_dataset_clear (&few);
  assay_dataset_clear (&more);
  assay_dataset_clear (&other);
  end (&fixture);
}

/* Two crossed gratings of period 7.5 in a little noise have a keypoint in 5 pixels: more than is
 * ever given. */
static void
draw_gratings (const char *path)
{
  g_autoptr (AssayPhoto) photo = assay_photo_new (120, 120, 3, NULL);
  AssayStream stream = assay_stream (assay_stream_key (1, 0, "test", "gratings"), 0);

  for (gsize y = 0; y < 120; y++)
    for (gsize x = 0; x < 120; x++) {
      const double level = 127
                           + 110 * cos (2 * G_PI * (double) x / 7.5)
                                 * cos (2 * G_PI * (double) y / 7.5)
                           + assay_stream_between (&stream, -8, 8);

      for (gsize c = 0; c < 3; c++)
        assay_photo_pixel (photo, x, y)[c] = (float) level;
    }
  save (photo, path, "compression", "6");
}

Test (photos, probe_is_an_upper_bound)
{
  Fixture fixture = begin ();
  g_autofree char *folder = make_private (&fixture);
  g_autofree char *path = g_build_filename (folder, "gratings.png", NULL);
  g_autoptr (AssayFeatures) features = NULL;
  g_autoptr (AssaySift) sift = assay_sift_new (120, 120, NULL);
  AssayDataset dataset;
  AssayProbe probe;
  gsize n = 0;

  draw_gratings (path);
  features = assay_features_load (path, 128, sift, NULL);
  cr_assert_gt (features->keypoints->len, 120 * 120 / 16);
  probe = probe_surely (&fixture, "private=private");
  open_surely (&fixture, "private=private", 7, &dataset);
  for (gsize i = 0; i < assay_rows_count (dataset.secrets); i++)
    n += dataset.groups[i] == 3;
  cr_expect_eq (n, 120 * 120 / 16);
  cr_expect (probe.is_estimate);
  cr_expect_eq (probe.cols, ROW);
  cr_expect_eq (probe.n_groups, 4);
  /* Sixteenths of 128 x 96 twice, 127 x 128 (both reduced) and 120 x 120. */
  cr_expect_eq (probe.n_secrets, 768 + 768 + 1016 + 900);
  cr_expect_leq (assay_rows_count (dataset.secrets), probe.n_secrets);
  cr_expect_gt (probe.memory, (guint64) 127 * 128 * 4 * 4 * 31);
  assay_dataset_clear (&dataset);
  probe = probe_surely (&fixture, "private=private descriptors=10");
  cr_expect_eq (probe.n_secrets, 4 * 10);
  end (&fixture);
}

/* ---- Photographs ---- */

/* Rows as without them; a photograph as it is, or reduced in colour; frames those of the features
 * (and of SIFT on the photograph that is kept, where it was not reduced). */
Test (photos, pictures_are_kept_with_their_rows)
{
  Fixture fixture = begin ();
  g_autofree char *folder = make_private (&fixture);
  g_autofree char *public = make_folder (&fixture, "public");
  const char *const names[] = { "a.png", "b.jpg", "c.JPEG" };
  const float *frames;
  AssayDataset plain, dataset;
  gsize next = 0;

  take (public, "other.png", 50, 80, 80);
  open_surely (&fixture, "private=private public=public", 7, &plain);
  open_surely (&fixture, "private=private public=public pictures=yes", 7, &dataset);
  cr_expect_null (plain.secret_data.frames);
  cr_expect_str_neq (plain.sha256, dataset.sha256);
  cr_expect_eq (count_common (plain.secrets, dataset.secrets), assay_rows_count (plain.secrets));
  cr_assert_eq (dataset.secret_data.photos->len, 3);
  frames = (const float *) (gconstpointer) dataset.secret_data.frames->data;
  for (gsize i = 0; i < G_N_ELEMENTS (names); i++) {
    g_autofree char *path = g_build_filename (folder, names[i], NULL);
    g_autoptr (AssayPhoto) whole = assay_photo_load (path, NULL);
    g_autoptr (AssayPhoto) expected = assay_photo_shrink (whole, 128, NULL);
    const AssayPhoto *kept = dataset.secret_data.photos->pdata[i];
    g_autoptr (AssaySift) sift = assay_sift_new (kept->width, kept->height, NULL);
    g_autoptr (AssayFeatures) features = assay_features_load (path, 128, sift, NULL);

    cr_assert (kept->width == expected->width && kept->height == expected->height
                   && kept->channels == 3,
               "%s", names[i]);
    cr_expect_arr_eq (kept->data, expected->data, kept->width * kept->height * 3 * sizeof (float));
    for (guint k = 0; k < features->keypoints->len; k++, next++) {
      const AssayKeypoint *keypoint = &g_array_index (features->keypoints, AssayKeypoint, k);
      const float frame[] = { keypoint->x, keypoint->y, keypoint->size, keypoint->angle };

      cr_assert_arr_eq (frames + 4 * next, frame, sizeof frame, "%s, keypoint %u", names[i], k);
      cr_assert_eq (assay_array_int64 (dataset.secret_data.pictures)[next], (gint64) i);
      cr_assert_eq (dataset.groups[next], (gint64) i);
    }
  }
  cr_expect_eq (next, assay_rows_count (dataset.secrets));
  expect_rows_of_photos (dataset.public_rows, &dataset.public_data, NULL);
  assay_dataset_clear (&plain);
  assay_dataset_clear (&dataset);
  end (&fixture);
}

/* The rows that are drawn keep their own frames, and skipped photographs leave no gap. */
Test (photos, drawn_rows_keep_their_frames)
{
  Fixture fixture = begin ();
  g_autofree char *folder = make_private (&fixture);
  g_autofree char *bad = g_build_filename (folder, "ab.png", NULL);
  AssayDataset dataset;
  AssayProbe plain, probe;

  cr_assert (g_file_set_contents (bad, "no picture", -1, NULL));
  open_surely (&fixture,
               "largest=160 private=private descriptors=6 pictures=yes skip_unreadable=yes", 7,
               &dataset);
  cr_expect_eq (assay_rows_count (dataset.secrets), 3 * 6);
  cr_assert_eq (dataset.secret_data.photos->len, 3);
  expect_rows_of_photos (dataset.secrets, &dataset.secret_data, dataset.groups);
  cr_expect_eq (dataset.n_groups, 3);
  assay_dataset_clear (&dataset);
  plain = probe_surely (&fixture, "private=private skip_unreadable=yes");
  probe = probe_surely (&fixture, "private=private skip_unreadable=yes pictures=yes");
  cr_expect_eq (plain.holdings, 0);
  cr_expect_eq (probe.holdings, ASSAY_HAS_FRAMES);
  cr_expect_geq (probe.memory, plain.memory + (128 * 96 * 2 + 127 * 128) * 3 * sizeof (float));
  probe = probe_surely (&fixture, "private=private public=private skip_unreadable=yes "
                                  "pictures=yes");
  cr_expect_eq (probe.holdings, ASSAY_HAS_FRAMES | ASSAY_HAS_PUBLIC_FRAMES);
  end (&fixture);
}

/* ---- Roles ---- */

static char *
make_dozen (const Fixture *fixture)
{
  char *folder = make_folder (fixture, "dozen");

  for (guint i = 0; i < 12; i++) {
    g_autofree char *name = g_strdup_printf ("%02u.png", i);

    take (folder, name, 100 + i, 72, 72);
  }
  return folder;
}

/* Shares 1 : 2 : 3 of twelve are 2, 4 and 6; every row of the folder has exactly one role. */
Test (photos, a_folder_is_divided_by_photograph)
{
  const char *changes = "private=dozen public=dozen database=again private_share=1 public_share=2 "
                        "database_share=3";
  Fixture fixture = begin ();
  g_autofree char *folder = make_dozen (&fixture);
  g_autofree char *again = g_build_filename (fixture.root, "again", NULL);
  AssayDataset all, divided, other;
  AssayProbe probe;

  cr_assert_eq (symlink (folder, again), 0);
  open_surely (&fixture, "private=dozen", 7, &all);
  open_surely (&fixture, changes, 7, &divided);
  probe = probe_surely (&fixture, changes);
  cr_expect_eq (divided.n_groups, 2);
  cr_expect_eq (probe.n_groups, 2);
  cr_expect_eq (probe.n_public, 4 * (72 * 72 / 16));
  cr_expect_eq (probe.n_database, 6 * (72 * 72 / 16));
  cr_expect_eq (assay_rows_count (divided.secrets) + assay_rows_count (divided.public_rows)
                    + assay_rows_count (divided.database),
                assay_rows_count (all.secrets));
  cr_expect_eq (count_common (divided.secrets, all.secrets), assay_rows_count (divided.secrets));
  cr_expect_eq (count_common (divided.secrets, divided.public_rows), 0);
  cr_expect_eq (count_common (divided.secrets, divided.database), 0);
  cr_expect_eq (count_common (divided.public_rows, divided.database), 0);
  /* One seed in 66 would draw the same two. */
  open_surely (&fixture, changes, 8, &other);
  cr_expect_lt (count_common (other.secrets, divided.secrets), assay_rows_count (other.secrets));
  assay_dataset_clear (&all);
  assay_dataset_clear (&divided);
  assay_dataset_clear (&other);
  end (&fixture);
}

/* Not of the folder's name, nor of file names but for their order. */
Test (photos, hash_is_of_numbers_and_groups)
{
  Fixture fixture = begin ();
  g_autofree char *folder = make_private (&fixture);
  g_autofree char *moved = g_build_filename (fixture.root, "moved", NULL);
  g_autofree char *first = g_build_filename (moved, "a.png", NULL);
  g_autofree char *still = g_build_filename (moved, "B.PNG", NULL);
  g_autofree char *last = g_build_filename (moved, "z.png", NULL);
  g_autofree char *whole = hash_of (&fixture, "private=private", 7), *other = NULL;

  cr_assert_eq (g_rename (folder, moved), 0);
  cr_assert_eq (g_rename (first, still), 0);
  other = hash_of (&fixture, "private=moved", 8);
  cr_expect_str_eq (other, whole);
  cr_assert_eq (g_rename (still, last), 0);
  g_clear_pointer (&other, g_free);
  other = hash_of (&fixture, "private=moved", 7);
  cr_expect_str_neq (other, whole);
  end (&fixture);
}

/* By its pixels: as the same file, and stored in another way. */
Test (photos, a_picture_has_one_place)
{
  Fixture fixture = begin ();
  g_autofree char *folder = make_private (&fixture);
  g_autofree char *public = make_folder (&fixture, "public");
  g_autofree char *copy = g_build_filename (public, "copy.png", NULL);
  g_autofree char *twin = g_build_filename (folder, "twin.png", NULL);
  g_autoptr (AssayPhoto) photo = render (2, 96, 128);

  take (public, "other.png", 50, 80, 80);
  save (photo, copy, "compression", "6");
  expect_error (&fixture, "private=private public=public", "private/a.png", "public/copy.png");
  save (photo, copy, "compression", "0");
  expect_error (&fixture, "private=private public=public", "private/a.png", "public/copy.png");
  expect_error (&fixture, "private=private database=public skip_unreadable=yes", "database: ",
                "same picture");
  g_remove (copy);
  save (photo, twin, "compression", "1");
  expect_error (&fixture, "private=private public=public", "private/a.png", "private/twin.png");
  end (&fixture);
}

Test (photos, folders_are_checked)
{
  Fixture fixture = begin_with_photographs ();
  g_autofree char *empty = make_folder (&fixture, "empty");
  g_autofree char *text = g_build_filename (empty, "notes.txt", NULL);
  g_autofree char *hidden = g_build_filename (empty, ".a.jpg", NULL);
  g_autofree char *inner = g_build_filename (empty, "inner.jpg", NULL);

  cr_assert (g_file_set_contents (text, "no picture", -1, NULL));
  cr_assert (g_file_set_contents (hidden, "no picture", -1, NULL));
  cr_assert_eq (g_mkdir (inner, 0700), 0);
  expect_error (&fixture, "private=privat", "private: privat: no such file", fixture.root);
  expect_error (&fixture, "private=private public=empty/notes.txt", "public: ",
                "empty/notes.txt: is not a folder");
  expect_error (&fixture, "private=private database=empty", "database: ", "without photographs");
  expect_error (&fixture, "private=private database=empty", empty, ".jpeg");
  expect_error (&fixture, "private=private public=private public_share=0.01", "3 photographs",
                "gives public none");
  end (&fixture);
}
