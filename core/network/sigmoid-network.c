/* Networks of convolutions and sigmoids: gradients, and tangents of gradients.
 *
 * Layer l takes what layer l - 1 gives, a (batch x pixels x channels), unfolds it to A (a row for
 * each pixel that it gives itself, with what its kernel sees), and gives z = A W' + b and, but for
 * the last, s (z). Back go deltas d = dL / dz: dW = d' A, and d W folded is dL / da, with
 * s' = a (1 - a) to the deltas before. Tangents along v follow by the product rule, with R for the
 * derivative as weights move along v:
 *   Rz = A V' + v_b + (RA) W',                    Ra = s' Rz
 *   Rd = R (dL / da) s' + (dL / da) s'' Rz,       s'' = s' (1 - 2 a)
 *   R (dL / da) = fold (d V + (Rd) W) */
#include "core/network/sigmoid-network.h"

#include <math.h>
#include <string.h>

#include "core/data/arena.h"
#include "core/math/linalg.h"

#define KERNEL 5
#define ZHU_WEIGHT 0.5

/* ---- Sizes ---- */

/* A layer with the sizes that follow from those before. */
typedef struct {
  gsize in_height, in_width, in;
  gsize height, width, out;
  gsize kernel_height, kernel_width, padding, stride;
  gsize seen;  /* numbers that a kernel sees, for each channel that it gives */
  gsize first; /* of its weights; biases come after them */
} Place;

static gsize
pixels_of (const Place *place)
{
  return place->height * place->width;
}

static gsize
inputs_of (const Place *place)
{
  return place->in_height * place->in_width * place->in;
}

static Place
place_after (const AssaySigmoidLayer *layer, gsize height, gsize width, gsize channels)
{
  const gboolean is_whole = layer->kernel == 0;
  Place place = { .in_height = height,
                  .in_width = width,
                  .in = channels,
                  .out = layer->channels,
                  .kernel_height = is_whole ? height : layer->kernel,
                  .kernel_width = is_whole ? width : layer->kernel,
                  .padding = layer->kernel / 2,
                  .stride = layer->stride };

  place.height = (height + 2 * place.padding - place.kernel_height) / place.stride + 1;
  place.width = (width + 2 * place.padding - place.kernel_width) / place.stride + 1;
  place.seen = place.kernel_height * place.kernel_width * channels;
  return place;
}

/* All of them; returns how many weights there are. */
static guint64
place_layers (const AssaySigmoidShape *shape, Place *ret_places)
{
  gsize height = shape->height, width = shape->width, channels = shape->channels;
  guint64 weights = 0;

  for (gsize l = 0; l < shape->n_layers; l++) {
    Place *place = &ret_places[l];

    *place = place_after (&shape->layers[l], height, width, channels);
    place->first = weights;
    weights += (guint64) place->out * (place->seen + 1);
    height = place->height;
    width = place->width;
    channels = place->out;
  }
  return weights;
}

AssaySigmoidShape
assay_sigmoid_shape (AssaySigmoidForm form, const AssayGeometry *image, gsize units, gsize classes)
{
  AssaySigmoidShape shape
      = { .height = image->height, .width = image->width, .channels = image->channels };

  if (form == ASSAY_SIGMOID_DENSE)
    shape.layers[shape.n_layers++] = (AssaySigmoidLayer){ units, 0, 1 };
  else
    for (gsize l = 0; l < 3; l++)
      shape.layers[shape.n_layers++] = (AssaySigmoidLayer){ units, KERNEL, l < 2 ? 2 : 1 };
  shape.layers[shape.n_layers++] = (AssaySigmoidLayer){ classes, 0, 1 };
  return shape;
}

guint64
assay_sigmoid_weights (const AssaySigmoidShape *shape)
{
  Place places[ASSAY_SIGMOID_MAX_LAYERS];

  return place_layers (shape, places);
}

void
assay_sigmoid_draw (const AssaySigmoidShape *shape, AssaySigmoidForm form, AssayStream *stream,
                    float *ret_weights)
{
  Place places[ASSAY_SIGMOID_MAX_LAYERS];

  place_layers (shape, places);
  for (gsize l = 0; l < shape->n_layers; l++) {
    const Place *place = &places[l];
    const double most
        = form == ASSAY_SIGMOID_CONVOLUTIONAL ? ZHU_WEIGHT : 1 / sqrt ((double) place->seen);

    for (gsize i = 0; i < place->out * (place->seen + 1); i++)
      ret_weights[place->first + i] = (float) assay_stream_between (stream, -most, most);
  }
}

