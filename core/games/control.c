/* Calling an attack, and its control. */
#include "core/games/control.h"

#include <math.h>
#include <string.h>

#include "core/base/vectors.h"
#include "core/data/codes.h"
#include "core/games/guesses/edge.h"
#include "core/games/guesses/infer.h"
#include "core/games/guesses/photographs.h"
#include "core/games/guesses/scored.h"
#include "core/games/guesses/weights.h"
#include "core/games/pair-scores.h"
#include "core/plugin/registry.h"

/* ---- What a guess must be ---- */

static gboolean
is_of_several (const AssayRelease *release)
{
  return assay_kind (release->kind)->items == ASSAY_ITEMS_OF_SEVERAL_SECRETS;
}

/* An estimate of each secret. How many secrets went into mixtures is for metrics to compare. */
static gboolean
check_estimates (const AssayArray *estimates, const AssayObservation *seen, GError **error)
{
  const gsize n = assay_release_count (seen->release);

  /* Of all secrets together a release does not say how many they are. */
  if (estimates != NULL
      && (assay_kind (seen->release->kind)->items != ASSAY_ITEM_OF_EACH_SECRET
          || estimates->shape[0] == n))
    return TRUE;
  return assay_fail (error, ASSAY_ERROR_MISMATCH, "expected an estimate for each of %zu secrets",
                     n);
}

/* What each code was before it was randomised. */
static gboolean
check_codes (const AssayArray *codes, const AssayObservation *seen, GError **error)
{
  const gsize n = assay_release_count (seen->release);
  const gsize bytes = assay_code_bytes (seen->release->bits);

  return (codes->shape[0] == n && codes->shape[1] == bytes)
         || assay_fail (error, ASSAY_ERROR_MISMATCH,
                        "expected codes of %zu x %zu bytes, found %zu x %zu", n, bytes,
                        codes->shape[0], codes->shape[1]);
}

static gboolean
check_candidates (const AssayArray *candidates, const AssayObservation *seen, GError **error)
{
  const gsize n = assay_release_count (seen->release);
  const gsize n_public = seen->public_rows != NULL ? assay_rows_count (seen->public_rows) : 0;
  const gsize k = candidates != NULL ? candidates->shape[1] : 0;
  g_autofree gsize *last = NULL; /* item that had the row last, plus 1 */

  if (candidates == NULL || candidates->shape[0] != n || k == 0)
    return assay_fail (error, ASSAY_ERROR_MISMATCH,
                       "expected candidates for each of %zu released items, found %zu x %zu", n,
                       candidates != NULL ? candidates->shape[0] : 0, k);
  last = assay_alloc (n_public, sizeof *last, "candidates", error);
  if (last == NULL)
    return FALSE;
  for (gsize i = 0; i < n; i++)
    for (gsize j = 0; j < k; j++) {
      const gint64 row = assay_array_int64 (candidates)[i * k + j];

      if (row < 0 || (guint64) row >= n_public)
        return assay_fail (error, ASSAY_ERROR_MISMATCH,
                           "candidate %zu of item %zu is %" G_GINT64_FORMAT ", which is none of "
                           "the %zu public rows",
                           j, i, row, n_public);
      if (last[row] == i + 1)
        return assay_fail (error, ASSAY_ERROR_MISMATCH,
                           "public row %" G_GINT64_FORMAT
                           " appears twice among the candidates of item %zu",
                           row, i);
      last[row] = i + 1;
    }
  return TRUE;
}

static gboolean
check_pairs (const AssayArray *pairs, const AssayArray *scores, const AssayObservation *seen,
             GError **error)
{
  const gsize n = assay_release_count (seen->release);

  if (pairs == NULL || scores == NULL || pairs->shape[1] != 2 || pairs->shape[0] == 0)
    return assay_fail (error, ASSAY_ERROR_MISMATCH,
                       "expected pairs (p x 2) and their scores (p), p >= 1");
  for (gsize i = 0; i < pairs->shape[0]; i++) {
    const gint64 *pair = assay_array_int64 (pairs) + 2 * i;

    if (pair[0] < 0 || pair[1] < 0 || (guint64) pair[0] >= n || (guint64) pair[1] >= n
        || pair[0] == pair[1])
      return assay_fail (error, ASSAY_ERROR_MISMATCH,
                         "pair %zu is of items %" G_GINT64_FORMAT " and %" G_GINT64_FORMAT
                         ", expected two of the %zu that were released",
                         i, pair[0], pair[1], n);
  }
  return TRUE;
}

