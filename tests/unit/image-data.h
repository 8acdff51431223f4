/* Help for the tests of image datasets: files in a folder of their own, opening, reading whole. */
#pragma once

#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>

#include <glib/gstdio.h>

#include "core/plugin/registry.h"
#include "tests/reference/fixtures.h"
#include "tests/unit/assert-near.h"

static inline void
write_bytes (const char *folder, const char *name, const void *bytes, gsize length)
{
  g_autofree char *path = g_build_filename (folder, name, NULL);

  cr_assert (g_file_set_contents (path, bytes, (gssize) length, NULL), "%s", path);
}

typedef enum { PROBE, OPEN } Stage;

/* Probes, or opens, the dataset @id in @folder with @assignments. */
static inline gboolean
run_stage (const char *id, Stage stage, const char *folder, const char *assignments, guint64 seed,
           AssayProbe *ret_probe, AssayDataset *ret_dataset, GError **error)
{
  const AssayDatasetPlugin *plugin
      = (const AssayDatasetPlugin *) assay_registry_find (ASSAY_PLUGIN_DATASET, id, NULL);
  const char *const folders[] = { folder, NULL };
  g_autoptr (AssaySettings) settings = fixture_settings (&plugin->plugin, assignments);
  const AssayDatasetContext context = { .settings = settings->values,
                                        .stream = assay_stream_key (seed, 0, "data", id),
                                        .folders = folders };

  return stage == PROBE ? plugin->probe (&context, ret_probe, error)
                        : plugin->open (&context, ret_dataset, error);
}

static inline gsize
count_of (const AssayRows *rows)
{
  return rows != NULL ? assay_rows_count (rows) : 0;
}

/* Opens, which must succeed, and checks that the probe said what is there. */
static inline void
open_images (const char *id, const char *folder, const char *assignments, guint64 seed,
             AssayDataset *ret_dataset)
{
  g_autoptr (GError) error = NULL;
  AssayProbe probe;
  const AssayRoleData *secrets = &ret_dataset->secret_data, *test = &ret_dataset->test_data;
  const AssayRoleData *public = &ret_dataset->public_data;
  guint64 held;

  *ret_dataset = (AssayDataset){ 0 };
  cr_assert (run_stage (id, PROBE, folder, assignments, seed, &probe, NULL, &error)
                 && run_stage (id, OPEN, folder, assignments, seed, NULL, ret_dataset, &error),
             "%s: %s", assignments, error != NULL ? error->message : "");
  cr_assert (probe.cols == assay_rows_cols (ret_dataset->secrets)
                 && probe.n_test == count_of (ret_dataset->test)
                 && probe.n_classes == ret_dataset->n_classes
                 && probe.geometry.height == ret_dataset->geometry.height
                 && probe.geometry.width == ret_dataset->geometry.width
                 && probe.geometry.channels == ret_dataset->geometry.channels,
             "%s", assignments);
  if (probe.is_estimate)
    cr_assert (probe.n_secrets >= count_of (ret_dataset->secrets)
                   && probe.n_public >= count_of (ret_dataset->public_rows),
               "%s", assignments);
  else
    cr_assert (probe.n_secrets == count_of (ret_dataset->secrets)
                   && probe.n_public == count_of (ret_dataset->public_rows),
               "%s", assignments);
  cr_assert_eq (probe.holdings,
                (guint) ASSAY_HAS_IMAGES | (secrets->labels != NULL ? ASSAY_HAS_LABELS : 0)
                    | (test->labels != NULL ? ASSAY_HAS_TEST_LABELS : 0)
                    | (public->labels != NULL ? ASSAY_HAS_PUBLIC_LABELS : 0),
                "%s", assignments);
  held = (count_of (ret_dataset->secrets) + probe.n_test + count_of (ret_dataset->public_rows))
         * probe.cols * sizeof (float);
  cr_assert (probe.memory >= held, "%s", assignments);
}

static inline AssayMatrix *
read_rows (const AssayRows *rows)
{
  AssayMatrix *matrix = assay_matrix_new (assay_rows_count (rows), assay_rows_cols (rows), NULL);

  assay_rows_read (rows, 0, matrix->rows, ASSAY_SCALE_NONE, matrix->data);
  return matrix;
}

/* That a stage fails with exactly @message, in which '@' stands for the folder. */
static inline void
expect_failure (const char *id, Stage stage, const char *folder, const char *assignments,
                AssayErrorCode code, const char *message)
{
  AssayDataset dataset = { 0 };
  AssayProbe probe;
  g_autofree char *why = NULL;
  GError *error = NULL;

  cr_expect_not (run_stage (id, stage, folder, assignments, 7, &probe, &dataset, &error), "%s",
                 assignments);
  cr_expect (fixture_error_is (&error, (gint) code, message, folder, &why), "%s: %s", assignments,
             why);
  assay_dataset_clear (&dataset);
}

/* The folder of real data, or a test that is skipped for all to see. */
static inline const char *
real_data (const char *file)
{
  const char *folder = g_getenv ("ASSAY_DATA");
  g_autofree char *path = folder != NULL ? g_build_filename (folder, file, NULL) : NULL;

  if (path == NULL || !g_file_test (path, G_FILE_TEST_EXISTS))
    cr_skip_test ("no real data: %s is missing (ASSAY_DATA names the folder)", file);
  return folder;
}
