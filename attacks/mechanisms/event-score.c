/* The exact score, and what all scores have in common. */
#include "attacks/mechanisms/event-score.h"

#include <math.h>
#include <string.h>

#include "core/base/parallel.h"

typedef struct {
  gsize n_inputs;
  float inputs[]; /* of both sides */
} Likelihood;

static void
score_likelihood (gconstpointer data, const AssayOracle *oracle, const float *outputs, gsize count,
                  double *ret_scores)
{
  const Likelihood *pair = data;

  oracle->mechanism->log_ratio (oracle->settings, oracle->cols, pair->inputs,
                                pair->inputs + pair->n_inputs, outputs, count, ret_scores);
}

EventScore *
event_score_likelihood (const AssayOracle *oracle, guint pair, GError **error)
{
  EventScore *score;
  g_autofree Likelihood *likelihood
      = g_malloc (sizeof (Likelihood) + 2 * oracle->n_inputs * sizeof (float));

  likelihood->n_inputs = oracle->n_inputs;
  if (!assay_oracle_pair (oracle, pair, likelihood->inputs, likelihood->inputs + oracle->n_inputs,
                          error))
    return NULL;
  score = g_new0 (EventScore, 1);
  *score = (EventScore){ .what = "log-likelihood ratio",
                         .score = score_likelihood,
                         .data = g_steal_pointer (&likelihood),
                         .free_data = g_free };
  return score;
}

void
event_score_free (EventScore *score)
{
  if (score == NULL)
    return;
  score->free_data (score->data);
  g_free (score);
}

typedef struct {
  const EventScore *score;
  const AssayOracle *oracle;
  const float *outputs;
  gsize count;
  double *scores;
} Scoring;

static void
score_panel (gsize index, guint worker, gpointer data)
{
  const Scoring *job = data;
  const gsize first = index * ASSAY_PANEL_RUNS;

  (void) worker;
  job->score->score (job->score->data, job->oracle, job->outputs + first * job->oracle->n_outputs,
                     MIN (ASSAY_PANEL_RUNS, job->count - first), job->scores + first);
}

gboolean
event_score_all (const EventScore *score, const AssayOracle *oracle, const float *outputs,
                 gsize count, double *ret_scores, GError **error)
{
  Scoring job = {
    .score = score, .oracle = oracle, .outputs = outputs, .count = count, .scores = ret_scores
  };

  assay_parallel_for ((count + ASSAY_PANEL_RUNS - 1) / ASSAY_PANEL_RUNS, score_panel, &job);
  for (gsize i = 0; i < count; i++)
    if (isnan (ret_scores[i]))
      return assay_fail (error, ASSAY_ERROR_NUMERIC, "the %s of training run %zu is not a number",
                         score->what, i);
  return TRUE;
}

guint32
event_score_key (float value)
{
  guint32 bits;

  if (isnan (value))
    return G_MAXUINT32;
  value += 0.0f; /* -0 becomes 0 */
  memcpy (&bits, &value, sizeof bits);
  return bits & 0x80000000u ? ~bits : bits | 0x80000000u;
}

/* Every column stirs all 64 bits: half a round of the finaliser of MurmurHash3 (Appleby 2011). */
guint64
event_score_hash (const float *row, gsize cols)
{
  guint64 hash = cols;

  for (gsize j = 0; j < cols; j++) {
    const float value = row[j] + 0.0f; /* -0 becomes 0 */
    guint32 bits;

    memcpy (&bits, &value, sizeof bits);
    hash = (hash ^ (G_UNLIKELY (isnan (value)) ? G_MAXUINT32 : bits)) * 0xFF51AFD7ED558CCDu;
    hash ^= hash >> 32;
  }
  return hash;
}
