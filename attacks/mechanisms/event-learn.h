/* Learning a score and its cut from labelled runs, and choosing between scores. */
#pragma once

#include "attacks/mechanisms/event-cut.h"
#include "attacks/mechanisms/event-score.h"

/* @scores: room for @count numbers a side. */
typedef struct {
  const AssayOracle *oracle;
  guint pair;
  const float *inputs;     /* of the pair, one after the other */
  AssayOutputs outputs[2]; /* @count runs of either side */
  double *scores[2];
  gsize count;
  guint64 runs; /* on which the event is to be tested, a side */
  /* Whether this is one of several pairs, of which the best is looked at once more: a declared
   * density is doubted on some of the runs alone. */
  gboolean is_search;
} EventLesson;

/* A score of @kind, and the cut of it that promises most on runs that it was not fitted to.
 * EVENT_AUTO: of all kinds, the one that promises most; a later one in the order of their list has
 * to promise clearly more. */
EventScore *event_learn (const EventLesson *lesson, EventKind kind, EventCut *ret_cut,
                         GError **error);
