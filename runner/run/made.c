/* What a defense made of secrets. */
#include "runner/run/made.h"

void
made_free (gpointer data)
{
  Made *made = data;

  assay_release_free (made->release);
  assay_truth_free (made->truth);
  g_clear_pointer (&made->repeats, g_ptr_array_unref);
  assay_own_store_free (made->own);
  g_clear_pointer (&made->records, assay_rows_unref);
  assay_release_free (made->crossed);
  g_clear_error (&made->error);
  g_free (made);
}

gsize
made_bytes (const Made *made)
{
  gsize bytes = sizeof *made + assay_own_store_bytes (made->own);

  if (made->release != NULL)
    bytes += assay_arrays_bytes (&made->release->arrays);
  if (made->truth != NULL)
    bytes += assay_arrays_bytes (&made->truth->arrays);
  if (made->crossed != NULL)
    bytes += assay_arrays_bytes (&made->crossed->arrays);
  for (guint i = 0; made->repeats != NULL && i < made->repeats->len; i++)
    bytes += assay_arrays_bytes (&((const AssayRelease *) made->repeats->pdata[i])->arrays);
  return bytes;
}
