/* What a passage gives, and the loss of it. */
#include <math.h>
#include <string.h>

#include "core/network/passage.h"
#include "core/network/ssim-slopes.h"

#define SIMILAR 0.84 /* of SSIM in the loss of pictures */

/* Numbers of an image in the last layer. */
static gsize
last_size (const AssayTape *tape)
{
  return assay_blocks_size (tape->layers[tape->last].blocks);
}

/* Of what a loss of pictures compares. */
static AssaySsimSlopes
ssim_of (const AssayTape *tape)
{
  const AssayTapeShape shape = assay_tape_output (tape);

  return (AssaySsimSlopes){ shape.height, shape.width, 1 };
}

void
assay_passage_init_loss (AssayPassage *passage, GError **error)
{
  const AssayTape *tape = passage->tape;
  AssayArena *arena = &passage->arena;

  if (tape->loss == ASSAY_TAPE_LOSS_PICTURE) {
    const AssaySsimSlopes of = ssim_of (tape);
    const gsize pixels = of.height * of.width;

    passage->picture = assay_arena_alloc (arena, 2 * pixels, sizeof (float), "a picture", error);
    passage->similar = assay_arena_alloc (arena, assay_ssim_slopes_scratch (&of), sizeof (double),
                                          "windows of a picture", error);
  }
  passage->targets
      = assay_arena_alloc (arena, tape->images * assay_tape_numbers (assay_tape_output (tape)),
                           sizeof (float), "targets", error);
}

static void
softmax (gsize n, const float *z, float *ret_p)
{
  double sum = 0;
  float largest = z[0];

  for (gsize c = 1; c < n; c++)
    largest = MAX (largest, z[c]);
  for (gsize c = 0; c < n; c++)
    sum += exp ((double) (z[c] - largest));
  for (gsize c = 0; c < n; c++)
    ret_p[c] = (float) (exp ((double) (z[c] - largest)) / sum);
}

static double
sigmoid (float z)
{
  return 1 / (1 + exp (-(double) z));
}

/* One pixel, whose channels are as they are: blocks do not matter. */
static double
compare_shares (gsize n, const float *z, const float *target, double divisor, float *ret_delta)
{
  double sum = 0, loss = 0;

  softmax (n, z, ret_delta);
  for (gsize c = 0; c < n; c++)
    sum += (double) target[c];
  for (gsize c = 0; c < n; c++) {
    const double p = (double) ret_delta[c], y = (double) target[c];

    loss -= y > 0 ? y * log (MAX (p, 1e-30)) : 0;
    ret_delta[c] = (float) ((sum * p - y) / divisor);
  }
  return loss / divisor;
}

/* One picture, whose channel is the first of its block. */
static double
compare_picture (const AssayPassage *passage, const float *z, const float *target, double divisor,
                 float *ret_delta)
{
  const AssaySsimSlopes of = ssim_of (passage->tape);
  const gsize pixels = of.height * of.width, lanes = passage->tape->lanes;
  float *picture = passage->picture, *slopes = picture + pixels;
  double absolute = 0, similar;

  for (gsize i = 0; i < pixels; i++)
    picture[i] = z[lanes * i];
  similar = assay_ssim_slopes (&of, picture, target, passage->similar, slopes);
  for (gsize i = 0; i < pixels; i++) {
    const double difference = (double) picture[i] - (double) target[i];
    const double sign = difference > 0 ? 1 : difference < 0 ? -1 : 0;

    absolute += fabs (difference);
    ret_delta[lanes * i]
        = (float) (((1 - SIMILAR) * sign / (double) pixels - SIMILAR * (double) slopes[i])
                   / divisor);
  }
  return (SIMILAR * (1 - similar) + (1 - SIMILAR) * absolute / (double) pixels) / divisor;
}

/* The loss of one number; sets its derivative. */
static double
compare_number (AssayTapeLoss loss, double z, double y, double *ret_derivative)
{
  const double difference = z - y;

  switch (loss) {
  case ASSAY_TAPE_LOSS_GIVEN:
    *ret_derivative = y;
    return z * y;
  case ASSAY_TAPE_LOSS_ABSOLUTE:
    *ret_derivative = difference > 0 ? 1 : difference < 0 ? -1 : 0;
    return fabs (difference);
  case ASSAY_TAPE_LOSS_LOGISTIC:
    *ret_derivative = sigmoid ((float) z) - y;
    return MAX (z, 0) + log1p (exp (-fabs (z))) - y * z;
  case ASSAY_TAPE_LOSS_SQUARES:
  case ASSAY_TAPE_LOSS_SHARES:
  case ASSAY_TAPE_LOSS_PICTURE:
  default:
    *ret_derivative = difference;
    return difference * difference / 2;
  }
}

double
assay_passage_compare (AssayPassage *passage, gsize image, const float *target, double divisor)
{
  const AssayTape *tape = passage->tape;
  const AssayTapeShape shape = assay_tape_output (tape);
  const gsize size = last_size (tape), pixels = shape.height * shape.width;
  const gsize lanes = tape->lanes;
  const float *z = passage->values[tape->last] + image * size;
  float *delta = passage->deltas[tape->last] + image * size;
  const double all
      = divisor * (tape->loss == ASSAY_TAPE_LOSS_GIVEN ? 1 : (double) assay_tape_numbers (shape));
  double sum = 0, derivative;

  memset (delta, 0, size * sizeof (float));
  if (tape->loss == ASSAY_TAPE_LOSS_SHARES)
    return compare_shares (shape.channels, z, target, divisor, delta);
  if (tape->loss == ASSAY_TAPE_LOSS_PICTURE)
    return compare_picture (passage, z, target, divisor, delta);
  for (gsize c = 0; c < shape.channels; c++)
    for (gsize i = 0; i < pixels; i++) {
      const gsize at = (c / lanes * pixels + i) * lanes + c % lanes;

      sum += compare_number (tape->loss, (double) z[at], (double) target[c * pixels + i],
                             &derivative);
      delta[at] = (float) (derivative / all);
    }
  return sum / all;
}

void
assay_passage_skip (AssayPassage *passage, gsize image)
{
  const gsize size = last_size (passage->tape);

  memset (passage->deltas[passage->tape->last] + image * size, 0, size * sizeof (float));
}

void
assay_passage_output (const AssayPassage *passage, gsize image, float *ret_planes)
{
  const AssayTape *tape = passage->tape;
  const AssayTapeShape shape = assay_tape_output (tape);
  const float *z = passage->values[tape->last] + image * last_size (tape);

  assay_blocks_to_planes (tape->layers[tape->last].blocks, shape.channels, z, ret_planes);
  if (tape->loss == ASSAY_TAPE_LOSS_SHARES)
    softmax (shape.channels, z, ret_planes);
  for (gsize i = 0; tape->loss == ASSAY_TAPE_LOSS_LOGISTIC && i < assay_tape_numbers (shape); i++)
    ret_planes[i] = (float) sigmoid (ret_planes[i]);
}