static gboolean
check_guess (AssayGame game, const AssayObservation *seen, const AssayGuess *guess, GError **error)
{
  const AssayArrays *arrays = &guess->arrays;

  if (!assay_guess_check (guess, assay_registry_guess_arrays (), error))
    return FALSE;
  switch (game) {
  case ASSAY_GAME_RECONSTRUCT:
    if (seen->release->bits > 0 && assay_arrays_get (arrays, "codes") != NULL)
      return check_codes (assay_arrays_get (arrays, "codes"), seen, error);
    if (assay_guess_is_of_weights (guess))
      return assay_weights_check (seen, guess, error);
    if (assay_guess_is_of_photographs (guess))
      return assay_photographs_check (seen, guess, error);
    return check_estimates (assay_arrays_get (arrays, "estimates"), seen, error);
  case ASSAY_GAME_LINK:
    return check_candidates (assay_arrays_get (arrays, "candidates"), seen, error);
  case ASSAY_GAME_PAIR:
    return check_pairs (assay_arrays_get (arrays, "pairs"), assay_arrays_get (arrays, "scores"),
                        seen, error);
  case ASSAY_GAME_INFER:
    return assay_infer_check (seen, guess, error);
  case ASSAY_GAME_MEMBER:
    return assay_member_check (seen, guess, error);
  case ASSAY_GAME_CROSS:
    return assay_cross_check (seen, guess, error);
  case ASSAY_GAME_EDGE:
    return assay_edge_check (seen, guess, error);
  }
  g_return_val_if_reached (FALSE);
}

gboolean
assay_attack_run (const AssayAttack *attack, const AssayAttackContext *context,
                  const AssayObservation *seen, AssayGuess *ret_guess, GError **error)
{
  g_return_val_if_fail (seen->release->kind & attack->reads, FALSE);
  if (attack->attack (context, seen, ret_guess, error)
      && check_guess (assay_attack_plays (attack, context->settings), seen, ret_guess, error))
    return TRUE;
  return assay_prefix (error, "attack %s: ", attack->id);
}

/* ---- Reconstruct ---- */

/* Whether @sign times the estimate is within the relative error of the secret. */
static gboolean
is_within (const float *secret, const float *estimate, gsize cols, double sign, double within)
{
  double gap = 0, length = 0;

  for (gsize j = 0; j < cols; j++) {
    const double difference = sign * estimate[j] - secret[j];

    gap += difference * difference;
    length += (double) secret[j] * secret[j];
  }
  return gap <= within * within * length;
}

/* Secrets of mixtures whose estimate is within the error, up to the sign. Control cases are small:
 * the best pair that is left is looked for each time. */
static gboolean
count_matched (AssayView secrets, AssayView estimates, double within, gsize *ret_recovered,
               GError **error)
{
  const gsize n = secrets.rows, m = estimates.rows;
  g_autofree double *strength = assay_alloc (n, m * sizeof (double), "matching", error);

  if (strength == NULL)
    return FALSE;
  *ret_recovered = 0;
  for (gsize i = 0; i < n * m; i++)
    strength[i] = fabs (assay_correlation (assay_view_row (secrets, i / m),
                                           assay_view_row (estimates, i % m), secrets.cols));
  for (gsize round = 0; round < MIN (n, m); round++) {
    gsize best = 0;
    const float *secret, *estimate;

    for (gsize i = 1; i < n * m; i++)
      if (strength[i] > strength[best])
        best = i;
    secret = assay_view_row (secrets, best / m);
    estimate = assay_view_row (estimates, best % m);
    *ret_recovered += is_within (secret, estimate, secrets.cols, 1, within)
                      || is_within (secret, estimate, secrets.cols, -1, within);
    for (gsize i = 0; i < m; i++)
      strength[best / m * m + i] = -1;
    for (gsize i = 0; i < n; i++)
      strength[i * m + best % m] = -1;
  }
  return TRUE;
}

/* Of all secrets together a guess may hold fewer estimates than there are secrets. */
static gsize
count_in_order (AssayView secrets, AssayView estimates, double within)
{
  gsize recovered = 0;

  for (gsize i = 0; i < MIN (secrets.rows, estimates.rows) && estimates.cols == secrets.cols; i++)
    recovered += is_within (assay_view_row (secrets, i), assay_view_row (estimates, i),
                            secrets.cols, 1, within);
  return recovered;
}

