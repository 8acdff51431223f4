/* Runs of a mechanism, for audits and the games that they play. */
#include "core/plugin/oracle.h"

#include "core/base/error.h"
#include "core/base/interrupt.h"
#include "core/base/parallel.h"

/* 2 bits purpose, 1 bit side, 21 bits pair, 40 bits panel. */
static guint64
item_of (AssayPurpose purpose, AssaySide side, guint pair, guint64 panel)
{
  return (guint64) purpose << 62 | (guint64) side << 61 | (guint64) (pair & 0x1FFFFF) << 40
         | (panel & 0xFFFFFFFFFF);
}

AssayStream
assay_oracle_stream (const AssayOracle *oracle, AssayPurpose purpose, AssaySide side, guint pair,
                     guint64 panel)
{
  return assay_stream (oracle->stream, item_of (purpose, side, pair, panel));
}

static AssayDomain *
domain_of (const AssayOracle *oracle)
{
  return oracle->mechanism->domain != NULL
             ? oracle->mechanism->domain (oracle->settings, oracle->cols)
             : NULL;
}

AssayOracle
assay_oracle (const AssayMechanism *mechanism, gconstpointer settings, gsize cols,
              AssayStreamKey stream, double delta)
{
  AssayOracle oracle = { .mechanism = mechanism,
                         .settings = settings,
                         .cols = cols,
                         .stream = stream,
                         .claimed = mechanism->budget (settings, cols) };
  g_autoptr (AssayDomain) domain = NULL;

  oracle.delta = delta >= 0 ? delta : oracle.claimed.delta;
  oracle.n_own = mechanism->batches != NULL ? mechanism->batches->count_pairs (settings)
                                            : mechanism->n_proposed;
  domain = domain_of (&oracle);
  oracle.n_proposed = oracle.n_own + (domain != NULL ? assay_domain_count_pairs (domain) : 0);
  oracle.is_trusted = domain != NULL && domain->is_trusted;
  oracle.draws_pairs = mechanism->batches == NULL || domain != NULL;
  mechanism->size (settings, cols, &oracle.n_inputs, &oracle.n_outputs);
  oracle.is_double = mechanism->batches != NULL || mechanism->doubles != NULL;
  return oracle;
}

gboolean
assay_oracle_pair (const AssayOracle *oracle, guint pair, float *ret_first, float *ret_second,
                   GError **error)
{
  const AssayMechanism *mechanism = oracle->mechanism;
  AssayStream stream = assay_oracle_stream (oracle, ASSAY_PURPOSE_PAIR, ASSAY_SIDE_FIRST, pair, 0);
  g_autoptr (AssayDomain) domain = pair >= oracle->n_own ? domain_of (oracle) : NULL;

  if (domain != NULL) {
    g_return_val_if_fail (domain->rows * domain->cols == oracle->n_inputs, FALSE);
    assay_domain_pair (domain, pair - oracle->n_own, &stream, ret_first, ret_second);
    return TRUE;
  }
  if (mechanism->batches != NULL)
    return mechanism->batches->load_pair (oracle->settings, pair, oracle->n_inputs, ret_first,
                                          ret_second, error);
  mechanism->pair (oracle->settings, oracle->cols, pair, &stream, ret_first, ret_second);
  return TRUE;
}

float *
assay_oracle_inputs (const AssayOracle *oracle, guint pair, GError **error)
{
  g_autofree float *inputs = g_new (float, 2 * oracle->n_inputs);

  return assay_oracle_pair (oracle, pair, inputs, inputs + oracle->n_inputs, error)
             ? g_steal_pointer (&inputs)
             : NULL;
}

char *
assay_oracle_describe_pair (const AssayOracle *oracle, guint pair, GError **error)
{
  g_autofree float *inputs = assay_oracle_inputs (oracle, pair, error);
  g_autoptr (AssayDomain) domain = domain_of (oracle);
  const gsize rows = domain != NULL ? domain->rows : 1;

  return inputs != NULL ? assay_pair_describe (inputs, inputs + oracle->n_inputs, rows,
                                               oracle->n_inputs / rows)
                        : NULL;
}

/* ---- Outputs of either type ---- */

AssayOutputs
assay_oracle_outputs (const AssayOracle *oracle, gconstpointer outputs)
{
  return (AssayOutputs){ outputs, oracle->n_outputs, oracle->is_double };
}

