/* A user who intercepts the messages of others, where permutations stay: each other user's rows are
 * permuted by one of its own beside the shared one, so that nothing of a message says which weight
 * a row is. What is left is when it is held: a user knows what the others together sent of each
 * weight, |w_sum,t - w^(j)_t|, and learns of its own updates how often a user holds a weight of
 * which the others sent so much. By this chance q_t(d), rank for rank, the rows i of user n are
 * assigned to the weights d at the least cost
 *   - sum_t ln (q_t(d) where the row is held in step t, else 1 - q_t(d)),
 * user by user, with q raised by the share of padding. Of each weight the cheapest rows are kept,
 * and assigned by auction (sparse-assignment.h).
 *
 * A row for each user and weight, and as score of a support whether the row is held in that step;
 * of its own messages, the first user's, it says nothing. Where permutations are drawn anew in each
 * step it takes rows for one that are not, and finds nothing.
 *
 * Ours; the protocol is Yonetani, Boddeti, Kitani and Sato 2017, "Privacy-Preserving Visual
 * Learning Using Doubly Permuted Homomorphic Encryption", algorithm 1. */
#include <float.h>
#include <math.h>

#include "attacks/updates/permutations/row-holders.h"
#include "attacks/updates/permutations/sparse-assignment.h"
#include "attacks/updates/weights/weight-claims.h"
#include "attacks/updates/weights/weight-control.h"
#include "core/base/free.h"
#include "core/base/parallel.h"
#include "core/base/vectors.h"
#include "core/data/kinds/updates.h"
#include "core/plugin/plugin.h"

#define SMOOTHED 64 /* ranks to each side over which a user's own weights are averaged ... */
#define PARTS 16    /* ... but at most such a part of all */
#define LEAST_CHANCE 1e-3
#define CANDIDATES 48
#define BID 0.02
#define GIVE_UP 25 /* nats */

typedef struct {
  gsize n_steps, n_users, n_rows;
  float *held;    /* N x P x T: 1 where the user has a column in the row in that step */
  float *chances; /* P x T: q_t */
  float *costs;   /* P x candidates */
  gsize *columns;
  gsize user;
  float *weights; /* P x T: ln (1 - q) - ln q with the padding of the user */
} Interception;

ASSAY_LOCAL_CLEAR (Interception, interception_clear, g_free (self->held), g_free (self->chances),
                   g_free (self->costs), g_free (self->columns), g_free (self->weights))

static gboolean
interception_init (const AssayRelease *release, Interception *interception, GError **error)
{
  const gsize p = assay_arrays_get (&release->arrays, "models")->shape[1];
  const gsize steps = assay_updates_steps (release);
  const gsize row = steps * sizeof (float);

  interception->n_steps = steps;
  interception->n_rows = p;
  if (!row_holders_users (release, &interception->n_users, error))
    return FALSE;
  interception->held = assay_alloc (interception->n_users * p, row, "rows of users", error);
  interception->chances = assay_alloc (p, row, "chances of weights", error);
  interception->weights = assay_alloc (p, row, "chances of weights", error);
  interception->costs = assay_alloc (p, CANDIDATES * sizeof (float), "candidates", error);
  interception->columns = assay_alloc (p, CANDIDATES * sizeof (gsize), "candidates", error);
  return interception->held != NULL && interception->chances != NULL
         && interception->weights != NULL && interception->costs != NULL
         && interception->columns != NULL;
}

static void
hold (gsize step, gsize user, gsize row, gpointer data)
{
  const Interception *interception = data;

  interception->held[(user * interception->n_rows + row) * interception->n_steps + step] = 1;
}

/* ---- What a user learns of itself ---- */

/* q_t: how often the user holds weights of about the same rank. */
static gboolean
learn_chances (const AssayRelease *release, Interception *interception, gsize step, GError **error)
{
  const AssayView own = assay_array_view (assay_arrays_get (&release->arrays, "own"));
  const gsize p = interception->n_rows, smoothed = MIN (SMOOTHED, p / PARTS);
  g_autofree double *sum = assay_alloc (p, sizeof *sum, "a sum", error);
  g_autofree AssayRanked *others = assay_alloc (p, sizeof *others, "a sum", error);
  g_autofree gsize *below = assay_alloc (p + 1, sizeof *below, "a sum", error);

  if (sum == NULL || others == NULL || below == NULL
      || !assay_updates_sum (release, step, sum, error))
    return FALSE;
  for (gsize i = 0; i < p; i++)
    others[i] = (AssayRanked){ fabs (sum[i] - (double) assay_view_row (own, step)[i]), i };
  assay_rank (others, p);
  for (gsize i = 0; i < p; i++)
    below[i + 1] = below[i] + (assay_view_row (own, step)[others[i].place] != 0);
  for (gsize i = 0; i < p; i++) {
    const gsize low = i > smoothed ? i - smoothed : 0, high = MIN (i + smoothed + 1, p);

    interception->chances[others[i].place * interception->n_steps + step]
        = (float) (below[high] - below[low]) / (float) (high - low);
  }
  return TRUE;
}

/* What each weight costs where a row is held, less what it costs where it is not: with as many rows
 * held by padding as the user has beyond what is to be expected. */
static void
weigh (Interception *interception)
{
  const gsize p = interception->n_rows, steps = interception->n_steps;
  const float *held = interception->held + interception->user * p * steps;

  for (gsize t = 0; t < steps; t++) {
    double rows = 0, expected = 0, padding;

    for (gsize i = 0; i < p; i++) {
      rows += (double) held[i * steps + t];
      expected += (double) interception->chances[i * steps + t];
    }
    padding = expected < (double) p ? CLAMP ((rows - expected) / ((double) p - expected), 0, 1) : 0;
    for (gsize i = 0; i < p; i++) {
      const double own = (double) interception->chances[i * steps + t];
      const double q = CLAMP (own + (1 - own) * padding, LEAST_CHANCE, 1 - LEAST_CHANCE);

      interception->weights[i * steps + t] = (float) (log1p (-q) - log (q));
    }
  }
}

