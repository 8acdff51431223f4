/* Images out of the gradients that were shared in their place (Zhu, Liu and Han 2019, "Deep Leakage
 * from Gradients"; Huang, Song, Li and Arora 2020, "InstaHide", section 5.3 and algorithm 3).
 *
 * Release: gradients g_j of a network on batches of images. Knowledge: its weights (grant `model`),
 * as any participant of federated learning has them, and its form, which is public. Guess: the
 * images of each batch, one after the other, in an order that it cannot tell.
 *   method = matching  images and labels whose gradient is nearest to g (gradient-descent.h): of
 *                      starts from normal numbers the best. With `one_label` labels are read
 *                      off the gradient of the last biases, as where nothing was mixed they can be
 *   method = division  where the first layer is dense and has biases, row i of its gradient is
 *                      d_i x and the derivative by its bias d_i, in the mean over a batch: of one
 *                      image x is their quotient, exactly and without any search. Of several it is
 *                      a weighted mean, one for each gradient; the row with the largest d_i is
 *                      taken.
 * What it finds are the images that the network was given: where these are mixtures, those. */
#include <math.h>
#include <string.h>

#include "attacks/gradients/gradient-case.h"
#include "attacks/gradients/gradient-descent.h"
#include "core/base/error.h"
#include "core/base/free.h"
#include "core/base/parallel.h"
#include "core/base/progress/loop.h"
#include "core/base/vectors.h"
#include "core/data/photo.h"
#include "core/plugin/plugin.h"

enum { MATCHING, DIVISION };

static const char *const methods[] = { "matching", "division", NULL };

typedef struct {
  guint method;
  gint64 starts;
  gint64 iterations;
  double enough;
  double smooth;
  bool one_label;
} GradientMatching;

/* A gradient that is matched to a tenth of its length is taken for understood. */
#define MATCHED 0.01

/* ---- The network ---- */

typedef struct {
  const GradientMatching *settings;
  AssayStreamKey key;
  AssaySigmoidShape shape;
  AssayView gradients;
  const float *weights;
  gsize batch, cols, classes;
  AssaySigmoidPass **passes; /* one a thread */
  guint n_threads;
  AssayMatrix *estimates;
  GradientMatch *matches; /* of each gradient */
} Matching;

static void
free_passes (Matching *matching)
{
  for (guint t = 0; t < matching->n_threads && matching->passes != NULL; t++)
    assay_sigmoid_pass_free (matching->passes[t]);
  g_free (matching->passes);
}

ASSAY_LOCAL_CLEAR (Matching, matching_clear, free_passes (self), g_free (self->matches),
                   assay_drop (self->estimates, assay_matrix_free))

static gboolean
check_known (const AssayRelease *release, GError **error)
{
  static const char *const names[]
      = { "batch", "height", "width", "channels", "classes", "network", "units" };

  for (gsize i = 0; i < G_N_ELEMENTS (names); i++) {
    if (!assay_parameter_check (&release->parameters, names[i],
                                "grants without 'no-parameters'", error))
      return FALSE;
    if (assay_parameter_get (&release->parameters, names[i]) == NULL)
      return assay_fail (error, ASSAY_ERROR_MISMATCH,
                         "the release does not say '%s'; expected all that the form of the "
                         "network follows from",
                         names[i]);
  }
  if (assay_arrays_get (&release->arrays, "weights") != NULL)
    return TRUE;
  return assay_fail (error, ASSAY_ERROR_MISMATCH,
                     "the release does not hold the weights of the network; expected 'weights'");
}

static gboolean
open_network (const AssayRelease *release, Matching *matching, GError **error)
{
  const gint64 *units = ASSAY_PARAMETER (release, AssayGradientsParameters, units);
  const guint *form = ASSAY_PARAMETER (release, AssayGradientsParameters, network);
  AssayGeometry image = { 0 };

  if (!check_known (release, error))
    return FALSE;
  image.height = (gsize) *ASSAY_PARAMETER (release, AssayGradientsParameters, height);
  image.width = (gsize) *ASSAY_PARAMETER (release, AssayGradientsParameters, width);
  image.channels = (gsize) *ASSAY_PARAMETER (release, AssayGradientsParameters, channels);
  matching->batch = (gsize) *ASSAY_PARAMETER (release, AssayGradientsParameters, batch);
  matching->classes = (gsize) *ASSAY_PARAMETER (release, AssayGradientsParameters, classes);
  matching->cols = assay_release_cols (release);
  matching->gradients = assay_array_view (assay_arrays_get (&release->arrays, "gradients"));
  matching->weights = (const float *) assay_arrays_get (&release->arrays, "weights")->data;
  matching->shape = assay_sigmoid_shape ((AssaySigmoidForm) *form, &image, (gsize) *units,
                                         matching->classes);
  if (assay_sigmoid_weights (&matching->shape) != matching->gradients.cols)
    return assay_fail (error, ASSAY_ERROR_MISMATCH,
                       "gradients of %zu weights; expected %" G_GUINT64_FORMAT
                       ", which a %s network of %" G_GINT64_FORMAT " units has of images of %zu x "
                       "%zu pixels, %zu channel%s and %zu classes",
                       matching->gradients.cols, assay_sigmoid_weights (&matching->shape),
                       assay_sigmoid_forms[*form], *units, image.height, image.width,
                       image.channels, assay_channels_plural (image.channels), matching->classes);
  if (matching->settings->method == DIVISION && *form != ASSAY_SIGMOID_DENSE)
    return assay_fail (error, ASSAY_ERROR_MISMATCH,
                       "method = division: expected a network whose first layer is dense, found "
                       "a %s one",
                       assay_sigmoid_forms[*form]);
  return TRUE;
}

