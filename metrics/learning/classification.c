/* What an honest receiver learns from a release: a classifier, trained on the released rows with
 * their labels and tested on rows of the dataset that were never protected.
 *
 * Softmax regression, layers of ReLUs (core/math/network.h), or of images a residual network
 * (metrics/learning/image-network.h). Mixtures come with shares y~ of
 * classes: the loss is -sum_c y~_c ln p_c, so that a mixture with unlabelled images counts by the
 * share that is labelled. Released vectors have the labels of their secrets.
 *
 * With encryptions = 0 the test rows are classified as they are. Otherwise (Huang et al. 2020,
 * "InstaHide", section 3.3) each of them is encrypted that many times as its owner would, and the
 * shares that the network gives are averaged (metrics/learning/encryption.h), or read by the owner,
 * who knows more of an encryption than the network does (metrics/learning/owner-reading.h).
 *
 * What the network reads, x or |x|, decides a lot under random signs: |x| is what they leave of x,
 * and dense layers do not learn to take it. Of 20,000 images of Fashion-MNIST under InstaHide
 * (k = 4), five epochs gave an accuracy of 0.13 with x, 0.42 with both and 0.59 with |x| (one
 * seed, clean test rows). Without random signs x says more. So input = auto looks whether there are
 * any. The paper's convolutional networks were given x~ itself.
 *
 * One test row is one unit: the interval says how the one network that was trained does on other
 * rows, not how networks from other releases would do; for those there are trials. A row that is
 * tested in several trials stays one unit. */
#include "core/base/free.h"
#include "core/plugin/plugin.h"
#include "metrics/learning/network-test.h"
#include "metrics/learning/training-note.h"

#define READS (ASSAY_RELEASE_MIXTURES | ASSAY_RELEASE_VECTORS)
#define FIRST_ENCRYPTION (1ull << 56) /* item of the stream; training draws from those below */
#define MAX_LAYERS (ASSAY_NETWORK_MAX_LAYERS - 1)

enum { RIGHT, LOSS, N_SERIES };
enum { SOFTMAX, NETWORK, RESIDUAL };
enum { COMBINE_MEAN, COMBINE_OWNER };

static const char *const models[] = { "softmax", "network", "residual", NULL };
static const char *const descents[]
    = { [ASSAY_DESCENT_ADAM] = "adam", [ASSAY_DESCENT_SGD] = "sgd", NULL };
static const char *const combinations[] = { "mean", "owner", NULL };

typedef struct {
  guint model;
  gint64 layers;
  gint64 hidden;
  gint64 width;
  gint64 blocks;
  gint64 stride;
  gint64 shift;
  bool mirror;
  guint input;
  gint64 epochs;
  gint64 batch;
  guint descent;
  double learning_rate;
  double momentum;
  double weight_decay;
  gint64 encryptions;
  guint combine;
  guint partners;
  gint64 k;
  double max_coefficient;
  guint coefficients;
  double concentration;
  double alpha;
  bool mask;
} Classification;

static AssayNetworkShape
network_shape (const Classification *settings, NetworkInputForm form, gsize row_cols,
               gsize n_classes)
{
  const gsize n_hidden = settings->model == SOFTMAX ? 0 : (gsize) settings->layers;
  AssayNetworkShape shape = { .n_layers = n_hidden + 1 };

  shape.widths[0] = network_input_cols (form, row_cols);
  for (gsize l = 1; l <= n_hidden; l++)
    shape.widths[l] = (gsize) settings->hidden;
  shape.widths[n_hidden + 1] = n_classes;
  return shape;
}

static ImageNetwork
image_network (const Classification *settings)
{
  return (ImageNetwork){ .width = (gsize) settings->width,
                         .blocks = (gsize) settings->blocks,
                         .stride = (gsize) settings->stride,
                         .shift = (gsize) settings->shift,
                         .is_mirrored = settings->mirror,
                         .training = { .descent = settings->descent,
                                       .epochs = (gsize) settings->epochs,
                                       .batch = (gsize) settings->batch,
                                       .rate = settings->learning_rate,
                                       .momentum = settings->momentum,
                                       .decay = settings->weight_decay } };
}

