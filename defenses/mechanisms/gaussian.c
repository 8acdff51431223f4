/* The Gaussian mechanism. A secret x is a row of reals; neighbours are at an L2 distance of at most
 * s: y = x + z, z_j ~ N (0, sigma^2). With m = s / sigma, neighbours at distance s have
 *   delta (epsilon) = Phi (a) - exp (epsilon) Phi (-a - 2 epsilon / m),  a = m / 2 - epsilon / m
 * (Balle and Wang 2018, "Improving the Gaussian Mechanism for Differential Privacy: Analytical
 * Calibration and Optimal Denoising", theorem 8). It grows with m: d delta / d m = phi (a).
 *   analytic   sigma solves delta (epsilon) = delta: the smallest noise for which the claim holds
 *   classical  sigma = sqrt (2 ln (1.25 / delta)) s / epsilon (Dwork and Roth 2014, "The
 *              Algorithmic Foundations of Differential Privacy", theorem A.1), proved for epsilon
 *              up to 1; more noise than needed
 * The event for which the inequality is tight is {ln p (y | x) / p (y | x') >= epsilon}, for pair 0
 * {y_0 >= epsilon sigma^2 / s + s / 2}; its probabilities are the two terms above. */
#include <math.h>

#include "core/data/kinds/vectors.h"
#include "core/stats/gaussian-privacy.h"
#include "defenses/mechanisms/real-neighbours.h"
#include "defenses/mechanisms/row-mechanism.h"

typedef enum { ANALYTIC, CLASSICAL } Calibration;

static const char *const calibrations[] = { "analytic", "classical", NULL };

typedef struct {
  double epsilon;
  double delta;
  double sensitivity;
  guint calibration;
} Gaussian;

/* ---- Calibration ---- */

/* s / sigma for this budget. */
static double
distance (const Gaussian *settings, double epsilon)
{
  return settings->calibration == ANALYTIC ? assay_gaussian_distance (epsilon, settings->delta)
                                           : epsilon / sqrt (2 * log (1.25 / settings->delta));
}

/* ---- The mechanism ---- */

static double
deviation (const Gaussian *settings)
{
  return settings->sensitivity / distance (settings, settings->epsilon);
}

static double
variance_of (const Gaussian *settings)
{
  return deviation (settings) * deviation (settings);
}

REAL_NEIGHBOURS (Gaussian, NORM_L2)

static void
run (gconstpointer data, gsize cols, AssayStream *stream, const float *input, gsize count,
     float *ret_outputs)
{
  const RowNoise noise = { assay_stream_fast_normals, deviation (data) };

  row_mechanism_add_noise (&noise, stream, input, cols, count, ret_outputs);
}

/* ((y - x')^2 - (y - x)^2) / 2 of one column, without squares of large numbers. */
static inline double
column_ratio (double first, double second, double output)
{
  return (first - second) * (output - (first + second) / 2);
}

REAL_LOG_RATIO (Gaussian, variance_of)

/* With the classical calibration the epsilon that is tight at this delta is below the claimed. */
static void
tight_event (gconstpointer data, G_GNUC_UNUSED gsize cols, double epsilon, double *ret_first,
             double *ret_second)
{
  const Gaussian *settings = data;
  const double m = distance (settings, epsilon);

  assay_gaussian_event_logs (m, assay_gaussian_epsilon (m, settings->delta), ret_first, ret_second);
  *ret_first = exp (*ret_first);
  *ret_second = exp (*ret_second);
}

static gboolean
check (gconstpointer data, G_GNUC_UNUSED const AssayShape *shape, GError **error)
{
  const Gaussian *settings = data;

  if (settings->calibration == CLASSICAL && settings->epsilon > 1)
    return assay_fail (error, ASSAY_ERROR_PARAMETER,
                       "epsilon = %g: expected at most 1, because calibration = classical is "
                       "proved for that alone; analytic has no such limit",
                       settings->epsilon);
  return TRUE;
}

static gboolean
protect (const AssayDefenseContext *context, AssayView secrets, AssayRelease *ret_release,
         AssayTruth *ret_truth, GError **error)
{
  ASSAY_SET_PARAMETER (ret_release, AssayVectorsParameters, noise, ASSAY_NOISE_GAUSSIAN);
  ASSAY_SET_PARAMETER (ret_release, AssayVectorsParameters, scale, deviation (context->settings));
  return row_mechanism_protect (context, secrets, ret_release, ret_truth, error);
}

ASSAY_DEFENSE (gaussian, "gaussian",
  .summary = "Add Gaussian noise to every column",
  .reference = { "Balle and Wang 2018, Improving the Gaussian Mechanism for Differential Privacy",
                 "theorem 8" },
  ASSAY_SETTINGS (Gaussian,
    ASSAY_PARAM_REAL (Gaussian, epsilon, 1, 1e-4, 60, "nats",
                      "Privacy budget between neighbouring rows"),
    ASSAY_PARAM_REAL (Gaussian, delta, 1e-5, 1e-30, 0.999999, "",
                      "Probability mass for which epsilon need not hold"),
    ASSAY_PARAM_REAL (Gaussian, sensitivity, 1, 1e-9, 1e9, "",
                      "L2 distance up to which rows are neighbours"),
    ASSAY_PARAM_CHOICE (Gaussian, calibration, ANALYTIC, calibrations,
                        "How the noise is chosen: the smallest for which the claim holds, or that "
                        "of the classical bound (epsilon up to 1)")),
  .check = check,
  .produces = ASSAY_RELEASE_VECTORS,
  .claim
  = "(epsilon, delta)-local differential privacy of a row, between rows at an L2 distance of "
    "at most the sensitivity",
  ASSAY_MECHANISM (
    .neighbours = "any two rows at an L2 distance of at most the sensitivity",
    .budget = row_mechanism_budget_with_delta,
    .size = row_mechanism_size,
    .n_proposed = 1,
    .pair = pair,
    .domain = domain,
    .run = run,
    .log_ratio = log_ratio,
    .tight_event = tight_event),
  .protect = protect);
