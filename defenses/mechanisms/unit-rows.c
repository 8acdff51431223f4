/* Neighbouring datasets whose rows are at most 1 long. */
#include "defenses/mechanisms/unit-rows.h"

#include <math.h>
#include <string.h>

double
unit_rows_factor (const float *row, gsize cols)
{
  double square = 0;

  for (gsize j = 0; j < cols; j++)
    square += (double) row[j] * (double) row[j];
  return square > 1 ? 1 / sqrt (square) : 1;
}

void
unit_rows_opposite (UnitRows size, const UnitRowsPair *pair, float *ret_first, float *ret_second)
{
  const gsize cols = size.cols, even = cols - (cols > 1 ? cols % 2 : 0);
  const double unit = (1 - 1e-6) / sqrt ((double) even); /* float32 must not be longer than 1 */

  memset (ret_first, 0, size.rows * cols * sizeof *ret_first);
  memset (ret_second, 0, size.rows * cols * sizeof *ret_second);
  for (gsize j = 0; j < even; j++) {
    const double sign = cols > 1 && j % 2 == 1 ? -1 : 1;
    const double along = cols > 1 ? pair->along * sign * unit : 0;

    ret_first[j] = (float) (along + pair->across * unit);
    ret_second[j] = (float) (along - pair->across * unit);
    for (gsize i = 1; i < size.rows; i++)
      ret_first[i * cols + j] = ret_second[i * cols + j] = (float) (pair->others * sign * unit);
  }
}

static void
draw_row (AssayStream *stream, gsize cols, float *ret_row)
{
  double factor;

  for (gsize j = 0; j < cols; j++)
    ret_row[j] = (float) assay_stream_normal (stream);
  factor = unit_rows_factor (ret_row, cols);
  for (gsize j = 0; j < cols; j++)
    ret_row[j] = (float) (factor * (double) ret_row[j]);
}

void
unit_rows_random (UnitRows size, AssayStream *stream, float *ret_first, float *ret_second)
{
  for (gsize i = 0; i < size.rows; i++)
    draw_row (stream, size.cols, ret_first + i * size.cols);
  memcpy (ret_second, ret_first, size.rows * size.cols * sizeof *ret_second);
  draw_row (stream, size.cols, ret_second);
}
