/* Binary codes, packed: bit j of a code is bit j % 8 of its byte j / 8 (NumPy's bitorder='little'),
 * bits beyond the last are 0; and Hamming distances between them. */
#pragma once

#include "core/data/array.h"

G_BEGIN_DECLS

#define ASSAY_CODE_MAX_BITS 4096

static inline gsize
assay_code_bytes (gsize bits)
{
  return (bits + 7) / 8;
}

static inline gboolean
assay_code_bit (const guint8 *code, gsize bit)
{
  return (code[bit / 8] >> (bit % 8)) & 1;
}

/* Codes as whole 64-bit words, for the kernels: @words a code, padded with zeros. */
typedef struct {
  gsize count;
  gsize bits;
  gsize words;
  guint64 *data; /* count x words */
} AssayCodes;

/* Of an array uint8 n x assay_code_bytes (@bits). NULL with ASSAY_ERROR_MEMORY. */
AssayCodes *assay_codes_new (const AssayArray *codes, gsize bits, GError **error);
ASSAY_DECLARE_FREE (AssayCodes, assay_codes_free)

/* Hamming distances between @query (words of @codes) and the codes [first, first + count). One
 * thread; at most ASSAY_CODE_MAX_BITS, so that 16 bits hold them. */
void assay_codes_distances (const AssayCodes *codes, const guint64 *query, gsize first, gsize count,
                            guint16 *ret_distances);

/* For many queries: @count codes of @words each, turned, so that word w of code i is
 * ret_turned[w * count + i]. */
void assay_codes_turn (const guint64 *codes, gsize count, gsize words, guint64 *ret_turned);

/* The same distances, of @count codes whose words w stand at turned + w * stride: several times as
 * fast, where codes are longer than a word. */
void assay_codes_turned_distances (const guint64 *turned, gsize stride, gsize words,
                                   const guint64 *query, gsize count, guint16 *ret_distances);

/* Adds to each of @count distances the bits in which its word differs from @query, or sets it to
 * them where the word is the first of a code. */
typedef void (*AssayBitCounter) (const guint64 *words, guint64 query, gsize count,
                                 gboolean is_first, guint16 *inout_distances);

/* Those that the processor can run, the fastest, which is used, first, and NULL. */
const AssayBitCounter *assay_bit_counters (void);

/* Negates every bit: codes of which more than half of the bits were flipped are nearer so. */
void assay_codes_negate (AssayCodes *codes);

/* The @values (rows x bits, above 0: a set bit) as packed codes, uint8 rows x bytes. */
AssayArray *assay_codes_pack (AssayView values, GError **error);

G_END_DECLS
