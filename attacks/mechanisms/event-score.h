/* Scores of outputs of a mechanism, on which an event of the distinguishing game is a threshold:
 * higher where the output rather came from the first input of its pair. Three makers. */
#pragma once

#include "core/plugin/plugin.h"

typedef struct {
  const char *what; /* "log-likelihood ratio" */
  /* Of @count <= ASSAY_PANEL_RUNS outputs. Called for every run, from several threads. */
  void (*score) (gconstpointer data, const AssayOracle *oracle, const float *outputs, gsize count,
                 double *ret_scores);
  gpointer data;
  GDestroyNotify free_data;
} EventScore;

/* Labelled runs to learn from: count x cols on each of the two inputs. */
typedef struct {
  const float *outputs[2];
  gsize count;
  gsize cols;
} EventSample;

/* The exact log-likelihood ratio, of an oracle that has a density. */
EventScore *event_score_likelihood (const AssayOracle *oracle, guint pair, GError **error);

/* Whole rows that occur: the log ratio of how often each of them did. NULL without an error where
 * the outputs are not discrete enough for that. */
EventScore *event_score_patterns (const EventSample *sample);

/* Logistic regression on standardised values and indicators of values and quantile bins. */
EventScore *event_score_classifier (const EventSample *sample, GError **error);

void event_score_free (EventScore *score);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (EventScore, event_score_free)

/* Scores of any number of outputs, in parallel. ASSAY_ERROR_NUMERIC naming the run where one of
 * them is not a number. */
gboolean event_score_all (const EventScore *score, const AssayOracle *oracle, const float *outputs,
                          gsize count, double *ret_scores, GError **error);

/* A whole row as one 64-bit number, and the order of all float32 as that of whole numbers: -0 is
 * 0, and every NaN the same largest number. */
guint64 event_score_hash (const float *row, gsize cols);
guint32 event_score_key (float value);
