/* Output perturbation of what several parties learned, after Pathak, Rane and Raj 2010, "Multiparty
 * Differential Privacy via Aggregation of Locally Trained Classifiers" (PRR10). Each of N parties
 * trains logistic regression with an L2 penalty on its own rows to the optimum; the mean is
 * released with noise that only the smallest party, of n rows, sets the size of:
 *   w^(p) = argmin 1/n sum_i ln (1 + exp (-w . z_i)) + lambda / 2 |w|^2,
 *   z_i = y_i x_i,  |z_i| <= 1,  w = 1/N sum_p w^(p) + eta,  of scale 2 / (n epsilon lambda).
 * A row of secrets is z_i, a sample times its class of 1 or -1, which is all that the loss depends
 * on; longer ones are shortened to length 1.
 *
 *   coordinates  eta_j ~ Laplace (scale) each by itself, which is what public code does
 *   spherical    a density that falls as exp (-|eta| / scale): |eta| ~ Gamma (d, scale), of any
 *                direction (Chaudhuri, Monteleoni and Sarwate 2011, algorithm 1)
 *
 * One row replaced moves w^(p) by at most 2 / (n lambda) in the L2 norm. Spherical noise makes of
 * it epsilon / N. Noise on coordinates pays for the L1 norm, up to sqrt (d) times as much: the
 * supremum of the log-ratio of two inputs is |Delta|_1 / scale, reached wherever every column lies
 * beyond the one mean on the side away from the other, and passes epsilon where sqrt (d) is well
 * above N.
 *
 * An input is the n rows of the smallest party; the others' models are the same in both inputs, and
 * taken as zero. */
#include <math.h>

#include "core/base/each.h"
#include "core/data/kinds/statistics.h"
#include "core/data/kinds/vectors.h"
#include "core/learn/logistic-optimum.h"
#include "defenses/mechanisms/party-noise.h"
#include "defenses/mechanisms/row-mechanism.h"
#include "defenses/mechanisms/unit-rows.h"

static const char *const shapes[] = { "coordinates", "spherical", NULL };

typedef struct {
  double epsilon;
  double penalty;
  gint64 users;
  gint64 records;
  guint noise;
} Prr10;

static double
scale_of (const Prr10 *settings, gsize records)
{
  return prr10_scale (records, settings->epsilon, settings->penalty);
}

/* ---- Training ---- */

/* 1 / (1 + exp (@margin)), the share of a row that its gradient has. */
static inline double
slope_at (double margin)
{
  return 1 / (1 + exp (margin));
}

/* Rows longer than 1 count as shortened. */
static void
train (AssayView rows, double penalty, double *ret_weights)
{
  g_autofree double *factors = g_new (double, rows.rows);

  for (gsize i = 0; i < rows.rows; i++)
    factors[i] = unit_rows_factor (assay_view_row (rows, i), rows.cols);
  assay_logistic_optimum (
      &(AssaySignedRows){ .rows = rows, .count = rows.rows, .factors = factors }, penalty,
      ret_weights);
}

/* ---- Neighbouring inputs ---- */

static void
size (gconstpointer data, gsize cols, gsize *ret_inputs, gsize *ret_outputs)
{
  const Prr10 *settings = data;

  *ret_inputs = (gsize) settings->records * cols;
  *ret_outputs = cols;
}

/* How far w gets along a direction in which all rows but one lie: lambda R = slope (R). */
static double
reach_of (const Prr10 *settings)
{
  double low = 0, high = 1 / settings->penalty;

  ASSAY_BISECT_REAL (100, reach, low, high, settings->penalty * reach < slope_at (reach))
  return low;
}

/* The angle off that direction, turned round, at which one row moves w most to the side: a row
 * that w gets wrong has a slope near 1. */
static double
best_angle (double reach)
{
  double best = G_PI / 2, most = 0;

  for (guint i = 1; i <= 900; i++) {
    const double angle = i * G_PI / 1800, moved = sin (angle) * slope_at (-reach * cos (angle));

    if (moved > most) {
      most = moved;
      best = angle;
    }
  }
  return best;
}

/* Pair 0: all rows are p but the first, which is -cos p + sin q in the one, -cos p - sin q in the
 * other (unit-rows.h). The difference lies along q. Beyond it rows are random. */
static void
pair (gconstpointer data, gsize cols, guint index, AssayStream *stream, float *ret_first,
      float *ret_second)
{
  const Prr10 *settings = data;
  const UnitRows size = { (gsize) settings->records, cols };
  const double angle = cols > 1 ? best_angle (reach_of (settings)) : G_PI / 2;

  if (index == 0)
    unit_rows_opposite (size, &(UnitRowsPair){ -cos (angle), sin (angle), cols > 1 ? 1 : 0 },
                        ret_first, ret_second);
  else
    unit_rows_random (size, stream, ret_first, ret_second);
}

/* ---- Runs ---- */

/* The mean of all parties' models, of which only that of @input is not zero. */
static double *
centre_of (const Prr10 *settings, gsize cols, const float *input)
{
  const AssayView rows
      = { .rows = (gsize) settings->records, .cols = cols, .stride = cols, .data = input };
  double *centre = g_new (double, cols);

  train (rows, settings->penalty, centre);
  for (gsize j = 0; j < cols; j++)
    centre[j] /= (double) settings->users;
  return centre;
}