/* Secrets for which there is an estimate, each of as many as there are secrets for one alone. */
static gsize
count_in_any_order (AssayView secrets, AssayView estimates, double within)
{
  const gsize n = estimates.cols == secrets.cols ? MIN (secrets.rows, estimates.rows) : 0;
  g_autofree gboolean *is_taken = g_new0 (gboolean, n);
  gsize recovered = 0;

  for (gsize i = 0; i < secrets.rows; i++)
    for (gsize e = 0; e < n; e++)
      if (!is_taken[e]
          && is_within (assay_view_row (secrets, i), assay_view_row (estimates, e), secrets.cols, 1,
                        within)) {
        is_taken[e] = TRUE;
        recovered++;
        break;
      }
  return recovered;
}

static gboolean
judge_estimates (const AssayAttack *attack, const AssayControlCase *control_case,
                 const AssayGuess *guess, AssayControlOutcome *ret_outcome, GError **error)
{
  const AssayView secrets
      = assay_array_view (assay_arrays_get (&control_case->truth->arrays, "secrets"));
  const AssayView estimates = assay_array_view (assay_arrays_get (&guess->arrays, "estimates"));
  const double within = attack->control.within;
  gsize recovered = 0;

  if (is_of_several (control_case->release)) {
    if (!count_matched (secrets, estimates, within, &recovered, error))
      return FALSE;
  } else {
    recovered = guess->is_unordered
                    ? count_in_any_order (secrets, estimates, within)
                    : count_in_order (secrets, estimates, within);
  }
  ret_outcome->n = secrets.rows;
  ret_outcome->share = (double) recovered / (double) secrets.rows;
  return TRUE;
}

/* Codes that are right in every bit. */
static void
judge_codes (const AssayControlCase *control_case, const AssayGuess *guess,
             AssayControlOutcome *ret_outcome)
{
  const AssayArray *codes = assay_arrays_get (&control_case->truth->arrays, "codes");
  const AssayArray *guessed = assay_arrays_get (&guess->arrays, "codes");
  const gsize n = codes->shape[0], bytes = codes->shape[1];
  gsize right = 0;

  for (gsize i = 0; i < n; i++)
    right += memcmp (codes->data + i * bytes, guessed->data + i * bytes, bytes) == 0;
  ret_outcome->n = n;
  ret_outcome->share = (double) right / (double) n;
}

/* ---- Link and pair ---- */

void
assay_control_judge_candidates (const AssayControlCase *control_case, const AssayGuess *guess,
                                AssayControlOutcome *ret_outcome)
{
  const AssayArray *partners = assay_arrays_get (&control_case->truth->arrays, "partners");
  const AssayArray *candidates = assay_arrays_get (&guess->arrays, "candidates");
  const gsize n = partners->shape[0], p = partners->shape[1], k = candidates->shape[1];
  gsize won = 0;

  for (gsize i = 0; i < n; i++) {
    const gint64 first = assay_array_int64 (candidates)[i * k];
    gboolean is_right = FALSE;

    for (gsize j = 0; j < p; j++)
      is_right |= assay_array_int64 (partners)[i * p + j] == first;
    won += is_right;
  }
  ret_outcome->n = n;
  ret_outcome->share = (double) won / (double) n;
}

static gboolean
judge_pairs (const AssayControlCase *control_case, const AssayGuess *guess,
             AssayControlOutcome *ret_outcome, GError **error)
{
  const AssayArray *sources = assay_arrays_get (&control_case->truth->arrays, "sources");
  const AssayArray *pairs = assay_arrays_get (&guess->arrays, "pairs");
  const AssayView scores = assay_array_view (assay_arrays_get (&guess->arrays, "scores"));
  const gsize n = pairs->shape[0];
  g_autofree gint64 *shared = assay_alloc (n, sizeof (gint64), "pairs", error);
  g_autofree double *placements = assay_alloc (n, sizeof (double), "pairs", error);
  double sum = 0;
  gsize n_shared = 0;

  if (shared == NULL || placements == NULL)
    return FALSE;
  for (gsize i = 0; i < n; i++) {
    const gint64 *pair = assay_array_int64 (pairs) + 2 * i;

    shared[i] = assay_pair_shared (sources, pair[0], pair[1]);
  }
  if (!assay_pair_placements (&(AssayPairScores){ scores.data, shared, n }, 0, placements, NULL,
                              error))
    return FALSE;
  for (gsize i = 0; i < n; i++)
    if (shared[i] >= 0) {
      sum += placements[i];
      n_shared++;
    }
  ret_outcome->n = n_shared;
  ret_outcome->share = sum / (double) n_shared;
  return TRUE;
}

