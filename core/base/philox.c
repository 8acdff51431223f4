/* Philox4x32-10 of many counters at once.
 *
 * Random123 computes the words of one counter, and is what runs wherever there is no AVX2. With it,
 * eight counters are computed side by side. A word occupies the lower half of a 64-bit lane: the
 * only multiplication of 32 by 32 bits that AVX2 has reads exactly those halves, so that the upper
 * ones may hold anything. Compilers do not find this by themselves (gcc 12 spends three times as
 * long on shuffling words), which is why it is written in intrinsics. */
#include "core/base/philox.h"

#include <string.h>

#include <Random123/philox.h>

/* The words of one counter, by Random123. */
static void
fill_one (const guint32 key[2], guint64 item, guint64 block, guint32 *ret_words)
{
  const philox4x32_ctr_t counter
      = { { (guint32) block, (guint32) (block >> 32), (guint32) item, (guint32) (item >> 32) } };
  const philox4x32_key_t its_key = { { key[0], key[1] } };
  const philox4x32_ctr_t random = philox4x32 (counter, its_key);

  memcpy (ret_words, random.v, sizeof random.v);
}

#ifdef __x86_64__

#include <immintrin.h>

#define LANES 4
#define GROUPS 2 /* side by side, to hide the latency of multiplications */
#define AVX2 __attribute__ ((target ("avx2")))

/* One word of each lane's counter a vector. */
typedef struct {
  __m256i word[4];
} Group;

static AVX2 inline Group
start_group (guint64 item, guint64 block)
{
  const __m256i blocks
      = _mm256_add_epi64 (_mm256_set1_epi64x ((gint64) block), _mm256_set_epi64x (3, 2, 1, 0));

  return (Group){ { blocks, _mm256_srli_epi64 (blocks, 32), _mm256_set1_epi64x ((gint64) item),
                    _mm256_set1_epi64x ((gint64) (item >> 32)) } };
}

static AVX2 inline void
one_round (Group *group, __m256i first_key, __m256i second_key)
{
  __m256i *word = group->word;
  const __m256i first = _mm256_mul_epu32 (word[0], _mm256_set1_epi64x (PHILOX_M4x32_0));
  const __m256i second = _mm256_mul_epu32 (word[2], _mm256_set1_epi64x (PHILOX_M4x32_1));

  word[0]
      = _mm256_xor_si256 (_mm256_xor_si256 (_mm256_srli_epi64 (second, 32), word[1]), first_key);
  word[2]
      = _mm256_xor_si256 (_mm256_xor_si256 (_mm256_srli_epi64 (first, 32), word[3]), second_key);
  word[1] = second;
  word[3] = first;
}

/* From one word a vector to one counter after the other. */
static AVX2 inline void
store_group (const Group *group, guint32 *ret_words)
{
  const __m256i *word = group->word;
  const __m256i heads = _mm256_blend_epi32 (word[0], _mm256_slli_epi64 (word[1], 32), 0xAA);
  const __m256i tails = _mm256_blend_epi32 (word[2], _mm256_slli_epi64 (word[3], 32), 0xAA);
  const __m256i even = _mm256_unpacklo_epi64 (heads, tails);
  const __m256i odd = _mm256_unpackhi_epi64 (heads, tails);

  _mm256_storeu_si256 ((__m256i *) ret_words, _mm256_permute2x128_si256 (even, odd, 0x20));
  _mm256_storeu_si256 ((__m256i *) (ret_words + 8), _mm256_permute2x128_si256 (even, odd, 0x31));
}

/* As many counters as whole groups hold; returns how many those were. */
static AVX2 gsize
fill_groups (const guint32 key[2], guint64 item, guint64 block, gsize count, guint32 *ret_words)
{
  gsize done = 0;

  for (; count - done >= LANES * GROUPS; done += LANES * GROUPS) {
    guint32 first_key = key[0], second_key = key[1];
    Group groups[GROUPS];

    for (gsize g = 0; g < GROUPS; g++)
      groups[g] = start_group (item, block + done + g * LANES);
    for (guint round = 0; round < 10; round++) {
      const __m256i first = _mm256_set1_epi64x (first_key);
      const __m256i second = _mm256_set1_epi64x (second_key);

      for (gsize g = 0; g < GROUPS; g++)
        one_round (&groups[g], first, second);
      first_key += PHILOX_W32_0;
      second_key += PHILOX_W32_1;
    }
    for (gsize g = 0; g < GROUPS; g++)
      store_group (&groups[g], ret_words + 4 * (done + g * LANES));
  }
  return done;
}

static gsize
fill_fast (const guint32 key[2], guint64 item, guint64 block, gsize count, guint32 *ret_words)
{
  return __builtin_cpu_supports ("avx2") ? fill_groups (key, item, block, count, ret_words) : 0;
}

#else

static gsize
fill_fast (G_GNUC_UNUSED const guint32 key[2], G_GNUC_UNUSED guint64 item,
           G_GNUC_UNUSED guint64 block, G_GNUC_UNUSED gsize count, G_GNUC_UNUSED guint32 *ret_words)
{
  return 0;
}

#endif

void
assay_philox_fill (const guint32 key[2], guint64 item, guint64 block, gsize count,
                   guint32 *ret_words)
{
  for (gsize i = fill_fast (key, item, block, count, ret_words); i < count; i++)
    fill_one (key, item, block + i, ret_words + 4 * i);
}
