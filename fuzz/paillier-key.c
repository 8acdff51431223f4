/* Fuzz target: files with a key of Paillier's cryptosystem. */
#include "fuzz/fuzz.h"

#include "core/crypto/key-folder.h"

int
LLVMFuzzerTestOneInput (const uint8_t *data, size_t size)
{
  g_autoptr (GError) error = NULL;
  g_autofree char *text = g_memdup2 (data, size); /* so that reading beyond it is seen */
  g_autoptr (AssayPaillierKey) key
      = assay_key_folder_parse (text != NULL ? text : "", size, "key", &error);

  fuzz_check_outcome (key != NULL, error);
  if (key != NULL)
    FUZZ_REQUIRE (mpz_sizeinbase (key->public_key.n, 2) == key->public_key.bits);
  return 0;
}
