/* Rows as a network takes them. */
#include "metrics/learning/network-input.h"

#include <math.h>

#include "core/base/parallel.h"
#include "core/base/vectorise.h"

#define PANEL 256 /* rows */

const char *const network_input_forms[] = { "auto", "plain", "absolute", "both", NULL };

gsize
network_input_cols (NetworkInputForm form, gsize row_cols)
{
  return form == NETWORK_INPUT_BOTH ? 2 * row_cols : row_cols;
}

ASSAY_CLEAR_FUNC (NetworkInput, network_input_clear, assay_drop (self->means, g_free))

/* Pairs with a zero, which has no sign, are left out. */
NetworkInputForm
network_input_choose (AssayView rows)
{
  gint64 n = 0, n_equal = 0;

  for (gsize i = 0; i < rows.rows; i++) {
    const float *row = assay_view_row (rows, i);

    for (gsize c = 0; c + 1 < rows.cols; c += 2) {
      n += row[c] != 0 && row[c + 1] != 0;
      n_equal += (row[c] > 0 && row[c + 1] > 0) || (row[c] < 0 && row[c + 1] < 0);
    }
  }
  /* The deviation of the difference of equal and unequal pairs is sqrt (n). */
  return fabs ((double) (2 * n_equal - n)) <= 6 * sqrt ((double) n) ? NETWORK_INPUT_ABSOLUTE
                                                                    : NETWORK_INPUT_PLAIN;
}

/* ---- Kernels ---- */

ASSAY_VECTORISED static void
add_to_sums (const float *values, gsize cols, double *inout_sums)
{
  for (gsize c = 0; c < cols; c++)
    inout_sums[c] += (double) values[c];
}

ASSAY_VECTORISED static void
add_squares (const float *values, const float *means, gsize cols, double *inout_sums)
{
  for (gsize c = 0; c < cols; c++)
    inout_sums[c]
        += ((double) values[c] - (double) means[c]) * ((double) values[c] - (double) means[c]);
}

ASSAY_VECTORISED static void
standardise (const float *means, float scale, gsize cols, float *inout_values)
{
  for (gsize c = 0; c < cols; c++)
    inout_values[c] = (inout_values[c] - means[c]) * scale;
}

static void
put_form (NetworkInputForm form, const float *row, gsize row_cols, float *ret_values)
{
  const gsize absolute = form == NETWORK_INPUT_BOTH ? row_cols : 0;

  for (gsize c = 0; form != NETWORK_INPUT_ABSOLUTE && c < row_cols; c++)
    ret_values[c] = row[c];
  for (gsize c = 0; form != NETWORK_INPUT_PLAIN && c < row_cols; c++)
    ret_values[absolute + c] = fabsf (row[c]);
}

/* ---- Rows ---- */

typedef struct {
  const NetworkInput *input;
  AssayView rows;
  float *values;
} Taking;

static void
take_panel (gsize index, G_GNUC_UNUSED guint worker, gpointer data)
{
  const Taking *taking = data;
  const NetworkInput *input = taking->input;
  const gsize end = MIN (taking->rows.rows, (index + 1) * PANEL);

  for (gsize i = index * PANEL; i < end; i++) {
    float *values = taking->values + i * input->cols;

    put_form (input->form, assay_view_row (taking->rows, i), input->row_cols, values);
    if (input->means != NULL)
      standardise (input->means, input->scale, input->cols, values);
  }
}

void
network_input_take (const NetworkInput *input, AssayView rows, float *ret_values)
{
  Taking taking = { input, rows, ret_values };

  assay_parallel_for ((rows.rows + PANEL - 1) / PANEL, take_panel, &taking);
}

AssayMatrix *
network_input_learn (NetworkInputForm form, AssayView rows, NetworkInput *ret_input, GError **error)
{
  g_auto (NetworkInput) input = {
    .form = form, .row_cols = rows.cols, .cols = network_input_cols (form, rows.cols), .scale = 1
  };
  g_autoptr (AssayMatrix) taken = assay_matrix_new (rows.rows, input.cols, error);
  g_autofree double *sums = assay_alloc (input.cols, sizeof *sums, "means", error);
  g_autofree float *means = assay_alloc (input.cols, sizeof *means, "means", error);
  double total = 0;

  if (taken == NULL || sums == NULL || means == NULL)
    return NULL;
  network_input_take (&input, rows, taken->data);
  for (gsize i = 0; i < rows.rows; i++)
    add_to_sums (assay_matrix_row (taken, i), input.cols, sums);
  for (gsize c = 0; c < input.cols; c++) {
    means[c] = (float) (sums[c] / (double) MAX (rows.rows, 1));
    sums[c] = 0;
  }
  for (gsize i = 0; i < rows.rows; i++)
    add_squares (assay_matrix_row (taken, i), means, input.cols, sums);
  for (gsize c = 0; c < input.cols; c++)
    total += sums[c];
  total /= (double) MAX (rows.rows * input.cols, 1);
  input.scale = total > 0 ? (float) (1 / sqrt (total)) : 1;
  input.means = g_steal_pointer (&means);
  for (gsize i = 0; i < rows.rows; i++)
    standardise (input.means, input.scale, input.cols, assay_matrix_row (taken, i));
  *ret_input = input;
  input.means = NULL;
  return g_steal_pointer (&taken);
}
