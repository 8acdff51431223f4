/* How fast is a U-Net trained, beside what it is made of and beside PyTorch? A U-Net
 * (core/network/u-net.h) of 3 levels on a batch of images of 64 x 64:
 *   network       a step of training: forward, back, and Adam's changes (assay_tape_train); the
 *                 mean of ten steps, as what passes through is allocated once
 *   convolutions  oneDNN's primitives of its convolutions alone, three for each: what its own
 *                 benchmark (benchdnn) measures of these shapes
 *   im2col        the same convolutions as copies of patches and products by OpenBLAS (sgemm)
 *   PyTorch       the same steps of the whole network (bench/networks.py), with as many threads
 *
 *   bench-networks [--runs N] [--threads N] [--numpy PYTHON --script FILE] [--quick] [--json]
 *
 * GFLOP/s count the products of convolutions, forward and back. */
#include <math.h>
#include <string.h>

#include "bench/measure.h"
#include "core/base/parallel.h"
#include "core/math/linalg.h"
#include "core/network/train.h"
#include "core/network/u-net.h"

#define SEED 1
#define STEPS 10

typedef struct {
  gsize batch, width, size;
} Case;

static const Case cases[] = { { 16, 16, 64 }, { 16, 32, 64 } };

/* Images that are there already, as they are for PyTorch. */
typedef struct {
  gsize n; /* numbers of one */
  float *images;
} Images;

static void
draw (gpointer data, gsize index, G_GNUC_UNUSED gsize epoch, float *ret_input, float *ret_target)
{
  const Images *images = data;
  const gsize bytes = images->n * sizeof (float);

  memcpy (ret_input, images->images + index * images->n, bytes);
  memcpy (ret_target, images->images + index * images->n, bytes);
}

static AssayTape *
make_tape (const Case *c)
{
  AssayTape *tape = assay_tape_new ((AssayTapeShape){ 3, c->size, c->size });
  const guint u = assay_tape_u_net (tape, ASSAY_TAPE_INPUT, &(AssayUNet){ c->width, 3 });
  g_autoptr (GError) error = NULL;

  if (!assay_tape_finish (tape, assay_tape_convolve (tape, u, 3, 1, 1), ASSAY_TAPE_LOSS_SQUARES,
                          assay_stream_key (SEED, 0, "network", "bench-networks"), &error))
    measure_stop ("networks", error);
  return tape;
}

/* ---- Convolutions alone ---- */

/* One of them for one shard, with room of its own. */
typedef struct {
  const AssayConvolution *convolution;
  AssayConvolutionShape shape;
  gboolean has_inputs; /* derivatives to inputs are wanted */
  float *inputs, *outputs, *weights, *patches;
  gpointer scratch;
} Piece;

static void
run_primitives (gsize index, G_GNUC_UNUSED guint worker, gpointer data)
{
  const Piece *p = &((const Piece *) data)[index];
  float *biases = p->weights + assay_convolution_weights (&p->shape);

  assay_convolution_forward (p->convolution, (const float *[]){ p->weights, biases }, p->inputs,
                             p->outputs, p->scratch);
  assay_convolution_to_weights (p->convolution, p->inputs, p->outputs,
                                (float *[]){ p->weights, biases }, p->scratch);
  if (p->has_inputs)
    assay_convolution_to_inputs (p->convolution, p->weights, p->outputs, p->inputs, p->scratch);
}

/* Patches of one image as columns: in x kernel x kernel rows of height x width; or their sum back
 * into the image. Planes. */
static void
move_patches (const AssayConvolutionShape *shape, gboolean is_back, float *image, float *patches)
{
  const gint64 side = (gint64) shape->kernel, h = (gint64) shape->height, w = (gint64) shape->width;

  for (gsize c = 0; c < shape->in; c++, image += h * w)
    for (gint64 k = 0; k < side * side; k++, patches += h * w)
      for (gint64 i = 0; i < h; i++) {
        const gint64 y = i + k / side - side / 2, shift = k % side - side / 2;
        const gint64 first = MAX (-shift, 0), last = MIN (w - shift, w);

        if (y < 0 || y >= h)
          continue;
        for (gint64 j = first; j < last; j++)
          if (is_back)
            image[y * w + j + shift] += patches[i * w + j];
          else
            patches[i * w + j] = image[y * w + j + shift];
      }
}

