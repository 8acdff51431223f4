/* Randomised response (Warner 1965, "Randomized Response: A Survey Technique for Eliminating
 * Evasive Answer Bias"; in terms of epsilon: Dwork and Roth 2014, "The Algorithmic Foundations of
 * Differential Privacy", section 3.2).
 *
 * A secret is a code x of c bits. Every bit is flipped with probability b, independently:
 *   b = 1 / (1 + exp (e)),  ln P[y | x] / P[y | x'] = e * sum over x_j != x'_j of (+1 if y_j = x_j,
 *                                                                                   -1 otherwise)
 * with e the epsilon of one bit. If neighbours may differ in the whole code, e = epsilon / c, and
 * the largest ratio belongs to complementary codes and y = x; if they differ in one bit, e is
 * epsilon. epsilon = 0 is b = 1/2: no leak. */
#include <math.h>

#include "core/base/vectorise.h"
#include "core/data/kinds/vectors.h"
#include "defenses/mechanisms/coin.h"
#include "defenses/mechanisms/row-mechanism.h"

typedef enum { WHOLE_CODE, ONE_BIT } Relation;

static const char *const relations[] = { "whole-code", "one-bit", NULL };

typedef struct {
  double epsilon;
  guint relation;
} RandomisedResponse;

/* Random words that are drawn at once. */
#define WORDS 512

/* Bits in which neighbours may differ. */
static gsize
bits_apart (const RandomisedResponse *settings, gsize cols)
{
  return settings->relation == WHOLE_CODE ? cols : 1;
}

/* Of a bit whose epsilon is @epsilon; never above 1/2. */
static double
flip_chance (double epsilon)
{
  return 1 / (1 + exp (epsilon));
}

/* Pair 0: all ones and all zeros; or a one in column 0, and all zeros. */
static void
pair (gconstpointer data, gsize cols, guint index, AssayStream *stream, float *ret_first,
      float *ret_second)
{
  const RandomisedResponse *settings = data;
  const gsize apart = bits_apart (settings, cols);
  const gsize certain = assay_stream_below (stream, cols);

  for (gsize j = 0; j < cols; j++) {
    if (index == 0) {
      ret_first[j] = j < apart ? 1 : 0;
      ret_second[j] = 0;
      continue;
    }
    /* One bit differs for certain, so that no code is its own neighbour. */
    ret_first[j] = (float) (assay_stream_u32 (stream) & 1);
    ret_second[j] = j == certain                       ? 1 - ret_first[j]
                    : settings->relation == WHOLE_CODE ? (float) (assay_stream_u32 (stream) & 1)
                                                       : ret_first[j];
  }
}

/* Bits alone come here: others are refused. */
static AssayDomain *
domain (gconstpointer data, gsize cols)
{
  const RandomisedResponse *settings = data;
  AssayDomain *domain = assay_domain_new (
      settings->relation == WHOLE_CODE ? ASSAY_ADJACENCY_ANY : ASSAY_ADJACENCY_VALUE, 1, cols);

  for (gsize j = 0; j < cols; j++) {
    domain->lower[j] = 0;
    domain->upper[j] = 1;
  }
  domain->is_whole = domain->is_trusted = TRUE;
  return domain;
}

static void
run (gconstpointer data, gsize cols, AssayStream *stream, const float *input, gsize count,
     float *ret_outputs)
{
  const RandomisedResponse *settings = data;
  const double flip = flip_chance (settings->epsilon / (double) bits_apart (settings, cols));
  const Coin coin = coin_new (flip, 1 - flip);
  const gsize total = count * cols;
  guint32 words[WORDS];
  float flips[WORDS];

  row_mechanism_repeat (input, cols, count, ret_outputs);
  for (gsize done = 0; done < total; done += WORDS) {
    const gsize n = MIN (WORDS, total - done);

    assay_stream_fill_u32 (stream, n, words);
    coin_throw_all (&coin, words, n, stream, flips);
    /* The exclusive or of two bits. */
    for (gsize i = 0; i < n; i++)
      ret_outputs[done + i] = fabsf (ret_outputs[done + i] - flips[i]);
  }
}

/* Of codes of one bit. */
ASSAY_VECTORISED static void
one_bit_ratios (float first, double ratio, const float *outputs, gsize count, double *ret_scores)
{
  for (gsize i = 0; i < count; i++)
    ret_scores[i] = outputs[i] == first ? ratio : -ratio;
}

static void
log_ratio (gconstpointer data, gsize cols, AssayInputPair pair, const float *outputs, gsize count,
           double *ret_scores)
{
  const RandomisedResponse *settings = data;
  const double apart = (double) bits_apart (settings, cols);

  if (cols == 1) {
    one_bit_ratios (*pair.first, *pair.first != *pair.second ? settings->epsilon : 0, outputs,
                    count, ret_scores);
    return;
  }
  for (gsize i = 0; i < count; i++) {
    gssize balance = 0;

    for (gsize j = 0; j < cols; j++)
      if (pair.first[j] != pair.second[j])
        balance += outputs[i * cols + j] == pair.first[j] ? 1 : -1;
    ret_scores[i] = settings->epsilon * ((double) balance / apart);
  }
}

/* Every bit in which the inputs differ is as in the first. */
static void
tight_event (gconstpointer data, gsize cols, double epsilon, double *ret_first, double *ret_second)
{
  const double apart = (double) bits_apart (data, cols);
  const double flip = flip_chance (epsilon / apart);

  *ret_first = pow (1 - flip, apart);
  *ret_second = pow (flip, apart);
}

static gboolean
protect (const AssayDefenseContext *context, AssayView secrets, AssayRelease *ret_release,
         AssayTruth *ret_truth, GError **error)
{
  const RandomisedResponse *settings = context->settings;

  if (!row_mechanism_check_whole (secrets, 2, error)) {
    g_prefix_error (error, "secrets are bits: ");
    return FALSE;
  }
  ASSAY_SET_PARAMETER (
      ret_release, AssayVectorsParameters, flip_probability,
      flip_chance (settings->epsilon / (double) bits_apart (settings, secrets.cols)));
  return row_mechanism_protect (context, secrets, ret_release, ret_truth, error);
}

ASSAY_DEFENSE (randomised_response, "randomised-response",
  .summary = "Flip every bit with a probability that depends on epsilon",
  .reference = { "Warner 1965, Randomized Response; Dwork and Roth 2014, The Algorithmic "
                 "Foundations of Differential Privacy",
                 "section 3.2 of the latter" },
  ASSAY_SETTINGS (RandomisedResponse,
    ASSAY_PARAM_REAL (RandomisedResponse, epsilon, 1, 0, 30, "nats",
                      "Privacy budget between neighbouring codes; 0: every bit is a fair coin"),
    ASSAY_PARAM_CHOICE (RandomisedResponse, relation, WHOLE_CODE, relations,
                        "What neighbours differ in: any number of bits, and each bit gets epsilon "
                        "/ columns; or one bit, which gets epsilon")),
  .produces = ASSAY_RELEASE_VECTORS,
  .claim
  = "epsilon-local differential privacy of the whole code (relation = whole-code) or of each "
    "of its bits (relation = one-bit)",
  ASSAY_MECHANISM (
    .neighbours = "any two codes; with relation = one-bit, any two that differ in one bit",
    .budget = row_mechanism_budget,
    .size = row_mechanism_size,
    .n_proposed = 1,
    .pair = pair,
    .domain = domain,
    .run = run,
    .log_ratio = log_ratio,
    .tight_event = tight_event),
  .protect = protect);
