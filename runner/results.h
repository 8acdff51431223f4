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

typedef struct {
  const AssayPlan *plan; /* title, seed, skipped pairs */
  GPtrArray *cells;      /* AssayResultCell, in the order of the plan */
  GPtrArray *pooled;
  GArray *tunings;       /* AssayResultTuning */
  GArray *controls;      /* AssayResultControl */
  GPtrArray *hashes;     /* of the datasets, strings or NULL */
  gsize n_missing;       /* cells of an unfinished run */
} AssayResults;

AssayResults *assay_results_load (const AssayPlan *plan, AssayStore *store, GError **error);
void assay_results_free (AssayResults *results);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (AssayResults, assay_results_free)

const char *assay_cell_status_name (AssayCellStatus status);
/* The measurement called @name, or NULL. */
const AssayMeasurement *assay_result_find (const AssayResultCell *cell, const char *name);

G_END_DECLS
