/* Tapes: derivatives against differences, layers by hand, threads, and what training promises. */
#include <criterion/criterion.h>
#include <math.h>
#include <string.h>

#include "core/base/error.h"
#include "core/base/parallel.h"
#include "tests/unit/assert-near.h"
#include "tests/unit/core/network/tape-case.h"
#include "tests/unit/seeds.h"

static AssayStreamKey
key_of (guint64 trial)
{
  return assay_stream_key (3, trial, "tape", "");
}

/* ---- Derivatives ---- */

/* One layer between two convolutions, so that its derivatives to inputs are needed. */
typedef guint (*Middle) (AssayTape *tape, guint from);

static guint
convolve (AssayTape *tape, guint from)
{
  return assay_tape_convolve (tape, from, 16, 3, 1);
}

static guint
convolve_single (AssayTape *tape, guint from)
{
  return assay_tape_convolve (tape, from, 8, 1, 1);
}

static guint
convolve_wide (AssayTape *tape, guint from)
{
  return assay_tape_convolve (tape, from, 8, 5, 2);
}

static guint
dense (AssayTape *tape, guint from)
{
  return assay_tape_dense (tape, from, 24);
}

static guint
join (AssayTape *tape, guint from)
{
  return assay_tape_join (tape, from, assay_tape_convolve (tape, from, 16, 3, 1));
}

static guint
add (AssayTape *tape, guint from)
{
  return assay_tape_add (tape, from, assay_tape_convolve (tape, from, 8, 3, 1));
}

static guint
multiply (AssayTape *tape, guint from)
{
  return assay_tape_multiply (tape, from, assay_tape_convolve (tape, from, 8, 3, 1));
}

static guint
multiply_itself (AssayTape *tape, guint from)
{
  return assay_tape_multiply (tape, from, from);
}

static guint
part (AssayTape *tape, guint from)
{
  const guint wide = assay_tape_convolve (tape, from, 24, 3, 1);

  return assay_tape_join (tape, assay_tape_part (tape, wide, 8, 16),
                          assay_tape_part (tape, wide, 0, 8));
}

static const struct {
  const char *name;
  Middle make;
} middles[] = {
  { "convolve", convolve },
  { "kernel of one", convolve_single },
  { "kernel of five, stride", convolve_wide },
  { "dense", dense },
  { "normalise", assay_tape_normalise },
  { "rectify", assay_tape_rectify },
  { "pool", assay_tape_pool },
  { "mean", assay_tape_mean },
  { "enlarge", assay_tape_enlarge },
  { "join", join },
  { "add", add },
  { "multiply", multiply },
  { "multiply by itself", multiply_itself },
  { "part", part },
};

/* Inputs that can be moved. */
typedef struct {
  TapeCase tape_case;
  AssayTapeExamples examples;
  gsize image, number;
  float by;
} Moved;

static void
draw_moved (gpointer data, gsize index, gsize epoch, float *ret_input, float *ret_target)
{
  Moved *moved = data;

  moved->examples.draw (&moved->tape_case, index, epoch, ret_input, ret_target);
  if (index == moved->image)
    ret_input[moved->number] += moved->by;
}

static double
loss_of (const AssayTape *tape, const AssayTapeExamples *examples)
{
  double loss;

  cr_assert (assay_tape_differentiate (tape, examples, &loss, NULL, NULL, NULL));
  return loss;
}

/* The largest of derivatives, and others here and there: numbers @i of @n. */
static gsize
choose (const float *values, gsize n, guint i)
{
  gsize largest = 0;

  if (i > 0)
    return (i * 7919) % n;
  for (gsize k = 1; k < n; k++)
    if (fabsf (values[k]) > fabsf (values[largest]))
      largest = k;
  return largest;
}

#define STEP 0.003F

/* Float32: a loss near 1 is known to some 1e-7, a difference over 2 STEP to 5e-5. Third derivatives
 * and what a step takes across a kink: below 2 percent of the largest derivative. */
static void
check_parameters (AssayTape *tape, const AssayTapeExamples *examples, const char *name)
{
  g_autofree float *gradient = g_new (float, tape->n_parameters);
  double loss;

  cr_assert (assay_tape_differentiate (tape, examples, &loss, gradient, NULL, NULL));
  for (guint l = 1; l < tape->n_layers; l++) {
    const AssayLayer *layer = &tape->layers[l];
    const gsize n = layer->n_weights + layer->n_biases;
    const float *of_layer = gradient + layer->first;
    double largest;

    if (n == 0)
      continue;
    largest = (double) fabsf (of_layer[choose (of_layer, n, 0)]);
    cr_assert (largest > 1e-4, "%s: layer %u has no derivatives", name, l);
    for (guint i = 0; i < 9; i++) {
      const gsize at = i == 8 ? n - 8 : choose (of_layer, n, i);
      float *parameter = tape->parameters + layer->first + at;
      const float before = *parameter;
      double above, below;

      *parameter = before + STEP;
      above = loss_of (tape, examples);
      *parameter = before - STEP;
      below = loss_of (tape, examples);
      *parameter = before;
      assert_near ((double) of_layer[at], (above - below) / (2 * (double) STEP),
                   0.02 * largest + 5e-5, "%s: layer %u, number %zu", name, l, at);
    }
  }
}

