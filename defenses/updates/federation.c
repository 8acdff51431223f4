/* Users who train a linear classifier together. */
#include "defenses/updates/federation.h"

#include <math.h>
#include <string.h>

#include "core/base/error.h"
#include "core/base/parallel.h"
#include "core/base/progress/loop.h"
#include "core/learn/cluster-training.h"
#include "core/learn/k-means.h"
#include "core/math/linalg.h"
#include "defenses/updates/column-scaling.h"
#include "defenses/updates/user-rows.h"

/* Passes over the public rows by which an aggregator makes the first model. */
#define START_PASSES 3
#define START_ROUNDS 100 /* of k-means, at most, where models are centroids */
/* The penalty that is looked for: the interval of ln lambda is halved so often. */
#define LEAST_PENALTY 1e-4
#define MOST_PENALTY 1e4
#define HALVINGS 10

/* Items of streams, which are no secrets': who has what, and the first model, are of the release's
 * key; the order of a pass is drawn in each run. */
#define ITEM_PARTITION G_MAXUINT64
#define ITEM_START (G_MAXUINT64 - 1)
#define ITEM_PASSES (G_GUINT64_CONSTANT (1) << 62)

const char *const federation_partitions[] = { "equal", "dirichlet", "repeated", NULL };
const char *const federation_starts[] = { "public", "zero", NULL };

ASSAY_CLEAR_FUNC (Federation, federation_clear, assay_drop (self->users, g_free),
                  assay_drop (self->first_steps, g_free),
                  assay_drop (self->models, assay_matrix_free), assay_drop (self->counts, g_free),
                  assay_drop (self->locals, assay_matrix_free),
                  assay_drop (self->sent, assay_matrix_free),
                  assay_drop (self->sums, assay_matrix_free),
                  assay_drop (self->scaling, assay_matrix_free))

/* ---- Material ---- */

/* What training needs, beside the federation. */
typedef struct {
  const FederationSettings *settings;
  const FederationProtocol *protocol;
  Federation *federation;
  UserRows rows;
  AssayStreamKey stream; /* of passes */
  AssayStreamKey common;
} Training;

ASSAY_LOCAL_CLEAR (Training, training_clear, user_rows_clear (&self->rows))

/* ---- The first model ---- */

/* Centroids by k-means, begun once by k-means++. */
static void
start_clusters (const AssayLinearTraining *how, const AssayMatrix *rows, AssayStream *stream,
                double *ret_centroids)
{
  const AssayKMeans job = { .rows = rows->data,
                            .n = rows->rows,
                            .d = rows->cols,
                            .k = how->classes,
                            .rounds = START_ROUNDS,
                            .starts = 1 };
  g_autofree gsize *labels = g_new (gsize, rows->rows);

  assay_k_means (&job, stream, labels, ret_centroids);
}

static gboolean
train_start (const AssayDefenseContext *context, const Training *training, double *ret_weights,
             GError **error)
{
  const gboolean are_clusters = training->settings->trainer == ASSAY_TRAINER_CLUSTERS;
  const Federation *federation = training->federation;
  AssayLinearTraining plain = federation->training;
  AssayStream stream = assay_stream (training->common, ITEM_START);
  const gsize n = assay_rows_count (context->public_rows);
  g_autoptr (AssayMatrix) rows = assay_rows_matrix (context->public_rows, ASSAY_SCALE_NONE, error);
  g_autoptr (AssayMatrix) scaled
      = rows != NULL ? column_scaling_apply (assay_matrix_view (rows), federation->scaling, error)
                     : NULL;
  g_autofree gsize *order = assay_alloc (n, sizeof (gsize), "public rows", error);

  if (!are_clusters
      && !user_rows_check_labels (context->public_labels, n, plain.classes, "public rows", error))
    return assay_prefix (error, "start = public: ");
  if (scaled == NULL || order == NULL)
    return FALSE;
  if (are_clusters && n < plain.classes)
    return assay_fail (error, ASSAY_ERROR_MISMATCH,
                       "start = public: %zu public rows; expected one for each of %zu clusters",
                       n, plain.classes);
  if (are_clusters) {
    start_clusters (&plain, scaled, &stream, ret_weights);
    return TRUE;
  }
  plain.penalty = 0;
  for (guint p = 0; p < START_PASSES; p++) {
    assay_stream_permutation (&stream, n, order);
    assay_linear_pass (
        &plain,
        &(AssayLinearSamples){ assay_matrix_view (scaled), context->public_labels, order, n },
        ret_weights);
  }
  return TRUE;
}

/* ---- Steps ---- */

/* One step of all users. */
typedef struct {
  const Training *training;
  const AssayLinearTraining *how;
  gsize step;
  const float *model;
  float *locals; /* N x P */
} Step;

