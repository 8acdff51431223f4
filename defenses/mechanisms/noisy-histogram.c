/* A histogram with Laplace noise, of all secrets together (Dwork and Roth 2014, "The Algorithmic
 * Foundations of Differential Privacy", example 3.2; with the wrong scale: Ding, Wang, Wang, Zhang
 * and Kifer 2018, "Detecting Violations of Differential Privacy", histograms).
 *
 * A secret is one whole number below the number of bins; counts n_0..n_(bins-1). Released is
 *   n_j + z_j,  z_j ~ Laplace (b),  correct: b = 1 / epsilon,  inverted: b = epsilon.
 * One record more or less changes one count by 1, so that 1 / b holds and no less. Both claim
 * epsilon: inverted is broken for epsilon < 1, where 1 / epsilon is what holds, and more private
 * than it claims for epsilon > 1. The default is therefore below 1.
 *
 * One-run audits: canary i is a record of value i, alone in its bin, and its score the noisy count
 * of that bin. Of a score above 1 or below 0 the guess is right with probability
 * 1 / (1 + exp (-1 / b)): nothing is lost against 1 / b. */
#include "core/data/kinds/statistics.h"
#include "core/data/kinds/vectors.h"
#include "defenses/mechanisms/row-mechanism.h"
#include "defenses/mechanisms/single-value.h"

typedef enum { CORRECT, INVERTED } Noise;

static const char *const noises[] = { "correct", "inverted", NULL };

typedef struct {
  double epsilon;
  gint64 bins;
  guint noise;
} NoisyHistogram;

/* Whole numbers are exact in float32 up to here. */
#define MOST_RECORDS 16777216

static gsize
bins_of (gconstpointer data, G_GNUC_UNUSED gsize cols)
{
  const NoisyHistogram *settings = data;

  return (gsize) settings->bins;
}

static void
size (gconstpointer data, gsize cols, gsize *ret_inputs, gsize *ret_outputs)
{
  *ret_inputs = *ret_outputs = bins_of (data, cols);
}

/* Pair 0: a record in bin 0, and none. Every bin has the same noise: no other pair leaks more. */
static void
pair (gconstpointer data, gsize cols, guint index, AssayStream *stream, float *ret_first,
      float *ret_second)
{
  const gsize bins = bins_of (data, cols);
  const gsize changed = index == 0 ? 0 : assay_stream_below (stream, bins);
  const gboolean has_first_more = index == 0 || (assay_stream_u32 (stream) & 1);

  for (gsize j = 0; j < bins; j++)
    ret_first[j] = ret_second[j] = index == 0 ? 0 : (float) assay_stream_below (stream, 10);
  *(has_first_more ? &ret_first[changed] : &ret_second[changed]) += 1;
}

/* Of counts, one record more or less is one of them by one. */
static AssayDomain *
domain (gconstpointer data, gsize cols)
{
  const gsize bins = bins_of (data, cols);
  AssayDomain *domain = assay_domain_new (ASSAY_ADJACENCY_L1, 1, bins);

  for (gsize j = 0; j < bins; j++)
    domain->lower[j] = 0;
  domain->is_whole = TRUE;
  return domain;
}

static double
scale_of (const NoisyHistogram *settings)
{
  return settings->noise == CORRECT ? 1 / settings->epsilon : settings->epsilon;
}

static void
run (gconstpointer data, gsize cols, AssayStream *stream, const float *input, gsize count,
     float *ret_outputs)
{
  const NoisyHistogram *settings = data;
  const gsize bins = bins_of (data, cols);
  const double scale = scale_of (settings);

  for (gsize i = 0; i < count; i++)
    for (gsize j = 0; j < bins; j++)
      ret_outputs[i * bins + j] = (float) (input[j] + scale * assay_stream_laplace (stream));
}

