/* Pictures of a run: how they are made small, and that the store keeps them. */
#include <criterion/criterion.h>
#include <sqlite3.h>
#include <string.h>

#include "runner/store/outcomes.h"
#include "runner/store/store.h"
#include "tests/reference/fixtures.h"

static char *folder;

static void
set_up (void)
{
  folder = fixture_folder ();
}

static void
tear_down (void)
{
  fixture_remove (folder);
  g_free (folder);
}

TestSuite (thumbnail, .init = set_up, .fini = tear_down);

/* ---- Tiles ---- */

static AssayPhoto *
make_photo (gsize width, gsize height, gsize channels)
{
  AssayPhoto *photo = assay_photo_new (width, height, channels, NULL);

  for (gsize i = 0; i < width * height * channels; i++)
    photo->data[i] = (float) ((i * 7919) % 256);
  return photo;
}

Test (thumbnail, a_small_picture_keeps_its_pixels)
{
  g_autoptr (AssayPhoto) photo = make_photo (320, 3, 3);
  g_autoptr (AssayThumbnail) thumbnail = NULL;

  photo->data[0] = -4;
  photo->data[1] = 300;
  photo->data[2] = 99.6f;
  thumbnail = assay_thumbnail_new (photo, NULL);
  cr_assert (thumbnail->width == 320 && thumbnail->height == 3 && thumbnail->channels == 3);
  cr_assert (thumbnail->data[0] == 0 && thumbnail->data[1] == 255 && thumbnail->data[2] == 100);
  for (gsize i = 3; i < 320 * 3 * 3; i++)
    cr_assert (thumbnail->data[i] == (i * 7919) % 256, "%zu", i);
}

/* Halved: each pixel is the mean of four. */
Test (thumbnail, a_large_picture_is_reduced_by_area)
{
  g_autoptr (AssayPhoto) photo = make_photo (640, 6, 1);
  g_autoptr (AssayThumbnail) thumbnail = assay_thumbnail_new (photo, NULL);

  cr_assert (thumbnail->width == 320 && thumbnail->height == 3);
  for (gsize y = 0; y < 3; y++)
    for (gsize x = 0; x < 320; x++) {
      const float mean
          = (*assay_photo_pixel (photo, 2 * x, 2 * y) + *assay_photo_pixel (photo, 2 * x + 1, 2 * y)
             + *assay_photo_pixel (photo, 2 * x, 2 * y + 1)
             + *assay_photo_pixel (photo, 2 * x + 1, 2 * y + 1))
            / 4;

      cr_assert (thumbnail->data[y * 320 + x] == assay_photo_byte (mean), "%zu, %zu", x, y);
    }
}

/* By 400 / 320 = 1.25: of each five pixels the first four of the target are made, with the shares
 * 4/5 1/5, 3/5 2/5, 2/5 3/5, 1/5 4/5. */
Test (thumbnail, reduction_by_a_fraction)
{
  g_autoptr (AssayPhoto) photo = assay_photo_new (400, 1, 1, NULL);
  g_autoptr (AssayThumbnail) thumbnail = NULL;

  for (gsize i = 0; i < 400; i++)
    photo->data[i] = (float) (50 * (i % 5));
  thumbnail = assay_thumbnail_new (photo, NULL);
  cr_assert (thumbnail->width == 320 && thumbnail->height == 1);
  for (gsize i = 0; i < 320; i++)
    cr_assert (thumbnail->data[i] == 10 + 60 * (i % 4), "%zu: %u", i, thumbnail->data[i]);
}

Test (thumbnail, a_row_becomes_a_thumbnail)
{
  const AssayGeometry geometry
      = { .height = 1, .width = 3, .channels = 1, .black = -1, .white = 1 };
  const AssayGeometry own = { .height = 1, .width = 3, .channels = 1 };
  static const float within[] = { -1.99f, 0, 1 }, beyond[] = { -3, 0, 1 }, flat[] = { 2, 2, 2 };
  g_autoptr (AssayThumbnail) a = assay_thumbnail_from_row (within, &geometry, NULL);
  g_autoptr (AssayThumbnail) b = assay_thumbnail_from_row (beyond, &geometry, NULL);
  g_autoptr (AssayThumbnail) c = assay_thumbnail_from_row (
      within + 1, &(AssayGeometry){ .height = 1, .width = 2, .channels = 1 }, NULL);
  g_autoptr (AssayThumbnail) d = assay_thumbnail_from_row (flat, &own, NULL);

  cr_assert (a->data[0] == 0 && a->data[1] == 128 && a->data[2] == 255, "%u", a->data[1]);
  cr_assert (b->data[0] == 0 && b->data[1] == 191 && b->data[2] == 255, "%u", b->data[1]);
  cr_assert (c->data[0] == 0 && c->data[1] == 255);
  cr_assert (d->data[0] == 0 && d->data[2] == 0, "a flat image has no range");
}

Test (thumbnail, other_channels_are_refused)
{
  g_autoptr (AssayPhoto) photo = make_photo (4, 4, 2);
  g_autofree char *why = NULL;
  GError *error = NULL;

  cr_assert (assay_thumbnail_new (photo, &error) == NULL);
  cr_assert (fixture_error_is (&error, ASSAY_ERROR_MISMATCH,
                               "a picture of 4 x 4 pixels in 2 channels cannot be shown; expected "
                               "1 or 3 channels",
                               NULL, &why),
             "%s", why);
}

/* ---- The store ---- */

