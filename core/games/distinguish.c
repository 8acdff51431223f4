/* The distinguishing game. */
#include "core/games/distinguish.h"

#include <string.h>

#include "core/base/error.h"
#include "core/base/parallel.h"

/* What runs are drawn for. Each purpose has items of its own in the mechanism's stream. */
typedef enum {
  PURPOSE_PAIR,
  PURPOSE_TRAIN,
  PURPOSE_TEST,
} Purpose;

/* 2 bits purpose, 1 bit side, 21 bits pair, 40 bits panel. */
static guint64
item_of (Purpose purpose, AssaySide side, guint pair, guint64 panel)
{
  return (guint64) purpose << 62 | (guint64) side << 61 | (guint64) (pair & 0x1FFFFF) << 40
         | (panel & 0xFFFFFFFFFF);
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

  oracle.delta = delta >= 0 ? delta : oracle.claimed.delta;
  oracle.n_proposed
      = mechanism->count_pairs != NULL ? mechanism->count_pairs (settings) : mechanism->n_proposed;
  mechanism->size (settings, cols, &oracle.n_inputs, &oracle.n_outputs);
  return oracle;
}

gboolean
assay_oracle_pair (const AssayOracle *oracle, guint pair, float *ret_first, float *ret_second,
                   GError **error)
{
  const AssayMechanism *mechanism = oracle->mechanism;
  AssayStream stream
      = assay_stream (oracle->stream, item_of (PURPOSE_PAIR, ASSAY_SIDE_FIRST, pair, 0));

  if (mechanism->load_pair != NULL)
    return mechanism->load_pair (oracle->settings, pair, oracle->n_inputs, ret_first, ret_second,
                                 error);
  mechanism->pair (oracle->settings, oracle->cols, pair, &stream, ret_first, ret_second);
  return TRUE;
}

/* Both inputs of a pair, one after the other; free with g_free. */
static float *
inputs_of (const AssayOracle *oracle, guint pair, GError **error)
{
  g_autofree float *inputs = g_new (float, 2 * oracle->n_inputs);

  return assay_oracle_pair (oracle, pair, inputs, inputs + oracle->n_inputs, error)
             ? g_steal_pointer (&inputs)
             : NULL;
}

/* ---- Mechanisms of other programs ---- */

static gboolean
check_goes_on (const AssayOracle *oracle, GError **error)
{
  return oracle->is_cancelled == NULL || !oracle->is_cancelled (oracle->cancel_data)
         || assay_fail (error, ASSAY_ERROR_CANCELLED, "interrupted");
}

/* What one of their batches is drawn for. */
typedef struct {
  const AssayOracle *oracle;
  const float *inputs; /* of both sides */
  Purpose purpose;
  AssaySide side;
  guint pair;
} Source;

/* @count runs from number @first on, which is a multiple of ASSAY_PANEL_RUNS. */
static gboolean
run_batch (const Source *source, guint64 first, gsize count, float *ret_outputs, GError **error)
{
  const AssayOracle *oracle = source->oracle;
  AssayStream stream
      = assay_stream (oracle->stream, item_of (source->purpose, source->side, source->pair,
                                               first / ASSAY_PANEL_RUNS));

  if (!check_goes_on (oracle, error))
    return FALSE;
  if (oracle->mechanism->run_many (oracle->settings, &stream,
                                   source->inputs + source->side * oracle->n_inputs,
                                   oracle->n_inputs, count, ret_outputs, error))
    return TRUE;
  g_prefix_error (
      error, "%s runs %" G_GUINT64_FORMAT " to %" G_GUINT64_FORMAT " on the %s input of pair %u: ",
      source->purpose == PURPOSE_TEST ? "test" : "training", first + 1, first + count,
      source->side == ASSAY_SIDE_FIRST ? "first" : "second", source->pair);
  return FALSE;
}

/* ---- Training ---- */

typedef struct {
  const AssayOracle *oracle;
  const float *input;
  AssaySide side;
  guint pair;
  gsize first_panel, count;
  float *outputs;
} Training;