/* ---- Unfolding ---- */

/* For each number that a kernel sees of row @row of an image: its place, in runs of the channels of
 * a pixel, or none, where the kernel looks beyond the image. */
typedef void (*Run) (gsize n, double *folded, double *unfolded);

static void
walk (const Place *place, gsize batch, Run run, double *folded, double *unfolded)
{
  for (gsize i = 0; i < batch * pixels_of (place); i++) {
    double *image = folded + i / pixels_of (place) * inputs_of (place);
    const gsize top = i % pixels_of (place) / place->width * place->stride;
    const gsize left = i % place->width * place->stride;

    for (gsize k = 0; k < place->kernel_height * place->kernel_width; k++, unfolded += place->in) {
      const gsize y = top + k / place->kernel_width, x = left + k % place->kernel_width;
      const gboolean is_inside = y >= place->padding && y < place->in_height + place->padding
                                 && x >= place->padding && x < place->in_width + place->padding;

      run (place->in,
           is_inside ? image
                           + ((y - place->padding) * place->in_width + x - place->padding)
                                 * place->in
                     : NULL,
           unfolded);
    }
  }
}

static void
run_unfold (gsize n, double *folded, double *unfolded)
{
  if (folded != NULL)
    memcpy (unfolded, folded, n * sizeof (double));
  else
    memset (unfolded, 0, n * sizeof (double));
}

static void
run_fold (gsize n, double *folded, double *unfolded)
{
  for (gsize i = 0; i < n && folded != NULL; i++)
    folded[i] += unfolded[i];
}

/* ---- A pass ---- */

typedef struct {
  Place place;
  gsize rows;    /* batch x pixels that it gives */
  double *input; /* batch x numbers that it takes: a of the layer before, or images */
  double *seen;  /* A */
  double *slope; /* dL / da of what it takes */
  double *delta; /* rows x out */
  double *tangent;       /* Rz, rows x out */
  double *delta_tangent; /* Rd, rows x out */
} Layer;

struct _AssaySigmoidPass {
  gsize batch, n_layers;
  Layer layers[ASSAY_SIGMOID_MAX_LAYERS];
  double *weights;
  double *labels; /* batch x classes */
  double *shares; /* p, batch x classes */
  double *output; /* z of the last layer */
  double *spare;  /* as large as the largest A: what is folded, or RA */
  double *moved;  /* Ra, or R (dL / da), of one layer's input */
  AssayArena arena;
};

ASSAY_FREE_FUNC (AssaySigmoidPass, assay_sigmoid_pass_free, assay_arena_clear (&self->arena))

guint64
assay_sigmoid_pass_bytes (const AssaySigmoidShape *shape, gsize batch)
{
  Place places[ASSAY_SIGMOID_MAX_LAYERS];
  guint64 numbers = place_layers (shape, places), most = 0, widest = 0;

  for (gsize l = 0; l < shape->n_layers; l++) {
    const Place *place = &places[l];
    const guint64 seen = (guint64) pixels_of (place) * place->seen * batch;
    const guint64 taken = (guint64) inputs_of (place) * batch;

    numbers += seen + 2 * taken + 4 * (guint64) pixels_of (place) * place->out * batch;
    most = MAX (most, seen);
    widest = MAX (widest, taken);
  }
  return (numbers + most + widest) * sizeof (double);
}

static double *
take (AssaySigmoidPass *pass, gsize count, GError **error)
{
  return assay_arena_alloc (&pass->arena, count, sizeof (double), "a network", error);
}

static void
make_layers (AssaySigmoidPass *pass, const AssaySigmoidShape *shape, GError **error)
{
  Place places[ASSAY_SIGMOID_MAX_LAYERS];
  gsize most = 0, widest = 0;

  place_layers (shape, places);
  for (gsize l = 0; l < shape->n_layers; l++) {
    Layer *layer = &pass->layers[l];
    const gsize rows = pass->batch * pixels_of (&places[l]);
    const gsize taken = pass->batch * inputs_of (&places[l]);

    layer->place = places[l];
    layer->rows = rows;
    layer->input = take (pass, taken, error);
    layer->slope = take (pass, taken, error);
    layer->seen = take (pass, rows * places[l].seen, error);
    layer->delta = take (pass, rows * places[l].out, error);
    layer->tangent = take (pass, rows * places[l].out, error);
    layer->delta_tangent = take (pass, rows * places[l].out, error);
    most = MAX (most, rows * places[l].seen);
    widest = MAX (widest, taken);
  }
  pass->spare = take (pass, most, error);
  pass->moved = take (pass, widest, error);
}

