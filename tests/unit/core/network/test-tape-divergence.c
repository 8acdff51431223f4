/* Tapes whose training diverges: what counts as that, and what is kept. */
#include <criterion/criterion.h>
#include <math.h>

#include "core/base/error.h"
#include "tests/unit/core/network/tape-case.h"

static const AssayTapeTraining training
    = { .descent = ASSAY_DESCENT_ADAM, .epochs = 12, .batch = 10, .rate = 0.01, .decay = 1e-3 };

static AssayStreamKey
key_of (guint64 trial)
{
  return assay_stream_key (3, trial, "tape", "");
}

/* Inputs whose first number is another in one epoch. */
typedef struct {
  TapeCase tape_case;
  AssayTapeExamples examples;
  gsize epoch;
  float number;
} Moved;

static void
draw (gpointer data, gsize index, gsize epoch, float *ret_input, float *ret_target)
{
  Moved *moved = data;

  moved->examples.draw (&moved->tape_case, index, epoch, ret_input, ret_target);
  if (epoch == moved->epoch)
    ret_input[0] = moved->number;
}

static AssayTapeExamples
examples_of (Moved *moved, AssayTape *tape)
{
  moved->tape_case = (TapeCase){ tape, 1 };
  moved->examples = tape_case_examples (&moved->tape_case, 10);
  return (AssayTapeExamples){ 10, draw, moved };
}

Test (tape_divergence, keeps_what_it_was_before)
{
  g_autoptr (AssayTape) tape = tape_case_everything ();
  Moved moved = { .epoch = 3, .number = INFINITY };
  const AssayTapeExamples examples = examples_of (&moved, tape);
  g_autoptr (GError) error = NULL;
  AssayTapeReport report;

  cr_assert (assay_tape_train (tape, &training, &examples, key_of (1), &report, NULL));
  cr_assert (report.has_diverged && report.epochs == 3 && report.best == 3);
  for (gsize i = 0; i < tape->n_parameters; i++)
    cr_assert (isfinite (tape->parameters[i]));
  /* Who takes no report would not hear of it. */
  cr_assert_not (assay_tape_train (tape, &training, &examples, key_of (1), NULL, &error));
  cr_assert_str_eq (error->message,
                    "training diverged in epoch 4 (rate 0.01); expected a finite loss");
  g_clear_error (&error);
  moved.epoch = 0;
  cr_assert_not (assay_tape_train (tape, &training, &examples, key_of (1), &report, &error));
  cr_assert (g_error_matches (error, ASSAY_ERROR, ASSAY_ERROR_NUMERIC));
  cr_assert_str_eq (error->message,
                    "training diverged in its first epoch (rate 0.01); expected a lower rate");
}

/* A gradient whose square is infinite: weights and losses stay finite, and Adam stands still. */
Test (tape_divergence, is_a_step_that_can_no_longer_be_taken)
{
  g_autoptr (AssayTape) tape = assay_tape_new ((AssayTapeShape){ 1, 1, 1 });
  Moved moved = { .epoch = 3, .number = 1e13F };
  const AssayTapeExamples examples = examples_of (&moved, tape);
  AssayTapeReport report;

  cr_assert (assay_tape_finish (tape, assay_tape_dense (tape, ASSAY_TAPE_INPUT, 1),
                                ASSAY_TAPE_LOSS_SQUARES, key_of (0), NULL));
  cr_assert (assay_tape_train (tape, &training, &examples, key_of (1), &report, NULL));
  cr_assert (report.has_diverged && report.epochs == 3 && report.best == 3);
}
