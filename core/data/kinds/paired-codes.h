/* Releases of kind paired-codes: of each item, of two modalities, a code for either; and it may be
 * the hash functions. */
#pragma once

#include "core/data/exchange.h"

/* Codes of n items, each of bytes: bit j is bit j % 8 of byte j / 8 (core/data/codes.h). */
typedef struct {
  gsize n, bits, bytes;
  const guint8 *first, *second; /* n x bytes */
} AssayPairedCodes;

AssayPairedCodes assay_release_paired_codes (const AssayRelease *release);
