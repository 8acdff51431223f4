/* Cross-dataset InstaHide (Huang, Song, Li and Arora 2020, "InstaHide: Instance-hiding Schemes for
 * Private Distributed Learning", section 3.2). From secrets x_1 .. x_n (1 x d) with labels y, and
 * public images z without:
 *   x~ = sigma o (lambda_1 x_i + lambda_2 x_pi(i) + sum_j lambda_j z_j),   j = 3 .. k
 *   y~ = lambda_1 y_i + lambda_2 y_pi(i)
 * in each of T epochs, with pi a random permutation; lambda drawn afresh for each image
 * (core/math/mixture.h), the largest at most max_coefficient (the paper's c1) and
 * lambda_1 + lambda_2 at least private_share (c2); and sigma a fresh random sign for every number.
 *
 * The paper has "the (mixed) label of private images" and does not say that it is scaled to sum
 * to 1. It is released as the formula gives it: lambda_1 and lambda_2 can be read in it.
 *
 * The k - 2 public images of an image are dealt from a shuffled deck (mixing-partners.h). The paper
 * wants patches cut from larger pictures at random. Where the public images are such patches
 * already, `crops` and `flips` make more of them: the image is continued by its mirror images, and
 * a window of its own size is cut anew each time. The truth names the image, not the window. */
#include "defenses/mixtures/mixing.h"

#define PRIVATE 2 /* secrets in each mixture */

MIXING_CALLBACKS (PRIVATE)

static guint
uses (G_GNUC_UNUSED gconstpointer data)
{
  return ASSAY_GRANT_PUBLIC;
}

MIXING_DEFENSE (instahide_cross, "instahide-cross",
  .summary = "Mix two secret images with public ones and give every pixel a random sign",
  .reference = { ASSAY_PAPER_INSTAHIDE, "section 3.2" },
  ASSAY_SETTINGS (MixingSettings,
    ASSAY_PARAM_INT (MixingSettings, k, 4, PRIVATE + 1, ASSAY_MIXTURE_MAX_IMAGES, "images",
                     "Images in each mixture: two secrets, the others public"),
    ASSAY_PARAM_REAL (MixingSettings, max_coefficient, 0.65, 0, 1, "",
                      "Coefficients are redrawn until the largest is at most this (c1)"),
    ASSAY_PARAM_REAL (MixingSettings, private_share, 0.3, 0, 1, "",
                      "Coefficients are redrawn until those of the two secrets sum to at least "
                      "this (c2)"),
    MIXING_PARAMETERS_COEFFICIENTS (MixingSettings),
    ASSAY_PARAM_INT (MixingSettings, epochs, 1, 1, 1000000, "",
                     "Mixtures released of each secret, each with a key of its own"),
    ASSAY_PARAM_BOOL (MixingSettings, mask, TRUE,
                      "Whether every number is multiplied by a random sign"),
    ASSAY_PARAM_INT (MixingSettings, crops, 0, 0, 100000, "pixels",
                     "How far the window cut from a public image is moved at most, each way; 0: no "
                     "window is cut"),
    ASSAY_PARAM_BOOL (MixingSettings, flips, FALSE,
                      "Whether one in two public images is mirrored"),
    MIXING_PARAMETERS_PRIVATE),
  .check = check_scheme,
  .uses = uses);
