/* The Laplace mechanism (Dwork, McSherry, Nissim and Smith 2006, "Calibrating Noise to Sensitivity
 * in Private Data Analysis", section 3.1).
 *
 * A secret x is a row of reals; neighbours are at an L1 distance of at most s:
 *   y = x + z,  z_j ~ Laplace (b),  b = s / epsilon,
 *   ln p (y | x) / p (y | x') = sum_j (|y_j - x'_j| - |y_j - x_j|) / b,
 * which is at most |x - x'|_1 / b = epsilon, and exactly that wherever every y_j lies beyond x_j on
 * the side away from x'_j. Between two inputs that differ in one column both ends are atoms of the
 * ratio: half of the runs give exactly +epsilon.
 *
 * Noise is drawn and added in double and released as float32. Mironov 2012 ("On Significance of the
 * Least Significant Bits for Differential Privacy") shows that low bits of such sums tell inputs
 * apart. Here they are only seen in outputs below 2^-29 of an input, as float32 hides them
 * elsewhere, and those come up once in 10^9 runs or so. */
#include <math.h>

#include "core/data/kinds/vectors.h"
#include "defenses/mechanisms/real-neighbours.h"
#include "defenses/mechanisms/row-mechanism.h"

typedef struct {
  double epsilon;
  double sensitivity;
} Laplace;

static double
scale_of (const Laplace *settings)
{
  return settings->sensitivity / settings->epsilon;
}

REAL_NEIGHBOURS (Laplace, NORM_L1)

static void
run (gconstpointer data, gsize cols, AssayStream *stream, const float *input, gsize count,
     float *ret_outputs)
{
  const RowNoise noise = { assay_stream_fill_laplace, scale_of (data) };

  row_mechanism_add_noise (&noise, stream, input, cols, count, ret_outputs);
}

/* Of one column, times the scale. The output is first moved into the interval between the two
 * inputs. That changes nothing of the ratio, and makes all outputs beyond give the same number to
 * the last bit: an audit puts its threshold there, and rounding must not split the atom. */
static inline double
column_ratio (double first, double second, double output)
{
  const double low = MIN (first, second), high = MAX (first, second);
  const double inside = CLAMP (output, low, high);
  const double nearer_low = (high - inside) - (inside - low);

  return first < second ? nearer_low : -nearer_low;
}

REAL_LOG_RATIO (Laplace, scale_of)

/* Pair 0 and an output in column 0 of at least the first input's. */
static void
tight_event (G_GNUC_UNUSED gconstpointer data, G_GNUC_UNUSED gsize cols, double epsilon,
             double *ret_first, double *ret_second)
{
  *ret_first = 0.5;
  *ret_second = 0.5 * exp (-epsilon);
}

static gboolean
protect (const AssayDefenseContext *context, AssayView secrets, AssayRelease *ret_release,
         AssayTruth *ret_truth, GError **error)
{
  ASSAY_SET_PARAMETER (ret_release, AssayVectorsParameters, noise, ASSAY_NOISE_LAPLACE);
  ASSAY_SET_PARAMETER (ret_release, AssayVectorsParameters, scale, scale_of (context->settings));
  return row_mechanism_protect (context, secrets, ret_release, ret_truth, error);
}

ASSAY_DEFENSE (laplace, "laplace",
  .summary = "Add Laplace noise to every column",
  .reference = { "Dwork, McSherry, Nissim and Smith 2006, Calibrating Noise to Sensitivity in "
                 "Private Data Analysis",
                 "section 3.1" },
  ASSAY_SETTINGS (Laplace,
    ASSAY_PARAM_REAL (Laplace, epsilon, 1, 1e-6, 60, "nats",
                      "Privacy budget between neighbouring rows"),
    ASSAY_PARAM_REAL (Laplace, sensitivity, 1, 1e-9, 1e9, "",
                      "L1 distance up to which rows are neighbours; the noise has the scale "
                      "sensitivity / epsilon")),
  .produces = ASSAY_RELEASE_VECTORS,
  .claim = "epsilon-local differential privacy of a row, between rows at an L1 distance of at most "
           "the sensitivity",
  ASSAY_MECHANISM (
    .neighbours = "any two rows at an L1 distance of at most the sensitivity",
    .budget = row_mechanism_budget,
    .size = row_mechanism_size,
    .n_proposed = 1,
    .pair = pair,
    .domain = domain,
    .run = run,
    .log_ratio = log_ratio,
    .tight_event = tight_event),
  .protect = protect);
