/* The one-run game and its attack: right guesses against closed forms, fair coins, symmetric
 * guesses, sizes, seeds, the control. */
#include <criterion/criterion.h>
#include <math.h>

#include "core/games/control.h"
#include "core/games/one-run.h"
#include "core/plugin/registry.h"
#include "tests/reference/fixtures.h"
#include "tests/unit/assert-near.h"

static const AssayAuditor *
one_run (void)
{
  return (const AssayAuditor *) assay_registry_find (ASSAY_PLUGIN_AUDITOR, "one-run", NULL);
}

static const AssayDefense *
histogram (void)
{
  return (const AssayDefense *) assay_registry_find (ASSAY_PLUGIN_DEFENSE, "noisy-histogram", NULL);
}

/* One game of @auditor (settings @sizes) against @defense (settings @noise). */
static gboolean
play (const AssayAuditor *auditor, const char *sizes, const AssayDefense *defense,
      const char *noise, guint64 seed, AssayAudit *ret_audit, GError **error)
{
  g_autoptr (AssaySettings) settings = fixture_settings (&one_run ()->plugin, sizes);
  g_autoptr (AssaySettings) of_defense = fixture_settings (&histogram ()->plugin, noise);
  const AssayAuditContext context
      = { .settings = settings->values, .stream = assay_stream_key (seed, 0, "attack", "") };
  const AssayOneRunGame game = { .auditor = auditor,
                                 .context = &context,
                                 .defense = defense,
                                 .settings = of_defense->values,
                                 .cols = 1,
                                 .coins = assay_stream_key (seed, 0, "coins", ""),
                                 .noise = assay_stream_key (seed, 0, "noise", "") };

  return assay_one_run (&game, ret_audit, error);
}

/* ---- How often guesses are right ---- */

/* Scores are 0 or 1 plus Laplace noise of scale b. Given a score above 1 a canary was in with
 * probability q = 1 / (1 + exp (-1 / b)), whatever the others are, and likewise out given one below
 * 0; so that while all guesses are about such scores, v ~ Binomial (r, q). The r/2 highest of m are
 * above 1 while r / (2 m) < (1 + exp (-1 / b)) / 4 by far. 5 standard deviations. */
Test (one_run, right_guesses_on_a_histogram)
{
  static const struct {
    const char *noise, *sizes;
    double rate, r, m; /* 1 / b, guesses, canaries */
  } cases[] = {
    { "bins=100000 epsilon=1", "canaries=100000 guesses=60000", 1, 60000, 1e5 },
    { "bins=100000 epsilon=0.5 noise=inverted", "canaries=100000 guesses=40000", 2, 40000, 1e5 },
    { "bins=100000 epsilon=4", "canaries=50000 guesses=2000", 4, 2000, 5e4 },
  };

  for (gsize i = 0; i < G_N_ELEMENTS (cases); i++) {
    const double q = 1 / (1 + exp (-cases[i].rate)), r = cases[i].r;
    AssayAudit audit;

    cr_assert (cases[i].r / (2 * cases[i].m) < 0.97 * (1 + exp (-cases[i].rate)) / 4);
    cr_assert (play (one_run (), cases[i].sizes, histogram (), cases[i].noise, 1, &audit, NULL));
    cr_assert (audit.kind == ASSAY_AUDIT_ONE_RUN && audit.delta == 0);
    cr_assert ((double) audit.runs == r && (double) audit.mistakes == cases[i].m);
    assert_near ((double) audit.hits, r * q, 5 * sqrt (r * q * (1 - q)), "%s", cases[i].noise);
  }
}

/* All are guessed: in above the median, 1/2, out below, each right with 1 - exp (-1 / (2 b)) / 2.
 * Moving the cut from 1/2 to the sample's median only reorders canaries near it, whose guesses are
 * right or wrong with 1/2 alike; 6 standard deviations. */
Test (one_run, guesses_about_all)
{
  const double m = 100000, p = 1 - exp (-0.5) / 2;
  AssayAudit audit;

  cr_assert (play (one_run (), "canaries=100000 guesses=0", histogram (), "bins=100000 epsilon=1",
                   1, &audit, NULL));
  cr_assert (audit.runs == 100000);
  assert_near ((double) audit.hits, m * p, 6 * sqrt (m * p * (1 - p)), "all");
}