gsize
assay_oracle_stride (const AssayOracle *oracle)
{
  return assay_outputs_stride (assay_oracle_outputs (oracle, NULL));
}

void
assay_oracle_run (const AssayOracle *oracle, AssayStream *stream, const float *input, gsize count,
                  gpointer ret_outputs)
{
  const AssayMechanism *mechanism = oracle->mechanism;

  if (oracle->is_double)
    mechanism->doubles->run (oracle->settings, oracle->cols, stream, input, count, ret_outputs);
  else
    mechanism->run (oracle->settings, oracle->cols, stream, input, count, ret_outputs);
}

void
assay_oracle_log_ratio (const AssayOracle *oracle, AssayInputPair pair, AssayOutputs outputs,
                        gsize count, double *ret_scores)
{
  const AssayMechanism *mechanism = oracle->mechanism;

  if (outputs.is_double)
    mechanism->doubles->log_ratio (oracle->settings, oracle->cols, pair, outputs.numbers, count,
                                   ret_scores);
  else
    mechanism->log_ratio (oracle->settings, oracle->cols, pair, outputs.numbers, count, ret_scores);
}

/* ---- Mechanisms of other programs ---- */

gboolean
assay_oracle_goes_on (const AssayOracle *oracle, GError **error)
{
  if (oracle->is_cancelled != NULL && oracle->is_cancelled (oracle->cancel_data))
    return assay_fail (error, ASSAY_ERROR_CANCELLED, "interrupted");
  return assay_interrupt_goes_on (error);
}

/* Of other streams than those of batches. */
#define SINGLE_PANELS ((guint64) 1 << 39)

static gboolean
run_many (const AssayOracleRuns *source, AssayStream *stream, gsize count, double *ret_outputs,
          GError **error)
{
  const AssayOracle *oracle = source->oracle;
  const AssayInput input = { source->inputs + source->side * oracle->n_inputs, oracle->n_inputs };

  return oracle->mechanism->batches->run_many (oracle->settings, stream, input, count, ret_outputs,
                                               error);
}

/* As many runs for whatever purpose: a program that is told how many are wanted cannot tell those
 * that an auditor learns from from those that count. What was not asked for is thrown away. */
static gboolean
run_as_many (const AssayOracleRuns *source, AssayStream *stream, gsize count, double *ret_outputs,
             GError **error)
{
  const AssayOracle *oracle = source->oracle;
  const gsize batch = oracle->mechanism->batches->batch_runs (oracle->settings);
  const gsize most = oracle->most_runs > 0 ? MIN (batch, oracle->most_runs) : batch;
  g_autofree double *outputs = NULL;

  if (count >= most)
    return run_many (source, stream, count, ret_outputs, error);
  outputs = assay_alloc (most, assay_oracle_stride (oracle), "runs of a batch", error);
  if (outputs == NULL || !run_many (source, stream, most, outputs, error))
    return FALSE;
  memcpy (ret_outputs, outputs, count * assay_oracle_stride (oracle));
  return TRUE;
}

/* One run, whose failure is its output. */
static gboolean
run_single (const AssayOracleRuns *source, guint64 number, double *ret_output, GError **error)
{
  const AssayOracle *oracle = source->oracle;
  AssayStream stream = assay_oracle_stream (oracle, source->purpose, source->side, source->pair,
                                            SINGLE_PANELS + number);
  g_autoptr (GError) problem = NULL;

  if (!assay_oracle_goes_on (oracle, error))
    return FALSE;
  if (run_many (source, &stream, 1, ret_output, &problem))
    return TRUE;
  for (gsize j = 0; j < oracle->n_outputs; j++)
    ret_output[j] = assay_output_failed ();
  if (g_error_matches (problem, ASSAY_ERROR, ASSAY_ERROR_DATA))
    return TRUE;
  g_propagate_error (error, g_steal_pointer (&problem));
  return FALSE;
}

static gboolean
run_singles (const AssayOracleRuns *source, guint64 first, gsize count, double *ret_outputs,
             GError **error)
{
  for (gsize i = 0; i < count; i++)
    if (!run_single (source, first + i, ret_outputs + i * source->oracle->n_outputs, error))
      return FALSE;
  return TRUE;
}

