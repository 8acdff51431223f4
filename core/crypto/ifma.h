/* Arithmetic modulo the square of an odd number m on eight numbers at a time, with the AVX-512 IFMA
 * instructions (products of 52-bit digits), for power-lanes.c alone.
 *
 * A number x modulo m^2 is a pair, x = x0 + x1 m, so that all products are of numbers as long as m.
 * With R = 2^(52 digits), Montgomery's reduction (1985) of x0 y0 gives t and q with
 * x0 y0 = R t - q m exactly, and so
 *
 *   x y / R = t + m (x0 y1 + x1 y0 - q) / R   (mod m^2),
 *
 * whose second part is reduced modulo m in the same way. That is 3.5 digits^2 products of digits
 * for a square, where Montgomery's reduction modulo m^2 takes 6, and 5 for a product, where that
 * takes 8.
 *
 * Numbers in lanes are 2 x digits x IFMA_LANES words, x0 before x1, the least significant digit
 * first, aligned to 64 bytes. Both parts are below 2 m, before and after; 256 m <= R makes that
 * so: t < 4 m^2 / R + m, and likewise the second part. */
#pragma once

#include <glib.h>

#define IFMA_LANES 8
#define IFMA_DIGIT_BITS 52
#define IFMA_SPARE_BITS 8
#define IFMA_TILE 4 /* digits of two numbers that are multiplied while they are in registers */
#define IFMA_MAX_DIGITS 60

typedef struct {
  gsize digits;                     /* a multiple of IFMA_TILE */
  guint64 inverse;                  /* -1 / m modulo 2^52 */
  guint64 modulus[IFMA_MAX_DIGITS]; /* m */
  guint64 lift[IFMA_MAX_DIGITS];    /* the least multiple of m from R on, less R - 1 */
} IfmaModulus;

/* Whether the processor has the instructions; nothing else of this file is called where it has
 * not. */
gboolean ifma_is_there (void);

/* x y / R and x x / R modulo m^2; the result may be where @x or @y is. */
void ifma_multiply (const IfmaModulus *modulus, const guint64 *x, const guint64 *y, guint64 *ret);
void ifma_square (const IfmaModulus *modulus, const guint64 *x, guint64 *ret);

/* Entry @which of a table of @entries numbers in lanes, @words words each; all of the table is read
 * whatever @which is, and nothing branches on it. */
void ifma_select (const guint64 *table, gsize entries, gsize words, guint64 which, guint64 *ret);

/* Into lane i the @words (a multiple of 8) words of rows[i]. */
void ifma_gather (const guint64 *const rows[IFMA_LANES], gsize words, guint64 *ret);
