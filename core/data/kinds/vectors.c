/* Releases of kind vectors: a row of numbers in place of each secret. */
#include "core/data/kinds/vectors.h"

static const AssayArraySpec arrays[] = {
  { "vectors", "nd", ASSAY_FLOAT32, FALSE, 0 },
  { .name = NULL },
};

const char *const assay_noises[] = { "none", "laplace", "gaussian", NULL };

static const AssayParam parameters[] = {
  ASSAY_PARAM_CHOICE (AssayVectorsParameters, noise, 0, assay_noises,
                      "What was added to each number"),
  ASSAY_PARAM_REAL (AssayVectorsParameters, scale, 0, 0, G_MAXDOUBLE, "",
                    "Of the noise: its standard deviation; of laplace b, which is the deviation "
                    "divided by the root of 2"),
  ASSAY_PARAM_REAL (AssayVectorsParameters, flip_probability, 0, 0, 1, "",
                    "With which each bit was flipped, in vectors of bits"),
  ASSAY_PARAM_END
};

static const float *
picture (const AssayRelease *release, G_GNUC_UNUSED const AssayTruth *truth, gsize secret)
{
  const AssayView view = assay_array_view (assay_arrays_get (&release->arrays, "vectors"));

  return secret < view.rows ? assay_view_row (view, secret) : NULL;
}

const AssayKind assay_kind_vectors = {
  .arrays = arrays,
  .parameters = parameters,
  .parameters_size = sizeof (AssayVectorsParameters),
  .items = ASSAY_ITEM_OF_EACH_SECRET,
  .has_rows = TRUE,
  .picture = picture,
};
