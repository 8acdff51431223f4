/* A mechanism that leaks by a known amount. */
#include "core/games/leak.h"

#include <math.h>

#include "core/games/distinguish.h"

/* How many runs on the first input leak; at delta at least so many times delta. */
#define MOVED 0.2
#define TIMES_DELTA 2
#define MAX_MOVED 0.5

/* Runs from which is seen where outputs are, and how many times beyond that they are moved. */
#define LOOKED_AT ASSAY_PANEL_RUNS
#define BEYOND 1000

/* Moved runs on which an event is counted. */
#define MOVED_RUNS 2048

struct _AssayLeaking {
  AssayMechanism mechanism;
  AssayOracle oracle;      /* of it; its settings are this struct */
  const AssayOracle *base; /* the mechanism that is made to leak */
  AssayLeak leak;
  gsize column; /* that is moved */
  double distance;
};

AssayLeak
assay_leak_of (double epsilon, double delta)
{
  const double first = MIN (MAX (MOVED, TIMES_DELTA * delta), MAX_MOVED);

  return (AssayLeak){ first, (first - delta) * exp (-epsilon) };
}

/* ---- The mechanism ---- */

static AssayBudget
budget (gconstpointer settings, gsize cols)
{
  const AssayLeaking *leaking = settings;

  (void) cols;
  return leaking->base->claimed;
}

/* An input has one number more: which side it is. */
static void
size (gconstpointer settings, gsize cols, gsize *ret_inputs, gsize *ret_outputs)
{
  const AssayLeaking *leaking = settings;

  (void) cols;
  *ret_inputs = leaking->base->n_inputs + 1;
  *ret_outputs = leaking->base->n_outputs;
}

static guint
count_pairs (gconstpointer settings)
{
  return ((const AssayLeaking *) settings)->base->n_proposed;
}

static void
mark_sides (const AssayOracle *base, float *first, float *second)
{
  first[base->n_inputs] = ASSAY_SIDE_FIRST;
  second[base->n_inputs] = ASSAY_SIDE_SECOND;
}

static void
pair (gconstpointer settings, G_GNUC_UNUSED gsize cols, guint index,
      G_GNUC_UNUSED AssayStream *stream, float *ret_first, float *ret_second)
{
  const AssayOracle *base = ((const AssayLeaking *) settings)->base;

  assay_oracle_pair (base, index, ret_first, ret_second, NULL); /* fails in batches alone */
  mark_sides (base, ret_first, ret_second);
}

static gboolean
load_pair (gconstpointer settings, guint index, gsize n_inputs, float *ret_first, float *ret_second,
           GError **error)
{
  const AssayOracle *base = ((const AssayLeaking *) settings)->base;

  g_return_val_if_fail (n_inputs == base->n_inputs + 1, FALSE);
  if (!assay_oracle_pair (base, index, ret_first, ret_second, error))
    return FALSE;
  mark_sides (base, ret_first, ret_second);
  return TRUE;
}

static void
move_some (const AssayLeaking *leaking, const float *input, AssayStream *stream, gsize count,
           gpointer outputs)
{
  const gsize cols = leaking->base->n_outputs;
  const gboolean is_second = input[leaking->base->n_inputs] == ASSAY_SIDE_SECOND;
  const double share = is_second ? leaking->leak.second : leaking->leak.first;

  for (gsize i = 0; i < count; i++)
    if (assay_stream_uniform (stream) >= share)
      continue;
    else if (leaking->base->is_double)
      ((double *) outputs)[i * cols + leaking->column] += leaking->distance;
    else
      ((float *) outputs)[i * cols + leaking->column] += (float) leaking->distance;
}

static void
run (gconstpointer settings, gsize cols, AssayStream *stream, const float *input, gsize count,
     float *ret_outputs)
{
  const AssayLeaking *leaking = settings;
  const AssayOracle *base = leaking->base;

  base->mechanism->run (base->settings, cols, stream, input, count, ret_outputs);
  move_some (leaking, input, stream, count, ret_outputs);
}

static void
run_doubles (gconstpointer settings, gsize cols, AssayStream *stream, const float *input,
             gsize count, double *ret_outputs)
{
  const AssayLeaking *leaking = settings;
  const AssayOracle *base = leaking->base;

  base->mechanism->doubles->run (base->settings, cols, stream, input, count, ret_outputs);
  move_some (leaking, input, stream, count, ret_outputs);
}

static const AssayDoubles doubles = { .run = run_doubles };

static gsize
batch_runs (gconstpointer settings)
{
  const AssayOracle *base = ((const AssayLeaking *) settings)->base;

  return base->mechanism->batches->batch_runs (base->settings);
}