static AssayMixtureCoefficients
test_coefficients (const Classification *settings)
{
  return (AssayMixtureCoefficients){ .distribution = settings->coefficients,
                                     .concentration = settings->concentration,
                                     .alpha = settings->alpha,
                                     .k = (gsize) settings->k,
                                     .max_coefficient = settings->max_coefficient };
}

/* ---- Labels ---- */

/* Shares of 1 for the labels of the secrets. */
static AssayMatrix *
shares_of_vectors (const AssayReceived *received, gsize n_classes, GError **error)
{
  const AssayArray *labels = assay_arrays_get (&received->truth->arrays, "labels");
  const gsize n = assay_release_count (received->release);
  g_autoptr (AssayMatrix) shares = NULL;

  if (labels == NULL || assay_array_count (labels) != n) {
    assay_fail (error, ASSAY_ERROR_MISMATCH,
                "expected a label for each of the %zu secrets, found %s", n,
                labels == NULL ? "no labels" : "another number of labels");
    return NULL;
  }
  if (!network_test_check_labels (assay_array_int64 (labels), n, n_classes, "secret", error))
    return NULL;
  shares = assay_matrix_new (n, n_classes, error);
  for (gsize i = 0; shares != NULL && i < n; i++)
    assay_matrix_row (shares, i)[assay_array_int64 (labels)[i]] = 1;
  return g_steal_pointer (&shares);
}

static AssayMatrix *
shares_of_mixtures (const AssayReceived *received, gsize n_classes, GError **error)
{
  const AssayArray *labels = assay_arrays_get (&received->release->arrays, "labels");

  if (labels == NULL) {
    assay_fail (error, ASSAY_ERROR_MISMATCH,
                "the mixtures were released without labels; expected shares of %zu classes to "
                "train on",
                n_classes);
    return NULL;
  }
  if (labels->shape[1] != n_classes) {
    assay_fail (error, ASSAY_ERROR_MISMATCH,
                "the mixtures have shares of %zu classes; expected %zu, as the dataset has",
                labels->shape[1], n_classes);
    return NULL;
  }
  return assay_matrix_copy (assay_array_view (labels), error);
}

/* ---- Training and testing ---- */

static gboolean
check_material (const AssayUtilityContext *context, const AssayRelease *release, GError **error)
{
  const AssayDataset *dataset = context->dataset;

  if ((release->kind & READS) == 0)
    return assay_fail (error, ASSAY_ERROR_MISMATCH,
                       "no classifier is trained on a release of %s; expected mixtures or vectors",
                       assay_release_kind_name (release->kind));
  if (dataset->test == NULL || dataset->test_data.labels == NULL || dataset->n_classes == 0)
    return assay_fail (error, ASSAY_ERROR_MISMATCH,
                       "expected a dataset with rows to test with, and their labels");
  if (assay_rows_cols (dataset->test) != assay_release_cols (release))
    return assay_fail (error, ASSAY_ERROR_MISMATCH,
                       "test rows have %zu columns; expected %zu, as the release has",
                       assay_rows_cols (dataset->test), assay_release_cols (release));
  return TRUE;
}

/* Stages halve images twice. */
static gboolean
check_images (const Classification *settings, const AssayGeometry *geometry, GError **error)
{
  if (settings->model != RESIDUAL || geometry->height > 0)
    return TRUE;
  return assay_fail (error, ASSAY_ERROR_PARAMETER,
                     "model = residual looks at images; expected a dataset of images, such as "
                     "cifar, or another model");
}

