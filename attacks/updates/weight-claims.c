/* What attacks on model updates claim of users' weights. */
#include "attacks/updates/weight-claims.h"

void
weight_claims_init (WeightClaims *claims)
{
  claims->numbers = g_array_new (FALSE, FALSE, sizeof (gint64));
  claims->values = g_array_new (FALSE, FALSE, sizeof (float));
}

void
weight_claims_clear (WeightClaims *claims)
{
  g_clear_pointer (&claims->numbers, g_array_unref);
  g_clear_pointer (&claims->values, g_array_unref);
}

void
weight_claims_add (WeightClaims *claims, const WeightClaim *claim)
{
  const gint64 numbers[ASSAY_CLAIM_NUMBERS]
      = { [ASSAY_CLAIM_STEP] = (gint64) claim->step,
          [ASSAY_CLAIM_USER] = claim->user,
          [ASSAY_CLAIM_WEIGHT] = (gint64) claim->weight };
  const float value = (float) claim->value;

  g_array_append_vals (claims->numbers, numbers, ASSAY_CLAIM_NUMBERS);
  g_array_append_val (claims->values, value);
}

void
weight_claims_take (WeightClaims *claims, AssayGuess *ret_guess)
{
  const gsize n = claims->values->len;
  AssayArrays *arrays = &ret_guess->arrays;

  assay_arrays_take_rows (arrays, "weight-claims", ASSAY_INT64, n, ASSAY_CLAIM_NUMBERS,
                          g_memdup2 (claims->numbers->data,
                                     n * ASSAY_CLAIM_NUMBERS * sizeof (gint64)));
  assay_arrays_take (arrays, "claimed-values",
                     assay_array_take (ASSAY_FLOAT32, 1, &n,
                                       g_memdup2 (claims->values->data, n * sizeof (float))));
}
