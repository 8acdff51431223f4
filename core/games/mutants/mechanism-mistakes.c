/* The mistakes of mechanisms.
 *
 * Noise is what is left of an output without the median of its column on the same input, so that
 * "noise" of a mechanism that does not add any is how its outputs scatter. Exactly known are:
 *
 * - the leaks at 1e-2, 1e-3 and 1e-4, the overflow and the off-by-one: an event that only one of
 *   two inputs gives, with that probability: delta is at least that, epsilon infinite below it;
 * - half the noise, where the mechanism has a setting epsilon: twice the claimed epsilon;
 * - the last bit and the low digits: an event of probability 1 on one input and 0 on the other. */
#include "core/games/mutants/mechanism-mistakes.h"

#include <math.h>
#include <string.h>

/* How often an output is not a number any more, on one side. */
#define OVERFLOWS 0.01
/* Digits are those below this share of the scatter. */
#define THIRD_DIGIT 1e-3
/* What seeds of 16 bits can be. */
#define SEEDS 65536
/* So far beyond all outputs is a secret that does not look like one. */
#define BEYOND 1000

static gboolean
is_second (const AssayMistaken *of)
{
  return assay_mechanism_view_is_second (of->view, of->input);
}

static AssayStreamKey
seed_of (guint64 number)
{
  return assay_stream_key (number, 0, "mutant", "seed");
}

/* ---- Where the numbers come from ---- */

/* The seed is set at start: every run is the first one. */
static gboolean
draw_constant (const AssayMistaken *of, GError **error)
{
  AssayStream own_stream = assay_stream (seed_of (1), 0);
  const gsize n = of->view->n_outputs;

  if (of->view->mechanism->batches != NULL)
    return assay_mechanism_view_run (of->view, &own_stream, of->input, of->count, of->outputs,
                                     error);
  if (!assay_mechanism_view_run (of->view, &own_stream, of->input, 1, of->outputs, error))
    return FALSE;
  for (gsize i = 1; i < of->count; i++)
    memcpy (of->outputs + i * n, of->outputs, n * sizeof *of->outputs);
  return TRUE;
}

/* Run number i of a start is seeded with i. */
static gboolean
draw_counter (const AssayMistaken *of, GError **error)
{
  for (gsize i = 0; i < of->count; i++) {
    AssayStream own_stream = assay_stream (seed_of (2), i);

    if (!assay_mechanism_view_run (of->view, &own_stream, of->input, 1,
                                   of->outputs + i * of->view->n_outputs, error))
      return FALSE;
  }
  return TRUE;
}

static gboolean
draw_16_bits (const AssayMistaken *of, GError **error)
{
  for (gsize i = 0; i < of->count; i++) {
    AssayStream own_stream = assay_stream (seed_of (3), assay_stream_below (of->stream, SEEDS));

    if (!assay_mechanism_view_run (of->view, &own_stream, of->input, 1,
                                   of->outputs + i * of->view->n_outputs, error))
      return FALSE;
  }
  return TRUE;
}

static gboolean
draw_weaker (const AssayMistaken *of, GError **error)
{
  return assay_mechanism_view_run (of->weaker != NULL ? of->weaker : of->view, of->stream,
                                   of->input, of->count, of->outputs, error);
}

/* Inputs on one side get the same output every time. */
static gboolean
draw_on_some (const AssayMistaken *of, GError **error)
{
  return is_second (of) ? assay_mechanism_view_run (of->view, of->stream, of->input, of->count,
                                                    of->outputs, error)
                        : draw_constant (of, error);
}

/* ---- What is done to outputs ---- */

/* Every second run puts out what the one before it did. */
static void
repeat (const AssayMistaken *of)
{
  const gsize n = of->view->n_outputs;

  for (gsize i = 1; i < of->count; i += 2)
    memcpy (of->outputs + i * n, of->outputs + (i - 1) * n, n * sizeof *of->outputs);
}

/* Every column has the noise of the first, on its own scale. */
static void
share_noise (const AssayMistaken *of)
{
  const AssayMechanismView *view = of->view;

  for (gsize i = 0; i < of->count; i++) {
    double *row = of->outputs + i * view->n_outputs;

    for (gsize c = 1; c < view->n_outputs; c++)
      row[c] = (of->centre[c] + (row[0] - of->centre[0]) * view->spread[c] / view->spread[0]);
  }
}

/* Noise of half the size, where no setting makes it. */
static void
halve (const AssayMistaken *of)
{
  const gsize n = of->view->n_outputs;

  for (gsize i = 0; of->weaker == NULL && i < of->count * n; i++)
    of->outputs[i] = ((of->outputs[i] + of->centre[i % n]) / 2);
}

