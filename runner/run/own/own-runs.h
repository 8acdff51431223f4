/* What a defense made of an attacker's rows, kept beside the release under attack: attacks that ask
 * for the same run of it get the same one, and it is made once. */
#pragma once

#include "core/plugin/shadow.h"
#include "runner/plan/own-rows.h"
#include "runner/run/steps.h"

/* More than ASSAY_OWN_RUNS_BYTES (runner/plan/own-rows.h) are made anew, with the same outcome, by
 * each attack that asks for them. */
typedef struct _AssayOwnRuns AssayOwnRuns;

AssayOwnRuns *assay_own_runs_new (void);
void assay_own_runs_free (AssayOwnRuns *runs);
gsize assay_own_runs_bytes (AssayOwnRuns *runs);

/* What run @number on @secrets depends on beside the release under attack: of @grants the ones that
 * change what the defense is given. */
char *assay_own_runs_name (guint64 number, guint grants, const AssaySecrets *secrets);

/* FALSE where it is not kept. From several threads at once, as the next one. */
gboolean assay_own_runs_find (AssayOwnRuns *runs, const char *name, AssayShadowMade *ret_made);
/* Keeps what was made, unless that is too much. */
void assay_own_runs_keep (AssayOwnRuns *runs, const char *name, const AssayShadowMade *made);