/* Vectors have no random signs; those of centred classes may look like it. */
static NetworkInputForm
input_form (const Classification *settings, gboolean is_mixed, AssayView rows)
{
  if (settings->input != NETWORK_INPUT_AUTO)
    return settings->input;
  return is_mixed ? network_input_choose (rows) : NETWORK_INPUT_PLAIN;
}

/* One of both, and what has to be known of how it came to be. */
typedef struct {
  AssayNetwork *network;
  AssayTape *tape;
  char *note;
} Trained;

ASSAY_LOCAL_CLEAR (Trained, trained_clear, assay_network_free (self->network),
                   assay_tape_free (self->tape), g_free (self->note))

typedef struct {
  const Trained *trained;
  const ImageNetworkRows *rows;
} Lesson;

static gboolean
repeat_lesson (gconstpointer data, float *ret_shares, GError **error)
{
  const Lesson *lesson = data;
  const Trained *trained = lesson->trained;

  return trained->tape != NULL
             ? image_network_predict (trained->tape, lesson->rows, ret_shares, error)
             : assay_network_predict (trained->network, lesson->rows->inputs, ret_shares, error);
}

static gboolean
train_on (const AssayUtilityContext *context, NetworkInputForm form, const ImageNetworkRows *rows,
          Trained *ret_trained, GError **error)
{
  const Classification *settings = context->settings;
  AssayNetworkReport report = { 0 };
  const ImageNetwork network = image_network (settings);
  const AssayNetworkShape shape
      = network_shape (settings, form, rows->inputs.cols / rows->planes, rows->shares.cols);
  const AssayNetworkTraining training = { .epochs = (gsize) settings->epochs,
                                          .batch = (gsize) settings->batch,
                                          .learning_rate = settings->learning_rate,
                                          .momentum = settings->momentum,
                                          .weight_decay = settings->weight_decay,
                                          .report = &report };

  TrainingEnd end = { .planned = training.epochs, .rate = settings->learning_rate };
  AssayTapeReport of_tape = { 0 };

  if (settings->model == RESIDUAL) {
    ret_trained->tape = image_network_train (&network, rows, context->stream, &of_tape, error);
    report = (AssayNetworkReport){ of_tape.epochs, of_tape.loss, of_tape.has_diverged };
  } else {
    ret_trained->network = assay_network_new (&shape, context->stream, error);
  }
  if (ret_trained->tape == NULL
      && (ret_trained->network == NULL
          || !assay_network_train (ret_trained->network, &training, rows->inputs, rows->shares,
                                   context->stream, error)))
    return FALSE;
  end.epochs = report.epochs;
  end.has_diverged = report.has_diverged;
  end.loss = report.loss;
  return training_note (&end, rows->shares, repeat_lesson, &(Lesson){ ret_trained, rows },
                        &ret_trained->note, error);
}

static gboolean
train (const AssayUtilityContext *context, const AssayReceived *received, NetworkInput *ret_input,
       Trained *ret_trained, GError **error)
{
  const AssayRelease *release = received->release;
  const gboolean is_mixed = release->kind == ASSAY_RELEASE_MIXTURES;
  const AssayView rows
      = assay_array_view (assay_arrays_get (&release->arrays, is_mixed ? "images" : "vectors"));
  const NetworkInputForm form = input_form (context->settings, is_mixed, rows);
  const gsize n_classes = context->dataset->n_classes;
  g_autoptr (AssayMatrix) shares = is_mixed ? shares_of_mixtures (received, n_classes, error)
                                            : shares_of_vectors (received, n_classes, error);
  g_autoptr (AssayMatrix) inputs = NULL;

  if (shares == NULL || !assay_view_check_finite (rows, "released rows", error))
    return FALSE;
  inputs = network_input_learn (form, rows, ret_input, error);
  return inputs != NULL
         && train_on (context, form,
                      &(ImageNetworkRows){ &context->dataset->geometry,
                                           form == NETWORK_INPUT_BOTH ? 2 : 1,
                                           assay_matrix_view (inputs), assay_matrix_view (shares) },
                      ret_trained, error);
}