static void
draw_panel (gsize index, guint worker, gpointer data)
{
  const Training *job = data;
  const AssayOracle *oracle = job->oracle;
  const gsize first = index * ASSAY_PANEL_RUNS;
  AssayStream stream
      = assay_stream (oracle->stream,
                      item_of (PURPOSE_TRAIN, job->side, job->pair, job->first_panel + index));

  (void) worker;
  oracle->mechanism->run (oracle->settings, oracle->cols, &stream, job->input,
                          MIN (ASSAY_PANEL_RUNS, job->count - first),
                          job->outputs + first * oracle->n_outputs);
}

static gboolean
train_in_batches (const Source *source, gsize first, gsize count, float *ret_outputs,
                  GError **error)
{
  const AssayOracle *oracle = source->oracle;
  const gsize batch = oracle->mechanism->batch_runs (oracle->settings);

  for (gsize done = 0; done < count; done += batch)
    if (!run_batch (source, first + done, MIN (batch, count - done),
                    ret_outputs + done * oracle->n_outputs, error))
      return FALSE;
  return TRUE;
}

gboolean
assay_oracle_train (const AssayOracle *oracle, guint pair, AssaySide side, gsize first, gsize count,
                    float *ret_outputs, GError **error)
{
  g_autofree float *inputs = inputs_of (oracle, pair, error);
  const Source source = { oracle, inputs, PURPOSE_TRAIN, side, pair };
  Training job = { .oracle = oracle,
                   .side = side,
                   .pair = pair,
                   .first_panel = first / ASSAY_PANEL_RUNS,
                   .count = count,
                   .outputs = ret_outputs };

  g_return_val_if_fail (first % ASSAY_PANEL_RUNS == 0, FALSE);
  if (inputs == NULL)
    return FALSE;
  job.input = inputs + side * oracle->n_inputs;
  if (oracle->mechanism->run_many != NULL)
    return train_in_batches (&source, first, count, ret_outputs, error);
  assay_parallel_for ((count + ASSAY_PANEL_RUNS - 1) / ASSAY_PANEL_RUNS, draw_panel, &job);
  return TRUE;
}

gboolean
assay_oracle_has_density (const AssayOracle *oracle)
{
  const AssayMechanism *mechanism = oracle->mechanism;

  return mechanism->log_ratio != NULL
         && (mechanism->has_density == NULL || mechanism->has_density (oracle->settings));
}

void
assay_oracle_log_ratio (const AssayOracle *oracle, guint pair, const float *outputs, gsize count,
                        double *ret_scores)
{
  g_autofree float *first = g_new (float, 2 * oracle->n_inputs);
  float *second = first + oracle->n_inputs;

  /* Where there is a density, it cannot fail. */
  assay_oracle_pair (oracle, pair, first, second, NULL);
  oracle->mechanism->log_ratio (oracle->settings, oracle->cols, first, second, outputs, count,
                                ret_scores);
}

/* ---- Testing ---- */

void
assay_event_free (AssayEvent *event)
{
  if (event == NULL)
    return;
  if (event->free_data != NULL)
    event->free_data (event->data);
  g_free (event->says);
  g_free (event);
}

/* Panels that one piece of the parallel loop works through with one buffer, and pieces between two
 * questions whether to go on. */
#define PIECE_PANELS 16
#define CHUNK_PIECES 64

typedef struct {
  const AssayOracle *oracle;
  const AssayEvent *event;
  const float *inputs;              /* of both sides */
  guint64 first_piece;              /* of the chunk */
  guint64 counts[2 * CHUNK_PIECES]; /* of the event */
} Test;

static void
test_piece (gsize index, guint worker, gpointer data)
{
  Test *test = data;
  const AssayOracle *oracle = test->oracle;
  const guint64 runs = test->event->runs;
  g_autofree float *outputs = g_new (float, ASSAY_PANEL_RUNS * oracle->n_outputs);

  (void) worker;
  for (guint side = 0; side < 2; side++)
    for (gsize p = 0; p < PIECE_PANELS; p++) {
      const guint64 panel = (test->first_piece + index) * PIECE_PANELS + p;
      const guint64 first = panel * ASSAY_PANEL_RUNS;
      gsize count;
      AssayStream stream;

      if (first >= runs)
        break;
      count = (gsize) MIN (ASSAY_PANEL_RUNS, runs - first);
      stream
          = assay_stream (oracle->stream, item_of (PURPOSE_TEST, side, test->event->pair, panel));
      oracle->mechanism->run (oracle->settings, oracle->cols, &stream,
                              test->inputs + side * oracle->n_inputs, count, outputs);
      test->counts[2 * index + side] += test->event->count (test->event, oracle, outputs, count);
    }
}

