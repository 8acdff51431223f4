/* Telling two neighbouring inputs of a mechanism apart (Ding et al. 2018, StatDP; Bichsel et al.
 * 2021, DP-Sniper).
 *
 * An event is a threshold on a score (event-score.h), chosen on the oracle's training runs:
 *   1. every candidate pair of neighbours gets a share of the training runs, on which score and
 *      threshold are learned (event-learn.h); the pair whose event promises most is kept;
 *   2. on training runs that were not looked at before, score and threshold of that pair are chosen
 *      once more, now with all of them.
 * The event is then tested by the game alone, on runs that nobody has seen. */
#include <math.h>
#include <string.h>

#include "attacks/mechanisms/distinguish-control.h"
#include "attacks/mechanisms/event-says.h"
#include "core/base/free.h"
#include "core/base/progress/loop.h"
#include "core/base/vectorise.h"
#include "core/plugin/plugin.h"

/* By EventKind. */
static const char *const scores[]
    = { "auto",  "likelihood", "patterns", "classifier", "trees", "repeats",
        "tails", "digits",     "order",    "finite",     "bits",  NULL };

typedef struct {
  gint64 runs;
  gint64 training;
  guint score;
  gint64 candidates;
  char *delta;
} Distinguish;

/* What a pair is given at least in step 1, a side. */
#define LEAST_SHARE 1000

static const char claimed[] = "claimed";

/* -1: the claimed one. */
static gboolean
parse_delta (const char *text, double *ret_delta)
{
  char *end;
  double delta;

  if (g_str_equal (text, claimed)) {
    *ret_delta = -1;
    return TRUE;
  }
  delta = g_ascii_strtod (text, &end);
  if (end == text || *end != '\0' || !(delta >= 0 && delta < 1))
    return FALSE;
  *ret_delta = delta;
  return TRUE;
}

static double
delta_under_audit (gconstpointer data)
{
  const Distinguish *settings = data;
  double delta = -1;

  parse_delta (settings->delta, &delta);
  return delta;
}

static gboolean
check (gconstpointer data, const AssayShape *shape, GError **error)
{
  const Distinguish *settings = data;
  double delta;

  (void) shape;
  if (!parse_delta (settings->delta, &delta))
    return assay_fail (error, ASSAY_ERROR_PARAMETER,
                       "delta = %s: expected %s, or a number that is at least 0 and less than 1",
                       settings->delta, claimed);
  return TRUE;
}

/* ---- Choosing ---- */

typedef struct {
  const Distinguish *settings;
  const AssayOracle *oracle;
  gpointer outputs[2]; /* training runs of either side */
  double *scores[2];
} Search;

static EventLesson
lesson_of (const Search *search, guint pair, const float *inputs, gsize count)
{
  const AssayOracle *oracle = search->oracle;

  return (EventLesson){ .oracle = oracle,
                        .pair = pair,
                        .inputs = inputs,
                        .outputs = { assay_oracle_outputs (oracle, search->outputs[0]),
                                     assay_oracle_outputs (oracle, search->outputs[1]) },
                        .scores = { search->scores[0], search->scores[1] },
                        .count = count,
                        .runs = (guint64) search->settings->runs };
}

/* @count training runs of @pair, a side, from number @first on. */
static gboolean
draw (const Search *search, guint pair, gsize first, gsize count, GError **error)
{
  for (guint side = 0; side < 2; side++) {
    const AssayTrainingRuns runs = { pair, side, first, count };

    if (!assay_oracle_train (search->oracle, runs, search->outputs[side], error))
      return FALSE;
  }
  return TRUE;
}

