/* One-run audit (Steinke, Nasr and Jagielski 2023, "Privacy Auditing with One (1) Training Run",
 * algorithm 1): m canaries, each in the dataset with probability 1/2, one run of the defense, and r
 * guesses about canaries that were or were not in it.
 *
 * The score of a canary is the mechanism's own (AssayCanaries: how much the release looks as if the
 * canary had been in the dataset). core/games/one-run.h guesses the r/2 highest to be in and the
 * r/2 lowest to be out; core/stats/epsilon.h makes a bound of the number of right ones. Abstaining
 * on the canaries in between costs nothing and raises the share of right guesses; both numbers are
 * fixed in advance.
 *
 * Control: bits, one a canary, that say whether it was in and are flipped with probability
 * 1 / (1 + exp (eps)), which leaks exactly eps; and coins, which leak nothing and on which no
 * epsilon above 0 may be certified. */
#include "core/games/one-run.h"
#include "core/plugin/callbacks.h"
#include "core/stats/epsilon.h"

#include <math.h>

typedef struct {
  gint64 canaries;
  gint64 guesses;
} OneRun;

static void
one_run_sizes (gconstpointer data, gsize *ret_canaries, gsize *ret_guesses)
{
  const OneRun *settings = data;

  *ret_canaries = (gsize) settings->canaries;
  *ret_guesses = (gsize) (settings->guesses > 0 ? settings->guesses : settings->canaries);
}

static gboolean
score_canaries (G_GNUC_UNUSED const AssayAuditContext *context, const AssayOneRun *seen,
                double *ret_scores, GError **error)
{
  return seen->mechanism->canaries->score (seen->settings, seen->canaries, seen->release,
                                           seen->n_release, ret_scores, error);
}

/* ---- Control ---- */

#define CONTROL_CANARIES 4000
#define CONTROL_GUESSES 2400
#define CONTROL_EPSILON 2.0
#define CONTROL_LEVEL 0.05
/* The case without a leak may be lost by chance that often. */
#define CONTROL_SILENCE 1e-6

/* Settings of the control's defense. */
typedef struct {
  double epsilon;
} NoisyBits;

ASSAY_OF_SETTINGS (AssayBudget, bits_budget, NoisyBits,
                   ((AssayBudget){ .epsilon = settings->epsilon }), G_GNUC_UNUSED gsize cols)

static gsize
bits_max_canaries (G_GNUC_UNUSED gconstpointer data, G_GNUC_UNUSED gsize cols)
{
  return CONTROL_CANARIES;
}

static gboolean
bits_canaries (G_GNUC_UNUSED gconstpointer data, G_GNUC_UNUSED gsize cols, gsize count,
               G_GNUC_UNUSED AssayStream *stream, float *ret_rows, G_GNUC_UNUSED GError **error)
{
  for (gsize i = 0; i < count; i++)
    ret_rows[i] = (float) i;
  return TRUE;
}

static gboolean
bits_scores (G_GNUC_UNUSED gconstpointer data, AssayView canaries, const float *release,
             G_GNUC_UNUSED gsize n_release, double *ret_scores, G_GNUC_UNUSED GError **error)
{
  for (gsize i = 0; i < canaries.rows; i++)
    ret_scores[i] = release[i];
  return TRUE;
}

static gboolean
bits_protect (const AssayDefenseContext *context, AssayView secrets, AssayRelease *ret_release,
              G_GNUC_UNUSED AssayTruth *ret_truth, GError **error)
{
  const NoisyBits *settings = context->settings;
  const double flip = 1 / (1 + exp (settings->epsilon));
  AssayStream stream = assay_stream (context->stream, 0);
  AssayMatrix *bits = assay_matrix_new (1, CONTROL_CANARIES, error);

  if (bits == NULL)
    return FALSE;
  for (gsize i = 0; i < secrets.rows; i++)
    bits->data[(gsize) *assay_view_row (secrets, i)] = 1;
  for (gsize i = 0; i < CONTROL_CANARIES; i++)
    if (assay_stream_uniform (&stream) < flip)
      bits->data[i] = 1 - bits->data[i];
  assay_arrays_take (&ret_release->arrays, "statistics", assay_array_take_matrix (bits));
  return TRUE;
}

static const AssayCanaries bit_canaries
    = { .most = bits_max_canaries, .make = bits_canaries, .score = bits_scores };