static void
run_im2col (gsize index, G_GNUC_UNUSED guint worker, gpointer data)
{
  const Piece *p = &((const Piece *) data)[index];
  const AssayConvolutionShape *shape = &p->shape;
  const gsize pixels = shape->height * shape->width;
  const gsize rows = shape->in * shape->kernel * shape->kernel;
  const AssayView weights = assay_view_of (p->weights, shape->out, rows);

  for (gsize n = 0; n < shape->images; n++) {
    float *inputs = p->inputs + n * shape->in * pixels;
    float *outputs = p->outputs + n * shape->out * pixels;

    move_patches (shape, FALSE, inputs, p->patches);
    assay_linalg_product (ASSAY_NN, weights, assay_view_of (p->patches, rows, pixels), outputs,
                          pixels);
    /* The gradient of the weights goes where the scratch is: they are wanted as they are. */
    assay_linalg_product (ASSAY_NT, assay_view_of (outputs, shape->out, pixels),
                          assay_view_of (p->patches, rows, pixels),
                          p->weights + assay_convolution_weights (shape) + shape->out, rows);
    if (!p->has_inputs)
      continue;
    assay_linalg_product (ASSAY_TN, weights, assay_view_of (outputs, shape->out, pixels),
                          p->patches, pixels);
    move_patches (shape, TRUE, inputs, p->patches);
  }
}

typedef struct {
  AssayArena arena;
  Piece *pieces;
  gsize n;
  double operations;
} Work;

static float *
numbers (Work *work, gsize n)
{
  g_autoptr (GError) error = NULL;
  float *room = assay_arena_alloc (&work->arena, n, sizeof (float), "room", &error);

  if (room == NULL)
    measure_stop ("networks", error);
  return room;
}

/* A piece for every convolution and shard. */
static void
make_work (const AssayTape *tape, const Case *c, Work *work)
{
  const gsize shards = assay_pieces (c->batch, ASSAY_TAPE_SHARD);

  work->pieces = g_new0 (Piece, shards * tape->n_layers);
  for (guint l = 1; l < tape->n_layers; l++) {
    const AssayLayer *layer = &tape->layers[l];
    const AssayConvolutionShape shape = assay_tape_convolution (tape, l);
    const gsize pixels = ASSAY_TAPE_SHARD * shape.height * shape.width;
    const gsize weights = assay_convolution_weights (&shape);

    for (gsize shard = 0; layer->type == ASSAY_LAYER_CONVOLVE && shard < shards; shard++) {
      const gboolean has_inputs = layer->from[0] != ASSAY_TAPE_INPUT;
      Piece piece = { .convolution = layer->convolution, .shape = shape, .has_inputs = has_inputs };

      piece.inputs = numbers (work, pixels * shape.in);
      piece.outputs = numbers (work, pixels * shape.out);
      piece.weights = numbers (work, 2 * weights + shape.out);
      piece.patches
          = numbers (work, pixels / ASSAY_TAPE_SHARD * shape.in * shape.kernel * shape.kernel);
      piece.scratch = numbers (work, tape->scratch / sizeof (float) + 1);
      work->pieces[work->n++] = piece;
      work->operations += (has_inputs ? 6.0 : 4.0) * (double) pixels * (double) weights;
    }
  }
}

/* ---- The case ---- */

