/* Further records of the secrets among the public rows. */
#include "datasets/tables/record-copies.h"

#include <string.h>

#include "core/math/column-units.h"

/* Secret @i, with noise, from its own stream. */
static void
make_record (const AssayRows *secrets, gsize i, double noise, const double *deviations,
             AssayStreamKey key, float *ret_record)
{
  AssayStream stream = assay_stream (key, i + 1);

  assay_rows_read (secrets, i, 1, ASSAY_SCALE_NONE, ret_record);
  for (gsize j = 0; noise > 0 && j < assay_rows_cols (secrets); j++)
    ret_record[j] += (float) (noise * deviations[j] * assay_stream_normal (&stream));
}

/* What is known of a secret, @own (int64 n, or n x q), is known of a further record of it, beside
 * what is @known of the others. NULL: it is not known of all rows. */
static AssayArray *
merge (const AssayArray *own, const AssayArray *known, const gsize *places, gsize others)
{
  const gsize n = own != NULL ? own->shape[0] : 0;
  const gsize q = own != NULL && own->n_dimensions > 1 ? own->shape[1] : 1;
  const gsize shape[] = { n + others, q };
  gint64 *all;

  if (own == NULL || (others > 0 && (known == NULL || known->shape[0] != others)))
    return NULL;
  all = g_new (gint64, (n + others) * q);
  for (gsize i = 0; i < n + others; i++)
    memcpy (all + places[i] * q,
            i < n ? assay_array_int64 (own) + i * q : assay_array_int64 (known) + (i - n) * q,
            q * sizeof (gint64));
  return assay_array_take (ASSAY_INT64, own->n_dimensions, shape, all);
}

gboolean
record_copies_add (AssayDataset *dataset, double noise, AssayStreamKey key, GError **error)
{
  const gsize n = assay_rows_count (dataset->secrets), d = assay_rows_cols (dataset->secrets);
  const gsize others = dataset->public_rows != NULL ? assay_rows_count (dataset->public_rows) : 0;
  AssayStream stream = assay_stream (key, 0);
  const AssayRoleData *own = &dataset->secret_data, *known = &dataset->public_data;
  AssayRoleData merged = { 0 };
  g_autofree gsize *places = assay_alloc (n + others, sizeof *places, "places", error);
  g_autofree double *deviations = assay_column_deviations (dataset->secrets, 0, error);
  g_autofree gint64 *counterparts = assay_alloc (n, sizeof *counterparts, "records", error);
  g_autoptr (AssayMatrix) all = assay_matrix_new (n + others, d, error);

  if (places == NULL || deviations == NULL || counterparts == NULL || all == NULL)
    return FALSE;
  assay_stream_permutation (&stream, n + others, places);
  for (gsize i = 0; i < n; i++) {
    make_record (dataset->secrets, i, noise, deviations, key, assay_matrix_row (all, places[i]));
    counterparts[i] = (gint64) places[i];
  }
  for (gsize i = 0; i < others; i++)
    assay_rows_read (dataset->public_rows, i, 1, ASSAY_SCALE_NONE,
                     assay_matrix_row (all, places[n + i]));
  g_clear_pointer (&dataset->public_rows, assay_rows_unref);
  merged.labels = merge (own->labels, known->labels, places, others);
  merged.attributes = merge (own->attributes, known->attributes, places, others);
  assay_role_data_clear (&dataset->public_data);
  dataset->public_data = merged;
  dataset->public_rows = assay_rows_take_matrix (g_steal_pointer (&all));
  g_free (dataset->counterparts);
  dataset->counterparts = g_steal_pointer (&counterparts);
  return TRUE;
}
