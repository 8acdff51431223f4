/* The loss of pictures: its value, its derivatives, and what it has no meaning for. */
#include <criterion/criterion.h>
#include <math.h>
#include <string.h>

#include "core/base/error.h"
#include "core/math/image-quality.h"
#include "core/network/train.h"
#include "tests/unit/assert-near.h"

enum { SIDE = 12, PIXELS = SIDE * SIDE, EXAMPLES = 6, CHANNELS = 3 };

static AssayStreamKey
key_of (guint64 trial)
{
  return assay_stream_key (3, trial, "tape picture", "");
}

/* Channels of noise; a picture with an edge, and a part of the first channel. */
static void
draw (G_GNUC_UNUSED gpointer data, gsize index, G_GNUC_UNUSED gsize epoch, float *ret_input,
      float *ret_target)
{
  AssayStream stream = assay_stream (key_of (0), index);

  for (gsize i = 0; i < CHANNELS * PIXELS; i++)
    ret_input[i] = (float) assay_stream_uniform (&stream);
  for (gsize i = 0; i < PIXELS && ret_target != NULL; i++)
    ret_target[i] = (i % SIDE > index ? 0.6F : 0.2F) + 0.2F * ret_input[i];
}

static const AssayTapeExamples examples = { EXAMPLES, draw, NULL };

static AssayTape *
make_tape (void)
{
  AssayTape *tape = assay_tape_new ((AssayTapeShape){ CHANNELS, SIDE, SIDE });
  const guint x = assay_tape_convolve (tape, ASSAY_TAPE_INPUT, 8, 3, 1);
  const guint last = assay_tape_convolve (tape, assay_tape_normalise (tape, x), 1, 1, 1);

  cr_assert (assay_tape_finish (tape, last, ASSAY_TAPE_LOSS_PICTURE, key_of (1), NULL));
  return tape;
}

static double
loss_of (const AssayTape *tape)
{
  double loss;

  cr_assert (assay_tape_differentiate (tape, &examples, &loss, NULL, NULL, NULL));
  return loss;
}

/* .84 (1 - SSIM) + .16 mean |z - y|, by the functions that measure pictures. */
Test (tape_picture, value)
{
  g_autoptr (AssayTape) tape = make_tape ();
  const AssaySsim of = { { SIDE, SIDE, 1 }, 1 };
  float given[EXAMPLES * PIXELS], input[CHANNELS * PIXELS], target[PIXELS];
  double expected = 0;

  cr_assert (assay_tape_predict (tape, &examples, given, NULL));
  for (gsize i = 0; i < EXAMPLES; i++) {
    double ssim;

    draw (NULL, i, 0, input, target);
    cr_assert (assay_image_ssim (&of, given + i * PIXELS, target, &ssim, NULL));
    expected += (0.84 * (1 - ssim) + 0.16 * assay_image_mae (given + i * PIXELS, target, PIXELS))
                / EXAMPLES;
  }
  assert_near (loss_of (tape), expected, 1e-6, "loss");
}

Test (tape_picture, derivatives)
{
  enum { STEP_OF = 1000 };
  g_autoptr (AssayTape) tape = make_tape ();
  g_autofree float *gradient = g_new (float, tape->n_parameters);
  double loss, largest = 0;

  cr_assert (assay_tape_differentiate (tape, &examples, &loss, gradient, NULL, NULL));
  for (gsize i = 0; i < tape->n_parameters; i++)
    largest = fmax (largest, fabs ((double) gradient[i]));
  cr_assert_gt (largest, 0.01);
  for (gsize i = 0; i < tape->n_parameters; i++) {
    const float before = tape->parameters[i];
    double above, below;

    tape->parameters[i] = before + 1.0F / STEP_OF;
    above = loss_of (tape);
    tape->parameters[i] = before - 1.0F / STEP_OF;
    below = loss_of (tape);
    tape->parameters[i] = before;
    assert_near ((double) gradient[i], (above - below) * STEP_OF / 2, 0.02 * largest,
                 "parameter %zu", i);
  }
}

static void
refuses (AssayTape *tape, guint last, const char *says)
{
  g_autoptr (GError) error = NULL;

  cr_assert_not (assay_tape_finish (tape, last, ASSAY_TAPE_LOSS_PICTURE, key_of (2), &error));
  cr_assert (g_error_matches (error, ASSAY_ERROR, ASSAY_ERROR_MISMATCH)
                 && strstr (error->message, says) != NULL,
             "%s", error->message);
  assay_tape_free (tape);
}

Test (tape_picture, refuses_what_is_no_picture)
{
  AssayTape *tape = assay_tape_new ((AssayTapeShape){ 8, 10, 12 });

  refuses (tape, assay_tape_convolve (tape, ASSAY_TAPE_INPUT, 1, 1, 1),
           "the last layer has 1 x 10 x 12 numbers; expected a picture of one channel and 11 x 11 "
           "pixels at least");
  tape = assay_tape_new ((AssayTapeShape){ 8, 12, 12 });
  refuses (tape, assay_tape_convolve (tape, ASSAY_TAPE_INPUT, 2, 1, 1),
           "the last layer has 2 x 12 x 12 numbers");
}
