/* The seal on claims: what they said before the first cell was run. Claims judge what is stored
 * already, and can be changed after a look at it; a verdict then says so, and is not one of exit 0
 * unless that was accepted. */
#pragma once

#include "runner/store/store.h"

typedef enum {
  ASSAY_SEAL_WHOLE,    /* the claims are those that were sealed */
  ASSAY_SEAL_BROKEN,   /* they were changed after cells had run */
  ASSAY_SEAL_ACCEPTED, /* the same, and accepted as they are now */
} AssaySeal;

/* Seals the claims of @plan, unless cells have been run. */
gboolean assay_seal_set (AssayStore *store, const AssayPlan *plan, GError **error);
/* Accepts the claims of @plan, if they are not those that were sealed. */
gboolean assay_seal_accept (AssayStore *store, const AssayPlan *plan, GError **error);
/* @ret_text (or NULL): of the claims that were sealed, a line each; NULL in it: none were. */
gboolean assay_seal_read (AssayStore *store, const AssayPlan *plan, AssaySeal *ret_seal,
                          char **ret_text, GError **error);
