/* Numbers of GMP whose memory is wiped when they go, their bytes, and where random ones come from.
 *
 * A number that holds a secret is made with room for all that it will hold (assay_number_init): GMP
 * moves one that outgrows its room, and leaves what it held in freed memory. What GMP's own
 * functions keep on their stack while they work is not wiped. */
#pragma once

#include <gmp.h>

#include "core/base/free.h"
#include "core/base/rng.h"

/* 0, with room for @bits bits. */
void assay_number_init (mpz_t number, gsize bits);
/* Wipes and frees a number, however it was made; it must not be used after. */
ASSAY_DECLARE_CLEAR (mpz_t, assay_number_clear)

/* An array of @count numbers, each with room for @bits. */
mpz_t *assay_numbers_new (gsize count, gsize bits);
void assay_numbers_free (mpz_t *numbers, gsize count);

/* Numbers >= 0 as bytes, the least significant first. Writing takes exactly @count bytes, zeros
 * above; the number must fit. */
void assay_number_read (const guint8 *bytes, gsize count, mpz_t ret_number);
void assay_number_write (const mpz_t number, gsize count, guint8 *ret_bytes);

/* Where random numbers come from: the system's generator, or a named stream, which anyone who knows
 * its seed can draw again: for tests, and for audits whose bytes others are to repeat. */
typedef struct {
  gboolean is_system;
  AssayStream stream;
} AssayEntropy;

/* @key NULL: the system's. */
AssayEntropy assay_entropy (const AssayStreamKey *key, guint64 item);
void assay_entropy_fill (AssayEntropy *entropy, gsize count, guint8 *ret_bytes);
/* Uniform over 0 .. bound - 1, without bias (rejection); bound >= 1. From a stream: the words of as
 * many bytes as the bound has, the least significant first, the bits above the bound's cleared. */
void assay_number_draw (AssayEntropy *entropy, const mpz_t bound, mpz_t ret_number);
