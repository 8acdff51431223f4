/* The distinguishing game. */
#include "core/games/distinguish.h"

#include <string.h>

#include "core/base/parallel.h"
#include "core/base/progress/loop.h"
#include "core/data/matrix.h"

/* Panels that one piece of the parallel loop works through with one buffer, and pieces between two
 * questions whether to go on. */
#define PIECE_PANELS 16
#define CHUNK_PIECES 64

/* ---- The log ---- */

AssayRunLog *
assay_run_log_new (guint64 runs)
{
  AssayRunLog *log = g_new0 (AssayRunLog, 1);

  log->count = (gsize) MIN (runs, ASSAY_LOG_RUNS);
  for (guint side = 0; side < 2; side++) {
    log->sides[side].hashes = g_new0 (guint64, log->count);
    log->sides[side].sums = g_new0 (double, log->count);
    log->sides[side].is_event = g_new0 (guint8, log->count);
  }
  return log;
}

void
assay_run_log_free (AssayRunLog *log)
{
  for (guint side = 0; log != NULL && side < 2; side++) {
    g_free (log->sides[side].hashes);
    g_free (log->sides[side].sums);
    g_free (log->sides[side].is_event);
    g_free (log->outputs[side]);
  }
  g_free (log);
}

gboolean
assay_run_log_keep (AssayRunLog *log, guint64 runs, gsize stride, GError **error)
{
  gboolean is_ok = TRUE;

  for (guint side = 0; is_ok && side < 2; side++) {
    log->outputs[side] = assay_alloc ((gsize) runs, stride, "test runs", error);
    is_ok = log->outputs[side] != NULL;
  }
  return is_ok;
}

typedef struct {
  const AssayRunLog *log;
  const AssayOracle *oracle;
  const AssayEvent *event;
  guint8 *marks;
} Marking;

static void
mark_panel (gsize index, guint worker, gpointer data)
{
  const Marking *job = data;
  const gsize runs = (gsize) job->event->runs;
  const gsize first = index * ASSAY_PANEL_RUNS, end = MIN (runs, first + ASSAY_PANEL_RUNS);

  (void) worker;
  for (guint side = 0; side < 2; side++) {
    const AssayOutputs outputs = assay_oracle_outputs (job->oracle, job->log->outputs[side]);

    for (gsize i = first; i < end; i++)
      job->marks[side * runs + i] = (guint8) job->event->count (
          job->event, job->oracle, assay_outputs_from (outputs, i), 1);
  }
}

void
assay_run_log_mark (const AssayRunLog *log, const AssayOracle *oracle, const AssayEvent *event,
                    guint8 *ret_marks)
{
  Marking job = { log, oracle, event, ret_marks };

  assay_parallel_for ((gsize) (event->runs + ASSAY_PANEL_RUNS - 1) / ASSAY_PANEL_RUNS, mark_panel,
                      &job);
}

guint64
assay_run_hash (AssayOutputs outputs, gsize run)
{
  guint64 hash = outputs.cols;

  for (gsize j = 0; j < outputs.cols; j++) {
    hash = (hash ^ assay_output_key (assay_output_at (outputs, run, j))) * 0xFF51AFD7ED558CCDu;
    hash ^= hash >> 32;
  }
  hash *= 0xC4CEB9FE1A85EC53u;
  return hash ^ hash >> 32;
}

/* Runs of a panel or less, from number @first on. */
typedef struct {
  guint side;
  guint64 first;
  gsize count;
  AssayOutputs outputs;
} Panel;

static void
log_panel (AssayRunLog *log, const AssayOracle *oracle, const AssayEvent *event,
           const Panel *panel)
{
  const AssayOutputs outputs = panel->outputs;
  const gsize stride = assay_outputs_stride (outputs);
  const guint side = panel->side;

  if (log->outputs[side] != NULL)
    memcpy ((char *) log->outputs[side] + panel->first * stride, outputs.numbers,
            panel->count * stride);
  for (gsize i = 0; i < panel->count && panel->first + i < log->count; i++) {
    const guint64 run = panel->first + i;
    double sum = 0;

    for (gsize j = 0; j < outputs.cols; j++)
      sum += assay_output_at (outputs, i, j);
    log->sides[side].hashes[run] = assay_run_hash (outputs, i);
    log->sides[side].sums[run] = sum;
    log->sides[side].is_event[run]
        = (guint8) event->count (event, oracle, assay_outputs_from (outputs, i), 1);
  }
}

/* ---- Tests ---- */

/* How often the event was seen: in all runs; in those of whole panels; squares of the latter. */
typedef struct {
  guint64 all, whole, squares;
} Counts;

static void
add_panel (Counts *counts, gsize hits, gboolean is_whole)
{
  counts->all += hits;
  counts->whole += is_whole ? hits : 0;
  counts->squares += is_whole ? (guint64) hits * hits : 0;
}

static void
add_counts (Counts *counts, const Counts *more)
{
  counts->all += more->all;
  counts->whole += more->whole;
  counts->squares += more->squares;
}

typedef struct {
  const AssayOracle *oracle;
  const AssayEvent *event;
  AssayRunLog *log;                /* or NULL */
  const float *inputs;             /* of both sides */
  guint64 first_piece;             /* of the chunk */
  Counts counts[2 * CHUNK_PIECES]; /* by piece, then side */
} Test;

