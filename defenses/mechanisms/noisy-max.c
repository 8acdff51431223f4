/* Report noisy max on a row of query answers (Ding, Wang, Wang, Zhang and Kifer 2018, "Detecting
 * Violations of Differential Privacy", algorithms 5 to 8; the right ones: Dwork and Roth 2014, "The
 * Algorithmic Foundations of Differential Privacy", section 3.3).
 *
 * Answers q_1..q_n, each of sensitivity 1, any of which may rise while others fall; noise z_i of
 * scale b = 2 / epsilon, Laplace or exponential:
 *   index  argmax (q_i + z_i), numbered from 0   epsilon, with either noise
 *   value  max (q_i + z_i)                       known mistakes, which claim epsilon all the same
 * What the values leak follows from P (max <= t) = prod_i F ((t - q_i) / b) with F the distribution
 * function of the noise. If all n answers rise by 1, with Laplace noise that probability falls by
 * the factor exp (n epsilon / 2) wherever t is below every answer: not private from n = 3 on. With
 * exponential noise the maximum is never below the largest answer, so that values between the old
 * and the new one cannot come from the latter: no epsilon holds. */
#include "defenses/mechanisms/query-pairs.h"
#include "defenses/mechanisms/row-mechanism.h"

typedef enum { LAPLACE, EXPONENTIAL } Noise;
typedef enum { INDEX, VALUE } Releases;

static const char *const noises[] = { "laplace", "exponential", NULL };
static const char *const forms[] = { "index", "value", NULL };

typedef struct {
  double epsilon;
  guint noise;
  guint releases;
} NoisyMax;

static void
size (G_GNUC_UNUSED gconstpointer data, gsize cols, gsize *ret_inputs, gsize *ret_outputs)
{
  *ret_inputs = cols;
  *ret_outputs = 1;
}

/* An index is moved most by one answer that goes against all others, and not at all by all answers
 * together, which move the value most. */
static const QueryCategory for_index[QUERY_CATEGORIES] = {
  QUERY_ONE_ABOVE_REST_BELOW,
  QUERY_ONE_BELOW_REST_ABOVE,
  QUERY_HALF_HALF,
  QUERY_X_SHAPE,
  QUERY_ONE_ABOVE,
  QUERY_ONE_BELOW,
  QUERY_ALL_ABOVE,
  QUERY_ALL_BELOW,
};
static const QueryCategory for_value[QUERY_CATEGORIES] = {
  QUERY_ALL_ABOVE, QUERY_ALL_BELOW, QUERY_ONE_BELOW_REST_ABOVE,
  QUERY_HALF_HALF, QUERY_X_SHAPE,   QUERY_ONE_ABOVE_REST_BELOW,
  QUERY_ONE_ABOVE, QUERY_ONE_BELOW,
};

static void
pair (gconstpointer data, gsize cols, guint index, AssayStream *stream, float *ret_first,
      float *ret_second)
{
  const NoisyMax *settings = data;
  const QueryPairs pairs = { settings->releases == INDEX ? for_index : for_value, 1 };

  query_pairs_fill (pairs, cols, index, stream, ret_first, ret_second);
}

static void
run (gconstpointer data, gsize cols, AssayStream *stream, const float *input, gsize count,
     float *ret_outputs)
{
  const NoisyMax *settings = data;
  const double scale = 2 / settings->epsilon;

  for (gsize i = 0; i < count; i++) {
    double best = -G_MAXDOUBLE;
    gsize place = 0;

    for (gsize j = 0; j < cols; j++) {
      const double noise = settings->noise == LAPLACE ? assay_stream_laplace (stream)
                                                      : assay_stream_exponential (stream);
      const double answer = input[j] + scale * noise;

      if (answer > best) {
        best = answer;
        place = j;
      }
    }
    ret_outputs[i] = settings->releases == INDEX ? (float) place : (float) best;
  }
}

ASSAY_DEFENSE (noisy_max, "noisy-max",
  .summary = "Name the query with the largest noisy answer, or by mistake release that answer "
             "itself",
  .reference = { "Ding, Wang, Wang, Zhang and Kifer 2018, Detecting Violations of Differential "
                 "Privacy",
                 "algorithms 5 to 8" },
  ASSAY_SETTINGS (NoisyMax,
    ASSAY_PARAM_REAL (NoisyMax, epsilon, 1, 1e-6, 60, "nats", "Privacy budget that is claimed"),
    ASSAY_PARAM_CHOICE (NoisyMax, noise, LAPLACE, noises,
                        "Distribution of the noise, of scale 2 / epsilon"),
    ASSAY_PARAM_CHOICE (NoisyMax, releases, INDEX, forms,
                        "What is released: the number of the query with the largest noisy answer, "
                        "from 0; or, a known mistake, that answer itself")),
  .produces = ASSAY_RELEASE_VECTORS,
  .claim = "epsilon-differential privacy of a row of query answers, each of which one record "
           "changes by at most 1",
  ASSAY_MECHANISM (
    .neighbours = "one record changes every query answer by at most 1",
    .budget = row_mechanism_budget,
    .size = size,
    .n_proposed = QUERY_CATEGORIES,
    .pair = pair,
    .run = run),
  .protect = row_mechanism_protect);
