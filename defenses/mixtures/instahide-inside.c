/* Inside-dataset InstaHide (Huang, Song, Li and Arora 2020, "InstaHide: Instance-hiding Schemes for
 * Private Distributed Learning", algorithm 2). From secrets x_1 .. x_n (1 x d) and labels y:
 *   x~ = sigma o sum_j lambda_j x_pi_j(i),   y~ = sum_j lambda_j y_pi_j(i),   j = 1 .. k
 * with pi_1 = identity and pi_2 .. pi_k random permutations, fresh in each of T epochs; lambda
 * drawn afresh for each image (core/math/mixture.h), the largest at most max_coefficient (the
 * paper's c1); and sigma a fresh random sign for every number: as much as to release |x~|.
 * Without the mask this is Mixup with a bound on the coefficients, to see what the mask adds. */
#include "defenses/mixtures/mixing.h"

MIXING_CALLBACKS ((gsize) settings->k)

MIXING_DEFENSE (instahide_inside, "instahide-inside",
  .summary = "Mix secret images among themselves and give every pixel a random sign",
  .reference = { ASSAY_PAPER_INSTAHIDE, "algorithm 2" },
  ASSAY_SETTINGS (MixingSettings,
    ASSAY_PARAM_INT (MixingSettings, k, 4, 1, ASSAY_MIXTURE_MAX_IMAGES, "images",
                     "Images in each mixture; 1: none is mixed"),
    ASSAY_PARAM_REAL (MixingSettings, max_coefficient, 0.65, 0, 1, "",
                      "Coefficients are redrawn until the largest is at most this (c1)"),
    MIXING_PARAMETERS_COEFFICIENTS (MixingSettings),
    ASSAY_PARAM_INT (MixingSettings, epochs, 1, 1, 1000000, "",
                     "Mixtures released of each secret, each with a key of its own"),
    ASSAY_PARAM_BOOL (MixingSettings, mask, TRUE,
                      "Whether every number is multiplied by a random sign"),
    MIXING_PARAMETERS_PRIVATE),
  .check = check_scheme);