/* One pass, or one optimum, over all of @batch. */
static void
train_on_all (const Step *step, const AssayLinearSamples *batch, double *inout_weights)
{
  const FederationSettings *settings = step->training->settings;

  if (settings->trainer == ASSAY_TRAINER_CLUSTERS)
    assay_cluster_pass (step->how, batch, (gsize) settings->batch, inout_weights);
  else if (settings->trainer == ASSAY_TRAINER_OPTIMUM)
    assay_linear_optimum (step->how, batch, inout_weights);
  else
    assay_linear_pass (step->how, batch, inout_weights);
}

static gboolean
train_user (gsize user, G_GNUC_UNUSED guint worker, gpointer data,
            G_GNUC_UNUSED GError **error)
{
  const Step *step = data;
  const Training *training = step->training;
  const gsize weights = assay_linear_weights (step->how);
  const gsize n = user_rows_count (&training->rows, user);
  const gsize wanted = (gsize) training->settings->batch;
  const gsize count = wanted == 0 ? n : MIN (wanted, n);
  const gsize local_steps = (gsize) training->settings->local_steps;
  g_autofree double *w = g_new (double, weights);
  g_autofree gsize *chosen = g_new (gsize, n);
  AssayLinearSamples batch
      = { assay_matrix_view (training->rows.rows), training->rows.labels, chosen, n };
  AssayStream stream = assay_stream (
      training->stream, ITEM_PASSES + step->step * training->federation->n_users + user);

  for (gsize i = 0; i < weights; i++)
    w[i] = (double) step->model[i];
  for (gsize l = 0; l < local_steps; l++)
    if (training->settings->trainer != ASSAY_TRAINER_STEP) {
      assay_stream_permutation (&stream, n, chosen);
      for (gsize i = 0; i < n; i++)
        chosen[i] = user_rows_at (&training->rows, user, chosen[i]);
      train_on_all (step, &batch, w);
    } else {
      batch.count = count;
      for (gsize i = 0; i < count; i++)
        chosen[i] = user_rows_at (&training->rows, user,
                                  ((step->step * local_steps + l) * count + i) % n);
      assay_linear_step (step->how, &batch, w);
    }
  for (gsize i = 0; i < weights; i++)
    step->locals[user * weights + i] = (float) w[i];
  return TRUE;
}

static double
sparsity_of (const float *values, gsize count)
{
  gsize zeros = 0;

  for (gsize i = 0; i < count; i++)
    zeros += values[i] == 0;
  return (double) zeros / (double) count;
}

/* The least penalty that makes the first step as sparse as is asked for. */
static gboolean
find_penalty (const Training *training, GError **error)
{
  Federation *federation = training->federation;
  AssayLinearTraining how = federation->training;
  double low = log (LEAST_PENALTY), high = log (MOST_PENALTY);
  Step step = { training, &how, 0, federation->models->data, federation->locals->data };

  for (guint i = 0; i < HALVINGS; i++) {
    how.penalty = exp ((low + high) / 2);
    if (!assay_parallel_try (federation->n_users, train_user, &step, error))
      return FALSE;
    if (sparsity_of (step.locals, federation->n_users * federation->locals->cols)
        >= training->settings->sparsity)
      high = (low + high) / 2;
    else
      low = (low + high) / 2;
  }
  federation->training.penalty = exp (high);
  return high < log (MOST_PENALTY)
         || assay_fail (error, ASSAY_ERROR_DATA,
                        "no penalty up to %g makes %g of the weights zero; expected a smaller "
                        "sparsity",
                        MOST_PENALTY, training->settings->sparsity);
}

static gboolean
sum_plainly (G_GNUC_UNUSED const Federation *federation, G_GNUC_UNUSED gsize step, AssayView sent,
             G_GNUC_UNUSED gpointer data, float *ret_sum, G_GNUC_UNUSED GError **error)
{
  for (gsize i = 0; i < sent.cols; i++) {
    double sum = 0;

    for (gsize u = 0; u < sent.rows; u++)
      sum += (double) assay_view_row (sent, u)[i];
    ret_sum[i] = (float) sum;
  }
  return TRUE;
}

/* What users send of what they made in step @t, N x P. */
static AssayView
send_updates (const Training *training, gsize t, const float *locals)
{
  const FederationProtocol *by = training->protocol;
  Federation *federation = training->federation;
  const gsize users = federation->n_users, weights = federation->models->cols;
  float *sent;

  if (by->send == NULL)
    return assay_view_of (locals, users, weights);
  sent = assay_matrix_row (federation->sent, t * users);
  memcpy (sent, locals, users * weights * sizeof *sent);
  for (gsize u = 0; u < users; u++)
    by->send (federation, t, u, by->data, sent + u * weights);
  return assay_view_of (sent, users, weights);
}

