/* Unary encoding (Wang, Blocki, Li and Jha 2017, "Locally Differentially Private Protocols for
 * Frequency Estimation", section 4.3), right and with mistakes that were made.
 *
 * A secret is one number v of d values. Released are d independent bits, of which number v is 1
 * with probability p and every other with probability q. Two values differ in two bits, so that
 *   max ln P[y | v] / P[y | v'] = |ln (p (1 - q) / ((1 - p) q))|,
 * for the event {y_v = 1 and y_v' = 0}.
 *   symmetric  p = exp (epsilon / 2) / (exp (epsilon / 2) + 1), q = 1 - p   (basic RAPPOR)
 *   optimised  p = 1/2, q = 1 / (exp (epsilon) + 1)
 * Whatever the defect, epsilon is what is claimed; what holds is
 *   swapped     p and q exchanged: the ratio is inverted and epsilon stays. Harmless for privacy,
 *               ruinous for use.
 *   kept-noise  the bit of v is set with probability p and otherwise keeps the noise that it
 *               already has, so that it is 1 with probability p + (1 - p) q: a larger epsilon. The
 *               mistake of the package pure-LDP (its issue 11), found by Arcolezi and Gambs 2023,
 *               "Revealing the True Cost of Locally Differentially Private Protocols: An Auditing
 *               Perspective".
 *   mixed       p of the symmetric encoding with q of the optimised: 1.5 epsilon. */
#include <math.h>

#include "defenses/mechanisms/coin.h"
#include "defenses/mechanisms/row-mechanism.h"
#include "defenses/mechanisms/single-value.h"

typedef enum { SYMMETRIC, OPTIMISED } Encoding;
typedef enum { NONE, SWAPPED, KEPT_NOISE, MIXED } Defect;

static const char *const encodings[] = { "symmetric", "optimised", NULL };
static const char *const defects[] = { "none", "swapped", "kept-noise", "mixed", NULL };

typedef struct {
  double epsilon;
  gint64 values;
  guint encoding;
  guint defect;
} UnaryEncoding;

/* Random words that are drawn at once. */
#define WORDS 512

/* Chances of a bit to be 1 and to be 0, each to its own relative precision. */
typedef struct {
  double one, zero;
} Bit;

static Bit
bit_of (double log_odds)
{
  return (Bit){ .one = 1 / (1 + exp (-log_odds)), .zero = 1 / (1 + exp (log_odds)) };
}

/* As the encoding has them, without a defect. */
static void
designed_bits (Encoding encoding, double epsilon, Bit *ret_own, Bit *ret_other)
{
  *ret_own = encoding == SYMMETRIC ? bit_of (epsilon / 2) : bit_of (0);
  *ret_other = encoding == SYMMETRIC ? bit_of (-epsilon / 2) : bit_of (-epsilon);
}

/* As they are. */
static void
actual_bits (const UnaryEncoding *settings, Bit *ret_own, Bit *ret_other)
{
  Bit own, other, unused;

  designed_bits (settings->encoding, settings->epsilon, &own, &other);
  switch ((Defect) settings->defect) {
  case NONE:
    break;
  case SWAPPED:
    unused = own;
    own = other;
    other = unused;
    break;
  case KEPT_NOISE:
    own = (Bit){ .one = own.one + own.zero * other.one, .zero = own.zero * other.zero };
    break;
  case MIXED:
    designed_bits (SYMMETRIC, settings->epsilon, &own, &unused);
    designed_bits (OPTIMISED, settings->epsilon, &unused, &other);
    break;
  }
  *ret_own = own;
  *ret_other = other;
}

static void
size (gconstpointer data, G_GNUC_UNUSED gsize cols, gsize *ret_inputs, gsize *ret_outputs)
{
  const UnaryEncoding *settings = data;

  *ret_inputs = 1;
  *ret_outputs = (gsize) settings->values;
}

static void
run (gconstpointer data, G_GNUC_UNUSED gsize cols, AssayStream *stream, const float *input,
     gsize count, float *ret_outputs)
{
  const UnaryEncoding *settings = data;
  const gsize values = (gsize) settings->values, value = (gsize) *input, total = count * values;
  guint32 words[WORDS];
  Coin own_coin, other_coin;
  Bit own, other;
  gsize next = value; /* place of the next bit of the true value */

  actual_bits (settings, &own, &other);
  own_coin = coin_new (own.one, own.zero);
  other_coin = coin_new (other.one, other.zero);
  for (gsize done = 0; done < total; done += WORDS) {
    const gsize n = MIN (WORDS, total - done);

    assay_stream_fill_u32 (stream, n, words);
    coin_throw_all (&other_coin, words, n, stream, ret_outputs + done);
    for (; next < done + n; next += values)
      ret_outputs[next] = (float) coin_is_heads (&own_coin, words[next - done], stream);
  }
}

/* That of the encoding without a defect, of which its owner knows nothing. */
static void
tight_event (gconstpointer data, G_GNUC_UNUSED gsize cols, double epsilon, double *ret_first,
             double *ret_second)
{
  const UnaryEncoding *settings = data;
  Bit own, other;

  designed_bits (settings->encoding, epsilon, &own, &other);
  *ret_first = own.one * other.zero;
  *ret_second = other.one * own.zero;
}

/* Without log_ratio: a broken implementation does not know its own density. */
static gboolean
protect (const AssayDefenseContext *context, AssayView secrets, AssayRelease *ret_release,
         AssayTruth *ret_truth, GError **error)
{
  return single_value_check_secrets (context->settings, secrets, error)
         && row_mechanism_protect (context, secrets, ret_release, ret_truth, error);
}

ASSAY_DEFENSE (unary_encoding, "unary-encoding",
  .summary = "Encode a value as one bit among many, and flip bits, correctly or with a known "
             "mistake",
  .reference
  = { "Wang, Blocki, Li and Jha 2017, Locally Differentially Private Protocols for "
      "Frequency Estimation; Arcolezi and Gambs 2023, Revealing the True Cost of Locally "
      "Differentially Private Protocols",
      "section 4.3 of the former" },
  ASSAY_SETTINGS (UnaryEncoding,
    ASSAY_PARAM_REAL (UnaryEncoding, epsilon, 1, 0, 30, "nats",
                      "Privacy budget that is claimed between any two values"),
    ASSAY_PARAM_INT (UnaryEncoding, values, 10, 2, 65536, "",
                     "How many values d there are: secrets are 0 to d - 1"),
    ASSAY_PARAM_CHOICE (UnaryEncoding, encoding, SYMMETRIC, encodings,
                        "Probabilities of a 1: symmetric, alike for true and other bits; "
                        "optimised, those with the least variance"),
    ASSAY_PARAM_CHOICE (UnaryEncoding, defect, NONE, defects,
                        "A known mistake: swapped probabilities (epsilon stays, the release is "
                        "useless), noise kept under the true bit (epsilon grows), or the "
                        "probabilities of both encodings mixed (1.5 epsilon); the claim stays the "
                        "same")),
  .check = single_value_check,
  .produces = ASSAY_RELEASE_VECTORS,
  .claim
  = "epsilon-local differential privacy of each secret, between any two values, whatever `defect` "
    "says",
  ASSAY_MECHANISM (
    .neighbours = "any two values",
    .budget = row_mechanism_budget,
    .size = size,
    .n_proposed = 1,
    .pair = single_value_pair,
    .domain = single_value_domain,
    .run = run,
    .tight_event = tight_event),
  .protect = protect);
