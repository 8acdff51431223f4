/* Powers modulo the square of an odd number m, many at a time: what encryption and decryption spend
 * their time on. Eight at a time on processors with AVX-512 IFMA, and one by one by GMP elsewhere;
 * the numbers are the same. */
#pragma once

#include "core/crypto/numbers.h"

/* How many powers go together: pieces of work are multiples of it. */
#define ASSAY_POWER_GROUP 8

typedef enum {
  ASSAY_POWER_FASTEST, /* what the processor has */
  ASSAY_POWER_GMP,
} AssayPowerPath;

typedef struct AssayPower AssayPower;
typedef struct AssayPowerTable AssayPowerTable;

AssayPower *assay_power_new (const mpz_t modulus, AssayPowerPath path);
ASSAY_DECLARE_FREE (AssayPower, assay_power_free)

/* numbers[i] = numbers[i]^exponent mod m^2, for @count numbers below m^2 that have no factor in
 * common with m; exponent > 0. With @is_secret nothing branches on the exponent's bits. */
void assay_power_raise (const AssayPower *power, const mpz_t exponent, gboolean is_secret,
                        mpz_t *inout_numbers, gsize count);

/* Powers of one base by a table: base^(j 256^i) for each byte j and each place i of an exponent of
 * @bytes bytes. The table takes bytes x 256 numbers modulo m^2: 4, 17 and 38 MB at 1024, 2048 and
 * 3072 bits and exponents half as long. @power must stay. */
AssayPowerTable *assay_power_table_new (const AssayPower *power, const mpz_t base, gsize bytes);
ASSAY_DECLARE_FREE (AssayPowerTable, assay_power_table_free)
/* base to each of @count exponents of the table's bytes (least significant first), modulo m^2.
 * Nothing branches on exponents; which rows of the table are read depends on them, as in every
 * table of this kind, and shows to who shares the processor's caches. */
void assay_power_table_raise (const AssayPowerTable *table, const guint8 *exponents, gsize count,
                              mpz_t *ret_numbers);
