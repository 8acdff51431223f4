/* Releases, guesses and truths of the library. */
#include "lib/sets.h"

#include <string.h>

#include "config.h"
#include "core/base/error.h"
#include "core/data/row-file.h"
#include "core/plugin/registry.h"
#include "lib/status.h"

static const AssayType types[]
    = { ASSAY_FLOAT32, ASSAY_FLOAT64, ASSAY_UINT8, ASSAY_INT32, ASSAY_INT64 };

/* ---- Arrays ---- */

static gboolean
find_type (const char *name, AssayType *ret_type, GError **error)
{
  for (gsize i = 0; name != NULL && i < G_N_ELEMENTS (types); i++)
    if (g_str_equal (assay_type_name (types[i]), name)) {
      *ret_type = types[i];
      return TRUE;
    }
  return assay_fail (error, ASSAY_ERROR_MISMATCH,
                     "numbers of type %s; expected float32, float64, uint8, int32 or int64",
                     name != NULL ? name : "(none)");
}

AssayArray *
assay_lib_array (const AssayApiArray *array, GError **error)
{
  AssayType type = ASSAY_FLOAT32;
  gsize count = 1;
  gpointer copy;

  if (array->n_dimensions < 1 || array->n_dimensions > G_N_ELEMENTS (array->shape))
    return assay_fail_null (error, ASSAY_ERROR_MISMATCH, "has %u dimensions; expected 1 to %zu",
                            array->n_dimensions, G_N_ELEMENTS (array->shape));
  if (!find_type (array->type, &type, error))
    return NULL;
  for (guint i = 0; i < array->n_dimensions; i++)
    if (!g_size_checked_mul (&count, count, array->shape[i]))
      return assay_fail_null (error, ASSAY_ERROR_MEMORY, "announces more than any memory holds");
  if (count > 0 && array->data == NULL)
    return assay_fail_null (error, ASSAY_ERROR_MISMATCH, "has no data");
  copy = assay_alloc (count, assay_type_size (type), "array", error);
  if (copy == NULL)
    return NULL;
  if (count > 0)
    memcpy (copy, array->data, count * assay_type_size (type));
  return assay_array_take (type, array->n_dimensions, array->shape, copy);
}

gboolean
assay_lib_rows (const AssayApiArray *array, const char *role, AssayRows **ret_rows, GError **error)
{
  g_autoptr (AssayArray) own = NULL;

  if (array == NULL)
    return TRUE;
  if (array->n_dimensions != 2 || array->shape[0] == 0 || array->shape[1] == 0)
    return assay_fail (error, ASSAY_ERROR_MISMATCH, "%s: expected rows x columns", role);
  own = assay_lib_array (array, error);
  if (own == NULL)
    return assay_prefix (error, "%s: ", role);
  *ret_rows = assay_rows_from_array (own);
  return TRUE;
}

/* ---- Sets ---- */

static AssayArrays *
arrays_of (const AssayApiSet *set)
{
  return set->release != NULL ? &set->release->arrays
         : set->guess != NULL ? &set->guess->arrays
         : set->truth != NULL ? &set->truth->arrays
                              : set->rows;
}

static gboolean
fail_what (const char *what, GError **error)
{
  return assay_fail (error, ASSAY_ERROR_PARAMETER, "'%s': expected 'release', 'guess' or 'truth'",
                     what);
}

static gboolean
make (const char *what, const char *kind, AssayApiSet *set, GError **error)
{
  const AssayReleaseKind of = kind != NULL ? assay_release_kind_from_name (kind) : 0;

  if (g_str_equal (what, "guess"))
    set->guess = assay_guess_new ();
  else if (g_str_equal (what, "truth"))
    set->truth = assay_truth_new ();
  else if (!g_str_equal (what, "release"))
    return fail_what (what, error);
  else if (of == ASSAY_RELEASE_NONE)
    return assay_fail (error, ASSAY_ERROR_PARAMETER,
                       "there is no release of kind '%s'; expected 'vectors', 'subspaces' ...",
                       kind != NULL ? kind : "");
  else
    set->release = assay_release_new (of, "library");
  return TRUE;
}

int
assay_api_set_new (const char *what, const char *kind, AssayApiSet **ret_set)
{
  AssayApiSet *set = g_new0 (AssayApiSet, 1);
  GError *error = NULL;

  assay_lib_begin ();
  if (!make (what, kind, set, &error)) {
    assay_api_set_free (set);
    return assay_lib_fail (error);
  }
  *ret_set = set;
  return ASSAY_API_OK;
}

