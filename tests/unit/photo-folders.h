/* Help for the tests of `photos`: folders of generated photographs, and the dataset on them. */
#pragma once

#include <criterion/criterion.h>
#include <string.h>

#include <gdk-pixbuf/gdk-pixbuf.h>
#include <glib/gstdio.h>

#include "core/plugin/plugin.h"
#include "datasets/generated/dead-leaves.h"
#include "datasets/photographs/features.h"

extern const AssayDatasetPlugin assay_dataset_photos;

#define ROW ASSAY_SIFT_LENGTH

/* ---- Photographs ---- */

static inline GdkPixbuf *
pixbuf_of (const AssayPhoto *photo)
{
  GdkPixbuf *pixbuf = gdk_pixbuf_new (GDK_COLORSPACE_RGB, FALSE, 8, (int) photo->width,
                                      (int) photo->height);
  const gsize stride = (gsize) gdk_pixbuf_get_rowstride (pixbuf);

  for (gsize y = 0; y < photo->height; y++)
    for (gsize i = 0; i < 3 * photo->width; i++)
      gdk_pixbuf_get_pixels (pixbuf)[y * stride + i]
          = (guint8) CLAMP (photo->data[y * 3 * photo->width + i], 0.0f, 255.0f);
  return pixbuf;
}

static inline void
save (const AssayPhoto *photo, const char *path, const char *option, const char *value)
{
  g_autoptr (GdkPixbuf) pixbuf = pixbuf_of (photo);
  const gboolean is_png = g_str_has_suffix (path, ".png") || g_str_has_suffix (path, ".PNG");
  g_autoptr (GError) error = NULL;

  cr_assert (gdk_pixbuf_save (pixbuf, path, is_png ? "png" : "jpeg", &error, option, value, NULL),
             "%s: %s", path, error != NULL ? error->message : "");
}

static inline AssayPhoto *
render (guint64 number, gsize width, gsize height)
{
  const AssayStreamKey key = assay_stream_key (5, 0, "test", "photos");
  const AssayCamera camera = { .width = width, .height = height, .blur = 0.4, .noise = 2 };
  AssayStream stream = assay_stream (key, number);
  g_autoptr (AssayScene) scene = assay_scene_new ((double) width, (double) height, &stream, NULL);

  return assay_scene_render (scene, NULL, &camera, &stream, NULL);
}

/* Picture @number into @folder, as the format that @name ends in. */
static inline void
take (const char *folder, const char *name, guint64 number, gsize width, gsize height)
{
  g_autofree char *path = g_build_filename (folder, name, NULL);
  g_autoptr (AssayPhoto) photo = render (number, width, height);

  if (g_str_has_suffix (name, ".png") || g_str_has_suffix (name, ".PNG"))
    save (photo, path, "compression", "6");
  else
    save (photo, path, "quality", "92");
}

/* ---- Folders ---- */

typedef struct {
  char *root;
  char *cache; /* ASSAY_CACHE is this folder, or empty until use_cache () */
} Fixture;

static inline void
remove_tree (const char *path)
{
  GDir *dir = g_file_test (path, G_FILE_TEST_IS_SYMLINK) ? NULL : g_dir_open (path, 0, NULL);
  const char *name;

  while (dir != NULL && (name = g_dir_read_name (dir)) != NULL) {
    g_autofree char *inner = g_build_filename (path, name, NULL);

    remove_tree (inner);
  }
  if (dir != NULL)
    g_dir_close (dir);
  g_remove (path);
}

static inline Fixture
begin (void)
{
  Fixture fixture = { .root = g_dir_make_tmp ("assay-photos-XXXXXX", NULL) };

  fixture.cache = g_build_filename (fixture.root, "cache", NULL);
  g_setenv ("ASSAY_CACHE", "", TRUE);
  return fixture;
}

static inline void
end (Fixture *fixture)
{
  remove_tree (fixture->root);
  g_free (fixture->root);
  g_free (fixture->cache);
}

static inline char *
make_folder (const Fixture *fixture, const char *name)
{
  char *path = g_build_filename (fixture->root, name, NULL);

  cr_assert_eq (g_mkdir_with_parents (path, 0700), 0, "%s", path);
  return path;
}

/* Three photographs of different shapes, two of them larger than the 128 pixels of settings_of. */
static inline char *
make_private (const Fixture *fixture)
{
  char *folder = make_folder (fixture, "private");

  take (folder, "b.jpg", 1, 160, 120);
  take (folder, "a.png", 2, 96, 128);
  take (folder, "c.JPEG", 3, 130, 131);
  return folder;
}

/* For tests that need not know where these are. */
static inline Fixture
begin_with_photographs (void)
{
  Fixture fixture = begin ();

  g_free (make_private (&fixture));
  return fixture;
}

/* ---- The dataset ---- */

static inline AssaySettings *
settings_of (const char *changes)
{
  g_autofree char *all = g_strconcat ("largest=128 ", changes, NULL);
  g_auto (GStrv) words = g_strsplit (all, " ", 0);
  AssaySettings *settings = assay_settings_new (assay_dataset_photos.parameters,
                                                assay_dataset_photos.settings_size);

  for (gsize i = 0; words[i] != NULL; i++) {
    g_auto (GStrv) pair = g_strsplit (words[i], "=", 2);

    cr_assert (assay_settings_set (settings, pair[0], pair[1], NULL), "%s", words[i]);
  }
  return settings;
}

static inline gboolean
open_photos (const Fixture *fixture, const char *changes, guint64 seed, AssayDataset *dataset,
             GError **error)
{
  const char *const folders[] = { "/nowhere", fixture->root, NULL };
  g_autoptr (AssaySettings) settings = settings_of (changes);
  const AssayDatasetContext context = { .settings = settings->values,
                                        .stream = assay_stream_key (seed, 0, "data", "photos"),
                                        .folders = folders };

  *dataset = (AssayDataset){ 0 };
  return assay_dataset_photos.open (&context, dataset, error);
}

static inline void
open_surely (const Fixture *fixture, const char *changes, guint64 seed, AssayDataset *dataset)
{
  g_autoptr (GError) error = NULL;

  cr_assert (open_photos (fixture, changes, seed, dataset, &error), "%s: %s", changes,
             error != NULL ? error->message : "");
}

/* The hash of a dataset, which has to be that of its rows and groups to be of use: see
 * hash_is_of_numbers_and_groups. */
static inline char *
hash_of (const Fixture *fixture, const char *changes, guint64 seed)
{
  AssayDataset dataset;
  char *hash;

  open_surely (fixture, changes, seed, &dataset);
  hash = g_strdup (dataset.sha256);
  assay_dataset_clear (&dataset);
  return hash;
}

static inline void
expect_error (const Fixture *fixture, const char *changes, const char *first, const char *second)
{
  g_autoptr (GError) error = NULL;
  AssayDataset dataset;

  cr_expect_not (open_photos (fixture, changes, 7, &dataset, &error), "%s", changes);
  cr_assert (g_error_matches (error, ASSAY_ERROR, ASSAY_ERROR_DATA), "%s", changes);
  cr_expect_not_null (strstr (error->message, first), "%s: %s", changes, error->message);
  cr_expect_not_null (strstr (error->message, second), "%s: %s", changes, error->message);
  assay_dataset_clear (&dataset);
}
