/* What fraction of the nearest rows an approximate search finds (scan-approximate.h), by the exact
 * scan of a sample. */
#include <stdlib.h>
#include <string.h>

#include "core/base/vectors.h"
#include "core/search/scan-approximate.h"

/* How many rows stand in both of two lists of @k different ones. */
static gint64
count_common (const gsize *one, const gsize *other, gsize k)
{
  g_autofree gsize *a = g_memdup2 (one, k * sizeof *a);
  g_autofree gsize *b = g_memdup2 (other, k * sizeof *b);
  gint64 common = 0;

  qsort (a, k, sizeof *a, assay_compare_sizes);
  qsort (b, k, sizeof *b, assay_compare_sizes);
  for (gsize i = 0, j = 0; i < k && j < k;) {
    common += a[i] == b[j];
    if (a[i] < b[j])
      i++;
    else
      j++;
  }
  return common;
}

AssayArray *
assay_release_recall (const AssayRelease *release, const AssayRows *rows,
                      const AssayNearest *nearest, AssayStreamKey stream, GError **error)
{
  AssayStream draws = assay_stream (stream, 0);
  const AssaySubspaces all = assay_release_subspaces (release);
  const gsize m = all.dimension, d = all.cols, k = nearest->k;
  const gsize size = MIN (all.count, ASSAY_RECALL_SAMPLE), shape[] = { size, 3 };
  g_autofree gsize *numbers = g_new (gsize, size);
  g_autofree float *translation = assay_alloc (size * d, sizeof (float), "subspaces", error);
  g_autofree float *basis
      = translation != NULL ? assay_alloc (size * m * d, sizeof (float), "subspaces", error) : NULL;
  const AssaySubspaces sample = { .count = size,
                                  .dimension = m,
                                  .cols = d,
                                  .translation = translation,
                                  .basis = m > 0 ? basis : NULL };
  g_autoptr (AssayNearest) exact = NULL;
  gint64 *recall;

  if (basis == NULL)
    return NULL;
  assay_stream_sample (&draws, all.count, size, numbers);
  for (gsize i = 0; i < size; i++) {
    memcpy (translation + i * d, all.translation + numbers[i] * d, d * sizeof (float));
    if (m > 0)
      memcpy (basis + i * m * d, all.basis + numbers[i] * m * d, m * d * sizeof (float));
  }
  exact = assay_scan_subspaces (&sample, rows, assay_release_scale (release), k, error);
  recall = exact != NULL ? assay_alloc (size * 3, sizeof (gint64), "recall", error) : NULL;
  if (recall == NULL)
    return NULL;
  for (gsize i = 0; i < size; i++) {
    recall[3 * i] = (gint64) numbers[i];
    recall[3 * i + 1] = count_common (exact->rows + i * k, nearest->rows + numbers[i] * k, k);
    recall[3 * i + 2] = (gint64) k;
  }
  return assay_array_take (ASSAY_INT64, 2, shape, recall);
}
