#include "defenses/pairs/paired-release.h"

gboolean
paired_split (const AssayDefenseContext *context, AssayView secrets,
              AssayView ret_rows[ASSAY_N_PAIRED], GError **error)
{
  const gsize d = context->first_cols;

  if (d == 0 || d >= secrets.cols)
    return assay_fail (error, ASSAY_ERROR_MISMATCH,
                       "expected a dataset with rows of two modalities (such as interactions)");
  if (secrets.rows < 2)
    return assay_fail (error, ASSAY_ERROR_MISMATCH,
                       "hash functions cannot be learned from %zu rows; expected 2 at least",
                       secrets.rows);
  ret_rows[ASSAY_PAIRED_IMAGE] = (AssayView){ secrets.rows, d, secrets.stride, secrets.data };
  ret_rows[ASSAY_PAIRED_TEXT]
      = (AssayView){ secrets.rows, secrets.cols - d, secrets.stride, secrets.data + d };
  return TRUE;
}

void
paired_take_key (const AssayRelease *key, AssayRelease *ret_release)
{
  for (guint s = 0; s < ASSAY_N_PAIRED; s++) {
    const char *const names[] = { assay_paired_layer_1[s], assay_paired_layer_2[s] };

    for (guint l = 0; l < G_N_ELEMENTS (names); l++) {
      const AssayArray *layer = assay_arrays_get (&key->arrays, names[l]);

      if (layer != NULL)
        assay_arrays_take (&ret_release->arrays, names[l], assay_array_copy (layer));
    }
  }
}

gboolean
paired_release_codes (const AssayView rows[ASSAY_N_PAIRED], AssayRelease *ret_release,
                      GError **error)
{
  for (guint s = 0; s < ASSAY_N_PAIRED; s++) {
    AssayArray *codes = assay_paired_hash (ret_release, s, rows[s], error);

    if (codes == NULL)
      return FALSE;
    assay_arrays_take (&ret_release->arrays, assay_paired_codes[s], codes);
  }
  return TRUE;
}

/* ---- Columns in scales of their own ---- */

gboolean
paired_rows_init (const AssayDefenseContext *context, AssayView secrets, PairedRows *ret_rows,
                  GError **error)
{
  if (!paired_split (context, secrets, ret_rows->rows, error))
    return FALSE;
  for (guint s = 0; s < ASSAY_N_PAIRED; s++) {
    ret_rows->scales[s] = assay_standard_new (ret_rows->rows[s], error);
    if (ret_rows->scales[s] == NULL)
      return FALSE;
    ret_rows->standard[s] = assay_standard_apply (ret_rows->scales[s], ret_rows->rows[s], error);
    if (ret_rows->standard[s] == NULL)
      return FALSE;
  }
  return TRUE;
}

void
paired_rows_clear (PairedRows *rows)
{
  for (guint s = 0; s < ASSAY_N_PAIRED; s++) {
    g_clear_pointer (&rows->scales[s], assay_standard_free);
    g_clear_pointer (&rows->standard[s], assay_matrix_free);
  }
}

guint64
paired_rows_memory (const AssayShape *shape)
{
  return sizeof (float) * (guint64) shape->n_secrets * shape->cols;
}

void
paired_release_linear (const PairedRows *rows, AssayPairedSide side, const PairedLinear *linear,
                       AssayRelease *ret_release)
{
  const AssayStandard *scale = rows->scales[side];
  const gsize d = scale->cols;
  float *layer = g_new0 (float, linear->count *(d + 1));

  for (gsize l = 0; l < linear->count; l++) {
    double bias = linear->biases != NULL ? linear->biases[l] : 0;

    for (gsize j = 0; j < d; j++) {
      const double weight = linear->weights[l * d + j] * scale->factor[j];

      layer[l * (d + 1) + j] = (float) weight;
      bias -= weight * scale->mean[j];
    }
    layer[l * (d + 1) + d] = (float) bias;
  }
  assay_arrays_take (
      &ret_release->arrays, assay_paired_layer_1[side],
      assay_array_take (ASSAY_FLOAT32, 2, (const gsize[]){ linear->count, d + 1 }, layer));
}

gboolean
paired_release (PairedLearn learn, gsize bits, const AssayDefenseContext *context,
                AssayView secrets, AssayRelease *ret_release, GError **error)
{
  g_auto (PairedRows) rows = { .scales = { NULL } };

  if (!paired_rows_init (context, secrets, &rows, error))
    return FALSE;
  ret_release->bits = bits;
  if (context->key_of != NULL)
    paired_take_key (context->key_of, ret_release);
  else if (!learn (context, &rows, ret_release, error))
    return FALSE;
  return paired_release_codes (rows.rows, ret_release, error);
}
