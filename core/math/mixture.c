/* The coefficients with which images are mixed, and the sums.
 *
 * lambda = u / (u_1 + ... + u_k), u_j independent: uniform (Huang et al. 2020, algorithms 1 and 2),
 * |N (0, 1)| (the program that the authors published), or gamma, which makes lambda a symmetric
 * Dirichlet vector; with concentration 1 it is uniform on the simplex, and with k = 2 it is the
 * Beta (a, a) of Zhang et al. 2018, "mixup: Beyond Empirical Risk Minimization". Or they are always
 * the same, as in figure 4 of Huang et al.: the bounds then hold or do not.
 *
 * Conditions (max <= c1; lambda_1 + lambda_2 >= c2) are met by drawing anew, so that what comes out
 * is the distribution given that they hold. How often they hold decides whether that ends: nobody
 * waits for c1 = 1 / k. For uniform u and c1 alone it is known, 1 - F (1 / c1 - 1) with F the
 * distribution function of the sum of k - 1 uniforms (Irwin and Hall): the others, divided by the
 * largest, are uniform on [0, 1]. With other distributions and both conditions together it is not,
 * and one estimate for all, from draws that are made before any image is touched, is as good. */
#include "core/math/mixture.h"

#include <math.h>
#include <string.h>

#include "core/base/error.h"
#include "core/base/vectorise.h"

/* An estimate ends when so many draws were accepted, or so many made. */
#define PROBE_ACCEPTED 100
#define PROBE_DRAWS 50000
#define MEAN_DRAWS 20000
/* What is rarer is refused. */
#define MIN_ACCEPTANCE 1e-3

static double
fixed_share (const AssayMixtureCoefficients *wanted, gsize j)
{
  return j == 0 ? 1 - wanted->alpha : wanted->alpha / (double) MAX (wanted->k - 1, 1);
}

/* One draw; whether it meets the demands. All zeros, whose shares are not numbers, do not. */
static gboolean
draw_once (const AssayMixtureCoefficients *wanted, AssayStream *stream, float *ret_coefficients)
{
  double drawn[ASSAY_MIXTURE_MAX_IMAGES], sum = 0;
  gboolean is_met = TRUE;

  for (gsize j = 0; j < wanted->k; j++) {
    drawn[j] = wanted->distribution == ASSAY_MIXTURE_FIXED     ? fixed_share (wanted, j)
               : wanted->distribution == ASSAY_MIXTURE_UNIFORM ? assay_stream_uniform (stream)
               : wanted->distribution == ASSAY_MIXTURE_ABSOLUTE_NORMAL
                   ? fabs (assay_stream_normal (stream))
                   : assay_stream_gamma (stream, wanted->concentration);
    sum += drawn[j];
  }
  for (gsize j = 0; j < wanted->k; j++) {
    ret_coefficients[j] = (float) (drawn[j] / sum);
    is_met = is_met && (double) ret_coefficients[j] <= wanted->max_coefficient;
  }
  return is_met
         && (wanted->private_share <= 0
             || (double) ret_coefficients[0] + (double) ret_coefficients[1]
                    >= wanted->private_share);
}

void
assay_mixture_coefficients_draw (const AssayMixtureCoefficients *wanted, AssayStream *stream,
                                 float *ret_coefficients)
{
  while (!draw_once (wanted, stream, ret_coefficients))
    continue;
}

double
assay_mixture_coefficients_acceptance (const AssayMixtureCoefficients *wanted)
{
  AssayStream stream = assay_stream (assay_stream_key (0, 0, "mixing-acceptance", ""), 0);
  float coefficients[ASSAY_MIXTURE_MAX_IMAGES];
  gsize n_drawn = 0, n_accepted = 0;

  if ((double) wanted->k * wanted->max_coefficient < 1
      || wanted->private_share > MIN (1, 2 * wanted->max_coefficient))
    return 0;
  while (n_drawn < PROBE_DRAWS && n_accepted < PROBE_ACCEPTED) {
    n_accepted += draw_once (wanted, &stream, coefficients) ? 1 : 0;
    n_drawn++;
  }
  return (double) n_accepted / (double) n_drawn;
}

