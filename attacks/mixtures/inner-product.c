/* Which public images went into a mixture (InstaHide, Huang, Song, Li and Arora 2020, section 2.2).
 *
 * Release: mixtures x~ = sum_j lambda_j x_j, N x d. Knowledge: public images z, M x d.
 * Guess for each x~: all z by descending <z, x~>. For independent images with entries of variance
 * 1/d the product is of the order lambda_j for a z that was mixed in and of 1/sqrt(d) otherwise,
 * so that k partners are found in N M d operations although there are M^k sets of them.
 *
 * A mask of random signs makes every product one of noise; `absolute` compares |x~| with |z|, which
 * it cannot change. What strengthens the attack on photographs, which have much in common:
 * `centre`, `whiten` and `unit` (mixture-scores.h).
 * Memory: the mixtures as float32, at most 128 MiB of scores, and with `whiten` the public
 * images. */
#include "attacks/mixtures/mixture-control.h"
#include "attacks/mixtures/mixture-scores.h"

typedef struct {
  bool absolute;
  bool level;
  MIXTURE_SETTINGS;
  gint64 keep;
} InnerProduct;

static MixtureOptions
options_of (const InnerProduct *settings)
{
  return MIXTURE_IMAGE_OPTIONS (settings);
}

/* Half of each image is public: with 1,024 pixels the product with a partner is some eight
 * deviations of the others' above 0. Absolute values keep less of it. */
ASSAY_CONTROL (make_control, mixture_control_make, MixtureControl, InnerProduct, .n_secrets = 24,
               .n_public = 200, .side = settings->absolute ? 48 : 32, .n_partners = 2,
               .has_mask = settings->absolute)

MIXTURE_LINK_ATTACK (inner_product, "inner-product", InnerProduct,
  .summary = "Rank public images by their inner product with a mixture",
  .reference = { ASSAY_PAPER_INSTAHIDE, "section 2.2" },
  ASSAY_SETTINGS (InnerProduct,
    ASSAY_PARAM_BOOL (InnerProduct, absolute, FALSE,
                      "Whether absolute values are compared, each less its mean, which a mask of "
                      "signs does not change"),
    MIXTURE_PARAMETERS (InnerProduct),
    MIXTURE_PARAMETER_KEEP (InnerProduct)),
  .control = { .says = "Gaussian images are mixed with two of 200 public ones each, and one of "
                       "these ranks first",
               .make = make_control,
               .at_least = 0.9 });
