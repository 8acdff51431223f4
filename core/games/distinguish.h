/* The distinguishing game: two neighbouring inputs, fresh runs of a mechanism on each, an event
 * that an attack chose on runs of its own, and counts on runs that nobody has seen.
 *
 * The attack gets an oracle: pairs of neighbouring inputs, labelled runs on either of them to train
 * on, and the exact likelihood ratio where the mechanism knows its density. It returns an event.
 * The game alone then draws the runs on which that event is tested; they come from other items of
 * the mechanism's stream, so that nothing chosen by looking at data is ever tested on them. Memory
 * does not depend on the number of runs.
 *
 * Mechanisms of other programs (run_many) are asked for batches of runs, one after the other: they
 * can fail, and with them training and test. */
#pragma once

#include "core/plugin/mechanism.h"
#include "core/stats/epsilon.h"

G_BEGIN_DECLS

/* Runs are drawn in panels of so many, each from a stream of its own; those of run_many in batches,
 * each from the stream of its first panel. */
#define ASSAY_PANEL_RUNS 1024

typedef enum {
  ASSAY_SIDE_FIRST,
  ASSAY_SIDE_SECOND,
} AssaySide;

/* Read by the attack through the functions below. */
typedef struct {
  const AssayMechanism *mechanism;
  gconstpointer settings; /* the defense's */
  gsize cols;
  AssayStreamKey stream;
  AssayBudget claimed;
  double delta;    /* under audit */
  gsize n_inputs;  /* numbers in one input */
  gsize n_outputs; /* and in one output */
  guint n_proposed;
  gboolean (*is_cancelled) (gpointer data); /* asked now and then; NULL: never */
  gpointer cancel_data;
} AssayOracle;

/* @delta: of the audit; negative: the claimed one. */
AssayOracle assay_oracle (const AssayMechanism *mechanism, gconstpointer settings, gsize cols,
                          AssayStreamKey stream, double delta);

/* Neighbouring inputs number @pair, n_inputs numbers each. Equal numbers give equal inputs. Fails
 * where a mechanism with load_pair does. */
gboolean assay_oracle_pair (const AssayOracle *oracle, guint pair, float *ret_first,
                            float *ret_second, GError **error);

/* @count labelled runs (count x n_outputs) on one input of @pair, of its training runs those from
 * number @first on; @first is a multiple of ASSAY_PANEL_RUNS. The same numbers give the same
 * runs, whatever else was asked (of run_many: the same @first and @count). In parallel. Fails where
 * run_many does; and then with ASSAY_ERROR_CANCELLED too. */
gboolean assay_oracle_train (const AssayOracle *oracle, guint pair, AssaySide side, gsize first,
                             gsize count, float *ret_outputs, GError **error);

gboolean assay_oracle_has_density (const AssayOracle *oracle);
/* ln p (output | first) - ln p (output | second), for oracles that have a density. */
void assay_oracle_log_ratio (const AssayOracle *oracle, guint pair, const float *outputs,
                             gsize count, double *ret_scores);

/* What an attack chose. */
typedef struct _AssayEvent AssayEvent;
struct _AssayEvent {
  guint pair;
  gboolean is_swapped; /* the event is one of the second input: its runs are the hits */
  guint64 runs;        /* fresh runs a side on which it is to be tested */
  guint64 trained_on;  /* labelled runs, of both sides and all pairs, that were looked at */
  char *says;          /* "log-likelihood ratio at least 0.98" */
  /* How many of @count <= ASSAY_PANEL_RUNS outputs are in the event; from several threads. */
  gsize (*count) (const AssayEvent *event, const AssayOracle *oracle, const float *outputs,
                  gsize count);
  gpointer data; /* what @count needs */
  GDestroyNotify free_data;
};

void assay_event_free (AssayEvent *event);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (AssayEvent, assay_event_free)

/* Tests @event on its fresh runs; the counts do not depend on the number of threads. Fails where
 * the mechanism does, and with ASSAY_ERROR_CANCELLED. */
gboolean assay_distinguish (const AssayOracle *oracle, const AssayEvent *event,
                            AssayAudit *ret_audit, GError **error);

G_END_DECLS
