/* A permutation that stays gives itself away: the aggregator of doubly permuted homomorphic
 * encryption undoes each user's own permutation and sees, step by step, how many users hold each
 * permuted row, c_t(i); and it knows the sums in clear, w_sum,t (d). Weights are assigned to rows
 * at the least cost
 *   sum_t [w_sum,t(d) != 0] (c_t(i) - f_t(d))^2 / 2 - [w_sum,t(d) = 0] ln Bin (c_t(i); N, q_t),
 * where a row that nobody holds cannot be of a weight that is not 0. f_t is how many holders a sum
 * of such a size has, by rank, smoothed; q_t the chance that a user holds a row as padding. Of each
 * weight the cheapest rows are kept, and assigned by auction (sparse-assignment.h).
 *
 * What one user holds of a weight is then known with his name: claims (step, user, weight, value).
 * Where permutations are renewed in each step, as `own-permutations` shows, each step is assigned
 * by itself. Ours; the protocol is Yonetani, Boddeti, Kitani and Sato 2017, "Privacy-Preserving
 * Visual Learning Using Doubly Permuted Homomorphic Encryption", algorithm 1, whose lemma 7 says
 * when a permutation is unique, not that it is secret. */
#include <float.h>
#include <math.h>
#include <stdlib.h>

#include "attacks/updates/permutations/row-holders.h"
#include "attacks/updates/permutations/sparse-assignment.h"
#include "attacks/updates/weights/weight-claims.h"
#include "attacks/updates/weights/weight-control.h"
#include "core/base/free.h"
#include "core/base/parallel.h"
#include "core/base/vectors.h"
#include "core/data/kinds/updates.h"
#include "core/plugin/plugin.h"

#define LEAST_PADDING 1e-3 /* the chance of a holder that steps without padding are given */
#define SMOOTHED 64        /* ranks to each side over which counts are averaged */
#define BID 0.02
#define GIVE_UP 25 /* nats */

typedef struct {
  gint64 candidates;
} PermutationMatch;

/* Steps @first to @end - 1, which have one permutation. */
typedef struct {
  const RowHolders *holders;
  const AssayView *sums; /* T x P */
  gsize first, end;
  gsize n_words;    /* of 64 steps */
  guint64 *held;    /* P x words: steps in which a row is held */
  guint64 *moved;   /* P x words: steps in which a weight is not 0 */
  float *expected;  /* (end - first) x P: f_t */
  float *silent;    /* (end - first) x (N + 1): -ln Bin (c; N, q_t) */
  gsize candidates; /* of each weight */
  gsize *columns;   /* P x candidates */
  float *costs;
} Matching;

ASSAY_LOCAL_CLEAR (Matching, matching_clear, g_free (self->held), g_free (self->moved),
                   g_free (self->expected), g_free (self->silent), g_free (self->columns),
                   g_free (self->costs))

/* ---- What a step says ---- */

static int
compare_counts (gconstpointer a, gconstpointer b)
{
  return *(const guint8 *) a - *(const guint8 *) b;
}

/* f_t: the count of the same rank, averaged over those beside it. */
static void
expect_holders (Matching *matching, gsize step)
{
  const RowHolders *holders = matching->holders;
  const gsize p = holders->n_rows;
  float *expected = matching->expected + (step - matching->first) * p;
  const float *sums = assay_view_row (*matching->sums, step);
  g_autofree AssayRanked *order = g_new (AssayRanked, p);
  g_autofree guint8 *counts = g_new (guint8, p);
  g_autofree double *below = g_new0 (double, p + 1);

  for (gsize i = 0; i < p; i++) {
    order[i] = (AssayRanked){ fabsf (sums[i]), i };
    counts[i] = (guint8) row_holders_count (holders, i, step);
  }
  assay_rank (order, p);
  qsort (counts, p, 1, compare_counts);
  for (gsize i = 0; i < p; i++)
    below[i + 1] = below[i] + counts[i];
  for (gsize i = 0; i < p; i++) {
    const gsize low = i > SMOOTHED ? i - SMOOTHED : 0, high = MIN (i + SMOOTHED + 1, p);

    expected[order[i].place] = (float) ((below[high] - below[low]) / (double) (high - low));
  }
}

