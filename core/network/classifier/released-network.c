/* The network of a release. */
#include "core/network/classifier/released-network.h"

#include "core/base/error.h"
#include "core/data/kinds/network.h"
#include "core/network/tape-weights.h"
#include "core/network/train.h"

ASSAY_CLEAR_FUNC (AssayReleasedNetwork, assay_released_network_clear,
                  assay_drop (self->tape, assay_tape_free))

/* What the parameters of a release say; all of them have to. */
typedef struct {
  AssayImageClassifier classifier;
  AssayTapeShape image;
  gsize n_classes;
  double black, white;
} Said;

static gboolean
read_parameters (const AssayRelease *release, Said *ret_said, GError **error)
{
  static const char *const names[] = { "height", "width",  "channels", "classes", "filters",
                                       "blocks", "stride", "black",    "white" };
  const AssayNetworkParameters *all = NULL;

  for (guint i = 0; i < G_N_ELEMENTS (names); i++)
    if (assay_parameter_get (&release->parameters, names[i]) == NULL)
      return assay_fail (error, ASSAY_ERROR_MISMATCH,
                         "the release does not say what its network is; expected the parameter "
                         "'%s'",
                         names[i]);
  all = release->parameters.values->values;
  *ret_said = (Said){
    .classifier = { (gsize) all->filters, (gsize) all->blocks, (gsize) all->stride },
    .image = { (gsize) all->channels, (gsize) all->height, (gsize) all->width },
    .n_classes = (gsize) all->classes,
    .black = all->black,
    .white = all->white,
  };
  if (ret_said->black == ret_said->white)
    return assay_fail (error, ASSAY_ERROR_MISMATCH,
                       "black and white are both %g; expected the numbers of an image that show "
                       "so",
                       ret_said->black);
  return TRUE;
}

static AssayTape *
add_layers (const AssayImageClassifier *classifier, AssayTapeShape image, gsize n_classes,
            guint *ret_last)
{
  AssayTape *tape = assay_tape_new (image);

  *ret_last = assay_image_classifier_add (tape, classifier, n_classes);
  return tape;
}

gsize
assay_released_network_count (const AssayImageClassifier *classifier, AssayTapeShape image,
                              gsize n_classes)
{
  guint last;
  g_autoptr (AssayTape) tape = add_layers (classifier, image, n_classes, &last);

  return assay_tape_count_weights (tape);
}

gboolean
assay_released_network_open (const AssayRelease *release, AssayReleasedNetwork *ret_network,
                             GError **error)
{
  const AssayArray *weights = assay_arrays_get (&release->arrays, "weights");
  g_autoptr (AssayTape) tape = NULL;
  Said said;
  guint last;
  gsize n;

  if (!read_parameters (release, &said, error)
      || !assay_tape_check_width ((gint64) said.classifier.width, error))
    return FALSE;
  tape = add_layers (&said.classifier, said.image, said.n_classes, &last);
  n = assay_tape_count_weights (tape);
  if (weights->shape[1] != n)
    return assay_fail (error, ASSAY_ERROR_MISMATCH,
                       "weights has %zu numbers; expected the %zu of a network of %zu filters and "
                       "%zu blocks a stage for %zu classes of images of %zu x %zu pixels and %zu "
                       "channel%s",
                       weights->shape[1], n, said.classifier.width, said.classifier.blocks,
                       said.n_classes, said.image.height, said.image.width, said.image.channels,
                       assay_channels_plural (said.image.channels));
  if (!assay_tape_finish (tape, last, ASSAY_TAPE_LOSS_SHARES, (AssayStreamKey){ { 0 } }, error))
    return FALSE;
  assay_tape_set_weights (tape, (const float *) weights->data);
  *ret_network = (AssayReleasedNetwork){
    .tape = g_steal_pointer (&tape),
    .images = { said.image, said.black, said.white, { 0 }, NULL, said.n_classes },
  };
  return TRUE;
}

gboolean
assay_released_network_predict (AssayReleasedNetwork *network, AssayView rows, float *ret_shares,
                                GError **error)
{
  const gsize expected = assay_tape_numbers (network->images.shape);
  const AssayTapeExamples examples = { rows.rows, assay_classifier_images_draw, &network->images };

  if (rows.cols != expected)
    return assay_fail (error, ASSAY_ERROR_MISMATCH,
                       "rows have %zu columns; expected the %zu numbers of an image that the "
                       "network takes",
                       rows.cols, expected);
  if (!assay_view_check_finite (rows, "rows", error))
    return FALSE;
  network->images.rows = rows;
  return assay_tape_predict (network->tape, &examples, ret_shares, error);
}