static void
weaken_last (const AssayMistaken *of)
{
  const gsize n = of->view->n_outputs, c = n - 1;

  for (gsize i = 0; i < of->count; i++)
    of->outputs[i * n + c] = (of->centre[c] + (of->outputs[i * n + c] - of->centre[c]) / 10);
}

static void
copy_input (double *row, const float *input, gsize n)
{
  for (gsize j = 0; j < n; j++)
    row[j] = input[j];
}

/* With the probability of the mistake an output is the input; where that would not be an output,
 * the first column says, far from all others, which side the input is on. */
static void
leak (const AssayMistaken *of)
{
  const AssayMechanismView *view = of->view;
  const gboolean is_copied = view->n_inputs == view->n_outputs && view->has_numbers;
  const double far = BEYOND * (view->largest + 1);

  for (gsize i = 0; i < of->count; i++) {
    double *row = of->outputs + i * view->n_outputs;

    if (assay_stream_uniform (of->stream) >= of->rate)
      continue;
    if (is_copied)
      copy_input (row, of->input, view->n_inputs);
    else
      row[0] = (is_second (of) ? far : -far);
  }
}

/* The signs of two columns' noise agree on one side and differ on the other; each by itself is as
 * before, if it is as often above its median as below. */
static void
couple (const AssayMistaken *of)
{
  const double agree = is_second (of) ? 1 : -1;

  for (gsize i = 0; i < of->count; i++) {
    double *row = of->outputs + i * of->view->n_outputs;

    row[1] = (of->centre[1]
              + agree * copysign (fabs (row[1] - of->centre[1]), row[0] - of->centre[0]));
  }
}

/* Below the third digit of its scatter, an output tells the side. */
static void
keep_digits (const AssayMistaken *of)
{
  const AssayMechanismView *view = of->view;
  const double rest = is_second (of) ? 0.75 : 0.25;

  for (gsize i = 0; i < of->count * view->n_outputs; i++) {
    const double unit = THIRD_DIGIT * view->spread[i % view->n_outputs];

    of->outputs[i] = (unit * (floor (of->outputs[i] / unit) + rest));
  }
}

/* The last bit of a number, as it is released, is the side. */
static void
keep_last_bit (const AssayMistaken *of)
{
  const guint32 side = is_second (of) ? 1 : 0;

  for (gsize i = 0; i < of->count * of->view->n_outputs; i++) {
    union {
      double number;
      guint64 bits;
    } wide = { .number = of->outputs[i] };
    union {
      float number;
      guint32 bits;
    } narrow = { .number = (float) of->outputs[i] };

    wide.bits = (wide.bits & ~(guint64) 1) | side;
    narrow.bits = (narrow.bits & ~(guint32) 1) | side;
    of->outputs[i] = of->view->is_double ? wide.number : narrow.number;
  }
}

/* What an input has beyond the numbers of pair 0 goes into the output as it is. */
static void
pass_excess (const AssayMistaken *of)
{
  const AssayMechanismView *view = of->view;
  const gboolean is_same_size = view->n_inputs == view->n_outputs;

  for (gsize j = 0; j < view->n_inputs; j++) {
    const double value = isfinite (of->input[j]) ? of->input[j] : view->low;
    const double excess = value - CLAMP (value, view->low, view->high);

    for (gsize i = 0; excess != 0 && i < of->count; i++)
      of->outputs[i * view->n_outputs + (is_same_size ? j : 0)] += BEYOND * excess;
  }
}

/* On one side the middle value is never put out, but the one next to it. */
static void
miss_edge (const AssayMistaken *of)
{
  const AssayMechanismView *view = of->view;

  for (gsize i = 0; !is_second (of) && i < of->count; i++) {
    double *value = of->outputs + i * view->n_outputs + view->discrete_column;

    *value = *value == view->edge ? view->beyond : *value;
  }
}

/* Noise is folded back where one in 200 of the base's is beyond. */
static void
bound_noise (const AssayMistaken *of)
{
  const gsize n = of->view->n_outputs;

  for (gsize i = 0; i < of->count * n; i++) {
    const double noise = of->outputs[i] - of->centre[i % n];
    const double reach = of->view->reach[i % n];

    if (fabs (noise) > reach)
      of->outputs[i] = (of->centre[i % n] + copysign (MAX (2 * reach - fabs (noise), 0), noise));
  }
}

static void
lose_sign (const AssayMistaken *of)
{
  const gsize n = of->view->n_outputs;

  for (gsize i = 0; i < of->count * n; i++)
    of->outputs[i] = (of->centre[i % n] + fabs (of->outputs[i] - of->centre[i % n]));
}

static void
overflow (const AssayMistaken *of)
{
  for (gsize i = 0; i < of->count; i++)
    if (assay_stream_uniform (of->stream) < OVERFLOWS && is_second (of))
      of->outputs[i * of->view->n_outputs] = INFINITY;
}

