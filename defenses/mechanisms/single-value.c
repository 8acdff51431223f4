/* Mechanisms whose secrets are one number of 0 .. values - 1. */
#include "defenses/mechanisms/single-value.h"

#include "defenses/mechanisms/row-mechanism.h"

gboolean
single_value_check_columns (gsize cols, gsize values, GError **error)
{
  return cols <= 1
         || assay_fail (error, ASSAY_ERROR_DATA,
                        "secrets have %" G_GSIZE_FORMAT
                        " columns; expected one, a whole number from 0 to %" G_GSIZE_FORMAT,
                        cols, values - 1);
}

gboolean
single_value_check (AssayView secrets, gsize values, GError **error)
{
  return single_value_check_columns (secrets.cols, values, error)
         && row_mechanism_check_whole (secrets, values, error);
}

void
single_value_pair (gsize values, guint index, AssayStream *stream, float *ret_first,
                   float *ret_second)
{
  gsize chosen[2] = { 0, 1 };

  if (index > 0)
    assay_stream_choose (stream, values, 2, chosen);
  *ret_first = (float) chosen[0];
  *ret_second = (float) chosen[1];
}