gboolean
assay_mixture_coefficients_check (const AssayMixtureCoefficients *wanted, GError **error)
{
  const double acceptance = assay_mixture_coefficients_acceptance (wanted);
  g_autofree char *share = NULL;

  if ((double) wanted->k * wanted->max_coefficient < 1)
    return assay_fail (error, ASSAY_ERROR_PARAMETER,
                       "max_coefficient = %g: expected at least 1 / k = %g, because k = %zu "
                       "coefficients sum to 1",
                       wanted->max_coefficient, 1 / (double) wanted->k, wanted->k);
  if (wanted->private_share > 2 * wanted->max_coefficient)
    return assay_fail (error, ASSAY_ERROR_PARAMETER,
                       "private_share = %g: expected at most %g, twice max_coefficient, because it "
                       "is the sum of two coefficients",
                       wanted->private_share, 2 * wanted->max_coefficient);
  if (acceptance >= MIN_ACCEPTANCE)
    return TRUE;
  share = wanted->private_share > 0
              ? g_strdup_printf (" and private_share = %g", wanted->private_share)
              : g_strdup ("");
  return assay_fail (error, ASSAY_ERROR_PARAMETER,
                     "max_coefficient = %g%s: expected to be met by at least %g of the draws of k "
                     "= %zu coefficients (coefficients = %s), because they are drawn until they "
                     "meet it; about %.2g do",
                     wanted->max_coefficient, share, MIN_ACCEPTANCE, wanted->k,
                     assay_mixture_distributions[wanted->distribution], acceptance);
}

double
assay_mixture_coefficients_mean (const AssayMixtureCoefficients *wanted)
{
  AssayStream stream = assay_stream (assay_stream_key (0, 0, "mixing-mean", ""), 0);
  float coefficients[ASSAY_MIXTURE_MAX_IMAGES];
  double sum = 0;

  if (wanted->distribution == ASSAY_MIXTURE_FIXED)
    return 1 - wanted->alpha;
  if (!(wanted->private_share > 0))
    return 1 / (double) wanted->k;
  g_return_val_if_fail (assay_mixture_coefficients_acceptance (wanted) >= MIN_ACCEPTANCE, 0);
  for (gsize i = 0; i < MEAN_DRAWS; i++) {
    assay_mixture_coefficients_draw (wanted, &stream, coefficients);
    sum += coefficients[0];
  }
  return sum / MEAN_DRAWS;
}

/* ---- Sums and signs ---- */

/* Pixels that are summed at once. */
#define BLOCK 256

ASSAY_VECTORISED static void
sum_images (const float *const *images, const float *coefficients, gsize k, gsize cols,
            float *ret_mixed)
{
  double sum[BLOCK];

  for (gsize done = 0; done < cols; done += BLOCK) {
    const gsize width = MIN (BLOCK, cols - done);

    memset (sum, 0, sizeof sum);
    for (gsize j = 0; j < k; j++) {
      const double coefficient = coefficients[j];
      const float *image = images[j] + done;

      for (gsize c = 0; c < width; c++)
        sum[c] += coefficient * image[c];
    }
    for (gsize c = 0; c < width; c++)
      ret_mixed[done + c] = (float) sum[c];
  }
}

ASSAY_VECTORISED static void
flip_signs (const guint32 *words, gsize cols, float *inout_values)
{
  for (gsize done = 0; done < cols; done += 32) {
    const gsize width = MIN (32, cols - done);
    const guint32 word = words[done / 32];
    float *values = inout_values + done;

    for (gsize c = 0; c < width; c++)
      values[c] *= (float) (1 - 2 * (gint32) (word >> c & 1));
  }
}

void
assay_mixture_sum (const float *const *images, const float *coefficients, gsize k, gsize cols,
                   float *ret_mixed)
{
  sum_images (images, coefficients, k, cols, ret_mixed);
}

/* The pixel of a row of @n that is at @place of its continuation by mirror images. */
static gsize
mirrored (gint64 place, gsize n)
{
  return (gsize) (place < 0             ? -1 - place
                  : place >= (gint64) n ? 2 * (gint64) n - 1 - place
                                        : place);
}

void
assay_mixture_window (const AssayGeometry *geometry, gint64 down, gint64 right, gboolean is_flipped,
                      const float *image, float *ret_window)
{
  const gsize width = geometry->width, channels = geometry->channels;

  for (gsize y = 0; y < geometry->height; y++) {
    const float *row = image + mirrored ((gint64) y + down, geometry->height) * width * channels;

    for (gsize x = 0; x < width; x++) {
      const gsize from = mirrored ((gint64) (is_flipped ? width - 1 - x : x) + right, width);

      memcpy (ret_window + (y * width + x) * channels, row + from * channels,
              channels * sizeof (float));
    }
  }
}

gsize
assay_mixture_sign_words (gsize cols)
{
  return (cols + 31) / 32;
}

void
assay_mixture_flip_signs (const guint32 *words, gsize cols, float *inout_values)
{
  flip_signs (words, cols, inout_values);
}
