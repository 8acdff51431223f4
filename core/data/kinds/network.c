/* Releases of kind network: one network of all secrets, which tells the class of an image. Whether
 * it has the weights that its parameters say is for who makes the network of it
 * (core/network/classifier/released-network.h). */
#include "core/data/kinds/network.h"

#include "core/base/error.h"

static const AssayArraySpec arrays[] = {
  { "weights", "nP", ASSAY_FLOAT32, FALSE, 0 },
  { .name = NULL },
};

static const AssayParam parameters[]
    = { ASSAY_PARAM_INT (AssayNetworkParameters, height, 1, 1, 100000, "pixels", "Of an image"),
        ASSAY_PARAM_INT (AssayNetworkParameters, width, 1, 1, 100000, "pixels", "Of an image"),
        ASSAY_PARAM_INT (AssayNetworkParameters, channels, 1, 1, 1000, "", "Of an image"),
        ASSAY_PARAM_INT (AssayNetworkParameters, classes, 2, 2, 1000000, "",
                         "That the network tells apart"),
        ASSAY_PARAM_INT (AssayNetworkParameters, filters, 16, 8, 4096, "",
                         "Channels of its first convolution, a multiple of 8"),
        ASSAY_PARAM_INT (AssayNetworkParameters, blocks, 1, 1, 5, "",
                         "Residual blocks in each of its three stages"),
        ASSAY_PARAM_INT (AssayNetworkParameters, stride, 1, 1, 2, "pixels",
                         "Of its first convolution"),
        ASSAY_PARAM_REAL (AssayNetworkParameters, black, 0, -1e6, 1e6, "",
                          "The number that shows black; the network takes it as -2"),
        ASSAY_PARAM_REAL (AssayNetworkParameters, white, 1, -1e6, 1e6, "",
                          "The number that shows white; the network takes it as 2"),
        ASSAY_PARAM_END };

static gsize
cols (const AssayRelease *release)
{
  const gint64 *height = ASSAY_PARAMETER (release, AssayNetworkParameters, height);
  const gint64 *width = ASSAY_PARAMETER (release, AssayNetworkParameters, width);
  const gint64 *channels = ASSAY_PARAMETER (release, AssayNetworkParameters, channels);

  return height != NULL && width != NULL && channels != NULL
             ? (gsize) *height * (gsize) *width * (gsize) *channels
             : 0;
}

static gboolean
check (const AssayRelease *release, GError **error)
{
  const gsize rows = assay_arrays_get (&release->arrays, "weights")->shape[0];

  return rows == 1
         || assay_fail (error, ASSAY_ERROR_MISMATCH,
                        "weights has %zu rows; expected 1, of the network that all secrets trained",
                        rows);
}

const AssayKind assay_kind_network = {
  .arrays = arrays,
  .parameters = parameters,
  .parameters_size = sizeof (AssayNetworkParameters),
  .items = ASSAY_ITEM_OF_ALL_SECRETS,
  .cols = cols,
  .check = check,
};
