/* Fuzz target: folders with guess.json. */
#include "core/plugin/registry.h"
#include "fuzz/record.h"

#include <math.h>

static void
check_same (const AssayGuess *guess, const AssayGuess *other)
{
  fuzz_record_check_equal (&guess->arrays, &other->arrays);
  FUZZ_REQUIRE (guess->is_unordered == other->is_unordered);
  FUZZ_REQUIRE (g_strcmp0 (guess->says, other->says) == 0);
  FUZZ_REQUIRE (guess->confidence == other->confidence
                || (isnan (guess->confidence) && isnan (other->confidence)));
}

/* Written and read again, and taken as the answer of a program of others, it is the same. */
static void
check_written (const AssayGuess *guess)
{
  g_autoptr (AssayGuess) again = NULL, answer = assay_guess_new ();

  FUZZ_REQUIRE (assay_guess_write (guess, fuzz_record_place (), NULL));
  fuzz_record_take_written ();
  again = assay_guess_read (fuzz_record_place (), assay_registry_guess_arrays (), NULL);
  fuzz_record_remove_written ();
  FUZZ_REQUIRE (again != NULL);
  check_same (guess, again);
  assay_guess_take_answer (answer, again);
  check_same (guess, answer);
}

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
    check_written (guess);
  }
  fuzz_files_forget ();
  return 0;
}
