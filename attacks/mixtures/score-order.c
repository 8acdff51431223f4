/* The order of scores: radix sorts of a word a score, which holds its row.
 *
 * Two sorts, with one result. The exact one takes the bits of a score as three digits, in words of
 * 64 bits. The fast one takes where the score lies between the least and the greatest, in steps as
 * fine as words of 32 bits allow, as two digits, and then compares the few scores that share a
 * step: half the memory to move, and it is memory that such sorts wait for. On 10,000 normal scores
 * with a cold result it takes about half the time; rows with more places than 2^14, for which too
 * few bits would be left, and scores that crowd into few steps are left to the exact one. */
#include "attacks/mixtures/score-order.h"

#include <string.h>

#include "core/base/vectorise.h"

/* ---- By all bits of a score: any number of scores, whatever their values ---- */

#define DIGIT_BITS 11
#define DIGITS (1 << DIGIT_BITS)
#define N_DIGITS 3

/* A word whose order is the reverse of that of the numbers. */
static inline guint32
descending_key (float value)
{
  guint32 bits;

  value += 0.0f; /* -0 becomes 0 */
  memcpy (&bits, &value, sizeof bits);
  return ~(bits >> 31 ? ~bits : bits | 0x80000000u);
}

/* Counts to the places where each digit's numbers begin. */
static void
begin_places (guint32 *places, gsize digits)
{
  guint32 before = 0;

  for (gsize digit = 0; digit < digits; digit++) {
    const guint32 count = places[digit];

    places[digit] = before;
    before += count;
  }
}

/* Through 2 x n words of a key and a place each, which are sorted digit by digit, the last one into
 * the result. All digits are counted in one pass. */
static void
order_by_bits (const float *scores, gsize n, gsize keep, guint64 *words, gint64 *ret_rows)
{
  guint32 places[N_DIGITS][DIGITS] = { { 0 } };
  guint64 *even = words, *odd = words + n;

  for (gsize j = 0; j < n; j++) {
    const guint32 key = descending_key (scores[j]);

    even[j] = (guint64) key << 32 | j;
    for (guint d = 0; d < N_DIGITS; d++)
      places[d][key >> d * DIGIT_BITS & (DIGITS - 1)]++;
  }
  for (guint d = 0; d < N_DIGITS; d++)
    begin_places (places[d], DIGITS);
  for (gsize j = 0; j < n; j++)
    odd[places[0][even[j] >> 32 & (DIGITS - 1)]++] = even[j];
  for (gsize j = 0; j < n; j++)
    even[places[1][odd[j] >> (32 + DIGIT_BITS) & (DIGITS - 1)]++] = odd[j];
  for (gsize j = 0; j < n; j++) {
    const guint32 place = places[2][even[j] >> (32 + 2 * DIGIT_BITS)]++;

    if (place < keep)
      ret_rows[place] = (gint64) (even[j] & G_MAXUINT32);
  }
}

/* ---- By steps between the least and the greatest score: a word of 32 bits ---- */

#define MAX_PLACE_BITS 14 /* so that 18 bits are left for the step */
#define MAX_STEP_BITS 20
#define LANES 8

typedef struct {
  guint place_bits; /* of a word, the low ones */
  guint step_bits;  /* the others: 0 is the best step */
  guint low_bits;   /* of the step: the digit that is sorted first */
} Layout;

static Layout
layout_of (gsize n)
{
  Layout layout = { .place_bits = 1 };

  while (n > (gsize) 1 << layout.place_bits)
    layout.place_bits++;
  layout.step_bits = MIN (32 - layout.place_bits, MAX_STEP_BITS);
  layout.low_bits = layout.step_bits / 2;
  return layout;
}

static float
last_step_of (Layout layout)
{
  return (float) ((1u << layout.step_bits) - 1);
}

/* In lanes, because the order in which a minimum is taken changes nothing but speed. */
static ASSAY_VECTORISED void
find_range (const float *scores, gsize n, float *ret_least, float *ret_greatest)
{
  float least[LANES], greatest[LANES];
  gsize j = 0;

  for (guint l = 0; l < LANES; l++)
    least[l] = greatest[l] = scores[0];
  for (; j + LANES <= n; j += LANES)
    for (guint l = 0; l < LANES; l++) {
      least[l] = scores[j + l] < least[l] ? scores[j + l] : least[l];
      greatest[l] = scores[j + l] > greatest[l] ? scores[j + l] : greatest[l];
    }
  for (; j < n; j++) {
    least[0] = MIN (least[0], scores[j]);
    greatest[0] = MAX (greatest[0], scores[j]);
  }
  for (guint l = 1; l < LANES; l++) {
    least[0] = MIN (least[0], least[l]);
    greatest[0] = MAX (greatest[0], greatest[l]);
  }
  *ret_least = least[0];
  *ret_greatest = greatest[0];
}

