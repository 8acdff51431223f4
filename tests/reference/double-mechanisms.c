/* What the bits of doubles give away. */
#include "tests/reference/double-mechanisms.h"

#include <math.h>

static AssayBudget
claim_one (G_GNUC_UNUSED gconstpointer settings, G_GNUC_UNUSED gsize cols)
{
  return (AssayBudget){ .epsilon = 1 };
}

static void
far_pair (G_GNUC_UNUSED gconstpointer settings, G_GNUC_UNUSED gsize cols, G_GNUC_UNUSED guint index,
          G_GNUC_UNUSED AssayStream *stream, float *ret_first, float *ret_second)
{
  *ret_first = 11;
  *ret_second = 10;
}

static void
wide_pair (G_GNUC_UNUSED gconstpointer settings, G_GNUC_UNUSED gsize cols,
           G_GNUC_UNUSED guint index, G_GNUC_UNUSED AssayStream *stream, float *ret_first,
           float *ret_second)
{
  for (gsize j = 0; j < 3; j++)
    ret_first[j] = ret_second[j] = 0;
  ret_first[2] = 1;
}

#define DOUBLES(name, columns, its_pair)                                                           \
  static void name##_size (G_GNUC_UNUSED gconstpointer settings, G_GNUC_UNUSED gsize cols,         \
                           gsize *ret_inputs, gsize *ret_outputs)                                  \
  {                                                                                                \
    *ret_inputs = *ret_outputs = (columns);                                                        \
  }                                                                                                \
  static void name##_run (G_GNUC_UNUSED gconstpointer settings, G_GNUC_UNUSED gsize cols,          \
                          AssayStream *stream, const float *input, gsize count,                    \
                          double *ret_outputs)                                                     \
  {                                                                                                \
    for (gsize i = 0; i < count; i++)                                                              \
      name##_once (stream, input, ret_outputs + i * (columns));                                    \
  }                                                                                                \
  static const AssayDoubles name##_doubles = { .run = name##_run };                                \
  const AssayMechanism name = { .neighbours = "the two inputs",                                    \
                                .budget = claim_one,                                               \
                                .size = name##_size,                                               \
                                .n_proposed = 1,                                                   \
                                .pair = (its_pair),                                                \
                                .doubles = &name##_doubles }

static double
textbook (AssayStream *stream)
{
  double u;

  do
    u = assay_stream_uniform (stream) - 0.5;
  while (u == -0.5);
  return u < 0 ? log (1 - 2 * fabs (u)) : -log (1 - 2 * fabs (u));
}

static double
snapped (AssayStream *stream, double value)
{
  return rint ((value + textbook (stream)) * 0x1p20) * 0x1p-20;
}

static void
double_inversion_once (AssayStream *stream, const float *input, double *ret_output)
{
  *ret_output = (double) *input + textbook (stream);
}
DOUBLES (double_inversion, 1, known_pair);

static void
double_far_once (AssayStream *stream, const float *input, double *ret_output)
{
  double_inversion_once (stream, input, ret_output);
}
DOUBLES (double_far, 1, far_pair);

static void
double_expovariate_once (AssayStream *stream, const float *input, double *ret_output)
{
  const double noise = -log (1 - assay_stream_uniform (stream));

  *ret_output = (double) *input + (assay_stream_u32 (stream) & 1 ? noise : -noise);
}
DOUBLES (double_expovariate, 1, known_pair);

static void
double_snapped_once (AssayStream *stream, const float *input, double *ret_output)
{
  *ret_output = snapped (stream, (double) *input);
}
DOUBLES (double_snapped, 1, known_pair);

static void
double_offset_once (AssayStream *stream, const float *input, double *ret_output)
{
  *ret_output = 1e9 + (double) *input + snapped (stream, 0) / 3;
}
DOUBLES (double_offset, 1, known_pair);

/* One of two values in 5 of 100 runs. */
static void
put_mark (AssayStream *stream, const float *input, double first, double second, double *ret_output)
{
  *ret_output = snapped (stream, (double) *input);
  if (assay_stream_below_u32 (stream, 20) == 0)
    *ret_output = *input > 0.5f ? first : second;
}

static void
double_negative_zero_once (AssayStream *stream, const float *input, double *ret_output)
{
  put_mark (stream, input, -0.0, 0, ret_output);
}
DOUBLES (double_negative_zero, 1, known_pair);

static void
double_subnormal_once (AssayStream *stream, const float *input, double *ret_output)
{
  put_mark (stream, input, 0x1p-1074, 0, ret_output);
}
DOUBLES (double_subnormal, 1, known_pair);

static void
double_wide_once (AssayStream *stream, const float *input, double *ret_output)
{
  ret_output[0] = assay_stream_uniform (stream);
  ret_output[1] = assay_stream_uniform (stream);
  ret_output[2] = (double) input[2] + textbook (stream);
}
DOUBLES (double_wide, 3, wide_pair);
