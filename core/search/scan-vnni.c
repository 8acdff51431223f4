/* The kernels of the coarse pass, in intrinsics: compilers do not find these instructions. */
#include "core/search/scan-vnni.h"

#include <float.h>
#include <math.h>
#include <string.h>

#if defined(__x86_64__)

#include <immintrin.h>

#define FOR_VNNI __attribute__ ((target ("avx2,fma,avx512f,avx512bw,avx512vl,avx512vnni")))

gboolean
vnni_is_there (void)
{
  return __builtin_cpu_supports ("avx512vnni") && __builtin_cpu_supports ("avx512bw")
         && __builtin_cpu_supports ("avx512vl") && __builtin_cpu_supports ("fma");
}

FOR_VNNI gboolean
vnni_any_below_zero (const float *values, gsize count)
{
  __m512 least = _mm512_setzero_ps ();
  gsize i = 0;

  for (; i + GROUP <= count; i += GROUP)
    least = _mm512_min_ps (_mm512_loadu_ps (values + i), least);
  for (; i < count; i++)
    if (values[i] < 0)
      return TRUE;
  return _mm512_reduce_min_ps (least) < 0;
}

static inline __mmask16
first_lanes (gsize count)
{
  return (__mmask16) (count >= GROUP ? 0xffff : (1U << count) - 1);
}

FOR_VNNI void
vnni_quantise_row (const float *row, gsize cols, gint zero, guint8 *ret_bytes, float *ret_scale,
                   float *ret_error)
{
  const __m512i low = _mm512_set1_epi32 (zero == 0 ? 0 : -127);
  const __m512i high = _mm512_set1_epi32 (zero == 0 ? 255 : 127);
  __m512 most = _mm512_setzero_ps ();
  __m512 square = _mm512_setzero_ps ();
  float largest, scale;
  __m512 inverse;

  for (gsize i = 0; i < cols; i += GROUP)
    most = _mm512_max_ps (_mm512_abs_ps (_mm512_maskz_loadu_ps (first_lanes (cols - i), row + i)),
                          most);
  largest = _mm512_reduce_max_ps (most);
  scale = largest > 1e-15f ? largest / (zero == 0 ? 255 : 127) : 0;
  inverse = _mm512_set1_ps (scale > 0 ? 1 / scale : 0);
  for (gsize i = 0; i < cols; i += GROUP) {
    const __mmask16 lanes = first_lanes (cols - i);
    const __m512 values = _mm512_maskz_loadu_ps (lanes, row + i);
    const __m512i whole = _mm512_min_epi32 (
        _mm512_max_epi32 (_mm512_cvtps_epi32 (_mm512_mul_ps (values, inverse)), low), high);
    const __m512 rest
        = _mm512_fnmadd_ps (_mm512_cvtepi32_ps (whole), _mm512_set1_ps (scale), values);

    square = _mm512_fmadd_ps (rest, rest, square);
    _mm512_mask_cvtepi32_storeu_epi8 (ret_bytes + i, lanes,
                                      _mm512_add_epi32 (whole, _mm512_set1_epi32 (zero)));
  }
  *ret_scale = scale;
  *ret_error = sqrtf (_mm512_reduce_add_ps (square)) * 1.001f + 1e-20f;
}

/* The products of a tile with @n directions (n x 4 quads bytes each), as n x TILE. */
FOR_VNNI static inline __attribute__ ((always_inline)) void
multiply_directions (const guint8 *tile, gsize quads, const gint8 *directions, const gint32 *start,
                     const gsize n, gint32 *ret_products)
{
  __m512i sums[MAX_DIRECTIONS][GROUPS];

  for (gsize j = 0; j < n; j++)
    for (gsize g = 0; g < GROUPS; g++)
      sums[j][g] = _mm512_set1_epi32 (start[j]);
  for (gsize q = 0; q < quads; q++) {
    __m512i rows[GROUPS];

    for (gsize g = 0; g < GROUPS; g++)
      rows[g] = _mm512_loadu_si512 (tile + (g * quads + q) * 4 * GROUP);
    for (gsize j = 0; j < n; j++) {
      gint32 four;
      __m512i all;

      memcpy (&four, directions + (j * quads + q) * 4, sizeof four);
      all = _mm512_set1_epi32 (four);
      for (gsize g = 0; g < GROUPS; g++)
        sums[j][g] = _mm512_dpbusd_epi32 (sums[j][g], rows[g], all);
    }
  }
  for (gsize j = 0; j < n; j++)
    for (gsize g = 0; g < GROUPS; g++)
      _mm512_storeu_si512 (ret_products + j * TILE + g * GROUP, sums[j][g]);
}

FOR_VNNI void
vnni_multiply_tile (const guint8 *tile, gsize quads, const gint8 *directions, const gint32 *start,
                    gsize n, gint32 *ret_products)
{
  for (gsize first = 0; first < n; first += MAX_DIRECTIONS) {
    const gint8 *from = directions + first * quads * 4;
    gint32 *to = ret_products + first * TILE;

    switch (MIN (n - first, MAX_DIRECTIONS)) {
    case 1:
      multiply_directions (tile, quads, from, start + first, 1, to);
      break;
    case 2:
      multiply_directions (tile, quads, from, start + first, 2, to);
      break;
    case 3:
      multiply_directions (tile, quads, from, start + first, 3, to);
      break;
    case 4:
      multiply_directions (tile, quads, from, start + first, 4, to);
      break;
    case 5:
      multiply_directions (tile, quads, from, start + first, 5, to);
      break;
    default:
      multiply_directions (tile, quads, from, start + first, MAX_DIRECTIONS, to);
    }
  }
}

