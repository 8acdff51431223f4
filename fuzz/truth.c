/* Fuzz target: folders with truth.json. */
#include "fuzz/record.h"

int
LLVMFuzzerTestOneInput (const uint8_t *data, size_t size)
{
  const char *folder = fuzz_record_add ("truth.json", data, size);
  g_autoptr (GError) error = NULL;
  g_autoptr (AssayTruth) truth = assay_truth_read (folder, &error);

  fuzz_check_outcome (truth != NULL, error);
  if (truth != NULL) {
    FUZZ_REQUIRE (assay_truth_check (truth, NULL));
    fuzz_record_check_arrays (&truth->arrays);
  }
  fuzz_files_forget ();
  return 0;
}