static void
check_inputs (AssayTape *tape, Moved *moved, const char *name)
{
  const AssayTapeExamples examples = { moved->examples.n, draw_moved, moved };
  const gsize n = examples.n * assay_tape_numbers (assay_tape_input (tape));
  g_autofree float *inputs = g_new (float, n);
  double loss, largest;

  cr_assert (assay_tape_differentiate (tape, &examples, &loss, NULL, inputs, NULL));
  largest = (double) fabsf (inputs[choose (inputs, n, 0)]);
  cr_assert (largest > 1e-4, "%s: no derivatives to inputs", name);
  for (guint i = 0; i < 8; i++) {
    const gsize at = choose (inputs, n, i);
    double above, below;

    moved->image = at / (n / examples.n);
    moved->number = at % (n / examples.n);
    moved->by = STEP;
    above = loss_of (tape, &examples);
    moved->by = -STEP;
    below = loss_of (tape, &examples);
    moved->by = 0;
    assert_near ((double) inputs[at], (above - below) / (2 * (double) STEP), 0.02 * largest + 5e-5,
                 "%s: input %zu", name, at);
  }
}

static void
check_derivatives (AssayTape *tape, const char *name)
{
  Moved moved = { .tape_case = { tape, 0 } };

  /* A shard and a part of one. */
  moved.examples = tape_case_examples (&moved.tape_case, 6);
  check_parameters (tape, &moved.examples, name);
  check_inputs (tape, &moved, name);
}

Test (tape, derivatives_of_every_layer)
{
  for (guint i = 0; i < G_N_ELEMENTS (middles); i++) {
    g_autoptr (AssayTape) tape = assay_tape_new ((AssayTapeShape){ 3, 8, 8 });
    guint x = assay_tape_convolve (tape, ASSAY_TAPE_INPUT, 8, 3, 1);
    g_autoptr (GError) error = NULL;

    x = assay_tape_convolve (tape, middles[i].make (tape, x), 3, 1, 1);
    cr_assert (assay_tape_finish (tape, x, ASSAY_TAPE_LOSS_SQUARES, key_of (i), &error), "%s: %s",
               middles[i].name, error != NULL ? error->message : "");
    check_derivatives (tape, middles[i].name);
  }
}

Test (tape, derivatives_of_every_loss)
{
  for (AssayTapeLoss loss = ASSAY_TAPE_LOSS_SQUARES; loss <= ASSAY_TAPE_LOSS_SHARES; loss++) {
    g_autoptr (AssayTape) tape = assay_tape_new ((AssayTapeShape){ 3, 4, 4 });
    guint x = assay_tape_normalise (tape, assay_tape_convolve (tape, ASSAY_TAPE_INPUT, 8, 3, 1));

    x = assay_tape_dense (tape, x, 11);
    cr_assert (assay_tape_finish (tape, x, loss, key_of (loss), NULL));
    check_derivatives (tape, "loss");
  }
}

Test (tape, derivatives_of_everything_at_once)
{
  g_autoptr (AssayTape) tape = tape_case_everything ();

  check_derivatives (tape, "everything");
}

/* ---- By hand ---- */

static void
draw_ramp (G_GNUC_UNUSED gpointer data, gsize index, G_GNUC_UNUSED gsize epoch, float *ret_input,
           float *ret_target)
{
  for (gsize i = 0; i < 16; i++)
    ret_input[i] = (float) (i + index);
  if (ret_target != NULL)
    memset (ret_target, 0, 16 * sizeof (float));
}