/* Of one step. */
static Times
time_network (const Report *report, AssayTape *tape, const Case *c)
{
  const gsize n = 3 * c->size * c->size;
  g_autofree float *numbers = g_new (float, c->batch *n);
  Images images = { n, numbers };
  const AssayTapeExamples examples = { c->batch, draw, &images };
  const AssayTapeTraining training = { .epochs = STEPS, .batch = c->batch, .rate = 1e-4 };
  g_autoptr (GError) error = NULL;
  Samples samples = { 0 };
  Times times;

  for (gsize i = 0; i < c->batch * n; i++)
    numbers[i] = (float) sin ((double) i);
  for (int i = 0; i < report->options->runs; i++) {
    const Moment start = measure_moment ();

    if (!assay_tape_train (tape, &training, &examples,
                           assay_stream_key (SEED, 0, "network", "bench-order"), NULL, &error))
      measure_stop ("networks", error);
    measure_add (&samples, start);
  }
  times = measure_times (&samples);
  times.minimum /= STEPS;
  times.median /= STEPS;
  times.cpu /= STEPS;
  return times;
}

static Times
time_work (const Report *report, const Work *work, AssayWork run)
{
  Samples samples = { 0 };

  for (int i = 0; i < report->options->runs; i++) {
    const Moment start = measure_moment ();

    assay_parallel_for (work->n, run, work->pieces);
    measure_add (&samples, start);
  }
  return measure_times (&samples);
}

/* Times of PyTorch: seconds by the clock and of the processor; NAN: there is none. */
static void
ask_torch (const Report *report, const Case *c, double *ret_clock, double *ret_cpu)
{
  g_autofree char *batch = g_strdup_printf ("%zu", c->batch);
  g_autofree char *width = g_strdup_printf ("%zu", c->width);
  g_autofree char *size = g_strdup_printf ("%zu", c->size);
  g_autofree char *threads = g_strdup_printf ("%u", assay_parallel_threads ());
  g_autofree char *runs = g_strdup_printf ("%d", report->options->runs);
  g_autofree char *out = NULL;
  char *rest = NULL;

  *ret_clock = *ret_cpu = (double) NAN;
  if (report->options->python != NULL)
    out = measure_ask_python (report->options,
                              (const char *[]){ batch, width, size, threads, runs, NULL });
  if (out == NULL)
    return;
  *ret_clock = g_ascii_strtod (out, &rest);
  *ret_cpu = g_ascii_strtod (rest, NULL);
}

static void
run_case (Report *report, Case c)
{
  g_autoptr (AssayTape) tape = NULL;
  Work work = { 0 };
  Times network, primitives, im2col;
  double clock, cpu;

  if (report->options->is_quick)
    c = (Case){ 4, 8, 32 };
  tape = make_tape (&c);
  make_work (tape, &c, &work);
  network = time_network (report, tape, &c);
  primitives = time_work (report, &work, run_primitives);
  im2col = time_work (report, &work, run_im2col);
  ask_torch (report, &c, &clock, &cpu);
  report_case (report, "%zu x %zu x %zu, width %zu", c.batch, c.size, c.size, c.width);
  report_number (report, "GFLOP", work.operations / 1e9, 1);
  report_times (report, "network s", network);
  report_number (report, "GFLOP/s", work.operations / 1e9 / network.cpu, 1);
  report_times (report, "convolutions s", primitives);
  report_number (report, "its GFLOP/s", work.operations / 1e9 / primitives.cpu, 1);
  report_times (report, "im2col s", im2col);
  report_number (report, "im2col GFLOP/s", work.operations / 1e9 / im2col.cpu, 1);
  report_number (report, "PyTorch s", clock, 3);
  report_number (report, "PyTorch cpu s", cpu, 3);
  g_free (work.pieces);
  assay_arena_clear (&work.arena);
}

int
main (int argc, char **argv)
{
  g_auto (MeasureOptions) options = measure_options ("networks", 5, NULL, argc, argv);
  g_autoptr (Report) report = report_new (
      &options, SEED, "a step of training a U-Net; GFLOP/s of one processor's second");

  if (options.is_quick)
    run_case (report, cases[0]);
  for (guint i = 0; i < G_N_ELEMENTS (cases) && !options.is_quick; i++)
    run_case (report, cases[i]);
  return 0;
}
