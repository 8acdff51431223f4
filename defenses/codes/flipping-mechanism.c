/* Random Flipping in the distinguishing game. */
#include "defenses/codes/flipping-mechanism.h"

#include <math.h>
#include <string.h>

#include "defenses/mechanisms/coin.h"

const char *const flipping_relations[] = { "bit", "code", "record", NULL };
const char *const flipping_sights[] = { "codes", "all", NULL };
const char *const flipping_calibrations[] = { "paper", "randomised-response", NULL };

/* Random words that are drawn at once. */
#define WORDS (gsize) 512

void
flipping_chances (FlippingCalibration calibration, double epsilon, double *ret_kept,
                  double *ret_turned)
{
  /* Neither is one minus the other: that would lose the digits of the smaller one. */
  if (calibration == FLIPPING_PAPER) {
    *ret_kept = -expm1 (-epsilon);
    *ret_turned = exp (-epsilon);
  } else {
    *ret_kept = 1 / (1 + exp (-epsilon));
    *ret_turned = 1 / (1 + exp (epsilon));
  }
}

AssayBudget
flipping_budget (FlippingCalibration calibration, FlippingRelation relation, double epsilon,
                 gsize bits)
{
  const gboolean is_of_bit = calibration == FLIPPING_PAPER || relation == FLIPPING_BIT;

  return (AssayBudget){ .epsilon = is_of_bit ? epsilon : epsilon * (double) bits };
}

/* Bits of an input of the relations bit and code. */
static gsize
input_bits (const FlippingGame *game)
{
  return game->relation == FLIPPING_BIT ? 1 : game->bits;
}

static gsize
outputs_of (const FlippingGame *game)
{
  return game->rounds * input_bits (game);
}

void
flipping_size (const FlippingGame *game, gsize cols, gsize *ret_inputs, gsize *ret_outputs)
{
  if (game->relation != FLIPPING_RECORD) {
    *ret_inputs = input_bits (game);
    *ret_outputs = outputs_of (game);
    return;
  }
  *ret_inputs = game->records * cols;
  *ret_outputs = game->records * game->bits;
  if (game->looks_at == FLIPPING_SEES_ALL)
    *ret_outputs += game->algorithm->size_beside (game, cols);
}

/* ---- Bits and codes ---- */

static void
draw_codes (const FlippingGame *game, guint index, AssayStream *stream, float *ret_first,
            float *ret_second)
{
  const gsize bits = input_bits (game);
  const gsize certain = assay_stream_below (stream, bits);

  for (gsize j = 0; j < bits; j++) {
    if (index == 0) {
      ret_first[j] = 1;
      ret_second[j] = 0;
      continue;
    }
    ret_first[j] = (float) (assay_stream_u32 (stream) & 1);
    ret_second[j] = j == certain ? 1 - ret_first[j] : (float) (assay_stream_u32 (stream) & 1);
  }
}

static void
turn_bits (const FlippingGame *game, AssayStream *stream, const float *input, gsize count,
           float *ret_outputs)
{
  const Coin coin = coin_new (game->turned, game->kept);
  const gsize bits = input_bits (game), total = count * game->rounds * bits;
  guint32 words[WORDS];

  for (gsize first = 0; first < total; first += WORDS) {
    const gsize n = MIN (WORDS, total - first);
    float *outputs = ret_outputs + first;

    assay_stream_fill_u32 (stream, n, words);
    coin_throw_all (&coin, words, n, stream, outputs);
    /* Heads turn the bit: the exclusive or. */
    for (gsize i = 0; i < n; i++)
      outputs[i] = fabsf (input[(first + i) % bits] - outputs[i]);
  }
}

