/* A case of known outcome that looks like a cell. */
#pragma once

#include "core/plugin/plugin.h"

/* AssayControl.make_like of a program that plays @game: see exec-likeness.c. */
gboolean exec_likeness_make (AssayGame game, AssayStreamKey key, const AssayObservation *seen,
                             AssayControlCase *ret_case, GError **error);
