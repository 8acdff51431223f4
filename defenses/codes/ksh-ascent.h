/* The objective of one bit of ksh (ksh.c): v' R v of signs v, or smooth signs, of margins K a,
 * where R is what earlier bits left of the similarities; and its ascent by Nesterov's gradient. */
#pragma once

#include <glib.h>

typedef struct {
  gsize l, m, bits;
  gsize n_classes; /* or groups of rows with the same classes */
  const float *features; /* K, l x m */
  const gint64 *labels;  /* l */
  const double *share;   /* n_classes x n_classes: 1 for groups that share a class; NULL: the unit
                          * matrix */
  double *shared;        /* n_classes: the product of it with Z'v of the last v */
  gsize panels;          /* of ksh_panels (l) */
  gsize done;
  double *signs;    /* done x l: y, of room for bits x l */
  double *partial;  /* panels x the larger of m and n_classes + bits */
  double *products; /* n_classes + bits: Z'v and y_k'v of the last v that ksh_gain made */
} KshResidual;

gsize ksh_panels (gsize l);

/* K a, l numbers. */
void ksh_project (KshResidual *residual, const double *coefficients, double *ret_margins);

/* v (l) of the margins: their signs, or where @is_smooth 2 / (1 + exp (-margin)) - 1; is v' R v. */
double ksh_gain (KshResidual *residual, const double *margins, gboolean is_smooth,
                 double *ret_values);

/* K'v, m numbers. */
void ksh_sum_rows (const KshResidual *residual, const double *values, double *ret_sums);

/* From @inout_coefficients (m) to where the smooth objective is highest on the way.
 * ASSAY_ERROR_MEMORY. */
gboolean ksh_ascend (KshResidual *residual, double *inout_coefficients, GError **error);
