/* Contact sheets: which pictures of a run a scenario asks for, by its groups [pictures NAME].
 *
 * The pictures are made and stored while a cell is run (runner/run/show.h), as the guess is at hand
 * then. What a run stores depends on these groups, so that, unlike claims, they are part of the
 * plan's hash. No cell and no random number depends on them. */
#pragma once

#include "runner/plan/plan.h"
#include "runner/plan/scenario.h"

#define ASSAY_CONTACT_SHEET_MAX_UNITS 64
/* Pictures in one sheet, at most: a larger one is of no use to the eye. */
#define ASSAY_CONTACT_SHEET_MAX_PICTURES 600

/* Reads [pictures NAME]. ASSAY_ERROR_SCENARIO, _PARAMETER, _MISMATCH with file, line and key. */
AssayContactSheet *assay_contact_sheet_new (const AssayPlan *plan, const AssayGroup *group,
                                            GError **error);

/* ASSAY_ERROR_SCENARIO where it selects no cell of the plan, or more than fit into a sheet;
 * ASSAY_ERROR_MISMATCH where released images are wanted and there are none. */
gboolean assay_contact_sheet_check_cells (const AssayPlan *plan, const AssayContactSheet *sheet,
                                          GError **error);

/* Whether @cell, whose attack has @settings, is shown. */
gboolean assay_contact_sheet_selects (const AssayPlan *plan, const AssayContactSheet *sheet,
                                      const AssayCell *cell, const AssaySettings *settings);

/* One line that is equal for sheets that keep the same pictures under the same name. */
char *assay_contact_sheet_canonical (const AssayPlan *plan, const AssayContactSheet *sheet);