/* -ln Bin (c; N, q_t), with q_t such that as many rows are held beyond the weights that moved. */
static void
expect_padding (Matching *matching, gsize step)
{
  const RowHolders *holders = matching->holders;
  const gsize p = holders->n_rows, n = holders->n_users;
  float *silent = matching->silent + (step - matching->first) * (n + 1);
  gsize n_held = 0, n_moved = 0;
  double q = 0;

  for (gsize i = 0; i < p; i++) {
    n_held += row_holders_count (holders, i, step) > 0;
    n_moved += assay_view_row (*matching->sums, step)[i] != 0;
  }
  if (n_held > n_moved && n_moved < p)
    q = 1
        - pow (1 - MIN ((double) (n_held - n_moved) / (double) (p - n_moved), 0.999),
               1 / (double) n);
  q = MAX (q, LEAST_PADDING);
  for (gsize c = 0; c <= n; c++)
    silent[c] = (float) -(lgamma ((double) n + 1) - lgamma ((double) c + 1)
                          - lgamma ((double) (n - c) + 1) + (double) c * log (q)
                          + (double) (n - c) * log1p (-q));
}

static gboolean
matching_init (Matching *matching, GError **error)
{
  const gsize p = matching->holders->n_rows, steps = matching->end - matching->first;
  const gsize bytes = matching->candidates * sizeof (gsize);

  matching->n_words = (steps + 63) / 64;
  matching->held = assay_alloc (p, matching->n_words * sizeof (guint64), "rows", error);
  matching->moved = assay_alloc (p, matching->n_words * sizeof (guint64), "weights", error);
  matching->expected = assay_alloc (p, steps * sizeof (float), "expected holders", error);
  matching->silent = g_new (float, steps *(matching->holders->n_users + 1));
  matching->columns = assay_alloc (p, bytes, "candidates", error);
  matching->costs = assay_alloc (p, matching->candidates * sizeof (float), "candidates", error);
  if (matching->held == NULL || matching->moved == NULL || matching->expected == NULL
      || matching->columns == NULL || matching->costs == NULL)
    return FALSE;
  for (gsize t = 0; t < steps; t++) {
    const gsize step = matching->first + t;

    expect_holders (matching, step);
    expect_padding (matching, step);
    for (gsize i = 0; i < p; i++) {
      const guint64 bit = G_GUINT64_CONSTANT (1) << t % 64;

      if (row_holders_count (matching->holders, i, step) > 0)
        matching->held[i * matching->n_words + t / 64] |= bit;
      if (assay_view_row (*matching->sums, step)[i] != 0)
        matching->moved[i * matching->n_words + t / 64] |= bit;
    }
  }
  return TRUE;
}

/* ---- The cheapest rows of a weight ---- */

static gboolean
is_possible (const Matching *matching, gsize weight, gsize row)
{
  const gsize words = matching->n_words;
  guint64 missing = 0;

  for (gsize w = 0; w < words; w++)
    missing |= matching->moved[weight * words + w] & ~matching->held[row * words + w];
  return missing == 0;
}

/* What the weight costs at each count of holders of each step. */
static void
tabulate (const Matching *matching, gsize weight, float *ret_table)
{
  const gsize p = matching->holders->n_rows, counts = matching->holders->n_users + 1;

  for (gsize t = 0; t < matching->end - matching->first; t++) {
    const float expected = matching->expected[t * p + weight];
    const gboolean is_moved = assay_view_row (*matching->sums, matching->first + t)[weight] != 0;

    for (gsize c = 0; c < counts; c++)
      ret_table[t * counts + c] = is_moved ? ((float) c - expected) * ((float) c - expected) / 2
                                           : matching->silent[t * counts + c];
  }
}

static void
find_candidates (gsize weight, G_GNUC_UNUSED guint worker, gpointer data)
{
  const Matching *matching = data;
  const RowHolders *holders = matching->holders;
  const gsize counts = holders->n_users + 1, steps = matching->end - matching->first;
  const gsize n = matching->candidates;
  gsize *columns = matching->columns + weight * n;
  float *costs = matching->costs + weight * n;
  g_autofree float *table = g_new (float, steps *counts);
  guint64 any = 0;

  for (gsize c = 0; c < n; c++) {
    columns[c] = SPARSE_ASSIGNMENT_NONE;
    costs[c] = FLT_MAX;
  }
  for (gsize w = 0; w < matching->n_words; w++)
    any |= matching->moved[weight * matching->n_words + w];
  if (any == 0)
    return;
  tabulate (matching, weight, table);
  for (gsize k = 0; k < holders->n_rows; k++) {
    /* Each weight begins elsewhere, so that among equals all take others. */
    const gsize row = (k + weight * 7919) % holders->n_rows;
    const guint8 *held = holders->counts + row * holders->n_steps + matching->first;
    float cost = 0;

    if (!is_possible (matching, weight, row))
      continue;
    for (gsize t = 0; t < steps && cost < costs[n - 1]; t++)
      cost += table[t * counts + held[t]];
    if (cost < costs[n - 1])
      sparse_assignment_keep (columns, costs, n, row, cost);
  }
}

