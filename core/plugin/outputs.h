/* Outputs of a mechanism's runs, one a row, as an audit sees them.
 *
 * They are float32, or float64 of a mechanism that puts out doubles (AssayDoubles, AssayBatches).
 * Both stay what they are from the run to the test: rounding to float32 would hide what the lowest
 * bits of a double give away, and widening would make noise of float32 twice as slow to count. Code
 * that learns reads either through the view below. */
#pragma once

#include <glib.h>
#include <string.h>

G_BEGIN_DECLS

typedef struct {
  gconstpointer numbers; /* count x cols */
  gsize cols;
  gboolean is_double;
} AssayOutputs;

static inline double
assay_output_at (AssayOutputs outputs, gsize run, gsize column)
{
  const gsize i = run * outputs.cols + column;

  return outputs.is_double ? ((const double *) outputs.numbers)[i]
                           : (double) ((const float *) outputs.numbers)[i];
}

/* Bytes of one run. */
static inline gsize
assay_outputs_stride (AssayOutputs outputs)
{
  return outputs.cols * (outputs.is_double ? sizeof (double) : sizeof (float));
}

/* From run number @first on. */
static inline AssayOutputs
assay_outputs_from (AssayOutputs outputs, gsize first)
{
  outputs.numbers = (const char *) outputs.numbers + first * assay_outputs_stride (outputs);
  return outputs;
}

/* What a run is that failed: every number of it is one NaN that nothing else puts out. */
#define ASSAY_OUTPUT_FAILED_BITS 0x7FF8FA17ED000000ull

static inline double
assay_output_failed (void)
{
  const guint64 bits = ASSAY_OUTPUT_FAILED_BITS;
  double value;

  memcpy (&value, &bits, sizeof value);
  return value;
}

static inline gboolean
assay_output_is_failed (double value)
{
  guint64 bits;

  memcpy (&bits, &value, sizeof bits);
  return bits == ASSAY_OUTPUT_FAILED_BITS;
}

/* The order of all values as that of whole numbers. -0 stands directly below 0, as it is another
 * output; every NaN is one number above all others, and a run that failed the one above that. */
static inline guint64
assay_output_key (double value)
{
  guint64 bits;

  if (value != value)
    return G_MAXUINT64 - !assay_output_is_failed (value);
  memcpy (&bits, &value, sizeof bits);
  return bits & (1ull << 63) ? ~bits : bits | (1ull << 63);
}

/* The value of a key. */
static inline double
assay_output_value (guint64 key)
{
  const guint64 bits = key & (1ull << 63) ? key & ~(1ull << 63) : ~key;
  double value;

  if (key == G_MAXUINT64)
    return assay_output_failed ();
  memcpy (&value, &bits, sizeof value);
  return value;
}

G_END_DECLS
