/* Which of N known public records is this item of? The attacker learns from runs of the defense, or
 * from pairs, what a released item says of its row, and ranks the public rows by it (game link).
 *
 * Release: of any kind with an item for each secret. Knowledge: pairs, as learned-inversion, and
 * the public rows.
 * Guess: public rows by the log-likelihood ratio of "the item's row" and "any row", best first.
 * Rows are seen in their principal components, each scaled to variance 1. There S is the identity,
 * and V the covariance of the learner's errors on held-out rows; in the eigenvectors of V,
 * component j of a row is normal around 0 with variance 1, and given the item around the
 * prediction y_j with variance v_j. Up to what is the same for all candidates c (Ioffe 2006,
 * "Probabilistic Linear Discriminant Analysis", of one example a class),
 *   score (c) = sum_j [ c_j^2 - (c_j - y_j)^2 / v_j ]
 * over the components of which something is learned, v_j < 1. Of few held-out rows V is drawn
 * towards its diagonal, by the share k / (k + rows) of k components. The record at hand may be
 * another one than the secret: `noise` times the mean variance of a column is added to the errors.
 * Where the learner is no better than the best constant, the order is random, and the guess says
 * so.
 * Codes are otherwise: what a bit says of a row is a step and no line, and a row far from its
 * threshold is all but certain of it. There the attacker learns how likely each bit is of a row
 * (attacks/adaptive/bit-model.h), and ranks by how likely the code is.
 * Cost: learning, and n N k for n items, N public rows and k components or bits. */
#include <math.h>
#include <string.h>

#include "attacks/adaptive/bit-model.h"
#include "attacks/adaptive/own-examples.h"
#include "core/base/free.h"
#include "core/base/parallel.h"
#include "core/games/control-case.h"
#include "core/math/linalg.h"
#include "core/math/principal.h"

#define COMPONENTS 256
#define COMPONENT_ROWS 10000 /* that they are taken from */
#define PANEL (gsize) 4096   /* public rows scored at a time */

#define MIN_VARIANCE 1e-6 /* of what is told exactly, in float32 */

/* Of the attack's stream, beyond those of learners. */
#define RANDOM_ITEMS 1000000

typedef struct {
  guint learner;
  double noise;
  gint64 candidates;
} LearnedLinkage;

/* A linear form of a row's components for each item, beside a quadratic one for all; or of what the
 * model of bits makes of a row, beside a number of it. */
typedef struct {
  BitModel *bits;       /* NULL: not of codes; otherwise axes, mean and curvature are not there */
  AssayMatrix *axes;    /* k x columns: from a row less the mean to components */
  double *mean;         /* columns; borrowed */
  AssayMatrix *weights; /* items x k: 2 y_j / v_j */
  double *curvature;    /* k: 1 - 1 / v_j */
} Scoring;

ASSAY_LOCAL_CLEAR (Scoring, scoring_clear, bit_model_free (self->bits),
                   assay_matrix_free (self->axes), assay_matrix_free (self->weights),
                   g_free (self->curvature))

/* Rows less @mean along the axes. */
static AssayMatrix *
components_along (const AssayMatrix *axes, const double *mean, AssayView rows, GError **error)
{
  g_autoptr (AssayMatrix) centred = assay_matrix_copy (rows, error);
  AssayMatrix *components
      = centred != NULL ? assay_matrix_new (rows.rows, axes->rows, error) : NULL;

  if (components == NULL)
    return NULL;
  for (gsize i = 0; i < rows.rows; i++)
    for (gsize j = 0; j < rows.cols; j++)
      assay_matrix_row (centred, i)[j]
          = (float) ((double) assay_matrix_row (centred, i)[j] - mean[j]);
  assay_linalg_product_in_parallel (ASSAY_NT, assay_matrix_view (centred), assay_matrix_view (axes),
                                    components->data);
  return components;
}

/* Principal directions, divided by the deviation along them: components of variance 1. */
static AssayMatrix *
whitening_axes (const AssayPrincipal *principal, GError **error)
{
  AssayMatrix *axes = assay_matrix_new (MAX (principal->rank, 1), principal->cols, error);

  for (gsize k = 0; axes != NULL && k < principal->rank; k++)
    for (gsize j = 0; j < principal->cols; j++)
      assay_matrix_row (axes, k)[j]
          = (float) (principal->vectors[k * principal->cols + j] / sqrt (principal->values[k]));
  return axes;
}

