/* Braverman's attack on InstaHide (Huang, Song, Li and Arora 2020, section 9): which public images
 * are under the mask.
 *
 * Release: x~ = sigma o sum_j lambda_j x_j, N x d, with random signs sigma. Knowledge: public
 * images s, M x d. Squares know no signs:
 *   v_s = <x~^2, s^2> - ||x~||^2 ||s||^2 / d,
 * and public images are ranked by descending v_s. That is the inner product of the squares, each
 * less its own mean over the d pixels. For Gaussian images of unit variance E v_s is 2 d lambda_j^2
 * for one that was mixed in and 0 otherwise, with deviation sqrt(4 d) sum lambda^2.
 *
 * Squares of photographs have much in common and few of them are large. As options: `centre`,
 * `whiten` and `unit` as for inner-product, of the squares (mixture-scores.h). */
#include "attacks/mixtures/mixture-control.h"
#include "attacks/mixtures/mixture-scores.h"

typedef struct {
  MIXTURE_SETTINGS;
  gint64 keep;
} Braverman;

static MixtureOptions
options_of (const Braverman *settings)
{
  return MIXTURE_OPTIONS (settings, .form = MIXTURE_SQUARE, .level = TRUE);
}

ASSAY_CONTROL (make_control, mixture_control_make, MixtureControl, void, .n_secrets = 24,
               .n_public = 200, .side = 48, .n_partners = 2, .has_mask = TRUE)

MIXTURE_LINK_ATTACK (braverman, "braverman", Braverman,
  .summary = "Rank public images by the inner product of squares, which no mask of signs changes",
  .reference = { ASSAY_PAPER_INSTAHIDE, "section 9, Braverman's attack" },
  ASSAY_SETTINGS (Braverman,
    ASSAY_PARAM_BOOL (Braverman, centre, FALSE,
                      "Whether the mean of the public squares is subtracted"),
    ASSAY_PARAM_BOOL (Braverman, whiten, FALSE,
                      "Whether squares are weighted by their inverse covariance, shrunk towards "
                      "the identity"),
    ASSAY_PARAM_REAL (Braverman, shrinkage, 0.1, 0.001, 1, "",
                      "whiten = yes: share of the mean variance in the covariance"),
    ASSAY_PARAM_BOOL (Braverman, unit, FALSE,
                      "Whether squares are scaled to unit length before the product"),
    MIXTURE_PARAMETER_KEEP (Braverman)),
  .control = { .says = "masked Gaussian images hold two of 200 public ones each, and one of these "
                       "ranks first",
               .make = make_control,
               .at_least = 0.9 });
