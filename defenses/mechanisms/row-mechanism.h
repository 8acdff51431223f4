/* What defenses that protect each secret for itself by a mechanism have in common. */
#pragma once

#include "core/plugin/plugin.h"

/* The `size` of one that puts out as many numbers as it takes. */
void row_mechanism_size (gconstpointer settings, gsize cols, gsize *ret_inputs,
                         gsize *ret_outputs);

/* The `budget` of one whose settings begin with the epsilon that it claims. */
AssayBudget row_mechanism_budget (gconstpointer settings, gsize cols);
/* ... or with epsilon and delta. */
AssayBudget row_mechanism_budget_with_delta (gconstpointer settings, gsize cols);

/* The `protect` of such a defense: one run of its mechanism on each row of @secrets, drawn from the
 * row's own stream, as a release of kind vectors (n x outputs). */
gboolean row_mechanism_protect (const AssayDefenseContext *context, AssayView secrets,
                                AssayRelease *ret_release, AssayTruth *ret_truth, GError **error);

/* ASSAY_ERROR_DATA unless every value of @secrets is a whole number from 0 to @values - 1, naming
 * the first one that is not. */
gboolean row_mechanism_check_whole (AssayView secrets, gsize values, GError **error);

/* Noise on each number by itself. */
typedef struct {
  void (*fill) (AssayStream *stream, gsize count, double *ret_values);
  double scale;
} RowNoise;

/* The `run` of a mechanism that adds @noise to @input, @count rows of @cols. */
void row_mechanism_add_noise (const RowNoise *noise, AssayStream *stream, const float *input,
                              gsize cols, gsize count, float *ret_outputs);

/* @count copies of a row of @cols, one after the other. What is then done to each number by itself
 * is one loop over all of them, however short a row is. */
void row_mechanism_repeat (const float *row, gsize cols, gsize count, float *ret_rows);
