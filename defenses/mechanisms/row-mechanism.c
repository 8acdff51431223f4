/* Mechanisms that protect each secret for itself. */
#include "defenses/mechanisms/row-mechanism.h"

#include <math.h>
#include <string.h>

#include "core/base/vectorise.h"

/* Numbers to which noise is added at once; even, because normals come in pairs. */
#define BLOCK 512

void
row_mechanism_size (G_GNUC_UNUSED gconstpointer settings, gsize cols, gsize *ret_inputs,
                    gsize *ret_outputs)
{
  *ret_inputs = *ret_outputs = cols;
}

AssayBudget
row_mechanism_budget (gconstpointer settings, G_GNUC_UNUSED gsize cols)
{
  return (AssayBudget){ .epsilon = *(const double *) settings };
}

AssayBudget
row_mechanism_budget_with_delta (gconstpointer settings, G_GNUC_UNUSED gsize cols)
{
  const double *begin = settings;

  return (AssayBudget){ .epsilon = begin[0], .delta = begin[1] };
}

gboolean
row_mechanism_protect (const AssayDefenseContext *context, AssayView secrets,
                       AssayRelease *ret_release, G_GNUC_UNUSED AssayTruth *ret_truth,
                       GError **error)
{
  const AssayMechanism *mechanism = context->mechanism;
  gsize n_inputs, n_outputs;
  AssayMatrix *outputs;

  mechanism->size (context->settings, secrets.cols, &n_inputs, &n_outputs);
  g_return_val_if_fail (n_inputs == secrets.cols, FALSE);
  outputs = assay_matrix_new (secrets.rows, n_outputs, error);
  if (outputs == NULL)
    return FALSE;
  for (gsize i = 0; i < secrets.rows; i++) {
    AssayStream stream = assay_stream (context->stream, i);

    mechanism->run (context->settings, secrets.cols, &stream, assay_view_row (secrets, i), 1,
                    outputs->data + i * n_outputs);
  }
  assay_arrays_take (&ret_release->arrays, "vectors", assay_array_take_matrix (outputs));
  return TRUE;
}

gboolean
row_mechanism_check_whole (AssayView secrets, gsize values, GError **error)
{
  for (gsize i = 0; i < secrets.rows; i++)
    for (gsize j = 0; j < secrets.cols; j++) {
      const float value = assay_view_row (secrets, i)[j];

      if (!(value >= 0 && (double) value < (double) values && floorf (value) == value))
        return assay_fail (error, ASSAY_ERROR_DATA,
                           "secret %zu, column %zu is %g; expected a whole number from 0 to %zu", i,
                           j, (double) value, values - 1);
    }
  return TRUE;
}

ASSAY_VECTORISED static void
add_scaled (const double *noise, double scale, gsize count, float *inout_values)
{
  for (gsize i = 0; i < count; i++)
    inout_values[i] = (float) (inout_values[i] + scale * noise[i]);
}

void
row_mechanism_add_noise (const RowNoise *noise, AssayStream *stream, const float *input,
                         gsize cols, gsize count, float *ret_outputs)
{
  const gsize total = count * cols;
  double drawn[BLOCK];

  row_mechanism_repeat (input, cols, count, ret_outputs);
  for (gsize done = 0; done < total; done += BLOCK) {
    const gsize n = MIN (BLOCK, total - done);

    noise->fill (stream, n, drawn);
    add_scaled (drawn, noise->scale, n, ret_outputs + done);
  }
}

/* What is there already is copied behind itself. */
void
row_mechanism_repeat (const float *row, gsize cols, gsize count, float *ret_rows)
{
  const gsize total = count * cols;

  memcpy (ret_rows, row, MIN (cols, total) * sizeof *ret_rows);
  for (gsize done = cols; done < total; done *= 2)
    memcpy (ret_rows + done, ret_rows, MIN (done, total - done) * sizeof *ret_rows);
}