FOR_VNNI guint64
vnni_mark_near (CoarseProducts products, const CoarseRows *rows, const float *norms, gsize tile,
                const CoarseSubspace *subspace, float bar)
{
  guint64 marks = 0;

  for (gsize g = 0; g < GROUPS; g++) {
    const gsize lane = tile * TILE + g * GROUP;
    const __m512 scale = _mm512_loadu_ps (rows->scale + lane);
    const __m512 error = _mm512_loadu_ps (rows->error + lane);
    const __m512 length = _mm512_loadu_ps (rows->length + lane);
    const __m512 norm = _mm512_loadu_ps (norms + lane);
    __m512 square = _mm512_setzero_ps ();
    __m512 along, within, least;
    __mmask16 is_far;

    for (gsize j = 1; j < products.stacked; j++) {
      const __m512i whole = _mm512_loadu_si512 (products.sums + j * TILE + g * GROUP);
      const __m512 part
          = _mm512_mul_ps (_mm512_cvtepi32_ps (whole), _mm512_set1_ps (products.scales[j]));

      square = _mm512_fmadd_ps (part, part, square);
    }
    within = _mm512_mul_ps (_mm512_sqrt_ps (square), scale);
    within = _mm512_fmadd_ps (_mm512_set1_ps (subspace->b_error), length, within);
    within = _mm512_fmadd_ps (_mm512_set1_ps (subspace->b_norm), error, within);
    along = _mm512_mul_ps (_mm512_cvtepi32_ps (_mm512_loadu_si512 (products.sums + g * GROUP)),
                           _mm512_set1_ps (products.scales[0]));
    along = _mm512_mul_ps (along, scale);
    along = _mm512_fmadd_ps (_mm512_set1_ps (subspace->t_error), length, along);
    along = _mm512_fmadd_ps (_mm512_set1_ps (subspace->length), error, along);
    least = _mm512_fmadd_ps (norm, _mm512_set1_ps (subspace->keep),
                             _mm512_set1_ps (subspace->square));
    least = _mm512_fnmadd_ps (_mm512_set1_ps (2), along, least);
    least = _mm512_fnmadd_ps (within, within, least);
    is_far = _mm512_cmp_ps_mask (least, _mm512_set1_ps (bar), _CMP_GT_OQ);
    is_far &= _mm512_cmp_ps_mask (least, _mm512_set1_ps (FLT_MAX), _CMP_LE_OQ);
    marks |= (guint64) (guint16) ~is_far << g * GROUP;
  }
  return marks;
}

FOR_VNNI void
vnni_multiply_chains (const ChainStack *stack, const float *panel, const guint16 *lanes, gsize n,
                      float *ret_products)
{
  const gsize cols = stack->cols;
  const float *rows[CHAINS];

  for (gsize r = 0; r < CHAINS; r++)
    rows[r] = panel + lanes[r < n ? r : 0] * cols;
  for (gsize first = 0; first < stack->n; first += CHAIN_LANES) {
    __m256 sums[CHAINS];

    for (gsize r = 0; r < CHAINS; r++)
      sums[r] = _mm256_setzero_ps ();
    for (gsize k = 0; k < cols; k++) {
      const __m256 column = _mm256_loadu_ps (stack->transposed + k * stack->width + first);

      for (gsize r = 0; r < CHAINS; r++)
        sums[r] = _mm256_fmadd_ps (_mm256_set1_ps (rows[r][k]), column, sums[r]);
    }
    for (gsize r = 0; r < n; r++) {
      float all[CHAIN_LANES];

      _mm256_storeu_ps (all, sums[r]);
      for (gsize j = 0; j < MIN (CHAIN_LANES, stack->n - first); j++)
        ret_products[(first + j) * PANEL + r] = all[j];
    }
  }
}

#else

gboolean
vnni_is_there (void)
{
  return FALSE;
}

gboolean
vnni_any_below_zero (G_GNUC_UNUSED const float *values, G_GNUC_UNUSED gsize count)
{
  g_assert_not_reached ();
}

void
vnni_quantise_row (G_GNUC_UNUSED const float *row, G_GNUC_UNUSED gsize cols,
                   G_GNUC_UNUSED gint zero, G_GNUC_UNUSED guint8 *ret_bytes,
                   G_GNUC_UNUSED float *ret_scale, G_GNUC_UNUSED float *ret_error)
{
  g_assert_not_reached ();
}

void
vnni_multiply_tile (G_GNUC_UNUSED const guint8 *tile, G_GNUC_UNUSED gsize quads,
                    G_GNUC_UNUSED const gint8 *directions, G_GNUC_UNUSED const gint32 *start,
                    G_GNUC_UNUSED gsize n, G_GNUC_UNUSED gint32 *ret_products)
{
  g_assert_not_reached ();
}

guint64
vnni_mark_near (G_GNUC_UNUSED CoarseProducts products, G_GNUC_UNUSED const CoarseRows *rows,
                G_GNUC_UNUSED const float *norms, G_GNUC_UNUSED gsize tile,
                G_GNUC_UNUSED const CoarseSubspace *subspace, G_GNUC_UNUSED float bar)
{
  g_assert_not_reached ();
}

void
vnni_multiply_chains (G_GNUC_UNUSED const ChainStack *stack, G_GNUC_UNUSED const float *panel,
                      G_GNUC_UNUSED const guint16 *lanes, G_GNUC_UNUSED gsize n,
                      G_GNUC_UNUSED float *ret_products)
{
  g_assert_not_reached ();
}

#endif
