/* Typed arrays: the content of one .npy file. */
#include "core/data/array.h"

static const struct {
  const char *name;
  gsize size;
} types[] = {
  [ASSAY_FLOAT32] = { "float32", 4 }, [ASSAY_FLOAT64] = { "float64", 8 },
  [ASSAY_UINT8] = { "uint8", 1 },     [ASSAY_INT32] = { "int32", 4 },
  [ASSAY_INT64] = { "int64", 8 },
};

gsize
assay_type_size (AssayType type)
{
  return types[type].size;
}

const char *
assay_type_name (AssayType type)
{
  return types[type].name;
}

AssayArray *
assay_array_new (AssayType type, guint n_dimensions, const gsize *shape, GBytes *bytes,
                 gsize offset)
{
  AssayArray *array = g_new0 (AssayArray, 1);

  g_assert (n_dimensions >= 1 && n_dimensions <= ASSAY_MAX_DIMENSIONS);
  array->type = type;
  array->n_dimensions = n_dimensions;
  for (guint i = 0; i < n_dimensions; i++)
    array->shape[i] = shape[i];
  array->bytes = g_bytes_ref (bytes);
  array->data = (const guint8 *) g_bytes_get_data (bytes, NULL) + offset;
  return array;
}

AssayArray *
assay_array_take (AssayType type, guint n_dimensions, const gsize *shape, gpointer data)
{
  gsize bytes = assay_type_size (type);
  g_autoptr (GBytes) block = NULL;

  for (guint i = 0; i < n_dimensions; i++)
    bytes *= shape[i];
  block = g_bytes_new_take (data, MAX (bytes, 1));
  return assay_array_new (type, n_dimensions, shape, block, 0);
}

AssayArray *
assay_array_take_matrix (AssayMatrix *matrix)
{
  const gsize shape[] = { matrix->rows, matrix->cols };
  AssayArray *array = assay_array_take (ASSAY_FLOAT32, 2, shape, g_steal_pointer (&matrix->data));

  assay_matrix_free (matrix);
  return array;
}

AssayArray *
assay_array_copy (const AssayArray *array)
{
  AssayArray *copy = g_new (AssayArray, 1);

  *copy = *array;
  g_bytes_ref (copy->bytes);
  return copy;
}

ASSAY_FREE_FUNC (AssayArray, assay_array_free, g_bytes_unref (self->bytes))

gsize
assay_array_count (const AssayArray *array)
{
  gsize count = 1;

  for (guint i = 0; i < array->n_dimensions; i++)
    count *= array->shape[i];
  return count;
}

char *
assay_array_describe (const AssayArray *array)
{
  GString *text = g_string_new (assay_type_name (array->type));

  for (guint i = 0; i < array->n_dimensions; i++)
    g_string_append_printf (text, "%s%zu", i == 0 ? " " : " x ", array->shape[i]);
  return g_string_free (text, FALSE);
}

AssayView
assay_array_view (const AssayArray *array)
{
  gsize cols = 1;

  g_assert (array->type == ASSAY_FLOAT32);
  for (guint i = 1; i < array->n_dimensions; i++)
    cols *= array->shape[i];
  return (AssayView){ .rows = array->shape[0],
                      .cols = cols,
                      .stride = cols,
                      .data = (const float *) (gconstpointer) array->data };
}

const gint64 *
assay_array_int64 (const AssayArray *array)
{
  g_assert (array->type == ASSAY_INT64);
  return (const gint64 *) (gconstpointer) array->data;
}
