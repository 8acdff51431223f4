/* Judging a control that is like the real case. */
#include "core/games/control-like.h"

#include <math.h>

#include "core/base/vectors.h"
#include "core/games/control-shape.h"
#include "core/games/control.h"

#define AT_LEAST 0.75
#define CHANCE 0.01
/* Items that are judged, and others that each is held against; cases come in random order. */
enum { MOST_ITEMS = 256, MOST_OTHERS = 64, ENOUGH = 16 };

double
assay_control_like_at_least (gsize n)
{
  const double items = (double) n;

  return n == 0 ? 1 : MAX (AT_LEAST, 1 - exp ((log (CHANCE) + lgamma (items + 1)) / items) / items);
}

/* How near rows are: @values holds one for each estimate (row) and secret (column), larger where
 * they are nearer. The first @n columns are the estimates' own secrets. */
typedef struct {
  gsize n, cols;
  double *values;
} Nearness;

static gboolean
nearness_init (Nearness *nearness, gsize n, gsize cols, GError **error)
{
  *nearness = (Nearness){ n, cols, assay_alloc (n, cols * sizeof (double), "nearness", error) };
  return nearness->values != NULL;
}

/* The share of others that are farther than the secret's own, equal ones counted half. */
static double
placement (double own, double other)
{
  return own > other ? 1 : own == other ? 0.5 : 0;
}

static double
mean_placement (const Nearness *nearness)
{
  double sum = 0;

  for (gsize i = 0; i < nearness->n; i++) {
    const double *row = nearness->values + i * nearness->cols;
    double mean = 0;

    for (gsize j = 0; j < nearness->cols; j++)
      if (j != i)
        mean += placement (row[i], row[j]) / (double) (nearness->cols - 1);
    sum += mean;
  }
  return sum / (double) nearness->n;
}

/* Absolute correlation of two rows; 0 where one is constant. */
static double
correlate (const float *a, const float *b, gsize cols, gboolean is_absolute)
{
  double mean_a = 0, mean_b = 0, of_a = 0, of_b = 0, of_both = 0;

  for (gsize j = 0; j < cols; j++) {
    mean_a += is_absolute ? fabsf (a[j]) : a[j];
    mean_b += is_absolute ? fabsf (b[j]) : b[j];
  }
  mean_a /= (double) cols;
  mean_b /= (double) cols;
  for (gsize j = 0; j < cols; j++) {
    const double x = (is_absolute ? fabsf (a[j]) : a[j]) - mean_a;
    const double y = (is_absolute ? fabsf (b[j]) : b[j]) - mean_b;

    of_a += x * x;
    of_b += y * y;
    of_both += x * y;
  }
  /* Rounding alone makes no row vary. */
  if (of_a <= 1e-12 * mean_a * mean_a * (double) cols
      || of_b <= 1e-12 * mean_b * mean_b * (double) cols)
    return 0;
  return fabs (of_both) / sqrt (of_a * of_b);
}

/* ---- An estimate of each secret ---- */

static double
judge_correlations (AssayView estimates, AssayView secrets, Nearness *nearness)
{
  for (gsize i = 0; i < nearness->n; i++)
    for (gsize j = 0; j < nearness->cols; j++)
      nearness->values[i * nearness->cols + j] = correlate (
          assay_view_row (estimates, i), assay_view_row (secrets, j), secrets.cols, FALSE);
  return mean_placement (nearness);
}

/* Mean 0 and deviation 1 in each column; a column that does not vary is 0. */
static AssayMatrix *
standardised (AssayView rows, GError **error)
{
  AssayMatrix *copy = assay_matrix_copy (rows, error);

  for (gsize j = 0; copy != NULL && j < rows.cols; j++) {
    double mean = 0, square = 0;

    for (gsize i = 0; i < rows.rows; i++)
      mean += copy->data[i * rows.cols + j] / (double) rows.rows;
    for (gsize i = 0; i < rows.rows; i++)
      square += pow (copy->data[i * rows.cols + j] - mean, 2) / (double) rows.rows;
    for (gsize i = 0; i < rows.rows; i++) {
      float *value = &copy->data[i * rows.cols + j];

      *value = square > 1e-12 * mean * mean ? (float) ((*value - mean) / sqrt (square)) : 0;
    }
  }
  return copy;
}

