/* A folder with a Paillier key, as its owner makes it (docs/papers/dphe.md). */
#pragma once

#include <criterion/criterion.h>
#include <glib/gstdio.h>
#include <stdlib.h>

#include "core/crypto/key-folder.h"

/* @folder is made if it is not there. */
static inline void
store_key (const AssayPaillierKey *key, const char *folder)
{
  g_autofree char *path = g_build_filename (folder, ASSAY_KEY_FILE, NULL);
  char *p = mpz_get_str (NULL, 16, key->p), *q = mpz_get_str (NULL, 16, key->q);
  g_autofree char *text = g_strdup_printf (
      "assay paillier key 1\nbits %u\nrandomness %s\np %s\nq %s\n", key->public_key.bits,
      key->is_reproducible ? "stream" : "system", p, q);

  free (p); /* GMP's own allocation is malloc's */
  free (q);
  g_mkdir (folder, 0700);
  cr_assert (g_file_set_contents_full (path, text, -1, G_FILE_SET_CONTENTS_NONE, 0600, NULL));
}
