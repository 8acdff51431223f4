/* Parts of a case that looks like a cell: releases like another, rows among others. */
#pragma once

#include "core/plugin/plugin.h"

/* A case that is made of what was seen in a cell. */
typedef struct {
  const AssayObservation *seen;
  AssayStream stream;
  gsize n; /* items of the release */
  AssayControlCase *ret_case;
} Likeness;

/* A release that says of itself what @release does, with its arrays. */
AssayRelease *likeness_release (const AssayRelease *release);
/* A release like @like whose items are those numbered @order of @from. */
AssayRelease *likeness_of_items (const AssayRelease *like, const AssayRelease *from,
                                 const gsize *order, gsize count, GError **error);

/* Entries @order of an array, of which there are @count. */
AssayArray *likeness_items (const AssayArray *array, const gsize *order, gsize count,
                            GError **error);

/* Noise of a tenth of the rows' deviation on each number. */
void likeness_change (AssayMatrix *rows, AssayStream *stream);
/* @rows with @secrets, changed so, at random places, as many as there is room for. */
AssayRows *likeness_plant (const AssayRows *rows, AssayView secrets, AssayStream *stream,
                           GError **error);
/* @count of 0 .. n - 1 in random order, each once as long as there are enough. */
gsize *likeness_choose (gsize n, gsize count, AssayStream *stream);
AssayMatrix *likeness_gather (const AssayRows *rows, const gsize *chosen, gsize count,
                              AssayScale scale, GError **error);

/* Public rows, else the database, where they have so many columns; NULL: neither. */
const AssayRows *likeness_known_rows (const AssayObservation *seen, gsize cols);

/* What the truth of the case holds: secrets, which are taken over (FALSE: they are NULL), and
 * @n x 1 numbers under a name, which are taken over too. */
gboolean likeness_take_secrets (Likeness *making, AssayMatrix *secrets);
AssayView likeness_secrets (const Likeness *making);
void likeness_take_numbers (Likeness *making, const char *name, gsize n, gint64 *numbers);

/* Planes through @rows, of the release's dimension; the codes of @rows by its hash function. */
AssayRelease *likeness_planes (const AssayRelease *like, AssayView rows, AssayStream *stream,
                               GError **error);
AssayRelease *likeness_codes (const AssayRelease *like, AssayView rows, GError **error);
/* The release with other images, which are taken over. */
gboolean likeness_take_images (Likeness *making, AssayMatrix *images);
/* Rows of the program's own released as they are, in place of what the defense made of them. */
gboolean likeness_pairs_as_they_are (Likeness *making, GError **error);