static gboolean
judge_distances (AssayView estimates, AssayView secrets, Nearness *nearness, double *inout_best,
                 GError **error)
{
  g_autoptr (AssayMatrix) a = standardised (estimates, error);
  g_autoptr (AssayMatrix) b = a != NULL ? standardised (secrets, error) : NULL;

  if (b == NULL)
    return FALSE;
  for (gsize i = 0; i < nearness->n; i++)
    for (gsize j = 0; j < nearness->n; j++) {
      double sum = 0;

      for (gsize c = 0; c < a->cols; c++)
        sum += pow ((double) assay_matrix_row (a, i)[c] - assay_matrix_row (b, j)[c], 2);
      nearness->values[i * nearness->cols + j] = -sum;
    }
  *inout_best = MAX (*inout_best, mean_placement (nearness));
  return TRUE;
}

/* Inner products of all rows after the columns' means were taken away, those of a row with itself
 * left out: 0. */
static AssayMatrix *
products (AssayView rows, GError **error)
{
  g_autoptr (AssayMatrix) centred = assay_matrix_copy (rows, error);
  AssayMatrix *gram = centred != NULL ? assay_matrix_new (rows.rows, rows.rows, error) : NULL;

  if (gram == NULL)
    return NULL;
  for (gsize j = 0; j < rows.cols; j++) {
    double mean = 0;

    for (gsize i = 0; i < rows.rows; i++)
      mean += assay_matrix_row (centred, i)[j] / (double) rows.rows;
    for (gsize i = 0; i < rows.rows; i++)
      assay_matrix_row (centred, i)[j] -= (float) mean;
  }
  for (gsize i = 0; i < rows.rows; i++)
    for (gsize k = 0; k < rows.rows; k++)
      assay_matrix_row (gram, i)[k]
          = i == k ? 0
                   : (float) assay_dot (assay_matrix_row (centred, i),
                                        assay_matrix_row (centred, k), rows.cols);
  return gram;
}

static gboolean
judge_products (AssayView estimates, AssayView secrets, Nearness *nearness, double *inout_best,
                GError **error)
{
  g_autoptr (AssayMatrix) a = products (estimates, error);
  g_autoptr (AssayMatrix) b = a != NULL ? products (secrets, error) : NULL;

  if (b == NULL)
    return FALSE;
  *inout_best = MAX (*inout_best,
                     judge_correlations (assay_matrix_view (a), assay_matrix_view (b), nearness));
  return TRUE;
}

/* Few secrets have few others: rows with the means and deviations of the secrets' columns beside
 * them, or of a single one normal rows. */
static AssayMatrix *
with_others (AssayView secrets, AssayStream *stream, GError **error)
{
  const gsize n = secrets.rows;
  AssayMatrix *all = assay_matrix_new (n + MOST_OTHERS, secrets.cols, error);

  for (gsize j = 0; all != NULL && j < secrets.cols; j++) {
    double mean = 0, square = 0;

    for (gsize i = 0; i < n; i++) {
      assay_matrix_row (all, i)[j] = assay_view_row (secrets, i)[j];
      mean += assay_view_row (secrets, i)[j] / (double) n;
    }
    for (gsize i = 0; i < n; i++)
      square += pow (assay_view_row (secrets, i)[j] - mean, 2) / (double) n;
    for (gsize i = n; i < all->rows; i++)
      assay_matrix_row (all, i)[j]
          = (float) ((n > 1 ? mean : 0)
                     + (n > 1 ? sqrt (square) : 1) * assay_stream_normal (stream));
  }
  return all;
}

static gboolean
judge_ordered (AssayView estimates, AssayView secrets, AssayStream *stream, double *ret_share,
               GError **error)
{
  const gsize n = MIN (secrets.rows, MOST_ITEMS);
  const AssayView first = assay_view_rows (secrets, 0, n);
  const AssayView guessed = assay_view_rows (estimates, 0, n);
  g_autoptr (AssayMatrix) few = n < ENOUGH ? with_others (first, stream, error) : NULL;
  const AssayView against = few != NULL ? assay_matrix_view (few) : first;
  Nearness nearness;
  gboolean is_ok;

  *ret_share = 0;
  if ((n < ENOUGH && few == NULL) || !nearness_init (&nearness, n, against.rows, error))
    return FALSE;
  if (guessed.cols == secrets.cols)
    *ret_share = judge_correlations (guessed, against, &nearness);
  is_ok = n < ENOUGH
          || ((guessed.cols != secrets.cols
               || judge_distances (guessed, first, &nearness, ret_share, error))
              && judge_products (guessed, first, &nearness, ret_share, error));
  g_free (nearness.values);
  return is_ok;
}

/* ---- Estimates in no order, and codes ---- */

