/* Releases of kind gradients: what somebody who trains a network of images sends in place of these.
 * Which weights the gradients were taken at, those know who train it too. */
#include "core/data/kinds/gradients.h"

#include "core/data/grant.h"

static const AssayArraySpec arrays[] = {
  { "gradients", "NP", ASSAY_FLOAT32, FALSE, 0 },
  { "weights", "P", ASSAY_FLOAT32, TRUE, ASSAY_GRANT_MODEL },
  { .name = NULL },
};

/* Beside what truths of mixtures have, of which there are batch in each gradient. */
static const AssayArraySpec truth[] = {
  { "mixtures", "Nd", ASSAY_FLOAT32, TRUE, 0 }, /* the images as the network was given them */
  { .name = NULL },
};

const char *const assay_sigmoid_forms[] = { "convolutional", "dense", NULL };

static const AssayParam parameters[] = {
  ASSAY_PARAM_INT (AssayGradientsParameters, batch, 1, 1, 1000000, "images",
                   "Of which a gradient is the mean"),
  ASSAY_PARAM_INT (AssayGradientsParameters, height, 1, 1, 100000, "pixels", "Of an image"),
  ASSAY_PARAM_INT (AssayGradientsParameters, width, 1, 1, 100000000, "pixels", "Of an image"),
  ASSAY_PARAM_INT (AssayGradientsParameters, channels, 1, 1, 1000, "", "Of an image"),
  ASSAY_PARAM_INT (AssayGradientsParameters, classes, 2, 2, 1000000, "",
                   "That the network tells apart"),
  ASSAY_PARAM_CHOICE (AssayGradientsParameters, network, 0, assay_sigmoid_forms,
                      "Three convolutions with sigmoids and a dense layer, or two dense layers"),
  ASSAY_PARAM_INT (AssayGradientsParameters, units, 12, 1, 1000000, "",
                   "Channels of its convolutions, or numbers that its first layer gives"),
  ASSAY_PARAM_END
};

static gsize
cols (const AssayRelease *release)
{
  const gint64 *height = ASSAY_PARAMETER (release, AssayGradientsParameters, height);
  const gint64 *width = ASSAY_PARAMETER (release, AssayGradientsParameters, width);
  const gint64 *channels = ASSAY_PARAMETER (release, AssayGradientsParameters, channels);

  return height != NULL && width != NULL && channels != NULL
             ? (gsize) *height * (gsize) *width * (gsize) *channels
             : 0;
}

const AssayKind assay_kind_gradients = {
  .arrays = arrays,
  .truth = truth,
  .parameters = parameters,
  .parameters_size = sizeof (AssayGradientsParameters),
  .items = ASSAY_ITEMS_OF_SEVERAL_SECRETS,
  .cols = cols,
};
