/* The numbers of released items. */
#include "core/data/kinds/item-numbers.h"

#include <string.h>

#include "core/base/parallel.h"

#define PANEL 64 /* items */

gsize
assay_item_numbers_count (const AssayRelease *release, gsize n_probes)
{
  const AssayKind *kind = assay_kind (release->kind);

  return kind->count_numbers != NULL
             ? kind->count_numbers (release, n_probes)
             : assay_arrays_get (&release->arrays, kind->arrays[0].name)->shape[1];
}

typedef struct {
  const AssayRelease *release;
  AssayView probes;
  AssayMatrix *numbers;
} Filling;

static void
fill_panel (gsize index, G_GNUC_UNUSED guint worker, gpointer data)
{
  const Filling *job = data;
  const AssayRelease *release = job->release;
  const AssayKind *kind = assay_kind (release->kind);
  const gsize first = index * PANEL, end = MIN (first + PANEL, job->numbers->rows);

  for (gsize i = first; i < end; i++) {
    float *row = assay_matrix_row (job->numbers, i);

    if (kind->numbers != NULL)
      kind->numbers (release, i, job->probes, row);
    else
      memcpy (row,
              assay_view_row (
                  assay_array_view (assay_arrays_get (&release->arrays, kind->arrays[0].name)), i),
              job->numbers->cols * sizeof (float));
  }
}

AssayMatrix *
assay_item_numbers (const AssayRelease *release, AssayView probes, GError **error)
{
  Filling job = { .release = release, .probes = probes };

  job.numbers = assay_matrix_new (assay_release_count (release),
                                  assay_item_numbers_count (release, probes.rows), error);
  if (job.numbers != NULL)
    assay_parallel_for (assay_pieces (job.numbers->rows, PANEL), fill_panel, &job);
  return job.numbers;
}
