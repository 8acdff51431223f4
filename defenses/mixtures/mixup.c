/* Mixup (Zhang, Cisse, Dauphin and Lopez-Paz 2018, "mixup: Beyond Empirical Risk Minimization"), as
 * Huang, Song, Li and Arora 2020, "InstaHide: Instance-hiding Schemes for Private Distributed
 * Learning", examine it as a way to hide images. From secrets x_1 .. x_n (1 x d) and labels y:
 *   x~ = sum_j lambda_j x_pi_j(i),   y~ = sum_j lambda_j y_pi_j(i),   j = 1 .. k
 * with lambda drawn afresh for each image (core/math/mixture.h), the largest at most
 * max_coefficient. Who is mixed with x_i:
 *   within       secrets: pi_1 = identity, pi_2 .. pi_k random permutations, fresh in each of T
 *                epochs (algorithm 1), so that each secret is in k images an epoch
 *   public-once  k - 1 public images, and each secret is released a single time (section 2.2);
 *                public images have no label, so that y~ = lambda_1 y_i */
#include "defenses/mixtures/mixing.h"

typedef enum { WITHIN, PUBLIC_ONCE } Variant;

static const char *const variants[] = { "within", "public-once", NULL };

MIXING_CALLBACKS (settings->variant == PUBLIC_ONCE ? 1 : (gsize) settings->k)

static guint
uses (gconstpointer data)
{
  const MixingSettings *settings = data;

  return settings->variant == PUBLIC_ONCE ? ASSAY_GRANT_PUBLIC : ASSAY_GRANT_NONE;
}

static gboolean
check (gconstpointer data, const AssayShape *shape, GError **error)
{
  const MixingSettings *settings = data;

  if (settings->variant == PUBLIC_ONCE && settings->epochs > 1)
    return assay_fail (error, ASSAY_ERROR_PARAMETER,
                       "epochs = %" G_GINT64_FORMAT ": expected 1, because variant = %s releases "
                       "each secret once",
                       settings->epochs, variants[settings->variant]);
  return check_scheme (settings, shape, error);
}

MIXING_DEFENSE (mixup, "mixup",
  .summary = "Release weighted sums of images, with labels weighted likewise",
  .reference = { ASSAY_PAPER_INSTAHIDE, "algorithm 1 and section 2.2" },
  ASSAY_SETTINGS (MixingSettings,
    ASSAY_PARAM_CHOICE (MixingSettings, variant, WITHIN, variants,
                        "Whether secrets are mixed among themselves, or each of them once with "
                        "public images"),
    ASSAY_PARAM_INT (MixingSettings, k, 4, 1, ASSAY_MIXTURE_MAX_IMAGES, "images",
                     "Images in each mixture; 1: none is mixed"),
    ASSAY_PARAM_REAL (MixingSettings, max_coefficient, 1, 0, 1, "",
                      "Coefficients are redrawn until the largest is at most this"),
    MIXING_PARAMETERS_COEFFICIENTS (MixingSettings),
    ASSAY_PARAM_INT (MixingSettings, epochs, 1, 1, 1000000, "",
                     "Mixtures released of each secret, each with other partners")),
  .check = check,
  .uses = uses);
