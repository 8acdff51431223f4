/* Secrets that come in two forms, as they are and mirrored left to right: twice as many estimates,
 * of which those that are alike, or mirror images, are of one secret. */
#pragma once

#include "attacks/mixtures/mixture-state.h"

#define MIXTURE_ORBITS_MIRRORED 0.2 /* of all groups, from which on secrets were mirrored */

/* Groups of images, first each as its best image is, then each mirrored, as nobody can tell which
 * of the two a secret was; with room for twice as many as the state has images. */
typedef struct {
  gsize n;
  float *images; /* 2 n x d */
  double *fits;  /* 2 n */
  gsize *of;     /* of each image of the state its row of these */
  gsize *first;  /* n: the image of the state that a group began with */
} MixtureGroups;

/* Gathers the images of @state into groups. The image of largest fit of @fits that is in no group
 * begins the next one; with it go all that have a |correlation| above 0.75 with it or its mirror
 * image, and the group's image is the mean of those above 0.9, each turned and signed as the first.
 *
 * Returns the share of the groups that have a mirror image in them (nearer so than as it is): only
 * where that is a good part were secrets mirrored. Negative on failure. */
double mixture_orbits_gather (const MixtureState *state, const double *fits,
                              MixtureGroups *ret_groups, GError **error);
