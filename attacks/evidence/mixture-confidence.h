/* How likely each image that mixture-inversion found is right, by what it knows itself. */
#pragma once

#include "attacks/mixtures/mixture-state.h"

/* Of one image; numbers alone, as the guess has them in its array `evidence`. */
typedef struct {
  double agreement; /* 0 to 1: its correlation with the truth by split halves (mixture-halves.h) */
  double fit;       /* 0 to 1: how well it explains its mixtures (mixture-fit.h) */
  double known;     /* 0 to 1: the share of its mixtures' public images that were found */
  double moved;     /* 1: it was put together of images that were moved; 0 */
} MixtureEvidence;

#define MIXTURE_EVIDENCE 4 /* numbers */

/* The probability that the image has a |correlation| above 0.8 with a secret, or its mirror image
 * where secrets were mirrored: 1 / (1 + exp (-y)), y = c_0 + c_1 log (a^2 / (1 - a^2)) + c_2 known,
 * a the agreement; of moved images y = c_0' + c_1' log (a^2 / (1 - a^2)). The fit adds nothing to
 * these that can be told. The coefficients are logistic regressions on encodings that were made of
 * public images alone (bench-mixture-inversion --table reliability), and are tested on others
 * (--table hard). At most 0.9 where hardly any public image is known, as halves that go wrong in
 * the same way agree, and where the agreement itself is below 0.9. */
double mixture_confidence (const MixtureEvidence *evidence);

/* Of each image of @state, whose @fits are those of mixture-fit.h. */
gboolean mixture_confidence_gather (const MixtureState *state, const double *fits,
                                    MixtureEvidence *ret_evidence, GError **error);
