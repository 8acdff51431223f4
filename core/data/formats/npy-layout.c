/* Numbers of a .npy file. */
#include "core/data/formats/npy-layout.h"

#include <math.h>
#include <string.h>

#include "core/base/error.h"

G_STATIC_ASSERT (G_BYTE_ORDER == G_LITTLE_ENDIAN);

static const struct {
  char kind;
  guint8 size;
  AssayType type;
} layouts[] = {
  { 'f', 2, ASSAY_FLOAT32 }, { 'f', 4, ASSAY_FLOAT32 }, { 'f', 8, ASSAY_FLOAT64 },
  { 'i', 1, ASSAY_INT32 },   { 'i', 2, ASSAY_INT32 },   { 'i', 4, ASSAY_INT32 },
  { 'i', 8, ASSAY_INT64 },   { 'u', 1, ASSAY_UINT8 },   { 'u', 2, ASSAY_INT32 },
  { 'u', 4, ASSAY_INT64 },   { 'u', 8, ASSAY_INT64 },   { 'b', 1, ASSAY_UINT8 },
};

gboolean
assay_npy_layout_parse (const char *descr, AssayNpyLayout *ret_layout)
{
  const gboolean has_order = descr[0] != '\0' && strchr ("<>|=", descr[0]) != NULL;
  const char *kind = descr + has_order;

  if (strlen (kind) != 2)
    return FALSE;
  for (gsize i = 0; i < G_N_ELEMENTS (layouts); i++)
    if (layouts[i].kind == kind[0] && layouts[i].size == kind[1] - '0') {
      *ret_layout = (AssayNpyLayout){ .type = layouts[i].type,
                                      .kind = layouts[i].kind,
                                      .size = layouts[i].size,
                                      .is_swapped = descr[0] == '>' && layouts[i].size > 1 };
      return TRUE;
    }
  return FALSE;
}

char *
assay_npy_layout_name (const AssayNpyLayout *layout)
{
  const char *kind = layout->kind == 'f'   ? "float"
                     : layout->kind == 'i' ? "int"
                     : layout->kind == 'u' ? "uint"
                                           : NULL;

  return kind != NULL ? g_strdup_printf ("%s%u", kind, 8u * layout->size) : g_strdup ("bool");
}

gboolean
assay_npy_layout_is_native (const AssayNpyLayout *layout)
{
  return !layout->is_swapped && !layout->is_fortran && layout->kind != 'b'
         && layout->size == assay_type_size (layout->type)
         && (layout->kind != 'u' || layout->size == 1);
}

/* ---- One number ---- */

static guint64
take_bits (const AssayNpyLayout *layout, const guint8 *at)
{
  guint64 bits = 0;

  for (guint i = 0; i < layout->size; i++)
    bits |= (guint64) at[layout->is_swapped ? layout->size - 1 - i : i] << (8 * i);
  return bits;
}

/* IEEE 754's binary16: a sign, 5 bits of exponent, 10 of mantissa. The bits of a NaN stay. */
static float
half_value (guint16 half)
{
  const guint32 sign = (guint32) (half >> 15) << 31, exponent = half >> 10 & 31;
  const guint32 mantissa = half & 1023;
  guint32 bits;
  float value;

  if (exponent == 0) {
    value = ldexpf ((float) mantissa, -24);
    return sign != 0 ? -value : value;
  }
  bits = sign | (exponent == 31 ? 255u : exponent + 112u) << 23 | mantissa << 13;
  memcpy (&value, &bits, sizeof value);
  return value;
}

static gint64
whole_value (const AssayNpyLayout *layout, guint64 bits)
{
  const guint unused = 64 - 8 * layout->size;

  if (layout->kind == 'b')
    return bits != 0;
  if (layout->kind == 'u' || unused == 0)
    return (gint64) bits;
  /* The sign bit of the stored number fills what is above it. */
  return (gint64) (bits << unused) >> unused;
}

/* Writes number @i. FALSE: it is beyond what the type holds. */
static gboolean
put (const AssayNpyLayout *layout, const guint8 *at, gpointer numbers, gsize i)
{
  const guint64 bits = take_bits (layout, at);
  const gint64 whole = whole_value (layout, bits);

  switch (layout->type) {
  case ASSAY_FLOAT32:
    if (layout->size == 2)
      ((float *) numbers)[i] = half_value ((guint16) bits);
    else
      ((guint32 *) numbers)[i] = (guint32) bits;
    return TRUE;
  case ASSAY_FLOAT64:
    ((guint64 *) numbers)[i] = bits;
    return TRUE;
  case ASSAY_UINT8:
    ((guint8 *) numbers)[i] = (guint8) whole;
    return TRUE;
  case ASSAY_INT32:
    ((gint32 *) numbers)[i] = (gint32) whole;
    return TRUE;
  case ASSAY_INT64:
  default:
    ((gint64 *) numbers)[i] = whole;
    return layout->kind != 'u' || whole >= 0;
  }
}

/* ---- All of them ---- */

/* Numbers between neighbours of each dimension, in the file. */
static void
find_strides (const AssayNpyLayout *layout, const gsize size[ASSAY_MAX_DIMENSIONS],
              gsize ret_strides[ASSAY_MAX_DIMENSIONS])
{
  gsize stride = 1;

  for (guint i = 0; i < ASSAY_MAX_DIMENSIONS; i++) {
    const guint d = layout->is_fortran ? i : ASSAY_MAX_DIMENSIONS - 1 - i;

    ret_strides[d] = stride;
    stride *= size[d];
  }
}

/* Where the number after that at @index, @at, stands in the file, in C order; @index moves on. */
static gsize
step (const gsize size[ASSAY_MAX_DIMENSIONS], const gsize strides[ASSAY_MAX_DIMENSIONS],
      gsize inout_index[ASSAY_MAX_DIMENSIONS], gsize at)
{
  for (guint d = ASSAY_MAX_DIMENSIONS; d > 0; d--) {
    at += strides[d - 1];
    if (++inout_index[d - 1] < size[d - 1])
      break;
    at -= size[d - 1] * strides[d - 1];
    inout_index[d - 1] = 0;
  }
  return at;
}

gboolean
assay_npy_layout_convert (const AssayNpyLayout *layout, guint n_dimensions, const gsize *shape,
                          const guint8 *stored, gpointer *ret_numbers, GError **error)
{
  gsize size[ASSAY_MAX_DIMENSIONS] = { 1, 1, 1, 1 }, strides[ASSAY_MAX_DIMENSIONS];
  gsize index[ASSAY_MAX_DIMENSIONS] = { 0 }, at = 0, count = 1;
  g_autofree gpointer numbers = NULL;

  for (guint d = 0; d < n_dimensions; d++)
    size[d] = shape[d];
  for (guint d = 0; d < ASSAY_MAX_DIMENSIONS; d++)
    count *= size[d];
  find_strides (layout, size, strides);
  numbers = assay_alloc (count, assay_type_size (layout->type), ".npy file", error);
  if (numbers == NULL)
    return FALSE;
  /* In C order; 2^64 rows of no columns stand in 119 bytes, and are no numbers. */
  for (gsize n = 0; n < count; n++) {
    if (!put (layout, stored + at * layout->size, numbers, n))
      return assay_fail (error, ASSAY_ERROR_DATA,
                         "number %zu is beyond int64; expected whole numbers up to 2^63 - 1", n);
    at = step (size, strides, index, at);
  }
  *ret_numbers = g_steal_pointer (&numbers);
  return TRUE;
}
