/* The distinguishing game. */
#include "core/games/distinguish.h"

#include <string.h>

#include "core/base/parallel.h"

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
      stream = assay_oracle_stream (oracle, ASSAY_PURPOSE_TEST, side, test->event->pair, panel);
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

    if (!assay_oracle_goes_on (test->oracle, error))
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
  const gsize most = (gsize) MIN (oracle->mechanism->batches->batch_runs (oracle->settings), runs);
  g_autofree float *outputs
      = assay_alloc (most, oracle->n_outputs * sizeof (float), "a batch of test runs", error);
  g_autofree gsize *hits = g_new (gsize, most / ASSAY_PANEL_RUNS + 1);

  for (guint64 first = 0; outputs != NULL && first < runs; first += most)
    for (guint side = 0; side < 2; side++) {
      const AssayOracleRuns source
          = { oracle, test->inputs, ASSAY_PURPOSE_TEST, side, test->event->pair };
      const gsize count = (gsize) MIN (most, runs - first);
      const gsize panels = (count + ASSAY_PANEL_RUNS - 1) / ASSAY_PANEL_RUNS;
      Batch batch = { oracle, test->event, outputs, count, hits };

      if (!assay_oracle_run_batch (&source, first, count, outputs, error))
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
  g_autofree float *inputs = assay_oracle_inputs (oracle, event->pair, error);
  Test test = { .oracle = oracle, .event = event, .inputs = inputs };
  guint64 total[2] = { 0, 0 };

  if (inputs == NULL)
    return FALSE;
  if (!(oracle->mechanism->batches != NULL ? test_in_batches (&test, total, error)
                                           : test_in_pieces (&test, total, error)))
    return FALSE;
  *ret_audit = (AssayAudit){ .kind = ASSAY_AUDIT_TWO_INPUTS,
                             .delta = oracle->delta,
                             .runs = event->runs,
                             .hits = total[event->is_swapped ? 1 : 0],
                             .mistakes = total[event->is_swapped ? 0 : 1] };
  return TRUE;
}
