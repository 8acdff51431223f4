/* Tapes: Ctrl-C is heeded within a shard, between two layers, in training, on held-out examples and
 * in predictions. */
#include "tests/unit/assert-stops.h"
#include "tests/unit/core/network/tape-case.h"

#define EPOCHS 2

/* What one shard asks: before it, and before each layer. */
#define FORWARD(tape) (1 + ((tape)->n_layers - 1))
#define BOTH_WAYS(tape) (FORWARD (tape) + (tape)->last)

typedef struct {
  TapeCase tape_case;
  AssayTape *tape;
  AssayTapeExamples examples;
} Case;

static Case
make_case (AssayTape *tape)
{
  return (Case){ .tape_case = { tape, 1 }, .tape = tape };
}

static gboolean
train (gpointer data, GError **error)
{
  const Case *this = data;
  const AssayTapeTraining training
      = { .epochs = EPOCHS, .batch = ASSAY_TAPE_SHARD, .rate = 0.01, .held_out = &this->examples };

  return assay_tape_train (this->tape, &training, &this->examples,
                           assay_stream_key (3, 1, "tape", ""), NULL, error);
}

static gboolean
predict (gpointer data, GError **error)
{
  const Case *this = data;
  g_autofree float *outputs
      = g_new (float, this->examples.n *assay_tape_numbers (assay_tape_output (this->tape)));

  return assay_tape_predict (this->tape, &this->examples, outputs, error);
}

static gboolean
differentiate (gpointer data, GError **error)
{
  const Case *this = data;
  double loss;

  return assay_tape_differentiate (this->tape, &this->examples, &loss, NULL, NULL, error);
}

static gboolean
draw_weights (G_GNUC_UNUSED gpointer data, GError **error)
{
  g_autoptr (AssayTape) tape = assay_tape_new ((AssayTapeShape){ 3, 4, 4 });
  const guint x = assay_tape_convolve (tape, ASSAY_TAPE_INPUT, 16, 3, 1);

  return assay_tape_finish (tape, x, ASSAY_TAPE_LOSS_SQUARES, assay_stream_key (3, 1, "tape", ""),
                            error);
}

/* Of each channel: those of wide networks are many millions. */
Test (tape_stops, weights_as_they_are_drawn)
{
  assert_stops (draw_weights, NULL, 16, 16);
}

Test (tape_stops, training_and_its_held_out_examples)
{
  g_autoptr (AssayTape) tape = tape_case_everything ();
  Case this = make_case (tape);
  const guint least = EPOCHS * (BOTH_WAYS (tape) + FORWARD (tape));

  this.examples = tape_case_examples (&this.tape_case, ASSAY_TAPE_SHARD);
  assert_stops (train, &this, least, least);
}

Test (tape_stops, predictions_and_derivatives)
{
  g_autoptr (AssayTape) tape = tape_case_everything ();
  Case this = make_case (tape);

  this.examples = tape_case_examples (&this.tape_case, 3 * ASSAY_TAPE_SHARD);
  assert_stops (predict, &this, 3 * FORWARD (tape), 3 * FORWARD (tape));
  assert_stops (differentiate, &this, 3 * BOTH_WAYS (tape), 3 * BOTH_WAYS (tape));
}