static void
test_piece (gsize index, guint worker, gpointer data)
{
  Test *test = data;
  const AssayOracle *oracle = test->oracle;
  const guint64 runs = test->event->runs;
  g_autofree gpointer numbers = g_malloc (ASSAY_PANEL_RUNS * assay_oracle_stride (oracle));
  const AssayOutputs outputs = assay_oracle_outputs (oracle, numbers);

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
      assay_oracle_run (oracle, &stream, test->inputs + side * oracle->n_inputs, count, numbers);
      add_panel (&test->counts[2 * index + side],
                 test->event->count (test->event, oracle, outputs, count),
                 count == ASSAY_PANEL_RUNS);
      if (test->log != NULL && (first < test->log->count || test->log->outputs[side] != NULL))
        log_panel (test->log, oracle, test->event, &(Panel){ side, first, count, outputs });
    }
}

/* Sums of the event's counts, of either side. */
static gboolean
test_in_pieces (Test *test, Counts *total, GError **error)
{
  const guint64 piece = (guint64) PIECE_PANELS * ASSAY_PANEL_RUNS;
  const guint64 n_pieces = (test->event->runs + piece - 1) / piece;
  g_auto (AssayLoop) loop = { "test runs, part", .turns = assay_pieces (n_pieces, CHUNK_PIECES) };

  for (guint64 first = 0; first < n_pieces; first += CHUNK_PIECES) {
    const gsize count = (gsize) MIN (CHUNK_PIECES, n_pieces - first);

    assay_loop_at (&loop, first / CHUNK_PIECES);
    if (!assay_oracle_goes_on (test->oracle, error))
      return FALSE;
    test->first_piece = first;
    memset (test->counts, 0, sizeof test->counts);
    assay_parallel_for (count, test_piece, test);
    for (gsize i = 0; i < 2 * count; i++)
      add_counts (&total[i % 2], &test->counts[i]);
  }
  return TRUE;
}

typedef struct {
  const AssayOracle *oracle;
  const AssayEvent *event;
  AssayRunLog *log; /* or NULL */
  guint side;
  guint64 first;
  AssayOutputs outputs;
  gsize count;
  gsize *hits; /* of each panel */
} Batch;

static void
count_panel (gsize index, guint worker, gpointer data)
{
  const Batch *batch = data;
  const gsize first = index * ASSAY_PANEL_RUNS;
  const gsize count = MIN (ASSAY_PANEL_RUNS, batch->count - first);
  const AssayOutputs outputs = assay_outputs_from (batch->outputs, first);

  (void) worker;
  batch->hits[index] = batch->event->count (batch->event, batch->oracle, outputs, count);
  if (batch->log != NULL)
    log_panel (batch->log, batch->oracle, batch->event,
               &(Panel){ batch->side, batch->first + first, count, outputs });
}

/* The same of a mechanism of another program. */
static gboolean
test_in_batches (const Test *test, Counts *total, GError **error)
{
  const AssayOracle *oracle = test->oracle;
  const guint64 runs = test->event->runs;
  const gsize most = (gsize) MIN (oracle->mechanism->batches->batch_runs (oracle->settings), runs);
  g_autofree gpointer numbers
      = assay_alloc (most, assay_oracle_stride (oracle), "a batch of test runs", error);
  const AssayOutputs outputs = assay_oracle_outputs (oracle, numbers);
  g_autofree gsize *hits = g_new (gsize, most / ASSAY_PANEL_RUNS + 1);
  g_auto (AssayLoop) loop = { "test runs, batch", .turns = 2 * assay_pieces (runs, MAX (most, 1)) };

  for (guint64 first = 0; numbers != NULL && first < runs; first += most)
    for (guint side = 0; side < 2; side++) {
      const AssayOracleRuns source
          = { oracle, test->inputs, ASSAY_PURPOSE_TEST, side, test->event->pair };
      const gsize count = (gsize) MIN (most, runs - first);
      const gsize panels = (count + ASSAY_PANEL_RUNS - 1) / ASSAY_PANEL_RUNS;
      Batch batch = { oracle, test->event, test->log, side, first, outputs, count, hits };

      assay_loop_at (&loop, 2 * (first / most) + side);
      if (!assay_oracle_run_batch (&source, first, count, numbers, error))
        return FALSE;
      assay_parallel_for (panels, count_panel, &batch);
      for (gsize i = 0; i < panels; i++)
        add_panel (&total[side], hits[i], (i + 1) * ASSAY_PANEL_RUNS <= count);
    }
  return numbers != NULL;
}

gboolean
assay_distinguish (const AssayOracle *oracle, const AssayEvent *event, AssayAudit *ret_audit,
                   GError **error)
{
  return assay_distinguish_logged (oracle, event, NULL, ret_audit, error);
}

gboolean
assay_distinguish_logged (const AssayOracle *oracle, const AssayEvent *event, AssayRunLog *log,
                          AssayAudit *ret_audit, GError **error)
{
  g_autofree float *inputs = assay_oracle_inputs (oracle, event->pair, error);
  Test test = { .oracle = oracle, .event = event, .log = log, .inputs = inputs };
  Counts total[2] = { 0 };

  if (inputs == NULL)
    return FALSE;
  if (!(oracle->mechanism->batches != NULL ? test_in_batches (&test, total, error)
                                           : test_in_pieces (&test, total, error)))
    return FALSE;
  *ret_audit = (AssayAudit){ .kind = ASSAY_AUDIT_TWO_INPUTS,
                             .delta = oracle->delta,
                             .runs = event->runs,
                             .hits = total[event->is_swapped ? 1 : 0].all,
                             .mistakes = total[event->is_swapped ? 0 : 1].all };
  for (guint side = 0; log != NULL && side < 2; side++) {
    log->hits[side] = total[side].whole;
    log->squares[side] = total[side].squares;
  }
  return TRUE;
}
