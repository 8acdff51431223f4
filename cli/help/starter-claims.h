/* The claims of a scenario to begin with. */
#pragma once

#include "core/plugin/plugin.h"

/* Claims that little of what @defense releases, of @kind, is recovered by @attacks: a list of
 * AssayPlugin. */
void cli_append_claims (GString *text, const AssayDefense *defense, AssayReleaseKind kind,
                        const GPtrArray *attacks);
