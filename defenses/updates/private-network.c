/* A convolutional network that is trained on labelled images by DP-SGD from end to end
 * (defenses/updates/private-training.h), and made public: the baseline of InstaHide (Huang, Song,
 * Li and Arora 2020, table 2; 72.0 % on CIFAR-10, after Papernot et al. 2020, at a budget that is
 * not named).
 *
 * The network is that of `classification` with model = residual
 * (core/network/classifier/image-classifier.h), so that its accuracy can be held against that of
 * the same network on mixed images. Normalisation is in groups of channels of one image, so that
 * the gradient of an image depends on no other. Weights to begin with are drawn, and are no
 * secret; the last layer begins with zeros. An image goes through the network by itself
 * (core/network/clipped-sum.h).
 *
 * Images are taken by the dataset's black and white, and not by means of their own, which would
 * tell of them. A dataset that scales by means of its rows (scale = dataset) has told those
 * already. */
#include <math.h>

#include "core/base/free.h"
#include "core/data/kinds/network.h"
#include "core/network/clipped-sum.h"
#include "core/network/classifier/released-network.h"
#include "core/network/tape-weights.h"
#include "defenses/updates/private-training.h"

typedef struct {
  union {
    PrivateTraining training;
    struct {
      PRIVATE_TRAINING_SETTINGS;
    };
  };
  gint64 width;
  gint64 blocks;
  gint64 stride;
} PrivateNetwork;

static AssayImageClassifier
classifier_of (const PrivateNetwork *settings)
{
  return (AssayImageClassifier){ (gsize) settings->width, (gsize) settings->blocks,
                                 (gsize) settings->stride };
}

static AssayTapeShape
image_of (const AssayGeometry *geometry)
{
  return (AssayTapeShape){ geometry->channels, geometry->height, geometry->width };
}

/* ---- Training ---- */

typedef struct {
  double clip;
  AssayTape *tape;
  AssayClippedSum *sums;
  AssayClassifierImages images;
  gsize n_weights;
  float *given;  /* weights, and then a sum, in the order of releases */
  float *summed; /* in that of the tape */
  double *weights;
} Training;

ASSAY_LOCAL_CLEAR (Training, training_clear, assay_clipped_sum_free (self->sums),
                   assay_tape_free (self->tape), g_free (self->given), g_free (self->summed),
                   g_free (self->weights))

static gboolean
add_rows (gpointer data, const double *weights, const gsize *rows, gsize count, double *inout_sum,
          GError **error)
{
  Training *training = data;
  const AssayTapeExamples examples
      = { training->images.rows.rows, assay_classifier_images_draw, &training->images };

  for (gsize k = 0; k < training->n_weights; k++)
    training->given[k] = (float) weights[k];
  assay_tape_set_weights (training->tape, training->given);
  if (!assay_clipped_sum_add (training->sums, &examples, rows, count, training->clip, error))
    return FALSE;
  assay_clipped_sum_take (training->sums, training->summed);
  assay_tape_get_weights (training->tape, training->summed, training->given);
  for (gsize k = 0; k < training->n_weights; k++)
    inout_sum[k] += (double) training->given[k];
  return TRUE;
}

static AssayTape *
add_layers (const PrivateNetwork *settings, AssayTapeShape image, gsize n_classes, guint *ret_last)
{
  const AssayImageClassifier classifier = classifier_of (settings);
  AssayTape *tape = assay_tape_new (image);

  tape->images = 1;
  *ret_last = assay_image_classifier_add (tape, &classifier, n_classes);
  return tape;
}

/* What weights are drawn from: all layers have items of their own. */
static AssayStreamKey
key_of_weights (const AssayDefenseContext *context)
{
  AssayStream stream = assay_stream (context->common_stream, G_MAXUINT64);
  AssayStreamKey key;

  assay_stream_fill_u32 (&stream, G_N_ELEMENTS (key.word), key.word);
  return key;
}

/* The network before it has seen anything. */
static gboolean
training_open (Training *training, const PrivateNetwork *settings, AssayStreamKey key,
               GError **error)
{
  const gsize n_classes = training->images.n_classes;
  guint last;

  training->tape = add_layers (settings, training->images.shape, n_classes, &last);
  if (!assay_tape_finish (training->tape, last, ASSAY_TAPE_LOSS_SHARES, key, error))
    return FALSE;
  assay_image_classifier_begin (training->tape, last);
  training->sums = assay_clipped_sum_new (training->tape, error);
  training->n_weights = assay_tape_count_weights (training->tape);
  training->given = assay_alloc (training->n_weights, sizeof (float), "weights", error);
  training->weights = assay_alloc (training->n_weights, sizeof (double), "weights", error);
  training->summed
      = assay_alloc (training->tape->n_parameters, sizeof (float), "a sum of gradients", error);
  if (training->sums == NULL || training->given == NULL || training->weights == NULL
      || training->summed == NULL)
    return FALSE;
  assay_tape_get_weights (training->tape, training->tape->parameters, training->given);
  for (gsize k = 0; k < training->n_weights; k++)
    training->weights[k] = (double) training->given[k];
  return TRUE;
}

/* ---- The release ---- */