/* With partners = release, test rows are treated as those that were released: mixed or not. */
static gboolean
is_encrypted (const Classification *settings, const AssayRelease *release)
{
  return settings->encryptions > 0
         && (settings->partners != ENCRYPTION_RELEASE || release->kind == ASSAY_RELEASE_MIXTURES);
}

/* Of the secrets that test rows are mixed with. */
static gboolean
find_owner_labels (const AssayReceived *received, gsize n_classes, NetworkTest *test,
                   GError **error)
{
  const AssayArray *labels = assay_arrays_get (&received->truth->arrays, "labels");
  const gsize n = test->encryption->secrets.rows;

  if (labels == NULL || n == 0 || assay_array_count (labels) != n)
    return assay_fail (error, ASSAY_ERROR_MISMATCH,
                       "combine = owner reads predictions with the labels of the secrets; expected "
                       "secrets with a label each, found %zu and %zu labels",
                       n, labels == NULL ? 0 : assay_array_count (labels));
  test->owner_labels = assay_array_int64 (labels);
  return network_test_check_labels (test->owner_labels, n, n_classes, "secret", error);
}

static gboolean
assess (const AssayUtilityContext *context, const AssayReceived *received,
        AssayOutcomes *ret_outcomes, GError **error)
{
  const Classification *settings = context->settings;
  const AssayDataset *dataset = context->dataset;
  const AssayArray *secrets = assay_arrays_get (&received->truth->arrays, "secrets");
  const AssayScale scale = assay_release_scale (received->release);
  const gsize k = (gsize) settings->k;
  Encryption encryption
      = { .coefficients = test_coefficients (settings),
          .n_public = encryption_count_public (settings->partners, k),
          .has_mask = settings->mask,
          .secrets = secrets != NULL ? assay_array_view (secrets) : (AssayView){ 0 },
          .public_rows = dataset->public_rows,
          .scale = scale,
          .key = context->stream,
          .item = FIRST_ENCRYPTION,
          .encryptions = (gsize) settings->encryptions };
  g_auto (NetworkInput) input = { 0 };
  g_auto (Trained) trained = { 0 };
  NetworkTest test
      = { .input = &input,
          .geometry = &dataset->geometry,
          .scale = scale,
          .encryption = is_encrypted (settings, received->release) ? &encryption : NULL };

  if (!check_material (context, received->release, error)
      || !check_images (settings, &dataset->geometry, error)
      || (test.encryption != NULL && settings->partners == ENCRYPTION_RELEASE
          && !encryption_take_release (&encryption, received->release, error))
      || (test.encryption != NULL
          && !encryption_check_material (&encryption, assay_rows_cols (dataset->test), error)))
    return FALSE;
  if (!train (context, received, &input, &trained, error))
    return FALSE;
  if (test.encryption != NULL && settings->combine == COMBINE_OWNER
      && !find_owner_labels (received, dataset->n_classes, &test, error))
    return FALSE;
  test.network = trained.network;
  test.tape = trained.tape;
  if (!assay_outcomes_alloc (ret_outcomes, N_SERIES, assay_rows_count (dataset->test), error))
    return FALSE;
  ret_outcomes->says = g_steal_pointer (&trained.note);
  return network_test_run (&test, dataset, ret_outcomes->series[RIGHT], ret_outcomes->series[LOSS],
                           error);
}

/* ---- What is known beforehand ---- */

/* 0 parameters: no residual network is trained. */
static AssayTapeSize
residual_size (const Classification *settings, const AssayShape *shape)
{
  const ImageNetwork network = image_network (settings);

  if (settings->model != RESIDUAL || shape->geometry.height == 0)
    return (AssayTapeSize){ .parameters = 0 };
  return image_network_size (&network, &shape->geometry,
                             settings->input == NETWORK_INPUT_BOTH ? 2 : 1, shape->n_classes);
}

