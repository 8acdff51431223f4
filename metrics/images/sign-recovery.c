/* How many signs of masked mixtures an attack has right (InstaHide, Huang, Song, Li and Arora 2020,
 * section 5.3, figure 6: "the attack corrects about 1/4 of the flipped signs").
 *
 * Truth: secrets, and of each mixture its sources, partners and coefficients, which make z anew;
 * partners are public rows of the dataset, as they are (of crops the truth does not know which).
 * Guess: estimates, one for each mixture in their order, whose signs are those of z or not; an
 * estimate of 0 is half right. Where signs are free, an attack cannot know that of a whole image,
 * and the better of both counts: chance is then a little above one half. */
#include "core/plugin/plugin.h"

enum { KNOWN, FREE };
enum { RIGHT, WEIGHTED, N_SERIES };

static const char *const signs[] = { "known", "free", NULL };

typedef struct {
  guint sign;
} SignRecovery;

typedef struct {
  AssayView secrets, estimates, shares;
  const gint64 *sources, *partners;
  gsize s, p;
  const AssayRows *public_rows;
  AssayScale scale;
  float *row; /* one public row */
} Signs;

static gboolean
open_signs (const AssayMetricContext *context, const AssayTruth *truth, const AssayGuess *guess,
            Signs *ret_signs, GError **error)
{
  const AssayArray *sources = assay_arrays_get (&truth->arrays, "sources");
  const AssayArray *partners = assay_arrays_get (&truth->arrays, "partners");
  const AssayArray *shares = assay_arrays_get (&truth->arrays, "coefficients");

  *ret_signs = (Signs){
    .secrets = assay_array_view (assay_arrays_get (&truth->arrays, "secrets")),
    .estimates = assay_array_view (assay_arrays_get (&guess->arrays, "estimates")),
    .shares = assay_array_view (shares),
    .sources = assay_array_int64 (sources),
    .s = sources->shape[1],
    .partners = partners != NULL ? assay_array_int64 (partners) : NULL,
    .p = partners != NULL ? partners->shape[1] : 0,
    .public_rows = context->dataset != NULL ? context->dataset->public_rows : NULL,
    .scale = context->release != NULL ? assay_release_scale (context->release) : ASSAY_SCALE_NONE,
  };
  if (ret_signs->estimates.rows != ret_signs->shares.rows
      || ret_signs->estimates.cols != ret_signs->secrets.cols)
    return assay_fail (error, ASSAY_ERROR_MISMATCH,
                       "estimates are %zu x %zu; expected one for each of %zu mixtures of %zu "
                       "numbers",
                       ret_signs->estimates.rows, ret_signs->estimates.cols,
                       ret_signs->shares.rows, ret_signs->secrets.cols);
  if (ret_signs->shares.cols != ret_signs->s + ret_signs->p)
    return assay_fail (error, ASSAY_ERROR_MISMATCH,
                       "%zu coefficients of each mixture; expected %zu, of %zu sources and %zu "
                       "partners",
                       ret_signs->shares.cols, ret_signs->s + ret_signs->p, ret_signs->s,
                       ret_signs->p);
  return ret_signs->p == 0 || ret_signs->public_rows != NULL
         || assay_fail (error, ASSAY_ERROR_MISMATCH,
                        "public images were mixed in; expected the dataset that has them");
}

static void
add_row (const float *row, double share, gsize cols, double *inout_z)
{
  for (gsize a = 0; a < cols; a++)
    inout_z[a] += share * (double) row[a];
}

