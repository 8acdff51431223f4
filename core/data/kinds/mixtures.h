/* Releases of kind mixtures: images that several secrets, and public images, were mixed into. */
#pragma once

#include "core/data/exchange.h"

G_BEGIN_DECLS

/* How the k coefficients of a mixture are drawn: numbers that are then divided by their sum. */
typedef enum {
  ASSAY_MIXTURE_UNIFORM,         /* uniform on [0, 1] */
  ASSAY_MIXTURE_ABSOLUTE_NORMAL, /* absolute values of standard normals */
  ASSAY_MIXTURE_DIRICHLET, /* gamma with the shape `concentration`: a symmetric Dirichlet vector */
  ASSAY_MIXTURE_FIXED,     /* 1 - alpha, and alpha / (k - 1) for each other */
} AssayMixtureDistribution;

extern const char *const assay_mixture_distributions[];

typedef struct {
  gint64 k;               /* images in each mixture */
  gint64 partners;        /* of them, public ones */
  gint64 epochs;          /* mixtures that were made for each secret */
  double max_coefficient; /* none is larger */
  double private_share;   /* the coefficients of the secrets sum to this at least */
  double owner_share;     /* the mean coefficient of the secret that a mixture was made for */
  bool mask;              /* every number has a random sign */
  guint coefficients;     /* AssayMixtureDistribution: how they are drawn ... */
  double concentration;   /* ... and its parameters (core/math/mixture.h) */
  double alpha;
} AssayMixturesParameters;

G_END_DECLS
