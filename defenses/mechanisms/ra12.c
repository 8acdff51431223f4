/* Gradient descent whose objective and whose steps are perturbed, after Rajkumar and Agarwal 2012,
 * "A Differentially Private Stochastic Gradient Descent Algorithm for Multiparty Classification"
 * (RA12). One party of n rows z_i = y_i x_i, |z_i| <= 1, sends T gradients of a linear support
 * vector machine; with w_1 = 0 and w_(t+1) = w_t - rate g_t,
 *   g_t = lambda w_t - 1/n sum_(i: w_t . z_i <= 1) z_i + (b + xi_t) / n,
 *   b ~ N (0, sigma^2) once, sigma = 2 sqrt (2 ln (1.25 / delta)) / epsilon,
 *   xi_t ~ Laplace (2 / epsilon) in every step and column.
 * Longer rows are shortened to length 1. Other parties' gradients add to w_t what everybody knows,
 * and are taken as none.
 *
 * One row replaced moves n g_t by at most 2 in the L2 norm. The Gaussian pays for that in one step:
 * sigma is the classical Gaussian mechanism's, proved for epsilon up to 1. The Laplace noise by
 * itself pays for an L1 norm of 2, where it can be 2 sqrt (d): the supremum of the log-ratio of one
 * step is |Delta|_1 epsilon / 2, of all steps the sum of these, reached beyond all outputs that are
 * likely. Of several steps b is the same: their differences have the Laplace noise alone, and which
 * rows are below their margin changes from step to step. So the budget is spent in each step
 * (accounting = steps); that a whole run has it (accounting = run) fails when there are many.
 *
 *   both       as above
 *   gradient   xi alone
 *   objective  b alone: what two steps differ by is seen without noise
 *
 * The original was not at hand; scales are those of public code (Jayaraman, Wang, Evans and Gu
 * 2018, "Distributed Learning without Distress"). */
#include <math.h>
#include <string.h>

#include "core/base/free.h"
#include "core/plugin/callbacks.h"
#include "defenses/mechanisms/party-noise.h"
#include "defenses/mechanisms/repeated-noise.h"
#include "defenses/mechanisms/row-mechanism.h"
#include "defenses/mechanisms/unit-rows.h"

#define PAIRS 2 /* of the worst */

typedef enum { ACCOUNTING_STEPS, ACCOUNTING_RUN } Accounting;

static const char *const accountings[] = { "steps", "run", NULL };

typedef struct {
  double epsilon;
  double delta;
  double penalty;
  double rate;
  gint64 steps;
  gint64 records;
  guint noise; /* Ra12Noise */
  guint accounting;
} Ra12;

static AssayBudget
budget (gconstpointer data, G_GNUC_UNUSED gsize cols)
{
  const Ra12 *settings = data;
  const double times = settings->accounting == ACCOUNTING_STEPS ? (double) settings->steps : 1;

  return (AssayBudget){ .epsilon = times * settings->epsilon, .delta = times * settings->delta };
}

/* ---- Rows ---- */

/* Rows of which equal ones are counted, and which are at most 1 long. */
typedef struct {
  gsize n; /* all rows */
  gsize cols;
  gsize kinds;
  double *values; /* kinds x cols */
  double *counts; /* kinds */
} Rows;

ASSAY_LOCAL_CLEAR (Rows, rows_clear, g_free (self->values), g_free (self->counts))

/* Equal rows stand beside each other where a pair is the mechanism's own. */
static Rows
rows_of (const float *input, gsize n, gsize cols)
{
  Rows rows = { n, cols, 0, g_new (double, n *cols), g_new0 (double, n) };

  for (gsize i = 0; i < n; i++) {
    const float *row = input + i * cols;
    const double factor = unit_rows_factor (row, cols);

    if (i == 0 || memcmp (row, row - cols, cols * sizeof *row) != 0) {
      for (gsize j = 0; j < cols; j++)
        rows.values[rows.kinds * cols + j] = factor * (double) row[j];
      rows.kinds++;
    }
    rows.counts[rows.kinds - 1]++;
  }
  return rows;
}

/* The gradient at @weights, without noise. */
static void
gradient_at (const Rows *rows, double penalty, const double *weights, double *ret_gradient)
{
  const gsize cols = rows->cols;

  for (gsize j = 0; j < cols; j++)
    ret_gradient[j] = penalty * weights[j];
  for (gsize i = 0; i < rows->kinds; i++) {
    const double *row = rows->values + i * cols, share = rows->counts[i] / (double) rows->n;
    double margin = 0;

    for (gsize j = 0; j < cols; j++)
      margin += weights[j] * row[j];
    for (gsize j = 0; margin <= 1 && j < cols; j++)
      ret_gradient[j] -= share * row[j];
  }
}

