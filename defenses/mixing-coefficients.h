/* The coefficients with which images are mixed: k random shares of 1, drawn anew until they meet
 * what is asked of them. */
#pragma once

#include "core/plugin.h"

G_BEGIN_DECLS

#define MIXING_MAX_IMAGES 64

/* How the k numbers are drawn that are then divided by their sum. */
typedef enum {
  MIXING_UNIFORM,         /* uniform on [0, 1] */
  MIXING_ABSOLUTE_NORMAL, /* absolute values of standard normals */
  MIXING_DIRICHLET,       /* gamma with the shape `concentration`: a symmetric Dirichlet vector */
} MixingDistribution;

extern const char *const mixing_distributions[];

typedef struct {
  guint distribution; /* MixingDistribution */
  double concentration;
  gsize k;                /* at most MIXING_MAX_IMAGES */
  double max_coefficient; /* c1: none is larger */
  double private_share;   /* c2: the first two sum to this at least; 0: to whatever they do */
} MixingCoefficients;

/* ASSAY_ERROR_PARAMETER, naming the settings, for demands that no draw or hardly any can meet. */
gboolean mixing_coefficients_check (const MixingCoefficients *wanted, GError **error);

/* The share of draws that meet the demands: exact where it is 0 because nothing can, otherwise
 * estimated from a fixed stream, within a tenth or so of itself down to the floor of the check. */
double mixing_coefficients_acceptance (const MixingCoefficients *wanted);

/* Draws until the demands are met, which the check above has shown to come to an end. The k numbers
 * meet them as they are released, rounded to float32; they sum to 1 within k roundings. */
void mixing_coefficients_draw (const MixingCoefficients *wanted, AssayStream *stream,
                               float *ret_coefficients);

G_END_DECLS
