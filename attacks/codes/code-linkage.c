/* Whose record is this code? Candidates are hashed and compared with it (game link).
 *
 * Release: codes, n x c bits, with the hash function (granted, as PHashing releases it), whose
 * codes of public rows are known to the bit. Guess for each code: public rows, best first, by
 *   score = hamming     the number of bits that differ
 *   score = likelihood  how likely the code is of the candidate, of whose margins m_j the record
 *                       differs by Gaussian noise of `noise` times their root mean square: a bit
 *                       agrees with probability b + (1 - 2 b) Phi (|m_j| / sigma_j), b the flips
 *                       that the attacker assumes; near its threshold it says little
 * the first of equals first. How often bits are flipped is
 *   flips = known      what the attacker knows of the defense (flip_probability)
 *   flips = estimated  where the likelihood of all codes is largest, each a mixture over the
 *                      candidates: sum_i log sum_c b^d (1 - b)^(bits - d), d the Hamming distance
 *                      of code i and candidate c; records that differ from the secrets count as
 *                      flips
 * Bits that are flipped with a probability above 1/2 are turned back.
 * With further releases of the same codes (grant `repeats`) bits are their means over the releases.
 * Public rows are hashed as they are streamed (core/search/search.h), twice where there is
 * something to be learned from all of them first; none of them is held.
 * Cost: 2 n p c operations for p public rows; by Hamming distance of one release n p c / 64. */
#include <math.h>
#include <string.h>

#include "attacks/codes/released-codes.h"
#include "core/base/free.h"
#include "core/base/parallel.h"
#include "core/plugin/callbacks.h"
#include "core/search/scan.h"

enum { HAMMING, LIKELIHOOD };
enum { ESTIMATED, KNOWN };

static const char *const scores[] = { "hamming", "likelihood", NULL };
static const char *const flip_forms[] = { "estimated", "known", NULL };

typedef struct {
  guint score;
  guint flips;
  double flip_probability;
  double noise;
  gint64 candidates;
  gint64 repeats;
} CodeLinkage;

#define CHUNK (gsize) 8192 /* public rows that are hashed at a time, to learn from them */

/* ---- What all candidates tell ---- */

#define ESTIMATE_CODES (gsize) 1024 /* that flips are estimated from, at most */
#define ESTIMATE_STEPS 200

typedef struct {
  const AssayHashFunction *function;
  AssayCodes *codes; /* NULL: how often bits are flipped is known */
  gsize n;           /* codes to estimate it from */
  guint32 *counts;   /* n x (bits + 1): candidates at each Hamming distance of a code */
  double *squares;   /* bits: of the margins, summed */
  const AssayCodes *panel;
} Learning;

ASSAY_LOCAL_CLEAR (Learning, clear_learning, assay_drop (self->codes, assay_codes_free),
                   assay_drop (self->counts, g_free), assay_drop (self->squares, g_free))

static void
count_distances (gsize index, G_GNUC_UNUSED guint worker, gpointer data)
{
  const Learning *learning = data;
  const AssayCodes *codes = learning->codes;
  guint32 *counts = learning->counts + index * (codes->bits + 1);
  guint16 distances[CHUNK];

  assay_codes_distances (learning->panel, codes->data + index * codes->words, 0,
                         learning->panel->count, distances);
  for (gsize i = 0; i < learning->panel->count; i++)
    counts[distances[i]]++;
}

static gboolean
learn_panel (AssayView panel, G_GNUC_UNUSED gsize first, gpointer data, GError **error)
{
  Learning *learning = data;
  g_autoptr (AssayMatrix) margins = assay_hash_function_margins (learning->function, panel, error);
  g_autoptr (AssayArray) packed = NULL;
  g_autoptr (AssayCodes) codes = NULL;

  if (margins == NULL)
    return FALSE;
  for (gsize i = 0; i < margins->rows; i++)
    for (gsize j = 0; j < margins->cols; j++)
      learning->squares[j] += pow ((double) assay_matrix_row (margins, i)[j], 2);
  if (learning->codes == NULL)
    return TRUE;
  packed = assay_codes_pack (assay_matrix_view (margins), error);
  codes = packed != NULL ? assay_codes_new (packed, margins->cols, error) : NULL;
  learning->panel = codes;
  if (codes != NULL)
    assay_parallel_for (learning->n, count_distances, learning);
  return codes != NULL;
}

