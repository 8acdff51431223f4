/* Noise in place of another image: what Huang, Song, Li and Arora 2020, "InstaHide: Instance-hiding
 * Schemes for Private Distributed Learning", section 5.2 and figure 4, compare InstaHide with.
 *   x~ = (1 - a) x + e,   e_c independent,   E ||e||_1 = E ||a x_j||_1
 * where x_j is a secret chosen at random. With M the mean of |x| over all numbers of all secrets:
 *   laplace   E |e_c| = b                    so that b = a M
 *   gaussian  E |e_c| = sigma sqrt (2 / pi)  so that sigma = a M sqrt (pi / 2)
 * The noise is not calibrated to any privacy budget, and nothing is claimed. */
#include <math.h>

#include "core/base/parallel.h"
#include "core/data/kinds/vectors.h"
#include "core/plugin/plugin.h"

/* Numbers of noise that are drawn at once; even, because normals come in pairs. */
#define BLOCK 512

typedef enum { LAPLACE, GAUSSIAN } Distribution;

static const char *const distributions[] = { "laplace", "gaussian", NULL };

typedef struct {
  double share;
  guint distribution;
} AdditiveNoise;

typedef struct {
  const AdditiveNoise *settings;
  AssayStreamKey stream;
  AssayView secrets;
  double scale; /* of the noise: b or sigma */
  float *vectors;
} Noise;

static double
mean_magnitude (AssayView secrets)
{
  double sum = 0;

  for (gsize i = 0; i < secrets.rows; i++)
    for (gsize c = 0; c < secrets.cols; c++)
      sum += fabs ((double) assay_view_row (secrets, i)[c]);
  return sum / ((double) secrets.rows * (double) secrets.cols);
}

static void
add_noise (gsize secret, G_GNUC_UNUSED guint worker, gpointer data)
{
  const Noise *noise = data;
  const gsize cols = noise->secrets.cols;
  const float *row = assay_view_row (noise->secrets, secret);
  float *vector = noise->vectors + secret * cols;
  AssayStream stream = assay_stream (noise->stream, secret);
  double drawn[BLOCK];

  for (gsize done = 0; done < cols; done += BLOCK) {
    const gsize width = MIN (BLOCK, cols - done);

    if (noise->settings->distribution == LAPLACE)
      assay_stream_fill_laplace (&stream, width, drawn);
    else
      assay_stream_fast_normals (&stream, width, drawn);
    for (gsize c = done; c < done + width; c++)
      vector[c] = (float) ((1 - noise->settings->share) * row[c] + noise->scale * drawn[c - done]);
  }
}

static gboolean
protect (const AssayDefenseContext *context, AssayView secrets, AssayRelease *ret_release,
         G_GNUC_UNUSED AssayTruth *ret_truth, GError **error)
{
  const AdditiveNoise *settings = context->settings;
  const double magnitude = mean_magnitude (secrets);
  Noise noise = { .settings = settings, .stream = context->stream, .secrets = secrets };
  AssayMatrix *vectors;

  if (!(magnitude > 0))
    return assay_fail (error, ASSAY_ERROR_DATA,
                       "all secrets are zero: expected some that are not, because the noise is "
                       "scaled to their mean magnitude");
  vectors = assay_matrix_new (secrets.rows, secrets.cols, error);
  if (vectors == NULL)
    return FALSE;
  noise.scale
      = settings->share * magnitude * (settings->distribution == LAPLACE ? 1 : sqrt (G_PI / 2));
  noise.vectors = vectors->data;
  assay_parallel_for (secrets.rows, add_noise, &noise);
  assay_arrays_take_matrix (&ret_release->arrays, "vectors", &vectors);
  /* Its scale comes from the secrets: not for everybody to know. */
  ASSAY_SET_PARAMETER (ret_release, AssayVectorsParameters, noise,
                       settings->distribution == LAPLACE ? ASSAY_NOISE_LAPLACE
                                                         : ASSAY_NOISE_GAUSSIAN);
  return TRUE;
}

ASSAY_DEFENSE (additive_noise, "additive-noise",
  .summary = "Scale each secret down and add noise as large as what was taken away",
  .reference = { ASSAY_PAPER_INSTAHIDE, "section 5.2, figure 4" },
  ASSAY_SETTINGS (AdditiveNoise,
    ASSAY_PARAM_REAL (AdditiveNoise, share, 0.5, 0, 1, "",
                      "Share a of noise: the secret is scaled by 1 - a, and the noise has a times "
                      "the mean absolute value of a secret"),
    ASSAY_PARAM_CHOICE (AdditiveNoise, distribution, LAPLACE, distributions,
                        "Distribution of the noise")),
  .produces = ASSAY_RELEASE_VECTORS,
  .protect = protect);