/* ---- Coins and guesses ---- */

/* Not a defense: it releases which canaries were in, without noise. */
static gboolean
protect_nothing (const AssayDefenseContext *context, AssayView secrets, AssayRelease *ret_release,
                 AssayTruth *ret_truth, GError **error)
{
  AssayMatrix *bits = assay_matrix_new (1, 1000, error);

  (void) context;
  (void) ret_truth;
  for (gsize i = 0; i < secrets.rows; i++)
    bits->data[(gsize) *assay_view_row (secrets, i)] = 1;
  assay_arrays_take (&ret_release->arrays, "statistics", assay_array_take_matrix (bits));
  return TRUE;
}

#define MOST_WATCHED 1000
static double watched[MOST_WATCHED]; /* what score_watched saw */

static gboolean
score_watched (const AssayAuditContext *context, const AssayOneRun *seen, double *ret_scores,
               GError **error)
{
  (void) context;
  (void) error;
  for (gsize i = 0; i < seen->canaries.rows; i++)
    ret_scores[i] = watched[i] = seen->release[i];
  return TRUE;
}

/* 400 games with 1000 canaries. In all of them, for each canary, and for each pair of neighbours
 * (equal coins) the share is 1/2 within 6 standard deviations; and every guess is right. */
Test (one_run, coins_are_fair_and_independent)
{
  enum { GAMES = 400, CANARIES = 1000 };
  AssayAuditor watching = *one_run ();
  AssayDefense open = *histogram ();
  gsize total = 0, heads[CANARIES] = { 0 }, equal[CANARIES] = { 0 };

  watching.score_canaries = score_watched;
  open.protect = protect_nothing;
  for (guint64 game = 0; game < GAMES; game++) {
    AssayAudit audit;

    cr_assert (
        play (&watching, "canaries=1000 guesses=600", &open, "bins=1000", game, &audit, NULL));
    cr_assert (audit.hits == 600);
    for (gsize i = 0; i < CANARIES; i++) {
      total += watched[i] > 0;
      heads[i] += watched[i] > 0;
      equal[i] += watched[i] == watched[(i + 1) % CANARIES];
    }
  }
  assert_near ((double) total, GAMES * CANARIES / 2.0, 3 * sqrt (GAMES * CANARIES), "total");
  for (gsize i = 0; i < CANARIES; i++) {
    assert_near ((double) heads[i], GAMES / 2.0, 3 * sqrt (GAMES), "canary %zu", i);
    assert_near ((double) equal[i], GAMES / 2.0, 3 * sqrt (GAMES), "canaries %zu and next", i);
  }
}

static gboolean
score_backwards (const AssayAuditContext *context, const AssayOneRun *seen, double *ret_scores,
                 GError **error)
{
  if (!one_run ()->score_canaries (context, seen, ret_scores, error))
    return FALSE;
  for (gsize i = 0; i < seen->canaries.rows; i++)
    ret_scores[i] = -ret_scores[i];
  return TRUE;
}

/* Without ties the opposite scores turn every guess around: v becomes r - v. */
Test (one_run, guesses_are_symmetric)
{
  AssayAuditor backwards = *one_run ();

  backwards.score_canaries = score_backwards;
  for (guint64 seed = 0; seed < 20; seed++) {
    AssayAudit forwards, turned;

    cr_assert (play (one_run (), "", histogram (), "bins=1000", seed, &forwards, NULL));
    cr_assert (play (&backwards, "", histogram (), "bins=1000", seed, &turned, NULL));
    cr_assert (forwards.runs == 600 && forwards.hits + turned.hits == 600, "%d and %d",
               (int) forwards.hits, (int) turned.hits);
  }
}

Test (one_run, the_seed_decides)
{
  AssayAudit audits[3];

  for (guint64 i = 0; i < 3; i++)
    cr_assert (play (one_run (), "canaries=20000 guesses=20000", histogram (), "bins=20000", i / 2,
                     &audits[i], NULL));
  cr_assert (audits[0].hits == audits[1].hits && audits[0].hits != audits[2].hits);
}

/* ---- Errors ---- */

