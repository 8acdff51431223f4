/* What attacks on codes have in common. */
#include "attacks/codes/released-codes.h"

#include "core/games/control-case.h"

static gboolean
check_repeat (const AssayRelease *first, const AssayRelease *repeat, gsize number, GError **error)
{
  return (assay_release_count (repeat) == assay_release_count (first)
          && repeat->bits == first->bits)
         || assay_fail (error, ASSAY_ERROR_MISMATCH,
                        "repeat %zu: expected %zu codes of %zu bits, as the release has, found %zu "
                        "of %zu",
                        number, assay_release_count (first), first->bits,
                        assay_release_count (repeat), repeat->bits);
}

static void
add_release (const AssayRelease *release, double weight, AssayMatrix *sum)
{
  const AssayArray *codes = assay_arrays_get (&release->arrays, "codes");

  for (gsize i = 0; i < sum->rows; i++)
    for (gsize j = 0; j < sum->cols; j++)
      assay_matrix_row (sum, i)[j]
          += (float) (assay_code_bit (codes->data + i * codes->shape[1], j) ? weight : -weight);
}

AssayMatrix *
released_codes_mean (const AssayObservation *seen, gsize n_repeats, gboolean is_negated,
                     GError **error)
{
  const gsize used = MIN (n_repeats, seen->n_repeats);
  const double weight = (is_negated ? -1.0 : 1.0) / (double) (1 + used);
  AssayMatrix *mean;

  for (gsize r = 0; r < used; r++)
    if (!check_repeat (seen->release, seen->repeats[r], r + 1, error))
      return NULL;
  mean = assay_matrix_new (assay_release_count (seen->release), seen->release->bits, error);
  if (mean == NULL)
    return NULL;
  add_release (seen->release, weight, mean);
  for (gsize r = 0; r < used; r++)
    add_release (seen->repeats[r], weight, mean);
  return mean;
}

gboolean
released_codes_control (gsize n, gsize cols, gsize bits, AssayStreamKey key,
                        AssayControlCase *ret_case, GError **error)
{
  AssayStream stream = assay_stream (key, 0);
  g_autoptr (AssayHashFunction) function = assay_hash_function_new ();
  AssayMatrix *rows = assay_control_normals (n, cols, &stream, error);
  AssayArray *codes;

  ret_case->release = assay_release_new (ASSAY_RELEASE_CODES, "control");
  ret_case->truth = assay_truth_new ();
  if (rows == NULL)
    return FALSE;
  assay_arrays_take_matrix (&ret_case->truth->arrays, "secrets", &rows);
  function->mean = assay_matrix_new (1, cols, error);
  function->projection = assay_control_normals (bits, cols, &stream, error);
  if (function->mean == NULL || function->projection == NULL)
    return FALSE;
  codes = assay_hash_function_codes (
      function, assay_array_view (assay_arrays_get (&ret_case->truth->arrays, "secrets")), error);
  if (codes == NULL)
    return FALSE;
  assay_arrays_take (&ret_case->truth->arrays, "codes", assay_array_copy (codes));
  assay_arrays_take (&ret_case->release->arrays, "codes", codes);
  ret_case->release->bits = bits;
  assay_hash_function_release (function, ret_case->release);
  return TRUE;
}
