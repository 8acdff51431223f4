/* Fuzz target: folders with truth.json. */
#include "fuzz/record.h"

/* A folder that is full is refused, and stays as it is. */
static void
check_full (const AssayTruth *truth)
{
  g_autoptr (GError) error = NULL;

  FUZZ_REQUIRE (!assay_exchange_check_target (fuzz_record_place (), NULL));
  FUZZ_REQUIRE (!assay_truth_write (truth, fuzz_record_place (), &error));
  fuzz_check_outcome (FALSE, error);
}

/* Written and read again it is the same. */
static void
check_written (const AssayTruth *truth)
{
  g_autoptr (AssayTruth) again = NULL;

  FUZZ_REQUIRE (assay_exchange_check_target (fuzz_record_place (), NULL));
  FUZZ_REQUIRE (assay_truth_write (truth, fuzz_record_place (), NULL));
  check_full (truth);
  fuzz_record_take_written ();
  again = assay_truth_read (fuzz_record_place (), NULL);
  fuzz_record_remove_written ();
  FUZZ_REQUIRE (again != NULL);
  fuzz_record_check_equal (&truth->arrays, &again->arrays);
  fuzz_record_check_geometry (&truth->geometry, &again->geometry);
  FUZZ_REQUIRE (assay_truth_first_cols (truth) == assay_truth_first_cols (again));
}

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
    check_written (truth);
  }
  fuzz_files_forget ();
  return 0;
}