static gboolean
run_many (gconstpointer settings, AssayStream *stream, AssayInput input, gsize count,
          double *ret_outputs, GError **error)
{
  const AssayLeaking *leaking = settings;
  const AssayOracle *base = leaking->base;
  const AssayInput known = { input.numbers, base->n_inputs };

  if (!base->mechanism->batches->run_many (base->settings, stream, known, count, ret_outputs,
                                           error))
    return FALSE;
  move_some (leaking, input.numbers, stream, count, ret_outputs);
  return TRUE;
}

static const AssayBatches batches = {
  .count_pairs = count_pairs, .load_pair = load_pair, .batch_runs = batch_runs, .run_many = run_many
};

/* ---- Making one ---- */

/* The column that is moved, by chance, and how far: clear of all outputs, on a scale that float32
 * tells apart. */
static gboolean
look (AssayLeaking *leaking, GError **error)
{
  const AssayOracle *oracle = &leaking->oracle;
  AssayStream stream = assay_oracle_stream (oracle, ASSAY_PURPOSE_PAIR, ASSAY_SIDE_SECOND, 0, 0);
  g_autofree gpointer numbers
      = assay_alloc (LOOKED_AT, assay_oracle_stride (oracle), "outputs", error);
  const AssayOutputs outputs = assay_oracle_outputs (oracle, numbers);
  const AssayTrainingRuns runs = { .side = ASSAY_SIDE_FIRST, .count = LOOKED_AT };
  double largest = 0;

  if (numbers == NULL
      || !assay_oracle_train (oracle, runs, numbers, error))
    return FALSE;
  leaking->column = (gsize) assay_stream_below (&stream, oracle->n_outputs);
  for (gsize i = 0; i < LOOKED_AT; i++) {
    const double value = assay_output_at (outputs, i, leaking->column);

    if (isfinite (value))
      largest = fmax (largest, fabs (value));
  }
  leaking->distance = BEYOND * (largest + 1);
  return TRUE;
}

AssayLeaking *
assay_leaking_new (const AssayOracle *oracle, AssayStreamKey stream, GError **error)
{
  g_autofree AssayLeaking *leaking = g_new0 (AssayLeaking, 1);

  leaking->base = oracle;
  leaking->mechanism = (AssayMechanism){ .budget = budget,
                                         .has_own_inputs = TRUE,
                                         .size = size,
                                         .n_proposed = oracle->n_proposed,
                                         .pair = pair,
                                         .run = run };
  if (oracle->mechanism->batches != NULL)
    leaking->mechanism.batches = &batches;
  else if (oracle->is_double)
    leaking->mechanism.doubles = &doubles;
  leaking->oracle
      = assay_oracle (&leaking->mechanism, leaking, oracle->cols, stream, oracle->delta);
  leaking->oracle.draws_pairs = oracle->draws_pairs;
  leaking->oracle.most_runs = oracle->most_runs;
  leaking->oracle.is_cancelled = oracle->is_cancelled;
  leaking->oracle.cancel_data = oracle->cancel_data;
  leaking->oracle.failed_pair = oracle->failed_pair;
  return look (leaking, error) ? g_steal_pointer (&leaking) : NULL;
}

const AssayOracle *
assay_leaking_oracle (const AssayLeaking *leaking)
{
  return &leaking->oracle;
}

void
assay_leaking_set (AssayLeaking *leaking, AssayLeak leak)
{
  leaking->leak = leak;
}

/* ---- What an event sees ---- */

/* Shares of @runs a side, all of them moved or none. */
static gboolean
count_rates (AssayLeaking *leaking, AssayEvent *event, gboolean is_moved, guint64 runs,
             AssayEventRates *ret_rates, GError **error)
{
  const double share = is_moved ? 1 : 0;
  AssayAudit audit;

  assay_leaking_set (leaking, (AssayLeak){ share, share });
  event->runs = runs;
  if (!assay_distinguish (&leaking->oracle, event, &audit, error))
    return FALSE;
  *ret_rates = (AssayEventRates){ (double) audit.hits / (double) runs,
                                  (double) audit.mistakes / (double) runs };
  return TRUE;
}

gboolean
assay_leaking_rates (AssayLeaking *leaking, AssayEvent *event, AssayLeak leak, guint64 runs,
                     AssayEventRates *ret_rates, GError **error)
{
  const double of_hits = event->is_swapped ? leak.second : leak.first;
  const double of_mistakes = event->is_swapped ? leak.first : leak.second;
  AssayEventRates moved, kept;

  if (!count_rates (leaking, event, TRUE, MOVED_RUNS, &moved, error)
      || !count_rates (leaking, event, FALSE, runs, &kept, error))
    return FALSE;
  ret_rates->hit = of_hits * moved.hit + (1 - of_hits) * kept.hit;
  ret_rates->mistake = of_mistakes * moved.mistake + (1 - of_mistakes) * kept.mistake;
  return TRUE;
}
