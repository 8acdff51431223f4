/* What a user of federated learning sends in place of images: gradients of a network that all know.
 * From secrets x_1 .. x_n (1 x d) with labels y, mixed or not (defenses/mixtures/mixing.h):
 *   g_j = 1/b sum_i d/dW L (f (x~_i; W), y~_i),   i = b j .. b j + b - 1,   L = -sum_c y~_c ln p_c
 * with f a network of sigmoids (core/network/sigmoid-network.h) whose weights W are drawn once for
 * all secrets of a release, from its key.
 *
 * No protection of its own: what gradients tell of images is the question that Zhu, Liu and Han
 * 2019, "Deep Leakage from Gradients", asked, and Huang, Song, Li and Arora 2020 of mixtures
 * (algorithm 3). They train with labels that are mixed as the images are. */
#include "core/base/free.h"
#include "core/base/parallel.h"
#include "core/network/sigmoid-network.h"
#include "defenses/mixtures/mixing.h"

enum { NOTHING, MIXUP, INSTAHIDE };

static const char *const mixings[] = { "none", "mixup", "instahide", NULL };

typedef struct {
  guint mixing;
  gint64 k;
  double max_coefficient;
  guint coefficients;
  double concentration;
  double alpha;
  gint64 batch;
  guint network;
  gint64 units;
} SharedGradient;

static MixingScheme
scheme_of (const SharedGradient *settings)
{
  const gboolean is_mixed = settings->mixing != NOTHING;
  const gsize k = is_mixed ? (gsize) settings->k : 1;

  return (MixingScheme){
    .coefficients = { .distribution = is_mixed ? settings->coefficients : ASSAY_MIXTURE_UNIFORM,
                      .concentration = settings->concentration,
                      .alpha = settings->alpha,
                      .k = k,
                      .max_coefficient = is_mixed ? settings->max_coefficient : 1 },
    .n_sources = k,
    .n_epochs = 1,
    .has_mask = settings->mixing == INSTAHIDE
  };
}

/* To a network without convolutions rows of numbers are as good as images. */
static AssayGeometry
image_of (const AssayGeometry *geometry, gsize cols)
{
  return geometry->height > 0 ? *geometry
                              : (AssayGeometry){ .height = 1, .width = cols, .channels = 1 };
}

static AssaySigmoidShape
shape_of (const SharedGradient *settings, const AssayGeometry *geometry, gsize cols,
          gsize n_classes)
{
  const AssayGeometry image = image_of (geometry, cols);

  return assay_sigmoid_shape ((AssaySigmoidForm) settings->network, &image,
                              (gsize) settings->units, n_classes);
}

/* ---- Gradients ---- */

typedef struct {
  AssaySigmoidShape shape;
  gsize batch, n_weights, cols, n_classes;
  const float *images, *labels;
  float *weights;
  float *gradients;
  AssaySigmoidPass **passes; /* one a thread */
  double *given;             /* images, labels and a gradient in double, for each thread */
  guint n_threads;
} Sharing;

static void
free_passes (Sharing *sharing)
{
  for (guint t = 0; t < sharing->n_threads && sharing->passes != NULL; t++)
    assay_sigmoid_pass_free (sharing->passes[t]);
  g_free (sharing->passes);
}

ASSAY_LOCAL_CLEAR (Sharing, sharing_clear, free_passes (self), g_free (self->weights),
                   g_free (self->gradients), g_free (self->given))

static gsize
count_given (const Sharing *sharing)
{
  return sharing->batch * (sharing->cols + sharing->n_classes) + sharing->n_weights;
}

static void
differentiate (gsize index, guint worker, gpointer data)
{
  const Sharing *sharing = data;
  const gsize n_images = sharing->batch * sharing->cols;
  const gsize n_labels = sharing->batch * sharing->n_classes;
  double *images = sharing->given + worker * count_given (sharing);
  double *labels = images + n_images, *gradient = labels + n_labels;

  for (gsize i = 0; i < n_images; i++)
    images[i] = (double) sharing->images[index * n_images + i];
  for (gsize i = 0; i < n_labels; i++)
    labels[i] = (double) sharing->labels[index * n_labels + i];
  assay_sigmoid_differentiate (sharing->passes[worker], images, labels, gradient);
  for (gsize i = 0; i < sharing->n_weights; i++)
    sharing->gradients[index * sharing->n_weights + i] = (float) gradient[i];
}

