/* What a run found, made from its store alone: the one thing that reports see. Numbers are those of
 * results.json. */
#pragma once

#include "core/stats/interval.h"
#include "runner/plan/plan.h"
#include "runner/plan/sheet.h"
#include "runner/run/audit.h"
#include "runner/store/store.h"

G_BEGIN_DECLS

typedef struct {
  const AssayMeasure *measure; /* name, unit, direction, range */
  AssayInterval interval;
  double confidence;
  const AssaySettings *settings; /* the metric's */
} AssayMeasurement;

/* One side of a cell: borrowed from the plan. */
typedef struct {
  guint index; /* among the plan's parts of its kind */
  const char *label;
  const char *name; /* label and the settings that vary under it, for people */
  const char *plugin;
  const AssaySettings *settings;
} AssayResultPart;

typedef struct {
  char *id;
  gint64 trial; /* -1: pooled over trials */
  AssayCellStatus status;
  char *message; /* "" where there is nothing to say */
  double seconds;
  const char *dataset_sha256;
  AssayResultPart dataset;
  AssayResultPart defense;
  AssayResultPart player; /* the attack or the utility */
  gboolean is_utility;
  guint grants;           /* of an attack */
  GArray *measurements; /* AssayMeasurement */
  GPtrArray *left_out;  /* strings: "MEASURE is left out: WHY" */
  AssayAuditRecord *audit; /* of a trial's game with the mechanism itself, or NULL */
} AssayResultCell;

/* A cell that did not end well. */
typedef struct {
  const AssayCell *cell;
  AssayCellStatus status;
  const char *message; /* "" where there is nothing to say */
} AssayResultBad;

/* What tuning tried for one attack against one defense. */
typedef struct {
  AssayResultPart defense;
  AssayResultPart attack; /* settings: the chosen ones */
  const char *measure;
  guint64 secrets;
  guint chosen;
  guint n_candidates;
  const GPtrArray *candidates; /* AssaySettings */
  double *estimates;
} AssayResultTuning;

typedef struct {
  AssayResultPart attack;
  const char *says;
  gboolean is_won;
  double share;
  double at_least;
  guint64 n;
} AssayResultControl;

typedef enum {
  ASSAY_VERDICT_UPHELD,
  ASSAY_VERDICT_VIOLATED,
  ASSAY_VERDICT_UNREFUTED,
  ASSAY_VERDICT_INCONCLUSIVE,
} AssayVerdict;

/* The multiple of a claimed epsilon at which the power of an audit is stated. */
#define ASSAY_POWER_AT 1.5

/* One pooled cell that a claim is about: one hypothesis. */
typedef struct {
  const AssayResultCell *cell;
  double bound;           /* the claim's, or what this cell's defense claims */
  double delta;           /* that epsilon was audited at; 0 for other measures */
  AssayInterval interval; /* at the claim's confidence */
  double p_violated;      /* and after Holm's correction over the scenario's hypotheses: */
  double adjusted_violated;
  double p_upheld;
  double adjusted_upheld;
  double detectable;   /* the smallest breach that this many secrets could have shown; of epsilon
                        * the largest that so many runs could have certified */
  double units_needed; /* in all, to decide at the present estimate; 0: no number would */
  double power;        /* of epsilon: to see ASSAY_POWER_AT times the bound; NAN: not known */
  char *why_not;       /* why it decides nothing, or NULL */
  gboolean is_silent;  /* the attack has no control, or looked at a part only: that it recovered
                        * little decides nothing */
} AssayResultHypothesis;

/* The unit that shows a violation best. */
typedef struct {
  gboolean is_set;
  char *cell; /* id */
  gint64 trial;
  guint64 secret; /* its number within the cell */
  double outcome; /* of the secret; of an audit: its lower bound */
  AssayAuditRecord *audit; /* of the cell; NULL: the witness is a secret */
} AssayResultWitness;

typedef struct {
  const AssayClaim *claim;
  AssayVerdict verdict;
  char *reason;
  GArray *hypotheses; /* AssayResultHypothesis */
  gint decisive;      /* which of them the claim's own numbers come from; -1: none */
  AssayResultWitness witness;
} AssayResultClaim;

/* One column of a contact sheet. */
typedef struct {
  AssayShownRole role;
  const AssayResultCell *cell; /* of an original the first of its dataset, of what was released the
                                * first of its defense */
  char *says;       /* "recovered by nearest from lifting dimension=4" */
  GPtrArray *tiles; /* of AssayTile: one a row of the sheet; NULL: no picture */
} AssayResultColumn;

typedef struct {
  const AssaySheet *sheet;
  GPtrArray *columns; /* of AssayResultColumn; none: no cell had a picture */
  gsize n_rows;       /* units 0 .. n_rows - 1 of trial 0 */
} AssayResultSheet;

/* Cells of single trials may be a hundred thousand: they stay in the store, and are read one after
 * another when they are asked for. */
typedef struct {
  const AssayPlan *plan; /* title, seed, skipped pairs */
  AssayStore *store;     /* where the cells are; borrowed */
  gsize n_cells;         /* that were run */
  GArray *bad;           /* AssayResultBad, in the order of the plan */
  GStringChunk *messages; /* of these */
  GPtrArray *pooled;     /* AssayResultCell, in the order of the plan */
  GPtrArray *shown;      /* AssayResultCell: those of the sheets */
  GArray *tunings;       /* AssayResultTuning */
  GArray *controls;      /* AssayResultControl */
  GPtrArray *claims;     /* AssayResultClaim */
  GPtrArray *sheets;     /* AssayResultSheet, in the order of the scenario */
  GPtrArray *hashes;     /* of the datasets, strings or NULL */
  gsize n_missing;       /* cells of an unfinished run */
} AssayResults;

/* Borrows both. */
AssayResults *assay_results_load (const AssayPlan *plan, AssayStore *store, GError **error);
void assay_results_free (AssayResults *results);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (AssayResults, assay_results_free)

/* Cell @index of the plan as it was found; NULL in @ret_cell: it has not been run. @is_measured:
 * with its measurements and audit, which take longest. */
gboolean assay_results_cell (const AssayResults *results, gsize index, gboolean is_measured,
                             AssayResultCell **ret_cell, GError **error);
void assay_result_cell_free (AssayResultCell *cell);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (AssayResultCell, assay_result_cell_free)
/* What was counted in one; NULL in @ret_audit: it was no audit, or has not been run. */
gboolean assay_results_audit (const AssayResults *results, gsize index,
                              AssayAuditRecord **ret_audit, GError **error);

void assay_result_claim_free (AssayResultClaim *claim);
const char *assay_verdict_name (AssayVerdict verdict);
const char *assay_cell_status_name (AssayCellStatus status);
/* The bound of the decisive hypothesis; without one the claim's own, NAN where each defense claims
 * its own. */
double assay_result_claim_bound (const AssayResultClaim *result);
/* The measurement called @name, or NULL. */
const AssayMeasurement *assay_result_find (const AssayResultCell *cell, const char *name);

/* Of an attack that looked at a part only of what it was given, the measurement that says so (a
 * reach below 1); NULL: none does. */
const AssayMeasurement *assay_result_short_reach (const AssayResultCell *cell);

/* Whether its attack has no control to win (a guess that was made elsewhere): what it did not
 * recover shows nothing. */
gboolean assay_result_lacks_control (const AssayPlan *plan, const AssayResultCell *cell);

G_END_DECLS
