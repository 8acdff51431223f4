/* Blocks of 8 and of 16 channels: which a tape has, and that both give the same numbers. Where the
 * processor has kernels for 8 alone, the two are one. */
#include <criterion/criterion.h>
#include <math.h>

#include "core/network/u-net.h"
#include "tests/unit/assert-near.h"
#include "tests/unit/core/network/tape-case.h"

#define IMAGES 6 /* a shard and a half */

typedef guint (*MakeLayers) (AssayTape *tape);

static AssayTape *
make_tape (MakeLayers make, AssayTapeShape input, AssayTapeLoss loss, gsize most_lanes)
{
  AssayTape *tape = assay_tape_new (input);
  g_autoptr (GError) error = NULL;

  tape->most_lanes = MIN (most_lanes, tape->most_lanes);
  cr_assert (assay_tape_finish (tape, make (tape), loss,
                                assay_stream_key (3, 0, "network", "blocks"), &error),
             "%s", error != NULL ? error->message : "");
  return tape;
}

static guint
make_u_net (AssayTape *tape)
{
  const guint u = assay_tape_u_net (tape, ASSAY_TAPE_INPUT, &(AssayUNet){ 16, 2 });

  return assay_tape_convolve (tape, assay_tape_join (tape, u, ASSAY_TAPE_INPUT), 3, 1, 1);
}

/* Of its 24 channels the second block of 16 holds 8. */
static guint
make_residual (AssayTape *tape)
{
  guint x = assay_tape_block (tape, ASSAY_TAPE_INPUT, 24, 1);

  for (gsize channels = 48; channels <= 96; channels *= 2) {
    x = assay_tape_residual (tape, x, channels, 2);
    x = assay_tape_residual (tape, x, channels, 1);
  }
  return assay_tape_dense (tape, assay_tape_mean (tape, x), 5);
}

static guint
make_pair (AssayTape *tape)
{
  guint sides[2];

  for (guint i = 0; i < 2; i++)
    sides[i] = assay_tape_convolve (tape, assay_tape_part (tape, ASSAY_TAPE_INPUT, 16 * i, 16), 32,
                                    3, 1);
  return assay_tape_dense (tape, assay_tape_multiply (tape, sides[0], sides[1]), 1);
}

static void
assert_alike (const float *a, const float *b, gsize n, const char *what)
{
  double most = 0;

  for (gsize i = 0; i < n; i++)
    most = fmax (most, fabs ((double) a[i]));
  cr_assert (most > 0, "%s: nothing", what);
  for (gsize i = 0; i < n; i++)
    assert_near ((double) a[i], (double) b[i], 1e-4 * most, "%s %zu", what, i);
}

/* Derivatives, and what is given after some steps. */
static void
check_alike (MakeLayers make, AssayTapeShape input, AssayTapeLoss loss)
{
  float *inputs[2], *outputs[2];
  gsize n_inputs = 0, n_outputs = 0;

  for (guint i = 0; i < 2; i++) {
    g_autoptr (AssayTape) tape = make_tape (make, input, loss, i == 0 ? 8 : 16);
    TapeCase of_tape = { tape, 0 };
    const AssayTapeExamples examples = tape_case_examples (&of_tape, IMAGES);
    const AssayTapeTraining training = { .epochs = 3, .batch = IMAGES, .rate = 1e-3 };
    double given;

    cr_assert_eq (tape->lanes, i == 0 ? 8 : assay_convolution_lanes ());
    n_inputs = IMAGES * assay_tape_numbers (input);
    n_outputs = IMAGES * assay_tape_numbers (assay_tape_output (tape));
    inputs[i] = g_new (float, n_inputs);
    outputs[i] = g_new (float, n_outputs);
    cr_assert (assay_tape_differentiate (tape, &examples, &given, NULL, inputs[i], NULL));
    cr_assert (assay_tape_train (tape, &training, &examples,
                                 assay_stream_key (3, 0, "network", "order"), NULL, NULL));
    cr_assert (assay_tape_predict (tape, &examples, outputs[i], NULL));
  }
  assert_alike (inputs[0], inputs[1], n_inputs, "derivative");
  assert_alike (outputs[0], outputs[1], n_outputs, "output");
  for (guint i = 0; i < 2; i++) {
    g_free (inputs[i]);
    g_free (outputs[i]);
  }
}

Test (tape_blocks, a_u_net)
{
  check_alike (make_u_net, (AssayTapeShape){ 8, 16, 16 }, ASSAY_TAPE_LOSS_SQUARES);
}

Test (tape_blocks, a_residual_network)
{
  check_alike (make_residual, (AssayTapeShape){ 3, 16, 16 }, ASSAY_TAPE_LOSS_SHARES);
}

Test (tape_blocks, a_pair)
{
  check_alike (make_pair, (AssayTapeShape){ 32, 8, 8 }, ASSAY_TAPE_LOSS_LOGISTIC);
}

/* ---- Which ---- */

static guint
make_narrow (AssayTape *tape)
{
  const guint x = assay_tape_block (tape, ASSAY_TAPE_INPUT, 8, 1);

  return assay_tape_convolve (tape, assay_tape_block (tape, x, 8, 1), 3, 1, 1);
}

static guint
make_joined (AssayTape *tape)
{
  const guint narrow = assay_tape_convolve (tape, ASSAY_TAPE_INPUT, 8, 3, 1);

  return assay_tape_convolve (tape, assay_tape_join (tape, narrow, ASSAY_TAPE_INPUT), 128, 3, 1);
}

static guint
make_cut (AssayTape *tape)
{
  const guint part = assay_tape_part (tape, ASSAY_TAPE_INPUT, 8, 16);

  return assay_tape_convolve (tape, part, 32, 3, 1);
}

/* Filled up to 16, 8 channels would be four times the products; and what begins within a block
 * cannot be told from the rest of it, however much else there is to gain. */
Test (tape_blocks, of_8_whatever_the_processor)
{
  static const MakeLayers makes[] = { make_narrow, make_joined, make_cut };

  for (guint i = 0; i < G_N_ELEMENTS (makes); i++) {
    g_autoptr (AssayTape) tape
        = make_tape (makes[i], (AssayTapeShape){ 32, 8, 8 }, ASSAY_TAPE_LOSS_SQUARES, 16);

    cr_assert_eq (tape->lanes, 8, "case %u", i);
  }
}
