/* Inside-dataset InstaHide (Huang, Song, Li and Arora 2020, "InstaHide: Instance-hiding Schemes for
 * Private Distributed Learning", algorithm 2). From secrets x_1 .. x_n (1 x d) and labels y:
 *   x~ = sigma o sum_j lambda_j x_pi_j(i),   y~ = sum_j lambda_j y_pi_j(i),   j = 1 .. k
 * with pi_1 = identity and pi_2 .. pi_k random permutations, fresh in each of T epochs; lambda
 * drawn afresh for each image (core/math/mixture.h), the largest at most max_coefficient (the
 * paper's c1); and sigma a fresh random sign for every number: as much as to release |x~|.
 * Without the mask this is Mixup with a bound on the coefficients, to see what the mask adds. */
#include "defenses/mixtures/mixing.h"

typedef struct {
  gint64 k;
  double max_coefficient;
  guint coefficients;
  double concentration;
  double alpha;
  gint64 epochs;
  bool mask;
  gint64 private_crops;
  bool private_flips;
  double noise;
} InstaHide;

static MixingScheme
scheme_of (const InstaHide *settings)
{
  return (MixingScheme){ .coefficients = { .distribution = settings->coefficients,
                                           .concentration = settings->concentration,
                                           .alpha = settings->alpha,
                                           .k = (gsize) settings->k,
                                           .max_coefficient = settings->max_coefficient },
                         .n_sources = (gsize) settings->k,
                         .n_epochs = (gsize) settings->epochs,
                         .has_mask = settings->mask,
                         .private_crops = (gsize) settings->private_crops,
                         .has_private_flips = settings->private_flips,
                         .noise = settings->noise };
}

MIXING_CALLBACKS

MIXING_DEFENSE (instahide_inside, "instahide-inside",
  .summary = "Mix secret images among themselves and give every pixel a random sign",
  .reference = { MIXING_PAPER, "algorithm 2" },
  ASSAY_SETTINGS (InstaHide,
    ASSAY_PARAM_INT (InstaHide, k, 4, 2, ASSAY_MIXTURE_MAX_IMAGES, "images",
                     "Images in each mixture"),
    ASSAY_PARAM_REAL (InstaHide, max_coefficient, 0.65, 0, 1, "",
                      "Coefficients are redrawn until the largest is at most this (c1)"),
    MIXING_PARAMETERS_COEFFICIENTS (InstaHide),
    ASSAY_PARAM_INT (InstaHide, epochs, 1, 1, 1000000, "",
                     "Mixtures released of each secret, each with a key of its own"),
    ASSAY_PARAM_BOOL (InstaHide, mask, TRUE,
                      "Whether every number is multiplied by a random sign"),
    MIXING_PARAMETERS_PRIVATE (InstaHide)),
  .check = check_scheme);
