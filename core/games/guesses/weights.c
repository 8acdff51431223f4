/* What a guess may say of the weights that users of a federation sent. */
#include "core/games/guesses/weights.h"

#include <math.h>

#include "core/base/error.h"
#include "core/data/kinds/updates.h"
#include "core/games/guesses/score-roc.h"

#define TOLERANCE 1e-5 /* sums and models are float32 */

static const gint64 *
claim_of (const AssayGuess *guess, gsize index)
{
  return assay_array_int64 (assay_arrays_get (&guess->arrays, "weight-claims"))
         + index * ASSAY_CLAIM_NUMBERS;
}

gboolean
assay_guess_is_of_weights (const AssayGuess *guess)
{
  return assay_arrays_get (&guess->arrays, "weight-claims") != NULL
         || assay_arrays_get (&guess->arrays, "support-scores") != NULL
         || assay_arrays_get (&guess->arrays, "support-overlaps") != NULL;
}

gsize
assay_weights_in_common (AssayView updates, gsize a, gsize b)
{
  const float *x = assay_view_row (updates, a), *y = assay_view_row (updates, b);
  gsize both = 0;

  for (gsize i = 0; i < updates.cols; i++)
    both += x[i] != 0 && y[i] != 0;
  return both;
}

gsize
assay_weights_users (const AssayTruth *truth, const AssayRelease *release)
{
  return assay_arrays_get (&truth->arrays, "updates")->shape[0] / assay_updates_steps (release);
}

gboolean
assay_weight_claim_is_of (AssayView updates, gsize users, const AssayGuess *guess, gsize index,
                          gsize user)
{
  const gint64 *claim = claim_of (guess, index);
  const double value
      = (double) assay_array_view (assay_arrays_get (&guess->arrays, "claimed-values")).data[index];
  const gsize row = (gsize) claim[ASSAY_CLAIM_STEP] * users + user;
  const double sent = (double) assay_view_row (updates, row)[claim[ASSAY_CLAIM_WEIGHT]];

  return (claim[ASSAY_CLAIM_USER] < 0 || (gsize) claim[ASSAY_CLAIM_USER] == user) && sent != 0
         && fabs (sent - value) <= TOLERANCE * fabs (value);
}

gboolean
assay_weight_claim_is_right (AssayView updates, gsize users, const AssayGuess *guess, gsize index)
{
  for (gsize u = 0; u < users; u++)
    if (assay_weight_claim_is_of (updates, users, guess, index, u))
      return TRUE;
  return FALSE;
}

/* ---- Supports ---- */

ASSAY_CLEAR_FUNC (AssaySupportScores, assay_support_scores_clear, assay_drop (self->scores, g_free),
                  assay_drop (self->is_held, g_free))

gboolean
assay_support_scores_init (AssayView updates, gsize users, const AssayArray *scores,
                           AssaySupportScores *ret_scores, GError **error)
{
  const AssayView given = assay_array_view (scores);
  const gsize n = updates.rows * updates.cols;
  g_auto (AssaySupportScores) made = { .n = n };

  if (given.cols != updates.cols
      || (given.rows != updates.rows && given.rows * users != updates.rows))
    return assay_fail (error, ASSAY_ERROR_MISMATCH,
                       "support-scores are %zu x %zu; expected %zu or %zu rows of %zu", given.rows,
                       given.cols, updates.rows / users, updates.rows, updates.cols);
  made.scores = assay_alloc (n, sizeof (float), "scores of supports", error);
  made.is_held = assay_alloc (n, 1, "supports", error);
  if (made.scores == NULL || made.is_held == NULL)
    return FALSE;
  for (gsize row = 0; row < updates.rows; row++)
    for (gsize i = 0; i < updates.cols; i++) {
      const gsize from = given.rows == updates.rows ? row : row / users;

      made.scores[row * updates.cols + i] = assay_view_row (given, from)[i];
      made.is_held[row * updates.cols + i] = assay_view_row (updates, row)[i] != 0;
    }
  *ret_scores = made;
  made = (AssaySupportScores){ 0 };
  return TRUE;
}

/* ---- Checks ---- */

static gboolean
check_claims (const AssayObservation *seen, const AssayGuess *guess, GError **error)
{
  const AssayArray *claims = assay_arrays_get (&guess->arrays, "weight-claims");
  const AssayArray *values = assay_arrays_get (&guess->arrays, "claimed-values");
  const gint64 *users = ASSAY_PARAMETER (seen->release, AssayUpdatesParameters, users);
  const gint64 steps = (gint64) assay_updates_steps (seen->release);
  const gint64 weights = (gint64) assay_arrays_get (&seen->release->arrays, "models")->shape[1];

  if (claims->shape[1] != ASSAY_CLAIM_NUMBERS || values == NULL)
    return assay_fail (error, ASSAY_ERROR_MISMATCH,
                       "expected weight-claims (c x %d) and their values (c)", ASSAY_CLAIM_NUMBERS);
  for (gsize i = 0; i < claims->shape[0]; i++) {
    const gint64 *claim = claim_of (guess, i);

    if (claim[ASSAY_CLAIM_STEP] < 0 || claim[ASSAY_CLAIM_STEP] >= steps
        || claim[ASSAY_CLAIM_WEIGHT] < 0 || claim[ASSAY_CLAIM_WEIGHT] >= weights
        || claim[ASSAY_CLAIM_USER] < -1 || (users != NULL && claim[ASSAY_CLAIM_USER] >= *users))
      return assay_fail (error, ASSAY_ERROR_MISMATCH,
                         "claim %zu is of step %" G_GINT64_FORMAT ", user %" G_GINT64_FORMAT
                         " and weight %" G_GINT64_FORMAT ": expected one of %" G_GINT64_FORMAT
                         " steps and %" G_GINT64_FORMAT " weights, and a user or -1",
                         i, claim[ASSAY_CLAIM_STEP], claim[ASSAY_CLAIM_USER],
                         claim[ASSAY_CLAIM_WEIGHT], steps, weights);
  }
  return TRUE;
}

