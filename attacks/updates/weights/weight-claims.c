/* What attacks on model updates claim of users' weights. */
#include "attacks/updates/weights/weight-claims.h"

#include <string.h>

const AssayArraySpec weight_claims_arrays[] = {
  { "weight-claims", "uv", ASSAY_INT64, TRUE, 0 },
  { "claimed-values", "u", ASSAY_FLOAT32, TRUE, 0 },
  { "rows-of-weights", "rw", ASSAY_INT64, TRUE, 0 },
  { .name = NULL },
};

const AssayArraySpec weight_support_arrays[] = { { "support-scores", "gw", ASSAY_FLOAT32, TRUE, 0 },
                                                 { "rows-of-users", "iw", ASSAY_INT64, TRUE, 0 },
                                                 { .name = NULL } };

const AssayArraySpec weight_overlap_arrays[]
    = { { "support-overlaps", "go", ASSAY_INT64, TRUE, 0 }, { .name = NULL } };

void
weight_claims_init (WeightClaims *claims)
{
  claims->numbers = g_array_new (FALSE, FALSE, sizeof (gint64));
  claims->values = g_array_new (FALSE, FALSE, sizeof (float));
}

ASSAY_CLEAR_FUNC (WeightClaims, weight_claims_clear, assay_drop (self->numbers, g_array_unref),
                  assay_drop (self->values, g_array_unref))

void
weight_claims_add (WeightClaims *claims, const WeightClaim *claim)
{
  const gint64 numbers[ASSAY_CLAIM_NUMBERS] = { [ASSAY_CLAIM_STEP] = (gint64) claim->step,
                                                [ASSAY_CLAIM_USER] = claim->user,
                                                [ASSAY_CLAIM_WEIGHT] = (gint64) claim->weight };
  const float value = (float) claim->value;

  g_array_append_vals (claims->numbers, numbers, ASSAY_CLAIM_NUMBERS);
  g_array_append_val (claims->values, value);
}

/* g_memdup2 has nothing to give of nothing. */
static gpointer
copy_numbers (const GArray *numbers)
{
  const gsize bytes = numbers->len * g_array_get_element_size ((GArray *) numbers);
  gpointer copy = g_malloc (bytes + 1);

  if (bytes > 0)
    memcpy (copy, numbers->data, bytes);
  return copy;
}

void
weight_claims_take (WeightClaims *claims, AssayGuess *ret_guess)
{
  const gsize n = claims->values->len;
  AssayArrays *arrays = &ret_guess->arrays;

  assay_arrays_take_rows (arrays, "weight-claims", ASSAY_INT64, n, ASSAY_CLAIM_NUMBERS,
                          copy_numbers (claims->numbers));
  assay_arrays_take (arrays, "claimed-values",
                     assay_array_take (ASSAY_FLOAT32, 1, &n, copy_numbers (claims->values)));
}