/* ---- Division ---- */

static void
divide (const Matching *matching, gsize index, float *ret_image)
{
  const gsize cols = matching->cols, units = matching->shape.layers[0].channels;
  const float *rows = assay_view_row (matching->gradients, index);
  const float *biases = rows + units * cols;
  gsize best = 0;

  for (gsize u = 1; u < units; u++)
    if (fabsf (biases[u]) > fabsf (biases[best]))
      best = u;
  for (gsize j = 0; j < cols && biases[best] != 0; j++) {
    const float quotient = rows[best * cols + j] / biases[best];

    ret_image[j] = isfinite (quotient) ? quotient : 0;
  }
}

static gboolean
divide_all (Matching *matching, GError **error)
{
  matching->estimates = assay_matrix_new (matching->gradients.rows, matching->cols, error);
  for (gsize i = 0; matching->estimates != NULL && i < matching->gradients.rows; i++)
    divide (matching, i, assay_matrix_row (matching->estimates, i));
  return matching->estimates != NULL;
}

/* ---- Matching ---- */

static gboolean
match_one (gsize index, guint worker, gpointer data, GError **error)
{
  Matching *matching = data;
  const GradientTarget target = { .gradient = assay_view_row (matching->gradients, index),
                                  .n_weights = matching->gradients.cols,
                                  .n_images = matching->batch * matching->cols,
                                  .n_labels = matching->batch * matching->classes,
                                  .classes = matching->classes,
                                  .height = matching->shape.height,
                                  .width = matching->shape.width,
                                  .channels = matching->shape.channels };
  const GradientSearch search = { .starts = (gsize) matching->settings->starts,
                                  .iterations = (gsize) matching->settings->iterations,
                                  .enough = matching->settings->enough,
                                  .smooth = matching->settings->smooth,
                                  .knows_labels = matching->settings->one_label };
  AssayStream stream = assay_stream (matching->key, index);
  g_auto (AssayLoop) loop = { "gradient", .turns = matching->gradients.rows };

  assay_loop_at (&loop, index);
  matching->matches[index].images = assay_matrix_row (matching->estimates, index * matching->batch);
  return gradient_descend (&target, &search, matching->passes[worker], &stream,
                           &matching->matches[index], error);
}

static gboolean
match_all (Matching *matching, GError **error)
{
  const gsize n = matching->gradients.rows;

  matching->estimates = assay_matrix_new (n * matching->batch, matching->cols, error);
  matching->matches = assay_alloc (n, sizeof (GradientMatch), "gradients", error);
  if (matching->estimates == NULL || matching->matches == NULL)
    return FALSE;
  matching->n_threads = assay_parallel_threads ();
  matching->passes = g_new0 (AssaySigmoidPass *, matching->n_threads);
  for (guint t = 0; t < matching->n_threads; t++) {
    matching->passes[t]
        = assay_sigmoid_pass_new (&matching->shape, matching->batch, matching->weights, error);
    if (matching->passes[t] == NULL)
      return FALSE;
  }
  return assay_parallel_try (n, match_one, matching, error);
}

static void
say (const Matching *matching, AssayGuess *guess)
{
  const gsize n = matching->gradients.rows;
  g_autofree double *misfits = g_new (double, n);
  gsize n_matched = 0, n_diverged = 0, n_lost = 0;

  for (gsize i = 0; i < n; i++) {
    misfits[i] = matching->matches[i].misfit;
    n_matched += matching->matches[i].misfit < MATCHED;
    n_lost += !isfinite (matching->matches[i].misfit);
    n_diverged += matching->matches[i].n_diverged;
  }
  qsort (misfits, n, sizeof *misfits, assay_compare_doubles);
  guess->confidence = (double) n_matched / (double) n;
  guess->says = g_strdup_printf (
      "%zu of %zu gradients are matched to a tenth of their length, one in two to %.2g; %zu starts "
      "diverged%s",
      n_matched, n, sqrt (misfits[n / 2]), n_diverged,
      n_lost > 0 ? ", and of some gradients all, for which it guesses grey images" : "");
}