/* V: of held-out errors along the axes, k x k. */
static gboolean
held_covariance (const AssayLearner *learner, const AssayMatrix *axes, const double *mean,
                 double *ret_covariance, GError **error)
{
  g_autoptr (AssayMatrix) wanted
      = components_along (axes, mean, assay_learner_held_outputs (learner), error);
  g_autoptr (AssayMatrix) found
      = wanted != NULL
            ? components_along (axes, mean, assay_learner_held_predictions (learner), error)
            : NULL;
  const gsize k = axes->rows;
  g_autofree double *errors = NULL;
  double drawn;

  if (found == NULL)
    return FALSE;
  errors = assay_alloc (found->rows, k * sizeof (double), "errors", error);
  if (errors == NULL)
    return FALSE;
  for (gsize i = 0; i < found->rows * k; i++)
    errors[i] = ((double) wanted->data[i] - (double) found->data[i]) / sqrt ((double) found->rows);
  assay_linalg_product_double (ASSAY_TN, assay_view_of_doubles (errors, found->rows, k),
                               assay_view_of_doubles (errors, found->rows, k), ret_covariance, k);
  drawn = (double) k / (double) (k + found->rows);
  for (gsize a = 0; a < k; a++)
    for (gsize b = 0; b < k; b++)
      ret_covariance[a * k + b] *= a == b ? 1 : 1 - drawn;
  return TRUE;
}

/* Adds what records of one person differ by, the same along every direction of a row. */
static void
add_record_noise (const AssayPrincipal *principal, double noise, double *inout_covariance)
{
  const gsize k = MAX (principal->rank, 1);
  double variance = 0;

  for (gsize j = 0; j < principal->count; j++)
    variance += principal->values[j] / (double) principal->cols;
  for (gsize j = 0; j < principal->rank; j++)
    inout_covariance[j * k + j] += noise * variance / principal->values[j];
}

/* Turns the axes into the eigenvectors of V, and says how much each tells. */
static gboolean
make_scoring (const AssayLearner *learner, const AssayPrincipal *principal,
              const AssayMatrix *predicted, double noise, Scoring *ret_scoring, GError **error)
{
  g_autoptr (AssayMatrix) axes = whitening_axes (principal, error);
  const gsize k = axes != NULL ? axes->rows : 0;
  g_autofree double *covariance = assay_alloc (k, k * sizeof (double), "errors", error);
  g_autofree double *variances = assay_alloc (k, sizeof (double), "errors", error);
  g_autofree double *vectors = assay_alloc (k, k * sizeof (double), "errors", error);
  g_autoptr (AssayMatrix) turn = axes != NULL ? assay_matrix_new (k, k, error) : NULL;

  ret_scoring->mean = principal->mean;
  ret_scoring->curvature = assay_alloc (k, sizeof (double), "components", error);
  if (covariance == NULL || variances == NULL || vectors == NULL || turn == NULL
      || ret_scoring->curvature == NULL
      || !held_covariance (learner, axes, principal->mean, covariance, error))
    return FALSE;
  add_record_noise (principal, noise, covariance);
  if (!assay_linalg_symmetric_eigen (k, k, covariance, variances, vectors, error))
    return FALSE;
  for (gsize i = 0; i < k * k; i++)
    turn->data[i] = (float) vectors[i];
  ret_scoring->axes = assay_matrix_new (k, axes->cols, error);
  if (ret_scoring->axes == NULL)
    return FALSE;
  assay_linalg_product_in_parallel (ASSAY_NN, assay_matrix_view (turn), assay_matrix_view (axes),
                                    ret_scoring->axes->data);
  ret_scoring->weights
      = components_along (ret_scoring->axes, principal->mean, assay_matrix_view (predicted), error);
  for (gsize j = 0; ret_scoring->weights != NULL && j < k; j++) {
    const double v = MAX (variances[j], MIN_VARIANCE);

    ret_scoring->curvature[j] = v < 1 ? 1 - 1 / v : 0;
    for (gsize i = 0; i < predicted->rows; i++)
      assay_matrix_row (ret_scoring->weights, i)[j] *= v < 1 ? (float) (2 / v) : 0;
  }
  return ret_scoring->weights != NULL;
}

