/* Whether halves of the mixtures agree on the images that mixture-inversion found. */
#pragma once

#include "attacks/mixtures/mixture-state.h"

/* Deals N mixtures into two halves so that each image is in both about equally often.
 * @ret_is_second: N. */
void mixture_halves_deal (const guint32 *pairs, gsize n_mixtures, gsize n_images,
                          gboolean *ret_is_second);

/* What the correlation @halves of two estimates from half of the mixtures each says of the
 * estimate from all of them: its correlation with the truth, sqrt (2 r / (1 + r)), where the halves
 * err independently (Spearman 1910 and Brown 1910); 0 where they disagree. */
double mixture_halves_reliability (double halves);

/* @ret_agreement: for each of the n images the reliability above, of images fitted to either half
 * with the pairs, weights and public images of @state, from its images on. An image that is in
 * fewer than four mixtures has 0. Cost: 1,200 N d operations. */
gboolean mixture_halves_agree (const MixtureState *state, double *ret_agreement, GError **error);