static gboolean
make_room (Sharing *sharing, gsize n, GError **error)
{
  gsize given;

  sharing->n_threads = assay_parallel_threads ();
  sharing->n_weights = assay_sigmoid_weights (&sharing->shape);
  if (!g_size_checked_mul (&given, count_given (sharing), sizeof (double)))
    return assay_fail (error, ASSAY_ERROR_MEMORY, "a network of %zu weights", sharing->n_weights);
  return (sharing->weights
          = assay_alloc (sharing->n_weights, sizeof (float), "weights of a network", error))
         && (sharing->gradients
             = assay_alloc (n, sharing->n_weights * sizeof (float), "gradients", error))
         && (sharing->given = assay_alloc (sharing->n_threads, given, "gradients", error));
}

static gboolean
make_network (Sharing *sharing, const SharedGradient *settings, AssayStreamKey key,
              GError **error)
{
  AssayStream stream = assay_stream (key, G_MAXUINT64);

  assay_sigmoid_draw (&sharing->shape, (AssaySigmoidForm) settings->network, &stream,
                      sharing->weights);
  sharing->passes = g_new0 (AssaySigmoidPass *, sharing->n_threads);
  for (guint t = 0; t < sharing->n_threads; t++) {
    sharing->passes[t]
        = assay_sigmoid_pass_new (&sharing->shape, sharing->batch, sharing->weights, error);
    if (sharing->passes[t] == NULL)
      return FALSE;
  }
  return TRUE;
}

static void
publish (const SharedGradient *settings, const AssaySigmoidShape *shape, gsize n_classes,
         AssayRelease *release)
{
  ASSAY_SET_PARAMETER (release, AssayGradientsParameters, batch, settings->batch);
  ASSAY_SET_PARAMETER (release, AssayGradientsParameters, height, (gint64) shape->height);
  ASSAY_SET_PARAMETER (release, AssayGradientsParameters, width, (gint64) shape->width);
  ASSAY_SET_PARAMETER (release, AssayGradientsParameters, channels, (gint64) shape->channels);
  ASSAY_SET_PARAMETER (release, AssayGradientsParameters, classes, (gint64) n_classes);
  ASSAY_SET_PARAMETER (release, AssayGradientsParameters, network, settings->network);
  ASSAY_SET_PARAMETER (release, AssayGradientsParameters, units, settings->units);
}

static gboolean
protect (const AssayDefenseContext *context, AssayView secrets, AssayRelease *ret_release,
         AssayTruth *ret_truth, GError **error)
{
  const SharedGradient *settings = context->settings;
  const MixingScheme scheme = scheme_of (settings);
  const gsize n = secrets.rows / (gsize) settings->batch;
  g_autoptr (AssayRelease) mixed = assay_release_new (ASSAY_RELEASE_MIXTURES, "shared-gradient");
  g_auto (Sharing) sharing = { .batch = (gsize) settings->batch,
                               .cols = secrets.cols,
                               .n_classes = MAX (context->n_classes, 2) };
  const AssayArray *images, *labels;
  AssayMatrix *mixtures;

  if (context->labels == NULL)
    return assay_fail (error, ASSAY_ERROR_MISMATCH,
                       "the secrets have no labels; expected those that a network is trained on");
  if (!mixing_protect (&scheme, context, secrets, mixed, ret_truth, error))
    return FALSE;
  images = assay_arrays_get (&mixed->arrays, "images");
  labels = assay_arrays_get (&mixed->arrays, "labels");
  sharing.images = (const float *) images->data;
  sharing.labels = (const float *) labels->data;
  sharing.shape = shape_of (settings, &context->geometry, secrets.cols, sharing.n_classes);
  if (!make_room (&sharing, n, error)
      || !make_network (&sharing, settings, context->common_stream, error))
    return FALSE;
  assay_parallel_for (n, differentiate, &sharing);
  mixtures = assay_matrix_copy (assay_array_view (images), error);
  if (mixtures == NULL)
    return FALSE;
  publish (settings, &sharing.shape, sharing.n_classes, ret_release);
  assay_arrays_take_matrix (&ret_truth->arrays, "mixtures", &mixtures);
  assay_arrays_take_rows (&ret_release->arrays, "gradients", ASSAY_FLOAT32, n, sharing.n_weights,
                          g_steal_pointer (&sharing.gradients));
  assay_arrays_take (&ret_release->arrays, "weights",
                     assay_array_take (ASSAY_FLOAT32, 1, &sharing.n_weights,
                                       g_steal_pointer (&sharing.weights)));
  return TRUE;
}

