/* The one-run game. */
#include "core/games/one-run.h"

#include <math.h>
#include <string.h>

#include "core/base/vectors.h"

/* Which canaries are in: one coin each. */
static guint8 *
flip_coins (AssayStreamKey key, gsize m)
{
  AssayStream stream = assay_stream (key, 0);
  guint8 *coins = g_new (guint8, m);

  for (gsize i = 0; i < m; i++)
    coins[i] = assay_stream_u32 (&stream) & 1;
  return coins;
}

static AssayMatrix *
gather_included (const AssayMatrix *canaries, const guint8 *coins, GError **error)
{
  AssayMatrix *included;
  gsize n = 0;

  for (gsize i = 0; i < canaries->rows; i++)
    n += coins[i];
  included = assay_matrix_new (n, canaries->cols, error);
  n = 0;
  for (gsize i = 0; included != NULL && i < canaries->rows; i++)
    if (coins[i])
      memcpy (assay_matrix_row (included, n++), canaries->data + i * canaries->cols,
              canaries->cols * sizeof (float));
  return included;
}

/* Right guesses: the lowest @guesses / 2 are guessed out, the highest in. Equal scores stand in the
 * order of a coin-independent number: ties must not favour anyone. */
static guint64
count_right (const double *scores, const guint8 *coins, gsize m, gsize guesses)
{
  g_autofree AssayRanked *ranked = g_new (AssayRanked, m);
  guint64 right = 0;

  for (gsize i = 0; i < m; i++)
    ranked[i] = (AssayRanked){ scores[i], i };
  assay_rank (ranked, m);
  for (gsize i = 0; i < guesses / 2; i++)
    right += !coins[ranked[i].place];
  for (gsize i = 0; i < guesses - guesses / 2; i++)
    right += coins[ranked[m - 1 - i].place];
  return right;
}

static gboolean
make_canaries (const AssayOneRunGame *game, AssayMatrix *canaries, GError **error)
{
  AssayStream stream = assay_stream (game->coins, 1); /* the coins have item 0 */

  if (game->defense->mechanism->canaries->make (game->settings, canaries->cols, canaries->rows,
                                                &stream, canaries->data, error))
    return TRUE;
  return assay_prefix (error, "defense %s: ", game->defense->id);
}

/* One run of the defense on the canaries that are in. */
static AssayRelease *
protect_once (const AssayOneRunGame *game, const AssayMatrix *included, GError **error)
{
  const AssayDefense *defense = game->defense;
  const AssayDefenseContext context
      = { .settings = game->settings, .stream = game->noise, .mechanism = defense->mechanism };
  g_autoptr (AssayRelease) release
      = assay_release_new (assay_defense_produces (defense, game->settings), defense->id);
  g_autoptr (AssayTruth) truth = assay_truth_new ();
  AssayMatrix *copy = assay_matrix_copy (assay_matrix_view (included), error);

  if (copy == NULL)
    return NULL;
  assay_arrays_take (&truth->arrays, "secrets", assay_array_take_matrix (copy));
  if (!defense->protect (&context, assay_matrix_view (included), release, truth, error)
      || !assay_release_check (release, error))
    return assay_prefix_null (error, "defense %s: ", defense->id);
  return g_steal_pointer (&release);
}

static gboolean
score (const AssayOneRunGame *game, const AssayOneRun *seen, double *ret_scores, GError **error)
{
  const AssayAuditor *auditor = game->auditor;

  if (!auditor->score_canaries (game->context, seen, ret_scores, error))
    return assay_prefix (error, "attack %s: ", auditor->id);
  for (gsize i = 0; i < seen->canaries.rows; i++)
    if (!isfinite (ret_scores[i]))
      return assay_fail (error, ASSAY_ERROR_NUMERIC,
                         "attack %s: the score of canary %zu is not finite", auditor->id, i);
  return TRUE;
}

gboolean
assay_one_run (const AssayOneRunGame *game, AssayAudit *ret_audit, GError **error)
{
  const AssayMechanism *mechanism = game->defense->mechanism;
  const gsize available = mechanism->canaries->most (game->settings, game->cols);
  const double delta = assay_auditor_delta (game->auditor, game->context->settings);
  gsize m, guesses;
  g_autoptr (AssayMatrix) canaries = NULL;
  g_autoptr (AssayMatrix) included = NULL;
  g_autoptr (AssayRelease) release = NULL;
  g_autofree guint8 *coins = NULL;
  g_autofree double *scores = NULL;
  AssayArray *numbers;
  AssayOneRun seen = { .mechanism = mechanism, .settings = game->settings };

  game->auditor->one_run_sizes (game->context->settings, &m, &guesses);
  g_return_val_if_fail (guesses <= m, FALSE);
  if (m > available)
    return assay_fail (error, ASSAY_ERROR_MISMATCH,
                       "attack %s: needs %zu canaries, but defense %s has room for %zu",
                       game->auditor->id, m, game->defense->id, available);
  canaries = assay_matrix_new (m, game->cols, error);
  if (canaries == NULL || !make_canaries (game, canaries, error))
    return FALSE;
  coins = flip_coins (game->coins, m);
  included = gather_included (canaries, coins, error);
  release = included != NULL ? protect_once (game, included, error) : NULL;
  if (release == NULL)
    return FALSE;
  numbers = release->arrays.arrays->pdata[0];
  seen.canaries = assay_matrix_view (canaries);
  seen.release = assay_array_view (numbers).data;
  seen.n_release = assay_array_count (numbers);
  scores = g_new (double, m);
  if (!score (game, &seen, scores, error))
    return FALSE;
  *ret_audit = (AssayAudit){ .kind = ASSAY_AUDIT_ONE_RUN,
                             .delta = delta >= 0
                                          ? delta
                                          : mechanism->budget (game->settings, game->cols).delta,
                             .runs = guesses,
                             .hits = count_right (scores, coins, m, guesses),
                             .mistakes = m };
  return TRUE;
}
