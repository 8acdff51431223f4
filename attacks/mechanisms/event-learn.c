/* Learning a score and its cut.
 *
 * On half of the runs a score is fitted (the exact likelihood ratio needs no fit), on the other
 * half the threshold is chosen that promises the largest lower bound (event-cut.h).
 *
 * No score beats the likelihood ratio of the density that the code has. What a mechanism declares
 * may be another one: learned scores are tried beside it, and one of them is taken where it
 * promises clearly more. While pairs are compared they are tried on a part of the runs first, and
 * on all where one of them does better there: on all at once they took most of the time of an audit
 * of a million runs. Of the pair that was chosen they see all runs, so that a rare leak is not
 * missed.
 *
 * Where outputs are discrete enough for whole rows to be counted (patterns), no other learned score
 * sees more than these counts do. Otherwise all of them are tried: the classifier, which is
 * additive over columns, and those that see what it is blind to. */
#include "attacks/mechanisms/event-learn.h"

#include <float.h>
#include <math.h>

#include "core/base/interrupt.h"

/* What a later score promises varies, and it takes longer: it has to be so much better. */
#define CLEARLY 1.1
#define CLEARLY_MORE 0.02
#define CLEARLY_EVIDENT 2.0 /* standard deviations, where nothing is promised */

/* Of pairs that are compared, a declared density is doubted on one run in so many, and on so many
 * of them at least. */
#define DOUBT_FRACTION 5
#define LEAST_DOUBT 2000

/* A score of one kind, learned from @sample if it has to be. NULL without an error: patterns, of
 * outputs that are not discrete enough. */
static EventScore *
make_score (const EventLesson *lesson, EventKind kind, const EventSample *sample, GError **error)
{
  switch (kind) {
  case EVENT_LIKELIHOOD:
    return event_score_likelihood (lesson->oracle, lesson->pair, error);
  case EVENT_PATTERNS:
    return event_score_patterns (sample);
  case EVENT_TREES:
    return event_score_trees (sample, error);
  case EVENT_REPEATS:
    return event_score_repeats (sample, error);
  case EVENT_TAILS:
  case EVENT_DIGITS:
  case EVENT_ORDER:
  case EVENT_FINITE:
  case EVENT_BITS:
    return event_score_tables (kind, sample, error);
  case EVENT_AUTO:
  case EVENT_CLASSIFIER:
    break;
  }
  return event_score_classifier (sample, error);
}

static EventScore *
learn_kind (const EventLesson *lesson, EventKind kind, EventCut *ret_cut, GError **error)
{
  const AssayOracle *oracle = lesson->oracle;
  const gsize fitted = kind == EVENT_LIKELIHOOD ? 0 : lesson->count / 2;
  const gsize left = lesson->count - fitted;
  const EventSample sample = { .outputs = { lesson->outputs[0], lesson->outputs[1] },
                               .count = fitted,
                               .cols = oracle->n_outputs,
                               .inputs = lesson->inputs,
                               .n_inputs = oracle->n_inputs,
                               .epsilon = oracle->claimed.epsilon };
  g_autoptr (EventScore) score
      = assay_interrupt_goes_on (error) ? make_score (lesson, kind, &sample, error) : NULL;

  for (guint side = 0; score != NULL && side < 2; side++)
    if (!event_score_all (score, oracle, assay_outputs_from (lesson->outputs[side], fitted), left,
                          lesson->scores[side], error))
      return NULL;
  if (score != NULL)
    *ret_cut = event_cut_choose (lesson->scores[0], lesson->scores[1], left, lesson->runs,
                                 oracle->delta);
  return g_steal_pointer (&score);
}

/* The score that was asked for. */
static EventScore *
learn_named (const EventLesson *lesson, EventKind kind, EventCut *ret_cut, GError **error)
{
  GError *why = NULL;
  EventScore *score = learn_kind (lesson, kind, ret_cut, &why);

  if (score == NULL && why == NULL)
    assay_error_set (&why, ASSAY_ERROR_MISMATCH,
                     "score = patterns: pair %u puts out too many different values in %zu training "
                     "runs; expected at most one in 50 runs",
                     lesson->pair, lesson->count / 2 * 2);
  if (why != NULL)
    g_propagate_error (error, why);
  return score;
}

/* ---- Choosing ---- */

typedef struct {
  EventScore *score;
  EventCut cut;
} Learned;