/* Of codes; @inputs are their bits. */
static gboolean
make_bit_scoring (const OwnExamples *examples, const AssayPrincipal *principal,
                  const AssayMatrix *inputs, double noise, Scoring *ret_scoring, GError **error)
{
  double variance = 0;

  for (gsize j = 0; j < principal->count; j++)
    variance += principal->values[j] / (double) principal->cols;
  ret_scoring->bits
      = bit_model_new (assay_matrix_view (examples->outputs),
                       assay_matrix_view (examples->inputs), noise * variance, error);
  ret_scoring->weights = assay_matrix_copy (assay_matrix_view (inputs), error);
  return ret_scoring->bits != NULL && ret_scoring->weights != NULL;
}

/* An order for each item that has nothing to do with it. */
static void
guess_at_random (AssayStreamKey key, Scoring *scoring)
{
  for (gsize i = 0; i < scoring->weights->rows; i++) {
    AssayStream stream = assay_stream (key, RANDOM_ITEMS + i);

    for (gsize j = 0; j < scoring->weights->cols; j++)
      assay_matrix_row (scoring->weights, i)[j] = (float) assay_stream_normal (&stream);
  }
  memset (scoring->curvature, 0, scoring->weights->cols * sizeof (double));
}

/* ---- Candidates ---- */

typedef struct {
  float score;
  gsize row;
} Candidate;

/* The best of each item, in a heap whose root is the worst of them. */
typedef struct {
  const Scoring *scoring;
  gsize n, most;
  gsize *held;           /* n: how many there are */
  Candidate *candidates; /* n x most */
  float *scores;         /* n x PANEL, of the panel at hand */
  gsize first, rows;     /* of the panel */
} Ranking;

/* Of equal scores the first row is better. */
static gboolean
is_worse (const Candidate *a, const Candidate *b)
{
  return a->score < b->score || (a->score == b->score && a->row > b->row);
}

static void
sift_down (Candidate *heap, gsize count)
{
  for (gsize at = 0;;) {
    const gsize left = 2 * at + 1, right = left + 1;
    gsize worst = at;

    if (left < count && is_worse (&heap[left], &heap[worst]))
      worst = left;
    if (right < count && is_worse (&heap[right], &heap[worst]))
      worst = right;
    if (worst == at)
      return;
    {
      const Candidate other = heap[at];

      heap[at] = heap[worst];
      heap[worst] = other;
    }
    at = worst;
  }
}

static void
sift_up (Candidate *heap, gsize at)
{
  while (at > 0 && is_worse (&heap[at], &heap[(at - 1) / 2])) {
    const Candidate other = heap[at];

    heap[at] = heap[(at - 1) / 2];
    heap[(at - 1) / 2] = other;
    at = (at - 1) / 2;
  }
}

static void
keep_best (gsize item, G_GNUC_UNUSED guint worker, gpointer data)
{
  const Ranking *ranking = data;
  Candidate *heap = ranking->candidates + item * ranking->most;
  gsize held = ranking->held[item];

  for (gsize i = 0; i < ranking->rows; i++) {
    const Candidate one = { ranking->scores[item * ranking->rows + i], ranking->first + i };

    if (held < ranking->most) {
      heap[held] = one;
      sift_up (heap, held++);
    } else if (is_worse (&heap[0], &one)) {
      heap[0] = one;
      sift_down (heap, held);
    }
  }
  ranking->held[item] = held;
}

