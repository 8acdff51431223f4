#include "defenses/pairs/paired-training.h"

/* Of the common stream: no item of a secret. */
#define TRAINING_ITEM G_MAXUINT64

gboolean
paired_training_split (const AssayDefenseContext *context, AssayView items,
                       AssayView ret_rows[ASSAY_N_PAIRED], GError **error)
{
  const gsize d = context->first_cols;

  if (d == 0 || d >= items.cols)
    return assay_fail (error, ASSAY_ERROR_MISMATCH,
                       "expected a dataset with rows of two modalities (such as interactions)");
  if (items.rows < 2)
    return assay_fail (error, ASSAY_ERROR_MISMATCH,
                       "hash functions cannot be learned from %zu rows; expected 2 at least",
                       items.rows);
  ret_rows[ASSAY_PAIRED_IMAGE] = (AssayView){ items.rows, d, items.stride, items.data };
  ret_rows[ASSAY_PAIRED_TEXT]
      = (AssayView){ items.rows, items.cols - d, items.stride, items.data + d };
  return TRUE;
}

static gboolean
learn (const PairedMethod *method, const AssayDefenseContext *context,
       const AssayView rows[ASSAY_N_PAIRED], AssayRelease *ret_release, GError **error)
{
  AssayStream stream = assay_stream (context->common_stream, TRAINING_ITEM);
  const guint32 word = assay_stream_u32 (&stream);
  const AssayStreamKey key = { { word, assay_stream_u32 (&stream) } };
  g_autoptr (AssayPairedEncoders) encoders
      = assay_paired_encoders_new (rows, &method->training, key, error);

  if (encoders == NULL
      || !assay_paired_encoders_train (encoders, method->loss, method->data, error))
    return FALSE;
  assay_paired_encoders_release (encoders, ret_release);
  return TRUE;
}

static void
take_key (const AssayRelease *key, AssayRelease *ret_release)
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
paired_training_release (const PairedMethod *method, const AssayDefenseContext *context,
                         AssayView items, AssayRelease *ret_release, GError **error)
{
  AssayView rows[ASSAY_N_PAIRED];

  if (!paired_training_split (context, items, rows, error))
    return FALSE;
  ret_release->bits = method->training.bits;
  if (context->key_of != NULL)
    take_key (context->key_of, ret_release);
  else if (!learn (method, context, rows, ret_release, error))
    return FALSE;
  for (guint s = 0; s < ASSAY_N_PAIRED; s++) {
    AssayArray *codes = assay_paired_hash (ret_release, s, rows[s], error);

    if (codes == NULL)
      return FALSE;
    assay_arrays_take (&ret_release->arrays, assay_paired_codes[s], codes);
  }
  return TRUE;
}

guint64
paired_training_memory (const AssayPairedTraining *training, const AssayShape *shape)
{
  const guint64 batch = paired_training_batch (training, shape->n_secrets);

  return assay_paired_encoders_memory (training, shape->n_secrets, shape->cols)
         + sizeof (double) * batch * (2 * batch + 4 * training->bits);
}