/* The best of @n_pairs on @share runs a side each. */
static gboolean
choose_pair (const Search *search, guint n_pairs, gsize share, guint *ret_pair, GError **error)
{
  g_auto (AssayLoop) loop = { "pair of inputs", .turns = n_pairs };
  EventCut best = { .bound = -1 };

  for (guint pair = 0; pair < n_pairs; pair++) {
    g_autofree float *inputs = assay_oracle_inputs (search->oracle, pair, error);
    EventLesson lesson = lesson_of (search, pair, inputs, share);
    EventCut cut;
    g_autoptr (EventScore) score = NULL;

    assay_loop_at (&loop, pair);
    if (inputs == NULL || !draw (search, pair, 0, share, error))
      return FALSE;
    lesson.is_search = TRUE;
    score = event_learn (&lesson, search->settings->score, &cut, error);
    if (score == NULL)
      return FALSE;
    if (event_cut_is_better (&cut, &best)) {
      best = cut;
      *ret_pair = pair;
    }
  }
  return TRUE;
}

/* ---- The event ---- */

typedef struct {
  EventScore *score;
  double threshold;
} Rule;

ASSAY_LOCAL_FREE (Rule, free_rule, event_score_free (self->score))

ASSAY_VECTORISED static gsize
count_beyond (const double *values, double threshold, gboolean is_below, gsize count)
{
  gsize hits = 0;

  if (is_below)
    for (gsize i = 0; i < count; i++)
      hits += values[i] < threshold;
  else
    for (gsize i = 0; i < count; i++)
      hits += values[i] >= threshold;
  return hits;
}

static gsize
count_event (const AssayEvent *event, const AssayOracle *oracle, AssayOutputs outputs, gsize count)
{
  const Rule *rule = event->data;
  double values[ASSAY_PANEL_RUNS];

  rule->score->score (rule->score->data, oracle, outputs, count, values);
  return count_beyond (values, rule->threshold, event->is_swapped, count);
}

static AssayEvent *
make_event (EventScore *score, const EventCut *cut, const EventLesson *lesson, guint64 trained_on)
{
  AssayEvent *event = g_new0 (AssayEvent, 1);
  Rule *rule = g_new (Rule, 1);

  *rule = (Rule){ .score = score, .threshold = cut->threshold };
  *event = (AssayEvent){ .pair = lesson->pair,
                         .is_swapped = cut->is_swapped,
                         .runs = lesson->runs,
                         .trained_on = trained_on,
                         .says = event_says (lesson, score, cut),
                         .python = event_in_python (lesson, score, cut),
                         .count = count_event,
                         .data = rule,
                         .free_data = (GDestroyNotify) free_rule };
  return event;
}

/* ---- Constant mechanisms ---- */

static gsize
count_others (const AssayEvent *event, const AssayOracle *oracle, AssayOutputs outputs, gsize count)
{
  const gsize stride = assay_oracle_stride (oracle);
  gsize hits = 0;

  for (gsize i = 0; i < count; i++)
    hits += memcmp (assay_outputs_from (outputs, i).numbers, event->data, stride) != 0;
  return hits;
}

/* The same in Python. */
static char *
others_in_python (AssayOutputs outputs)
{
  GString *text = g_string_new ("def event(y):\n    return (key(y) != numpy.array([");

  for (gsize j = 0; j < outputs.cols; j++)
    g_string_append_printf (text, "%s%" G_GUINT64_FORMAT, j > 0 ? ", " : "",
                            assay_output_key (assay_output_at (outputs, 0, j)));
  g_string_append (text, "], numpy.uint64)).any(axis=1)\n");
  return g_string_free (text, FALSE);
}

/* Where all runs of both inputs gave one output: that a run gives another. Else NULL. */
static AssayEvent *
find_constant (const EventLesson *lesson, guint64 trained_on)
{
  const gsize stride = assay_oracle_stride (lesson->oracle);
  g_autofree char *value = event_number (assay_output_at (lesson->outputs[0], 0, 0));
  AssayEvent *event;

  for (guint side = 0; side < 2; side++)
    for (gsize i = 0; i < lesson->count; i++)
      if (memcmp (assay_outputs_from (lesson->outputs[side], i).numbers, lesson->outputs[0].numbers,
                  stride)
          != 0)
        return NULL;
  event = g_new0 (AssayEvent, 1);
  *event = (AssayEvent){ .pair = lesson->pair,
                         .runs = lesson->runs,
                         .trained_on = trained_on,
                         .says = g_strdup_printf ("another output than the one that every training "
                                                  "run on both inputs gave (y1 = %s), which has "
                                                  "epsilon 0, pair %u",
                                                  value, lesson->pair),
                         .python = others_in_python (lesson->outputs[0]),
                         .count = count_others,
                         .data = g_memdup2 (lesson->outputs[0].numbers, stride),
                         .free_data = g_free };
  return event;
}