/* Rounding keeps the order: a greater score has never a later step. What is no number is last. */
static ASSAY_VECTORISED void
make_words (const float *scores, gsize n, float greatest, float scale, Layout layout,
            guint32 *ret_words)
{
  const float last_step = last_step_of (layout);
  const guint place_bits = layout.place_bits;

  for (gsize j = 0; j < n; j++) {
    const float step = (greatest - scores[j]) * scale;

    ret_words[j]
        = (guint32) (gint32) (step < last_step ? step : last_step) << place_bits | (guint32) j;
  }
}

/* The first @keep rows of @words, which are in the order of their steps, in that of their scores:
 * of equal steps each moves up past worse scores. Where steps are shared is written down first,
 * which takes no branch that could be guessed wrong, behind the words, where there is room for @n.
 * FALSE: the scores lie too densely for it. */
static gboolean
mend_order (const float *scores, gsize n, gsize keep, guint place_bits, guint32 *words,
            gint64 *ret_rows)
{
  guint32 *shared = words + n;
  const guint32 place_mask = (1u << place_bits) - 1;
  gsize moves = 0, n_shared = 0;

  for (gsize k = 0; k < keep; k++)
    ret_rows[k] = (gint64) (words[k] & place_mask);
  for (gsize k = 1; k < n; k++) {
    shared[n_shared] = (guint32) k;
    n_shared += (words[k] ^ words[k - 1]) <= place_mask;
  }
  for (gsize i = 0; i < n_shared; i++) {
    const guint32 row = words[shared[i]] & place_mask;
    gsize to = MIN (shared[i], keep);

    for (; to > 0 && scores[row] > scores[ret_rows[to - 1]]; to--, moves++)
      if (to < keep)
        ret_rows[to] = ret_rows[to - 1];
    if (to < keep)
      ret_rows[to] = (gint64) row;
    if (moves > 4 * n)
      return FALSE;
  }
  return TRUE;
}

/* FALSE: these scores are for the other sort. */
static gboolean
order_by_steps (const float *scores, gsize n, gsize keep, guint32 *words, gint64 *ret_rows)
{
  enum { MAX_DIGITS = 1 << (MAX_STEP_BITS / 2) };
  const Layout layout = layout_of (n);
  const guint high_bits = layout.step_bits - layout.low_bits;
  const guint high_shift = layout.place_bits + layout.low_bits;
  const guint32 low_mask = (1u << layout.low_bits) - 1;
  guint32 lows[MAX_DIGITS] = { 0 }, highs[MAX_DIGITS] = { 0 };
  guint32 *sorted = words + n;
  float least, greatest, scale;

  find_range (scores, n, &least, &greatest);
  scale = last_step_of (layout) / (greatest - least);
  if (!(scale > 0) || !(scale < G_MAXFLOAT))
    return FALSE;
  make_words (scores, n, greatest, scale, layout, words);
  for (gsize j = 0; j < n; j++) {
    lows[words[j] >> layout.place_bits & low_mask]++;
    highs[words[j] >> high_shift]++;
  }
  begin_places (lows, (gsize) 1 << layout.low_bits);
  begin_places (highs, (gsize) 1 << high_bits);
  for (gsize j = 0; j < n; j++)
    sorted[lows[words[j] >> layout.place_bits & low_mask]++] = words[j];
  for (gsize j = 0; j < n; j++)
    words[highs[sorted[j] >> high_shift]++] = sorted[j];
  return mend_order (scores, n, keep, layout.place_bits, words, ret_rows);
}

void
score_order (const float *scores, gsize n, gsize keep, guint64 *words, gint64 *ret_rows)
{
  if (n > (gsize) 1 << MAX_PLACE_BITS
      || !order_by_steps (scores, n, keep, (guint32 *) words, ret_rows))
    order_by_bits (scores, n, keep, words, ret_rows);
}