static gboolean
attack (const AssayAttackContext *context, const AssayObservation *seen, AssayGuess *ret_guess,
        GError **error)
{
  g_auto (Matching) matching = { .settings = context->settings, .key = context->stream };

  if (!open_network (seen->release, &matching, error))
    return FALSE;
  if (matching.settings->method == DIVISION) {
    if (!divide_all (&matching, error))
      return FALSE;
  } else {
    if (!match_all (&matching, error))
      return FALSE;
    say (&matching, ret_guess);
  }
  ret_guess->is_unordered = matching.batch > 1;
  assay_arrays_take_matrix (&ret_guess->arrays, "estimates", &matching.estimates);
  return TRUE;
}

/* ---- The plugin ---- */

ASSAY_CONTROL (make_control, gradient_case_make, GradientCase, GradientMatching, .n = 6, .side = 10,
               .classes = 4,
               .form = settings->method == DIVISION ? ASSAY_SIGMOID_DENSE
                                                    : ASSAY_SIGMOID_CONVOLUTIONAL,
               .units = 8, .window = settings->smooth > 0 ? 5 : 0)

/* A pass for each thread, and what it descends with: the network is not known beforehand, but for
 * the length of its gradients. */
static guint64
memory (G_GNUC_UNUSED gconstpointer settings, const AssayShape *shape)
{
  const guint64 batch = shape->n_released > 0 && shape->n_secrets > shape->n_released
                            ? shape->n_secrets / shape->n_released
                            : 1;
  const guint64 labels = batch * MAX (shape->n_classes, 2);

  /* A kernel of 25 sees each pixel several times. */
  return assay_parallel_threads ()
         * (gradient_descent_bytes (shape->n_outputs, batch * shape->cols, labels)
            + (shape->n_outputs + 60 * batch * (guint64) shape->cols) * sizeof (double));
}

/* Where the search begins. */
static gboolean
draws (gconstpointer data)
{
  const GradientMatching *settings = data;

  return settings->method == MATCHING;
}

ASSAY_ATTACK (gradient_matching, "gradient-matching",
  .summary = "Find the images whose gradient was shared, by descent or by division",
  .reference = { "Zhu, Liu and Han 2019, Deep Leakage from Gradients; Huang, Song, Li and Arora "
                 "2020, InstaHide",
                 "section 3, algorithm 1; algorithm 3 and figure 5" },
  ASSAY_SETTINGS (GradientMatching,
    ASSAY_PARAM_CHOICE (GradientMatching, method, MATCHING, methods,
                        "Search for images with the same gradient, or divide the gradient of a "
                        "first dense layer by that of its biases"),
    ASSAY_PARAM_INT (GradientMatching, starts, 2, 1, 10000, "",
                     "How often the search is started at most; it ends where one start came near "
                     "enough"),
    ASSAY_PARAM_INT (GradientMatching, iterations, 2000, 1, 1000000, "",
                     "The most iterations of each descent"),
    ASSAY_PARAM_REAL (GradientMatching, enough, 1e-7, 0, 1, "",
                      "Squared distance of the gradients, as a share of the squared length, that "
                      "ends the search"),
    ASSAY_PARAM_REAL (GradientMatching, smooth, 0, 0, 1e6, "",
                      "Weight of the total variation of the images, which is added to that "
                      "distance: of natural images neighbouring pixels are alike. It is lowered to "
                      "a hundredth in three descents",
                      ASSAY_PARAM_EXTRA),
    ASSAY_PARAM_BOOL (GradientMatching, one_label, FALSE,
                      "Whether each image is of one class, which then follows from the gradient "
                      "of the last layer's biases and is not searched for",
                      ASSAY_PARAM_EXTRA)),
  .memory = memory,
  .reads = ASSAY_RELEASE_GRADIENTS,
  .needs = ASSAY_GRANT_MODEL,
  .reads_arrays = ASSAY_ARRAY_NAMES ("weights"),
  .game = ASSAY_GAME_RECONSTRUCT,
  .draws = draws,
  .attack = attack,
  .control = { .says = "an image that was not mixed is found from its gradient",
               .make = make_control,
               .at_least = 0.8,
               .within = 0.3 });
