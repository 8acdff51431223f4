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
 * Cost: 2 n p c operations for p public rows. */
#include <math.h>
#include <string.h>

#include "attacks/released-codes.h"
#include "core/linalg.h"
#include "core/parallel.h"

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

/* Codes that are compared with all candidates at a time. */
#define PANEL (gsize) 32
#define CHUNK (gsize) 8192

/* ---- Candidates ---- */

typedef struct {
  AssayMatrix *evidence; /* p x c: half of what a bit says by agreeing rather than not, signed */
  float *offsets;        /* p: what is added to each product with a code */
} Candidates;

static void
clear_candidates (Candidates *candidates)
{
  g_clear_pointer (&candidates->evidence, assay_matrix_free);
  g_clear_pointer (&candidates->offsets, g_free);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (Candidates, clear_candidates)

typedef struct {
  const AssayHashFunction *function;
  AssayMatrix *hashed;
} Hashing;

static gboolean
hash_panel (AssayView panel, gsize first, gpointer data, GError **error)
{
  const Hashing *hashing = data;
  g_autoptr (AssayMatrix) margins = assay_hash_function_margins (hashing->function, panel, error);

  if (margins == NULL)
    return FALSE;
  memcpy (assay_matrix_row (hashing->hashed, first), margins->data,
          panel.rows * margins->cols * sizeof (float));
  return TRUE;
}

/* Margins of the public rows, p x c. */
static AssayMatrix *
hash_rows (const AssayHashFunction *function, const AssayRows *public_rows, AssayScale scale,
           GError **error)
{
  const gsize bits = assay_hash_function_bits (function);
  g_autoptr (AssayMatrix) hashed = assay_matrix_new (assay_rows_count (public_rows), bits, error);
  Hashing hashing = { function, hashed };

  if (hashed == NULL
      || !assay_rows_for_each_panel (public_rows, CHUNK, scale, hash_panel, &hashing, error))
    return NULL;
  return g_steal_pointer (&hashed);
}

/* Margins become evidence; what they add on average, if the code agrees in half of the bits, goes
 * into the offsets. */
static void
weigh_bit (const CodeLinkage *settings, double flips, gsize bit, Candidates *candidates)
{
  const gsize p = candidates->evidence->rows, bits = candidates->evidence->cols;
  /* Turned back where that is more than half. A bit that cannot be wrong would rule a candidate out
   * for good. */
  const double wrong = CLAMP (MIN (flips, 1 - flips), 0.005, 0.495);
  double square = 0;

  for (gsize i = 0; i < p; i++)
    square += pow ((double) candidates->evidence->data[i * bits + bit], 2);
  for (gsize i = 0; i < p; i++) {
    float *value = &candidates->evidence->data[i * bits + bit];
    const double sigma = settings->noise * sqrt (square / (double) p);
    const double sure = sigma > 0 ? erf (fabs ((double) *value) / sigma * M_SQRT1_2) : 1;
    const double agrees = 0.5 + (0.5 - wrong) * sure;
    const double half = 0.5 * log (agrees / (1 - agrees));

    candidates->offsets[i] += (float) (0.5 * log (4 * agrees * (1 - agrees)));
    *value = (float) (*value > 0 ? half : -half);
  }
}

/* Margins of the public rows in @inout_candidates become evidence. */
static void
weigh_candidates (const CodeLinkage *settings, double flips, Candidates *inout_candidates)
{
  AssayMatrix *margins = inout_candidates->evidence;

  if (settings->score == LIKELIHOOD)
    for (gsize j = 0; j < margins->cols; j++)
      weigh_bit (settings, flips, j, inout_candidates);
  else
    for (gsize i = 0; i < margins->rows * margins->cols; i++)
      margins->data[i] = margins->data[i] > 0 ? 1 : -1;
}

/* ---- How often bits are flipped ---- */

#define ESTIMATE_CODES (gsize) 1024 /* that it is estimated from, at most */
#define ESTIMATE_STEPS 200

/* How many of the candidates are at each Hamming distance of the first @n codes, n x (bits + 1). */
static guint32 *
count_distances (const AssayRelease *release, const AssayMatrix *margins, gsize n, GError **error)
{
  const gsize bits = release->bits;
  g_autoptr (AssayArray) packed = assay_codes_pack (assay_matrix_view (margins), error);
  g_autoptr (AssayCodes) candidates = packed != NULL ? assay_codes_new (packed, bits, error) : NULL;
  g_autoptr (AssayCodes) codes
      = assay_codes_new (assay_arrays_get (&release->arrays, "codes"), bits, error);
  g_autofree guint16 *distances
      = assay_alloc (margins->rows, sizeof *distances, "distances", error);
  guint32 *counts;

  if (candidates == NULL || codes == NULL || distances == NULL)
    return NULL;
  counts = assay_alloc (n * (bits + 1), sizeof *counts, "distances", error);
  for (gsize i = 0; counts != NULL && i < n; i++) {
    assay_codes_distances (candidates, codes->data + i * codes->words, 0, margins->rows, distances);
    for (gsize c = 0; c < margins->rows; c++)
      counts[i * (bits + 1) + distances[c]]++;
  }
  return counts;
}

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

static gboolean
find_flips (const CodeLinkage *settings, const AssayRelease *release, const AssayMatrix *margins,
            double *ret_flips, GError **error)
{
  const gsize n = MIN (assay_release_count (release), ESTIMATE_CODES);
  g_autofree guint32 *counts = NULL;
  double best = -G_MAXDOUBLE;

  *ret_flips = settings->flip_probability;
  if (settings->flips == KNOWN)
    return TRUE;
  counts = count_distances (release, margins, n, error);
  if (counts == NULL)
    return FALSE;
  for (guint step = 1; step < ESTIMATE_STEPS; step++) {
    const double flips = (double) step / ESTIMATE_STEPS;
    const double likelihood = log_likelihood (counts, n, release->bits, flips);

    if (likelihood > best) {
      best = likelihood;
      *ret_flips = flips;
    }
  }
  return TRUE;
}

/* ---- Ranking ---- */

typedef struct {
  const AssayMatrix *codes;      /* n x c, +-1 or means */
  const AssayMatrix *candidates; /* p x c: evidence */
  const float *offsets;
  gsize keep;
  double sign;    /* -1: turned back */
  gint64 *ranked; /* n x keep */
  gboolean *failed;
} Ranking;

typedef struct {
  float score;
  guint32 row;
} Scored;

static inline gboolean
is_before (const Scored *a, const Scored *b)
{
  return a->score > b->score || (a->score == b->score && a->row < b->row);
}

/* A heap of the best, the worst of them on top. */
static void
sift_down (Scored *heap, gsize count, gsize at)
{
  for (;;) {
    gsize worst = at;

    for (gsize child = 2 * at + 1; child <= 2 * at + 2 && child < count; child++)
      if (is_before (&heap[worst], &heap[child]))
        worst = child;
    if (worst == at)
      return;
    const Scored swapped = heap[at];

    heap[at] = heap[worst];
    heap[worst] = swapped;
    at = worst;
  }
}

static int
compare_scored (gconstpointer a, gconstpointer b)
{
  return is_before (a, b) ? -1 : 1;
}

static void
take_best (const Ranking *ranking, const float *products, gsize item)
{
  const gsize p = ranking->candidates->rows, keep = ranking->keep;
  g_autofree Scored *heap = g_new (Scored, keep);

  for (gsize i = 0; i < p; i++) {
    const Scored scored
        = { (float) (ranking->sign * (double) products[i] + (double) ranking->offsets[i]),
            (guint32) i };

    if (i < keep) {
      heap[i] = scored;
      if (i + 1 == keep)
        for (gsize at = keep / 2 + 1; at > 0; at--)
          sift_down (heap, keep, at - 1);
    } else if (is_before (&scored, &heap[0])) {
      heap[0] = scored;
      sift_down (heap, keep, 0);
    }
  }
  qsort (heap, keep, sizeof *heap, compare_scored);
  for (gsize i = 0; i < keep; i++)
    ranking->ranked[item * keep + i] = (gint64) heap[i].row;
}

static void
rank_panel (gsize panel, guint worker, gpointer data)
{
  const Ranking *ranking = data;
  const gsize p = ranking->candidates->rows, c = ranking->candidates->cols;
  const gsize first = panel * PANEL, count = MIN (PANEL, ranking->codes->rows - first);
  g_autofree float *products = assay_alloc (count * p, sizeof (float), "products", NULL);

  (void) worker;
  if (products == NULL) {
    ranking->failed[panel] = TRUE;
    return;
  }
  assay_linalg_product_nt (count, p, c, ranking->codes->data + first * c, c,
                           ranking->candidates->data, c, products, p);
  for (gsize i = 0; i < count; i++)
    take_best (ranking, products + i * p, first + i);
}

static gboolean
run_ranking (Ranking *ranking, GError **error)
{
  const gsize panels = (ranking->codes->rows + PANEL - 1) / PANEL;
  g_autofree gboolean *failed = g_new0 (gboolean, panels);

  ranking->failed = failed;
  assay_parallel_for (panels, rank_panel, ranking);
  for (gsize i = 0; i < panels; i++)
    if (failed[i])
      return assay_fail (error, ASSAY_ERROR_MEMORY,
                         "not enough memory for %" G_GSIZE_FORMAT " candidates",
                         ranking->candidates->rows);
  return TRUE;
}

static gsize
repeats (gconstpointer data)
{
  return (gsize) ((const CodeLinkage *) data)->repeats;
}

static gboolean
attack (const AssayAttackContext *context, const AssayObservation *seen, AssayGuess *ret_guess,
        GError **error)
{
  const CodeLinkage *settings = context->settings;
  const gsize n = assay_release_count (seen->release);
  const gsize keep = MIN ((gsize) settings->candidates, assay_rows_count (seen->public_rows));
  g_autoptr (AssayHashFunction) function = assay_hash_function_from (seen->release, error);
  g_autoptr (AssayMatrix) codes = NULL;
  g_auto (Candidates) candidates = { 0 };
  g_autofree gint64 *ranked = NULL;
  Ranking ranking = { .keep = keep };
  double flips;

  if (function == NULL)
    return FALSE;
  codes = released_codes_mean (seen, (gsize) settings->repeats, FALSE, error);
  ranked = assay_alloc (n * keep, sizeof *ranked, "candidates", error);
  candidates.evidence
      = hash_rows (function, seen->public_rows, assay_release_scale (seen->release), error);
  if (codes == NULL || ranked == NULL || candidates.evidence == NULL
      || !find_flips (settings, seen->release, candidates.evidence, &flips, error))
    return FALSE;
  candidates.offsets = assay_alloc (candidates.evidence->rows, sizeof (float), "candidates", error);
  if (candidates.offsets == NULL)
    return FALSE;
  weigh_candidates (settings, flips, &candidates);
  ranking.codes = codes;
  ranking.candidates = candidates.evidence;
  ranking.offsets = candidates.offsets;
  ranking.sign = flips > 0.5 ? -1 : 1;
  ranking.ranked = ranked;
  if (!run_ranking (&ranking, error))
    return FALSE;
  assay_arrays_take (
      &ret_guess->arrays, "candidates",
      assay_array_take (ASSAY_INT64, 2, (const gsize[]){ n, keep }, g_steal_pointer (&ranked)));
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
  assay_arrays_take (&ret_case->truth->arrays, "partners",
                     assay_array_take (ASSAY_INT64, 2, (const gsize[]){ CONTROL_SECRETS, 1 },
                                       g_steal_pointer (&partners)));
  return TRUE;
}

static guint64
memory (gconstpointer data, const AssayShape *shape)
{
  const CodeLinkage *settings = data;

  return ((guint64) shape->n_public + shape->n_secrets) * 1024 * sizeof (float)
         + (guint64) shape->n_secrets * (guint64) settings->candidates * sizeof (gint64)
         + (guint64) assay_parallel_threads () * PANEL * shape->n_public * sizeof (float);
}

static double
work (G_GNUC_UNUSED gconstpointer settings, const AssayShape *shape)
{
  /* Codes of 64 bits, say. */
  return (double) shape->n_public
         * (2 * (double) shape->cols * 64 + (double) shape->n_secrets * 160);
}

static const AssayParam parameters[]
    = { ASSAY_PARAM_CHOICE (CodeLinkage, score, LIKELIHOOD, scores,
                            "The number of bits that differ, or how likely they are to, by the "
                            "candidate's margins"),
        ASSAY_PARAM_CHOICE (CodeLinkage, flips, ESTIMATED, flip_forms,
                            "How often bits are flipped: estimated from codes and candidates, or "
                            "known of the defense"),
        ASSAY_PARAM_REAL (CodeLinkage, flip_probability, 0, 0, 1, "", "Of a bit (flips = known)"),
        ASSAY_PARAM_REAL (CodeLinkage, noise, 0.25, 0, 1000, "",
                          "Between the record and the secret, in root mean squares of a margin "
                          "(score = likelihood)"),
        ASSAY_PARAM_INT (CodeLinkage, candidates, 100, 1, 1000000, "public rows",
                         "Named for each code, best first"),
        ASSAY_PARAM_INT (CodeLinkage, repeats, 0, 0, 1023, "",
                         "How many further releases of the same secrets it wants"),
        ASSAY_PARAM_END };

const AssayAttack assay_attack_code_linkage = {
  .id = "code-linkage",
  .summary = "Find the record that a code was made of by hashing those that are at hand",
  .reference = { "PHashing and PITQ (private hashing)", "section 3.2; the attack is ours" },
  .parameters = parameters,
  .settings_size = sizeof (CodeLinkage),
  .memory = memory,
  .work = work,
  .reads = ASSAY_RELEASE_CODES,
  .needs = ASSAY_GRANT_PUBLIC | ASSAY_GRANT_HASH_FUNCTION,
  .game = ASSAY_GAME_LINK,
  .repeats = repeats,
  .attack = attack,
  .control = { .says = "the record is found that a code was made of",
               .make = make_control,
               .at_least = 0.9 },
};
