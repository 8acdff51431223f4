/* Types of arrays in records. */
#include "core/data/folders/array-types.h"

#include <float.h>
#include <math.h>

#include "core/base/error.h"
#include "core/data/npy.h"

#define WHOLE_IN_FLOAT ((gint64) 1 << FLT_MANT_DIG) /* up to here float32 has every whole number */

static AssayArray *
float32_from_float64 (const AssayArray *array, const char *path, GError **error)
{
  const gsize count = assay_array_count (array);
  const double *values = (const double *) (gconstpointer) array->data;
  g_autofree float *converted = assay_alloc (count, sizeof *converted, "float32 array", error);

  if (converted == NULL)
    return NULL;
  for (gsize i = 0; i < count; i++) {
    /* NaN and infinities stay what they are, for the check of the record to name them. */
    if (isfinite (values[i]) && fabs (values[i]) > FLT_MAX)
      return assay_fail_null (error, ASSAY_ERROR_DATA,
                              "%s: number %zu (%g) is beyond the range of float32", path, i,
                              values[i]);
    converted[i] = (float) values[i];
  }
  return assay_array_take (ASSAY_FLOAT32, array->n_dimensions, array->shape,
                           g_steal_pointer (&converted));
}

static AssayArray *
int64_from_int32 (const AssayArray *array, GError **error)
{
  const gsize count = assay_array_count (array);
  const gint32 *values = (const gint32 *) (gconstpointer) array->data;
  g_autofree gint64 *converted = assay_alloc (count, sizeof *converted, "int64 array", error);

  if (converted == NULL)
    return NULL;
  for (gsize i = 0; i < count; i++)
    converted[i] = values[i];
  return assay_array_take (ASSAY_INT64, array->n_dimensions, array->shape,
                           g_steal_pointer (&converted));
}

/* NumPy computes in float64, and counts in int32 on some systems: what its users save by themselves
 * is taken as the float32 and int64 of records. No record has arrays of the two other types. */
AssayArray *
assay_record_array_load (const char *path, GError **error)
{
  g_autoptr (AssayArray) array = assay_npy_map (path, error);

  if (array == NULL)
    return NULL;
  if (array->type == ASSAY_FLOAT64)
    return float32_from_float64 (array, path, error);
  if (array->type == ASSAY_INT32)
    return int64_from_int32 (array, error);
  return g_steal_pointer (&array);
}

static float *
reals_of (const AssayArray *array, const char *name, GError **error)
{
  const gsize count = assay_array_count (array);
  g_autofree float *reals = assay_alloc (count, sizeof *reals, "float32 array", error);

  if (reals == NULL)
    return NULL;
  for (gsize i = 0; i < count; i++) {
    const gint64 value = array->type == ASSAY_UINT8 ? array->data[i] : assay_array_int64 (array)[i];

    if (value < -WHOLE_IN_FLOAT || value > WHOLE_IN_FLOAT)
      return assay_fail_null (
          error, ASSAY_ERROR_DATA,
          "array '%s': number %zu (%" G_GINT64_FORMAT
          ") is a whole number beyond 2^%d, of which float32 does not hold all; "
          "expected real or smaller numbers",
          name, i, value, FLT_MANT_DIG);
    reals[i] = (float) value;
  }
  return g_steal_pointer (&reals);
}

gboolean
assay_whole_rows_take (AssayArrays *arrays, const char *name, GError **error)
{
  const AssayArray *array = assay_arrays_get (arrays, name);
  float *reals;

  if (array == NULL || array->n_dimensions < 2
      || !(array->type == ASSAY_INT64 || (array->type == ASSAY_UINT8 && array->n_dimensions == 2)))
    return TRUE;
  reals = reals_of (array, name, error);
  if (reals == NULL)
    return FALSE;
  assay_arrays_take (arrays, name,
                     assay_array_take (ASSAY_FLOAT32, array->n_dimensions, array->shape, reals));
  return TRUE;
}