static void
run (gconstpointer data, gsize cols, AssayStream *stream, const float *input, gsize count,
     float *ret_outputs)
{
  const Prr10 *settings = data;
  g_autofree double *centre = centre_of (settings, cols, input);
  g_autofree double *noise = g_new (double, cols);
  const double scale = scale_of (settings, (gsize) settings->records);

  for (gsize i = 0; i < count; i++) {
    prr10_draw ((Prr10Noise) settings->noise, scale, stream, cols, noise);
    for (gsize j = 0; j < cols; j++)
      ret_outputs[i * cols + j] = (float) (centre[j] + noise[j]);
  }
}

/* |y - second| - |y - first|. Both noises have it as their log-ratio, times the scale, in the norm
 * that is theirs. Of one column the output is first moved between the two: all outputs beyond then
 * give the same number to the last bit, and no threshold splits the atom. */
static double
nearer_first (Prr10Noise noise, const double *first, const double *second,
              const float *output, gsize cols)
{
  double sum = 0, near_first = 0, near_second = 0;

  for (gsize j = 0; j < cols; j++) {
    const double to_first = (double) output[j] - first[j];
    const double to_second = (double) output[j] - second[j];
    const double inside
        = CLAMP ((double) output[j], MIN (first[j], second[j]), MAX (first[j], second[j]));

    sum += fabs (inside - second[j]) - fabs (inside - first[j]);
    near_first += to_first * to_first;
    near_second += to_second * to_second;
  }
  return noise == PRR10_COORDINATES ? sum : sqrt (near_second) - sqrt (near_first);
}

static void
log_ratio (gconstpointer data, gsize cols, AssayInputPair pair, const float *outputs, gsize count,
           double *ret_scores)
{
  const Prr10 *settings = data;
  const double scale = scale_of (settings, (gsize) settings->records);
  g_autofree double *first = centre_of (settings, cols, pair.first);
  g_autofree double *second = centre_of (settings, cols, pair.second);

  for (gsize i = 0; i < count; i++)
    ret_scores[i]
        = nearer_first ((Prr10Noise) settings->noise, first, second, outputs + i * cols, cols)
          / scale;
}

/* ---- The defense ---- */

/* Parties get equal parts; the first ones a row more where that does not come out even. */
static gboolean
protect (const AssayDefenseContext *context, AssayView secrets, AssayRelease *ret_release,
         G_GNUC_UNUSED AssayTruth *ret_truth, GError **error)
{
  const Prr10 *settings = context->settings;
  const gsize users = (gsize) settings->users, least = secrets.rows / users;
  AssayStream stream = assay_stream (context->stream, 0);
  g_autofree double *model = g_new (double, secrets.cols);
  g_autofree double *sum = g_new0 (double, secrets.cols);
  AssayMatrix *released;

  if (least == 0)
    return assay_fail (error, ASSAY_ERROR_DATA,
                       "%zu secrets of %zu users; expected one each or "
                       "more",
                       secrets.rows, users);
  released = assay_matrix_new (1, secrets.cols, error);
  if (released == NULL)
    return FALSE;
  for (gsize p = 0, row = 0; p < users; p++) {
    const gsize count = least + (p < secrets.rows % users ? 1 : 0);

    train (assay_view_rows (secrets, row, count), settings->penalty, model);
    row += count;
    for (gsize j = 0; j < secrets.cols; j++)
      sum[j] += model[j] / (double) users;
  }
  prr10_draw ((Prr10Noise) settings->noise, scale_of (settings, least), &stream, secrets.cols,
              model);
  for (gsize j = 0; j < secrets.cols; j++)
    released->data[j] = (float) (sum[j] + model[j]);
  assay_arrays_take (&ret_release->arrays, "statistics", assay_array_take_matrix (released));
  if (settings->noise == PRR10_COORDINATES) { /* the kind has no name for the other noise */
    ASSAY_SET_PARAMETER (ret_release, AssayStatisticsParameters, noise, ASSAY_NOISE_LAPLACE);
    ASSAY_SET_PARAMETER (ret_release, AssayStatisticsParameters, scale, scale_of (settings, least));
  }
  return TRUE;
}

ASSAY_DEFENSE (prr10, "prr10",
  .summary = "Release the mean of the models of several parties, with noise",
  .reference = { "Pathak, Rane and Raj 2010, Multiparty Differential Privacy via Aggregation of "
                 "Locally Trained Classifiers",
                 "noise of scale 2 / (n epsilon lambda)" },
  ASSAY_SETTINGS (Prr10,
    ASSAY_PARAM_REAL (Prr10, epsilon, 1, 1e-6, 60, "nats", "Privacy budget that is claimed"),
    ASSAY_PARAM_REAL (Prr10, penalty, 0.01, 1e-6, 1e3, "", "Weight lambda of the penalty"),
    ASSAY_PARAM_INT (Prr10, users, 5, 1, 100000, "", "How many parties train (N)"),
    ASSAY_PARAM_INT (Prr10, records, 100, 1, 100000, "",
                     "In an audit of epsilon: rows of the smallest party; elsewhere it has its "
                     "part of the secrets"),
    ASSAY_PARAM_CHOICE (Prr10, noise, PRR10_COORDINATES, shapes,
                        "Laplace noise on each coordinate, scaled to the L1 norm; or noise in a "
                        "uniformly random direction, scaled to the L2 norm")),
  .produces = ASSAY_RELEASE_STATISTICS,
  .claim = "epsilon-differential privacy of each party's rows, between datasets of which one row "
           "is replaced",
  ASSAY_MECHANISM (
    .neighbours = "one row of the smallest party replaced by another",
    .budget = row_mechanism_budget,
    .has_own_inputs = TRUE,
    .size = size,
    .n_proposed = 1,
    .pair = pair,
    .run = run,
    .log_ratio = log_ratio),
  .protect = protect);
