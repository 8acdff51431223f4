/* The public rows that lattice candidates are records of. */
#pragma once

#include "attacks/lifting/lattice-standing.h"

/* For each subspace the numbers of @keep of the public rows that are @seen (1 to all), likeliest
 * first: n x keep. */
gint64 *lattice_link (const LatticeStandings *standings, const AssayObservation *seen, gsize keep,
                      GError **error);