static gboolean
check (gconstpointer data, const AssayShape *shape, GError **error)
{
  const Classification *settings = data;
  const AssayMixtureCoefficients coefficients = test_coefficients (settings);
  AssayTapeSize residual;

  if (!assay_tape_check_width (settings->width, error))
    return FALSE;
  if (shape->cols > 0 && !check_images (settings, &shape->geometry, error))
    return FALSE;
  residual = residual_size (settings, shape);
  if (!assay_tape_check_size (&residual, error))
    return FALSE;
  if (settings->combine == COMBINE_OWNER && settings->encryptions == 0)
    return assay_fail (error, ASSAY_ERROR_PARAMETER,
                       "combine = owner puts together the predictions for encryptions of a test "
                       "row; expected encryptions = 1 or more, found 0");
  return settings->encryptions == 0
         || encryption_check (&coefficients, settings->partners, shape->n_secrets, shape->n_public,
                              error);
}

static gsize
count_released (const AssayShape *shape)
{
  return shape->n_released > 0 ? shape->n_released : shape->n_secrets;
}

static guint64
memory (gconstpointer data, const AssayShape *shape)
{
  const Classification *settings = data;
  const AssayNetworkShape network
      = network_shape (settings, settings->input, shape->cols, shape->n_classes);
  const guint64 rows = (guint64) count_released (shape) + NETWORK_TEST_CHUNK;
  const AssayTapeSize residual = residual_size (settings, shape);

  return rows * (network.widths[0] + shape->n_classes) * sizeof (float)
         + NETWORK_TEST_CHUNK * (2 * shape->cols + 2 * shape->n_classes) * sizeof (float)
         + (residual.parameters > 0 ? assay_tape_size_bytes (&residual)
                                    : assay_network_memory (&network, (gsize) settings->batch));
}

