/* Controls of programs as attacks: public rows that were released as they are. */
#pragma once

#include "core/plugin/plugin.h"

/* Game link: the first candidate of an item must be the public row that it is. @release_kind is
 * ASSAY_RELEASE_VECTORS, ASSAY_RELEASE_SUBSPACES or ASSAY_RELEASE_MIXTURES. */
gboolean exec_control_link (AssayReleaseKind release_kind, AssayStreamKey key,
                            AssayControlCase *ret_case, GError **error);

/* Game pair: mixtures, of which those of one secret are the same but for a little noise. */
gboolean exec_control_pair (AssayStreamKey key, AssayControlCase *ret_case, GError **error);

/* Of rows that are released as they are: which of two classes they are of, whether they were among
 * those that were released, and which one of another release they are. */
gboolean exec_control_infer (AssayStreamKey key, AssayControlCase *ret_case, GError **error);
gboolean exec_control_member (AssayStreamKey key, AssayControlCase *ret_case, GError **error);
gboolean exec_control_cross (AssayStreamKey key, AssayControlCase *ret_case, GError **error);
