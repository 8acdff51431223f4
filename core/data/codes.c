/* Packed codes and Hamming distances. */
#include "core/data/codes.h"

#include "core/base/vectorise.h"

AssayCodes *
assay_codes_new (const AssayArray *array, gsize bits, GError **error)
{
  const gsize count = array->shape[0], bytes = assay_code_bytes (bits);
  g_autoptr (AssayCodes) codes = g_new0 (AssayCodes, 1);

  g_assert (array->type == ASSAY_UINT8 && array->n_dimensions == 2 && array->shape[1] == bytes);
  codes->count = count;
  codes->bits = bits;
  codes->words = (bits + 63) / 64;
  codes->data = assay_alloc (count * codes->words, sizeof (guint64), "codes", error);
  if (codes->data == NULL)
    return NULL;
  for (gsize i = 0; i < count; i++)
    for (gsize b = 0; b < bytes; b++)
      codes->data[i * codes->words + b / 8] |= (guint64) array->data[i * bytes + b] << (b % 8 * 8);
  return g_steal_pointer (&codes);
}

ASSAY_FREE_FUNC (AssayCodes, assay_codes_free, g_free (self->data))

/* Nearly every x86-64 counts the bits of a word in one instruction, but not the oldest, for which
 * programs are compiled unless told otherwise; newer ones count those of several words at once. For
 * that, words have to stand side by side, hence codes that are turned. */
#if defined(__x86_64__) && defined(__GLIBC__) && !defined(ASSAY_THREAD_SANITIZER)
#define FOR_EACH_PROCESSOR __attribute__ ((target_clones ("popcnt", "default")))
#else
#define FOR_EACH_PROCESSOR
#endif

/* ---- Word by word ---- */

/* The same for several processors, picked here and not by the linker, so that tests reach all. */

static inline __attribute__ ((always_inline)) void
count_bits (const guint64 *words, guint64 query, gsize count, gboolean is_first,
            guint16 *inout_distances)
{
  for (gsize i = 0; i < count; i++)
    inout_distances[i]
        = (guint16) ((is_first ? 0 : inout_distances[i]) + __builtin_popcountll (words[i] ^ query));
}

static void
count_on_any (const guint64 *words, guint64 query, gsize count, gboolean is_first,
              guint16 *inout_distances)
{
  count_bits (words, query, count, is_first, inout_distances);
}

#if defined(__x86_64__)
__attribute__ ((target ("popcnt"))) static void
count_one (const guint64 *words, guint64 query, gsize count, gboolean is_first,
           guint16 *inout_distances)
{
  count_bits (words, query, count, is_first, inout_distances);
}

__attribute__ ((target ("avx512vpopcntdq,avx512vl"))) static void
count_several (const guint64 *words, guint64 query, gsize count, gboolean is_first,
               guint16 *inout_distances)
{
  count_bits (words, query, count, is_first, inout_distances);
}

const AssayBitCounter *
assay_bit_counters (void)
{
  static const AssayBitCounter all[] = { count_several, count_one, count_on_any, NULL };

  if (__builtin_cpu_supports ("avx512vpopcntdq") && __builtin_cpu_supports ("avx512vl"))
    return all;
  return __builtin_cpu_supports ("popcnt") ? all + 1 : all + 2;
}
#else
const AssayBitCounter *
assay_bit_counters (void)
{
  static const AssayBitCounter all[] = { count_on_any, NULL };

  return all;
}
#endif

void
assay_codes_turn (const guint64 *codes, gsize count, gsize words, guint64 *ret_turned)
{
  for (gsize i = 0; i < count; i++)
    for (gsize w = 0; w < words; w++)
      ret_turned[w * count + i] = codes[i * words + w];
}

void
assay_codes_turned_distances (const guint64 *turned, gsize stride, gsize words,
                              const guint64 *query, gsize count, guint16 *ret_distances)
{
  const AssayBitCounter count_word = *assay_bit_counters ();

  g_assert (count <= stride && words <= ASSAY_CODE_MAX_BITS / 64);
  for (gsize w = 0; w < words; w++)
    count_word (turned + w * stride, query[w], count, w == 0, ret_distances);
}

/* ---- Code by code ---- */

FOR_EACH_PROCESSOR static void
distances_of_words (const guint64 *codes, gsize words, const guint64 *query, gsize count,
                    guint16 *ret_distances)
{
  for (gsize i = 0; i < count; i++) {
    int sum = 0;

    for (gsize w = 0; w < words; w++)
      sum += __builtin_popcountll (codes[i * words + w] ^ query[w]);
    ret_distances[i] = (guint16) sum;
  }
}

void
assay_codes_distances (const AssayCodes *codes, const guint64 *query, gsize first, gsize count,
                       guint16 *ret_distances)
{
  g_assert (first + count <= codes->count && codes->bits <= ASSAY_CODE_MAX_BITS);
  if (codes->words == 1)
    assay_codes_turned_distances (codes->data + first, count, 1, query, count, ret_distances);
  else
    distances_of_words (codes->data + first * codes->words, codes->words, query, count,
                        ret_distances);
}

void
assay_codes_negate (AssayCodes *codes)
{
  for (gsize i = 0; i < codes->count; i++)
    for (gsize w = 0; w < codes->words; w++) {
      const gsize used = MIN (codes->bits - w * 64, 64);

      codes->data[i * codes->words + w]
          ^= used == 64 ? G_MAXUINT64 : (G_GUINT64_CONSTANT (1) << used) - 1;
    }
}

AssayArray *
assay_codes_pack (AssayView values, GError **error)
{
  const gsize bytes = assay_code_bytes (values.cols);
  guint8 *packed = assay_alloc (values.rows * bytes, 1, "codes", error);

  if (packed == NULL)
    return NULL;
  for (gsize i = 0; i < values.rows; i++) {
    const float *row = assay_view_row (values, i);

    for (gsize j = 0; j < values.cols; j++)
      packed[i * bytes + j / 8] |= (guint8) ((row[j] > 0) << (j % 8));
  }
  return assay_array_take (ASSAY_UINT8, 2, (const gsize[]){ values.rows, bytes }, packed);
}