/* ---- What is known beforehand ---- */

static gboolean
check (gconstpointer data, const AssayShape *shape, GError **error)
{
  const SharedGradient *settings = data;
  const MixingScheme scheme = scheme_of (settings);

  if (shape->cols > 0 && shape->geometry.height == 0
      && settings->network == ASSAY_SIGMOID_CONVOLUTIONAL)
    return assay_fail (error, ASSAY_ERROR_PARAMETER,
                       "network = convolutional: expected a dataset of images, whose height and "
                       "width are known, or network = dense");
  if (shape->n_secrets % (gsize) settings->batch != 0)
    return assay_fail (error, ASSAY_ERROR_PARAMETER,
                       "batch = %" G_GINT64_FORMAT ": expected a divisor of the %zu secrets of a "
                       "cell",
                       settings->batch, shape->n_secrets);
  return mixing_check (&scheme, shape, error);
}

static guint64
weights_of (const SharedGradient *settings, const AssayShape *shape)
{
  const AssaySigmoidShape network
      = shape_of (settings, &shape->geometry, MAX (shape->cols, 1), MAX (shape->n_classes, 2));

  return assay_sigmoid_weights (&network);
}

static void
release_shape (gconstpointer data, AssayShape *inout_shape)
{
  const SharedGradient *settings = data;

  inout_shape->n_outputs = weights_of (settings, inout_shape);
  inout_shape->n_members = scheme_of (settings).n_sources;
}

static guint64
memory (gconstpointer data, const AssayShape *shape)
{
  const SharedGradient *settings = data;
  const AssaySigmoidShape network
      = shape_of (settings, &shape->geometry, MAX (shape->cols, 1), MAX (shape->n_classes, 2));

  return assay_parallel_threads ()
         * (assay_sigmoid_pass_bytes (&network, (gsize) settings->batch)
            + weights_of (settings, shape) * sizeof (double));
}

ASSAY_DEFENSE (shared_gradient, "shared-gradient",
  .summary = "Send the gradient of a known network in place of images, mixed or not",
  .reference = { "Zhu, Liu and Han 2019, Deep Leakage from Gradients; Huang, Song, Li and Arora "
                 "2020, InstaHide",
                 "section 3; section 5.3 and algorithm 3" },
  ASSAY_SETTINGS (SharedGradient,
    ASSAY_PARAM_CHOICE (SharedGradient, mixing, NOTHING, mixings,
                        "What is done to images and labels before: nothing, a weighted sum of k, "
                        "or that with a random sign for each pixel"),
    ASSAY_PARAM_INT (SharedGradient, k, 4, 2, ASSAY_MIXTURE_MAX_IMAGES, "images",
                     "Images in each mixture"),
    ASSAY_PARAM_REAL (SharedGradient, max_coefficient, 0.65, 0, 1, "",
                      "Coefficients are redrawn until the largest is at most this (c1)"),
    MIXING_PARAMETERS_COEFFICIENTS (SharedGradient),
    ASSAY_PARAM_INT (SharedGradient, batch, 1, 1, 1000000, "images",
                     "Images of which a gradient is the mean; the number of secrets must be a "
                     "multiple of it"),
    ASSAY_PARAM_CHOICE (SharedGradient, network, ASSAY_SIGMOID_CONVOLUTIONAL, assay_sigmoid_forms,
                        "Three convolutions with sigmoids and a dense layer, or two dense layers"),
    ASSAY_PARAM_INT (SharedGradient, units, 12, 1, 1000000, "",
                     "Channels of its convolutions, or numbers that its first dense layer gives")),
  .check = check,
  .holds = { .items = 3 },
  .memory = memory,
  .produces = ASSAY_RELEASE_GRADIENTS,
  .release_shape = release_shape,
  .protect = protect);
