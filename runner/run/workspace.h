/* What the cells of a run share: the open dataset, the secrets of a trial, the release of a
 * defense. Each is made when a cell first needs it. Data and releases are shared work
 * (core/base/shared-work.h): what the cell at hand needs is held; an open dataset stays while there
 * is room, a release until the cells move on. */
#pragma once

#include "runner/plan/order.h"
#include "runner/plan/plan.h"
#include "runner/run/steps.h"

typedef struct _AssayWorkspace AssayWorkspace;

AssayWorkspace *assay_workspace_new (const AssayPlan *plan);
ASSAY_DECLARE_FREE (AssayWorkspace, assay_workspace_free)
/* From the beginning on, datasets are those that other workspaces with this owner
 * (assay_shared_owner) opened with the same settings, where they did: files are not looked at
 * again. */
void assay_workspace_share_data (AssayWorkspace *workspace, guint64 owner);

/* What a cell works on. Borrowed until the next call. */
typedef struct {
  const AssayKnowledge *knowledge;
  const AssayDataset *dataset;
  const gint64 *groups; /* of what is released, or NULL */
  const AssayRelease *release;
  const AssayTruth *truth;
} AssayJob;

/* Opens dataset @index and checks that its pool is large enough for the plan. @ret_sha256 is
 * borrowed. */
gboolean assay_workspace_dataset (AssayWorkspace *workspace, guint index, const char **ret_sha256,
                                  GError **error);
/* A cell's secrets before they are protected. Borrowed until the next call. */
gboolean assay_workspace_secrets (AssayWorkspace *workspace, const AssayCell *cell,
                                  AssaySecrets *ret_secrets, GError **error);
/* Which of the secrets of all trials of the cell's dataset are units, and the place of this trial's
 * first one among them. Borrowed until the next call. */
gboolean assay_workspace_units (AssayWorkspace *workspace, const AssayCell *cell,
                                const AssayUnits **ret_units, gsize *ret_first, GError **error);
/* The protected secrets of a cell. */
gboolean assay_workspace_cell (AssayWorkspace *workspace, const AssayCell *cell,
                               AssayJob *ret_job, GError **error);
/* The same for the secrets set apart for tuning; assay_workspace_end_tuning lets go of the release,
 * which another attack on the same defense will find again while there is room. */
gboolean assay_workspace_tuning (AssayWorkspace *workspace, const AssayCell *cell,
                                 AssayJob *ret_job, GError **error);

/* What the attack of the cell, with @settings, is granted against the release of one of the two
 * calls above, which came before: makes further releases where it is granted some and wants them.
 * Borrowed until the next call. */
gboolean assay_workspace_grant (AssayWorkspace *workspace, const AssayCell *cell,
                                const AssaySettings *settings, gboolean is_tuning,
                                AssayGranted *ret_granted, GError **error);

/* Makes the release that the cell attacks again, unless that took longer than @most_seconds, and
 * says whether it is the same to the bit. */
gboolean assay_workspace_replay (AssayWorkspace *workspace, const AssayCell *cell,
                                 double most_seconds, gboolean *ret_is_same, GError **error);

void assay_workspace_end_tuning (AssayWorkspace *workspace);
