/* Parts of a case that looks like a cell: releases like another, rows among others. */
#pragma once

#include "core/plugin/plugin.h"

/* A release that says of itself what @release does, with its arrays. */
AssayRelease *likeness_release (const AssayRelease *release);
/* A release like @like whose items are those numbered @order of @from. */
AssayRelease *likeness_of_items (const AssayRelease *like, const AssayRelease *from,
                                 const gsize *order, gsize count, GError **error);

/* Noise of a tenth of the rows' deviation on each number. */
void likeness_change (AssayMatrix *rows, AssayStream *stream);
/* @rows with @secrets, changed so, at random places, as many as there is room for. */
AssayRows *likeness_plant (const AssayRows *rows, AssayView secrets, AssayStream *stream,
                           GError **error);
/* @count of 0 .. n - 1 in random order, each once as long as there are enough. */
gsize *likeness_choose (gsize n, gsize count, AssayStream *stream);
AssayMatrix *likeness_gather (const AssayRows *rows, const gsize *chosen, gsize count,
                              AssayScale scale, GError **error);
