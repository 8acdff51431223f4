/* Which of the secrets that a run draws are independent units (core/math/units.h). */
#pragma once

#include "core/math/units.h"
#include "runner/plan/order.h"

/* Of the secrets of all trials: a copy in another trial is one all the same. A part of the public
 * rows says how far apart rows like them usually are. NULL: there is no memory for them. */
AssayUnits *assay_run_find_units (const AssayPlan *plan, guint dataset, const AssayDataset *open,
                                  const AssayOrder *order, GError **error);
