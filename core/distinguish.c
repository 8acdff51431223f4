/* The distinguishing game. */
#include "core/distinguish.h"

#include <string.h>

#include "core/parallel.h"

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
  mechanism->size (settings, cols, &oracle.n_inputs, &oracle.n_outputs);
  return oracle;
}

void
assay_oracle_pair (const AssayOracle *oracle, guint pair, float *ret_first, float *ret_second)
{
  AssayStream stream
      = assay_stream (oracle->stream, item_of (PURPOSE_PAIR, ASSAY_SIDE_FIRST, pair, 0));

  oracle->mechanism->pair (oracle->settings, oracle->cols, pair, &stream, ret_first, ret_second);
}

/* One input of a pair; free with g_free. */
static float *
input_of (const AssayOracle *oracle, guint pair, AssaySide side)
{
  float *inputs = g_new (float, 2 * oracle->n_inputs);

  assay_oracle_pair (oracle, pair, inputs, inputs + oracle->n_inputs);
  if (side == ASSAY_SIDE_SECOND)
    memcpy (inputs, inputs + oracle->n_inputs, oracle->n_inputs * sizeof (float));
  return inputs;
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

void
assay_oracle_train (const AssayOracle *oracle, guint pair, AssaySide side, gsize first,
                    gsize count, float *ret_outputs)
{
  g_autofree float *input = input_of (oracle, pair, side);
  Training job = { .oracle = oracle,
                   .input = input,
                   .side = side,
                   .pair = pair,
                   .first_panel = first / ASSAY_PANEL_RUNS,
                   .count = count,
                   .outputs = ret_outputs };

  g_return_if_fail (first % ASSAY_PANEL_RUNS == 0);
  assay_parallel_for ((count + ASSAY_PANEL_RUNS - 1) / ASSAY_PANEL_RUNS, draw_panel, &job);
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

  assay_oracle_pair (oracle, pair, first, second);
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

AssayAudit
assay_distinguish (const AssayOracle *oracle, const AssayEvent *event)
{
  const guint64 piece = (guint64) PIECE_PANELS * ASSAY_PANEL_RUNS;
  const guint64 n_pieces = (event->runs + piece - 1) / piece;
  g_autofree float *inputs = g_new (float, 2 * oracle->n_inputs);
  Test test = { .oracle = oracle, .event = event, .inputs = inputs };
  AssayAudit audit = { .kind = ASSAY_AUDIT_TWO_INPUTS, .delta = oracle->delta };
  guint64 total[2] = { 0, 0 };

  assay_oracle_pair (oracle, event->pair, inputs, inputs + oracle->n_inputs);
  for (guint64 first = 0; first < n_pieces; first += CHUNK_PIECES) {
    const gsize count = (gsize) MIN (CHUNK_PIECES, n_pieces - first);

    if (oracle->is_cancelled != NULL && oracle->is_cancelled (oracle->cancel_data))
      return audit;
    test.first_piece = first;
    memset (test.counts, 0, sizeof test.counts);
    assay_parallel_for (count, test_piece, &test);
    for (gsize i = 0; i < 2 * count; i++)
      total[i % 2] += test.counts[i];
  }
  audit.runs = event->runs;
  audit.hits = total[event->is_swapped ? 1 : 0];
  audit.mistakes = total[event->is_swapped ? 0 : 1];
  return audit;
}