static gboolean
check_supports (const AssayObservation *seen, const AssayGuess *guess, GError **error)
{
  const AssayView scores = assay_array_view (assay_arrays_get (&guess->arrays, "support-scores"));
  const gsize steps = assay_updates_steps (seen->release);
  const gsize weights = assay_arrays_get (&seen->release->arrays, "models")->shape[1];

  return (scores.cols == weights && scores.rows > 0 && scores.rows % steps == 0)
         || assay_fail (error, ASSAY_ERROR_MISMATCH,
                        "support-scores are %zu x %zu; expected rows of %zu, one or several for "
                        "each of %zu steps",
                        scores.rows, scores.cols, weights, steps);
}

static gboolean
check_overlaps (const AssayObservation *seen, const AssayGuess *guess, GError **error)
{
  const AssayArray *overlaps = assay_arrays_get (&guess->arrays, "support-overlaps");
  const gint64 *users = ASSAY_PARAMETER (seen->release, AssayUpdatesParameters, users);
  const gsize steps = assay_updates_steps (seen->release);
  const gsize n = users != NULL ? (gsize) *users : (gsize) sqrt ((double) overlaps->shape[1]);

  return (overlaps->shape[0] == steps && overlaps->shape[1] == n * n)
         || assay_fail (error, ASSAY_ERROR_MISMATCH,
                        "support-overlaps are %zu x %zu; expected %zu x %zu, a row for each step "
                        "and a column for each two users",
                        overlaps->shape[0], overlaps->shape[1], steps, n * n);
}

gboolean
assay_weights_check (const AssayObservation *seen, const AssayGuess *guess, GError **error)
{
  if (seen->release->kind != ASSAY_RELEASE_UPDATES)
    return assay_fail (error, ASSAY_ERROR_MISMATCH, "claims about weights of a release of %s",
                       assay_release_kind_name (seen->release->kind));
  return (assay_arrays_get (&guess->arrays, "weight-claims") == NULL
          || check_claims (seen, guess, error))
         && (assay_arrays_get (&guess->arrays, "support-scores") == NULL
             || check_supports (seen, guess, error))
         && (assay_arrays_get (&guess->arrays, "support-overlaps") == NULL
             || check_overlaps (seen, guess, error));
}

/* Of all pairs of users, in all steps, those whose overlap is right. */
static void
judge_overlaps (AssayView updates, gsize users, const AssayArray *overlaps,
                AssayControlOutcome *ret_outcome)
{
  gsize right = 0, n = 0;

  for (gsize t = 0; t < overlaps->shape[0]; t++)
    for (gsize u = 0; u < users; u++)
      for (gsize v = u + 1; v < users; v++, n++)
        right += assay_array_int64 (overlaps)[(t * users + u) * users + v]
                 == (gint64) assay_weights_in_common (updates, t * users + u, t * users + v);
  ret_outcome->n = n;
  ret_outcome->share = n > 0 ? (double) right / (double) n : 0;
}

gboolean
assay_weights_judge (const AssayControlCase *control_case, const AssayGuess *guess,
                     AssayControlOutcome *ret_outcome, GError **error)
{
  const AssayView updates
      = assay_array_view (assay_arrays_get (&control_case->truth->arrays, "updates"));
  const AssayArray *claims = assay_arrays_get (&guess->arrays, "weight-claims");
  const gsize users = assay_weights_users (control_case->truth, control_case->release);
  const AssayArray *overlaps = assay_arrays_get (&guess->arrays, "support-overlaps");
  gsize right = 0;

  if (overlaps != NULL) {
    judge_overlaps (updates, users, overlaps, ret_outcome);
    return TRUE;
  }
  if (claims == NULL) {
    g_auto (AssaySupportScores) scores = { 0 };

    if (!assay_support_scores_init (
            updates, users, assay_arrays_get (&guess->arrays, "support-scores"), &scores, error))
      return FALSE;
    ret_outcome->n = scores.n;
    return assay_roc_area (&(AssayRoc){ scores.scores, 1, scores.is_held, scores.n },
                           &ret_outcome->share, NULL, error);
  }
  for (gsize i = 0; i < claims->shape[0]; i++)
    right += assay_weight_claim_is_right (updates, users, guess, i);
  ret_outcome->n = claims->shape[0];
  ret_outcome->share = claims->shape[0] > 0 ? (double) right / (double) claims->shape[0] : 0;
  return TRUE;
}