/* ---- The attack ---- */

/* Assigns the steps and claims what single users hold; @ret_rows: P rows of weights, -1: none. */
static gboolean
match_steps (Matching *matching, WeightClaims *claims, gint64 *ret_rows, GError **error)
{
  const RowHolders *holders = matching->holders;
  const gsize p = holders->n_rows;
  g_autofree gsize *rows = assay_alloc (p, sizeof (gsize), "rows of weights", error);
  SparseAssignment problem;

  if (rows == NULL || !matching_init (matching, error))
    return FALSE;
  assay_parallel_for (p, find_candidates, matching);
  problem = (SparseAssignment){ .n = p,
                                .n_columns = p,
                                .candidates = matching->candidates,
                                .columns = matching->columns,
                                .costs = matching->costs,
                                .bid = BID,
                                .give_up = GIVE_UP };
  sparse_assignment_solve (&problem, rows);
  for (gsize d = 0; d < p; d++) {
    ret_rows[d] = rows[d] != SPARSE_ASSIGNMENT_NONE ? (gint64) rows[d] : -1;
    for (gsize t = matching->first; t < matching->end && rows[d] != SPARSE_ASSIGNMENT_NONE; t++) {
      const double value = (double) assay_view_row (*matching->sums, t)[d];
      const gsize at = rows[d] * holders->n_steps + t;

      if (value != 0 && holders->counts[at] == 1)
        weight_claims_add (claims, &(WeightClaim){ t, holders->holders[at], d, value });
    }
  }
  return TRUE;
}

static gboolean
attack (const AssayAttackContext *context, const AssayObservation *seen, AssayGuess *ret_guess,
        GError **error)
{
  const PermutationMatch *settings = context->settings;
  const AssayRelease *release = seen->release;
  const AssayArray *sums = assay_arrays_get (&release->arrays, "sums");
  const AssayArray *own = assay_arrays_get (&release->arrays, "own-permutations");
  const gsize steps = assay_updates_steps (release);
  const AssayView view = sums != NULL ? assay_array_view (sums) : (AssayView){ 0 };
  g_auto (RowHolders) holders = { 0 };
  g_auto (WeightClaims) claims = { 0 };
  g_autofree gint64 *rows = NULL;
  gsize each;

  if (sums == NULL)
    return assay_fail (error, ASSAY_ERROR_MISMATCH, "the release has no sums: expected 'sums'");
  if (!row_holders_read (release, &holders, error))
    return FALSE;
  each = own != NULL && steps > 1 && own->shape[0] > holders.n_users ? 1 : steps;
  rows = assay_alloc (steps / each, holders.n_rows * sizeof *rows, "rows of weights", error);
  if (rows == NULL)
    return FALSE;
  weight_claims_init (&claims);
  for (gsize first = 0; first < steps; first += each) {
    g_auto (Matching) matching = { .holders = &holders,
                                   .sums = &view,
                                   .first = first,
                                   .end = first + each,
                                   .candidates = (gsize) settings->candidates };

    if (!match_steps (&matching, &claims, rows + first / each * holders.n_rows, error))
      return FALSE;
  }
  weight_claims_take (&claims, ret_guess);
  assay_arrays_take_rows (&ret_guess->arrays, "rows-of-weights", ASSAY_INT64, steps / each,
                          holders.n_rows, g_steal_pointer (&rows));
  return TRUE;
}

WEIGHT_CONTROL (make_control, .users = 4, .steps = 30, .weights = 120, .held = 0.2,
                .has_messages = TRUE)

ASSAY_MEMORY (memory, PermutationMatch,
              shape->n_outputs
                  * ((guint64) settings->candidates * (sizeof (gsize) + sizeof (float))
                     + shape->n_members * 8))

WEIGHT_ATTACK (permutation_match, "permutation-match",
  .summary = "Match the permuted rows of sparse updates with the weights of their sum",
  .reference = { ASSAY_PAPER_DPHE, "algorithm 1 and lemma 7; the attack is ours" },
  ASSAY_SETTINGS (PermutationMatch,
    ASSAY_PARAM_INT (PermutationMatch, candidates, 48, 1, 100000, "rows",
                     "Rows considered for each weight: those with the lowest cost")),
  .memory = memory,
  .needs = ASSAY_GRANT_AGGREGATOR | ASSAY_GRANT_MESSAGES,
  .reads_arrays = ASSAY_ARRAY_NAMES ("slots"),
  .writes = weight_claims_arrays,
  .control = { .says = "weights of four users are matched behind a permutation that stays the same",
               .make = make_control,
               .at_least = 0.9 });