Test (one_run, too_few_bins)
{
  g_autofree char *why = NULL;
  AssayAudit audit = { .runs = 77 };
  GError *error = NULL;

  cr_assert (!play (one_run (), "", histogram (), "bins=999", 1, &audit, &error));
  cr_assert (fixture_error_is (&error, ASSAY_ERROR_MISMATCH,
                               "attack one-run: needs 1000 canaries, but defense noisy-histogram "
                               "has room for 999",
                               NULL, &why),
             "%s", why);
  cr_assert (audit.runs == 77);
}

static gboolean
score_broken (const AssayAuditContext *context, const AssayOneRun *seen, double *ret_scores,
              GError **error)
{
  if (!one_run ()->score_canaries (context, seen, ret_scores, error))
    return FALSE;
  ret_scores[17] = NAN;
  return TRUE;
}

Test (one_run, scores_that_are_not_finite)
{
  AssayAuditor broken = *one_run ();
  g_autofree char *why = NULL;
  AssayAudit audit;
  GError *error = NULL;

  broken.score_canaries = score_broken;
  cr_assert (!play (&broken, "", histogram (), "bins=1000", 1, &audit, &error));
  cr_assert (fixture_error_is (&error, ASSAY_ERROR_NUMERIC,
                               "attack one-run: the score of canary 17 is not finite", NULL, &why),
             "%s", why);
}

static void
check_sizes (const char *assignments, const char *message)
{
  const AssayShape shape = { 0 };
  g_autoptr (AssaySettings) settings = fixture_settings (&one_run ()->plugin, assignments);
  g_autofree char *why = NULL;
  GError *error = NULL;
  const gboolean is_ok = one_run ()->check (settings->values, &shape, &error);

  if (message == NULL) {
    cr_assert (is_ok, "%s", assignments);
    return;
  }
  cr_assert (!is_ok && fixture_error_is (&error, ASSAY_ERROR_PARAMETER, message, NULL, &why), "%s",
             why);
}

Test (one_run, sizes_are_checked)
{
  check_sizes ("", NULL);
  check_sizes ("canaries=600", NULL);
  check_sizes ("canaries=11 guesses=0", NULL);
  check_sizes ("guesses=601", "guesses = 601: expected an even number, half of them about canaries "
                              "that are in and half about canaries that are not");
  check_sizes ("canaries=500 guesses=502", "guesses = 502: expected at most canaries = 500");
}

/* ---- Control ---- */

static gboolean
score_nothing (const AssayAuditContext *context, const AssayOneRun *seen, double *ret_scores,
               GError **error)
{
  AssayStream stream = assay_stream (context->stream, 0);

  (void) error;
  for (gsize i = 0; i < seen->canaries.rows; i++)
    ret_scores[i] = assay_stream_uniform (&stream);
  return TRUE;
}

/* v of the leak is Binomial (2400, q) with q = 1 / (1 + exp (-2)); the bound at level 0.05 is that
 * of a share s about 1.645 standard deviations lower, q - 0.0109, and ln (s / (1 - s)) / 2 = 0.951.
 * The mean of 20 controls has the standard deviation 0.0315 / sqrt (20); and one that guesses at
 * random, or the wrong way round, is lost. */
Test (one_run, the_control_is_won_by_the_attack_alone)
{
  AssayAuditor random = *one_run (), backwards = *one_run ();
  g_autoptr (AssaySettings) settings = fixture_settings (&one_run ()->plugin, "");
  double sum = 0;

  random.score_canaries = score_nothing;
  backwards.score_canaries = score_backwards;
  for (guint64 seed = 0; seed < 20; seed++) {
    AssayControlOutcome outcome;

    cr_assert (assay_control_play (&one_run ()->plugin, settings, seed, &outcome, NULL));
    cr_assert (outcome.is_won && outcome.n == 4000, "seed %d: %g", (int) seed, outcome.share);
    sum += outcome.share;
    cr_assert (assay_control_play (&random.plugin, settings, seed, &outcome, NULL));
    cr_assert (!outcome.is_won && outcome.share < 0.2, "%g", outcome.share);
    cr_assert (assay_control_play (&backwards.plugin, settings, seed, &outcome, NULL));
    cr_assert (!outcome.is_won && outcome.share == 0, "%g", outcome.share);
  }
  assert_near (sum / 20, 0.951, 5 * 0.0315 / sqrt (20), "mean share");
}
