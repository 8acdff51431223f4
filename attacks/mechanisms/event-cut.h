/* Where a score is cut so that the outputs above (or below) make the event of a distinguishing game
 * that promises the largest lower bound on epsilon. */
#pragma once

#include <glib.h>

typedef struct {
  double threshold;
  gboolean is_swapped; /* FALSE: scores at or above it, an event of the first input; TRUE: below */
  double bound;        /* on epsilon that is promised; 0: none */
  double evidence;     /* that the event tells anything: a normal deviate */
} EventCut;

/* Sorts the @n >= 1 scores of either side, and picks among at most about 500 cuts the one that
 * promises most on @runs further runs a side at @delta. Where all scores are equal, every output is
 * in the event. */
EventCut event_cut_choose (double *first, double *second, gsize n, guint64 runs, double delta);

/* What a cut promises at most: one that tells all @n runs a side apart. */
double event_cut_most (gsize n, guint64 runs, double delta);

/* Whether @cut promises more than @other. */
gboolean event_cut_is_better (const EventCut *cut, const EventCut *other);
