/* The sparse vector technique on a row of query answers, as it should be and as it was published
 * with mistakes (Lyu, Su and Li 2017, "Understanding the Sparse Vector Technique for Differential
 * Privacy", figures 1 and 2).
 *
 * Answers q_1..q_n, each of sensitivity 1, a threshold T and a cutoff c. With rho and nu_i from
 * Laplace distributions of mean 0, query i is above where q_i + nu_i >= T + rho, and after c that
 * are above the rest is not looked at. Scales of the noise, at the claimed epsilon e:
 *                    rho     nu_i        what is wrong                       what holds
 *   standard         2 / e   4 c / e     nothing: algorithm 1                e
 *   values-released  2 / e   2 c / e     3, Roth's lecture notes: puts out   no epsilon
 *                                        q_i + nu_i of those above
 *   unscaled         4 / e   4 / (3 e)   4, Lee and Clifton: nu_i does not   (1 + 6 c) / 4 * e
 *                                        grow with c
 *   no-query-noise   2 / e   0           5, Stoddard et al., and no cutoff   no epsilon
 *   no-cutoff        2 / e   2 / e       6, Chen et al.: any number above    no epsilon
 * All of them claim e.
 *
 * A run puts out one number a query: 1 above, 0 below, -1 not looked at. The last is a symbol of
 * its own because a row has as many numbers as there are queries, and where a run stopped is part
 * of what is published. values-released has real numbers beside the symbols, which may be near 0
 * and -1; there -1000 is below and -2000 not looked at, far below what is released: answers of at
 * least T + rho, with T not negative. */
#include "defenses/mechanisms/query-pairs.h"
#include "defenses/mechanisms/row-mechanism.h"

typedef enum { STANDARD, VALUES_RELEASED, UNSCALED, NO_QUERY_NOISE, NO_CUTOFF } Variant;

static const char *const variants[]
    = { "standard", "values-released", "unscaled", "no-query-noise", "no-cutoff", NULL };

typedef struct {
  double epsilon;
  guint variant;
  double threshold;
  gint64 cutoff;
} SparseVector;

/* What a variant does, and the numbers that stand for its symbols. */
typedef struct {
  double threshold_scale, query_scale;
  guint64 cutoff;
  gboolean releases_value;
  float below, stopped;
} Rules;

static Rules
rules_of (const SparseVector *settings)
{
  const double e = settings->epsilon, c = (double) settings->cutoff;
  Rules rules = { .threshold_scale = 2 / e,
                  .query_scale = 4 * c / e,
                  .cutoff = (guint64) settings->cutoff,
                  .below = 0,
                  .stopped = -1 };

  switch ((Variant) settings->variant) {
  case STANDARD:
    break;
  case VALUES_RELEASED:
    rules.query_scale = 2 * c / e;
    rules.releases_value = TRUE;
    rules.below = -1000;
    rules.stopped = -2000;
    break;
  case UNSCALED:
    rules.threshold_scale = 4 / e;
    rules.query_scale = 4 / (3 * e);
    break;
  case NO_QUERY_NOISE:
    rules.query_scale = 0;
    rules.cutoff = G_MAXUINT64;
    break;
  case NO_CUTOFF:
    rules.query_scale = 2 / e;
    rules.cutoff = G_MAXUINT64;
    break;
  }
  return rules;
}

/* In the order of the epsilon that 10^6 runs can show at epsilon = 1, T = 1, c = 1 and 10 queries,
 * by integrating over rho; much the same for all that put out symbols. "All above" moves the value
 * that is released and all that is said to be below it the same way. */
static const QueryCategory for_symbols[QUERY_CATEGORIES] = {
  QUERY_X_SHAPE,
  QUERY_HALF_HALF,
  QUERY_ONE_ABOVE_REST_BELOW,
  QUERY_ONE_BELOW_REST_ABOVE,
  QUERY_ONE_ABOVE,
  QUERY_ONE_BELOW,
  QUERY_ALL_ABOVE,
  QUERY_ALL_BELOW,
};
static const QueryCategory for_values[QUERY_CATEGORIES] = {
  QUERY_ALL_ABOVE, QUERY_ALL_BELOW, QUERY_ONE_BELOW_REST_ABOVE,
  QUERY_X_SHAPE,   QUERY_HALF_HALF, QUERY_ONE_ABOVE_REST_BELOW,
  QUERY_ONE_ABOVE, QUERY_ONE_BELOW,
};

static void
pair (gconstpointer data, gsize cols, guint index, AssayStream *stream, float *ret_first,
      float *ret_second)
{
  const SparseVector *settings = data;
  const QueryPairs pairs = {
    settings->variant == VALUES_RELEASED ? for_values : for_symbols,
    settings->threshold,
  };

  query_pairs_fill (pairs, cols, index, stream, ret_first, ret_second);
}

static void
run (gconstpointer data, gsize cols, AssayStream *stream, const float *input, gsize count,
     float *ret_outputs)
{
  const SparseVector *settings = data;
  const Rules rules = rules_of (settings);

  for (gsize i = 0; i < count; i++) {
    const double threshold
        = settings->threshold + rules.threshold_scale * assay_stream_laplace (stream);
    float *outputs = ret_outputs + i * cols;
    guint64 left = rules.cutoff;
    gsize j;

    for (j = 0; j < cols && left > 0; j++) {
      const double noise
          = rules.query_scale > 0 ? rules.query_scale * assay_stream_laplace (stream) : 0;
      const double answer = input[j] + noise;

      if (answer < threshold) {
        outputs[j] = rules.below;
        continue;
      }
      outputs[j] = rules.releases_value ? (float) answer : 1;
      left--;
    }
    for (; j < cols; j++)
      outputs[j] = rules.stopped;
  }
}

ASSAY_DEFENSE (sparse_vector, "sparse-vector",
  .summary = "Tell which query answers reach a threshold, correctly or with a published mistake",
  .reference = { "Lyu, Su and Li 2017, Understanding the Sparse Vector Technique for Differential "
                 "Privacy",
                 "algorithms 1, 3, 4, 5 and 6" },
  ASSAY_SETTINGS (SparseVector,
    ASSAY_PARAM_CHOICE (SparseVector, variant, STANDARD, variants,
                        "standard is correct; the others are published mistakes, which claim "
                        "epsilon all the same"),
    ASSAY_PARAM_REAL (SparseVector, epsilon, 1, 1e-6, 60, "nats",
                      "Privacy budget that is claimed"),
    ASSAY_PARAM_REAL (SparseVector, threshold, 1, 0, 1e6, "",
                      "Queries whose noisy answers reach it count as above"),
    ASSAY_PARAM_INT (SparseVector, cutoff, 1, 1, 1000000, "queries",
                     "How many queries may be above before the rest is skipped; no-query-noise and "
                     "no-cutoff have no such limit")),
  .produces = ASSAY_RELEASE_VECTORS,
  .claim = "epsilon-differential privacy of a row of query answers, each of which one record "
           "changes by at most 1",
  ASSAY_MECHANISM (
    .neighbours = "one record changes every query answer by at most 1",
    .budget = row_mechanism_budget,
    .size = row_mechanism_size,
    .n_proposed = QUERY_CATEGORIES,
    .pair = pair,
    .run = run),
  .protect = row_mechanism_protect);
