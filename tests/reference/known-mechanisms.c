/* Mechanisms of known epsilon. */
#include "tests/reference/known-mechanisms.h"

#include <math.h>

AssayBudget
known_budget (gconstpointer settings, gsize cols)
{
  const Known *setup = settings;

  (void) cols;
  return (AssayBudget){ setup->epsilon, setup->delta };
}

void
known_size (gconstpointer settings, gsize cols, gsize *ret_inputs, gsize *ret_outputs)
{
  const Known *setup = settings;

  (void) cols;
  *ret_inputs = 1;
  *ret_outputs = setup->outputs;
}

void
known_pair (gconstpointer settings, gsize cols, guint index, AssayStream *stream, float *ret_first,
            float *ret_second)
{
  const Known *setup = settings;

  (void) cols;
  (void) stream;
  *ret_first = setup->leaky_pair == G_MAXUINT || setup->leaky_pair == index ? 1 : 0;
  *ret_second = 0;
}

/* The proposal does not leak; a random pair does with probability 1/8. */
static void
rare_pair (gconstpointer settings, gsize cols, guint index, AssayStream *stream, float *ret_first,
           float *ret_second)
{
  (void) settings;
  (void) cols;
  *ret_first = index > 0 && assay_stream_below (stream, 8) == 0 ? 1 : 0;
  *ret_second = 0;
}

/* The input, flipped with probability 1 / (1 + exp (epsilon)). */
static float
flipped (const Known *setup, AssayStream *stream, float input)
{
  return assay_stream_uniform (stream) < 1 / (1 + exp (setup->epsilon)) ? 1 - input : input;
}

/* The bit stands in the last column; the others are noise of 4 values. */
void
known_run_bit (gconstpointer settings, gsize cols, AssayStream *stream, const float *input,
               gsize count, float *ret_outputs)
{
  const Known *setup = settings;
  const gsize n = setup->outputs;

  (void) cols;
  for (gsize i = 0; i < count; i++) {
    for (gsize j = 0; j + 1 < n; j++)
      ret_outputs[i * n + j] = (float) assay_stream_below_u32 (stream, 4);
    ret_outputs[i * n + n - 1] = flipped (setup, stream, *input);
  }
}

static void
ratio_bit (gconstpointer settings, gsize cols, AssayInputPair pair, const float *outputs,
           gsize count, double *ret_scores)
{
  const Known *setup = settings;

  (void) cols;
  for (gsize i = 0; i < count; i++) {
    const float bit = outputs[i * setup->outputs + setup->outputs - 1];

    ret_scores[i] = *pair.first == *pair.second ? 0
                    : bit == *pair.first        ? setup->epsilon
                                                : -setup->epsilon;
  }
}

static void
ratio_nan (gconstpointer settings, gsize cols, AssayInputPair pair, const float *outputs,
           gsize count, double *ret_scores)
{
  ratio_bit (settings, cols, pair, outputs, count, ret_scores);
  ret_scores[count - 1] = NAN;
}

static void
run_laplace (gconstpointer settings, gsize cols, AssayStream *stream, const float *input,
             gsize count, float *ret_outputs)
{
  const Known *setup = settings;

  (void) cols;
  for (gsize i = 0; i < count * setup->outputs; i++)
    ret_outputs[i] = (float) (*input + assay_stream_laplace (stream) / setup->epsilon);
}

static void
ratio_laplace (gconstpointer settings, gsize cols, AssayInputPair pair, const float *outputs,
               gsize count, double *ret_scores)
{
  const Known *setup = settings;

  (void) cols;
  for (gsize i = 0; i < count; i++) {
    const double output = outputs[i];

    ret_scores[i] = setup->epsilon * (fabs (output - *pair.second) - fabs (output - *pair.first));
  }
}

/* @outputs of 200 numbers, in random order: the input with probability
 * m e^epsilon / (m e^epsilon + 200 - m), and others. */
static void
run_subset (gconstpointer settings, gsize cols, AssayStream *stream, const float *input,
            gsize count, float *ret_outputs)
{
  const Known *setup = settings;
  const gsize m = setup->outputs, secret = (gsize) *input;
  const double weight = (double) m * exp (setup->epsilon);

  (void) cols;
  for (gsize i = 0; i < count; i++) {
    const gboolean is_in = assay_stream_uniform (stream) < weight / (weight + 200 - (double) m);
    gsize others[16];

    assay_stream_choose (stream, 199, m, others);
    for (gsize j = 0; j < m; j++)
      ret_outputs[i * m + j] = (float) (others[j] + (others[j] >= secret));
    if (is_in)
      ret_outputs[i * m + assay_stream_below (stream, m)] = *input;
  }
}

