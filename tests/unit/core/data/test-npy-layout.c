/* Numbers of .npy files in other types and orders than arrays have. Against NumPy:
 * tests/cli/test_numpy.py. */
#include <criterion/criterion.h>

#include <math.h>
#include <string.h>

#include "core/base/error.h"
#include "core/data/formats/npy-layout.h"

/* What is stored, and the number that it is. */
static const struct {
  const char *descr;
  guint8 stored[8];
  AssayType type;
  double number;
} conversions[] = {
  { "<f2", { 0x00, 0x3c }, ASSAY_FLOAT32, 1 },
  { ">f2", { 0xc0, 0x00 }, ASSAY_FLOAT32, -2 },
  { "<f2", { 0x01, 0x00 }, ASSAY_FLOAT32, 0x1p-24 },
  { "<f2", { 0xff, 0x83 }, ASSAY_FLOAT32, -0x1.ff8p-15 },
  { "<f2", { 0x00, 0x04 }, ASSAY_FLOAT32, 0x1p-14 },
  { "<f2", { 0xff, 0x7b }, ASSAY_FLOAT32, 65504 },
  { "<f2", { 0x00, 0x7c }, ASSAY_FLOAT32, HUGE_VAL },
  { ">f4", { 0x3f, 0x80 }, ASSAY_FLOAT32, 1 },
  { ">f8", { 0xbf, 0xf0 }, ASSAY_FLOAT64, -1 },
  { "|i1", { 0x80 }, ASSAY_INT32, -128 },
  { "<i2", { 0xfe, 0xff }, ASSAY_INT32, -2 },
  { ">u2", { 0xff, 0xfe }, ASSAY_INT32, 65534 },
  { "<u4", { 0xff, 0xff, 0xff, 0xff }, ASSAY_INT64, 4294967295.0 },
  { ">i4", { 0xff, 0xff, 0xff, 0xfd }, ASSAY_INT32, -3 },
  { ">i8", { 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xfc }, ASSAY_INT64, -4 },
  { "|b1", { 7 }, ASSAY_UINT8, 1 },
};

static gpointer
convert (const char *descr, gboolean is_fortran, guint n_dimensions, const gsize *shape,
         const guint8 *stored, AssayType *ret_type, GError **error)
{
  AssayNpyLayout layout;
  gpointer numbers = NULL;

  cr_assert (assay_npy_layout_parse (descr, &layout), "%s", descr);
  cr_assert_not (assay_npy_layout_is_native (&layout) && !is_fortran, "%s", descr);
  layout.is_fortran = is_fortran;
  *ret_type = layout.type;
  assay_npy_layout_convert (&layout, n_dimensions, shape, stored, &numbers, error);
  return numbers;
}

static double
first_number (gconstpointer numbers, AssayType type)
{
  switch (type) {
  case ASSAY_FLOAT32:
    return *(const float *) numbers;
  case ASSAY_FLOAT64:
    return *(const double *) numbers;
  case ASSAY_UINT8:
    return *(const guint8 *) numbers;
  case ASSAY_INT32:
    return *(const gint32 *) numbers;
  case ASSAY_INT64:
  default:
    return (double) *(const gint64 *) numbers;
  }
}

Test (npy_layout, other_types_become_the_next_that_holds_them)
{
  const gsize one = 1;

  for (gsize i = 0; i < G_N_ELEMENTS (conversions); i++) {
    AssayType type;
    g_autofree gpointer numbers
        = convert (conversions[i].descr, FALSE, 1, &one, conversions[i].stored, &type, NULL);

    cr_assert_eq (type, conversions[i].type, "%s", conversions[i].descr);
    cr_assert_eq (first_number (numbers, type), conversions[i].number, "%s: %g",
                  conversions[i].descr, first_number (numbers, type));
  }
}

Test (npy_layout, a_not_a_number_of_16_bits_stays_one)
{
  const gsize one = 1;
  AssayType type;
  g_autofree gpointer numbers
      = convert ("<f2", FALSE, 1, &one, (const guint8[]){ 0x01, 0x7e }, &type, NULL);

  cr_assert (isnan (*(const float *) numbers));
}

Test (npy_layout, whole_numbers_beyond_int64_are_refused)
{
  static const guint8 stored[16]
      = { 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x7f, [15] = 0x80 };
  const gsize two = 2;
  g_autoptr (GError) error = NULL;
  AssayType type;

  cr_assert_null (convert ("<u8", FALSE, 1, &two, stored, &type, &error));
  cr_assert_str_eq (error->message,
                    "number 1 is beyond int64; expected whole numbers up to 2^63 - 1");
}

/* NumPy's numpy.arange (24).reshape (2, 3, 4, order = "F"), whose file counts up. */
Test (npy_layout, fortran_order_becomes_ours)
{
  const gsize shape[] = { 2, 3, 4 };
  g_autofree gpointer numbers = NULL;
  guint8 stored[24];
  AssayType type;

  for (guint8 i = 0; i < 24; i++)
    stored[i] = i;
  numbers = convert ("|u1", TRUE, 3, shape, stored, &type, NULL);
  for (gsize i = 0; i < 2; i++)
    for (gsize j = 0; j < 3; j++)
      for (gsize k = 0; k < 4; k++)
        cr_assert_eq (((const guint8 *) numbers)[(i * 3 + j) * 4 + k], i + 2 * (j + 3 * k));
}

/* As many rows as there can be, of nothing: found by the fuzzer, and once walked through. */
Test (npy_layout, no_numbers_in_many_rows, .timeout = 60)
{
  static const gsize shapes[][3]
      = { { G_MAXSIZE, 0, 1 }, { G_MAXSIZE, 1, 0 }, { 1, G_MAXSIZE, 0 } };
  const guint8 stored[1] = { 0 };
  AssayType type;

  for (gsize i = 0; i < G_N_ELEMENTS (shapes); i++) {
    g_free (convert ("<i2", FALSE, 3, shapes[i], stored, &type, NULL));
    cr_assert_eq (type, ASSAY_INT32);
  }
}

Test (npy_layout, types_of_arrays_are_native_and_others_are_none)
{
  static const char *const native[] = { "<f4", "<f8", "|u1", "<u1", "<i4", "<i8", "=f4" };
  static const char *const none[]
      = { "", "<", "f", "<f16", "<f3", "<c8", "|O", "|S1", "<f44", "x4", "<i0" };
  AssayNpyLayout layout;

  for (gsize i = 0; i < G_N_ELEMENTS (native); i++)
    cr_assert (assay_npy_layout_parse (native[i], &layout)
                   && assay_npy_layout_is_native (&layout),
               "%s", native[i]);
  for (gsize i = 0; i < G_N_ELEMENTS (none); i++)
    cr_assert_not (assay_npy_layout_parse (none[i], &layout), "%s", none[i]);
}
