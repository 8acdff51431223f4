/* Noise that parties add to what they learn. */
#include "defenses/mechanisms/party-noise.h"

#include <math.h>

const char *const ra12_noises[] = { "both", "gradient", "objective", NULL };

/* ---- PRR10 ---- */

double
prr10_scale (gsize rows, double epsilon, double penalty)
{
  return 2 / ((double) rows * epsilon * penalty);
}

/* A sum of @count exponential lengths is Gamma (@count). */
void
prr10_draw (Prr10Noise noise, double scale, AssayStream *stream, gsize count, double *ret_noise)
{
  double length = 0, square = 0;

  assay_stream_fill_laplace (stream, count, ret_noise);
  for (gsize j = 0; j < count; j++) {
    length += fabs (ret_noise[j]);
    ret_noise[j] *= scale;
  }
  if (noise == PRR10_COORDINATES)
    return;
  for (gsize j = 0; j < count; j++) {
    ret_noise[j] = assay_stream_normal (stream);
    square += ret_noise[j] * ret_noise[j];
  }
  for (gsize j = 0; j < count; j++)
    ret_noise[j] *= scale * length / sqrt (square);
}

/* ---- RA12 ---- */

Ra12Scales
ra12_scales (double epsilon, double delta, Ra12Noise noise)
{
  return (Ra12Scales){
    .once = noise != RA12_GRADIENT ? 2 * sqrt (2 * log (1.25 / delta)) / epsilon : 0,
    .step = noise != RA12_OBJECTIVE ? 2 / epsilon : 0,
  };
}

void
ra12_draw_once (const Ra12Scales *scales, AssayStream *stream, gsize count, double *ret_noise)
{
  for (gsize j = 0; j < count; j++)
    ret_noise[j] = scales->once > 0 ? scales->once * assay_stream_normal (stream) : 0;
}

void
ra12_draw_step (const Ra12Scales *scales, AssayStream *stream, gsize count, double *ret_noise)
{
  assay_stream_fill_laplace (stream, count, ret_noise);
  for (gsize j = 0; j < count; j++)
    ret_noise[j] *= scales->step;
}