void
flipping_log_ratio (const FlippingGame *game, AssayInputPair pair, const float *outputs,
                    gsize count, double *ret_scores)
{
  const gsize bits = input_bits (game), n = game->rounds * bits;
  const double of_one = log (game->kept / game->turned);

  for (gsize i = 0; i < count; i++) {
    gssize balance = 0;

    for (gsize r = 0; r < n; r += bits)
      for (gsize j = 0; j < bits; j++)
        if (pair.first[j] != pair.second[j])
          balance += outputs[i * n + r + j] == pair.first[j] ? 1 : -1;
    ret_scores[i] = (double) balance * of_one;
  }
}

void
flipping_tight_event (const FlippingGame *game, double epsilon, double *ret_first,
                      double *ret_second)
{
  const double m = (double) outputs_of (game);
  double kept, turned;

  flipping_chances (FLIPPING_RANDOMISED_RESPONSE, epsilon / m, &kept, &turned);
  *ret_first = pow (kept, m);
  *ret_second = pow (turned, m);
}

/* ---- Small datasets ---- */

static void
draw_record (AssayStream *stream, gsize cols, float *ret_record)
{
  for (gsize j = 0; j < cols; j++)
    ret_record[j] = (float) assay_stream_below (stream, 7) - 3;
}

/* Whole numbers from -3 to 3, and one record drawn anew. */
static void
draw_datasets (const FlippingGame *game, gsize cols, AssayStream *stream, float *ret_first,
               float *ret_second)
{
  const gsize changed = assay_stream_below (stream, game->records);
  float *record = ret_second + changed * cols;

  for (gsize i = 0; i < game->records; i++)
    draw_record (stream, cols, ret_first + i * cols);
  memcpy (ret_second, ret_first, game->records * cols * sizeof (float));
  do
    draw_record (stream, cols, record);
  while (memcmp (record, ret_first + changed * cols, cols * sizeof (float)) == 0);
}

void
flipping_fill_rest (gsize number, gsize cols, float *inout_record)
{
  for (gsize j = 1; j < cols; j++)
    inout_record[j] = number >> ((j - 1) % 4) & 1 ? 0.25f : -0.25f;
}

AssayStreamKey
flipping_key (AssayStream *stream)
{
  AssayStreamKey key;

  for (gsize i = 0; i < G_N_ELEMENTS (key.word); i++)
    key.word[i] = assay_stream_u32 (stream);
  return key;
}

gboolean
flipping_check (const FlippingGame *game, gsize cols, GError **error)
{
  const gsize numbers = game->records * cols;
  g_autofree float *pair = NULL;

  if (game->relation != FLIPPING_RECORD || cols == 0)
    return TRUE;
  pair = g_new (float, 2 * numbers);
  game->algorithm->propose (game, cols, pair, pair + numbers);
  for (gsize side = 0; side < 2; side++) {
    AssayStream stream = assay_stream (assay_stream_key (0, 0, "flipping-check", ""), side);
    const AssayView dataset = { game->records, cols, cols, pair + side * numbers };

    if (!game->algorithm->learn (game, dataset, &stream, error))
      return assay_prefix (error, "relation = record, %zu records of %zu numbers: ", game->records,
                           cols);
  }
  return TRUE;
}

/* ---- Either ---- */

void
flipping_pair (const FlippingGame *game, gsize cols, guint index, AssayStream *stream,
               float *ret_first, float *ret_second)
{
  if (game->relation != FLIPPING_RECORD)
    draw_codes (game, index, stream, ret_first, ret_second);
  else if (index == 0)
    game->algorithm->propose (game, cols, ret_first, ret_second);
  else
    draw_datasets (game, cols, stream, ret_first, ret_second);
}

void
flipping_run (const FlippingGame *game, gsize cols, AssayStream *stream, const float *input,
              gsize count, float *ret_outputs)
{
  gsize n_inputs, n_outputs;

  if (game->relation != FLIPPING_RECORD) {
    turn_bits (game, stream, input, count, ret_outputs);
    return;
  }
  flipping_size (game, cols, &n_inputs, &n_outputs);
  game->algorithm->run (game, (AssayView){ game->records, cols, cols, input }, stream, count,
                        n_outputs, ret_outputs);
}
