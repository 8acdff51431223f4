#include "defenses/pairs/paired-training.h"

/* Of the common stream: no item of a secret. */
#define TRAINING_ITEM G_MAXUINT64

static gboolean
learn (const PairedMethod *method, const AssayDefenseContext *context,
       const AssayView rows[ASSAY_N_PAIRED], AssayRelease *ret_release, AssayTruth *ret_truth,
       GError **error)
{
  AssayStream stream = assay_stream (context->common_stream, TRAINING_ITEM);
  const guint32 word = assay_stream_u32 (&stream);
  const AssayStreamKey key = { { word, assay_stream_u32 (&stream) } };
  g_autoptr (AssayPairedEncoders) encoders
      = assay_paired_encoders_new (rows, &method->training, key, error);
  AssayPairedReport report;

  if (encoders == NULL
      || !assay_paired_encoders_train (encoders, method->loss, method->data, &report, error))
    return FALSE;
  assay_paired_encoders_release (encoders, ret_release);
  ret_truth->says = assay_paired_report_say (&report, method->training.steps, "learning_rate",
                                             method->training.rate);
  return TRUE;
}

gboolean
paired_training_release (const PairedMethod *method, const AssayDefenseContext *context,
                         AssayView items, AssayRelease *ret_release, AssayTruth *ret_truth,
                         GError **error)
{
  AssayView rows[ASSAY_N_PAIRED];

  if (!paired_split (context, items, rows, error))
    return FALSE;
  ret_release->bits = method->training.bits;
  if (context->key_of != NULL)
    paired_take_key (context->key_of, ret_release);
  else if (!learn (method, context, rows, ret_release, ret_truth, error))
    return FALSE;
  return paired_release_codes (rows, ret_release, error);
}

guint64
paired_training_memory (const AssayPairedTraining *training, const AssayShape *shape)
{
  const guint64 batch = paired_training_batch (training, shape->n_secrets);

  return assay_paired_encoders_memory (training, shape->n_secrets, shape->cols)
         + sizeof (double) * batch * (2 * batch + 4 * training->bits);
}
