/* The kernels of the coarse pass of a scan, for scan-prune.c alone: products of bytes with the
 * AVX-512 VNNI instructions, 64 multiplications each where one of float32 makes 16; and chains of
 * fused multiply-adds. Where the processor has no such instructions there is no coarse pass.
 *
 * Quantised rows stand in groups of GROUP rows, four columns of a row in one 32-bit lane: columns
 * 4 q .. 4 q + 3 of row r are bytes 4 r .. 4 r + 3 of the q-th vector of a group. */
#pragma once

#include <float.h>
#include <glib.h>
#include <math.h>
#include <string.h>

#include "core/search/search-panel.h"

#define GROUP 16
#define GROUPS (TILE / GROUP)
#define MOST_DIRECTIONS 6 /* whose sums for a tile stay in registers: 24 of 32 */
#define CHAINS 8          /* rows whose chains are computed at a time, so that none waits */
#define CHAIN_LANES 8

/* What the coarse pass knows of the rows of a panel. */
typedef struct {
  float scale[PANEL];  /* of the quantised row */
  float error[PANEL];  /* at least the length of what quantisation has changed */
  float length[PANEL]; /* at least that of the quantised row */
} CoarseRows;

/* And of a subspace: bounds of lengths, from above. */
typedef struct {
  float square;  /* ||t'||^2, less rounding */
  float keep;    /* 1 less rounding, of ||w||^2 */
  float length;  /* ||t'|| */
  float t_error; /* of the quantised t' */
  float b_norm;  /* spectral norm of B */
  float b_error; /* spectral norm of what quantisation has changed of B */
} CoarseSubspace;

#if defined(__x86_64__)

#include <immintrin.h>

#define FOR_VNNI __attribute__ ((target ("avx2,fma,avx512f,avx512bw,avx512vl,avx512vnni")))

static gboolean
has_vnni (void)
{
  return __builtin_cpu_supports ("avx512vnni") && __builtin_cpu_supports ("avx512bw")
         && __builtin_cpu_supports ("avx512vl") && __builtin_cpu_supports ("fma");
}

FOR_VNNI static gboolean
any_below_zero (const float *values, gsize count)
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

/* Row ~ scale * (bytes - @zero), with @zero = 0 (the row has no value below 0) or 128. Rows so
 * short that squares underflow are quantised to nothing. */
FOR_VNNI static void
quantise_row (const float *row, gsize cols, gint zero, guint8 *ret_bytes, float *ret_scale,
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
  __m512i sums[MOST_DIRECTIONS][GROUPS];

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

FOR_VNNI static void
multiply_tile (const guint8 *tile, gsize quads, const gint8 *directions, const gint32 *start,
               gsize n, gint32 *ret_products)
{
  for (gsize first = 0; first < n; first += MOST_DIRECTIONS) {
    const gint8 *from = directions + first * quads * 4;
    gint32 *to = ret_products + first * TILE;

    switch (MIN (n - first, MOST_DIRECTIONS)) {
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
      multiply_directions (tile, quads, from, start + first, MOST_DIRECTIONS, to);
    }
  }
}

/* The rows of a tile whose squared distance may be no more than @bar, one bit each. A bound that
 * is not finite rules nothing out. */
FOR_VNNI static guint64
mark_near (const gint32 *products, const float *scales, gsize stacked, const CoarseRows *rows,
           const float *norms, gsize tile, const CoarseSubspace *subspace, float bar)
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

    for (gsize j = 1; j < stacked; j++) {
      const __m512i whole = _mm512_loadu_si512 (products + j * TILE + g * GROUP);
      const __m512 part = _mm512_mul_ps (_mm512_cvtepi32_ps (whole), _mm512_set1_ps (scales[j]));

      square = _mm512_fmadd_ps (part, part, square);
    }
    within = _mm512_mul_ps (_mm512_sqrt_ps (square), scale);
    within = _mm512_fmadd_ps (_mm512_set1_ps (subspace->b_error), length, within);
    within = _mm512_fmadd_ps (_mm512_set1_ps (subspace->b_norm), error, within);
    along = _mm512_mul_ps (_mm512_cvtepi32_ps (_mm512_loadu_si512 (products + g * GROUP)),
                           _mm512_set1_ps (scales[0]));
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

/* The products of the first @n <= CHAINS of @lanes of a panel with all columns of @transposed
 * (cols x width), each one chain of fused multiply-adds from the first column of the panel to the
 * last. */
FOR_VNNI static void
multiply_chains (const float *transposed, gsize width, gsize n_columns, gsize cols,
                 const float *panel, const guint16 *lanes, gsize n, float *ret_products)
{
  const float *rows[CHAINS];

  for (gsize r = 0; r < CHAINS; r++)
    rows[r] = panel + lanes[r < n ? r : 0] * cols;
  for (gsize first = 0; first < n_columns; first += CHAIN_LANES) {
    __m256 sums[CHAINS];

    for (gsize r = 0; r < CHAINS; r++)
      sums[r] = _mm256_setzero_ps ();
    for (gsize k = 0; k < cols; k++) {
      const __m256 column = _mm256_loadu_ps (transposed + k * width + first);

      for (gsize r = 0; r < CHAINS; r++)
        sums[r] = _mm256_fmadd_ps (_mm256_set1_ps (rows[r][k]), column, sums[r]);
    }
    for (gsize r = 0; r < n; r++) {
      float all[CHAIN_LANES];

      _mm256_storeu_ps (all, sums[r]);
      for (gsize j = 0; j < MIN (CHAIN_LANES, n_columns - first); j++)
        ret_products[(first + j) * PANEL + r] = all[j];
    }
  }
}

#else

static gboolean
has_vnni (void)
{
  return FALSE;
}

#define any_below_zero(...) FALSE
#define quantise_row(...) g_assert_not_reached ()
#define multiply_tile(...) g_assert_not_reached ()
#define mark_near(...) 0
#define multiply_chains(...) g_assert_not_reached ()

#endif
