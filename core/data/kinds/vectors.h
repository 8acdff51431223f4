/* Releases of kind vectors: a row of numbers in place of each secret. */
#pragma once

#include "core/data/exchange.h"

G_BEGIN_DECLS

typedef enum { ASSAY_NOISE_NONE, ASSAY_NOISE_LAPLACE, ASSAY_NOISE_GAUSSIAN } AssayNoise;

extern const char *const assay_noises[]; /* NULL ends */

typedef struct {
  guint noise;  /* AssayNoise: what was added to each number */
  double scale; /* of the noise: its standard deviation, of laplace b = deviation / sqrt 2 */
  double flip_probability; /* of each bit, in vectors of bits */
} AssayVectorsParameters;

G_END_DECLS
