/* What something takes at its full size, by what it took at smaller ones. */
#pragma once

#include <glib.h>

typedef struct {
  double share; /* of the full size, above 0 */
  double seconds;
} AssayPlayed;

/* Seconds at @share, by the last of @played, of which there is one at least and whose shares rise:
 * along the line through the last two, which has what does not grow with the size; or, where it
 * grows faster than the size and takes long enough to tell, as the power of the size that they
 * have, or the lower one of the last three, and never above @steepest. Of one alone everything
 * grows with the size. */
double assay_growth_foretell (const AssayPlayed *played, guint n, double share, double steepest);