static gboolean
read_set (const char *what, const char *folder, AssayApiSet *set, GError **error)
{
  if (g_str_equal (what, "release"))
    return (set->release = assay_release_read (folder, error)) != NULL;
  if (g_str_equal (what, "truth"))
    return (set->truth = assay_truth_read (folder, error)) != NULL;
  if (!g_str_equal (what, "guess"))
    return fail_what (what, error);
  set->guess = assay_guess_read (folder, assay_registry_guess_arrays (), error);
  return set->guess != NULL;
}

int
assay_api_set_read (const char *what, const char *folder, AssayApiSet **ret_set)
{
  AssayApiSet *set = g_new0 (AssayApiSet, 1);
  GError *error = NULL;

  assay_lib_begin ();
  if (!read_set (what, folder, set, &error)) {
    assay_api_set_free (set);
    return assay_lib_fail (error);
  }
  *ret_set = set;
  return ASSAY_API_OK;
}

int
assay_api_set_write (const AssayApiSet *set, const char *folder)
{
  GError *error = NULL;
  gboolean is_ok;

  assay_lib_begin ();
  if (set->release != NULL)
    is_ok = assay_release_check (set->release, &error)
            && assay_release_write (set->release, folder, &error);
  else if (set->guess != NULL)
    is_ok = assay_guess_write (set->guess, folder, &error);
  else if (set->truth != NULL)
    is_ok = assay_truth_write (set->truth, folder, &error);
  else
    is_ok = assay_fail (&error, ASSAY_ERROR_PARAMETER, "rows have no folder");
  return is_ok ? ASSAY_API_OK : assay_lib_fail (error);
}

void
assay_api_set_free (AssayApiSet *set)
{
  if (set == NULL)
    return;
  assay_release_free (set->release);
  assay_guess_free (set->guess);
  assay_truth_free (set->truth);
  if (set->rows != NULL)
    assay_arrays_clear (set->rows);
  g_free (set->rows);
  g_free (set);
}

int
assay_api_set_add (AssayApiSet *set, const AssayApiArray *array)
{
  GError *error = NULL;
  AssayArray *own;

  assay_lib_begin ();
  own = assay_lib_array (array, &error);
  if (own == NULL) {
    g_prefix_error (&error, "%s: ", array->name);
    return assay_lib_fail (error);
  }
  assay_arrays_take (arrays_of (set), array->name, own);
  return ASSAY_API_OK;
}

size_t
assay_api_set_count (const AssayApiSet *set)
{
  return arrays_of (set)->arrays->len;
}

void
assay_api_set_array (const AssayApiSet *set, size_t index, AssayApiArray *ret_array)
{
  const AssayArrays *arrays = arrays_of (set);
  const AssayArray *array = arrays->arrays->pdata[index];

  *ret_array = (AssayApiArray){ .name = arrays->names->pdata[index],
                                .type = assay_type_name (array->type),
                                .n_dimensions = array->n_dimensions,
                                .data = array->data };
  /* Records hold none of four dimensions: images become rows when they are read. */
  g_assert (array->n_dimensions <= G_N_ELEMENTS (ret_array->shape));
  memcpy (ret_array->shape, array->shape, sizeof ret_array->shape);
}

int
assay_api_rows_read (const char *specification, AssayApiSet **ret_set)
{
  const char *const folders[] = { ".", assay_data_folder (ASSAY_DEFAULT_DATA), NULL };
  GError *error = NULL;
  g_autoptr (AssayRowFiles) files = NULL;
  AssayMatrix *matrix;
  AssayApiSet *set;

  assay_lib_begin ();
  files = assay_row_files_open (specification, folders, &error);
  matrix = files != NULL ? assay_rows_matrix (files->rows, ASSAY_SCALE_NONE, &error) : NULL;
  if (matrix == NULL)
    return assay_lib_fail (error);
  set = g_new0 (AssayApiSet, 1);
  set->rows = g_new0 (AssayArrays, 1);
  assay_arrays_init (set->rows);
  assay_arrays_take_matrix (set->rows, "rows", &matrix);
  *ret_set = set;
  return ASSAY_API_OK;
}