static void
ratio_subset (gconstpointer settings, gsize cols, AssayInputPair pair, const float *outputs,
              gsize count, double *ret_scores)
{
  const Known *setup = settings;

  (void) cols;
  for (gsize i = 0; i < count; i++) {
    gboolean has_first = FALSE, has_second = FALSE;

    for (gsize j = 0; j < setup->outputs; j++) {
      has_first |= outputs[i * setup->outputs + j] == *pair.first;
      has_second |= outputs[i * setup->outputs + j] == *pair.second;
    }
    ret_scores[i] = setup->epsilon * (has_first - has_second);
  }
}

/* With probability delta the bit itself, as 2 or 3; else as run_bit. */
static void
run_slip (gconstpointer settings, gsize cols, AssayStream *stream, const float *input, gsize count,
          float *ret_outputs)
{
  const Known *setup = settings;

  (void) cols;
  for (gsize i = 0; i < count; i++)
    ret_outputs[i] = assay_stream_uniform (stream) < setup->delta ? 2 + *input
                                                                  : flipped (setup, stream, *input);
}

/* NaN where the flipped bit is 1, else noise. */
static void
run_nan (gconstpointer settings, gsize cols, AssayStream *stream, const float *input, gsize count,
         float *ret_outputs)
{
  (void) cols;
  for (gsize i = 0; i < count; i++) {
    ret_outputs[i] = (float) assay_stream_normal (stream);
    if (flipped (settings, stream, *input) == 1)
      ret_outputs[i] = NAN;
  }
}

static void
run_xor (gconstpointer settings, gsize cols, AssayStream *stream, const float *input, gsize count,
         float *ret_outputs)
{
  (void) cols;
  for (gsize i = 0; i < count; i++) {
    const gboolean coin = assay_stream_u32 (stream) & 1;

    ret_outputs[2 * i] = (float) coin;
    ret_outputs[2 * i + 1] = (float) (coin != (flipped (settings, stream, *input) == 1));
  }
}

static void
run_middle (gconstpointer settings, gsize cols, AssayStream *stream, const float *input,
            gsize count, float *ret_outputs)
{
  (void) cols;
  for (gsize i = 0; i < count; i++) {
    const double half = assay_stream_uniform (stream) / 2;
    const gboolean is_outer = assay_stream_u32 (stream) & 1;

    if (is_outer)
      ret_outputs[i] = (float) (half < 0.25 ? half : 0.5 + half);
    else
      ret_outputs[i] = (float) (0.25 + half / 2 + 0.25 * flipped (settings, stream, *input));
  }
}

static void
run_rare (gconstpointer settings, gsize cols, AssayStream *stream, const float *input, gsize count,
          float *ret_outputs)
{
  (void) cols;
  for (gsize i = 0; i < count; i++)
    ret_outputs[i] = assay_stream_uniform (stream) < 0.015 ? (float) assay_stream_normal (stream)
                                                           : flipped (settings, stream, *input);
}

#define KNOWN(name, proposed, pairs, ...)                                                          \
  const AssayMechanism name = { .neighbours = "any two",                                           \
                                .budget = known_budget,                                            \
                                .size = known_size,                                                \
                                .n_proposed = proposed,                                            \
                                .pair = pairs,                                                     \
                                __VA_ARGS__ }

KNOWN (known_bit, 1, known_pair, .run = known_run_bit, .log_ratio = ratio_bit);
KNOWN (known_bit_unknown, 1, known_pair, .run = known_run_bit);
KNOWN (known_laplace, 1, known_pair, .run = run_laplace, .log_ratio = ratio_laplace);
KNOWN (known_laplace_unknown, 1, known_pair, .run = run_laplace);
KNOWN (known_subset, 1, known_pair, .run = run_subset, .log_ratio = ratio_subset);
KNOWN (known_slip, 1, known_pair, .run = run_slip);
KNOWN (known_nan, 1, known_pair, .run = run_nan);
KNOWN (known_xor, 1, known_pair, .run = run_xor);
KNOWN (known_middle, 1, known_pair, .run = run_middle);
KNOWN (known_rare, 1, known_pair, .run = run_rare);
KNOWN (known_broken_ratio, 1, known_pair, .run = known_run_bit, .log_ratio = ratio_nan);
KNOWN (known_six_pairs, 6, known_pair, .run = known_run_bit, .log_ratio = ratio_bit);
KNOWN (known_hidden_pair, 1, rare_pair, .run = known_run_bit);
