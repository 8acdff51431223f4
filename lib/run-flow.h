/* From a plan to a folder of results: the steps that the program and the library both take, in this
 * order. What is said meanwhile, and what is made of the results, is their own.
 *
 *   open_data     what is wrong with the data is told before a folder is made
 *   open_folder
 *   begin         inputs and claims are those of the run that is resumed; confinement and kernels
 *                 are put down
 *   cells         by this process, or by workers
 *   judge         results, of the plan and the store alone
 *   write         reports
 *   assay_folder_finish */
#pragma once

#include "runner/judge/results.h"
#include "runner/run/run.h"
#include "runner/run/workspace.h"
#include "runner/store/folder.h"
#include "runner/workers/transport.h"

typedef struct {
  const AssayPlan *plan;
  const char *out;    /* as it was asked for; NULL: the default place */
  const char *place;  /* of the results */
  guint64 data_owner; /* of what runs of this process share (core/base/shared-work.h) */
  gboolean resume;
  gboolean accepts_changed_claims;
} AssayRunTerms;

typedef struct {
  AssayRunTerms terms;
  AssayWorkspace *workspace;
  AssayFolder folder;
  gint64 started_us;
  gboolean has_other_kernels; /* the run was begun with other kernels of linear algebra */
} AssayRunFlow;

/* How much shared work may take beside the cells of each of @plans (of AssayPlan), run one after
 * another by @n_processes: @wanted bytes, or with G_MAXUINT64 what there is room for.
 * ASSAY_ERROR_MEMORY. */
gboolean assay_run_set_budget (const GPtrArray *plans, guint n_processes, guint64 wanted,
                               GError **error);

void assay_run_flow_init (const AssayRunTerms *terms, AssayRunFlow *flow);
ASSAY_DECLARE_CLEAR (AssayRunFlow, assay_run_flow_clear)

/* *ret_sha256 is that of the first dataset, and the workspace's; NULL where a run goes on, which
 * may need none. */
gboolean assay_run_flow_open_data (AssayRunFlow *flow, const char **ret_sha256, GError **error);
gboolean assay_run_flow_open_folder (AssayRunFlow *flow, GError **error);
gboolean assay_run_flow_begin (AssayRunFlow *flow, GError **error);
/* @workers: NULL, this process runs them. */
gboolean assay_run_flow_cells (AssayRunFlow *flow, AssayTransport *workers,
                               const AssayRunCallbacks *callbacks, AssayRunEnd *ret_end,
                               GError **error);
AssayResults *assay_run_flow_judge (const AssayRunFlow *flow, GError **error);
/* @is_whole: all cells were run, and times are put down. */
gboolean assay_run_flow_write (AssayRunFlow *flow, const AssayResults *results, gboolean is_whole,
                               GError **error);
