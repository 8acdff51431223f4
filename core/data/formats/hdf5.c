/* Arrays in HDF5 files. */
#include "core/data/formats/hdf5.h"

#include "config.h"
#include "core/base/error.h"

#if ASSAY_HAS_HDF5

#include <hdf5.h>

#include "core/data/formats/array-choice.h"
#include "core/data/formats/late-library.h"
#include "core/data/matrix.h"

/* Which the headers are of: another interface is another number. */
#if H5_VERSION_GE(1, 14, 0)
#define NUMBER "310"
#elif H5_VERSION_GE(1, 12, 0)
#define NUMBER "200"
#else
#define NUMBER "103"
#endif

#define FUNCTIONS(X)                                                                               \
  X (H5open)                                                                                       \
  X (H5Eset_auto2)                                                                                 \
  X (H5Fis_hdf5)                                                                                   \
  X (H5Fopen)                                                                                      \
  X (H5Fclose)                                                                                     \
  X (H5Gget_info)                                                                                  \
  X (H5Lget_name_by_idx)                                                                           \
  X (H5Oopen)                                                                                      \
  X (H5Oclose)                                                                                     \
  X (H5Iget_type)                                                                                  \
  X (H5Dget_space)                                                                                 \
  X (H5Dget_type)                                                                                  \
  X (H5Dread)                                                                                      \
  X (H5Sget_simple_extent_ndims)                                                                   \
  X (H5Sget_simple_extent_dims)                                                                    \
  X (H5Sclose)                                                                                     \
  X (H5Tget_class)                                                                                 \
  X (H5Tget_size)                                                                                  \
  X (H5Tget_sign)                                                                                  \
  X (H5Tclose)                                                                                     \
  X (H5T_NATIVE_FLOAT_g)                                                                           \
  X (H5T_NATIVE_DOUBLE_g)                                                                          \
  X (H5T_NATIVE_UINT8_g)                                                                           \
  X (H5T_NATIVE_INT32_g)                                                                           \
  X (H5T_NATIVE_INT64_g)                                                                           \
  X (H5T_NATIVE_UINT64_g)
ASSAY_LATE_LIBRARY (late, FUNCTIONS);

#define READ_ONLY 0 /* H5F_ACC_RDONLY without the calls in that macro */
/* Groups within groups: files may lead in circles. */
#define MAX_DEPTH 8
#define MAX_NAMES 50
#define MAX_NAME 1024

/* The library is not made for several threads. */
static GMutex lock;

static gboolean
load (GError **error)
{
  static gboolean is_loaded;

  if (!is_loaded && !ASSAY_LATE_LIBRARY_LOAD (late, "libhdf5_serial.so." NUMBER, NULL)
      && !ASSAY_LATE_LIBRARY_LOAD (late, "libhdf5.so." NUMBER, error))
    return FALSE;
  is_loaded = TRUE;
  if (late.H5open () < 0)
    return assay_fail (error, ASSAY_ERROR_IO, "the HDF5 library does not start");
  late.H5Eset_auto2 (H5E_DEFAULT, NULL, NULL); /* which would print */
  return TRUE;
}

/* ---- What there is ---- */

/* The datasets of @group, called @path: "" of the file itself. */
static void
list_datasets (hid_t group, const char *path, guint depth, GPtrArray *names)
{
  H5G_info_t info;

  if (late.H5Gget_info (group, &info) < 0)
    return;
  for (hsize_t i = 0; i < info.nlinks && names->len < MAX_NAMES; i++) {
    char own[MAX_NAME];
    g_autofree char *name = NULL;
    hid_t object;
    H5I_type_t type;

    if (late.H5Lget_name_by_idx (group, ".", H5_INDEX_NAME, H5_ITER_INC, i, own, sizeof own,
                                 H5P_DEFAULT)
        <= 0)
      continue;
    name = g_strconcat (path, *path != '\0' ? "/" : "", own, NULL);
    object = late.H5Oopen (group, own, H5P_DEFAULT);
    if (object < 0)
      continue;
    type = late.H5Iget_type (object);
    if (type == H5I_GROUP && depth < MAX_DEPTH)
      list_datasets (object, name, depth + 1, names);
    else if (type == H5I_DATASET)
      g_ptr_array_add (names, g_steal_pointer (&name));
    late.H5Oclose (object);
  }
}

static hid_t
open_as_dataset (hid_t file, const char *name)
{
  const hid_t object = late.H5Oopen (file, name, H5P_DEFAULT);

  if (object < 0 || late.H5Iget_type (object) == H5I_DATASET)
    return object;
  late.H5Oclose (object);
  return -1;
}

/* The dataset to be read; negative with @error. */
static hid_t
open_dataset (hid_t file, const char *wanted, char **ret_name, GError **error)
{
  g_autoptr (GPtrArray) names = g_ptr_array_new_with_free_func (g_free);
  hid_t dataset = wanted != NULL ? open_as_dataset (file, wanted) : -1;
  guint index = 0;

  if (dataset < 0) {
    list_datasets (file, "", 0, names);
    if (!assay_array_choose (names, wanted, &index, error))
      return -1;
    wanted = g_ptr_array_index (names, index);
    dataset = open_as_dataset (file, wanted);
  }
  if (dataset < 0)
    assay_error_set (error, ASSAY_ERROR_DATA, "is damaged: '%s' cannot be opened", wanted);
  else
    *ret_name = g_strdup (*wanted == '/' ? wanted + 1 : wanted);
  return dataset;
}

/* ---- Numbers ---- */

/* How numbers are read: into which type of ours, and as which of the library's. */
typedef struct {
  AssayType type;
  hid_t as;
  gboolean is_large; /* whole numbers from 0 to 2^64 - 1 */
} Form;

