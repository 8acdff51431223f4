/* Lifting of a receiver's own descriptors. */
#include "metrics/matching/lifted-references.h"

#include "core/base/error.h"
#include "core/base/parallel.h"
#include "core/math/linalg.h"

/* How often directions that happen to be dependent (a database row equal to the descriptor) are
 * drawn again. */
#define MAX_DRAWS 16

typedef struct {
  const ReferenceLifting *lifting;
  AssayView points;
  const guint64 *items;
  float *basis; /* n x m x d */
} Lifting;

static gsize
adversarial_count (const ReferenceLifting *lifting)
{
  switch (lifting->variant) {
  case LIFTING_ADVERSARIAL:
    return lifting->dimension;
  case LIFTING_HYBRID:
    return lifting->dimension / 2;
  default:
    return 0;
  }
}

static void
draw_directions (const ReferenceLifting *lifting, const float *point, gsize d, AssayStream *stream,
                 double *ret_span)
{
  const gsize m = lifting->dimension, count = adversarial_count (lifting);
  g_autofree gsize *chosen = g_new (gsize, count + 1);
  g_autofree float *rows = g_new (float, count *d + 1);

  if (count > 0) {
    assay_stream_choose (stream, assay_rows_count (lifting->database), count, chosen);
    assay_rows_gather (lifting->database, chosen, count, lifting->scale, rows);
  }
  for (gsize i = 0; i < count; i++)
    for (gsize j = 0; j < d; j++)
      ret_span[i * d + j] = (double) rows[i * d + j] - point[j];
  for (gsize j = count * d; j < m * d; j++)
    ret_span[j] = assay_stream_between (stream, -1, 1);
}

static gboolean
lift (gsize place, G_GNUC_UNUSED guint worker, gpointer data, GError **error)
{
  const Lifting *work = data;
  const gsize m = work->lifting->dimension, d = work->points.cols;
  AssayStream stream = assay_stream (work->lifting->stream, work->items[place]);
  g_autofree double *span = g_new (double, m *d);

  for (guint draw = 1;; draw++) {
    draw_directions (work->lifting, assay_view_row (work->points, place), d, &stream, span);
    if (assay_linalg_orthonormalize (span, m, d, error))
      break;
    if (draw == MAX_DRAWS)
      return assay_prefix (error, "lifting descriptor %zu of the other view: ", place);
    g_clear_error (error);
  }
  for (gsize j = 0; j < m * d; j++)
    work->basis[place * m * d + j] = (float) span[j];
  return TRUE;
}

static gboolean
check_database (const ReferenceLifting *lifting, gsize d, GError **error)
{
  const gsize count = adversarial_count (lifting);
  const gsize n_rows = lifting->database == NULL ? 0 : assay_rows_count (lifting->database);

  if (n_rows < count)
    return assay_fail (error, ASSAY_ERROR_MISMATCH,
                       "lifting the descriptors of the other view takes %zu distinct database "
                       "rows each, but the dataset has %zu; expected as many, or lifting = random",
                       count, n_rows);
  if (count > 0 && assay_rows_cols (lifting->database) != d)
    return assay_fail (error, ASSAY_ERROR_MISMATCH,
                       "the database has %zu columns, expected %zu, those of the descriptors of "
                       "the other view",
                       assay_rows_cols (lifting->database), d);
  return TRUE;
}

AssayFlats *
lifted_references_new (const ReferenceLifting *lifting, AssayView points, const guint64 *items,
                       GError **error)
{
  const gsize n = points.rows, m = lifting->dimension, d = points.cols;
  g_autoptr (AssayMatrix) translation = NULL;
  g_autofree float *basis = NULL;

  if (!check_database (lifting, d, error))
    return NULL;
  translation = assay_matrix_copy (points, error);
  if (translation == NULL
      || (basis = assay_alloc (n, m * d * sizeof (float), "lifted descriptors", error)) == NULL
      || !assay_parallel_try (n, lift, &(Lifting){ lifting, points, items, basis }, error))
    return NULL;
  return assay_flats_new (
      &(AssaySubspaces){
          .count = n, .dimension = m, .cols = d, .translation = translation->data, .basis = basis },
      NULL, n, error);
}
