/* What a run reads beside its plan stays the same while it lasts, by its content: otherwise one
 * table would mix two audits. ASSAY_ERROR_DATA names what changed. */
#pragma once

#include "runner/run/workspace.h"
#include "runner/store/records.h"

/* Dataset @index, which is opened. With @is_new it is taken down where the store does not know
 * it. */
gboolean assay_inputs_check_data (AssayWorkspace *workspace, AssayStore *store, guint index,
                                  gboolean is_new, GError **error);
/* The files that defenses and attacks name as their programs. */
gboolean assay_inputs_check_programs (const AssayPlan *plan, AssayStore *store, gboolean is_new,
                                      GError **error);
/* Before a run goes on, when no cell that is done opens its data again: the data that the store
 * knows, programs, and external folders. */
gboolean assay_inputs_check (const AssayPlan *plan, AssayWorkspace *workspace, AssayStore *store,
                             gboolean is_finished, GError **error);
