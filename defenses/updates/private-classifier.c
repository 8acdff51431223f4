/* A classifier that is trained on labelled rows by DP-SGD, and made public (Abadi, Chu, Goodfellow,
 * McMahan, Mironov, Talwar and Zhang 2016, "Deep Learning with Differential Privacy", algorithm 1):
 * what InstaHide (Huang, Song, Li and Arora 2020, table 2) compares its accuracy with.
 *
 * Softmax regression, p = softmax (W (x, 1)), W classes x (d + 1), from 0. In each of T rounds
 * every row takes part with probability q; its gradient (p - y) (x, 1)' has the length |p - y| |(x,
 * 1)| and is scaled to one of at most C; the sum gets noise N (0, (z C)^2) on each weight, and is
 * divided by `batch`. Steps are those of descent with momentum. z is the least for which the Renyi
 * accountant has (epsilon, delta) (defenses/updates/sampled-sums.h). q and `batch` are settings and
 * not computed from the number of rows, which is private.
 *
 * Columns are taken as they are: means and deviations of rows are not released, and so the scaling
 * of the dataset has to be one that is known. The paper has convolutional networks. Their gradients
 * of single images could be had (a tape goes through four images at a time, so that each costs four
 * passes), but a release of kind updates holds the weights of softmax regression, and nobody could
 * use others. Rows may be features of images, made by fixed filters or by a network that saw none
 * of the images (Tramer and Boneh 2021): a row's are of one image, for which epsilon holds. */
#include <math.h>
#include <string.h>

#include "core/base/free.h"
#include "core/base/interrupt.h"
#include "core/base/progress/loop.h"
#include "core/base/vectors.h"
#include "core/data/kinds/updates.h"
#include "core/plugin/plugin.h"
#include "defenses/updates/sampled-sums.h"

typedef struct {
  double epsilon;
  double delta;
  double rate;
  gint64 batch;
  gint64 rounds;
  double clip;
  double learning_rate;
  double momentum;
  bool noise;
} PrivateClassifier;

enum { ITEM_ROWS, ITEM_NOISE };

static SampledSums
sums_of (const PrivateClassifier *settings)
{
  return (SampledSums){ settings->epsilon, settings->delta, settings->rate,
                        (gsize) settings->rounds };
}

/* ---- Training ---- */

typedef struct {
  const PrivateClassifier *settings;
  AssayView rows;
  const gint64 *labels;
  gsize classes, width; /* width = d + 1 */
  double *weights;      /* classes x width */
  double *sum;          /* of clipped gradients, and its noise */
  double *velocity;
  double *shares; /* classes */
} Training;

ASSAY_LOCAL_CLEAR (Training, training_clear, g_free (self->weights))

static gboolean
training_open (Training *training, GError **error)
{
  const gsize n = training->classes * training->width;

  training->weights = assay_alloc (3 * n + training->classes, sizeof (double), "weights", error);
  if (training->weights == NULL)
    return FALSE;
  training->sum = training->weights + n;
  training->velocity = training->sum + n;
  training->shares = training->velocity + n;
  memset (training->weights, 0, (3 * n + training->classes) * sizeof (double));
  return TRUE;
}

/* p - y of a row; its square. */
static double
find_errors (const Training *training, gsize row, double *ret_errors)
{
  const float *x = assay_view_row (training->rows, row);
  const gsize width = training->width;
  double most = -G_MAXDOUBLE, sum = 0, square = 0;

  for (gsize c = 0; c < training->classes; c++) {
    const double *w = training->weights + c * width;

    ret_errors[c] = w[width - 1];
    for (gsize a = 0; a + 1 < width; a++)
      ret_errors[c] += w[a] * (double) x[a];
    most = MAX (most, ret_errors[c]);
  }
  for (gsize c = 0; c < training->classes; c++)
    sum += ret_errors[c] = exp (ret_errors[c] - most);
  for (gsize c = 0; c < training->classes; c++) {
    ret_errors[c] = ret_errors[c] / sum - (training->labels[row] == (gint64) c);
    square += ret_errors[c] * ret_errors[c];
  }
  return square;
}

