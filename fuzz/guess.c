/* Fuzz target: folders with guess.json. */
#include "core/plugin/registry.h"
#include "fuzz/record.h"

int
LLVMFuzzerTestOneInput (const uint8_t *data, size_t size)
{
  const char *folder = fuzz_record_add ("guess.json", data, size);
  g_autoptr (GError) error = NULL;
  g_autoptr (AssayGuess) guess = assay_guess_read (folder, assay_registry_guess_arrays (), &error);

  fuzz_check_outcome (guess != NULL, error);
  if (guess != NULL) {
    FUZZ_REQUIRE (assay_guess_check (guess, assay_registry_guess_arrays (), NULL));
    fuzz_record_check_arrays (&guess->arrays);
  }
  fuzz_files_forget ();
  return 0;
}
