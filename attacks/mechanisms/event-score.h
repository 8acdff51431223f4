/* Scores of outputs of a mechanism, on which an event of the distinguishing game is a threshold:
 * higher where the output rather came from the first input of its pair. A maker a kind. */
#pragma once

#include "core/plugin/plugin.h"

typedef enum {
  EVENT_AUTO, /* what promises most */
  EVENT_LIKELIHOOD,
  EVENT_PATTERNS,
  EVENT_CLASSIFIER,
  EVENT_TREES,
  EVENT_REPEATS,
  EVENT_TAILS,
  EVENT_DIGITS,
  EVENT_ORDER,
  EVENT_FINITE,
  EVENT_BITS,
} EventKind;

typedef struct {
  const char *what; /* "log-likelihood ratio" */
  /* Of @count <= ASSAY_PANEL_RUNS outputs. Called for every run, from several threads. */
  void (*score) (gconstpointer data, const AssayOracle *oracle, AssayOutputs outputs, gsize count,
                 double *ret_scores);
  gpointer data;
  GDestroyNotify free_data;
  /* The formula, its largest terms first, with columns y1, y2, ...; NULL: it has none. */
  char *(*describe) (gconstpointer data);
  /* The whole formula as the body of a function `score (y)` in Python, for witnesses
   * (runner/witness/witness-files.h): y is runs x columns, `key` and `row_hash` are as here. NULL:
   * it has none. */
  char *(*python) (gconstpointer data);
  gboolean is_learned; /* from runs, and no formula of the mechanism's */
} EventScore;

/* Labelled runs to learn from: count x cols on each of the two inputs, which are known. */
typedef struct {
  AssayOutputs outputs[2];
  gsize count;
  gsize cols;
  const float *inputs; /* of both sides, one after the other */
  gsize n_inputs;
  double epsilon; /* that is claimed */
} EventSample;

/* The exact log-likelihood ratio, of an oracle that has a density. */
EventScore *event_score_likelihood (const AssayOracle *oracle, guint pair, GError **error);

/* Whole rows that occur: the log ratio of how often each of them did. NULL without an error where
 * the outputs are not discrete enough for that. */
EventScore *event_score_patterns (const EventSample *sample);

/* Logistic regression on standardised values and indicators of values and quantile bins. */
EventScore *event_score_classifier (const EventSample *sample, GError **error);

/* Boosted trees over the combinations of columns; of two columns or more. */
EventScore *event_score_trees (const EventSample *sample, GError **error);

/* Values of a column, and whole rows, that occur more than once. */
EventScore *event_score_repeats (const EventSample *sample, GError **error);

/* What outputs have in common with others: how far out in its tails a column is (EVENT_TAILS), its
 * low digits (EVENT_DIGITS), how columns compare (EVENT_ORDER: of two or more), which of them are
 * not finite (EVENT_FINITE), what their lowest bits give away (EVENT_BITS). */
EventScore *event_score_tables (EventKind kind, const EventSample *sample, GError **error);

ASSAY_DECLARE_FREE (EventScore, event_score_free)

/* Scores of any number of outputs, in parallel. ASSAY_ERROR_NUMERIC naming the run where one of
 * them is not a number, but of outputs that are not finite: these have the score 0 then, as a
 * density need not know them. */
gboolean event_score_all (const EventScore *score, const AssayOracle *oracle, AssayOutputs outputs,
                          gsize count, double *ret_scores, GError **error);

/* A whole row as one 64-bit number: -0 and 0 are two values, all NaN are one. */
guint64 event_score_hash (AssayOutputs outputs, gsize run);
/* The key (core/plugin/outputs.h) of a column of a run. */
static inline guint64
event_key_at (AssayOutputs outputs, gsize run, gsize column)
{
  return assay_output_key (assay_output_at (outputs, run, column));
}
/* In ascending order. */
void event_sort_keys (guint64 *keys, gsize n);
/* As few digits as tell it from all others of its kind: a float32 or a double. */
char *event_number (double value);

/* A term of a score's formula: what it adds, and where. */
typedef struct {
  double weight;
  char *where; /* "where y1 = 3" */
} EventTerm;

/* An array of them, which frees what it holds; and the largest of them as a text. @more: terms that
 * are smaller than all of the array. */
#define EVENT_MOST_TERMS 4
GArray *event_terms_new (void);
void event_terms_add (GArray *terms, double weight, char *where);
char *event_terms_join (GArray *terms, gsize more);

/* A row as a place in a formula: "where the row is (0, 3)". */
char *event_where_row (AssayOutputs outputs, gsize run);
