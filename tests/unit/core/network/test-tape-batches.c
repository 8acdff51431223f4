/* Training by a loss of whole batches, which a tape is given. */
#include <criterion/criterion.h>
#include <string.h>

#include "tests/unit/assert-near.h"
#include "tests/unit/core/network/tape-case.h"

typedef struct {
  const AssayTapeExamples *examples;
  const AssayTape *tape;
} Batches;

/* ASSAY_TAPE_LOSS_SQUARES, by hand. */
static double
compare_squares (gpointer data, const gsize *items, gsize count, const float *outputs,
                 float *ret_slopes)
{
  const Batches *batches = data;
  const gsize numbers = assay_tape_numbers (assay_tape_output (batches->tape));
  const double all = (double) (count * numbers);
  g_autofree float *input
      = g_new (float, assay_tape_numbers (assay_tape_input (batches->tape)));
  g_autofree float *target = g_new (float, numbers);
  double sum = 0;

  for (gsize i = 0; i < count; i++) {
    batches->examples->draw (batches->examples->data, items[i], 0, input, target);
    for (gsize k = 0; k < numbers; k++) {
      const double difference = (double) outputs[i * numbers + k] - (double) target[k];

      sum += difference * difference / (2 * all);
      ret_slopes[i * numbers + k] = (float) (difference / all);
    }
  }
  return sum;
}

/* A loss of whole batches that is one of examples trains what that one does. */
Test (tape_batches, one_that_is_a_mean_over_examples)
{
  g_autofree float *expected = NULL;

  for (guint way = 0; way < 2; way++) {
    g_autoptr (AssayTape) tape = assay_tape_new ((AssayTapeShape){ 3, 8, 8 });
    const guint x = assay_tape_convolve (tape, ASSAY_TAPE_INPUT, 8, 3, 2);
    const guint last = assay_tape_dense (tape, assay_tape_rectify (tape, x), 5);
    TapeCase tape_case = { tape, 1 };
    AssayTapeExamples examples = tape_case_examples (&tape_case, 23);
    Batches batches = { &examples, tape };
    AssayTapeTraining how
        = { .descent = ASSAY_DESCENT_ADAM, .epochs = 5, .batch = 10, .rate = 0.01 };

    cr_assert (assay_tape_finish (tape, last,
                                  way == 0 ? ASSAY_TAPE_LOSS_SQUARES : ASSAY_TAPE_LOSS_GIVEN,
                                  assay_stream_key (3, 1, "tape", ""), NULL));
    if (way == 1) {
      how.compare = compare_squares;
      how.compare_data = &batches;
    }
    cr_assert (assay_tape_train (tape, &how, &examples, assay_stream_key (3, 2, "tape", ""), NULL,
                                 NULL));
    if (way == 0)
      expected = g_memdup2 (tape->parameters, tape->n_parameters * sizeof (float));
    for (gsize i = 0; i < tape->n_parameters; i++)
      assert_near ((double) tape->parameters[i], (double) expected[i], 1e-6, "parameter %zu", i);
  }
}
