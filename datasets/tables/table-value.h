/* Numbers of tables, whatever their type. */
#pragma once

#include <string.h>

#include "core/data/array.h"

typedef struct {
  gboolean is_whole; /* @whole is the number; otherwise @value */
  gint64 whole;
  double value;
} AssayTableValue;

/* Number @i of @values, which need not be aligned. */
static inline AssayTableValue
assay_table_value (AssayType type, gconstpointer values, gsize i)
{
  const guint8 *at = (const guint8 *) values + i * assay_type_size (type);
  AssayTableValue number = { .is_whole = TRUE };
  gint32 whole;
  float value;

  switch (type) {
  case ASSAY_UINT8:
    number.whole = *at;
    break;
  case ASSAY_INT32:
    memcpy (&whole, at, sizeof whole);
    number.whole = whole;
    break;
  case ASSAY_INT64:
    memcpy (&number.whole, at, sizeof number.whole);
    break;
  case ASSAY_FLOAT32:
    memcpy (&value, at, sizeof value);
    number = (AssayTableValue){ .value = (double) value };
    break;
  case ASSAY_FLOAT64:
    number.is_whole = FALSE;
    memcpy (&number.value, at, sizeof number.value);
    break;
  }
  return number;
}

/* The @n numbers @values of one type as another, in which each has to be exactly the same number
 * (-0 is none of the whole ones, and NaN and infinities stay what they are between equal types
 * only). FALSE for the first that is not, whose index is @ret_bad. */
gboolean assay_table_convert (AssayType from, gconstpointer values, AssayType to,
                              gpointer ret_values, gsize n, gsize *ret_bad);
/* Number @i as text, for messages, and "whole numbers 0 to 255 (uint8)". */
char *assay_table_number (AssayType type, gconstpointer values, gsize i);
const char *assay_table_describe_type (AssayType type);