/* Pairs that are tried. */
static guint
count_candidates (const Search *search)
{
  const guint candidates = (guint) search->settings->candidates;

  if (search->oracle->single_runs > 0)
    return 1;
  return candidates > 0 ? candidates : MAX (search->oracle->n_proposed, 1);
}

static AssayEvent *
search_event (const Search *search, GError **error)
{
  const Distinguish *settings = search->settings;
  const gsize training = (gsize) settings->training;
  const guint n_proposed = search->oracle->n_proposed;
  const guint n_pairs = count_candidates (search);
  const gsize share = n_pairs > 1 ? MAX (training / n_pairs, MIN (training, LEAST_SHARE)) : 0;
  const gsize panels = (share + ASSAY_PANEL_RUNS - 1) / ASSAY_PANEL_RUNS;
  const guint64 trained_on = 2 * ((guint64) n_pairs * share + training);
  EventLesson lesson;
  AssayEvent *event;
  EventScore *score;
  EventCut cut;
  guint pair = search->oracle->single_pair;
  g_autofree float *inputs = NULL;

  if (!search->oracle->draws_pairs && n_pairs > n_proposed) {
    assay_error_set (error, ASSAY_ERROR_MISMATCH,
                     "candidates = %u: the defense has %u pairs of neighbours and draws no others; "
                     "expected at most as many, or a domain from which they are drawn",
                     n_pairs, n_proposed);
    return NULL;
  }
  if (share > 0 && !choose_pair (search, n_pairs, share, &pair, error))
    return NULL;
  inputs = assay_oracle_inputs (search->oracle, pair, error);
  if (inputs == NULL || !draw (search, pair, panels * ASSAY_PANEL_RUNS, training, error))
    return NULL;
  lesson = lesson_of (search, pair, inputs, training);
  event = find_constant (&lesson, trained_on);
  if (event != NULL)
    return event;
  score = event_learn (&lesson, settings->score, &cut, error);
  return score != NULL ? make_event (score, &cut, &lesson, trained_on) : NULL;
}

/* Where every run is a start of its own, no more of them than there may be; returns on how many an
 * event is chosen. */
static gsize
take_single (const AssayOracle *oracle, Distinguish *inout_asked)
{
  if (oracle->single_runs > 0) {
    inout_asked->runs = MIN (inout_asked->runs, (gint64) oracle->single_runs);
    inout_asked->training = MIN (inout_asked->training, (gint64) oracle->single_training);
  }
  return (gsize) inout_asked->training;
}

static AssayEvent *
choose_event (const AssayAuditContext *context, const AssayOracle *oracle, GError **error)
{
  Distinguish asked = *(const Distinguish *) context->settings;
  const Distinguish *settings = &asked;
  const gboolean has_density = assay_oracle_has_density (oracle);
  const gsize training = take_single (oracle, &asked);
  Search search = { .settings = settings, .oracle = oracle };
  gboolean is_ok = TRUE;
  AssayEvent *event = NULL;

  if (settings->score == EVENT_LIKELIHOOD && !has_density) {
    assay_error_set (error, ASSAY_ERROR_MISMATCH,
                     "score = likelihood: the defense does not offer the density of its outputs; "
                     "expected auto, or a score that is learned");
    return NULL;
  }
  for (guint side = 0; side < 2 && is_ok; side++) {
    search.outputs[side]
        = assay_alloc (training, assay_oracle_stride (oracle), "training runs", error);
    search.scores[side] = search.outputs[side] != NULL
                              ? assay_alloc (training, sizeof (double), "scores", error)
                              : NULL;
    is_ok = search.scores[side] != NULL;
  }
  if (is_ok)
    event = search_event (&search, error);
  if (event != NULL)
    event->n_pairs = count_candidates (&search);
  for (guint side = 0; side < 2; side++) {
    g_free (search.outputs[side]);
    g_free (search.scores[side]);
  }
  return event;
}

