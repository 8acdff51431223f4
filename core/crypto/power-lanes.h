/* Powers modulo the square of an odd number m, eight at a time: what power.c takes where the
 * processor has the instructions (ifma.h). Results are those of GMP's functions. */
#pragma once

#include "core/crypto/numbers.h"

typedef struct AssayLanes AssayLanes;
typedef struct AssayLanesTable AssayLanesTable;

/* Whether the processor has the instructions, and m is not too long for them. */
gboolean assay_lanes_can (const mpz_t modulus);
AssayLanes *assay_lanes_new (const mpz_t modulus);
void assay_lanes_free (AssayLanes *lanes);

/* numbers[i] = numbers[i]^exponent mod m^2 for the @count <= 8 numbers, each below m^2. With
 * @is_secret neither a branch nor the place of a read depends on the exponent, whose length alone
 * shows. */
void assay_lanes_power (const AssayLanes *lanes, const mpz_t exponent, gboolean is_secret,
                        mpz_t *inout_numbers, gsize count);

/* base^(j 256^i) mod m^2 for every byte j and place i of an exponent of @bytes bytes. */
AssayLanesTable *assay_lanes_table_new (const AssayLanes *lanes, const mpz_t base, gsize bytes);
void assay_lanes_table_free (AssayLanesTable *table);
/* base to the @count <= 8 exponents, of the table's bytes each (least significant first). */
void assay_lanes_table_power (const AssayLanesTable *table, const guint8 *exponents, gsize count,
                              mpz_t *ret_numbers);
