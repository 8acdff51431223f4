/* What can be seen of a mechanism by running it, without knowing what it does: where its outputs
 * are, what it puts out on average, and which way its worst proposed pair of inputs points. Mutants
 * are made of it (core/games/mutants/mechanism-mutants.h). */
#pragma once

#include "core/plugin/mechanism.h"

typedef struct {
  const AssayMechanism *mechanism;
  gconstpointer settings;
  gsize cols;
  gsize n_inputs, n_outputs;
  float *first, *second; /* inputs of pair 0 */
  double low, high;      /* of all their numbers */
  double largest;        /* of all outputs on the first, without their signs */
  double *spread;        /* of each column: the mean distance from the median, > 0 */
  double *reach;         /* and the distance that one output in 200 exceeds */
  gsize discrete_column; /* the first one that has several values, but not many; n_outputs: none */
  double edge, beyond;   /* in it: its median, and the value next to it */
  gboolean is_double;    /* outputs are float64; else float32 */
  gboolean has_numbers;  /* hardly a value comes twice in the first column */
} AssayMechanismView;

/* Looks at one batch of runs on the first input of pair 0. NULL with the mechanism's error. */
AssayMechanismView *assay_mechanism_view_new (const AssayMechanism *mechanism,
                                              gconstpointer settings, gsize cols, GError **error);
ASSAY_DECLARE_FREE (AssayMechanismView, assay_mechanism_view_free)

/* @count runs on @input, as doubles also where the mechanism puts out float32. */
gboolean assay_mechanism_view_run (const AssayMechanismView *view, AssayStream *stream,
                                   const float *input, gsize count, double *ret_outputs,
                                   GError **error);

/* The median of each column of the outputs on @input: what is left without the noise. Of the same
 * input always the same. */
gboolean assay_mechanism_view_centre (const AssayMechanismView *view, const float *input,
                                      double *ret_centre, GError **error);

/* Whether @input is on the side of the second input of pair 0, seen from the middle of the two. */
gboolean assay_mechanism_view_is_second (const AssayMechanismView *view, const float *input);