/* ---- Neighbouring inputs ---- */

static void
size (gconstpointer data, gsize cols, gsize *ret_inputs, gsize *ret_outputs)
{
  const Ra12 *settings = data;

  *ret_inputs = (gsize) settings->records * cols;
  *ret_outputs = (gsize) settings->steps * cols;
}

/* Length of the rows along which w grows in pair 1. */
static double
growing_length (const Ra12 *settings)
{
  return MIN (sqrt (2 / (settings->rate * (double) settings->steps)), 0.9);
}

/* Pair 0: row 0 is q and -q, all others are zero: as far apart as rows can be, in every step.
 * Pair 1: it is h p +- sqrt (1 - h^2) q, and all others are h p, along which w grows by rate h a
 * step. Half way its margins pass 1, and row 0 is seen no more: the steps before and after differ
 * by what the one row is, whatever b. Beyond these rows are random. */
static void
pair (gconstpointer data, gsize cols, guint index, AssayStream *stream, float *ret_first,
      float *ret_second)
{
  const Ra12 *settings = data;
  const UnitRows size = { (gsize) settings->records, cols };
  const double h = growing_length (settings);
  const UnitRowsPair pairs[PAIRS]
      = { { .across = 1 },
          { .along = h, .across = cols > 1 ? sqrt (1 - h * h) : 1, .others = h } };

  if (index < PAIRS)
    unit_rows_opposite (size, &pairs[index], ret_first, ret_second);
  else
    unit_rows_random (size, stream, ret_first, ret_second);
}

/* ---- Runs ---- */

/* The model moves by what was sent, which is float32. */
static void
descend (double rate, const float *sent, gsize cols, double *inout_weights)
{
  for (gsize j = 0; j < cols; j++)
    inout_weights[j] -= rate * (double) sent[j];
}

/* @ret_messages: T x d. */
static void
play (const Ra12 *settings, const Rows *rows, AssayStream *stream, float *ret_messages)
{
  const Ra12Scales scales
      = ra12_scales (settings->epsilon, settings->delta, (Ra12Noise) settings->noise);
  const gsize cols = rows->cols;
  g_autofree double *weights = g_new0 (double, 4 * cols);
  double *gradient = weights + cols, *once = gradient + cols, *noise = once + cols;

  ra12_draw_once (&scales, stream, cols, once);
  for (gsize t = 0; t < (gsize) settings->steps; t++) {
    float *sent = ret_messages + t * cols;

    gradient_at (rows, settings->penalty, weights, gradient);
    ra12_draw_step (&scales, stream, cols, noise);
    for (gsize j = 0; j < cols; j++)
      sent[j] = (float) (gradient[j] + (once[j] + noise[j]) / (double) rows->n);
    descend (settings->rate, sent, cols, weights);
  }
}

static void
run (gconstpointer data, gsize cols, AssayStream *stream, const float *input, gsize count,
     float *ret_outputs)
{
  const Ra12 *settings = data;
  g_auto (Rows) rows = rows_of (input, (gsize) settings->records, cols);

  for (gsize i = 0; i < count; i++)
    play (settings, &rows, stream, ret_outputs + i * (gsize) settings->steps * cols);
}

/* ---- The density ---- */

/* Of @messages (T x d) on @rows: what remains of n g_t without the gradient is noise, column by
 * column, as w_t follows from what was sent. */
static double
log_density (const Ra12 *settings, const Rows *rows, const float *messages)
{
  const Ra12Scales scales
      = ra12_scales (settings->epsilon, settings->delta, (Ra12Noise) settings->noise);
  const RepeatedNoise noise = { scales.once, scales.step };
  const gsize cols = rows->cols, steps = (gsize) settings->steps;
  g_autofree double *weights = g_new0 (double, (2 + steps) * cols);
  double *gradient = weights + cols, *rest = gradient + cols, sum = 0;

  for (gsize t = 0; t < steps; t++) {
    const float *sent = messages + t * cols;

    gradient_at (rows, settings->penalty, weights, gradient);
    for (gsize j = 0; j < cols; j++)
      rest[j * steps + t] = (double) rows->n * ((double) sent[j] - gradient[j]);
    descend (settings->rate, sent, cols, weights);
  }
  for (gsize j = 0; j < cols; j++)
    sum += repeated_noise_log_density (&noise, rest + j * steps, steps);
  return sum;
}

