/* A classifier that is trained on labelled rows by DP-SGD (defenses/updates/private-training.h),
 * and made public: what InstaHide (Huang, Song, Li and Arora 2020, table 2) compares its accuracy
 * with.
 *
 * Softmax regression, p = softmax (W (x, 1)), W classes x (d + 1), from 0. The gradient of a row,
 * (p - y) (x, 1)', has the length |p - y| |(x, 1)|.
 *
 * Columns are taken as they are: means and deviations of rows are not released, and so the scaling
 * of the dataset has to be one that is known. The paper has convolutional networks, which
 * private-network trains. Rows may be features of images, made by fixed filters or by a network
 * that saw none of the images (Tramer and Boneh 2021): a row's are of one image, for which epsilon
 * holds. */
#include <math.h>

#include "core/base/free.h"
#include "core/base/vectors.h"
#include "core/data/kinds/updates.h"
#include "defenses/updates/private-training.h"

/* ---- Training ---- */

typedef struct {
  double clip;
  AssayView rows;
  const gint64 *labels;
  gsize classes, width; /* width = d + 1 */
  double *weights;      /* classes x width */
  double *shares;       /* classes */
} Training;

ASSAY_LOCAL_CLEAR (Training, training_clear, g_free (self->weights), g_free (self->shares))

/* p - y of a row; its square. */
static double
find_errors (const Training *training, const double *weights, gsize row, double *ret_errors)
{
  const float *x = assay_view_row (training->rows, row);
  const gsize width = training->width;
  double most = -G_MAXDOUBLE, sum = 0, square = 0;

  for (gsize c = 0; c < training->classes; c++) {
    const double *w = weights + c * width;

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
add_row (const Training *training, const double *weights, gsize row, double *inout_sum)
{
  const float *x = assay_view_row (training->rows, row);
  const gsize width = training->width;
  const double square = find_errors (training, weights, row, training->shares);
  const double length = sqrt (square * (1 + assay_dot (x, x, width - 1)));
  const double scale = length > training->clip ? training->clip / length : 1;

  for (gsize c = 0; c < training->classes; c++) {
    const double error = scale * training->shares[c];
    double *sum = inout_sum + c * width;

    for (gsize a = 0; a + 1 < width; a++)
      sum[a] += error * (double) x[a];
    sum[width - 1] += error;
  }
}

static gboolean
add_rows (gpointer data, const double *weights, const gsize *rows, gsize count, double *inout_sum,
          G_GNUC_UNUSED GError **error)
{
  for (gsize i = 0; i < count; i++)
    add_row (data, weights, rows[i], inout_sum);
  return TRUE;
}

/* ---- The release: a model of zeros, and what became of it ---- */

static gboolean
release_model (const Training *training, const PrivateTraining *settings, AssayRelease *release,
               GError **error)
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
  ASSAY_SET_PARAMETER (release, AssayUpdatesParameters, batch, settings->batch);
  ASSAY_SET_PARAMETER (release, AssayUpdatesParameters, local_steps, settings->rounds);
  ASSAY_SET_PARAMETER (release, AssayUpdatesParameters, rate, settings->learning_rate);
  ASSAY_SET_PARAMETER (release, AssayUpdatesParameters, bias, TRUE);
  return TRUE;
}

static gboolean
protect (const AssayDefenseContext *context, AssayView secrets, AssayRelease *ret_release,
         G_GNUC_UNUSED AssayTruth *ret_truth, GError **error)
{
  const PrivateTraining *settings = context->settings;
  g_auto (Training) training = { .clip = settings->clip,
                                 .rows = secrets,
                                 .labels = context->labels,
                                 .classes = context->n_classes,
                                 .width = secrets.cols + 1 };
  const PrivateModel model
      = { secrets.rows, training.classes * training.width, add_rows, &training };

  if (!private_training_check_labels (context, secrets.rows, error))
    return FALSE;
  training.weights = assay_alloc (model.n_weights, sizeof (double), "weights", error);
  training.shares = assay_alloc (training.classes, sizeof (double), "shares of classes", error);
  if (training.weights == NULL || training.shares == NULL)
    return FALSE;
  for (gsize k = 0; k < model.n_weights; k++)
    training.weights[k] = 0;
  return private_training_run (settings, &model, context->stream, training.weights, error)
         && release_model (&training, settings, ret_release, error);
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

/* ---- Descriptor ---- */

ASSAY_MEMORY (memory, PrivateTraining,
              4 * sizeof (double) * (shape->cols + 1) * (guint64) MAX (shape->n_classes, 2))

ASSAY_DEFENSE (private_classifier, "private-classifier",
  .summary = "Train a classifier by DP-SGD, and make it public in place of the rows",
  .reference = { "Abadi, Chu, Goodfellow, McMahan, Mironov, Talwar and Zhang 2016, Deep Learning "
                 "with Differential Privacy",
                 "algorithm 1" },
  ASSAY_SETTINGS (PrivateTraining, PRIVATE_TRAINING_PARAMETERS (PrivateTraining)),
  .memory = memory,
  .produces = ASSAY_RELEASE_UPDATES,
  .claim = PRIVATE_TRAINING_CLAIM,
  .lacks = lacks,
  .no_gradients = no_gradients,
  .mechanism = &private_training_mechanism,
  .protect = protect);
