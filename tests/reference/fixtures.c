/* Small things that tests are made of. */
#include "tests/reference/fixtures.h"

#include <string.h>

#include <glib/gstdio.h>

#include "core/data/npy.h"
#include "runner/run/steps.h"

AssayMatrix *
fixture_normal (gsize rows, gsize cols, guint64 trial)
{
  const AssayStreamKey key = assay_stream_key (2024, trial, "fixture", "");
  AssayMatrix *matrix = assay_matrix_new (rows, cols, NULL);

  for (gsize i = 0; i < rows; i++) {
    AssayStream stream = assay_stream (key, i);

    for (gsize j = 0; j < cols; j++)
      matrix->data[i * cols + j] = (float) assay_stream_normal (&stream);
  }
  return matrix;
}

AssayRows *
fixture_normal_rows (gsize rows, gsize cols, guint64 trial)
{
  return assay_rows_take_matrix (fixture_normal (rows, cols, trial));
}

AssayRows *
fixture_rows (const AssayMatrix *matrix)
{
  return assay_rows_take_matrix (assay_matrix_copy (assay_matrix_view (matrix), NULL));
}

void
fixture_write_normal (const char *folder, const char *name, gsize rows, gsize cols, guint64 trial)
{
  g_autofree char *path = g_build_filename (folder, name, NULL);
  g_autoptr (AssayArray) array = assay_array_take_matrix (fixture_normal (rows, cols, trial));
  g_autoptr (GError) error = NULL;

  if (!assay_npy_write (path, array, &error))
    g_error ("%s", error->message);
}

AssaySettings *
fixture_settings (const AssayPlugin *plugin, const char *assignments)
{
  AssaySettings *settings = assay_settings_new (plugin->parameters, plugin->settings_size);
  g_auto (GStrv) words = g_strsplit (assignments, " ", -1);

  for (guint i = 0; words[i] != NULL; i++) {
    g_auto (GStrv) pair = g_strsplit (words[i], "=", 2);
    g_autoptr (GError) error = NULL;

    if (pair[0] != NULL && !assay_settings_set (settings, pair[0], pair[1], &error))
      g_error ("%s: %s", assignments, error->message);
  }
  return settings;
}

char *
fixture_folder (void)
{
  return g_dir_make_tmp ("assay-test-XXXXXX", NULL);
}

void
fixture_remove (const char *folder)
{
  g_autoptr (GDir) dir = g_dir_open (folder, 0, NULL);
  const char *name;

  while (dir != NULL && (name = g_dir_read_name (dir)) != NULL) {
    g_autofree char *path = g_build_filename (folder, name, NULL);

    if (g_file_test (path, G_FILE_TEST_IS_DIR) && !g_file_test (path, G_FILE_TEST_IS_SYMLINK))
      fixture_remove (path);
    else
      g_unlink (path);
  }
  g_rmdir (folder);
}

char *
fixture_write (const char *folder, const char *name, const char *text)
{
  char *path = g_build_filename (folder, name, NULL);

  g_file_set_contents (path, text, -1, NULL);
  return path;
}

gboolean
fixture_error_is (GError **error, gint code, const char *message, const char *folder,
                  char **ret_why)
{
  g_auto (GStrv) parts = g_strsplit (message, "@", -1);
  g_autofree char *expected = g_strjoinv (folder != NULL ? folder : "@", parts);
  const gboolean is_right = *error != NULL && g_error_matches (*error, ASSAY_ERROR, code)
                            && g_str_equal ((*error)->message, expected);

  *ret_why = is_right
                 ? g_strdup ("")
                 : g_strdup_printf ("error %d '%s' instead of %d '%s'",
                                    *error != NULL ? (*error)->code : -1,
                                    *error != NULL ? (*error)->message : "none", code, expected);
  g_clear_error (error);
  return is_right;
}

gboolean
fixture_protect (const AssayDefense *defense, const AssaySettings *settings, AssayStreamKey stream,
                 AssayView secrets, AssayRows *database, AssayRelease **ret_release,
                 AssayTruth **ret_truth, GError **error)
{
  const AssaySecrets known = { .rows = secrets };
  const AssayKnowledge knowledge = { .database = database, .public_rows = database };

  return assay_step_protect (
      defense,
      &(AssayProtecting){
          .settings = settings, .stream = stream, .common = stream, .knowledge = &knowledge },
      &known, ret_release, ret_truth, error);
}

AssayArray *
fixture_numbers (AssayType type, guint n_dimensions, gsize a, gsize b, gsize c)
{
  const gsize shape[] = { a, b, c };
  const gsize count = a * (n_dimensions > 1 ? b : 1) * (n_dimensions > 2 ? c : 1);
  guint8 *data = g_malloc0 (count * assay_type_size (type) + 1);

  for (gsize i = 0; i < count; i++)
    if (type == ASSAY_INT64)
      ((gint64 *) (gpointer) data)[i] = (gint64) i * 1234567890123 - G_MAXINT64 / 2;
    else
      ((float *) (gpointer) data)[i] = (float) i * 0.1f - 1e-30f;
  return assay_array_take (type, n_dimensions, shape, data);
}

/* n subspaces of dimension m along the axes of d dimensions. */
AssayArray *
fixture_axes (gsize n, gsize m, gsize d)
{
  AssayArray *array = fixture_numbers (ASSAY_FLOAT32, 3, n, m, d);
  float *values = (float *) (gpointer) array->data;

  for (gsize i = 0; i < n * m * d; i++)
    values[i] = i % d == i / d % m ? 1 : 0;
  return array;
}

/* n sets of w: row i holds i, i + 1, ... modulo k. */
AssayArray *
fixture_sets (gsize n, gsize w, gsize k)
{
  AssayArray *array = fixture_numbers (ASSAY_INT64, 2, n, w, 0);
  gint64 *members = (gint64 *) (gpointer) array->data;

  for (gsize i = 0; i < n * w; i++)
    members[i] = (gint64) ((i / w + i % w) % k);
  return array;
}