/* ---- The table ---- */

const AssayMistake assay_mechanism_mistakes[] = {
  { .kind = { "constant-seed", "every run draws the same numbers",
              "attack distinguish, whose training runs repeat, and its test of independent runs" },
    .draw = draw_constant },
  { .kind = { "counter-seed", "the runs of one start are seeded with 0, 1, 2 and so on",
              "attack distinguish with score = repeats, and its test of independent runs" },
    .needs = ASSAY_NEEDS_OWN_RUNS,
    .draw = draw_counter },
  { .kind = { "seed-of-16-bits", "seeds have 16 bits, so that there are 65536 outputs",
              "attack distinguish with score = repeats and 100000 training runs or more" },
    .needs = ASSAY_NEEDS_OWN_RUNS | ASSAY_NEEDS_NUMBERS,
    .draw = draw_16_bits },
  { .kind = { "noise-used-twice", "every second run puts out what the one before it did",
              "the test of independent runs, which any audit with distinguish plays" },
    .alter = repeat },
  { .kind = { "noise-of-one-column", "all columns have the noise of the first",
              "attack distinguish with score = trees, which looks at columns together, on a pair "
              "that differs in one column alone" },
    .needs = ASSAY_NEEDS_NUMBERS | ASSAY_NEEDS_COLUMNS,
    .alter = share_noise },
  { .kind = { "half-noise", "noise of half the size: twice the claimed epsilon, where it is known",
              "more runs" },
    .needs = ASSAY_NEEDS_WEAKER,
    .draw = draw_weaker,
    .alter = halve },
  { .kind = { "noise-on-some-inputs", "inputs on one side of pair 0 always get the same output",
              "attack distinguish on a pair that lies on both sides (candidates)" },
    .draw = draw_on_some },
  { .kind = { "leak-1e-2", "in one run of 100 the output is the input, or tells its side",
              "attack distinguish with more training runs (training), score = auto" },
    .rate = 1e-2,
    .alter = leak },
  { .kind = { "leak-1e-3", "in one run of 1000 the output is the input, or tells its side",
              "attack distinguish with more training runs (training), score = auto" },
    .rate = 1e-3,
    .alter = leak },
  { .kind = { "leak-1e-4", "in one run of 10000 the output is the input, or tells its side",
              "attack distinguish with 1000000 runs and training runs or more, score = auto" },
    .rate = 1e-4,
    .alter = leak },
  { .kind = { "columns-agree", "the signs of the noise of two columns agree for some inputs alone",
              "attack distinguish with score = trees, which looks at columns together" },
    .needs = ASSAY_NEEDS_NUMBERS | ASSAY_NEEDS_COLUMNS,
    .alter = couple },
  { .kind = { "third-digit", "the digits below the third tell the side of the input",
              "attack distinguish with score = digits" },
    .needs = ASSAY_NEEDS_NUMBERS,
    .alter = keep_digits },
  { .kind = { "last-bit", "the last bit of each number tells the side of the input",
              "attack distinguish with score = digits, which looks at bits" },
    .needs = ASSAY_NEEDS_NUMBERS,
    .alter = keep_last_bit },
  { .kind
    = { "no-clamp", "inputs beyond those of pair 0 are not clamped",
        "pairs of inputs beyond the domain, proposed by the mechanism or drawn (candidates)" },
    .alter = pass_excess },
  { .kind = { "off-by-one", "a comparison is off by one, so that one side never gives one value",
              "attack distinguish with score = patterns or auto" },
    .needs = ASSAY_NEEDS_VALUES,
    .alter = miss_edge },
  { .kind = { "bounded-noise", "noise never exceeds what one run in 200 should exceed",
              "attack distinguish with score = tails, and enough runs for events of 1 in 400" },
    .needs = ASSAY_NEEDS_NUMBERS,
    .alter = bound_noise },
  { .kind
    = { "noise-of-one-sign", "noise is never negative", "attack distinguish with score = auto" },
    .needs = ASSAY_NEEDS_NUMBERS,
    .alter = lose_sign },
  { .kind = { "overflow", "one run in 100 is not finite, on one side alone",
              "attack distinguish with score = finite or auto" },
    .alter = overflow },
  { .kind = { "timing", "how long it took stands in one column more, and tells the side",
              "score = classifier or trees on all that leaves the owner, times too: a declared "
              "density or patterns of values know nothing of the column" },
    .adds_column = TRUE },
  { .kind = { "weak-column", "the last column has a tenth of its noise",
              "pairs that differ in the last column, proposed or drawn (candidates)" },
    .needs = ASSAY_NEEDS_NUMBERS | ASSAY_NEEDS_COLUMNS,
    .alter = weaken_last },
};

const guint assay_n_mechanism_mistakes = G_N_ELEMENTS (assay_mechanism_mistakes);
