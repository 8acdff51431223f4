/* Packed codes and Hamming distances. */
#include "core/codes.h"

#include <string.h>

#include "core/vectorise.h"

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

void
assay_codes_free (AssayCodes *codes)
{
  if (codes == NULL)
    return;
  g_free (codes->data);
  g_free (codes);
}

/* Nearly every x86-64 counts the bits of a word in one instruction, but not the oldest, for which
 * programs are compiled unless told otherwise; newer ones count those of eight words at once. */
#if defined(__x86_64__) && defined(__GLIBC__) && !defined(ASSAY_THREAD_SANITIZER)
#define FOR_EACH_PROCESSOR __attribute__ ((target_clones ("popcnt", "default")))
#define COUNTS_EIGHT_WORDS __attribute__ ((target ("avx512vpopcntdq,avx512vl")))
#else
#define FOR_EACH_PROCESSOR
#endif

FOR_EACH_PROCESSOR static void
distances_of_one_word (const guint64 *codes, guint64 query, gsize count, guint16 *ret_distances)
{
  for (gsize i = 0; i < count; i++)
    ret_distances[i] = (guint16) __builtin_popcountll (codes[i] ^ query);
}

#ifdef COUNTS_EIGHT_WORDS
/* The same once more: gcc 12 clones for this feature only together with others. */
COUNTS_EIGHT_WORDS static void
distances_of_eight (const guint64 *codes, guint64 query, gsize count, guint16 *ret_distances)
{
  for (gsize i = 0; i < count; i++)
    ret_distances[i] = (guint16) __builtin_popcountll (codes[i] ^ query);
}

static gboolean
can_count_eight (void)
{
  return __builtin_cpu_supports ("avx512vpopcntdq") && __builtin_cpu_supports ("avx512vl");
}
#else
#define distances_of_eight distances_of_one_word
#define can_count_eight() FALSE
#endif

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
  if (codes->words == 1 && can_count_eight ())
    distances_of_eight (codes->data + first, *query, count, ret_distances);
  else if (codes->words == 1)
    distances_of_one_word (codes->data + first, *query, count, ret_distances);
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
