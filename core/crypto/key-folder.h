/* Keys of Paillier's cryptosystem on disk: a folder that its owner alone can enter (mode 0700) with
 * one file, `key` (0600), of five lines:
 *
 *   assay paillier key 1
 *   bits 2048
 *   randomness system
 *   p b3e1...
 *   q d90f...
 *
 * with the factors in hexadecimal, and `stream` for a key that is reproducible. docs/papers/dphe.md
 * shows how one's own is made. */
#pragma once

#include "core/crypto/paillier-key.h"

#define ASSAY_KEY_FILE "key"

/* The key in @folder. ASSAY_ERROR_DATA: folder or file is missing or readable by others (group or
 * all, whatever the access: the message says how to mend it), or the file is no key. */
AssayPaillierKey *assay_key_folder_load (const char *folder, GError **error);

/* The key that the @length bytes of a key file are; @name begins messages. ASSAY_ERROR_DATA. */
AssayPaillierKey *assay_key_folder_parse (const char *text, gsize length, const char *name,
                                          GError **error);