static gboolean
score_panel (AssayView panel, gsize first, gpointer data, GError **error)
{
  Ranking *ranking = data;
  const Scoring *scoring = ranking->scoring;
  g_autofree double *own = g_new0 (double, panel.rows);
  g_autoptr (AssayMatrix) components
      = scoring->bits != NULL ? bit_model_see (scoring->bits, panel, own, error)
                              : components_along (scoring->axes, scoring->mean, panel, error);

  if (components == NULL)
    return FALSE;
  for (gsize i = 0; i < panel.rows; i++)
    for (gsize j = 0; scoring->bits == NULL && j < components->cols; j++)
      own[i] += scoring->curvature[j] * pow ((double) assay_matrix_row (components, i)[j], 2);
  assay_linalg_product_in_parallel (ASSAY_NT, assay_matrix_view (scoring->weights),
                                    assay_matrix_view (components), ranking->scores);
  for (gsize item = 0; item < ranking->n; item++)
    for (gsize i = 0; i < panel.rows; i++)
      ranking->scores[item * panel.rows + i]
          = (float) ((double) ranking->scores[item * panel.rows + i] + own[i]);
  ranking->first = first;
  ranking->rows = panel.rows;
  assay_parallel_for (ranking->n, keep_best, ranking);
  return TRUE;
}

static int
compare_candidates (gconstpointer a, gconstpointer b)
{
  const Candidate *first = a, *second = b;

  return is_worse (first, second) ? 1 : is_worse (second, first) ? -1 : 0;
}

static gboolean
rank_rows (const LearnedLinkage *settings, const Scoring *scoring, const AssayObservation *seen,
           AssayGuess *ret_guess, GError **error)
{
  const gsize n = scoring->weights->rows, n_public = assay_rows_count (seen->public_rows);
  const gsize most = MIN ((gsize) settings->candidates, n_public);
  g_autofree gsize *held = assay_alloc (n, sizeof (gsize), "candidates", error);
  g_autofree Candidate *candidates
      = assay_alloc (n * most, sizeof (Candidate), "candidates", error);
  g_autofree float *scores
      = assay_alloc (n * MIN (PANEL, n_public), sizeof (float), "scores", error);
  Ranking ranking = { .scoring = scoring,
                      .n = n,
                      .most = most,
                      .held = held,
                      .candidates = candidates,
                      .scores = scores };
  gint64 *rows;

  if (held == NULL || candidates == NULL || scores == NULL
      || !assay_rows_for_each_panel (seen->public_rows, PANEL, assay_release_scale (seen->release),
                                     score_panel, &ranking, error))
    return FALSE;
  rows = assay_alloc (n * most, sizeof *rows, "candidates", error);
  if (rows == NULL)
    return FALSE;
  for (gsize i = 0; i < n; i++) {
    qsort (candidates + i * most, most, sizeof (Candidate), compare_candidates);
    for (gsize k = 0; k < most; k++)
      rows[i * most + k] = (gint64) candidates[i * most + k].row;
  }
  assay_arrays_take_rows (&ret_guess->arrays, "candidates", ASSAY_INT64, n, most, rows);
  return TRUE;
}

static AssayPrincipal *
components_of (const OwnExamples *examples, GError **error)
{
  const AssayView rows = assay_matrix_view (examples->outputs);
  const AssayView used = assay_view_rows (rows, 0, MIN (rows.rows, COMPONENT_ROWS));

  return assay_principal_new (used, MIN (MIN (used.cols, used.rows - 1), COMPONENTS), error);
}

static gboolean
check_columns (const AssayObservation *seen, const OwnExamples *examples, GError **error)
{
  return assay_rows_cols (seen->public_rows) == examples->outputs->cols
         || assay_fail (error, ASSAY_ERROR_MISMATCH,
                        "the public set has %zu columns, but the rows of the pairs have %zu",
                        assay_rows_cols (seen->public_rows), examples->outputs->cols);
}