static gboolean
learn (const CodeLinkage *settings, const AssayObservation *seen, const AssayHashFunction *function,
       Learning *ret_learning, GError **error)
{
  const AssayRelease *release = seen->release;
  Learning *learning = ret_learning;

  learning->function = function;
  learning->n = MIN (assay_release_count (release), ESTIMATE_CODES);
  learning->squares = assay_alloc (release->bits, sizeof (double), "margins", error);
  if (learning->squares == NULL)
    return FALSE;
  if (settings->flips == ESTIMATED) {
    learning->codes
        = assay_codes_new (assay_arrays_get (&release->arrays, "codes"), release->bits, error);
    learning->counts
        = assay_alloc (learning->n * (release->bits + 1), sizeof (guint32), "distances", error);
    if (learning->codes == NULL || learning->counts == NULL)
      return FALSE;
  }
  return (settings->flips == KNOWN && settings->score == HAMMING)
         || assay_rows_for_each_panel (seen->public_rows, CHUNK, assay_release_scale (release),
                                       learn_panel, learning, error);
}

/* ---- How often bits are flipped ---- */

static double
log_likelihood (const guint32 *counts, gsize n, gsize bits, double flips)
{
  const double odds = log (flips / (1 - flips)), all_right = (double) bits * log (1 - flips);
  double total = 0;

  for (gsize i = 0; i < n; i++) {
    const guint32 *row = counts + i * (bits + 1);
    double largest = -G_MAXDOUBLE, sum = 0;

    for (gsize d = 0; d <= bits; d++)
      if (row[d] > 0)
        largest = MAX (largest, odds * (double) d);
    for (gsize d = 0; d <= bits; d++)
      if (row[d] > 0)
        sum += (double) row[d] * exp (odds * (double) d - largest);
    total += log (sum) + largest + all_right;
  }
  return total;
}

static double
find_flips (const CodeLinkage *settings, const Learning *learning)
{
  double found = settings->flip_probability, best = -G_MAXDOUBLE;

  if (settings->flips == KNOWN)
    return found;
  for (guint step = 1; step < ESTIMATE_STEPS; step++) {
    const double flips = (double) step / ESTIMATE_STEPS;
    const double likelihood
        = log_likelihood (learning->counts, learning->n, learning->codes->bits, flips);

    if (likelihood > best) {
      best = likelihood;
      found = flips;
    }
  }
  return found;
}

/* ---- Candidates ---- */

typedef struct {
  const AssayHashFunction *function;
  guint score;
  double wrong;   /* how often a bit is, once turned back */
  double *sigmas; /* of the noise in each margin */
} Weighing;

/* Margins become evidence: half of what a bit says by agreeing rather than not, signed. What they
 * add on average, if the code agrees in half of the bits, goes into the offset. */
static void
weigh_row (const Weighing *weighing, gsize bits, float *inout_margins, float *ret_offset)
{
  float offset = 0;

  for (gsize j = 0; j < bits; j++) {
    float *value = &inout_margins[j];
    const double sigma = weighing->sigmas[j];
    const double sure = sigma > 0 ? erf (fabs ((double) *value) / sigma * M_SQRT1_2) : 1;
    const double agrees = 0.5 + (0.5 - weighing->wrong) * sure;
    const double half = 0.5 * log (agrees / (1 - agrees));

    offset += (float) (0.5 * log (4 * agrees * (1 - agrees)));
    *value = (float) (*value > 0 ? half : -half);
  }
  *ret_offset = offset;
}

