/* Controls of programs as attacks: public rows that were released as they are. */
#pragma once

#include "core/plugin/plugin.h"

/* Game link: the first candidate of an item must be the public row that it is. @release_kind is
 * ASSAY_RELEASE_VECTORS, ASSAY_RELEASE_SUBSPACES or ASSAY_RELEASE_MIXTURES. */
gboolean exec_control_link (AssayReleaseKind release_kind, AssayStreamKey key,
                            AssayControlCase *ret_case, GError **error);

/* Game pair: mixtures, of which those of one secret are the same but for a little noise. */
gboolean exec_control_pair (AssayStreamKey key, AssayControlCase *ret_case, GError **error);