static gboolean
promises_clearly_more (const EventCut *cut, const EventCut *best)
{
  if (cut->bound > CLEARLY * best->bound + CLEARLY_MORE)
    return TRUE;
  if (best->threshold == -DBL_MAX)
    return cut->threshold != -DBL_MAX;
  return best->bound == 0 && cut->bound == 0 && cut->evidence > best->evidence + CLEARLY_EVIDENT;
}

/* What cannot be learned is passed over, and nothing is where nothing could promise more. */
static void
try_kind (const EventLesson *lesson, EventKind kind, Learned *inout_best)
{
  const gsize left = lesson->count - lesson->count / 2;
  EventCut cut = { .bound = event_cut_most (left, lesson->runs, lesson->oracle->delta) };
  EventScore *score;

  if (!promises_clearly_more (&cut, &inout_best->cut))
    return;
  score = learn_kind (lesson, kind, &cut, NULL);
  if (score == NULL || !promises_clearly_more (&cut, &inout_best->cut)) {
    event_score_free (score);
    return;
  }
  event_score_free (inout_best->score);
  *inout_best = (Learned){ score, cut };
}

static gboolean
is_all_finite (const EventLesson *lesson)
{
  for (guint side = 0; side < 2; side++)
    for (gsize i = 0; i < lesson->count; i++)
      for (gsize j = 0; j < lesson->oracle->n_outputs; j++)
        if (!isfinite (assay_output_at (lesson->outputs[side], i, j)))
          return FALSE;
  return TRUE;
}

/* Every score that is learned, beside @inout_best. */
static void
try_learned (const EventLesson *lesson, Learned *inout_best)
{
  static const EventKind further[]
      = { EVENT_TREES, EVENT_REPEATS, EVENT_TAILS, EVENT_DIGITS, EVENT_ORDER };
  Learned counted = { NULL, { 0 } };

  counted.score = learn_kind (lesson, EVENT_PATTERNS, &counted.cut, NULL);
  if (counted.score != NULL) {
    if (promises_clearly_more (&counted.cut, &inout_best->cut)) {
      event_score_free (inout_best->score);
      *inout_best = counted;
    } else {
      event_score_free (counted.score);
    }
    return;
  }
  try_kind (lesson, EVENT_CLASSIFIER, inout_best);
  for (gsize k = 0; k < G_N_ELEMENTS (further); k++)
    try_kind (lesson, further[k], inout_best);
  if (lesson->oracle->is_double)
    try_kind (lesson, EVENT_BITS, inout_best);
  if (!is_all_finite (lesson))
    try_kind (lesson, EVENT_FINITE, inout_best);
}

/* Whether some of the runs give a reason to doubt the density, which promises @declared. */
static gboolean
is_doubtful (const EventLesson *lesson, const EventCut *declared)
{
  EventLesson some = *lesson;
  Learned best = { NULL, *declared };
  gboolean is_beaten;

  some.count = MIN (lesson->count, MAX (lesson->count / DOUBT_FRACTION, LEAST_DOUBT));
  try_learned (&some, &best);
  is_beaten = best.score != NULL;
  event_score_free (best.score);
  return is_beaten;
}

EventScore *
event_learn (const EventLesson *lesson, EventKind kind, EventCut *ret_cut, GError **error)
{
  const EventCut nothing = { .threshold = -DBL_MAX, .bound = -1, .evidence = -DBL_MAX };
  Learned best = { NULL, nothing };

  /* Few runs of a program that fails: whether it does. */
  if (kind == EVENT_AUTO && lesson->oracle->single_runs > 0)
    kind = EVENT_FINITE;
  if (kind != EVENT_AUTO)
    return learn_named (lesson, kind, ret_cut, error);
  if (assay_oracle_has_density (lesson->oracle)) {
    best.score = learn_kind (lesson, EVENT_LIKELIHOOD, &best.cut, error);
    if (best.score == NULL)
      return NULL;
    if (!lesson->is_search || is_doubtful (lesson, &best.cut))
      try_learned (lesson, &best);
  } else {
    try_learned (lesson, &best);
  }
  if (!assay_interrupt_goes_on (error))
    g_clear_pointer (&best.score, event_score_free);
  else if (best.score == NULL)
    assay_error_set (error, ASSAY_ERROR_NUMERIC, "no score could be learned from the outputs");
  *ret_cut = best.cut;
  return best.score;
}
