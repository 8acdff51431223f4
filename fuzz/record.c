/* Records from memory. */
#include "fuzz/record.h"

#include <glib/gstdio.h>
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

/* ---- Written again ---- */

static char *place;

static void
free_place (void)
{
  g_clear_pointer (&place, g_free);
}

const char *
fuzz_record_place (void)
{
  if (place == NULL) {
    place = g_build_filename (fuzz_folder (names), "again", NULL);
    atexit (free_place);
  }
  return place;
}

void
fuzz_record_take_written (void)
{
  g_autoptr (GDir) dir = g_dir_open (fuzz_record_place (), 0, NULL);
  const char *name;

  FUZZ_REQUIRE (dir != NULL);
  fuzz_files_forget ();
  while ((name = g_dir_read_name (dir)) != NULL) {
    g_autofree char *path = g_build_filename (place, name, NULL);
    g_autofree char *data = NULL;
    gsize size;

    FUZZ_REQUIRE (g_file_get_contents (path, &data, &size, NULL));
    /* Names are those of arrays, of which there are few. */
    fuzz_files_add (g_intern_string (path), data, size);
  }
}

void
fuzz_record_remove_written (void)
{
  g_autoptr (GDir) dir = g_dir_open (fuzz_record_place (), 0, NULL);
  const char *name;

  while (dir != NULL && (name = g_dir_read_name (dir)) != NULL) {
    g_autofree char *path = g_build_filename (place, name, NULL);

    g_unlink (path);
  }
  g_rmdir (place);
}

void
fuzz_record_check_equal (const AssayArrays *a, const AssayArrays *b)
{
  FUZZ_REQUIRE (a->names->len == b->names->len);
  for (guint i = 0; i < a->names->len; i++) {
    const AssayArray *mine = a->arrays->pdata[i];
    const AssayArray *other = assay_arrays_get (b, a->names->pdata[i]);
    const gsize bytes = assay_array_count (mine) * assay_type_size (mine->type);

    FUZZ_REQUIRE (other != NULL && other->type == mine->type);
    FUZZ_REQUIRE (other->n_dimensions == mine->n_dimensions);
    for (guint d = 0; d < mine->n_dimensions; d++)
      FUZZ_REQUIRE (other->shape[d] == mine->shape[d]);
    FUZZ_REQUIRE (bytes == 0 || memcmp (other->data, mine->data, bytes) == 0);
  }
}

void
fuzz_record_check_geometry (const AssayGeometry *a, const AssayGeometry *b)
{
  FUZZ_REQUIRE (a->height == b->height && a->width == b->width && a->channels == b->channels);
  FUZZ_REQUIRE (a->black == b->black && a->white == b->white);
  for (gsize c = 0; c < MIN (a->channels, ASSAY_MAX_CHANNELS); c++)
    FUZZ_REQUIRE (a->mean[c] == b->mean[c] && a->deviation[c] == b->deviation[c]);
}