/* Sums of the event's counts, of either side. */
static gboolean
test_in_pieces (Test *test, guint64 *total, GError **error)
{
  const guint64 piece = (guint64) PIECE_PANELS * ASSAY_PANEL_RUNS;
  const guint64 n_pieces = (test->event->runs + piece - 1) / piece;

  for (guint64 first = 0; first < n_pieces; first += CHUNK_PIECES) {
    const gsize count = (gsize) MIN (CHUNK_PIECES, n_pieces - first);

    if (!check_goes_on (test->oracle, error))
      return FALSE;
    test->first_piece = first;
    memset (test->counts, 0, sizeof test->counts);
    assay_parallel_for (count, test_piece, test);
    for (gsize i = 0; i < 2 * count; i++)
      total[i % 2] += test->counts[i];
  }
  return TRUE;
}

typedef struct {
  const AssayOracle *oracle;
  const AssayEvent *event;
  const float *outputs;
  gsize count;
  gsize *hits; /* of each panel */
} Batch;

static void
count_panel (gsize index, guint worker, gpointer data)
{
  const Batch *batch = data;
  const gsize first = index * ASSAY_PANEL_RUNS;

  (void) worker;
  batch->hits[index] = batch->event->count (batch->event, batch->oracle,
                                            batch->outputs + first * batch->oracle->n_outputs,
                                            MIN (ASSAY_PANEL_RUNS, batch->count - first));
}

/* The same of a mechanism of another program. */
static gboolean
test_in_batches (const Test *test, guint64 *total, GError **error)
{
  const AssayOracle *oracle = test->oracle;
  const guint64 runs = test->event->runs;
  const gsize most = (gsize) MIN (oracle->mechanism->batch_runs (oracle->settings), runs);
  g_autofree float *outputs
      = assay_alloc (most, oracle->n_outputs * sizeof (float), "a batch of test runs", error);
  g_autofree gsize *hits = g_new (gsize, most / ASSAY_PANEL_RUNS + 1);

  for (guint64 first = 0; outputs != NULL && first < runs; first += most)
    for (guint side = 0; side < 2; side++) {
      const Source source = { oracle, test->inputs, PURPOSE_TEST, side, test->event->pair };
      const gsize count = (gsize) MIN (most, runs - first);
      const gsize panels = (count + ASSAY_PANEL_RUNS - 1) / ASSAY_PANEL_RUNS;
      Batch batch = { oracle, test->event, outputs, count, hits };

      if (!run_batch (&source, first, count, outputs, error))
        return FALSE;
      assay_parallel_for (panels, count_panel, &batch);
      for (gsize i = 0; i < panels; i++)
        total[side] += hits[i];
    }
  return outputs != NULL;
}

gboolean
assay_distinguish (const AssayOracle *oracle, const AssayEvent *event, AssayAudit *ret_audit,
                   GError **error)
{
  g_autofree float *inputs = inputs_of (oracle, event->pair, error);
  Test test = { .oracle = oracle, .event = event, .inputs = inputs };
  guint64 total[2] = { 0, 0 };

  if (inputs == NULL)
    return FALSE;
  if (!(oracle->mechanism->run_many != NULL ? test_in_batches (&test, total, error)
                                            : test_in_pieces (&test, total, error)))
    return FALSE;
  *ret_audit = (AssayAudit){ .kind = ASSAY_AUDIT_TWO_INPUTS,
                             .delta = oracle->delta,
                             .runs = event->runs,
                             .hits = total[event->is_swapped ? 1 : 0],
                             .mistakes = total[event->is_swapped ? 0 : 1] };
  return TRUE;
}
