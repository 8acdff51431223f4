/* More images than there are secrets: a secret that a start with one centre for each would miss has
 * one, and what is left over is about nothing. */
#pragma once

#include "attacks/inversion/mixture-intake.h"

/* Where the images of the state are not mirror images of one another (mixture-orbits.h), keeps at
 * most @n of them: each is the mean of those that are alike, and those are kept of which confidence
 * (attacks/evidence/mixture-confidence.h) is largest. Pairs that are kept whole stay as they are;
 * of all other mixtures pairs are matched again (mixture_surplus_match). Mirrored images are left
 * alone. */
gboolean mixture_surplus_drop (gsize n, MixtureIntake *intake, GError **error);

/* Pairs by squares (mixture-pairs.h) of the mixtures that are not @is_kept, N; their public images
 * are forgotten. The intake's whitened squares are uncentred. */
gboolean mixture_surplus_match (MixtureIntake *intake, const gboolean *is_kept, GError **error);