/* ---- The assignment ---- */

/* The cheapest rows of a weight. What all rows cost it alike is left out, so that the cheapest one
 * costs nothing. */
static void
find_candidates (gsize weight, G_GNUC_UNUSED guint worker, gpointer data)
{
  const Interception *interception = data;
  const gsize p = interception->n_rows, steps = interception->n_steps;
  const float *held = interception->held + interception->user * p * steps;
  const float *weights = interception->weights + weight * steps;
  gsize *columns = interception->columns + weight * CANDIDATES;
  float *costs = interception->costs + weight * CANDIDATES;
  float least;

  for (gsize c = 0; c < CANDIDATES; c++) {
    columns[c] = SPARSE_ASSIGNMENT_NONE;
    costs[c] = FLT_MAX;
  }
  for (gsize k = 0; k < p; k++) {
    /* Each weight begins elsewhere, so that among equals all take others. */
    const gsize row = (k + weight * 7919) % p;
    float cost = 0;

    for (gsize t = 0; t < steps; t++)
      cost += held[row * steps + t] * weights[t];
    if (cost < costs[CANDIDATES - 1])
      sparse_assignment_keep (columns, costs, CANDIDATES, row, cost);
  }
  least = costs[0];
  for (gsize c = 0; c < CANDIDATES && columns[c] != SPARSE_ASSIGNMENT_NONE; c++)
    costs[c] -= least;
}

/* Assigns the weights of the user; @ret_rows: P, -1 for none; @ret_scores: T N x P. */
static void
match_user (Interception *interception, gsize *rows, gint64 *ret_rows, float *ret_scores)
{
  const gsize p = interception->n_rows, steps = interception->n_steps;
  const gsize user = interception->user;
  const SparseAssignment problem = { .n = p,
                                     .n_columns = p,
                                     .candidates = CANDIDATES,
                                     .columns = interception->columns,
                                     .costs = interception->costs,
                                     .bid = BID,
                                     .give_up = GIVE_UP };

  weigh (interception);
  assay_parallel_for (p, find_candidates, interception);
  sparse_assignment_solve (&problem, rows);
  for (gsize i = 0; i < p; i++) {
    ret_rows[i] = rows[i] != SPARSE_ASSIGNMENT_NONE ? (gint64) rows[i] : -1;
    for (gsize t = 0; t < steps && ret_rows[i] >= 0; t++)
      ret_scores[(t * interception->n_users + user) * p + i]
          = interception->held[(user * p + rows[i]) * steps + t];
  }
}

static gboolean
attack (G_GNUC_UNUSED const AssayAttackContext *context, const AssayObservation *seen,
        AssayGuess *ret_guess, GError **error)
{
  const AssayRelease *release = seen->release;
  g_auto (Interception) interception = { 0 };
  g_autofree gint64 *found = NULL;
  g_autofree float *scores = NULL;
  g_autofree gsize *rows = NULL;
  gsize p, users;

  if (assay_arrays_get (&release->arrays, "own") == NULL)
    return assay_fail (error, ASSAY_ERROR_MISMATCH,
                       "the release has no updates of a user's own: expected 'own'");
  if (!interception_init (release, &interception, error)
      || !row_holders_visit (release, hold, &interception, error))
    return FALSE;
  p = interception.n_rows;
  users = interception.n_users;
  for (gsize t = 0; t < interception.n_steps; t++)
    if (!learn_chances (release, &interception, t, error))
      return FALSE;
  found = assay_alloc (users, p * sizeof *found, "rows of weights", error);
  rows = assay_alloc (p, sizeof *rows, "rows of weights", error);
  scores = assay_alloc (interception.n_steps * users, p * sizeof *scores, "scores", error);
  if (found == NULL || rows == NULL || scores == NULL)
    return FALSE;
  for (gsize i = 0; i < p; i++)
    found[i] = -1;
  for (interception.user = 1; interception.user < users; interception.user++)
    match_user (&interception, rows, found + interception.user * p, scores);
  assay_arrays_take_rows (&ret_guess->arrays, "rows-of-users", ASSAY_INT64, users, p,
                          g_steal_pointer (&found));
  assay_arrays_take_rows (&ret_guess->arrays, "support-scores", ASSAY_FLOAT32,
                          interception.n_steps * users, p, g_steal_pointer (&scores));
  return TRUE;
}

WEIGHT_CONTROL (make_control, .users = 2, .steps = 400, .weights = 40, .held = 0.3, .has_own = TRUE,
                .has_messages = TRUE)

ASSAY_MEMORY (memory, void, shape->n_outputs * CANDIDATES * (sizeof (gsize) + sizeof (float)))

WEIGHT_ATTACK (permutation_intercept, "permutation-intercept",
  .summary = "Match the permuted rows of each user with weights, by the steps in which they are "
             "held",
  .reference = { ASSAY_PAPER_DPHE, "algorithm 1; the attack is ours" },
  .memory = memory,
  .needs = ASSAY_GRANT_USER | ASSAY_GRANT_MESSAGES,
  .reads_arrays = ASSAY_ARRAY_NAMES ("slots"),
  .writes = weight_support_arrays,
  .control = { .says = "of two users, each finds the other's rows behind a permutation that stays "
                       "the same",
               .make = make_control,
               .at_least = 0.7 });
