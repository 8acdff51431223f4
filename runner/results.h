/* What a run found, made from its store alone: the one thing that reports see. Numbers are those of
 * results.json. */
#pragma once

#include "core/interval.h"
#include "runner/plan.h"
#include "runner/store.h"

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
  AssayResultPart attack;
  guint grants;
  GArray *measurements; /* AssayMeasurement */
} AssayResultCell;

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

/* One pooled cell that a claim is about: one hypothesis. */
typedef struct {
  const AssayResultCell *cell;
  AssayInterval interval; /* at the claim's confidence */
  double p_violated;      /* and after Holm's correction over the scenario's hypotheses: */
  double adjusted_violated;
  double p_upheld;
  double adjusted_upheld;
  double detectable;   /* the smallest breach that this many secrets could have shown */
  double units_needed; /* in all, to decide at the present estimate; 0: no number would */
  char *why_not;       /* why it decides nothing, or NULL */
} AssayResultHypothesis;

/* The unit that shows a violation best. */
typedef struct {
  gboolean is_set;
  char *cell; /* id */
  gint64 trial;
  guint64 secret; /* its number within the cell */
  double outcome;
} AssayResultWitness;

typedef struct {
  const AssayClaim *claim;
  AssayVerdict verdict;
  char *reason;
  GArray *hypotheses; /* AssayResultHypothesis */
  gint decisive;      /* which of them the claim's own numbers come from; -1: none */
  AssayResultWitness witness;
} AssayResultClaim;

typedef struct {
  const AssayPlan *plan; /* title, seed, skipped pairs */
  GPtrArray *cells;      /* AssayResultCell, in the order of the plan */
  GPtrArray *pooled;
  GArray *tunings;       /* AssayResultTuning */
  GArray *controls;      /* AssayResultControl */
  GPtrArray *claims;     /* AssayResultClaim */
  GPtrArray *hashes;     /* of the datasets, strings or NULL */
  gsize n_missing;       /* cells of an unfinished run */
} AssayResults;

AssayResults *assay_results_load (const AssayPlan *plan, AssayStore *store, GError **error);
void assay_results_free (AssayResults *results);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (AssayResults, assay_results_free)

void assay_result_claim_free (AssayResultClaim *claim);
const char *assay_verdict_name (AssayVerdict verdict);
const char *assay_cell_status_name (AssayCellStatus status);
/* The measurement called @name, or NULL. */
const AssayMeasurement *assay_result_find (const AssayResultCell *cell, const char *name);

G_END_DECLS