static const AssayMechanism bits_mechanism = {
  .neighbours = "one canary more or less",
  .budget = bits_budget,
  .canaries = &bit_canaries,
};

static const AssayDefense noisy_bits = {
  .type = ASSAY_PLUGIN_DEFENSE,
  .id = "noisy-bits",
  .summary = "One bit a canary, flipped at random",
  .produces = ASSAY_RELEASE_STATISTICS,
  .mechanism = &bits_mechanism,
  .protect = bits_protect,
};

/* The lower bound on bits that leak @epsilon. The control's own sizes: whether the game works does
 * not depend on how large a scenario plays it. */
static gboolean
certify (const AssayAuditor *auditor, AssayStreamKey stream, double epsilon, double level,
         double *ret_lower, GError **error)
{
  const OneRun settings = { .canaries = CONTROL_CANARIES, .guesses = CONTROL_GUESSES };
  const NoisyBits bits = { .epsilon = epsilon };
  const AssayAuditContext context = { .settings = &settings, .stream = stream };
  const guint64 seed = (guint64) stream.word[1] << 32 | stream.word[0];
  const char *name = epsilon > 0 ? "leak" : "silence";
  const AssayOneRunGame game = { .auditor = auditor,
                                 .context = &context,
                                 .defense = &noisy_bits,
                                 .settings = &bits,
                                 .cols = 1,
                                 .coins = assay_stream_key (seed, 0, "control-coins", name),
                                 .noise = assay_stream_key (seed, 0, "control-noise", name) };
  AssayAudit audit;

  if (!assay_one_run (&game, &audit, error))
    return FALSE;
  *ret_lower = assay_epsilon_lower (&audit, level);
  return TRUE;
}

static gboolean
play (const AssayAuditor *auditor, const AssayAuditContext *context,
      AssayControlOutcome *ret_outcome, GError **error)
{
  double leak, silence;

  if (!certify (auditor, context->stream, CONTROL_EPSILON, CONTROL_LEVEL, &leak, error)
      || !certify (auditor, context->stream, 0, CONTROL_SILENCE, &silence, error))
    return FALSE;
  ret_outcome->n = CONTROL_CANARIES;
  ret_outcome->share = leak / CONTROL_EPSILON;
  ret_outcome->is_won = ret_outcome->share >= auditor->control.at_least && silence <= 0;
  return TRUE;
}

/* ---- The plugin ---- */

static gboolean
check (gconstpointer data, G_GNUC_UNUSED const AssayShape *shape, GError **error)
{
  const OneRun *settings = data;

  if (settings->guesses % 2 != 0)
    return assay_fail (error, ASSAY_ERROR_PARAMETER,
                       "guesses = %" G_GINT64_FORMAT ": expected an even number, half of them "
                       "about canaries that are in and half about canaries that are not",
                       settings->guesses);
  if (settings->guesses > settings->canaries)
    return assay_fail (error, ASSAY_ERROR_PARAMETER,
                       "guesses = %" G_GINT64_FORMAT ": expected at most canaries = "
                       "%" G_GINT64_FORMAT,
                       settings->guesses, settings->canaries);
  return TRUE;
}

/* Canaries, those that are in, coins, scores and their order. */
ASSAY_MEMORY (memory, OneRun,
              (guint64) settings->canaries
                  * (2 * MAX (shape->cols, 1) * sizeof (float) + sizeof (guint8)
                     + 3 * sizeof (double)))

ASSAY_AUDITOR (one_run, "one-run",
  .summary = "Guess which of many canaries were in the dataset of a single release",
  .reference = { "Steinke, Nasr and Jagielski 2023, Privacy Auditing with One (1) Training Run",
                 "algorithm 1, theorem 5.2" },
  ASSAY_SETTINGS (OneRun,
    ASSAY_PARAM_INT (OneRun, canaries, 1000, 10, 1000000, "",
                     "Records each of which is put into the dataset with probability 1/2"),
    ASSAY_PARAM_INT (OneRun, guesses, 600, 0, 1000000, "",
                     "About how many canaries it guesses, the most extreme ones; an even number; "
                     "0: about all")),
  .check = check,
  .memory = memory,
  .reads = ASSAY_RELEASE_STATISTICS,
  .game = ASSAY_AUDIT_ONE_RUN,
  .one_run_sizes = one_run_sizes,
  .score_canaries = score_canaries,
  .control = { .says = "half of a leak of epsilon = 2 is certified, and nothing for fair coins",
               .play = play,
               .at_least = 0.5 });