static void
add_row (Training *training, gsize row)
{
  const float *x = assay_view_row (training->rows, row);
  const gsize width = training->width;
  const double square = find_errors (training, row, training->shares);
  const double length = sqrt (square * (1 + assay_dot (x, x, width - 1)));
  const double clip = training->settings->clip, scale = length > clip ? clip / length : 1;

  for (gsize c = 0; c < training->classes; c++) {
    const double error = scale * training->shares[c];
    double *sum = training->sum + c * width;

    for (gsize a = 0; a + 1 < width; a++)
      sum[a] += error * (double) x[a];
    sum[width - 1] += error;
  }
}

static gboolean
train (Training *training, AssayStreamKey key, GError **error)
{
  const PrivateClassifier *settings = training->settings;
  const SampledSums sums = sums_of (settings);
  const double deviation = settings->noise ? sampled_sums_noise (&sums) * settings->clip : 0;
  const gsize n = training->classes * training->width;
  AssayStream rows = assay_stream (key, ITEM_ROWS), noise = assay_stream (key, ITEM_NOISE);
  g_auto (AssayLoop) loop = { "round", .turns = sums.rounds };

  for (gsize round = 0; round < sums.rounds; round++) {
    assay_loop_at (&loop, round);
    if (!assay_interrupt_goes_on (error))
      return FALSE;
    memset (training->sum, 0, n * sizeof (double));
    for (gsize i = 0; i < training->rows.rows; i++)
      if (assay_stream_uniform (&rows) < settings->rate)
        add_row (training, i);
    for (gsize k = 0; k < n; k++) {
      const double gradient = (training->sum[k] + deviation * assay_stream_normal (&noise))
                              / (double) settings->batch;

      training->velocity[k] = settings->momentum * training->velocity[k] + gradient;
      training->weights[k] -= settings->learning_rate * training->velocity[k];
    }
  }
  return TRUE;
}

/* ---- The release: a model of zeros, and what became of it ---- */

static gboolean
release_model (const Training *training, AssayRelease *release, GError **error)
{
  const gsize n = training->classes * training->width;
  g_autoptr (AssayMatrix) models = assay_matrix_new (2, n, error);

  if (models == NULL)
    return FALSE;
  for (gsize k = 0; k < n; k++) {
    models->data[k] = 0;
    models->data[n + k] = (float) training->weights[k];
  }
  assay_arrays_take_matrix (&release->arrays, "models", &models);
  ASSAY_SET_PARAMETER (release, AssayUpdatesParameters, users, 1);
  ASSAY_SET_PARAMETER (release, AssayUpdatesParameters, classes, (gint64) training->classes);
  ASSAY_SET_PARAMETER (release, AssayUpdatesParameters, batch, training->settings->batch);
  ASSAY_SET_PARAMETER (release, AssayUpdatesParameters, local_steps, training->settings->rounds);
  ASSAY_SET_PARAMETER (release, AssayUpdatesParameters, rate, training->settings->learning_rate);
  ASSAY_SET_PARAMETER (release, AssayUpdatesParameters, bias, TRUE);
  return TRUE;
}

static gboolean
check_labels (const AssayDefenseContext *context, gsize n, GError **error)
{
  if (context->labels == NULL || context->n_classes < 2)
    return assay_fail (error, ASSAY_ERROR_MISMATCH,
                       "expected a dataset with labels of two classes or more to train on");
  for (gsize i = 0; i < n; i++)
    if (context->labels[i] < 0 || (gsize) context->labels[i] >= context->n_classes)
      return assay_fail (error, ASSAY_ERROR_DATA,
                         "secret %zu has the label %" G_GINT64_FORMAT "; expected 0 to %zu", i,
                         context->labels[i], context->n_classes - 1);
  return TRUE;
}