static void
log_ratio (gconstpointer data, gsize cols, AssayInputPair pair, const float *outputs, gsize count,
           double *ret_scores)
{
  const Ra12 *settings = data;
  const gsize outputs_each = (gsize) settings->steps * cols;
  g_auto (Rows) first = rows_of (pair.first, (gsize) settings->records, cols);
  g_auto (Rows) second = rows_of (pair.second, (gsize) settings->records, cols);

  for (gsize i = 0; i < count; i++)
    ret_scores[i] = log_density (settings, &first, outputs + i * outputs_each)
                    - log_density (settings, &second, outputs + i * outputs_each);
}

/* With b alone the messages of several steps lie on a line. */
ASSAY_OF_SETTINGS (gboolean, has_density, Ra12, settings->noise != RA12_OBJECTIVE)

/* ---- The defense ---- */

static gboolean
check (gconstpointer data, const AssayShape *shape, GError **error)
{
  const Ra12 *settings = data;
  const AssayBudget claimed = budget (settings, 0);

  (void) shape;
  return claimed.delta < 1
         || assay_fail (error, ASSAY_ERROR_PARAMETER,
                        "accounting = steps: %" G_GINT64_FORMAT
                        " steps of delta = %g claim nothing; expected less than 1 in all",
                        settings->steps, settings->delta);
}

/* All secrets are rows of the one party; what it sends is released, step by step. */
static gboolean
protect (const AssayDefenseContext *context, AssayView secrets, AssayRelease *ret_release,
         G_GNUC_UNUSED AssayTruth *ret_truth, GError **error)
{
  const Ra12 *settings = context->settings;
  AssayStream stream = assay_stream (context->stream, 0);
  g_autoptr (AssayMatrix) input = assay_matrix_copy (secrets, error);
  AssayMatrix *released
      = input != NULL ? assay_matrix_new (1, (gsize) settings->steps * secrets.cols, error) : NULL;

  if (released == NULL)
    return FALSE;
  g_auto (Rows) rows = rows_of (input->data, secrets.rows, secrets.cols);

  play (settings, &rows, &stream, released->data);
  assay_arrays_take (&ret_release->arrays, "statistics", assay_array_take_matrix (released));
  return TRUE;
}

ASSAY_DEFENSE (ra12, "ra12",
  .summary = "Release the gradients that a party sends, with noise on its objective and its steps",
  .reference = { "Rajkumar and Agarwal 2012, A Differentially Private Stochastic Gradient Descent "
                 "Algorithm for Multiparty Classification",
                 "Gaussian noise once, Laplace noise in each step" },
  ASSAY_SETTINGS (Ra12,
    ASSAY_PARAM_REAL (Ra12, epsilon, 0.2, 1e-6, 60, "nats", "Privacy budget of a step"),
    ASSAY_PARAM_REAL (Ra12, delta, 0.05, 1e-12, 0.999, "", "delta that goes with epsilon"),
    ASSAY_PARAM_REAL (Ra12, penalty, 0.001, 0, 1e3, "", "Weight lambda of the penalty"),
    ASSAY_PARAM_REAL (Ra12, rate, 1, 1e-12, 1e6, "", "Learning rate"),
    ASSAY_PARAM_INT (Ra12, steps, 1, 1, 10000, "", "How many gradients are sent (T)"),
    ASSAY_PARAM_INT (Ra12, records, 1000, 1, 100000, "",
                     "In an audit of epsilon: rows of the party; elsewhere it has all secrets"),
    ASSAY_PARAM_CHOICE (Ra12, noise, RA12_BOTH, ra12_noises,
                        "Gaussian noise on the objective and Laplace noise on each step; or one of "
                        "them"),
    ASSAY_PARAM_CHOICE (Ra12, accounting, ACCOUNTING_STEPS, accountings,
                        "What is claimed: the budgets of all steps, added up; or the budget of one "
                        "step for the whole run")),
  .check = check,
  .produces = ASSAY_RELEASE_STATISTICS,
  .claim = "(epsilon, delta)-differential privacy of the party's rows, between datasets of which "
           "one row is replaced",
  ASSAY_MECHANISM (
    .neighbours = "one row of the party replaced by another",
    .budget = budget,
    .has_own_inputs = TRUE,
    .size = size,
    .n_proposed = PAIRS,
    .pair = pair,
    .run = run,
    .log_ratio = log_ratio,
    .has_density = has_density),
  .protect = protect);