static gboolean
make_evidence (AssayView panel, G_GNUC_UNUSED gsize first, gpointer data, gpointer ret_features,
               float *ret_offsets, GError **error)
{
  const Weighing *weighing = data;
  g_autoptr (AssayMatrix) margins = assay_hash_function_margins (weighing->function, panel, error);

  if (margins == NULL)
    return FALSE;
  if (weighing->score == LIKELIHOOD)
    for (gsize i = 0; i < margins->rows; i++)
      weigh_row (weighing, margins->cols, assay_matrix_row (margins, i), ret_offsets + i);
  else
    for (gsize i = 0; i < margins->rows * margins->cols; i++)
      margins->data[i] = margins->data[i] > 0 ? 1 : -1;
  memcpy (ret_features, margins->data, margins->rows * margins->cols * sizeof (float));
  return TRUE;
}

static gboolean
make_codes (AssayView panel, G_GNUC_UNUSED gsize first, gpointer data, gpointer ret_features,
            G_GNUC_UNUSED float *ret_offsets, GError **error)
{
  const AssayHashFunction *function = ((const Weighing *) data)->function;
  g_autoptr (AssayArray) packed = assay_hash_function_codes (function, panel, error);
  g_autoptr (AssayCodes) codes
      = packed != NULL ? assay_codes_new (packed, assay_hash_function_bits (function), error)
                       : NULL;

  if (codes != NULL)
    memcpy (ret_features, codes->data, codes->count * codes->words * sizeof (guint64));
  return codes != NULL;
}

/* ---- Ranking ---- */

/* Bits that are flipped with a probability above 1/2 are turned back. A bit that cannot be wrong
 * would rule a candidate out for good. */
static AssayNearest *
rank (const CodeLinkage *settings, const AssayObservation *seen, const Learning *learning,
      double flips, gsize keep, GError **error)
{
  const AssayRelease *release = seen->release;
  const gboolean is_negated = flips > 0.5;
  const double p = (double) assay_rows_count (seen->public_rows);
  g_autofree double *sigmas = g_new (double, release->bits);
  Weighing weighing = { .function = learning->function,
                        .score = settings->score,
                        .wrong = CLAMP (MIN (flips, 1 - flips), 0.005, 0.495),
                        .sigmas = sigmas };
  AssaySearchSet set = { .rows = seen->public_rows,
                         .scale = assay_release_scale (release),
                         .shape = make_evidence,
                         .data = &weighing };
  g_autoptr (AssayMatrix) mean = NULL;
  g_autoptr (AssayCodes) codes = NULL;

  for (gsize j = 0; j < release->bits; j++)
    sigmas[j] = settings->noise * sqrt (learning->squares[j] / p);
  if (settings->score == HAMMING && MIN ((gsize) settings->repeats, seen->n_repeats) == 0) {
    codes = assay_codes_new (assay_arrays_get (&release->arrays, "codes"), release->bits, error);
    if (codes == NULL)
      return NULL;
    if (is_negated)
      assay_codes_negate (codes);
    set.shape = make_codes;
    return assay_search_codes (codes, &set, keep, error);
  }
  mean = released_codes_mean (seen, (gsize) settings->repeats, is_negated, error);
  return mean != NULL ? assay_search_products (ASSAY_SEARCH_PRODUCT, assay_matrix_view (mean), &set,
                                               keep, error)
                      : NULL;
}

ASSAY_OF_SETTINGS (gsize, repeats, CodeLinkage, (gsize) settings->repeats)

static gboolean
attack (const AssayAttackContext *context, const AssayObservation *seen, AssayGuess *ret_guess,
        GError **error)
{
  const CodeLinkage *settings = context->settings;
  const gsize keep = MIN ((gsize) settings->candidates, assay_rows_count (seen->public_rows));
  g_autoptr (AssayHashFunction) function = assay_hash_function_from (seen->release, error);
  g_auto (Learning) learning = { 0 };
  g_autoptr (AssayNearest) best = NULL;
  gint64 *candidates;

  if (function == NULL || !learn (settings, seen, function, &learning, error))
    return FALSE;
  best = rank (settings, seen, &learning, find_flips (settings, &learning), keep, error);
  candidates
      = best != NULL ? assay_alloc (best->n * keep, sizeof (gint64), "candidates", error) : NULL;
  if (candidates == NULL)
    return FALSE;
  for (gsize i = 0; i < best->n * keep; i++)
    candidates[i] = (gint64) best->rows[i];
  assay_arrays_take_rows (&ret_guess->arrays, "candidates", ASSAY_INT64, best->n, keep, candidates);
  return TRUE;
}