/* A kernel of nines of a 4 x 4 ramp: sums of neighbours, with zeros around. */
Test (tape, a_convolution_by_hand)
{
  const AssayTapeExamples examples = { 2, draw_ramp, NULL };
  g_autoptr (AssayTape) tape = assay_tape_new ((AssayTapeShape){ 1, 4, 4 });
  const guint x = assay_tape_convolve (tape, ASSAY_TAPE_INPUT, 1, 3, 1);
  AssayConvolutionShape shape;
  float outputs[2][16];
  double loss, expected = 0;

  cr_assert (assay_tape_finish (tape, x, ASSAY_TAPE_LOSS_SQUARES, key_of (0), NULL));
  shape = assay_tape_convolution (tape, x);
  for (gsize place = 0; place < 9; place++)
    tape->parameters[assay_convolution_place (&shape, 0, 0, place)] = 1;
  tape->parameters[tape->layers[x].n_weights] = 100;
  cr_assert (assay_tape_predict (tape, &examples, outputs[0], NULL));
  for (gsize n = 0; n < 2; n++)
    for (gint i = 0; i < 16; i++) {
      gint sum = 100;

      for (gint r = MAX (i / 4 - 1, 0); r <= MIN (i / 4 + 1, 3); r++)
        for (gint c = MAX (i % 4 - 1, 0); c <= MIN (i % 4 + 1, 3); c++)
          sum += 4 * r + c + (gint) n;
      cr_assert_eq (outputs[n][i], (float) sum, "image %zu, pixel %d", n, i);
      expected += (double) sum * sum / 2 / 32;
    }
  cr_assert (assay_tape_differentiate (tape, &examples, &loss, NULL, NULL, NULL));
  assert_near (loss, expected, 1e-6 * expected, "loss");
}

/* What a layer gives does not depend on what comes after it, or lies beside it. */
Test (tape, a_layer_before_the_last)
{
  g_autoptr (AssayTape) tape = assay_tape_new ((AssayTapeShape){ 16, 4, 4 });
  g_autoptr (AssayTape) alone = assay_tape_new ((AssayTapeShape){ 16, 4, 4 });
  const guint a
      = assay_tape_convolve (tape, assay_tape_part (tape, ASSAY_TAPE_INPUT, 8, 8), 8, 3, 1);
  const guint b
      = assay_tape_convolve (tape, assay_tape_part (tape, ASSAY_TAPE_INPUT, 0, 8), 8, 3, 1);
  const guint same
      = assay_tape_convolve (alone, assay_tape_part (alone, ASSAY_TAPE_INPUT, 8, 8), 8, 3, 1);
  TapeCase tape_case = { tape, 4 };
  const AssayTapeExamples examples = tape_case_examples (&tape_case, 5);
  float found[2][5 * 128], products[5 * 128], expected[5 * 128];

  cr_assert (assay_tape_finish (tape, assay_tape_multiply (tape, a, b), ASSAY_TAPE_LOSS_LOGISTIC,
                                key_of (0), NULL));
  cr_assert (assay_tape_finish (alone, same, ASSAY_TAPE_LOSS_SQUARES, key_of (0), NULL));
  cr_assert (assay_tape_predict (alone, &examples, expected, NULL));
  cr_assert (assay_tape_predict_layer (tape, a, &examples, found[0], NULL));
  cr_assert_eq (memcmp (found[0], expected, sizeof expected), 0);
  cr_assert (assay_tape_predict_layer (tape, b, &examples, found[1], NULL));
  cr_assert (assay_tape_predict_layer (tape, tape->last, &examples, products, NULL));
  for (gsize i = 0; i < 5 * 128; i++)
    cr_assert_eq (products[i], found[0][i] * found[1][i]);
}

/* ---- Training ---- */

static const AssayTapeTraining training
    = { .descent = ASSAY_DESCENT_ADAM, .epochs = 12, .batch = 10, .rate = 0.01, .decay = 1e-3 };

static float *
train (const AssayTapeTraining *how, gsize *ret_n)
{
  g_autoptr (AssayTape) tape = tape_case_everything ();
  TapeCase tape_case = { tape, 1 }, other = { tape, 2 };
  const AssayTapeExamples examples = tape_case_examples (&tape_case, 23);
  const AssayTapeExamples held_out = tape_case_examples (&other, 7);
  AssayTapeTraining with = *how;
  g_autoptr (GError) error = NULL;

  with.held_out = &held_out;
  cr_assert (assay_tape_train (tape, &with, &examples, key_of (1), NULL, &error), "%s",
             error != NULL ? error->message : "");
  *ret_n = tape->n_parameters;
  return g_memdup2 (tape->parameters, tape->n_parameters * sizeof (float));
}

Test (tape, threads_change_no_bit)
{
  TEST_OF_RESULTS ();

  for (AssayDescent descent = ASSAY_DESCENT_ADAM; descent <= ASSAY_DESCENT_SGD; descent++) {
    AssayTapeTraining how = training;
    g_autofree float *first = NULL;
    gsize n;

    how.descent = descent;
    how.momentum = 0.9;
    for (guint threads = 1; threads <= 4; threads++) {
      g_autofree float *found = NULL;

      assay_parallel_set_threads (threads);
      found = train (&how, &n);
      if (first == NULL)
        first = g_steal_pointer (&found);
      else
        cr_assert (memcmp (first, found, n * sizeof (float)) == 0, "%u threads", threads);
    }
  }
}

