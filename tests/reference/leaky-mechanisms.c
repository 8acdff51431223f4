/* Leaks that most scores do not see, and runs that are not independent. */
#include "tests/reference/leaky-mechanisms.h"

#include <math.h>

static AssayBudget
claim_one (G_GNUC_UNUSED gconstpointer settings, G_GNUC_UNUSED gsize cols)
{
  return (AssayBudget){ .epsilon = 1 };
}

#define LEAKY(name, outputs)                                                                       \
  static void name##_size (G_GNUC_UNUSED gconstpointer settings, G_GNUC_UNUSED gsize cols,         \
                           gsize *ret_inputs, gsize *ret_outputs)                                  \
  {                                                                                                \
    *ret_inputs = 1;                                                                               \
    *ret_outputs = (outputs);                                                                      \
  }                                                                                                \
  static void name##_run (G_GNUC_UNUSED gconstpointer settings, G_GNUC_UNUSED gsize cols,          \
                          AssayStream *stream, const float *input, gsize count,                    \
                          float *ret_outputs)                                                      \
  {                                                                                                \
    for (gsize i = 0; i < count; i++)                                                              \
      name##_once (stream, *input > 0.5f, ret_outputs + i * (outputs));                            \
  }                                                                                                \
  const AssayMechanism name = { .neighbours = "1 and 0",                                           \
                                .budget = claim_one,                                               \
                                .size = name##_size,                                               \
                                .n_proposed = 1,                                                   \
                                .pair = known_pair,                                                \
                                .run = name##_run }

static void
leaky_interaction_once (AssayStream *stream, gboolean is_one, float *ret_output)
{
  const gboolean agree = (assay_stream_uniform (stream) < 0.95) == is_one;
  const double first = assay_stream_normal (stream), second = fabs (assay_stream_normal (stream));

  ret_output[0] = (float) first;
  ret_output[1] = (float) ((first > 0) == agree ? second : -second);
}
LEAKY (leaky_interaction, 2);

static void
leaky_rare_once (AssayStream *stream, gboolean is_one, float *ret_output)
{
  const double noise = assay_stream_laplace (stream);

  *ret_output = (float) (is_one + noise);
  if (assay_stream_below (stream, 1000) == 0)
    *ret_output = is_one ? 0.625f : 0.125f;
}
LEAKY (leaky_rare, 1);

static void
leaky_tails_once (AssayStream *stream, gboolean is_one, float *ret_output)
{
  const double noise = assay_stream_laplace (stream);

  *ret_output = (float) (is_one + noise);
  if (assay_stream_below (stream, 250) == 0) {
    const double far = assay_stream_between (stream, 50, 100) * (is_one ? 1 : 2);

    *ret_output = (float) (assay_stream_below (stream, 2) == 0 ? far : -far);
  }
}
LEAKY (leaky_tails, 1);

static void
leaky_digits_once (AssayStream *stream, gboolean is_one, float *ret_output)
{
  const double noise = assay_stream_laplace (stream);

  *ret_output = (float) (round (1e5 * (is_one + noise)) / 100 + 0.003 * is_one);
}
LEAKY (leaky_digits, 1);

/* Numbers of columns, smallest value first: even permutations, then odd ones. */
static const guint orders[6][3]
    = { { 0, 1, 2 }, { 1, 2, 0 }, { 2, 0, 1 }, { 0, 2, 1 }, { 2, 1, 0 }, { 1, 0, 2 } };

static void
leaky_order_once (AssayStream *stream, gboolean is_one, float *ret_output)
{
  const double common = 100 * assay_stream_normal (stream);
  const gboolean is_even = (assay_stream_uniform (stream) < 0.95) == is_one;
  const guint *order = orders[assay_stream_below (stream, 3) + (is_even ? 0 : 3)];

  for (guint j = 0; j < 3; j++)
    ret_output[order[j]] = (float) (common + j + assay_stream_uniform (stream));
}
LEAKY (leaky_order, 3);

static void
leaky_nan_once (AssayStream *stream, gboolean is_one, float *ret_output)
{
  const double noise = assay_stream_laplace (stream);

  *ret_output = (float) (is_one + noise);
  if (assay_stream_below (stream, 400) == 0 && is_one)
    *ret_output = NAN;
}
LEAKY (leaky_nan, 1);

static void
leaky_generator_once (AssayStream *stream, gboolean is_one, float *ret_output)
{
  const double u = ((double) assay_stream_below (stream, 65536) + 0.5) / 65536;

  *ret_output = (float) (is_one + (u < 0.5 ? log (2 * u) : -log (2 - 2 * u)));
}
LEAKY (leaky_generator, 1);

static void
leaky_rows_once (AssayStream *stream, gboolean is_one, float *ret_output)
{
  for (guint j = 0; j < 8; j++)
    ret_output[j] = (float) assay_stream_below (stream, 100);
  if (assay_stream_below (stream, 100) == 0) {
    const guint row = (guint) assay_stream_below (stream, 50);

    for (guint j = 0; j < 8; j++)
      ret_output[j] = (float) ((row * (2 * j + 3) + (is_one ? 37 * j * j : 11 * j)) % 100);
  }
}
LEAKY (leaky_rows, 8);

static void
leaky_reused_once (AssayStream *stream, gboolean is_one, float *ret_output)
{
  const double noise = assay_stream_laplace (stream);

  ret_output[0] = (float) (is_one + noise);
  ret_output[1] = (float) (0.5 + noise);
}
LEAKY (leaky_reused, 2);

/* Budgets of 1/2 for the threshold and for one answer: its noise has the scale 4, as an answer
 * above may come with its sensitivity of 1 both ways. A second answer above is given away, so that
 * the epsilon of the worst case is 1.5. Of six answers that are not above, and then two that are,
 * with values 0 and 1 on the one input and 1 and 0 on the other, it is 1.446, by integration over
 * the threshold (docs/statistics.md); of four answers whose values alternate it is 0.809. */
enum { QUERIES = 8, NOT_ABOVE = 6 };

static void
leaky_off_by_one_once (AssayStream *stream, gboolean is_one, float *ret_output)
{
  const double threshold = 2 * assay_stream_laplace (stream);
  guint above = 0;

  for (guint j = 0; j < QUERIES; j++) {
    const double value = (j < NOT_ABOVE) != is_one ? 1 : 0;
    const double answer = value + 4 * assay_stream_laplace (stream);

    ret_output[j] = above >= 2 ? -1 : answer >= threshold;
    above += ret_output[j] > 0;
  }
}
LEAKY (leaky_off_by_one, QUERIES);

static void
leaky_unclamped_once (AssayStream *stream, gboolean is_one, float *ret_output)
{
  const double noise = assay_stream_laplace (stream);

  *ret_output = (float) (3 * is_one + noise);
}
LEAKY (leaky_unclamped, 1);

/* Laplace noise in all runs of a batch but the first, which has none: a program that behaves where
 * it is asked for many runs at once. */
static void
leaky_first_run (G_GNUC_UNUSED gconstpointer settings, G_GNUC_UNUSED gsize cols,
                 AssayStream *stream, const float *input, gsize count, float *ret_outputs)
{
  for (gsize i = 0; i < count; i++)
    ret_outputs[i] = (float) ((double) *input + (i == 0 ? 0 : assay_stream_laplace (stream)));
}

const AssayMechanism leaky_first = { .neighbours = "1 and 0",
                                     .budget = claim_one,
                                     .size = leaky_rare_size,
                                     .n_proposed = 1,
                                     .pair = known_pair,
                                     .run = leaky_first_run };

double
leaky_off_by_one_epsilon (guint answers, guint not_above)
{
  static const double scale = 2, noise = 4, most = 400;
  const guint steps = 800000;
  double probabilities[2] = { 0, 0 };

  /* Midpoints: kinks of the densities at 0 and 1 lie between two of them. */
  for (guint i = 0; i < steps; i++) {
    const double threshold = most * (2 * (i + 0.5) / steps - 1);
    const double density = exp (-fabs (threshold) / scale) / (2 * scale);
    double above[2];

    for (guint value = 0; value < 2; value++) {
      const double gap = threshold - value;

      above[value] = gap > 0 ? exp (-gap / noise) / 2 : 1 - exp (gap / noise) / 2;
    }
    for (guint side = 0; side < 2; side++)
      probabilities[side] += density * pow (1 - above[side], not_above)
                             * pow (above[1 - side], answers - not_above);
  }
  return fabs (log (probabilities[0] / probabilities[1]));
}

/* ---- Runs that are not independent ---- */

#define DEPENDENT(name, expression)                                                                \
  static void name##_run (G_GNUC_UNUSED gconstpointer settings, G_GNUC_UNUSED gsize cols,          \
                          AssayStream *stream, const float *input, gsize count,                    \
                          float *ret_outputs)                                                      \
  {                                                                                                \
    (void) stream;                                                                                 \
    for (gsize i = 0; i < count; i++) {                                                            \
      AssayStream noise = expression;                                                              \
                                                                                                   \
      ret_outputs[i] = (float) ((double) *input + assay_stream_laplace (&noise));                  \
    }                                                                                              \
  }                                                                                                \
  const AssayMechanism name = { .neighbours = "1 and 0",                                           \
                                .budget = claim_one,                                               \
                                .size = leaky_rare_size,                                           \
                                .n_proposed = 1,                                                   \
                                .pair = known_pair,                                                \
                                .run = name##_run }

DEPENDENT (dependent_constant, assay_stream ((AssayStreamKey){ { 1, 2 } }, i));
DEPENDENT (dependent_counter, assay_stream ((AssayStreamKey){ { (guint32) i, 7 } }, 0));
DEPENDENT (dependent_repeated, assay_stream (stream->key, i % 500));
