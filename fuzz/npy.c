/* Fuzz target: .npy files. What is read has numbers for its whole shape, and what is written of it
 * again is a header that reads back equal. */
#include "fuzz/fuzz.h"

#include <string.h>

#include "core/data/npy.h"

static void
check_written (const AssayArray *array)
{
  g_autoptr (GString) file = assay_npy_header (array);
  const gsize bytes = assay_array_count (array) * assay_type_size (array->type);
  g_autoptr (AssayArray) again = NULL;

  FUZZ_REQUIRE (file->len % 64 == 0);
  g_string_append_len (file, (const char *) array->data, (gssize) bytes);
  fuzz_files_add ("again.npy", file->str, file->len);
  again = assay_npy_map ("again.npy", NULL);
  FUZZ_REQUIRE (again != NULL && again->type == array->type);
  FUZZ_REQUIRE (again->n_dimensions == array->n_dimensions);
  for (guint i = 0; i < array->n_dimensions; i++)
    FUZZ_REQUIRE (again->shape[i] == array->shape[i]);
  FUZZ_REQUIRE (bytes == 0 || memcmp (again->data, array->data, bytes) == 0);
}

int
LLVMFuzzerTestOneInput (const uint8_t *data, size_t size)
{
  g_autoptr (AssayArray) array = NULL;
  g_autoptr (GError) error = NULL;

  fuzz_files_add ("a.npy", data, size);
  array = assay_npy_map ("a.npy", &error);
  fuzz_check_outcome (array != NULL, error);
  if (array != NULL) {
    FUZZ_REQUIRE ((guintptr) array->data % assay_type_size (array->type) == 0
                  || assay_array_count (array) == 0);
    check_written (array);
  }
  fuzz_files_forget ();
  return 0;
}