static gboolean
train_steps (const Training *training, GError **error)
{
  const FederationProtocol *by = training->protocol;
  Federation *federation = training->federation;
  const gsize users = federation->n_users, weights = federation->models->cols;
  g_auto (AssayLoop) loop = { "step", .turns = federation->n_steps };

  if (training->settings->sparsity > 0 && !find_penalty (training, error))
    return FALSE;
  for (gsize t = 0; t < federation->n_steps; t++) {
    Step step = { training, &federation->training, t, assay_matrix_row (federation->models, t),
                  assay_matrix_row (federation->locals, t * users) };
    float *total = assay_matrix_row (federation->sums, t);

    assay_loop_at (&loop, t);
    if (!assay_parallel_try (users, train_user, &step, error))
      return FALSE;
    if (!(by->sum != NULL ? by->sum : sum_plainly) (
            federation, t, send_updates (training, t, step.locals), by->data, total, error))
      return assay_prefix (error, "step %zu: ", t);
    for (gsize i = 0; i < weights; i++)
      assay_matrix_row (federation->models, t + 1)[i]
          = (float) ((double) total[i] / (double) users);
  }
  return TRUE;
}

/* Whose each secret is, and when it was first trained on; of several users' it is not said. */
static gboolean
note_users (const Training *training, GError **error)
{
  Federation *federation = training->federation;
  const FederationSettings *settings = training->settings;
  const UserSamples *samples = &training->rows.samples;
  const gsize n = training->rows.n;
  const gboolean takes_all = settings->trainer != ASSAY_TRAINER_STEP || settings->batch == 0;

  federation->counts = assay_alloc (samples->n_users, sizeof (gsize), "users", error);
  if (federation->counts == NULL)
    return FALSE;
  for (gsize u = 0; u < samples->n_users; u++)
    federation->counts[u] = user_rows_count (&training->rows, u);
  if (samples->first[samples->n_users] > n)
    return TRUE;
  federation->users = assay_alloc (n, sizeof (gint64), "users", error);
  federation->first_steps = assay_alloc (n, sizeof (gint64), "users", error);
  if (federation->users == NULL || federation->first_steps == NULL)
    return FALSE;
  for (gsize u = 0; u < samples->n_users; u++)
    for (gsize i = samples->first[u]; i < samples->first[u + 1]; i++) {
      const gsize count = samples->first[u + 1] - samples->first[u];
      const gsize batch = takes_all ? count : MIN ((gsize) settings->batch, count);
      const gsize step = (i - samples->first[u]) / batch / (gsize) settings->local_steps;

      federation->users[samples->order[i]] = (gint64) u;
      federation->first_steps[samples->order[i]] = step < federation->n_steps ? (gint64) step : -1;
    }
  return TRUE;
}

/* ---- All ---- */

static gboolean
prepare (const AssayDefenseContext *context, AssayView secrets, Training *training, GError **error)
{
  const FederationSettings *settings = training->settings;
  Federation *federation = training->federation;
  const gsize users = (gsize) settings->users, steps = (gsize) settings->steps;
  AssayStream stream = assay_stream (training->common, ITEM_PARTITION);
  const FederationProtocol *by = training->protocol;
  const UserShares shares = { .labels = context->labels,
                              .n = secrets.rows,
                              .n_classes = context->n_classes,
                              .n_users = users,
                              .is_equal = settings->partition != PARTITION_DIRICHLET,
                              .concentration = settings->concentration,
                              .per_split = federation_users_per_split (settings) };
  UserRowsForm form = { .shares_public = by->shares_public, .is_shortened = by->shortens };
  gsize weights;

  federation->training = (AssayLinearTraining){ .classes = context->n_classes,
                                                .cols = secrets.cols,
                                                .has_bias = settings->bias,
                                                .loss = settings->loss,
                                                .rate = settings->rate,
                                                .penalty = settings->penalty,
                                                .mix = settings->mix };
  federation->n_users = users;
  federation->n_steps = steps;
  federation->is_shortened = by->shortens;
  weights = assay_linear_weights (&federation->training);
  if (settings->standardise) {
    g_autoptr (AssayMatrix) rows
        = assay_rows_matrix (context->public_rows, ASSAY_SCALE_NONE, error);

    federation->scaling
        = rows != NULL ? column_scaling_measure (assay_matrix_view (rows), error) : NULL;
    if (federation->scaling == NULL)
      return FALSE;
  }
  form.scaling = federation->scaling;
  federation->models = assay_matrix_new (steps + 1, weights, error);
  federation->sums = assay_matrix_new (steps, weights, error);
  federation->locals = assay_matrix_new (steps * users, weights, error);
  if (by->send != NULL)
    federation->sent = assay_matrix_new (steps * users, weights, error);
  return federation->models != NULL && federation->sums != NULL && federation->locals != NULL
         && (by->send == NULL || federation->sent != NULL)
         && user_rows_init (context, secrets, &form, &training->rows, error)
         && user_samples_draw (&shares, &stream, &training->rows.samples, error)
         && note_users (training, error);
}

