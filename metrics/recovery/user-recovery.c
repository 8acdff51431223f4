/* What was found of each user's updates, user by user: the unit of theorem 8 of DPHE, that nobody
 * but a user can identify its model. Two attacks on a release have the same users in the same
 * order, so that a claim can be about what a party takes beyond an outsider (`beyond`).
 *
 * Of several claims about one weight in a step with one value the first counts: who names every
 * user for it names none. No more claims about it count than there are users.
 * Users of a release share its sums, and are one group. */
#include <math.h>

#include "core/data/kinds/updates.h"
#include "core/games/guesses/weights.h"
#include "core/plugin/plugin.h"
#include "metrics/recovery/errors.h"

/* Relative: values that are right of one weight are nearer to each other. */
#define SAME 1e-4

enum { NAMED, FOUND, UNIT, N_SERIES };

/* Of each user. */
typedef struct {
  gsize *claims; /* that name it */
  gsize *right;  /* ... and are right */
  gsize *held;   /* weights of all its updates that are not 0 */
} Counts;

/* Claims about each weight in each step, one after the other. */
typedef struct {
  gsize *last; /* T x P: one more than the number of the last claim; 0: none yet */
  gsize *before; /* of each claim: the same of the one before it */
} Chains;

/* Whether an earlier claim has the value of claim @index, in @cell, or there were as many as users
 * already; notes the claim. */
static gboolean
is_repeated (Chains *chains, gsize cell, gsize users, AssayView values, gsize index)
{
  const double value = (double) values.data[index];
  gboolean is_known = FALSE;
  gsize count = 0;

  for (gsize i = chains->last[cell]; i > 0 && !is_known; i = chains->before[i - 1])
    is_known = ++count == users
               || fabs ((double) values.data[i - 1] - value) <= SAME * fabs (value);
  chains->before[index] = chains->last[cell];
  chains->last[cell] = index + 1;
  return is_known;
}

static gboolean
count (AssayView updates, gsize users, const AssayGuess *guess, const Counts *counts,
       GError **error)
{
  const AssayArray *claims = assay_arrays_get (&guess->arrays, "weight-claims");
  const AssayView values
      = assay_array_view (assay_arrays_get (&guess->arrays, "claimed-values"));
  g_autofree gsize *last = assay_alloc (updates.rows / users * updates.cols, sizeof (gsize),
                                        "weights that were claimed", error);
  g_autofree gsize *before = assay_alloc (claims->shape[0], sizeof (gsize), "claims", error);
  Chains chains = { last, before };

  if (last == NULL || before == NULL)
    return FALSE;
  for (gsize i = 0; i < claims->shape[0]; i++) {
    const gint64 *claim = assay_array_int64 (claims) + i * ASSAY_CLAIM_NUMBERS;
    const gint64 user = claim[ASSAY_CLAIM_USER];
    const gsize cell
        = (gsize) claim[ASSAY_CLAIM_STEP] * updates.cols + (gsize) claim[ASSAY_CLAIM_WEIGHT];

    if (!is_repeated (&chains, cell, users, values, i) && user >= 0 && (gsize) user < users) {
      counts->claims[user]++;
      counts->right[user] += assay_weight_claim_is_of (updates, users, guess, i, (gsize) user);
    }
  }
  for (gsize row = 0; row < updates.rows; row++)
    for (gsize i = 0; i < updates.cols; i++)
      counts->held[row % users] += assay_view_row (updates, row)[i] != 0;
  return TRUE;
}

static double
share (gsize part, gsize all)
{
  return all > 0 ? (double) part / (double) all : 0;
}

static gboolean
measure (const AssayMetricContext *context, const AssayTruth *truth, const AssayGuess *guess,
         AssayOutcomes *ret_outcomes, GError **error)
{
  const AssayView updates = assay_array_view (assay_arrays_get (&truth->arrays, "updates"));
  const gsize users = assay_weights_users (truth, context->release);
  const double number
      = metric_number_of_sum (context->release, assay_updates_steps (context->release) - 1);
  g_autofree gsize *numbers = g_new0 (gsize, 3 * users);
  const Counts counts = { numbers, numbers + users, numbers + 2 * users };
  gsize named = 0;

  if (!count (updates, users, guess, &counts, error)
      || !assay_outcomes_alloc (ret_outcomes, N_SERIES, users, error))
    return FALSE;
  for (gsize u = 0; u < users; u++) {
    named += counts.claims[u];
    ret_outcomes->series[NAMED][u] = share (counts.right[u], counts.claims[u]);
    ret_outcomes->series[FOUND][u] = share (counts.right[u], counts.held[u]);
    ret_outcomes->series[UNIT][u] = number;
  }
  /* Who names nobody says nothing of any user, and is not wrong either. */
  if (named == 0)
    metric_leave_out (ret_outcomes, NAMED, FOUND + 1, "no claim names a user");
  return TRUE;
}

UPDATES_METRIC (user_recovery, "user-recovery",
  .summary = "Weights of users that were found and attributed to them, user by user",
  .reference = { ASSAY_PAPER_DPHE, "theorem 8; the measures are ours" },
  .reads_guess = ASSAY_ARRAY_NAMES ("weight-claims", "claimed-values"),
  .names_units = TRUE,
  ASSAY_MEASURES (N_SERIES,
    ASSAY_MEASURE (NAMED, "user-claims-right", MEAN, 0, 1, "share of claims",
                   "Claims that name a user and are right, of those that name it; mean over users, "
                   "0 for a user whom none names. Left out where none names anybody",
                   ASSAY_HEADLINE, ASSAY_HIGHER_IS_WORSE),
    ASSAY_MEASURE (FOUND, "user-weights-found", MEAN, 0, 1, "share of a user's weights",
                   "Weights of a user, other than 0, that right claims naming it show; mean over "
                   "users",
                   ASSAY_HIGHER_IS_WORSE)));