/* A random labelling of a few images is learned by heart. */
Test (tape, learns_by_heart)
{
  AssayTapeTraining how = training;
  g_autoptr (AssayTape) tape = assay_tape_new ((AssayTapeShape){ 3, 8, 8 });
  guint x = assay_tape_convolve (tape, ASSAY_TAPE_INPUT, 16, 3, 1);
  TapeCase tape_case = { tape, 1 };
  const AssayTapeExamples examples = tape_case_examples (&tape_case, 10);
  float shares[10][5];
  AssayTapeReport report;

  x = assay_tape_dense (tape, assay_tape_rectify (tape, assay_tape_normalise (tape, x)), 5);
  cr_assert (assay_tape_finish (tape, x, ASSAY_TAPE_LOSS_SHARES, key_of (0), NULL));
  how.epochs = 30;
  cr_assert (assay_tape_train (tape, &how, &examples, key_of (1), &report, NULL));
  cr_assert (report.epochs == 30 && report.best == 30 && !report.has_diverged);
  cr_assert (isnan (report.held_out));
  cr_assert_lt (report.loss, 0.05);
  cr_assert (assay_tape_predict (tape, &examples, shares[0], NULL));
  for (gsize i = 0; i < 10; i++)
    cr_assert_gt (shares[i][i % 5], 0.95F, "example %zu: %g", i, (double) shares[i][i % 5]);
}

/* Labels that say nothing: the loss on others is lowest early, training ends, and what it was then
 * is what is kept. */
Test (tape, stops_early)
{
  AssayTapeTraining how = training;
  g_autoptr (AssayTape) tape = tape_case_everything ();
  TapeCase tape_case = { tape, 1 }, other = { tape, 2 };
  const AssayTapeExamples examples = tape_case_examples (&tape_case, 20);
  const AssayTapeExamples held_out = tape_case_examples (&other, 12);
  AssayTapeReport report;

  how.epochs = 300;
  how.patience = 5;
  how.held_out = &held_out;
  cr_assert (assay_tape_train (tape, &how, &examples, key_of (1), &report, NULL));
  cr_assert (report.best >= 1 && report.epochs == report.best + 5 && report.epochs < 300);
  assert_near (loss_of (tape, &held_out), report.held_out, 1e-6, "loss of held-out examples");
}

/* ---- What is refused ---- */

static void
assert_refused (AssayTape *tape, guint last, gint code, const char *message)
{
  g_autoptr (GError) error = NULL;

  cr_assert_not (assay_tape_finish (tape, last, ASSAY_TAPE_LOSS_SQUARES, key_of (0), &error));
  cr_assert (g_error_matches (error, ASSAY_ERROR, code), "%s", error->message);
  cr_assert (g_str_has_prefix (error->message, message), "%s", error->message);
  assay_tape_free (tape);
}

Test (tape, refuses_what_does_not_fit)
{
  AssayTape *tape = assay_tape_new ((AssayTapeShape){ 3, 6, 6 });
  guint x = assay_tape_pool (tape, assay_tape_convolve (tape, ASSAY_TAPE_INPUT, 8, 3, 1));

  assert_refused (tape, assay_tape_pool (tape, x), ASSAY_ERROR_MISMATCH,
                  "network: layer 2 of 3 x 3 pixels cannot be halved");
  tape = assay_tape_new ((AssayTapeShape){ 3, 6, 6 });
  x = assay_tape_convolve (tape, ASSAY_TAPE_INPUT, 5, 3, 1);
  assert_refused (tape, assay_tape_rectify (tape, x), ASSAY_ERROR_MISMATCH,
                  "network: layer 1 has 5 channels; expected a multiple of 8 but in the last");
  tape = assay_tape_new ((AssayTapeShape){ 8, 6, 6 });
  x = assay_tape_add (tape, ASSAY_TAPE_INPUT, assay_tape_pool (tape, ASSAY_TAPE_INPUT));
  assert_refused (tape, x, ASSAY_ERROR_MISMATCH,
                  "network: layers 0 (8 x 6 x 6) and 1 (8 x 3 x 3) do not fit together");
}

/* 2^40 weights, of which none is asked for. */
Test (tape, refuses_what_is_larger_than_memory)
{
  AssayTape *tape = assay_tape_new ((AssayTapeShape){ 1 << 20, 1, 1 });

  assert_refused (
      tape, assay_tape_dense (tape, ASSAY_TAPE_INPUT, 1 << 20), ASSAY_ERROR_MEMORY,
      "a network of 1099512676352 parameters needs 8192.1 GiB of memory; this machine has");
}