ASSAY_UTILITY (classification, "classification",
  .summary = "How well a classifier trained on the release classifies test rows",
  .reference = { ASSAY_PAPER_INSTAHIDE, "sections 3.3 and 5.1" },
  ASSAY_SETTINGS (Classification,
    ASSAY_PARAM_CHOICE (Classification, model, NETWORK, models,
                        "Softmax regression; a network of dense layers with ReLUs; or, for images, "
                        "a residual network of convolutions"),
    ASSAY_PARAM_INT (Classification, layers, 2, 1, MAX_LAYERS, "layers",
                     "Hidden layers of the network"),
    ASSAY_PARAM_INT (Classification, hidden, 256, 1, 65536, "units", "Units in each hidden layer"),
    ASSAY_PARAM_INT (Classification, width, 16, 8, 1024, "channels",
                     "model = residual: channels of the first stage, a multiple of 8; the others "
                     "have 2 and 4 times as many",
                     ASSAY_PARAM_EXTRA),
    ASSAY_PARAM_INT (Classification, blocks, 1, 1, 5, "",
                     "model = residual: blocks in each of its three stages", ASSAY_PARAM_EXTRA),
    ASSAY_PARAM_INT (Classification, stride, 1, 1, 2, "pixels",
                     "model = residual: of the first convolution; 2 halves images before the first "
                     "stage",
                     ASSAY_PARAM_EXTRA),
    ASSAY_PARAM_INT (Classification, shift, 4, 0, 64, "pixels",
                     "model = residual: training images are shifted by up to this, each way",
                     ASSAY_PARAM_EXTRA),
    ASSAY_PARAM_BOOL (Classification, mirror, TRUE,
                      "model = residual: whether half of the training images are mirrored",
                      ASSAY_PARAM_EXTRA),
    ASSAY_PARAM_CHOICE (Classification, input, NETWORK_INPUT_AUTO, network_input_forms,
                        "What is used of a row x: x, |x|, or both; auto: |x| for mixtures with "
                        "random signs, else x"),
    ASSAY_PARAM_INT (Classification, epochs, 15, 1, 10000, "", "Passes over the release"),
    ASSAY_PARAM_INT (Classification, batch, 128, 1, 65536, "rows", "Rows in one step"),
    ASSAY_PARAM_CHOICE (Classification, descent, ASSAY_DESCENT_SGD, descents,
                        "model = residual: steps of Adam, or of stochastic gradient descent with "
                        "momentum",
                        ASSAY_PARAM_EXTRA),
    ASSAY_PARAM_REAL (Classification, learning_rate, 0.05, 1e-6, 100, "",
                      "Learning rate of the first step; it falls to 0 along half a cosine"),
    ASSAY_PARAM_REAL (Classification, momentum, 0.9, 0, 0.999, "", "Momentum of the steps"),
    ASSAY_PARAM_REAL (Classification, weight_decay, 5e-4, 0, 10, "",
                      "Half of this times the squared weights is added to the loss"),
    ASSAY_PARAM_INT (Classification, encryptions, 0, 0, 10000, "",
                     "How often each test row is encrypted, and its predictions averaged; 0: it is "
                     "classified as it is"),
    ASSAY_PARAM_CHOICE (Classification, combine, COMBINE_MEAN, combinations,
                        "What is made of the predictions for a test row's encryptions: their mean; "
                        "or what their owner makes of them, who knows her coefficients and the "
                        "labels of her own rows that it was mixed with",
                        ASSAY_PARAM_EXTRA),
    ASSAY_PARAM_CHOICE (Classification, partners, ENCRYPTION_SECRETS, encryption_partners,
                        "What test rows are mixed with when they are encrypted: k - 1 secrets, k - "
                        "1 public rows, or one secret and k - 2 public rows; release: as many "
                        "secrets and public rows as in the release's mixtures, with their mask "
                        "and coefficients, and not at all where rows are released as they are"),
    ASSAY_PARAM_INT (Classification, k, 4, 2, ASSAY_MIXTURE_MAX_IMAGES, "images",
                     "Images in an encrypted test row, itself included"),
    ASSAY_PARAM_REAL (Classification, max_coefficient, 0.65, 0, 1, "",
                      "Encrypted test rows: coefficients are redrawn until the largest is at most "
                      "this"),
    ASSAY_PARAM_CHOICE (Classification, coefficients, ASSAY_MIXTURE_UNIFORM,
                        assay_mixture_distributions,
                        "Encrypted test rows: how coefficients are drawn, before they are divided "
                        "by their sum: dirichlet, from a symmetric Dirichlet distribution; fixed, "
                        "always the same, see alpha"),
    ASSAY_PARAM_REAL (Classification, concentration, 1, 0.01, 1000, "",
                      "coefficients = dirichlet: parameter of the distribution", ASSAY_PARAM_EXTRA),
    ASSAY_PARAM_REAL (Classification, alpha, 0.5, 0, 1, "",
                      "coefficients = fixed: share of all images but the test row together, in "
                      "equal parts",
                      ASSAY_PARAM_EXTRA),
    ASSAY_PARAM_BOOL (Classification, mask, TRUE,
                      "Encrypted test rows: whether every number gets a random sign")),
  .check = check,
  .memory = memory,
  .reads = READS,
  .needs = ASSAY_HAS_LABELS | ASSAY_HAS_TEST_LABELS,
  .has_own_units = TRUE,
  .repeats_units = TRUE,
  .redraws = TRUE,
  ASSAY_MEASURES (N_SERIES,
    ASSAY_MEASURE (RIGHT, "accuracy", RATE, 0, 1, "share of test rows",
                   "Test rows whose class gets the largest probability", ASSAY_HEADLINE),
    ASSAY_MEASURE (LOSS, "cross-entropy", MEAN, 0, G_MAXDOUBLE, "nats",
                   "Negative logarithm of the probability given to the right class",
                   ASSAY_HIGHER_IS_WORSE)),
  .assess = assess);
