/* What something takes at its full size, by what it took at smaller ones. */
#pragma once

#include <glib.h>

typedef struct {
  double share; /* of the full size, above 0 */
  double seconds;
} AssayPlayed;

/* Seconds at @share, by the last of @played, of which there is one at least and whose shares do not
 * fall; of those with one share the last counts. What was played at
 * - three sizes or more, follows fixed + factor * share^power through the last three, with a power
 *   of at most @steepest. The less each differs from the one before, the more clocks decide how
 *   steep that is, and the nearer the power is held to 1 and the last rise to 0;
 * - two sizes, lies between a line and a power of the share through both, and is taken in the
 *   middle; where it grows faster than its size, as a power of at most @steepest, if it took long
 *   enough to tell;
 * - one size, grows with the size.
 * It is never less than what the last of them took. */
double assay_growth_foretell (const AssayPlayed *played, guint n, double share, double steepest);