static gboolean
protect (const AssayDefenseContext *context, AssayView secrets, AssayRelease *ret_release,
         G_GNUC_UNUSED AssayTruth *ret_truth, GError **error)
{
  g_auto (Training) training = { .settings = context->settings,
                                 .rows = secrets,
                                 .labels = context->labels,
                                 .classes = context->n_classes,
                                 .width = secrets.cols + 1 };

  if (!check_labels (context, secrets.rows, error) || !training_open (&training, error)
      || !train (&training, context->stream, error))
    return FALSE;
  for (gsize k = 0; k < training.classes * training.width; k++)
    if (!isfinite ((float) training.weights[k]))
      return assay_fail (error, ASSAY_ERROR_NUMERIC,
                         "training diverged (learning_rate = %g); expected finite weights",
                         training.settings->learning_rate);
  return release_model (&training, ret_release, error);
}

static const char *
no_gradients (G_GNUC_UNUSED gconstpointer settings)
{
  return "add noise to clipped sums in many rounds, of which the last model alone is public";
}

/* Nobody sends anything. */
static const char *const *
lacks (G_GNUC_UNUSED gconstpointer settings)
{
  static const char *const names[] = { "sums", "locals", "slots", "masked", "own", NULL };

  return names;
}

/* ---- The mechanism ---- */

static AssayBudget
budget (gconstpointer data, G_GNUC_UNUSED gsize cols)
{
  const PrivateClassifier *settings = data;

  return (AssayBudget){ settings->epsilon, settings->delta };
}

static gboolean
is_claimed (gconstpointer data)
{
  return ((const PrivateClassifier *) data)->noise;
}

SAMPLED_SUMS_RUNS (PrivateClassifier, sums_of)

/* ---- Descriptor ---- */

ASSAY_MEMORY (memory, PrivateClassifier,
              4 * sizeof (double) * (shape->cols + 1) * (guint64) MAX (shape->n_classes, 2))

ASSAY_DEFENSE (private_classifier, "private-classifier",
  .summary = "Train a classifier by DP-SGD, and make it public in place of the rows",
  .reference = { "Abadi, Chu, Goodfellow, McMahan, Mironov, Talwar and Zhang 2016, Deep Learning "
                 "with Differential Privacy",
                 "algorithm 1" },
  ASSAY_SETTINGS (PrivateClassifier,
    ASSAY_PARAM_REAL (PrivateClassifier, epsilon, 2, 1e-2, 60, "nats", "Privacy budget of one row"),
    ASSAY_PARAM_REAL (PrivateClassifier, delta, 1e-5, 1e-30, 0.999999, "",
                      "Probability mass for which epsilon need not hold"),
    ASSAY_PARAM_REAL (PrivateClassifier, rate, 0.0256, 1e-6, 1, "",
                      "Probability q that a row takes part in a round"),
    ASSAY_PARAM_INT (PrivateClassifier, batch, 256, 1, 100000000, "rows",
                     "What a sum is divided by: the rows that are expected in a round"),
    ASSAY_PARAM_INT (PrivateClassifier, rounds, 400, 1, 1000000, "", "Training rounds (T)"),
    ASSAY_PARAM_REAL (PrivateClassifier, clip, 1, 1e-6, 1e6, "",
                      "Norm to which gradients are clipped (C)"),
    ASSAY_PARAM_REAL (PrivateClassifier, learning_rate, 0.1, 1e-9, 1e6, "",
                      "Learning rate of each step"),
    ASSAY_PARAM_REAL (PrivateClassifier, momentum, 0.9, 0, 0.999999, "",
                      "Share of a step that the next one goes on with"),
    ASSAY_PARAM_BOOL (PrivateClassifier, noise, TRUE,
                      "Whether there is noise; without it nothing is claimed")),
  .memory = memory,
  .produces = ASSAY_RELEASE_UPDATES,
  .claim = "(epsilon, delta)-differential privacy of the rows, between sets of rows that differ in "
           "one row with its label",
  .lacks = lacks,
  .no_gradients = no_gradients,
  ASSAY_MECHANISM (
    .neighbours = "one labelled row more or less",
    .is_claimed = is_claimed,
    .budget = budget,
    .has_own_inputs = TRUE,
    .size = size,
    .n_proposed = 1,
    .pair = sampled_sums_pair,
    .run = run,
    .log_ratio = log_ratio),
  .protect = protect);