gboolean
federation_train (const AssayDefenseContext *context, const FederationSettings *settings,
                  AssayView secrets, const FederationProtocol *protocol,
                  Federation *ret_federation, GError **error)
{
  static const FederationProtocol plain = { .sum = NULL };
  g_auto (Federation) federation = { 0 };
  g_auto (Training) training = { .settings = settings,
                                 .protocol = protocol != NULL ? protocol : &plain,
                                 .federation = &federation,
                                 .stream = context->stream,
                                 .common = context->common_stream };
  g_autofree double *start = NULL;

  if (!prepare (context, secrets, &training, error))
    return FALSE;
  start = g_new0 (double, federation.models->cols);
  if (settings->start == START_PUBLIC && !train_start (context, &training, start, error))
    return FALSE;
  for (gsize i = 0; i < federation.models->cols; i++)
    federation.models->data[i] = (float) start[i];
  if (!train_steps (&training, error))
    return FALSE;
  *ret_federation = federation;
  federation = (Federation){ 0 };
  return TRUE;
}

static void
set_parameters (const Federation *federation, const FederationSettings *settings,
                AssayRelease *release)
{
  const AssayLinearTraining *training = &federation->training;

  ASSAY_SET_PARAMETER (release, AssayUpdatesParameters, users, (gint64) federation->n_users);
  ASSAY_SET_PARAMETER (release, AssayUpdatesParameters, classes, (gint64) training->classes);
  ASSAY_SET_PARAMETER (release, AssayUpdatesParameters, batch, settings->batch);
  ASSAY_SET_PARAMETER (release, AssayUpdatesParameters, local_steps, settings->local_steps);
  ASSAY_SET_PARAMETER (release, AssayUpdatesParameters, loss, settings->loss);
  ASSAY_SET_PARAMETER (release, AssayUpdatesParameters, trainer, settings->trainer);
  ASSAY_SET_PARAMETER (release, AssayUpdatesParameters, rate, training->rate);
  ASSAY_SET_PARAMETER (release, AssayUpdatesParameters, penalty, training->penalty);
  ASSAY_SET_PARAMETER (release, AssayUpdatesParameters, mix, training->mix);
  ASSAY_SET_PARAMETER (release, AssayUpdatesParameters, bias, settings->bias);
  ASSAY_SET_PARAMETER (release, AssayUpdatesParameters, shortened, federation->is_shortened);
}

static void
take_numbers (AssayArrays *arrays, const char *name, AssayType type, gsize n, gpointer *numbers)
{
  if (*numbers != NULL)
    assay_arrays_take (arrays, name, assay_array_take (type, 1, &n, g_steal_pointer (numbers)));
}

/* What the first user sent, T x P. */
static AssayMatrix *
first_updates (const Federation *federation)
{
  AssayMatrix *sent = federation->sent != NULL ? federation->sent : federation->locals;
  AssayMatrix *own = assay_matrix_copy (assay_matrix_view (federation->sums), NULL);

  for (gsize t = 0; own != NULL && t < own->rows; t++)
    memcpy (assay_matrix_row (own, t), assay_matrix_row (sent, t * federation->n_users),
            own->cols * sizeof (float));
  return own;
}

void
federation_take (Federation *federation, const FederationSettings *settings,
                 AssayRelease *ret_release, AssayTruth *ret_truth)
{
  const gsize n = assay_arrays_get (&ret_truth->arrays, "secrets")->shape[0];
  const gsize d = federation->training.cols;
  AssayMatrix *own = first_updates (federation);

  set_parameters (federation, settings, ret_release);
  assay_arrays_take_matrix (&ret_release->arrays, "models", &federation->models);
  assay_arrays_take_matrix (&ret_release->arrays, "sums", &federation->sums);
  assay_arrays_take_matrix (&ret_release->arrays, "own", &own);
  if (federation->scaling != NULL) {
    gpointer mean = g_memdup2 (federation->scaling->data, d * sizeof (float));
    gpointer deviation = g_memdup2 (federation->scaling->data + d, d * sizeof (float));

    take_numbers (&ret_release->arrays, "mean", ASSAY_FLOAT32, d, &mean);
    take_numbers (&ret_release->arrays, "deviation", ASSAY_FLOAT32, d, &deviation);
  }
  take_numbers (&ret_truth->arrays, "users", ASSAY_INT64, n, (gpointer *) &federation->users);
  take_numbers (&ret_truth->arrays, "steps", ASSAY_INT64, n, (gpointer *) &federation->first_steps);
  assay_arrays_take_matrix (&ret_truth->arrays, "updates", &federation->locals);
}
