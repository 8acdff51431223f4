/* Choosing a learner on rows that it did not see. */
#include "core/learn/learner.h"

#include <string.h>

#include "core/base/error.h"
#include "core/base/text.h"
#include "core/base/vectors.h"
#include "core/learn/neighbours.h"
#include "core/learn/residual-network.h"
#include "core/learn/trimmed-ridge.h"
#include "core/math/principal.h"

#define N_KINDS (ASSAY_LEARNER_NETWORK + 1)
#define MIN_ROWS 4
#define PILOT 1000     /* rows that a race is run on */
#define PILOT_HELD 300 /* ... and held-out rows that decide it */
#define HELD_SHARE 5   /* one in so many */
#define MOST_HELD 2000
#define ADVANTAGE 0.98 /* of another learner over ridge */
#define MIN_GAIN 0.001 /* ... as a share of the variance: beside it, errors are rounding */

enum { ORDER_ITEM = 1000 }; /* of the key, beyond those of networks */

const char *const assay_learner_names[]
    = { "best", "ridge", "trimmed-ridge", "directions", "neighbours", "network", NULL };

/* One learner that has learned. */
typedef struct {
  AssayLearnerKind kind; /* BEST: the constant */
  gpointer learned;
} Model;

struct _AssayLearner {
  Model model;           /* of all rows; of those not held out where that diverged */
  AssayMatrix *constant; /* 1 x outputs: the mean of all rows */
  AssayExpectation expects;
  AssayMatrix *held_outputs;
  AssayMatrix *held_predictions;
  AssayNetworkReport tried; /* of the training without held-out rows; 0: it was of no network */
  AssayNetworkReport last;  /* of that with all rows */
};

