/* What a cell of a run was made of, as folders that other programs read. */
#pragma once

#include "runner/run/workspace.h"
#include "runner/store/store.h"

/* Plays @cell again and writes below @folder, which is created:
 *   secrets/     what the defense was given: a truth folder that no defense has changed
 *   knowledge/   what was given beside the secrets and the release: database.npy and public.npy
 *                where the defense draws from them or the attack was granted them; where they were
 *                granted, groups.npy and repeat-1/, repeat-2/, ... (release folders)
 *   release/     the release, whole
 *   seen/        the same as the attack was given it, where something in it was not granted
 *   truth/       what metrics compare with
 *   guess/       of a cell with an attack
 * ASSAY_ERROR_MISMATCH: the attack plays with the defense itself. */
gboolean assay_export_cell (const AssayPlan *plan, AssayStore *store, const AssayCell *cell,
                            const char *folder, GError **error);
