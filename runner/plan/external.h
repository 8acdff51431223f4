/* External releases and guesses of a scenario: what must be there before it
 * runs. */
#pragma once

#include "runner/plan/plan.h"

/* Verifies the folder of every cell of an external component and sets plan->external.
 * ASSAY_ERROR_MISMATCH, _DATA with the component to blame: no such folder, one that does not fit,
 * one for several cells that need one each, or secrets in a random order. */
gboolean assay_external_verify (AssayPlan *plan, const AssayComponent **ret_component,
                                GError **error);