AssaySigmoidPass *
assay_sigmoid_pass_new (const AssaySigmoidShape *shape, gsize batch, const float *weights,
                        GError **error)
{
  g_autoptr (AssaySigmoidPass) pass = g_new0 (AssaySigmoidPass, 1);
  const gsize n = assay_sigmoid_weights (shape);
  const gsize classes = batch * shape->layers[shape->n_layers - 1].channels;

  pass->batch = batch;
  pass->n_layers = shape->n_layers;
  pass->weights = take (pass, n, error);
  pass->labels = take (pass, classes, error);
  pass->shares = take (pass, classes, error);
  pass->output = take (pass, classes, error);
  make_layers (pass, shape, error);
  if (pass->arena.has_failed)
    return NULL;
  for (gsize i = 0; i < n; i++)
    pass->weights[i] = (double) weights[i];
  return g_steal_pointer (&pass);
}

/* ---- Products ---- */

/* Rows of A times the kernels of @weights, to @ret; with @biases these as well. */
static void
apply (const Layer *layer, const double *seen, const double *weights, gboolean has_biases,
       double *ret)
{
  const Place *place = &layer->place;
  const double *kernels = weights + place->first, *biases = kernels + place->out * place->seen;

  assay_linalg_product_double (ASSAY_NT, assay_view_of_doubles (seen, layer->rows, place->seen),
                               assay_view_of_doubles (kernels, place->out, place->seen), ret,
                               place->out);
  for (gsize i = 0; i < layer->rows && has_biases; i++)
    for (gsize c = 0; c < place->out; c++)
      ret[i * place->out + c] += biases[c];
}

/* What @deltas say of the layer's input by the kernels of @weights, added to @inout. */
static void
add_back (AssaySigmoidPass *pass, const Layer *layer, const double *deltas, const double *weights,
          double *inout)
{
  const Place *place = &layer->place;

  assay_linalg_product_double (
      ASSAY_NN, assay_view_of_doubles (deltas, layer->rows, place->out),
      assay_view_of_doubles (weights + place->first, place->out, place->seen), pass->spare,
      place->seen);
  walk (place, pass->batch, run_fold, inout, pass->spare);
}

static void
take_gradient (const Layer *layer, double *ret_gradient)
{
  const Place *place = &layer->place;
  double *biases = ret_gradient + place->first + place->out * place->seen;

  assay_linalg_product_double (
      ASSAY_TN, assay_view_of_doubles (layer->delta, layer->rows, place->out),
      assay_view_of_doubles (layer->seen, layer->rows, place->seen), ret_gradient + place->first,
      place->seen);
  memset (biases, 0, place->out * sizeof (double));
  for (gsize i = 0; i < layer->rows; i++)
    for (gsize c = 0; c < place->out; c++)
      biases[c] += layer->delta[i * place->out + c];
}

/* ---- The gradient ---- */

static void
go_forward (AssaySigmoidPass *pass)
{
  for (gsize l = 0; l < pass->n_layers; l++) {
    Layer *layer = &pass->layers[l];
    const gboolean is_last = l + 1 == pass->n_layers;
    double *into = is_last ? pass->output : pass->layers[l + 1].input;

    walk (&layer->place, pass->batch, run_unfold, layer->input, layer->seen);
    apply (layer, layer->seen, pass->weights, TRUE, into);
    for (gsize i = 0; i < layer->rows * layer->place.out && !is_last; i++)
      into[i] = 1 / (1 + exp (-into[i]));
  }
}

/* Shares, the loss, and dL / dz = ((sum y) p - y) / batch. */
static double
compare (AssaySigmoidPass *pass)
{
  const Layer *last = &pass->layers[pass->n_layers - 1];
  const gsize classes = last->place.out;
  double loss = 0;

  for (gsize b = 0; b < pass->batch; b++) {
    const double *z = pass->output + b * classes, *y = pass->labels + b * classes;
    double *p = pass->shares + b * classes, most = z[0], all = 0, sum = 0;

    for (gsize c = 1; c < classes; c++)
      most = MAX (most, z[c]);
    for (gsize c = 0; c < classes; c++) {
      p[c] = exp (z[c] - most);
      all += p[c];
      sum += y[c];
    }
    for (gsize c = 0; c < classes; c++) {
      p[c] /= all;
      loss += y[c] * (most + log (all) - z[c]);
      last->delta[b * classes + c] = (sum * p[c] - y[c]) / (double) pass->batch;
    }
  }
  return loss / (double) pass->batch;
}

