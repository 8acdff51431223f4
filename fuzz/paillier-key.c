/* Fuzz target: files with a key of Paillier's cryptosystem, in a folder that is its owner's. */
#include "fuzz/fuzz.h"

#include <glib/gstdio.h>
#include <stdlib.h>

#include "core/crypto/key-folder.h"

static const char *const names[] = { ASSAY_KEY_FILE, NULL };
static const char *folder;

static void
check_refused (const char *place)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (AssayPaillierKey) key = assay_key_folder_load (place, &error);

  FUZZ_REQUIRE (key == NULL);
  fuzz_check_outcome (FALSE, error);
}

/* What is read by others, or is not there, is refused whatever is in it. */
static void
set_up (void)
{
  g_autofree char *path = NULL;

  folder = fuzz_folder (names);
  path = g_build_filename (folder, ASSAY_KEY_FILE, NULL);
  check_refused (path);
  FUZZ_REQUIRE (g_chmod (path, 0640) == 0);
  check_refused (folder);
  FUZZ_REQUIRE (g_chmod (path, 0600) == 0);
  check_refused (folder); /* it cannot be mapped: there is no input yet */
}

int
LLVMFuzzerTestOneInput (const uint8_t *data, size_t size)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (AssayPaillierKey) key = NULL;

  if (folder == NULL)
    set_up ();
  fuzz_files_add (ASSAY_KEY_FILE, data, size);
  key = assay_key_folder_load (folder, &error);
  fuzz_files_forget ();
  fuzz_check_outcome (key != NULL, error);
  if (key != NULL)
    FUZZ_REQUIRE (mpz_sizeinbase (key->public_key.n, 2) == key->public_key.bits);
  return 0;
}
