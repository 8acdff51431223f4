#include "bench/lifted.h"

#include <malloc.h>
#include <math.h>

#include "bench/measure.h"
#include "core/base/rng.h"
#include "core/data/row-file.h"
#include "core/math/linalg.h"

/* Gradient histograms, roughly: few large values, none above 255, many small ones. */
static void
draw_row (AssayStream *stream, gsize cols, guint8 *ret_row)
{
  for (gsize j = 0; j < cols; j++) {
    const double u = assay_stream_uniform (stream);

    ret_row[j] = (guint8) MIN (255.0, -40 * log (1 - u));
  }
}

AssayRows *
lifted_rows (const char *path, gsize n, gsize cols, guint64 seed)
{
  const AssayStreamKey key = assay_stream_key (seed, 0, "data", "bench-subspace");
  g_autofree guint8 *block = g_malloc (n * cols);
  g_autoptr (GError) error = NULL;
  g_autoptr (GMappedFile) file = NULL;
  g_autoptr (GBytes) bytes = NULL;
  AssayRows *rows = assay_rows_new (cols);

  for (gsize i = 0; i < n; i++) {
    AssayStream stream = assay_stream (key, i);

    draw_row (&stream, cols, block + i * cols);
  }
  if (!g_file_set_contents (path, (const char *) block, (gssize) (n * cols), &error))
    measure_stop (path, error);
  file = g_mapped_file_new (path, FALSE, &error);
  if (file == NULL)
    measure_stop (path, error);
  bytes = g_mapped_file_get_bytes (file);
  assay_rows_append (rows, bytes, g_bytes_get_data (bytes, NULL), ASSAY_UINT8, cols, n);
  return rows;
}

void
lifted_subspaces (const AssayRows *rows, gsize n, gsize dimension, guint64 seed,
                  float *ret_translation, float *ret_basis)
{
  const AssayStreamKey key = assay_stream_key (seed, 0, "defense", "bench-subspace");
  const gsize m = dimension, cols = assay_rows_cols (rows);
  g_autofree double *basis = g_new (double, m *cols);

  for (gsize i = 0; i < n; i++) {
    AssayStream stream = assay_stream (key, i);
    const gsize row = 7 * i % assay_rows_count (rows);
    float *translation = ret_translation + i * cols;
    g_autoptr (GError) error = NULL;

    for (gsize j = 0; j < m * cols; j++)
      basis[j] = assay_stream_normal (&stream);
    if (!assay_linalg_orthonormalize (basis, m, cols, &error))
      measure_stop ("basis", error);
    assay_rows_gather (rows, &row, 1, ASSAY_SCALE_UNIT, translation);
    for (gsize j = 0; j < m; j++) {
      const double part = assay_stream_normal (&stream);

      for (gsize c = 0; c < cols; c++) {
        ret_basis[(i * m + j) * cols + c] = (float) basis[j * cols + c];
        translation[c] += (float) (part * basis[j * cols + c]);
      }
    }
  }
}

gint64
lifted_settle (const AssayRows *rows)
{
  g_autofree float *row = g_new (float, assay_rows_cols (rows));

  for (gsize i = 0; i < assay_rows_count (rows); i++)
    assay_rows_read (rows, i, 1, ASSAY_SCALE_NONE, row);
  malloc_trim (0);
  measure_reset_peak ();
  return measure_status ("VmRSS:");
}

char *
lifted_sift_folder (const char *given)
{
  const char *data = g_getenv ("ASSAY_DATA");

  if (given != NULL)
    return g_strdup (given);
  return data == NULL ? NULL : g_build_filename (data, "sift", NULL);
}

static AssayRows *
open_rows (const char *files, const char *folder)
{
  const char *const folders[] = { folder, NULL };
  g_autoptr (GError) error = NULL;
  AssayRowFiles *opened = assay_row_files_open (files, folders, &error);
  AssayRows *rows;

  if (opened == NULL)
    measure_stop (files, error);
  rows = assay_rows_ref (opened->rows);
  assay_row_files_free (opened);
  if (assay_rows_cols (rows) != LIFTED_SIFT_COLS)
    measure_stop ("expected rows of 128 columns", NULL);
  return rows;
}

void
lifted_open_sift (const char *given, AssayRows **ret_rows, AssayRows **ret_secrets)
{
  g_autofree char *folder = lifted_sift_folder (given);

  if (folder == NULL)
    measure_stop ("expected the folder of SIFT files, by --sift or ASSAY_DATA", NULL);
  *ret_rows = open_rows ("sift_places_public.bvecs,homography_sift.bvecs,sacre_coeur_sift.bvecs,"
                         "sceaux_castle_sift.bvecs,bigann10k.bvecs",
                         folder);
  *ret_secrets = open_rows ("sift_private_queries.bvecs", folder);
}
