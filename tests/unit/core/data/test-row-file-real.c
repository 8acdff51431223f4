/* Rows of real files, where the data folder has them: they are what their makers say. */
#include <criterion/criterion.h>
#include <glib/gstdio.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/error.h"
#include "core/data/row-file.h"

/* Opens a file of the public data, or skips the test. */
static AssayRowFiles *
open_real (const char *specification)
{
  const char *source = g_getenv ("ASSAY_SOURCE");
  g_autofree char *beside
      = g_build_filename (source != NULL ? source : ".", "..", "shared", "data", NULL);
  const char *const folders[] = { beside, g_getenv ("ASSAY_DATA"), NULL };
  g_autoptr (GError) error = NULL;
  AssayRowFiles *files = assay_row_files_open (specification, folders, &error);

  if (files == NULL && strstr (error->message, "no such file") != NULL)
    cr_skip_test ("public data is missing: %s", error->message);
  cr_assert_not_null (files, "%s", error != NULL ? error->message : "");
  return files;
}

/* Sums of squares of whole numbers of a byte each are exact in float. */
static float
distance (const float *a, const float *b)
{
  float sum = 0;

  for (guint j = 0; j < 128; j++)
    sum += (a[j] - b[j]) * (a[j] - b[j]);
  return sum;
}

static int
compare_floats (gconstpointer a, gconstpointer b)
{
  const float x = *(const float *) a, y = *(const float *) b;

  return (x > y) - (x < y);
}

Test (row_file_real, siftsmall_neighbours_are_those_published)
{
  static const gsize queries[] = { 0, 17, 58, 99 };
  g_autoptr (AssayRowFiles) base = open_real ("sift/siftsmall_base.fvecs");
  g_autoptr (AssayRowFiles) query = open_real ("sift/siftsmall_query.fvecs");
  g_autoptr (AssayRowFiles) truth = open_real ("sift/siftsmall_groundtruth.ivecs");
  g_autofree float *rows = g_new (float, 10000 * 128);
  g_autofree float *distances = g_new (float, 10000);
  float point[128];
  float ids[100];

  cr_assert_eq (assay_rows_count (base->rows), 10000);
  cr_assert_eq (assay_rows_cols (base->rows), 128);
  cr_assert_eq (assay_rows_count (query->rows), 100);
  cr_assert_eq (assay_rows_cols (truth->rows), 100);
  cr_assert_str_eq (query->sha256,
                    "9a1a3fa85f0424dbb40e7a3878d5b2d0da9ee2a7b474d1c05035d315d876749c");
  assay_rows_read (base->rows, 0, 10000, ASSAY_SCALE_NONE, rows);
  for (gsize i = 0; i < G_N_ELEMENTS (queries); i++) {
    float claimed[100];

    assay_rows_gather (query->rows, &queries[i], 1, ASSAY_SCALE_NONE, point);
    assay_rows_gather (truth->rows, &queries[i], 1, ASSAY_SCALE_NONE, ids);
    for (gsize k = 0; k < 100; k++)
      claimed[k] = distance (point, rows + (gsize) ids[k] * 128);
    for (gsize r = 0; r < 10000; r++)
      distances[r] = distance (point, rows + r * 128);
    qsort (distances, 10000, sizeof (float), compare_floats);
    for (gsize k = 0; k < 100; k++)
      cr_assert_eq (claimed[k], distances[k], "query %zu, neighbour %zu", queries[i], k);
  }
}

Test (row_file_real, sift_places_public_is_what_its_readme_says)
{
  g_autoptr (AssayRowFiles) files = open_real ("sift/sift_places_public.bvecs");
  g_autoptr (AssayRowFiles) part = open_real ("sift/sift_places_public.bvecs[100:200]");
  g_autofree float *values = g_new (float, 1000 * 128);
  float largest = 0;
  float last[128];
  float sum = 0;

  cr_assert_eq (assay_rows_count (files->rows), 120342);
  cr_assert_eq (assay_rows_cols (files->rows), 128);
  /* NumPy: hashlib.sha256 (fromfile (..., 'u1').reshape (-1, 132)[:, 4:].tobytes ()) */
  cr_assert_str_eq (files->sha256,
                    "6cdcdc39264621ebc42f16ffac97d7f5962e51580dabb68270277771d3bccdec");
  cr_assert_str_eq (part->sha256,
                    "ade8a7653c9b87636b5d889d705bfa3a91f4c98a3578d9dc30d1c6d771767df4");
  for (gsize first = 0; first < 120342; first += 1000) {
    const gsize count = MIN (1000, 120342 - first);

    assay_rows_read (files->rows, first, count, ASSAY_SCALE_NONE, values);
    for (gsize i = 0; i < count * 128; i++)
      largest = MAX (largest, values[i]);
  }
  cr_assert_eq (largest, 236);
  assay_rows_read (files->rows, 120341, 1, ASSAY_SCALE_NONE, last);
  for (guint j = 0; j < 128; j++)
    sum += last[j];
  cr_assert_eq (sum, 3623, "%g", (double) sum);
}
