/* Numbers of tables. */
#include "datasets/tables/table-value.h"

#include <math.h>
#include <string.h>

#include "core/base/text.h"

/* The number as an int64, if it is one. */
static gboolean
to_whole (const AssayTableValue *number, gint64 *ret_whole)
{
  if (number->is_whole) {
    *ret_whole = number->whole;
    return TRUE;
  }
  /* The comparisons are false for NaN. */
  if (!(number->value >= -0x1p63 && number->value < 0x1p63)
      || number->value != trunc (number->value) || (number->value == 0 && signbit (number->value)))
    return FALSE;
  *ret_whole = (gint64) number->value;
  return TRUE;
}

static gboolean
to_real (const AssayTableValue *number, double *ret_value)
{
  const double value = number->is_whole ? (double) number->whole : number->value;

  if (!isfinite (value)
      || (number->is_whole && (value >= 0x1p63 || (gint64) value != number->whole)))
    return FALSE;
  *ret_value = value;
  return TRUE;
}

static gboolean
store (const AssayTableValue *number, AssayType to, gpointer ret_values, gsize i)
{
  gint64 whole = 0;
  double value = 0;

  switch (to) {
  case ASSAY_UINT8:
    if (!to_whole (number, &whole) || whole < 0 || whole > G_MAXUINT8)
      return FALSE;
    ((guint8 *) ret_values)[i] = (guint8) whole;
    return TRUE;
  case ASSAY_INT32:
    if (!to_whole (number, &whole) || whole < G_MININT32 || whole > G_MAXINT32)
      return FALSE;
    ((gint32 *) ret_values)[i] = (gint32) whole;
    return TRUE;
  case ASSAY_INT64:
    return to_whole (number, (gint64 *) ret_values + i);
  case ASSAY_FLOAT32:
    if (!to_real (number, &value) || fabs (value) > (double) G_MAXFLOAT
        || (double) (float) value != value)
      return FALSE;
    ((float *) ret_values)[i] = (float) value;
    return TRUE;
  default:
    return to_real (number, (double *) ret_values + i);
  }
}

gboolean
assay_table_convert (AssayType from, gconstpointer values, AssayType to, gpointer ret_values,
                     gsize n, gsize *ret_bad)
{
  if (from == to) {
    memcpy (ret_values, values, n * assay_type_size (from));
    return TRUE;
  }
  for (gsize i = 0; i < n; i++) {
    const AssayTableValue number = assay_table_value (from, values, i);

    if (!store (&number, to, ret_values, i)) {
      *ret_bad = i;
      return FALSE;
    }
  }
  return TRUE;
}

char *
assay_table_number (AssayType type, gconstpointer values, gsize i)
{
  const AssayTableValue number = assay_table_value (type, values, i);

  if (number.is_whole)
    return g_strdup_printf ("%" G_GINT64_FORMAT, number.whole);
  if (!isfinite (number.value))
    return g_strdup (isnan (number.value) ? "NaN" : number.value < 0 ? "-infinity" : "infinity");
  if (number.value == 0 && signbit (number.value))
    return g_strdup ("-0");
  return assay_text_number (number.value);
}

const char *
assay_table_describe_type (AssayType type)
{
  switch (type) {
  case ASSAY_UINT8:
    return "whole numbers 0 to 255 (uint8)";
  case ASSAY_INT32:
    return "whole numbers of 32 bits (int32)";
  case ASSAY_INT64:
    return "whole numbers of 64 bits (int64)";
  case ASSAY_FLOAT32:
    return "numbers that float32 holds exactly";
  default:
    return "numbers that float64 holds exactly";
  }
}