gboolean
assay_control_judge_scores (AssayGame game, const AssayControlCase *control_case,
                            const AssayGuess *guess, AssayControlOutcome *ret_outcome,
                            GError **error)
{
  switch (game) {
  case ASSAY_GAME_PAIR:
    return judge_pairs (control_case, guess, ret_outcome, error);
  case ASSAY_GAME_INFER:
    return assay_infer_judge (control_case->truth, guess, ret_outcome, error);
  case ASSAY_GAME_MEMBER:
    return assay_member_judge (control_case->truth, guess, ret_outcome, error);
  case ASSAY_GAME_CROSS:
    return assay_cross_judge (control_case->truth, guess, ret_outcome, error);
  case ASSAY_GAME_EDGE:
    return assay_edge_judge (control_case->truth, guess, ret_outcome, error);
  default:
    g_return_val_if_reached (FALSE);
  }
}

/* ---- The control ---- */

static gboolean
play (const AssayAttack *attack, const AssayAttackContext *context,
      const AssayControlCase *control_case, AssayControlOutcome *ret_outcome, GError **error)
{
  const AssayGame game = assay_attack_plays (attack, context->settings);
  const GPtrArray *repeats = control_case->repeats;
  const AssayView features = control_case->features != NULL
                                 ? assay_matrix_view (control_case->features)
                                 : (AssayView){ 0 };
  const AssayObservation seen
      = { .release = control_case->release,
          .database = control_case->database,
          .public_rows = control_case->public_rows,
          .groups = control_case->groups,
          .other_releases
          = attack->needs & ASSAY_GRANT_OTHER_RELEASES ? control_case->release : NULL,
          .repeats = repeats != NULL ? (const AssayRelease *const *) repeats->pdata : NULL,
          .n_repeats = repeats != NULL ? repeats->len : 0,
          .shadow = control_case->shadow,
          .pairs = control_case->pairs,
          .records = control_case->records,
          .crossed = control_case->crossed,
          .attribute_names = (const char *const *) control_case->attribute_names,
          .features = control_case->features != NULL ? &features : NULL,
          .first_cols = control_case->first_cols,
          .known_edges = control_case->known_edges,
          .public_groups = control_case->public_groups,
          .keypoints = control_case->keypoints,
          .public_keypoints = control_case->public_keypoints };
  g_autoptr (AssayGuess) guess = assay_guess_new ();
  gboolean is_ok = assay_attack_run (attack, context, &seen, guess, error);

  if (is_ok && game == ASSAY_GAME_LINK)
    assay_control_judge_candidates (control_case, guess, ret_outcome);
  else if (is_ok && game != ASSAY_GAME_RECONSTRUCT)
    is_ok = assay_control_judge_scores (game, control_case, guess, ret_outcome, error);
  else if (is_ok && assay_arrays_get (&guess->arrays, "codes") != NULL)
    judge_codes (control_case, guess, ret_outcome);
  else if (is_ok && assay_guess_is_of_weights (guess))
    is_ok = assay_weights_judge (control_case, guess, ret_outcome, error);
  else if (is_ok && assay_guess_is_of_photographs (guess))
    is_ok = assay_photographs_judge (control_case, guess, ret_outcome, error);
  else if (is_ok)
    is_ok = judge_estimates (attack, control_case, guess, ret_outcome, error);
  if (is_ok)
    ret_outcome->is_won = ret_outcome->share >= attack->control.at_least;
  return is_ok;
}

static gboolean
play_case (const AssayAttack *attack, const AssayAttackContext *context, guint64 seed,
           AssayControlOutcome *ret_outcome, GError **error)
{
  AssayControlCase control_case = { 0 };
  const gboolean is_ok
      = attack->control.make (context->settings,
                              assay_stream_key (seed, 0, "control-case", attack->id), &control_case,
                              error)
        && play (attack, context, &control_case, ret_outcome, error);

  assay_control_case_clear (&control_case);
  return is_ok;
}

gboolean
assay_control_play (const AssayPlugin *plugin, const AssaySettings *settings, guint64 seed,
                    AssayControlOutcome *ret_outcome, GError **error)
{
  const AssayAuditor *auditor = assay_auditor_of (plugin);
  g_autofree char *canonical = assay_settings_canonical (settings);
  const AssayStreamKey stream = assay_stream_key (seed, 0, "control-attack", canonical);
  const AssayAttackContext attacking = { .settings = settings->values, .stream = stream };
  const AssayAuditContext auditing = { .settings = settings->values, .stream = stream };
  AssayControlOutcome outcome = { 0 };

  if (!(auditor != NULL ? auditor->control.play (auditor, &auditing, &outcome, error)
                        : play_case (assay_attack_of (plugin), &attacking, seed, &outcome, error)))
    return assay_prefix (error, "control of attack %s: ", plugin->id);
  *ret_outcome = outcome;
  return TRUE;
}