/* ---- Descriptor ---- */

static gboolean
play_control (const AssayAuditor *auditor, const AssayAuditContext *context,
              AssayControlOutcome *ret_outcome, GError **error)
{
  Distinguish cheap = *(const Distinguish *) context->settings;
  const AssayAuditContext changed = { .settings = &cheap, .stream = context->stream };

  cheap.runs = 20000;
  cheap.training = 20000;
  cheap.candidates = 0;
  return distinguish_control_play (auditor, &changed, cheap.score == EVENT_FINITE ? NAN : 1,
                                   ret_outcome, error);
}

static const char *
why_not (gconstpointer data, const AssayMechanism *mechanism)
{
  const Distinguish *settings = data;

  return settings->score == EVENT_LIKELIHOOD && !assay_mechanism_has_ratio (mechanism)
             ? "score = likelihood needs a defense that offers the density of its outputs"
             : NULL;
}

static gsize
most_runs (gconstpointer data)
{
  const Distinguish *settings = data;

  return (gsize) MAX (settings->runs, settings->training);
}

/* Features of one score and labels, and twice the training runs. */
ASSAY_MEMORY (memory, Distinguish,
              (64u << 20)
                  + 2 * (guint64) settings->training
                        * (MAX (shape->output_bytes, sizeof (float)) + sizeof (double)))

ASSAY_AUDITOR (distinguish, "distinguish",
  .summary = "Tell two neighbouring inputs of a mechanism apart by an event learned on its runs",
  .reference = { "Ding et al. 2018, Detecting Violations of Differential Privacy; Bichsel et al. "
                 "2021, DP-Sniper",
                 "event selection (StatDP); attacks from classifiers (DP-Sniper)" },
  ASSAY_SETTINGS (Distinguish,
    ASSAY_PARAM_INT (Distinguish, runs, 100000, 100, 1e12, "runs",
                     "Fresh runs on each side, on which the event is tested"),
    ASSAY_PARAM_INT (Distinguish, training, 100000, 100, 1e8, "runs",
                     "Runs on each side, on which the event is chosen; as many again are shared by "
                     "all pairs"),
    ASSAY_PARAM_CHOICE (Distinguish, score, EVENT_AUTO, scores,
                        "What outputs are ordered by; auto: likelihood where the density is known, "
                        "patterns where outputs are discrete enough, and otherwise whichever of "
                        "the others promises most on training runs",
                        ASSAY_PARAM_TRIES_ALL),
    ASSAY_PARAM_INT (Distinguish, candidates, 0, 0, 10000, "pairs",
                     "Pairs of neighbouring inputs that are tried, with at least 1000 runs on each "
                     "side (or `training`, if that is less): those of the defense, then those made "
                     "from its domain, then random ones; 0: all but the random ones"),
    ASSAY_PARAM_STRING (Distinguish, delta, claimed,
                        "delta that is audited: claimed, or a number that is at least 0 and less "
                        "than 1")),
  .check = check,
  .memory = memory,
  .reads = ASSAY_RELEASE_VECTORS | ASSAY_RELEASE_SUBSPACES | ASSAY_RELEASE_VECTOR_SETS
           | ASSAY_RELEASE_STATISTICS | ASSAY_RELEASE_CODES | ASSAY_RELEASE_GRAPH,
  .game = ASSAY_AUDIT_TWO_INPUTS,
  .choose_event = choose_event,
  .most_runs = most_runs,
  .delta = delta_under_audit,
  .why_not = why_not,
  .control = { .says = "a bit that is flipped with probability 1/4 is certified near its epsilon "
                       "of ln 3, and a fair coin is not",
               .play = play_control,
               .at_least = 0.8 });
