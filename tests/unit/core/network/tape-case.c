/* Networks of tests. */
#include "tests/unit/core/network/tape-case.h"

#include <criterion/criterion.h>
#include <math.h>

static void
draw (gpointer data, gsize index, G_GNUC_UNUSED gsize epoch, float *ret_input, float *ret_target)
{
  const TapeCase *tape_case = data;
  const AssayTape *tape = tape_case->tape;
  const gsize n = assay_tape_numbers (assay_tape_output (tape));
  AssayStream stream
      = assay_stream (assay_stream_key (3, tape_case->trial, "tape example", ""), index);

  for (gsize i = 0; i < assay_tape_numbers (assay_tape_input (tape)); i++)
    ret_input[i] = (float) assay_stream_normal (&stream);
  for (gsize i = 0; i < n && ret_target != NULL; i++) {
    const double normal = assay_stream_normal (&stream);

    if (tape->loss == ASSAY_TAPE_LOSS_SHARES)
      ret_target[i] = i == index % n;
    else if (tape->loss == ASSAY_TAPE_LOSS_LOGISTIC)
      ret_target[i] = (float) fabs (sin (normal));
    else if (tape->loss == ASSAY_TAPE_LOSS_ABSOLUTE)
      ret_target[i] = normal > 0 ? 10 : -10; /* nowhere near what is given, where it has a kink */
    else
      ret_target[i] = (float) normal;
  }
}

AssayTapeExamples
tape_case_examples (TapeCase *tape_case, gsize n)
{
  return (AssayTapeExamples){ n, draw, tape_case };
}

static guint
block (AssayTape *tape, guint from, gsize channels)
{
  const guint x = assay_tape_convolve (tape, from, channels, 3, 1);

  return assay_tape_rectify (tape, assay_tape_normalise (tape, x));
}

AssayTape *
tape_case_everything (void)
{
  AssayTape *tape = assay_tape_new ((AssayTapeShape){ 3, 16, 16 });
  const guint top = block (tape, ASSAY_TAPE_INPUT, 8);
  const guint low = block (tape, assay_tape_pool (tape, top), 16);
  const guint up = assay_tape_enlarge (tape, assay_tape_convolve (tape, low, 8, 1, 1));
  guint x = assay_tape_convolve (tape, assay_tape_join (tape, top, up), 8, 3, 1);
  g_autoptr (GError) error = NULL;

  x = assay_tape_rectify (tape, assay_tape_add (tape, x, top));
  x = assay_tape_rectify (tape, assay_tape_convolve (tape, x, 8, 3, 2));
  x = assay_tape_dense (tape, assay_tape_mean (tape, x), 5);
  cr_assert (assay_tape_finish (tape, x, ASSAY_TAPE_LOSS_SHARES,
                                assay_stream_key (3, 0, "tape", ""), &error),
             "%s", error != NULL ? error->message : "");
  return tape;
}
