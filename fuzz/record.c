/* Records from memory. */
#include "fuzz/record.h"

#include <math.h>
#include <string.h>

#include "core/data/npy.h"

#define MOST_DIMENSIONS 3
#define MOST_SIDE 6

static const char *const names[] = { "release.json", "guess.json", "truth.json", NULL };
static const char *const files[RECORD_MOST_ARRAYS]
    = { "0.npy", "1.npy", "2.npy", "3.npy", "4.npy", "5.npy", "6.npy", "7.npy" };

/* Ones where row and column are equal. */
static void
set_diagonal (AssayType type, gsize rows, gsize cols, gpointer data)
{
  for (gsize i = 0; i < rows; i++) {
    const gsize at = i * cols + i % cols;

    if (type == ASSAY_FLOAT32)
      ((float *) data)[at] = 1;
    else if (type == ASSAY_FLOAT64)
      ((double *) data)[at] = 1;
    else
      ((guint8 *) data)[at * assay_type_size (type)] = 1;
  }
}

static void
add_array (const char *name, FuzzInput *input)
{
  const AssayType type = fuzz_take_byte (input) % (ASSAY_INT64 + 1);
  const guint n_dimensions = 1 + fuzz_take_byte (input) % MOST_DIMENSIONS;
  gsize shape[MOST_DIMENSIONS], count = 1, bytes;
  g_autoptr (AssayArray) array = NULL;
  g_autoptr (GString) file = NULL;
  guint8 *data;

  for (guint i = 0; i < MOST_DIMENSIONS; i++)
    shape[i] = fuzz_take_byte (input) % MOST_SIDE;
  for (guint i = 0; i < n_dimensions; i++)
    count *= shape[i];
  bytes = count * assay_type_size (type);
  data = g_malloc0 (bytes + 1);
  if (fuzz_take_byte (input) == 0) {
    const gsize cols = shape[n_dimensions - 1];

    if (count > 0)
      set_diagonal (type, count / cols, cols, data);
  } else {
    guint8 pattern[8];

    for (gsize i = 0; i < sizeof pattern; i++)
      pattern[i] = fuzz_take_byte (input);
    for (gsize i = 0; i < bytes; i++)
      data[i] = pattern[i % sizeof pattern];
  }
  array = assay_array_take (type, n_dimensions, shape, data);
  file = assay_npy_header (array);
  g_string_append_len (file, (const char *) data, (gssize) bytes);
  fuzz_files_add (name, file->str, file->len);
}

const char *
fuzz_record_add (const char *json, const uint8_t *data, size_t size)
{
  const uint8_t *end = size > 0 ? memchr (data, '\0', size) : NULL;
  const size_t length = end != NULL ? (size_t) (end - data) : size;
  FuzzInput input = { data + length + (end != NULL), size - length - (end != NULL) };

  fuzz_files_add (json, data, length);
  for (gsize i = 0; i < RECORD_MOST_ARRAYS && input.left > 0; i++)
    add_array (files[i], &input);
  return fuzz_folder (names);
}

void
fuzz_record_check_arrays (const AssayArrays *arrays)
{
  FUZZ_REQUIRE (arrays->names->len == arrays->arrays->len);
  for (guint i = 0; i < arrays->names->len; i++) {
    const AssayArray *array = arrays->arrays->pdata[i];
    const gsize count = assay_array_count (array);
    gsize n_set = 0;

    FUZZ_REQUIRE (assay_arrays_get (arrays, arrays->names->pdata[i]) == array);
    for (gsize k = 0; k < count * assay_type_size (array->type); k++)
      n_set += array->data[k] != 0;
    for (gsize k = 0; array->type == ASSAY_FLOAT32 && n_set > 0 && k < count; k++)
      FUZZ_REQUIRE (isfinite (assay_array_view (array).data[k]));
  }
}