/* ---- The control ---- */

#define CONTROL_SECRETS 30
#define CONTROL_COLS 16
#define CONTROL_BITS 64

/* Public rows are the secrets themselves, in another order. */
static gboolean
make_control (gconstpointer data, AssayStreamKey key, AssayControlCase *ret_case, GError **error)
{
  const CodeLinkage *settings = data;
  g_autofree gint64 *partners = g_new (gint64, CONTROL_SECRETS);
  AssayMatrix *records;
  AssayView secrets;
  const AssayArray *codes;

  if (!released_codes_control (CONTROL_SECRETS, CONTROL_COLS, CONTROL_BITS, key, ret_case, error))
    return FALSE;
  secrets = assay_array_view (assay_arrays_get (&ret_case->truth->arrays, "secrets"));
  codes = assay_arrays_get (&ret_case->release->arrays, "codes");
  records = assay_matrix_new (CONTROL_SECRETS, CONTROL_COLS, error);
  if (records == NULL)
    return FALSE;
  for (gsize i = 0; i < CONTROL_SECRETS; i++) {
    const gsize place = (i * 7 + 3) % CONTROL_SECRETS;

    memcpy (assay_matrix_row (records, place), assay_view_row (secrets, i),
            CONTROL_COLS * sizeof (float));
    partners[i] = (gint64) place;
  }
  if (settings->flips == KNOWN && settings->flip_probability > 0.5) {
    guint8 *turned = g_memdup2 (codes->data, assay_array_count (codes));

    for (gsize i = 0; i < assay_array_count (codes); i++)
      turned[i] = (guint8) ~turned[i];
    assay_arrays_take (&ret_case->release->arrays, "codes",
                       assay_array_take (ASSAY_UINT8, 2, codes->shape, turned));
  }
  ret_case->public_rows = assay_rows_take_matrix (records);
  assay_arrays_take_rows (&ret_case->truth->arrays, "partners", ASSAY_INT64, CONTROL_SECRETS, 1,
                          g_steal_pointer (&partners));
  return TRUE;
}

ASSAY_ATTACK (code_linkage, "code-linkage",
  .summary = "Find the record that a code was made of, by hashing known records",
  .reference = { "PHashing and PITQ (private hashing)", "section 3.2; the attack is ours" },
  ASSAY_SETTINGS (CodeLinkage,
    ASSAY_PARAM_CHOICE (CodeLinkage, score, LIKELIHOOD, scores,
                        "Score of a candidate: the number of bits that differ, or the likelihood "
                        "of these, by the candidate's margins"),
    ASSAY_PARAM_CHOICE (CodeLinkage, flips, ESTIMATED, flip_forms,
                        "How often bits are flipped: estimated from codes and candidates, or known "
                        "of the defense"),
    ASSAY_PARAM_REAL (CodeLinkage, flip_probability, 0, 0, 1, "",
                      "flips = known: probability that a bit is flipped"),
    ASSAY_PARAM_REAL (CodeLinkage, noise, 0.25, 0, 1000, "",
                      "score = likelihood: noise between the record and the secret, in root mean "
                      "squares of a margin"),
    ASSAY_PARAM_INT (CodeLinkage, candidates, 100, 1, 1000000, "public rows",
                     "Candidates named for each code, best first"),
    ASSAY_PARAM_INT (CodeLinkage, repeats, 0, 0, 1023, "",
                     "How many further releases of the same secrets it reads")),
  .holds = { .numbers = 2 * ASSAY_CODE_MAX_BITS, .per_thread = 32 << 20 },
  .reads = ASSAY_RELEASE_CODES,
  .needs = ASSAY_GRANT_PUBLIC | ASSAY_GRANT_HASH_FUNCTION,
  .game = ASSAY_GAME_LINK,
  .repeats = repeats,
  .attack = attack,
  .control = { .says = "the record that a code was made of is found",
               .make = make_control,
               .at_least = 0.9 });
