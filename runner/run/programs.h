/* The programs of others that a run plays, and that they stay the same while it lasts. */
#pragma once

#include "runner/plan/plan.h"
#include "runner/store/store.h"

G_BEGIN_DECLS

/* The files that defenses and attacks name as their programs are those that the run began with, by
 * their content: otherwise one table would mix two programs. With @is_new, what the store does not
 * know yet is taken down. ASSAY_ERROR_DATA names the file. */
gboolean assay_programs_check (const AssayPlan *plan, AssayStore *store, gboolean is_new,
                               GError **error);

G_END_DECLS
