/* What an audit sees of a mechanism: pairs of neighbouring inputs, labelled runs on either of them
 * to train on, and the exact likelihood ratio where the mechanism knows its density. It returns an
 * event, which the distinguishing game (core/games/distinguish.h) tests on runs of its own.
 *
 * Mechanisms of other programs (AssayBatches) are asked for batches of runs, one after the other:
 * they can fail, and with them training and test. */
#pragma once

#include "core/plugin/mechanism.h"
#include "core/plugin/outputs.h"

G_BEGIN_DECLS

/* Runs are drawn in panels of so many, each from a stream of its own; those of another program in
 * batches, each from the stream of its first panel. */
#define ASSAY_PANEL_RUNS 1024

typedef enum {
  ASSAY_SIDE_FIRST,
  ASSAY_SIDE_SECOND,
} AssaySide;

/* Read by the auditor through the functions below. */
typedef struct {
  const AssayMechanism *mechanism;
  gconstpointer settings; /* the defense's */
  gsize cols;
  AssayStreamKey stream;
  AssayBudget claimed;
  double delta;    /* under audit */
  gsize n_inputs;  /* numbers in one input */
  gsize n_outputs; /* and in one output, */
  gboolean is_double; /* which are float64; else float32 */
  guint n_own;      /* pairs that the mechanism proposes; the first ones */
  guint n_proposed; /* those, and the ones made of its domain */
  gboolean draws_pairs; /* there are more, drawn at random */
  gboolean is_trusted;  /* none of them is beyond the domain, because the mechanism says so */
  gboolean (*is_cancelled) (gpointer data); /* asked now and then; NULL: never */
  gpointer cancel_data;
  gsize most_runs;    /* the auditor asks for so many at once, at most; 0: that cannot be told */
  guint *failed_pair; /* of another program: set where a batch fails; NULL: nobody asks */
  /* Of another program that failed: every run is a start of its own on this pair alone, and one
   * that fails is an output (assay_output_failed), at most so many runs a side to train and to
   * test on. 0: runs come in batches. */
  gsize single_training, single_runs;
  guint single_pair;
} AssayOracle;

/* @delta: of the audit; negative: the claimed one. */
AssayOracle assay_oracle (const AssayMechanism *mechanism, gconstpointer settings, gsize cols,
                          AssayStreamKey stream, double delta);

/* Neighbouring inputs number @pair, n_inputs numbers each. Equal numbers give equal inputs. Beyond
 * the proposed ones they are drawn, of the domain where one is declared. Fails where a mechanism
 * with batches does. */
gboolean assay_oracle_pair (const AssayOracle *oracle, guint pair, float *ret_first,
                            float *ret_second, GError **error);

/* Outputs of the oracle's type, as a view; and the bytes of one run of it. */
AssayOutputs assay_oracle_outputs (const AssayOracle *oracle, gconstpointer outputs);
gsize assay_oracle_stride (const AssayOracle *oracle);

/* Labelled runs on one input of @pair: @count of its training runs, from number @first on, which
 * is a multiple of ASSAY_PANEL_RUNS. */
typedef struct {
  guint pair;
  AssaySide side;
  gsize first, count;
} AssayTrainingRuns;

/* Their outputs, count x n_outputs of the oracle's type. The same numbers give the same runs,
 * whatever else was asked (in batches: the same first and count). In parallel. Fails where batches
 * do; and then with ASSAY_ERROR_CANCELLED too. */
gboolean assay_oracle_train (const AssayOracle *oracle, AssayTrainingRuns runs,
                             gpointer ret_outputs, GError **error);

/* The pair in words, for people. */
char *assay_oracle_describe_pair (const AssayOracle *oracle, guint pair, GError **error);

gboolean assay_oracle_has_density (const AssayOracle *oracle);
/* Whether the tight event is known at the delta under audit, and so what an audit could see. */
gboolean assay_oracle_has_tight_event (const AssayOracle *oracle);

/* What an auditor chose. */
typedef struct _AssayEvent AssayEvent;
struct _AssayEvent {
  guint pair;
  gboolean is_swapped; /* the event is one of the second input: its runs are the hits */
  guint64 runs;        /* fresh runs a side on which it is to be tested */
  guint64 trained_on;  /* labelled runs, of both sides and all pairs, that were looked at */
  guint n_pairs;       /* pairs that were tried, of the proposed ones the first; 0: its own alone */
  char *says;          /* "log-likelihood ratio at least 0.98" */
  char *python;        /* `event (y)` of what runner/store/formula.h allows; NULL: no formula */
  /* How many of @count <= ASSAY_PANEL_RUNS outputs are in the event; from several threads. */
  gsize (*count) (const AssayEvent *event, const AssayOracle *oracle, AssayOutputs outputs,
                  gsize count);
  gpointer data; /* what @count needs */
  GDestroyNotify free_data;
};

ASSAY_DECLARE_FREE (AssayEvent, assay_event_free)

/* ---- For the game that tests the event ---- */

/* What runs are drawn for. Each purpose has items of its own in the mechanism's stream. */
typedef enum {
  ASSAY_PURPOSE_PAIR,
  ASSAY_PURPOSE_TRAIN,
  ASSAY_PURPOSE_TEST,
  ASSAY_PURPOSE_PROBE, /* of independence (core/games/independence.h) */
} AssayPurpose;

/* What one of their batches is drawn for. */
typedef struct {
  const AssayOracle *oracle;
  const float *inputs; /* of both sides */
  AssayPurpose purpose;
  AssaySide side;
  guint pair;
} AssayOracleRuns;

/* The stream of @panel. */
AssayStream assay_oracle_stream (const AssayOracle *oracle, AssayPurpose purpose, AssaySide side,
                                 guint pair, guint64 panel);
/* Both inputs of a pair, one after the other; free with g_free. */
float *assay_oracle_inputs (const AssayOracle *oracle, guint pair, GError **error);
/* FALSE with ASSAY_ERROR_CANCELLED. */
gboolean assay_oracle_goes_on (const AssayOracle *oracle, GError **error);
/* @count runs of run_many from number @first on, which is a multiple of ASSAY_PANEL_RUNS. The
 * mechanism is asked for a whole batch, or most_runs of the oracle where these are fewer, whatever
 * the runs are for. */
gboolean assay_oracle_run_batch (const AssayOracleRuns *source, guint64 first, gsize count,
                                 gpointer ret_outputs, GError **error);
/* @count runs on @input of a mechanism without batches, drawn from @stream. */
void assay_oracle_run (const AssayOracle *oracle, AssayStream *stream, const float *input,
                       gsize count, gpointer ret_outputs);
/* ln p (output | first) - ln p (output | second) of the declared density, which there is. */
void assay_oracle_log_ratio (const AssayOracle *oracle, AssayInputPair pair, AssayOutputs outputs,
                             gsize count, double *ret_scores);

G_END_DECLS