static AssayThumbnail *
make_thumbnail (gsize width, gsize height, gsize channels, guint8 first)
{
  AssayThumbnail *thumbnail = g_new0 (AssayThumbnail, 1);

  *thumbnail = (AssayThumbnail){ width, height, channels, g_malloc (width * height * channels) };
  for (gsize i = 0; i < width * height * channels; i++)
    thumbnail->data[i] = (guint8) (first + i);
  return thumbnail;
}

static void
add_shown (GArray *shown, guint metric, AssayShownRole role, gsize unit, AssayThumbnail *thumbnail)
{
  const AssayShown one = { metric, role, unit, thumbnail };

  g_array_append_val (shown, one);
}

static void
query (const char *sql, char **ret_text)
{
  g_autofree char *path = g_build_filename (folder, ASSAY_STORE_FILE, NULL);
  sqlite3 *database = NULL;
  sqlite3_stmt *statement = NULL;

  cr_assert (sqlite3_open (path, &database) == SQLITE_OK);
  cr_assert (sqlite3_prepare_v2 (database, sql, -1, &statement, NULL) == SQLITE_OK, "%s", sql);
  if (sqlite3_step (statement) == SQLITE_ROW && ret_text != NULL)
    *ret_text = g_strdup ((const char *) sqlite3_column_text (statement, 0));
  sqlite3_finalize (statement);
  sqlite3_close (database);
}

Test (thumbnail, they_come_back_from_the_store)
{
  const AssayCellRecord record = { .status = ASSAY_CELL_OK };
  g_autoptr (GArray) shown = assay_shown_array_new ();
  g_autoptr (AssayStore) store = assay_store_open (folder, TRUE, NULL);
  g_autofree char *count = NULL;
  g_autoptr (AssayThumbnail) grey = NULL;
  g_autoptr (AssayThumbnail) colour = NULL;
  AssayThumbnail *none = NULL;
  gboolean is_crashed;

  add_shown (shown, 2, ASSAY_SHOWN_ORIGINAL, 0, make_thumbnail (3, 2, 1, 5));
  add_shown (shown, 2, ASSAY_SHOWN_RECOVERED, 7, make_thumbnail (2, 1, 3, 40));
  add_shown (shown, 3, ASSAY_SHOWN_ORIGINAL, 0, make_thumbnail (3, 2, 1, 5));
  for (gsize cell = 4; cell < 6; cell++) {
    cr_assert (assay_store_begin_cell (store, cell, &is_crashed, NULL));
    cr_assert (
        assay_store_finish_cell (store, cell, &record, &(AssayMeasured){ NULL, 0, shown }, NULL));
  }
  g_clear_pointer (&store, assay_store_close);
  store = assay_store_open (folder, FALSE, NULL);
  cr_assert (assay_store_thumbnail (store, 5, &(AssayShown){ 3, ASSAY_SHOWN_ORIGINAL, 0, NULL },
                                    &grey, NULL));
  cr_assert (grey->width == 3 && grey->height == 2 && grey->channels == 1);
  cr_assert (memcmp (grey->data, "\5\6\7\10\11\12", 6) == 0);
  cr_assert (assay_store_thumbnail (store, 4, &(AssayShown){ 2, ASSAY_SHOWN_RECOVERED, 7, NULL },
                                    &colour, NULL));
  cr_assert (colour->width == 2 && colour->height == 1 && colour->channels == 3);
  cr_assert (memcmp (colour->data, "()*+,-", 6) == 0);
  cr_assert (assay_store_thumbnail (store, 4, &(AssayShown){ 2, ASSAY_SHOWN_RECOVERED, 6, NULL },
                                    &none, NULL)
             && !none);
  cr_assert (assay_store_thumbnail (store, 4, &(AssayShown){ 2, ASSAY_SHOWN_RELEASED, 7, NULL },
                                    &none, NULL)
             && !none);
  g_clear_pointer (&store, assay_store_close);
  query ("SELECT count(*) FROM thumbnails", &count);
  cr_assert_str_eq (count, "2", "equal pictures are kept once");
}

Test (thumbnail, damaged_ones_are_told)
{
  const AssayCellRecord record = { .status = ASSAY_CELL_OK };
  g_autofree char *path = g_build_filename (folder, ASSAY_STORE_FILE, NULL);
  g_autoptr (GArray) shown = assay_shown_array_new ();
  g_autoptr (AssayStore) store = assay_store_open (folder, TRUE, NULL);
  g_autofree char *why = NULL;
  AssayThumbnail *thumbnail = NULL;
  gboolean is_crashed;
  GError *error = NULL;

  add_shown (shown, 0, ASSAY_SHOWN_ORIGINAL, 0, make_thumbnail (3, 2, 1, 5));
  cr_assert (assay_store_begin_cell (store, 0, &is_crashed, NULL));
  cr_assert (assay_store_finish_cell (store, 0, &record, &(AssayMeasured){ NULL, 0, shown }, NULL));
  query ("UPDATE thumbnails SET width = 4", NULL); /* while it is open: opening would find it */
  cr_assert (!assay_store_thumbnail (store, 0, &(AssayShown){ 0, ASSAY_SHOWN_ORIGINAL, 0, NULL },
                                     &thumbnail, &error));
  cr_assert (fixture_error_is (&error, ASSAY_ERROR_DATA,
                               "@: the run store is damaged (a picture has other sizes than its "
                               "pixels); expected a new run, with --out in another folder",
                               path, &why),
             "%s", why);
}