static gboolean
attack (const AssayAttackContext *context, const AssayObservation *seen, AssayGuess *ret_guess,
        GError **error)
{
  const LearnedLinkage *settings = context->settings;
  g_auto (OwnExamples) examples = { 0 };
  g_auto (Scoring) scoring = { 0 };
  g_autoptr (AssayLearner) learner = NULL;
  g_autoptr (AssayMatrix) inputs = NULL;
  g_autoptr (AssayMatrix) predicted = NULL;
  g_autoptr (AssayPrincipal) principal = NULL;
  gboolean is_of_codes;

  if (!own_examples_new (seen->pairs, &examples, error) || !check_columns (seen, &examples, error))
    return FALSE;
  learner = own_examples_learn (&examples, settings->learner, context->stream, error);
  inputs = learner != NULL ? own_examples_see (&examples, seen->release, error) : NULL;
  if (inputs == NULL)
    return FALSE;
  predicted = assay_learner_predict (learner, assay_matrix_view (inputs), error);
  is_of_codes = seen->release->bits > 0 && assay_learner_expects (learner)->has_learned;
  principal = predicted != NULL ? components_of (&examples, error) : NULL;
  if (principal == NULL
      || !(is_of_codes ? make_bit_scoring (&examples, principal, inputs, settings->noise, &scoring,
                                           error)
                       : make_scoring (learner, principal, predicted, settings->noise, &scoring,
                                       error)))
    return FALSE;
  if (!assay_learner_expects (learner)->has_learned)
    guess_at_random (context->stream, &scoring);
  ret_guess->says = assay_learner_describe (learner);
  return rank_rows (settings, &scoring, seen, ret_guess, error);
}

/* ---- The control ---- */

/* The secrets are the first of 256 public rows. */
static gboolean
make_control (G_GNUC_UNUSED gconstpointer settings, AssayStreamKey key, AssayControlCase *ret_case,
              GError **error)
{
  static const OwnControl control = { .n_secrets = 16, .n_pairs = 400, .cols = 8 };
  enum { OTHERS = 240 };
  AssayStream stream = assay_stream (key, 1);
  g_autoptr (AssayMatrix) rows = NULL;
  gint64 *partners;
  AssayView secrets;

  if (!own_control_make (&control, key, ret_case, error))
    return FALSE;
  rows = assay_control_normals (control.n_secrets + OTHERS, control.cols, &stream, error);
  partners = assay_alloc (control.n_secrets, sizeof *partners, "partners", error);
  if (rows == NULL || partners == NULL) {
    g_free (partners);
    return FALSE;
  }
  secrets = assay_array_view (assay_arrays_get (&ret_case->truth->arrays, "secrets"));
  memcpy (rows->data, secrets.data, secrets.rows * secrets.cols * sizeof (float));
  for (gsize i = 0; i < control.n_secrets; i++)
    partners[i] = (gint64) i;
  assay_arrays_take_rows (&ret_case->truth->arrays, "partners", ASSAY_INT64, control.n_secrets, 1,
                          partners);
  ret_case->public_rows = assay_rows_take_matrix (g_steal_pointer (&rows));
  return TRUE;
}

/* And scores. */
ASSAY_MEMORY (memory, LearnedLinkage,
              own_examples_memory (shape, shape->cols)
                  + shape->n_secrets
                        * (PANEL * sizeof (float)
                           + (guint64) settings->candidates * 3 * sizeof (gint64)))

ASSAY_ATTACK (learned_linkage, "learned-linkage",
  .summary = "Run the defense on other rows, learn what an item shows, and rank known records",
  .reference = { "Ioffe 2006, Probabilistic Linear Discriminant Analysis",
                 "the likelihood ratio, of one example a class; the learner is ours" },
  ASSAY_SETTINGS (LearnedLinkage,
    ASSAY_PARAM_CHOICE (LearnedLinkage, learner, ASSAY_LEARNER_BEST, assay_learner_names,
                        "The learner; best: the one that does best on held-out rows of the "
                        "attacker's own",
                        ASSAY_PARAM_TRIES_ALL),
    ASSAY_PARAM_REAL (LearnedLinkage, noise, 0.01, 0, 10, "",
                      "Variance by which a person's known record differs from the secret, as a "
                      "share of the mean variance of a column"),
    ASSAY_PARAM_INT (LearnedLinkage, candidates, 100, 1, 1000000, "rows",
                     "How many public rows it names for each item")),
  .memory = memory,
  .reads = (guint) ASSAY_RELEASE_ANY & ~((guint) ASSAY_RELEASE_MIXTURES
                                         | (guint) ASSAY_RELEASE_STATISTICS),
  .needs = ASSAY_GRANT_MECHANISM,
  .adapts = TRUE,
  .wants_pairs = TRUE,
  .game = ASSAY_GAME_LINK,
  .attack = attack,
  .control = { .says = "given 400 pairs, rows that were turned by an unknown rotation are found "
                       "among 256",
               .make = make_control,
               .at_least = 0.9 });
