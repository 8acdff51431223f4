/* Mechanisms whose epsilon is known by construction, for tests of what audits them. */
#pragma once

#include "core/plugin/mechanism.h"

G_BEGIN_DECLS

/* The settings of all of them. */
typedef struct {
  double epsilon, delta;
  gsize outputs;    /* columns */
  guint leaky_pair; /* the only one whose inputs differ; G_MAXUINT: all do */
} Known;

/* Inputs are 1 and 0 where they differ, which is where epsilon is reached. Without a word on it
 * there is one proposed pair; _unknown hides the density.
 * bit: the input in the last column, flipped with probability 1 / (1 + exp (epsilon)), after
 * columns of noise with 4 values.
 * laplace: input + Laplace noise of scale 1 / epsilon, one column.
 * subset: @outputs of 200 numbers, in random order, the input among them more often than another.
 * slip: with probability delta the input + 2, otherwise as bit; (epsilon, delta) is exact.
 * nan: normal noise, and NaN where the flipped input is 1.
 * xor: a fair coin, and that coin or its opposite as the flipped input is 0 or 1; two columns.
 * middle: uniform over [0, 1), but within its middle half the second or the third quarter as the
 * flipped input is 0 or 1: no tail tells more than a part of it.
 * rare: as bit, but in 15 of 1000 runs normal noise. */
extern const AssayMechanism known_bit, known_bit_unknown, known_laplace, known_laplace_unknown,
    known_subset, known_slip, known_nan, known_xor, known_middle, known_rare;
/* As bit: its last log ratio is NaN; six proposed pairs; one that does not leak, and random ones
 * of which one in eight does. */
extern const AssayMechanism known_broken_ratio, known_six_pairs, known_hidden_pair;

/* As bit, for mechanisms of the test's own. */
AssayBudget known_budget (gconstpointer settings, gsize cols);
void known_size (gconstpointer settings, gsize cols, gsize *ret_inputs, gsize *ret_outputs);
void known_pair (gconstpointer settings, gsize cols, guint index, AssayStream *stream,
                 float *ret_first, float *ret_second);
void known_run_bit (gconstpointer settings, gsize cols, AssayStream *stream, const float *input,
                    gsize count, float *ret_outputs);

G_END_DECLS