static gboolean
find_form (hid_t type, Form *form)
{
  const gsize size = late.H5Tget_size (type);
  const gboolean is_signed = late.H5Tget_sign (type) == H5T_SGN_2;

  switch (late.H5Tget_class (type)) {
  case H5T_FLOAT:
    *form = size <= 4 ? (Form){ ASSAY_FLOAT32, *late.H5T_NATIVE_FLOAT_g, FALSE }
                      : (Form){ ASSAY_FLOAT64, *late.H5T_NATIVE_DOUBLE_g, FALSE };
    return size <= 8;
  case H5T_INTEGER:
    if (size == 1 && !is_signed)
      *form = (Form){ ASSAY_UINT8, *late.H5T_NATIVE_UINT8_g, FALSE };
    else if (size < 4 || (size == 4 && is_signed))
      *form = (Form){ ASSAY_INT32, *late.H5T_NATIVE_INT32_g, FALSE };
    else if (size < 8 || is_signed)
      *form = (Form){ ASSAY_INT64, *late.H5T_NATIVE_INT64_g, FALSE };
    else
      *form = (Form){ ASSAY_INT64, *late.H5T_NATIVE_UINT64_g, TRUE };
    return size <= 8;
  case H5T_ENUM: /* NumPy's bool */
    *form = (Form){ ASSAY_UINT8, type, FALSE };
    return size == 1;
  default:
    return FALSE;
  }
}

static gboolean
read_shape (hid_t dataset, guint *ret_n, gsize *ret_shape, GError **error)
{
  const hid_t space = late.H5Dget_space (dataset);
  const int n = space >= 0 ? late.H5Sget_simple_extent_ndims (space) : -1;
  hsize_t dimensions[ASSAY_MAX_DIMENSIONS];

  if (n >= 1 && n <= ASSAY_MAX_DIMENSIONS
      && late.H5Sget_simple_extent_dims (space, dimensions, NULL) == n)
    *ret_n = (guint) n;
  else
    assay_error_set (error, ASSAY_ERROR_DATA, "has %d dimensions; expected 1 to %d", MAX (n, 0),
                     ASSAY_MAX_DIMENSIONS);
  for (guint i = 0; i < *ret_n; i++)
    ret_shape[i] = dimensions[i];
  if (space >= 0)
    late.H5Sclose (space);
  return *ret_n > 0;
}

static AssayArray *
read_numbers (hid_t dataset, hid_t type, GError **error)
{
  gsize shape[ASSAY_MAX_DIMENSIONS], count = 1;
  guint n_dimensions = 0;
  Form form;
  g_autofree gint64 *numbers = NULL;

  if (!find_form (type, &form))
    return assay_fail_null (error, ASSAY_ERROR_DATA,
                            "holds no plain numbers (records, texts or numbers of more than 64 "
                            "bits); expected floating point, whole numbers or bool");
  if (!read_shape (dataset, &n_dimensions, shape, error))
    return NULL;
  for (guint i = 0; i < n_dimensions; i++)
    if (!g_size_checked_mul (&count, count, shape[i]))
      count = G_MAXSIZE;
  numbers = assay_alloc (count, assay_type_size (form.type), "numbers of an HDF5 file", error);
  if (numbers == NULL)
    return NULL;
  if (count > 0 && late.H5Dread (dataset, form.as, H5S_ALL, H5S_ALL, H5P_DEFAULT, numbers) < 0)
    return assay_fail_null (error, ASSAY_ERROR_DATA,
                            "cannot be read: it is truncated or damaged, or packed by a filter "
                            "that the HDF5 library does not have");
  for (gsize i = 0; form.is_large && i < count; i++)
    if (numbers[i] < 0)
      return assay_fail_null (error, ASSAY_ERROR_DATA,
                              "number %zu is beyond 2^63 - 1; expected one that int64 holds", i);
  return assay_array_take (form.type, n_dimensions, shape, g_steal_pointer (&numbers));
}

static AssayArray *
read_file (const char *path, const char *wanted, char **ret_name, GError **error)
{
  hid_t file, dataset, type = -1;
  AssayArray *array = NULL;

  if (!load (error))
    return NULL;
  file = late.H5Fis_hdf5 (path) > 0 ? late.H5Fopen (path, READ_ONLY, H5P_DEFAULT) : -1;
  if (file < 0)
    return assay_fail_null (error, ASSAY_ERROR_DATA, "is no HDF5 file, or truncated or damaged");
  dataset = open_dataset (file, wanted, ret_name, error);
  if (dataset >= 0)
    type = late.H5Dget_type (dataset);
  if (type >= 0)
    array = read_numbers (dataset, type, error);
  else if (dataset >= 0)
    assay_error_set (error, ASSAY_ERROR_DATA, "is damaged: a dataset has no type");
  if (type >= 0)
    late.H5Tclose (type);
  if (dataset >= 0)
    late.H5Oclose (dataset);
  late.H5Fclose (file);
  return array;
}

AssayArray *
assay_hdf5_read (const char *path, const char *wanted, char **ret_name, GError **error)
{
  G_GNUC_UNUSED g_autoptr (GMutexLocker) locker = g_mutex_locker_new (&lock);

  return read_file (path, wanted, ret_name, error);
}

#else

AssayArray *
assay_hdf5_read (G_GNUC_UNUSED const char *path, G_GNUC_UNUSED const char *wanted,
                 G_GNUC_UNUSED char **ret_name, GError **error)
{
  return assay_fail_null (
      error, ASSAY_ERROR_IO,
      "this program was built without HDF5 (libhdf5-dev); in Python: numpy.save "
      "('rows.npy', h5py.File (FILE)[DATASET][:])");
}

#endif