static void
model_clear (Model *model)
{
  switch (model->kind) {
  case ASSAY_LEARNER_RIDGE:
    assay_ridge_free (model->learned);
    break;
  case ASSAY_LEARNER_TRIMMED_RIDGE:
  case ASSAY_LEARNER_DIRECTIONS:
    assay_trimmed_ridge_free (model->learned);
    break;
  case ASSAY_LEARNER_NEIGHBOURS:
    assay_neighbours_free (model->learned);
    break;
  case ASSAY_LEARNER_NETWORK:
    assay_residual_network_free (model->learned);
    break;
  case ASSAY_LEARNER_BEST:
    break;
  }
  *model = (Model){ ASSAY_LEARNER_BEST, NULL };
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (Model, model_clear)

static gboolean
is_trimmed (AssayLearnerKind kind)
{
  return kind == ASSAY_LEARNER_TRIMMED_RIDGE || kind == ASSAY_LEARNER_DIRECTIONS;
}

static gboolean
model_learn (AssayLearnerKind kind, AssayView inputs, AssayView outputs, AssayStreamKey key,
             Model *ret_model, GError **error)
{
  Model model = { kind, NULL };

  if (kind == ASSAY_LEARNER_RIDGE)
    model.learned = assay_ridge_new (inputs, outputs, key, error);
  else if (is_trimmed (kind))
    model.learned
        = assay_trimmed_ridge_new (inputs, outputs, kind == ASSAY_LEARNER_DIRECTIONS, key, error);
  else if (kind == ASSAY_LEARNER_NEIGHBOURS)
    model.learned = assay_neighbours_new (inputs, outputs, error);
  else
    model.learned = assay_residual_network_new (inputs, outputs, key, error);
  if (model.learned == NULL)
    return FALSE;
  *ret_model = model;
  return TRUE;
}

static AssayMatrix *
model_predict (const Model *model, AssayView inputs, GError **error)
{
  if (model->kind == ASSAY_LEARNER_RIDGE)
    return assay_ridge_predict (model->learned, inputs, error);
  if (is_trimmed (model->kind))
    return assay_trimmed_ridge_predict (model->learned, inputs, error);
  if (model->kind == ASSAY_LEARNER_NEIGHBOURS)
    return assay_neighbours_predict (model->learned, inputs, error);
  return assay_residual_network_predict (model->learned, inputs, error);
}

/* 0: it is no network. */
static AssayNetworkReport
model_report (const Model *model)
{
  const AssayResidualNetwork *network = model->learned;

  return model->kind == ASSAY_LEARNER_NETWORK ? network->report : (AssayNetworkReport){ 0 };
}

ASSAY_FREE_FUNC (AssayLearner, assay_learner_free, model_clear (&self->model),
                 assay_matrix_free (self->constant), assay_matrix_free (self->held_outputs),
                 assay_matrix_free (self->held_predictions))

/* ---- Rows that are held out ---- */

/* Rows in the order in which they are used: those to learn from, then those held out. */
typedef struct {
  AssayMatrix *inputs, *outputs;
  guint *parts; /* NULL: one */
  gsize n_learned, n_held;
} Split;

ASSAY_LOCAL_CLEAR (Split, split_clear, assay_matrix_free (self->inputs),
                   assay_matrix_free (self->outputs), g_free (self->parts))

/* How many rows the last fifth of the parts has. */
static gsize
count_held_parts (const AssayExamples *examples)
{
  const gsize n = examples->inputs.rows;
  const guint n_parts = examples->parts[n - 1] + 1,
              n_held = (n_parts + HELD_SHARE - 1) / HELD_SHARE;
  gsize held = 0;

  while (held < n && examples->parts[n - 1 - held] >= n_parts - n_held)
    held++;
  return held;
}

static void
copy_row (AssayView from, gsize row, AssayMatrix *to, gsize place)
{
  memcpy (assay_matrix_row (to, place), assay_view_row (from, row), from.cols * sizeof (float));
}

/* Rows of the learning parts, and those of the held-out parts, each in a random order. */
static gboolean
split_rows (const AssayExamples *examples, AssayStreamKey key, Split *ret_split, GError **error)
{
  const gsize n = examples->inputs.rows;
  const gsize held = examples->parts != NULL ? count_held_parts (examples)
                                             : MIN (MAX (n / HELD_SHARE, 1), MOST_HELD);
  g_autofree gsize *order = assay_alloc (n, sizeof *order, "order of rows", error);
  AssayStream stream = assay_stream (key, ORDER_ITEM);

  ret_split->inputs = assay_matrix_new (n, examples->inputs.cols, error);
  ret_split->outputs = assay_matrix_new (n, examples->outputs.cols, error);
  if (order == NULL || ret_split->inputs == NULL || ret_split->outputs == NULL)
    return FALSE;
  ret_split->n_held = held;
  ret_split->n_learned = n - held;
  if (examples->parts != NULL) {
    ret_split->parts = g_new (guint, n);
    assay_stream_permutation (&stream, n - held, order);
    assay_stream_permutation (&stream, held, order + n - held);
    for (gsize i = n - held; i < n; i++)
      order[i] += n - held;
  } else {
    assay_stream_permutation (&stream, n, order);
  }
  for (gsize i = 0; i < n; i++) {
    copy_row (examples->inputs, order[i], ret_split->inputs, i);
    copy_row (examples->outputs, order[i], ret_split->outputs, i);
    if (examples->parts != NULL)
      ret_split->parts[i] = examples->parts[order[i]];
  }
  return TRUE;
}

/* ---- The race ---- */

/* A network that diverges has lost, whichever weights it kept: on all rows it would have to give
 * way in any case, and be trained for it. Ridge that left out no row of @n is ridge. */
static gboolean
takes_part (const Model *model, gsize n)
{
  const AssayTrimmedRidge *trimmed = model->learned;

  return !model_report (model).has_diverged
         && (model->kind != ASSAY_LEARNER_TRIMMED_RIDGE || trimmed->kept < n);
}

/* The mean squared error of each learner, by its kind, on held-out rows; that of ridge less what
 * others have to be better by. G_MAXDOUBLE: it has lost. */
static gboolean
race (const Split *split, AssayStreamKey key, double *ret_errors, GError **error)
{
  const AssayView inputs = assay_matrix_view (split->inputs);
  const AssayView outputs = assay_matrix_view (split->outputs);
  const gsize n = MIN (split->n_learned, PILOT), held = MIN (split->n_held, PILOT_HELD);
  const AssayView seen = assay_view_rows (inputs, split->n_learned, held);
  const AssayView wanted = assay_view_rows (outputs, split->n_learned, held);

  for (AssayLearnerKind kind = ASSAY_LEARNER_RIDGE; kind <= ASSAY_LEARNER_NETWORK; kind++) {
    g_auto (Model) model = { 0 };
    g_autoptr (AssayMatrix) predicted = NULL;
    g_autoptr (GError) problem = NULL;

    ret_errors[kind] = G_MAXDOUBLE;
    if (kind == ASSAY_LEARNER_DIRECTIONS && !assay_trimmed_ridge_has_lengths (inputs))
      continue;
    if (!model_learn (kind, assay_view_rows (inputs, 0, n), assay_view_rows (outputs, 0, n), key,
                      &model, &problem)
        || (predicted = model_predict (&model, seen, &problem)) == NULL) {
      if (kind == ASSAY_LEARNER_NETWORK
          && g_error_matches (problem, ASSAY_ERROR, ASSAY_ERROR_NUMERIC))
        continue;
      g_propagate_error (error, g_steal_pointer (&problem));
      return FALSE;
    }
    if (takes_part (&model, n))
      ret_errors[kind] = assay_mean_squared_error (assay_matrix_view (predicted), wanted);
  }
  ret_errors[ASSAY_LEARNER_RIDGE]
      = MIN (ADVANTAGE * ret_errors[ASSAY_LEARNER_RIDGE],
             ret_errors[ASSAY_LEARNER_RIDGE] - MIN_GAIN * assay_rows_variance (wanted));
  return TRUE;
}

/* The first of the best. */
static AssayLearnerKind
winner_of (const double *errors)
{
  AssayLearnerKind winner = ASSAY_LEARNER_RIDGE;

  for (AssayLearnerKind kind = ASSAY_LEARNER_RIDGE; kind <= ASSAY_LEARNER_NETWORK; kind++)
    if (errors[kind] < errors[winner])
      winner = kind;
  return winner;
}

/* ---- Learning ---- */

static gboolean
check (const AssayExamples *examples, GError **error)
{
  const gsize n = examples->inputs.rows;

  if (n < MIN_ROWS)
    return assay_fail (error, ASSAY_ERROR_MISMATCH,
                       "%zu examples to learn from; expected %d at least", n, MIN_ROWS);
  return examples->parts == NULL || examples->parts[n - 1] > 0
         || assay_fail (error, ASSAY_ERROR_MISMATCH,
                        "examples of one release, whose key is none of those to come; expected "
                        "two releases at least");
}

static void
forget_try (AssayLearner *learner)
{
  model_clear (&learner->model);
  g_clear_pointer (&learner->held_outputs, assay_matrix_free);
  g_clear_pointer (&learner->held_predictions, assay_matrix_free);
}

/* Learns from the learning rows, and sees how it does on the others. */
static gboolean
learn_and_try (AssayLearner *learner, const Split *split, AssayStreamKey key, GError **error)
{
  const AssayView inputs = assay_matrix_view (split->inputs);
  const AssayView outputs = assay_matrix_view (split->outputs);
  const AssayView learned = assay_view_rows (outputs, 0, split->n_learned);
  g_autofree double *mean = g_new (double, outputs.cols);

  if (!model_learn (learner->expects.kind, assay_view_rows (inputs, 0, split->n_learned), learned,
                    key, &learner->model, error)
      || !assay_principal_mean (learned, mean, error))
    return FALSE;
  learner->held_outputs
      = assay_matrix_copy (assay_view_rows (outputs, split->n_learned, split->n_held), error);
  learner->held_predictions = model_predict (
      &learner->model, assay_view_rows (inputs, split->n_learned, split->n_held), error);
  learner->tried = model_report (&learner->model);
  if (learner->held_outputs == NULL || learner->held_predictions == NULL)
    return FALSE;
  learner->expects.n_learned = split->n_learned;
  return assay_expectation_find (
      &(AssayHeldRows){ assay_matrix_view (learner->held_outputs),
                        assay_matrix_view (learner->held_predictions), mean,
                        split->parts != NULL ? split->parts + split->n_learned : NULL },
      &learner->expects, error);
}

static double
held_error (const AssayLearner *learner)
{
  return assay_mean_squared_error (assay_matrix_view (learner->held_predictions),
                                   assay_matrix_view (learner->held_outputs));
}

/* Whether trying the network ended in its divergence: kept weights, or none at all. */
static gboolean
has_diverged (const AssayLearner *learner, const GError *problem)
{
  return learner->expects.kind == ASSAY_LEARNER_NETWORK
         && (problem != NULL ? g_error_matches (problem, ASSAY_ERROR, ASSAY_ERROR_NUMERIC)
                             : learner->tried.has_diverged);
}

static gboolean
find_error_of_ridge (AssayLearner *learner, const Split *split, AssayStreamKey key,
                     double *ret_error, GError **error)
{
  learner->expects.kind = ASSAY_LEARNER_RIDGE;
  if (!learn_and_try (learner, split, key, error))
    return FALSE;
  *ret_error = held_error (learner);
  forget_try (learner);
  return TRUE;
}

/* Tries the winner of the race on all rows, where it may lose after all. So has a network that
 * diverges: whoever publishes one row that is far out would silence an attacker who has other
 * learners; and a learner like ridge that is no better than ridge there. */
static gboolean
try_winner (AssayLearner *learner, const Split *split, AssayStreamKey key, gboolean *ret_has_lost,
            GError **error)
{
  const AssayLearnerKind kind = learner->expects.kind;
  g_autoptr (GError) problem = NULL;
  double of_ridge = G_MAXDOUBLE;

  if (is_trimmed (kind) && !find_error_of_ridge (learner, split, key, &of_ridge, error))
    return FALSE;
  learner->expects.kind = kind;
  if (!learn_and_try (learner, split, key, &problem) && !has_diverged (learner, problem)) {
    g_propagate_error (error, g_steal_pointer (&problem));
    return FALSE;
  }
  *ret_has_lost = is_trimmed (kind) ? !(held_error (learner) < ADVANTAGE * of_ridge)
                                    : has_diverged (learner, problem);
  return TRUE;
}

/* The learner that was asked for, tried. */
static gboolean
choose_and_try (AssayLearner *learner, AssayLearnerKind asked, const Split *split,
                AssayStreamKey key, GError **error)
{
  double errors[N_KINDS];
  gboolean has_lost = TRUE;

  learner->expects.kind = asked;
  if (asked != ASSAY_LEARNER_BEST)
    return learn_and_try (learner, split, key, error);
  if (!race (split, key, errors, error))
    return FALSE;
  while (has_lost) {
    forget_try (learner);
    learner->expects.kind = winner_of (errors);
    if (!try_winner (learner, split, key, &has_lost, error))
      return FALSE;
    errors[learner->expects.kind] = G_MAXDOUBLE;
  }
  return TRUE;
}

/* Learns from all rows. Where that diverges, the network that was tried on the held-out rows is the
 * last good one: nobody has tried what the other was before it diverged. */
static gboolean
learn_from_all (AssayLearner *learner, const Split *split, AssayStreamKey key, GError **error)
{
  const AssayLearnerKind kind = learner->expects.kind;
  g_auto (Model) model = { 0 };

  if (kind != ASSAY_LEARNER_NETWORK)
    model_clear (&learner->model);
  if (!model_learn (kind, assay_matrix_view (split->inputs), assay_matrix_view (split->outputs),
                    key, &model, error))
    return FALSE;
  learner->last = model_report (&model);
  if (learner->last.has_diverged)
    return TRUE;
  model_clear (&learner->model);
  learner->model = model;
  model = (Model){ 0 };
  return TRUE;
}

static gboolean
set_constant (AssayLearner *learner, AssayView outputs, GError **error)
{
  g_autofree double *mean = g_new (double, outputs.cols);

  learner->constant = assay_matrix_new (1, outputs.cols, error);
  if (learner->constant == NULL || !assay_principal_mean (outputs, mean, error))
    return FALSE;
  for (gsize j = 0; j < outputs.cols; j++)
    learner->constant->data[j] = (float) mean[j];
  return TRUE;
}

AssayLearner *
assay_learner_new (AssayLearnerKind kind, const AssayExamples *examples, AssayStreamKey key,
                   GError **error)
{
  g_autoptr (AssayLearner) learner = g_new0 (AssayLearner, 1);
  g_auto (Split) split = { 0 };

  if (!check (examples, error) || !assay_view_check_finite (examples->inputs, "inputs", error)
      || !assay_view_check_finite (examples->outputs, "outputs", error)
      || !split_rows (examples, key, &split, error))
    return NULL;
  if (!choose_and_try (learner, kind, &split, key, error)
      || !set_constant (learner, examples->outputs, error))
    return NULL;
  if (!learner->expects.has_learned)
    model_clear (&learner->model);
  else if (!learn_from_all (learner, &split, key, error))
    return NULL;
  return g_steal_pointer (&learner);
}

AssayMatrix *
assay_learner_predict (const AssayLearner *learner, AssayView inputs, GError **error)
{
  AssayMatrix *predicted;

  if (learner->expects.has_learned)
    return model_predict (&learner->model, inputs, error);
  predicted = assay_matrix_new (inputs.rows, learner->constant->cols, error);
  for (gsize i = 0; predicted != NULL && i < inputs.rows; i++)
    copy_row (assay_matrix_view (learner->constant), 0, predicted, i);
  return predicted;
}

const AssayExpectation *
assay_learner_expects (const AssayLearner *learner)
{
  return &learner->expects;
}

AssayView
assay_learner_held_outputs (const AssayLearner *learner)
{
  return assay_matrix_view (learner->held_outputs);
}

AssayView
assay_learner_held_predictions (const AssayLearner *learner)
{
  return assay_matrix_view (learner->held_predictions);
}

/* Which training diverged, and which network is taken for that. */
static void
say_divergence (const AssayLearner *learner, GString *text)
{
  const AssayNetworkReport *tried = &learner->tried, *last = &learner->last;
  g_autofree char *learned = assay_text_count (learner->expects.n_learned);

  if (tried->has_diverged)
    g_string_append_printf (text,
                            "; training on %s of them diverged in epoch %zu of %d: the network is "
                            "that of epoch %zu",
                            learned, tried->epochs + 1, ASSAY_RESIDUAL_EPOCHS, tried->epochs);
  if (last->has_diverged)
    g_string_append_printf (text,
                            "; training on all of them diverged in epoch %zu of %d: the network is "
                            "that of %s of them",
                            last->epochs + 1, ASSAY_RESIDUAL_EPOCHS, learned);
}

char *
assay_learner_describe (const AssayLearner *learner)
{
  const AssayExpectation *expects = &learner->expects;
  g_autofree char *rows = assay_text_count (expects->n_learned + expects->n_held);
  GString *text = g_string_new (NULL);

  if (expects->has_learned)
    g_string_printf (
        text, "%s, from %s pairs: expected relative error %.3f, of the best constant %.3f",
        assay_learner_names[expects->kind], rows, expects->error, expects->constant_error);
  else
    g_string_printf (text,
                     "learned nothing from %s pairs: %s expects a relative error of %.3f, the "
                     "best constant one of %.3f; guessed the constant",
                     rows, assay_learner_names[expects->kind], expects->error,
                     expects->constant_error);
  say_divergence (learner, text);
  return g_string_free (text, FALSE);
}