static void
publish (const PrivateNetwork *settings, const AssayClassifierImages *images, AssayRelease *release)
{
  ASSAY_SET_PARAMETER (release, AssayNetworkParameters, height, (gint64) images->shape.height);
  ASSAY_SET_PARAMETER (release, AssayNetworkParameters, width, (gint64) images->shape.width);
  ASSAY_SET_PARAMETER (release, AssayNetworkParameters, channels, (gint64) images->shape.channels);
  ASSAY_SET_PARAMETER (release, AssayNetworkParameters, classes, (gint64) images->n_classes);
  ASSAY_SET_PARAMETER (release, AssayNetworkParameters, filters, settings->width);
  ASSAY_SET_PARAMETER (release, AssayNetworkParameters, blocks, settings->blocks);
  ASSAY_SET_PARAMETER (release, AssayNetworkParameters, stride, settings->stride);
  ASSAY_SET_PARAMETER (release, AssayNetworkParameters, black, images->black);
  ASSAY_SET_PARAMETER (release, AssayNetworkParameters, white, images->white);
}

static gboolean
check_levels (const AssayGeometry *geometry, GError **error)
{
  return geometry->black < geometry->white || geometry->black > geometry->white
         || assay_fail (error, ASSAY_ERROR_MISMATCH,
                        "which numbers show black and white is not known; expected images scaled "
                        "alike (scale = unit or dataset), since levels that are measured on an "
                        "image would have to be told");
}

static gboolean
protect (const AssayDefenseContext *context, AssayView secrets, AssayRelease *ret_release,
         G_GNUC_UNUSED AssayTruth *ret_truth, GError **error)
{
  const PrivateNetwork *settings = context->settings;
  g_auto (Training) training
      = { .clip = settings->clip,
          .images = { image_of (&context->geometry), context->geometry.black,
                      context->geometry.white, secrets, context->labels, context->n_classes } };
  PrivateModel model = { secrets.rows, 0, add_rows, &training };

  if (!private_training_check_labels (context, secrets.rows, error)
      || !check_levels (&context->geometry, error)
      || !training_open (&training, settings, key_of_weights (context), error))
    return FALSE;
  model.n_weights = training.n_weights;
  if (!private_training_run (&settings->training, &model, context->stream, training.weights, error))
    return FALSE;
  for (gsize k = 0; k < training.n_weights; k++)
    training.given[k] = (float) training.weights[k];
  publish (settings, &training.images, ret_release);
  assay_arrays_take_rows (&ret_release->arrays, "weights", ASSAY_FLOAT32, 1, training.n_weights,
                          g_steal_pointer (&training.given));
  return TRUE;
}

/* ---- What is known beforehand ---- */

static gsize
classes_of (const AssayShape *shape)
{
  return MAX (shape->n_classes, 2);
}

/* What training takes, of images that are known: beside sums the weights in both orders, those that
 * are trained, their velocity and their sum. */
static AssayTapeSize
size_of (const PrivateNetwork *settings, const AssayShape *shape)
{
  guint last;
  g_autoptr (AssayTape) tape
      = add_layers (settings, image_of (&shape->geometry), classes_of (shape), &last);
  AssayTapeSize size = assay_tape_planned_size (tape, last, 1);

  size.weights = assay_clipped_sum_bytes (&size) - size.layers
                 + (guint64) size.parameters * (4 * sizeof (float) + 3 * sizeof (double));
  return size;
}

static gboolean
check (gconstpointer data, const AssayShape *shape, GError **error)
{
  const PrivateNetwork *settings = data;
  AssayTapeSize size;

  if (shape->cols > 0 && shape->geometry.height == 0)
    return assay_fail (error, ASSAY_ERROR_MISMATCH,
                       "a convolutional network looks at images; expected a dataset of images, "
                       "such as cifar, or the defense private-classifier");
  if (!assay_tape_check_width (settings->width, error))
    return FALSE;
  if (shape->geometry.height == 0)
    return TRUE;
  size = size_of (settings, shape);
  return assay_tape_check_size (&size, error);
}

static void
release_shape (gconstpointer data, AssayShape *inout_shape)
{
  const AssayImageClassifier classifier = classifier_of (data);

  if (inout_shape->geometry.height > 0 && classifier.width % ASSAY_CHANNEL_BLOCK == 0)
    inout_shape->n_outputs = assay_released_network_count (
        &classifier, image_of (&inout_shape->geometry), classes_of (inout_shape));
}

static guint64
memory (gconstpointer data, const AssayShape *shape)
{
  const PrivateNetwork *settings = data;
  AssayTapeSize size;

  if (shape->geometry.height == 0 || settings->width % ASSAY_CHANNEL_BLOCK != 0)
    return 0;
  size = size_of (settings, shape);
  return assay_tape_size_bytes (&size) + shape->n_secrets * sizeof (gsize);
}

ASSAY_DEFENSE (private_network, "private-network",
  .summary = "Train a convolutional network by DP-SGD, and make it public in place of the images",
  .reference = { "Abadi, Chu, Goodfellow, McMahan, Mironov, Talwar and Zhang 2016, Deep Learning "
                 "with Differential Privacy",
                 "algorithm 1" },
  ASSAY_SETTINGS (PrivateNetwork,
    PRIVATE_TRAINING_PARAMETERS (PrivateNetwork),
    ASSAY_PARAM_INT (PrivateNetwork, width, 16, 8, 1024, "channels",
                     "Channels of the first convolution, a multiple of 8; the last stage has four "
                     "times as many"),
    ASSAY_PARAM_INT (PrivateNetwork, blocks, 1, 1, 5, "",
                     "Residual blocks in each of the three stages"),
    ASSAY_PARAM_INT (PrivateNetwork, stride, 1, 1, 2, "pixels",
                     "Of the first convolution: 2 halves images at once")),
  .check = check,
  .memory = memory,
  .produces = ASSAY_RELEASE_NETWORK,
  .release_shape = release_shape,
  .claim = PRIVATE_TRAINING_CLAIM,
  .mechanism = &private_training_mechanism,
  .protect = protect);