/* Signs may be lost, one for a row or one for each number. */
static double
best_of (AssayView estimates, const float *row)
{
  double best = 0;

  for (gsize i = 0; i < estimates.rows; i++) {
    const float *estimate = assay_view_row (estimates, i);

    best = MAX (best, MAX (correlate (estimate, row, estimates.cols, FALSE),
                           correlate (estimate, row, estimates.cols, TRUE)));
  }
  return best;
}

static double
judge_unordered (AssayView estimates, AssayView secrets, AssayView decoys)
{
  const gsize n = MIN (secrets.rows, MOST_ITEMS), m = MIN (decoys.rows, MOST_OTHERS);
  double others[MOST_OTHERS];
  double sum = 0;

  for (gsize j = 0; j < m; j++)
    others[j] = best_of (estimates, assay_view_row (decoys, j));
  for (gsize i = 0; i < n; i++) {
    const double own = best_of (estimates, assay_view_row (secrets, i));

    for (gsize j = 0; j < m; j++)
      sum += placement (own, others[j]) / (double) m;
  }
  return sum / (double) n;
}

static double
agreement (const guint8 *a, const guint8 *b, gsize bytes)
{
  gsize differ = 0;

  for (gsize j = 0; j < bytes; j++)
    differ += (gsize) __builtin_popcount (a[j] ^ b[j]);
  return 1 - (double) differ / (8 * (double) bytes);
}

static gboolean
judge_codes (const AssayArray *codes, const AssayArray *guessed, double *ret_share, GError **error)
{
  const gsize n = MIN (codes->shape[0], MOST_ITEMS), bytes = codes->shape[1];
  Nearness nearness;

  if (!nearness_init (&nearness, n, n, error))
    return FALSE;
  for (gsize i = 0; i < n; i++)
    for (gsize j = 0; j < n; j++)
      nearness.values[i * n + j]
          = agreement (guessed->data + i * bytes, codes->data + j * bytes, bytes);
  *ret_share = n > 1 ? mean_placement (&nearness) : nearness.values[0];
  g_free (nearness.values);
  return TRUE;
}

/* ---- Sets of rows, of which a release says something together ---- */

/* Rows of a set that are looked at; of estimates evenly spread ones. */
enum { MOST_SET_ROWS = 128 };

/* One over the variance of each column; 0 where it does not vary. */
static double *
column_weights (AssayView rows)
{
  double *weights = g_new0 (double, rows.cols);

  for (gsize j = 0; j < rows.cols; j++) {
    double mean = 0, square = 0;

    for (gsize i = 0; i < rows.rows; i++)
      mean += assay_view_row (rows, i)[j] / (double) rows.rows;
    for (gsize i = 0; i < rows.rows; i++)
      square += pow (assay_view_row (rows, i)[j] - mean, 2) / (double) rows.rows;
    weights[j] = square > 1e-12 * mean * mean ? 1 / square : 0;
  }
  return weights;
}

/* Mean distance between rows of two sets. */
static double
mean_distance (AssayView a, AssayView b, const double *weights)
{
  const gsize n = MIN (a.rows, MOST_SET_ROWS), m = MIN (b.rows, MOST_SET_ROWS);
  double sum = 0;

  for (gsize i = 0; i < n; i++)
    for (gsize k = 0; k < m; k++) {
      const float *x = assay_view_row (a, i * a.rows / n), *y = assay_view_row (b, k * b.rows / m);
      double square = 0;

      for (gsize j = 0; j < a.cols; j++)
        square += weights[j] * pow ((double) x[j] - y[j], 2);
      sum += sqrt (square);
    }
  return sum / (double) (n * m);
}

/* The energy distance (Szekely and Rizzo 2013) but for what all sets have in common. */
static double
set_distance (AssayView estimates, AssayView set, const double *weights)
{
  return 2 * mean_distance (estimates, set, weights) - mean_distance (set, set, weights);
}

/* @decoys: sets of as many rows as there are secrets, one below the other. */
static double
judge_set (AssayView estimates, AssayView secrets, AssayView decoys)
{
  const gsize n = secrets.rows, n_sets = decoys.rows / n;
  g_autofree double *weights = column_weights (decoys);
  const double own = -set_distance (estimates, secrets, weights);
  double sum = 0;

  for (gsize s = 0; s < n_sets; s++)
    sum += placement (own, -set_distance (estimates, assay_view_rows (decoys, s * n, n), weights));
  return sum / (double) n_sets;
}

/* ---- The games ---- */

