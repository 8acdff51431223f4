/* Arrays of other programs as those of records: what whole numbers become, and which stay. */
#include <criterion/criterion.h>

#include "core/data/folders/array-types.h"

static AssayArrays
arrays_of (AssayType type, guint n_dimensions, const gsize *shape, gconstpointer numbers)
{
  AssayArrays arrays;
  gsize count = 1;

  for (guint d = 0; d < n_dimensions; d++)
    count *= shape[d];
  assay_arrays_init (&arrays);
  assay_arrays_take (&arrays, "rows",
                     assay_array_take (type, n_dimensions, shape,
                                       g_memdup2 (numbers, count * assay_type_size (type))));
  return arrays;
}

Test (array_types, whole_rows_become_reals)
{
  const gint64 whole[] = { -127, 0, 3, 16777216, -16777216, 1 };
  const guint8 bytes[] = { 0, 255, 1, 7, 128, 2 };
  const gsize shape[] = { 2, 3 };

  for (guint k = 0; k < 2; k++) {
    AssayArrays arrays = k == 0 ? arrays_of (ASSAY_INT64, 2, shape, whole)
                                : arrays_of (ASSAY_UINT8, 2, shape, bytes);
    const AssayArray *rows;

    cr_assert (assay_whole_rows_take (&arrays, "rows", NULL));
    rows = assay_arrays_get (&arrays, "rows");
    cr_assert (rows->type == ASSAY_FLOAT32 && rows->shape[0] == 2 && rows->shape[1] == 3);
    for (guint i = 0; i < 6; i++)
      cr_assert (assay_array_view (rows).data[i] == (float) (k == 0 ? whole[i] : bytes[i]), "%u",
                 i);
    cr_assert (assay_whole_rows_take (&arrays, "others", NULL), "what is not there is no mistake");
    assay_arrays_clear (&arrays);
  }
}

Test (array_types, images_of_bytes_and_lists_stay)
{
  const gint64 list[] = { 1, 2 };
  const guint8 image[] = { 1, 2 };
  const gsize length[] = { 2 }, sides[] = { 1, 2, 1 };
  AssayArrays numbers = arrays_of (ASSAY_INT64, 1, length, list);
  AssayArrays images = arrays_of (ASSAY_UINT8, 3, sides, image);

  cr_assert (assay_whole_rows_take (&numbers, "rows", NULL));
  cr_assert (assay_whole_rows_take (&images, "rows", NULL));
  cr_assert (assay_arrays_get (&numbers, "rows")->type == ASSAY_INT64);
  cr_assert (assay_arrays_get (&images, "rows")->type == ASSAY_UINT8);
  assay_arrays_clear (&numbers);
  assay_arrays_clear (&images);
}