gboolean
assay_oracle_run_batch (const AssayOracleRuns *source, guint64 first, gsize count,
                        gpointer ret_outputs, GError **error)
{
  static const char *const purposes[] = { "pair", "training", "test", "probing" };
  const AssayOracle *oracle = source->oracle;
  AssayStream stream = assay_oracle_stream (oracle, source->purpose, source->side, source->pair,
                                            first / ASSAY_PANEL_RUNS);

  if (oracle->single_runs > 0)
    return run_singles (source, first, count, ret_outputs, error);
  if (!assay_oracle_goes_on (oracle, error))
    return FALSE;
  if (run_as_many (source, &stream, count, ret_outputs, error))
    return TRUE;
  if (oracle->failed_pair != NULL)
    *oracle->failed_pair = source->pair;
  return assay_prefix (
      error, "%s runs %" G_GUINT64_FORMAT " to %" G_GUINT64_FORMAT " on the %s input of pair %u: ",
      purposes[source->purpose], first + 1, first + count,
      source->side == ASSAY_SIDE_FIRST ? "first" : "second", source->pair);
}

/* ---- Training ---- */

typedef struct {
  const AssayOracle *oracle;
  const float *input;
  AssaySide side;
  guint pair;
  gsize first_panel, count;
  char *outputs;
} Training;

static void
draw_panel (gsize index, guint worker, gpointer data)
{
  const Training *job = data;
  const AssayOracle *oracle = job->oracle;
  const gsize first = index * ASSAY_PANEL_RUNS;
  AssayStream stream = assay_oracle_stream (oracle, ASSAY_PURPOSE_TRAIN, job->side, job->pair,
                                            job->first_panel + index);

  (void) worker;
  assay_oracle_run (oracle, &stream, job->input, MIN (ASSAY_PANEL_RUNS, job->count - first),
                    job->outputs + first * assay_oracle_stride (oracle));
}

static gboolean
train_in_batches (const AssayOracleRuns *source, gsize first, gsize count, char *ret_outputs,
                  GError **error)
{
  const AssayOracle *oracle = source->oracle;
  const gsize batch = oracle->mechanism->batches->batch_runs (oracle->settings);

  for (gsize done = 0; done < count; done += batch)
    if (!assay_oracle_run_batch (source, first + done, MIN (batch, count - done),
                                 ret_outputs + done * assay_oracle_stride (oracle), error))
      return FALSE;
  return TRUE;
}

gboolean
assay_oracle_train (const AssayOracle *oracle, AssayTrainingRuns runs, gpointer ret_outputs,
                    GError **error)
{
  g_autofree float *inputs = assay_oracle_inputs (oracle, runs.pair, error);
  const AssayOracleRuns source = { oracle, inputs, ASSAY_PURPOSE_TRAIN, runs.side, runs.pair };
  Training job = { .oracle = oracle,
                   .side = runs.side,
                   .pair = runs.pair,
                   .first_panel = runs.first / ASSAY_PANEL_RUNS,
                   .count = runs.count,
                   .outputs = ret_outputs };

  g_return_val_if_fail (runs.first % ASSAY_PANEL_RUNS == 0, FALSE);
  if (inputs == NULL)
    return FALSE;
  job.input = inputs + runs.side * oracle->n_inputs;
  if (oracle->mechanism->batches != NULL)
    return train_in_batches (&source, runs.first, runs.count, ret_outputs, error);
  assay_parallel_for ((runs.count + ASSAY_PANEL_RUNS - 1) / ASSAY_PANEL_RUNS, draw_panel, &job);
  return TRUE;
}

gboolean
assay_oracle_has_density (const AssayOracle *oracle)
{
  const AssayMechanism *mechanism = oracle->mechanism;

  return assay_mechanism_has_ratio (mechanism)
         && (mechanism->has_density == NULL || mechanism->has_density (oracle->settings));
}

gboolean
assay_oracle_has_tight_event (const AssayOracle *oracle)
{
  const AssayMechanism *mechanism = oracle->mechanism;

  return mechanism->tight_event != NULL && oracle->claimed.delta == oracle->delta
         && (mechanism->has_density == NULL || mechanism->has_density (oracle->settings));
}

void
assay_event_free (AssayEvent *event)
{
  if (event == NULL)
    return;
  if (event->free_data != NULL)
    event->free_data (event->data);
  g_free (event->says);
  g_free (event->python);
  g_free (event);
}
