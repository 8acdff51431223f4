/* One pass of training over rows: the dense network (core/math/network.h), which takes products of
 * whole batches, beside the same layers on a tape (core/network/train.h), where four rows at a time
 * go through oneDNN. Layers of 128 ReLUs, ten classes, batches of 64, descent with momentum.
 *
 *   bench-dense-networks [--runs N] [--threads N] [--quick] [--json] */
#include <string.h>

#include "bench/measure.h"
#include "core/base/parallel.h"
#include "core/math/network.h"
#include "core/network/train.h"

#define SEED 1

enum { CLASSES = 10, HIDDEN = 128, BATCH = 64 };

typedef struct {
  gsize n, cols, layers; /* layers of ReLUs */
  AssayMatrix *rows, *targets;
} Case;

static AssayStreamKey
key_of (const char *role)
{
  return assay_stream_key (SEED, 0, role, "bench-dense-networks");
}

static void
draw (gpointer data, gsize index, G_GNUC_UNUSED gsize epoch, float *ret_input, float *ret_target)
{
  const Case *c = data;

  memcpy (ret_input, assay_matrix_row (c->rows, index), c->cols * sizeof (float));
  if (ret_target != NULL)
    memcpy (ret_target, assay_matrix_row (c->targets, index), CLASSES * sizeof (float));
}

static void
train_dense (const Case *c, GError **error)
{
  const AssayNetworkTraining training
      = { .epochs = 1, .batch = BATCH, .learning_rate = 0.05, .momentum = 0.9 };
  AssayNetworkShape shape = { .n_layers = c->layers + 1, .widths = { c->cols } };
  g_autoptr (AssayNetwork) network = NULL;

  for (gsize l = 1; l <= c->layers; l++)
    shape.widths[l] = HIDDEN;
  shape.widths[c->layers + 1] = CLASSES;
  network = assay_network_new (&shape, key_of ("weights"), error);
  if (network != NULL)
    assay_network_train (network, &training, assay_matrix_view (c->rows),
                         assay_matrix_view (c->targets), key_of ("order"), error);
}

static void
train_tape (const Case *c, GError **error)
{
  const AssayTapeExamples examples = { c->n, draw, (gpointer) c };
  const AssayTapeTraining training = {
    .descent = ASSAY_DESCENT_SGD, .epochs = 1, .batch = BATCH, .rate = 0.05, .momentum = 0.9
  };
  g_autoptr (AssayTape) tape = assay_tape_new ((AssayTapeShape){ c->cols, 1, 1 });
  guint last = ASSAY_TAPE_INPUT;

  for (gsize l = 0; l < c->layers; l++)
    last = assay_tape_rectify (tape, assay_tape_dense (tape, last, HIDDEN));
  last = assay_tape_dense (tape, last, CLASSES);
  if (assay_tape_finish (tape, last, ASSAY_TAPE_LOSS_SHARES, key_of ("weights"), error))
    assay_tape_train (tape, &training, &examples, key_of ("order"), NULL, error);
}

static Times
time_training (const Report *report, const Case *c, void (*train) (const Case *, GError **))
{
  g_autoptr (GError) error = NULL;
  Samples samples = { 0 };

  for (int i = 0; i < report->options->runs; i++) {
    const Moment start = measure_moment ();

    train (c, &error);
    if (error != NULL)
      measure_stop ("dense-networks", error);
    measure_add (&samples, start);
  }
  return measure_times (&samples);
}

/* Normal rows, whose class follows from their first number. */
static void
run_case (Report *report, Case c)
{
  AssayStream stream = assay_stream (key_of ("rows"), 0);
  g_autoptr (GError) error = NULL;
  Times dense, tape;

  if (report->options->is_quick)
    c.n /= 20;
  c.rows = assay_matrix_new (c.n, c.cols, &error);
  c.targets = c.rows != NULL ? assay_matrix_new (c.n, CLASSES, &error) : NULL;
  if (c.targets == NULL)
    measure_stop ("dense-networks", error);
  for (gsize i = 0; i < c.n * c.cols; i++)
    c.rows->data[i] = (float) assay_stream_normal (&stream);
  memset (c.targets->data, 0, c.n * CLASSES * sizeof (float));
  for (gsize i = 0; i < c.n; i++)
    assay_matrix_row (c.targets, i)[assay_matrix_row (c.rows, i)[0] > 0] = 1;
  report_case (report, "%zu x %zu, %zu hidden layers", c.n, c.cols, c.layers);
  dense = time_training (report, &c, train_dense);
  tape = time_training (report, &c, train_tape);
  report_times (report, "dense s", dense);
  report_number (report, "dense cpu s", dense.cpu, 3);
  report_times (report, "tape s", tape);
  report_number (report, "tape cpu s", tape.cpu, 3);
  assay_matrix_free (c.rows);
  assay_matrix_free (c.targets);
}

int
main (int argc, char **argv)
{
  static const Case cases[] = { { 10000, 784, 2, NULL, NULL }, { 2000, 3072, 2, NULL, NULL } };
  g_auto (MeasureOptions) options = measure_options ("dense-networks", 5, NULL, argc, argv);
  g_autoptr (Report) report = report_new (&options, SEED, "one pass of training over rows");

  for (guint i = 0; i < G_N_ELEMENTS (cases); i++)
    run_case (report, cases[i]);
  return 0;
}