static gboolean
judge_reconstruct (const AssayControlCase *control_case, const AssayGuess *guess,
                   AssayStreamKey key, AssayControlOutcome *ret_outcome, GError **error)
{
  const AssayArrays *truth = &control_case->truth->arrays;
  const AssayArray *codes = assay_arrays_get (&guess->arrays, "codes");
  const AssayArray *decoys = assay_arrays_get (truth, "decoys");
  const AssayView secrets = assay_array_view (assay_arrays_get (truth, "secrets"));
  AssayStream stream = assay_stream (key, 1);
  AssayView estimates;

  ret_outcome->n = MIN (secrets.rows, MOST_ITEMS);
  if (codes != NULL)
    return judge_codes (assay_arrays_get (truth, "codes"), codes, &ret_outcome->share, error);
  estimates = assay_array_view (assay_arrays_get (&guess->arrays, "estimates"));
  if (control_case->release->kind == ASSAY_RELEASE_STATISTICS) {
    /* What the columns of secrets are, the maker of the case need not know. */
    ret_outcome->n = estimates.cols == secrets.cols ? 1 : 0;
    if (ret_outcome->n > 0)
      ret_outcome->share = judge_set (estimates, secrets, assay_array_view (decoys));
    return TRUE;
  }
  if (decoys == NULL && estimates.rows == secrets.rows)
    return judge_ordered (estimates, secrets, &stream, &ret_outcome->share, error);
  if (decoys != NULL && estimates.cols == secrets.cols)
    ret_outcome->share = judge_unordered (estimates, secrets, assay_array_view (decoys));
  return TRUE;
}

/* A guess among p rows is right with chance 1/p. */
static void
judge_link (const AssayControlCase *control_case, const AssayObservation *seen,
            const AssayGuess *guess, AssayControlOutcome *ret_outcome)
{
  const double p = (double) assay_rows_count (seen->public_rows);

  assay_control_judge_candidates (control_case, guess, ret_outcome);
  ret_outcome->share = p > 1 ? MAX (0, (ret_outcome->share - 1 / p) / (1 - 1 / p)) : 0;
}

static gboolean
play (const AssayAttack *attack, const AssayAttackContext *context,
      const AssayControlCase *control_case, const AssayObservation *seen,
      AssayControlOutcome *ret_outcome, GError **error)
{
  const AssayGame game = assay_attack_plays (attack, context->settings);
  AssayObservation like = *seen;
  g_autoptr (AssayGuess) guess = assay_guess_new ();
  gboolean is_ok;

  like.release = control_case->release;
  like.other_releases = seen->other_releases != NULL ? control_case->release : NULL;
  like.database = control_case->database != NULL ? control_case->database : seen->database;
  like.public_rows
      = control_case->public_rows != NULL ? control_case->public_rows : seen->public_rows;
  like.groups = control_case->groups != NULL ? control_case->groups : seen->groups;
  like.pairs = control_case->pairs != NULL ? control_case->pairs : seen->pairs;
  if (control_case->shadow != NULL)
    like.shadow = control_case->shadow;
  if (control_case->crossed != NULL)
    like.crossed = control_case->crossed;
  is_ok = assay_attack_run (attack, context, &like, guess, error);
  if (is_ok && assay_control_shape_has (attack)) {
    *ret_outcome = assay_control_shape_judge (attack, control_case->truth, guess);
    return TRUE;
  }
  if (is_ok && game == ASSAY_GAME_LINK)
    judge_link (control_case, &like, guess, ret_outcome);
  else if (is_ok && game != ASSAY_GAME_RECONSTRUCT)
    is_ok = assay_control_judge_scores (game, control_case, guess, ret_outcome, error);
  else if (is_ok)
    is_ok = judge_reconstruct (control_case, guess, context->stream, ret_outcome, error);
  ret_outcome->is_won = ret_outcome->share >= assay_control_like_at_least (ret_outcome->n);
  return is_ok;
}

gboolean
assay_control_play_like (const AssayAttack *attack, const AssayAttackContext *context,
                         AssayStreamKey key, const AssayObservation *seen,
                         AssayControlOutcome *ret_outcome, GError **error)
{
  AssayControlCase control_case = { 0 };
  AssayControlOutcome outcome = { 0 };
  gboolean is_ok = attack->control.make_like (context->settings, key, seen, &control_case, error);

  if (is_ok && control_case.release != NULL)
    is_ok = play (attack, context, &control_case, seen, &outcome, error);
  assay_control_case_clear (&control_case);
  if (!is_ok)
    g_prefix_error (error, "control of attack %s: ", attack->id);
  *ret_outcome = outcome;
  return is_ok;
}