static gboolean
make_canaries (G_GNUC_UNUSED gconstpointer data, gsize cols, gsize count,
               G_GNUC_UNUSED AssayStream *stream, float *ret_rows, G_GNUC_UNUSED GError **error)
{
  for (gsize i = 0; i < count; i++)
    ret_rows[i * cols] = (float) i;
  return TRUE;
}

static gboolean
score_canaries (G_GNUC_UNUSED gconstpointer data, AssayView rows, const float *release,
                G_GNUC_UNUSED gsize n_release, double *ret_scores, G_GNUC_UNUSED GError **error)
{
  for (gsize i = 0; i < rows.rows; i++)
    ret_scores[i] = release[(gsize) *assay_view_row (rows, i)];
  return TRUE;
}

static const AssayCanaries canaries
    = { .most = bins_of, .make = make_canaries, .score = score_canaries };

/* There may be no secrets at all: a histogram of zeros is as private as any other. */
static gboolean
protect (const AssayDefenseContext *context, AssayView secrets, AssayRelease *ret_release,
         G_GNUC_UNUSED AssayTruth *ret_truth, GError **error)
{
  const NoisyHistogram *settings = context->settings;
  const gsize bins = (gsize) settings->bins;
  AssayStream stream = assay_stream (context->stream, 0);
  g_autoptr (AssayMatrix) counts = NULL;
  AssayMatrix *noisy;

  if (!single_value_check_secrets (settings, secrets, error))
    return FALSE;
  if (secrets.rows > MOST_RECORDS)
    return assay_fail (error, ASSAY_ERROR_DATA,
                       "%zu secrets; expected at most %d, up to which counts are exact in float32",
                       secrets.rows, MOST_RECORDS);
  counts = assay_matrix_new (1, bins, error);
  noisy = counts != NULL ? assay_matrix_new (1, bins, error) : NULL;
  if (noisy == NULL)
    return FALSE;
  for (gsize i = 0; i < secrets.rows; i++)
    counts->data[(gsize) *assay_view_row (secrets, i)]++;
  run (settings, secrets.cols, &stream, counts->data, 1, noisy->data);
  assay_arrays_take (&ret_release->arrays, "statistics", assay_array_take_matrix (noisy));
  ASSAY_SET_PARAMETER (ret_release, AssayStatisticsParameters, noise, ASSAY_NOISE_LAPLACE);
  ASSAY_SET_PARAMETER (ret_release, AssayStatisticsParameters, scale, scale_of (settings));
  return TRUE;
}

ASSAY_DEFENSE (noisy_histogram, "noisy-histogram",
  .summary = "Release a noisy count of secrets for each value, with Laplace noise of the right or "
             "a wrong scale",
  .reference = { "Dwork and Roth 2014, The Algorithmic Foundations of Differential Privacy; Ding, "
                 "Wang, Wang, Zhang and Kifer 2018, Detecting Violations of Differential Privacy",
                 "example 3.2; histograms" },
  ASSAY_SETTINGS (NoisyHistogram,
    ASSAY_PARAM_REAL (NoisyHistogram, epsilon, 0.5, 1e-6, 60, "nats",
                      "Privacy budget that is claimed"),
    ASSAY_PARAM_INT (NoisyHistogram, bins, 10, 1, 1000000, "",
                     "How many bins there are: secrets are 0 to bins - 1"),
    ASSAY_PARAM_CHOICE (NoisyHistogram, noise, CORRECT, noises,
                        "Scale of the noise: 1 / epsilon; or epsilon, which is a known mistake and "
                        "breaks the claim where epsilon < 1")),
  .check = single_value_check,
  .produces = ASSAY_RELEASE_STATISTICS,
  .claim = "epsilon-differential privacy of the dataset, between datasets with one record more or "
           "less",
  ASSAY_MECHANISM (
    .neighbours = "one record more or less",
    .budget = row_mechanism_budget,
    .size = size,
    .n_proposed = 1,
    .pair = pair,
    .domain = domain,
    .run = run,
    .canaries = &canaries),
  .protect = protect);