/* z of mixture @index. */
static gboolean
mix (const Signs *of, gsize index, double *ret_z, GError **error)
{
  const float *shares = assay_view_row (of->shares, index);
  const gsize cols = of->secrets.cols;
  const gsize n_public = of->p > 0 ? assay_rows_count (of->public_rows) : 0;

  for (gsize a = 0; a < cols; a++)
    ret_z[a] = 0;
  for (gsize j = 0; j < of->s + of->p; j++) {
    const gint64 number = j < of->s ? of->sources[index * of->s + j]
                                    : of->partners[index * of->p + j - of->s];

    if (number < 0 || (gsize) number >= (j < of->s ? of->secrets.rows : n_public))
      return assay_fail (error, ASSAY_ERROR_DATA,
                         "mixture %zu is of %s %" G_GINT64_FORMAT "; expected 0 to %zu", index,
                         j < of->s ? "secret" : "public row", number,
                         (j < of->s ? of->secrets.rows : n_public) - 1);
    if (j >= of->s)
      assay_rows_read (of->public_rows, (gsize) number, 1, of->scale, of->row);
    add_row (j < of->s ? assay_view_row (of->secrets, (gsize) number) : of->row,
             (double) shares[j], cols, ret_z);
  }
  return TRUE;
}

/* The shares of numbers, and of squared length, whose sign is right. */
static void
count (const Signs *of, gsize index, const double *z, double *ret_right, double *ret_weighted)
{
  const float *estimate = assay_view_row (of->estimates, index);
  const gsize cols = of->secrets.cols;
  double right = 0, weighted = 0, all = 0;

  for (gsize a = 0; a < cols; a++) {
    const double product = z[a] * (double) estimate[a];
    const double hit = product > 0 ? 1 : product < 0 ? 0 : 0.5;

    right += hit;
    weighted += hit * z[a] * z[a];
    all += z[a] * z[a];
  }
  *ret_right = right / (double) cols;
  *ret_weighted = all > 0 ? weighted / all : 0.5;
}

static gboolean
measure (const AssayMetricContext *context, const AssayTruth *truth, const AssayGuess *guess,
         AssayOutcomes *ret_outcomes, GError **error)
{
  const SignRecovery *settings = context->settings;
  g_autofree double *z = NULL;
  g_autofree float *row = NULL;
  Signs of;

  if (!open_signs (context, truth, guess, &of, error))
    return FALSE;
  z = assay_alloc (of.secrets.cols, sizeof (double), "a mixture", error);
  row = assay_alloc (of.secrets.cols, sizeof (float), "a public row", error);
  if (z == NULL || row == NULL
      || !assay_outcomes_alloc (ret_outcomes, N_SERIES, of.shares.rows, error))
    return FALSE;
  of.row = row;
  for (gsize i = 0; i < of.shares.rows; i++) {
    double *right = &ret_outcomes->series[RIGHT][i];
    double *weighted = &ret_outcomes->series[WEIGHTED][i];

    if (!mix (&of, i, z, error))
      return FALSE;
    count (&of, i, z, right, weighted);
    if (settings->sign == FREE && *right < 0.5) {
      *right = 1 - *right;
      *weighted = 1 - *weighted;
    }
  }
  return TRUE;
}

ASSAY_METRIC (sign_recovery, "sign-recovery",
  .summary = "Signs of masked mixtures that were found",
  .reference = { ASSAY_PAPER_INSTAHIDE, "section 5.3, figure 6" },
  ASSAY_SETTINGS (SignRecovery,
    ASSAY_PARAM_CHOICE (SignRecovery, sign, KNOWN, signs,
                        "Whether an estimate and its negative are the same")),
  .reads = ASSAY_RELEASE_MIXTURES,
  .reads_truth = ASSAY_ARRAY_NAMES ("secrets", "sources", "coefficients"),
  .reads_guess = ASSAY_ARRAY_NAMES ("estimates"),
  .finds_order = TRUE,
  .on_request = TRUE,
  ASSAY_MEASURES (N_SERIES,
    ASSAY_MEASURE (RIGHT, "signs-right", MEAN, 0, 1, "share of pixels",
                   "Numbers of a mixture whose sign is right; one half by chance", ASSAY_HEADLINE,
                   ASSAY_HIGHER_IS_WORSE),
    ASSAY_MEASURE (WEIGHTED, "signs-right-weighted", MEAN, 0, 1, "share of squared length",
                   "The same, each number with the weight of its square", ASSAY_HIGHER_IS_WORSE)),
  .measure = measure);
