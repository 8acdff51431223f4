/* Releases of kind mixtures: images that several secrets, and public images, were mixed into. */
#include "core/data/kinds/mixtures.h"

#include <math.h>
#include <string.h>

#include "core/base/error.h"
#include "core/data/grant.h"

const char *const assay_mixture_distributions[]
    = { "uniform", "absolute-normal", "dirichlet", "fixed", NULL };

static const AssayArraySpec arrays[] = {
  { "images", "Nd", ASSAY_FLOAT32, FALSE, 0 },
  { "labels", "Nc", ASSAY_FLOAT32, TRUE, ASSAY_GRANT_LABELS }, /* shares of classes */
  { .name = NULL },
};

/* Also of other kinds: partners, the public row that is another record of each secret. */
static const AssayArraySpec truth[] = {
  { "sources", "Ns", ASSAY_INT64, TRUE, 0 },        /* the secrets in each image */
  { "partners", "Np", ASSAY_INT64, TRUE, 0 },       /* the public rows in it */
  { "coefficients", "Nk", ASSAY_FLOAT32, TRUE, 0 }, /* of the sources, then of the partners */
  { "owners", "N", ASSAY_INT64, TRUE, 0 },          /* the secret that it was made for */
  { .name = NULL },
};

static const AssayParam parameters[]
    = { ASSAY_PARAM_INT (AssayMixturesParameters, k, 1, 1, 64, "images", "Images in each mixture"),
        ASSAY_PARAM_INT (AssayMixturesParameters, partners, 0, 0, 64, "images",
                         "Those of them that are public"),
        ASSAY_PARAM_INT (AssayMixturesParameters, epochs, 1, 1, 1000000, "",
                         "Mixtures that were made for each secret"),
        ASSAY_PARAM_REAL (AssayMixturesParameters, max_coefficient, 1, 0, 1, "",
                          "No image has a larger coefficient"),
        ASSAY_PARAM_REAL (AssayMixturesParameters, private_share, 0, 0, 1, "",
                          "The coefficients of the secrets in a mixture sum to this at least"),
        ASSAY_PARAM_REAL (AssayMixturesParameters, owner_share, 1, 0, 1, "",
                          "The mean coefficient of the secret that a mixture was made for"),
        ASSAY_PARAM_BOOL (AssayMixturesParameters, mask, FALSE, "Every number has a random sign"),
        ASSAY_PARAM_CHOICE (AssayMixturesParameters, coefficients, ASSAY_MIXTURE_UNIFORM,
                            assay_mixture_distributions,
                            "How coefficients are drawn, before they are divided by their sum"),
        ASSAY_PARAM_REAL (AssayMixturesParameters, concentration, 1, 0.01, 1000, "",
                          "coefficients = dirichlet: parameter of the distribution"),
        ASSAY_PARAM_REAL (AssayMixturesParameters, alpha, 0.5, 0, 1, "",
                          "coefficients = fixed: share of all images but the first together"),
        ASSAY_PARAM_END };

#define MOST_SHARES 1.001f /* what shares of 1 may sum to after rounding */

/* Labels are shares of classes: none negative, and no more than 1 in all. */
static gboolean
check (const AssayRelease *release, GError **error)
{
  const AssayArray *array = assay_arrays_get (&release->arrays, "labels");
  const AssayView labels = array != NULL ? assay_array_view (array) : (AssayView){ 0 };

  for (gsize i = 0; i < labels.rows; i++) {
    const float *label = assay_view_row (labels, i);
    float sum = 0;

    for (gsize c = 0; c < labels.cols; c++) {
      sum += label[c];
      if (label[c] < 0)
        return assay_fail (error, ASSAY_ERROR_DATA,
                           "array 'labels': mixture %zu has the share %g of class %zu; expected "
                           "shares of classes, 0 or more",
                           i, (double) label[c], c);
    }
    if (!(sum <= MOST_SHARES))
      return assay_fail (error, ASSAY_ERROR_DATA,
                         "array 'labels': the shares of mixture %zu sum to %g; expected shares of "
                         "classes, 1 or less in all",
                         i, (double) sum);
  }
  return TRUE;
}

/* Numbers of secrets; -1: of none of them. */
static gboolean
check_members (const AssayTruth *of, const char *name, GError **error)
{
  const AssayArray *array = assay_arrays_get (&of->arrays, name);
  const gint64 n = (gint64) assay_arrays_get (&of->arrays, "secrets")->shape[0];

  for (gsize i = 0; array != NULL && i < assay_array_count (array); i++) {
    const gint64 secret = assay_array_int64 (array)[i];

    if (secret < -1 || secret >= n)
      return assay_fail (error, ASSAY_ERROR_DATA,
                         "truth: array '%s' names secret %" G_GINT64_FORMAT
                         ", but there are %" G_GINT64_FORMAT,
                         name, secret, n);
  }
  return TRUE;
}

static gboolean
check_truth (const AssayTruth *of, GError **error)
{
  return check_members (of, "sources", error) && check_members (of, "owners", error);
}

/* The first that was made for it. */
static const float *
picture (const AssayRelease *release, const AssayTruth *of, gsize secret)
{
  const AssayArray *owners = assay_arrays_get (&of->arrays, "owners");
  const AssayView images = assay_array_view (assay_arrays_get (&release->arrays, "images"));

  for (gsize i = 0; owners != NULL && i < images.rows; i++)
    if (assay_array_int64 (owners)[i] == (gint64) secret)
      return assay_view_row (images, i);
  return NULL;
}

/* ---- Numbers ----
 *
 * Of an image under a mask of random signs |x| and x^2, and of one without a mask x; then its
 * labels, where it has some. Where a release does not say whether there is a mask, there may be. */

static gboolean
has_mask (const AssayRelease *release)
{
  const bool *mask = ASSAY_PARAMETER (release, AssayMixturesParameters, mask);

  return mask == NULL || *mask;
}

static gsize
count_numbers (const AssayRelease *release, G_GNUC_UNUSED gsize n_probes)
{
  const AssayArray *labels = assay_arrays_get (&release->arrays, "labels");

  return assay_release_cols (release) * (has_mask (release) ? 2 : 1)
         + (labels != NULL ? labels->shape[1] : 0);
}

static void
numbers (const AssayRelease *release, gsize item, G_GNUC_UNUSED AssayView probes,
         float *ret_numbers)
{
  const AssayView images = assay_array_view (assay_arrays_get (&release->arrays, "images"));
  const AssayArray *labels = assay_arrays_get (&release->arrays, "labels");
  const float *image = assay_view_row (images, item);
  const gsize d = images.cols;
  const gboolean is_masked = has_mask (release);

  for (gsize j = 0; j < d; j++) {
    ret_numbers[j] = is_masked ? fabsf (image[j]) : image[j];
    if (is_masked)
      ret_numbers[d + j] = image[j] * image[j];
  }
  if (labels != NULL)
    memcpy (ret_numbers + (is_masked ? 2 : 1) * d,
            assay_view_row (assay_array_view (labels), item), labels->shape[1] * sizeof (float));
}

const AssayKind assay_kind_mixtures = {
  .arrays = arrays,
  .truth = truth,
  .parameters = parameters,
  .parameters_size = sizeof (AssayMixturesParameters),
  .items = ASSAY_ITEMS_OF_SEVERAL_SECRETS,
  .has_rows = TRUE,
  .check = check,
  .check_truth = check_truth,
  .picture = picture,
  .count_numbers = count_numbers,
  .numbers = numbers,
};