double
assay_sigmoid_differentiate (AssaySigmoidPass *pass, const double *images, const double *labels,
                             double *ret_gradient)
{
  Layer *first = &pass->layers[0];
  const gsize classes = pass->layers[pass->n_layers - 1].place.out;
  double loss;

  memcpy (first->input, images, pass->batch * inputs_of (&first->place) * sizeof (double));
  memcpy (pass->labels, labels, pass->batch * classes * sizeof (double));
  go_forward (pass);
  loss = compare (pass);
  for (gsize l = pass->n_layers; l-- > 0;) {
    const Layer *layer = &pass->layers[l];
    const gsize taken = pass->batch * inputs_of (&layer->place);

    take_gradient (layer, ret_gradient);
    if (l == 0)
      break;
    memset (layer->slope, 0, taken * sizeof (double));
    add_back (pass, layer, layer->delta, pass->weights, layer->slope);
    for (gsize i = 0; i < taken; i++)
      pass->layers[l - 1].delta[i] = layer->slope[i] * layer->input[i] * (1 - layer->input[i]);
  }
  return loss;
}

/* ---- Tangents ---- */

static void
move_forward (AssaySigmoidPass *pass, const double *direction)
{
  for (gsize l = 0; l < pass->n_layers; l++) {
    Layer *layer = &pass->layers[l];
    const gsize taken = pass->batch * inputs_of (&layer->place);

    apply (layer, layer->seen, direction, TRUE, layer->tangent);
    if (l == 0)
      continue;
    for (gsize i = 0; i < taken; i++)
      pass->moved[i]
          = pass->layers[l - 1].tangent[i] * layer->input[i] * (1 - layer->input[i]);
    walk (&layer->place, pass->batch, run_unfold, pass->moved, pass->spare);
    /* Until it goes back, there is room in what will be its derivative. */
    apply (layer, pass->spare, pass->weights, FALSE, layer->delta_tangent);
    for (gsize i = 0; i < layer->rows * layer->place.out; i++)
      layer->tangent[i] += layer->delta_tangent[i];
  }
}

/* R p = p (Rz - p . Rz), and the derivative of R L = sum y_c (p . Rz - Rz_c) by labels. */
static void
move_loss (AssaySigmoidPass *pass, double *ret_labels)
{
  const Layer *last = &pass->layers[pass->n_layers - 1];
  const gsize classes = last->place.out;

  for (gsize b = 0; b < pass->batch; b++) {
    const double *p = pass->shares + b * classes, *y = pass->labels + b * classes;
    const double *tangent = last->tangent + b * classes;
    double mean = 0, sum = 0;

    for (gsize c = 0; c < classes; c++) {
      mean += p[c] * tangent[c];
      sum += y[c];
    }
    for (gsize c = 0; c < classes; c++) {
      last->delta_tangent[b * classes + c]
          = sum * p[c] * (tangent[c] - mean) / (double) pass->batch;
      ret_labels[b * classes + c] = (mean - tangent[c]) / (double) pass->batch;
    }
  }
}

void
assay_sigmoid_pull (AssaySigmoidPass *pass, const double *direction, double *ret_images,
                    double *ret_labels)
{
  move_forward (pass, direction);
  move_loss (pass, ret_labels);
  for (gsize l = pass->n_layers; l-- > 0;) {
    const Layer *layer = &pass->layers[l];
    const gsize taken = pass->batch * inputs_of (&layer->place);
    double *moved = l == 0 ? ret_images : pass->moved;

    memset (moved, 0, taken * sizeof (double));
    add_back (pass, layer, layer->delta, direction, moved);
    add_back (pass, layer, layer->delta_tangent, pass->weights, moved);
    for (gsize i = 0; i < taken && l > 0; i++) {
      const double a = layer->input[i], slope = a * (1 - a);

      pass->layers[l - 1].delta_tangent[i]
          = moved[i] * slope
            + layer->slope[i] * slope * (1 - 2 * a) * pass->layers[l - 1].tangent[i];
    }
  }
}
