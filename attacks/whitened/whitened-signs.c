/* Refinement by sign-invariant least squares.
 *
 * Of a masked mixture x~ = sigma o z, e = |x~| is known and sigma is not. With images s of the
 * mixture known, z = q + r, q = m + sum_s w_s c_s, and r of variance t = (p2 - sum w^2) v a pixel,
 * of no known sign. Given e and q, by Bayes' rule for one pixel by itself,
 *   E z = e tanh (e q / t) =: z',
 * so that z' - q is an estimate of r that does not know q's sign from its own. Weights w are found
 * by alternating z' with generalised least squares of z' - m on the c_s, in the metric P = (G +
 * ridge)^-1 of plain images. All other images are then judged by the matched filter for z' - q,
 * <z' - q, P c> / sqrt (<c, P c>), added to the score that they had of the squares, both
 * standardised over the M images: the squares do not know which signs agree, and these do not know
 * sizes. The best of them is the next that is known. Without a mask z' is z, and the matched filter
 * alone is what counts.
 *
 * What is found first thus stays first. */
#include "attacks/whitened/whitened-signs.h"

#include <math.h>

#include "core/base/error.h"
#include "core/base/parallel.h"
#include "core/base/vectors.h"
#include "core/data/arena.h"
#include "core/math/linalg.h"

#define SIGN_RIDGE 0.1 /* unknown signs are noise of the same variance in all directions */
#define ROUNDS 8       /* of signs and weights */
#define LEAST_WEIGHT 0.02
#define LEAST_REST 0.25 /* share of p2 that r has at least */

typedef struct {
  AssayArena arena; /* of all arrays but matrices */
  const WhitenedOptions *options;
  const WhiteningMoments *moments;
  const Whitening *plain;
  AssayView images;       /* M x d */
  AssayView mixtures;     /* N x d */
  AssayMatrix *filters;   /* P c, M x d */
  double *lengths;        /* sqrt (<c, P c>) */
  double *variance;       /* v */
  AssayMatrix *first;     /* standardised scores, N x M */
  AssayMatrix *residual;  /* z' - q, N x d */
  AssayMatrix *filtered;  /* N x M */
  gsize *found;           /* N x refine */
  double *weights;        /* N x refine */
  double *known;          /* q of a worker, d */
  gsize n_found;
  float *scores;
  gint has_failed; /* atomic */
} Refining;

/* q, from the weights; the variance of r as a share of v. */
static double
explain (const Refining *job, gsize item, double *ret_known)
{
  const gsize *found = job->found + item * job->options->refine;
  const double *weights = job->weights + item * job->options->refine;
  const double p2 = job->moments->second;
  double rest = p2;

  for (gsize a = 0; a < job->images.cols; a++)
    ret_known[a] = job->plain->image[a];
  for (gsize j = 0; j < job->n_found; j++) {
    const float *image = assay_view_row (job->images, found[j]);

    for (gsize a = 0; a < job->images.cols; a++)
      ret_known[a] += weights[j] * (image[a] - job->plain->image[a]);
    rest -= weights[j] * weights[j];
  }
  return MAX (rest, LEAST_REST * p2);
}

/* z' - q. */
static void
take_signs (const Refining *job, gsize item, const double *known, double rest)
{
  const float *mixture = assay_view_row (job->mixtures, item);
  float *residual = assay_matrix_row (job->residual, item);

  for (gsize a = 0; a < job->images.cols; a++) {
    const double e = fabs ((double) mixture[a]), t = rest * job->variance[a];
    const double sign = t > 0 ? tanh (e * known[a] / t) : known[a] < 0 ? -1 : 1;
    const double z = job->options->form == WHITENING_PLAIN ? mixture[a] : e * sign;

    residual[a] = (float) (z - known[a]);
  }
}

/* One step of least squares from the residual. */
static gboolean
take_weights (Refining *job, gsize item)
{
  const gsize n = job->n_found, cols = job->images.cols;
  const gsize *found = job->found + item * job->options->refine;
  double *weights = job->weights + item * job->options->refine;
  double matrix[WHITENING_MAX_IMAGES * WHITENING_MAX_IMAGES] = { 0 };
  double right[WHITENING_MAX_IMAGES];

  for (gsize i = 0; i < n; i++) {
    const float *filter = assay_matrix_row (job->filters, found[i]);
    const float *residual = assay_matrix_row (job->residual, item);

    right[i] = 0;
    for (gsize a = 0; a < cols; a++)
      right[i] += (double) filter[a] * residual[a];
    for (gsize j = 0; j <= i; j++) {
      const float *image = assay_view_row (job->images, found[j]);
      double sum = 0;

      for (gsize a = 0; a < cols; a++)
        sum += filter[a] * (image[a] - job->plain->image[a]);
      matrix[i * n + j] = sum;
    }
    /* The same image twice in the public set has no weights of its own. */
    matrix[i * n + i] = matrix[i * n + i] > 0 ? matrix[i * n + i] * 1.001 : 1;
  }
  if (!assay_linalg_solve_spd (n, 1, matrix, right, NULL))
    return FALSE;
  for (gsize i = 0; i < n; i++)
    weights[i] = CLAMP (weights[i] + right[i], LEAST_WEIGHT, job->options->shares.max_coefficient);
  return TRUE;
}

/* The best image that is not known yet becomes so. */
static void
add_image (const Refining *job, gsize item)
{
  const float *scores = job->scores + item * job->images.rows;
  gsize *found = job->found + item * job->options->refine;
  gsize best = G_MAXSIZE;

  for (gsize s = 0; s < job->images.rows; s++) {
    gboolean is_known = FALSE;

    for (gsize j = 0; j + 1 < job->n_found; j++)
      is_known = is_known || found[j] == s;
    if (!is_known && (best == G_MAXSIZE || scores[s] > scores[best]))
      best = s;
  }
  found[job->n_found - 1] = best;
  job->weights[item * job->options->refine + job->n_found - 1]
      = MIN (1 / (double) job->options->shares.k, job->options->shares.max_coefficient);
}

static void
explain_item (gsize item, guint worker, gpointer data)
{
  Refining *job = data;
  double *known = job->known + worker * job->images.cols;

  add_image (job, item);
  for (gsize round = 0; round < ROUNDS; round++) {
    take_signs (job, item, known, explain (job, item, known));
    if (!take_weights (job, item)) {
      g_atomic_int_set (&job->has_failed, 1);
      return;
    }
  }
  take_signs (job, item, known, explain (job, item, known));
}

static void
judge_item (gsize item, G_GNUC_UNUSED guint worker, gpointer data)
{
  const Refining *job = data;
  const gsize n = job->images.rows;
  const gsize *found = job->found + item * job->options->refine;
  float *filtered = assay_matrix_row (job->filtered, item);
  const float *first = assay_matrix_row (job->first, item);
  float *scores = job->scores + item * n, best = -G_MAXFLOAT;

  for (gsize s = 0; s < n; s++)
    filtered[s] = job->lengths[s] > 0 ? (float) (filtered[s] / job->lengths[s]) : 0;
  assay_standardise (filtered, n);
  for (gsize s = 0; s < n; s++) {
    scores[s] = filtered[s] + (job->options->form == WHITENING_PLAIN ? 0 : first[s]);
    best = MAX (best, scores[s]);
  }
  for (gsize j = 0; j < job->n_found; j++)
    scores[found[j]] = best + (float) (job->n_found - j);
}

/* P c, and its length. */
static gboolean
make_filters (Refining *job, double ridge, GError **error)
{
  const gsize cols = job->images.cols;
  g_autoptr (AssayMatrix) inverse = assay_matrix_new (cols, cols, error);
  g_autoptr (AssayMatrix) centred
      = inverse != NULL ? whitening_features (job->plain, job->images, error) : NULL;

  if (centred == NULL || !whitening_inverse (job->plain, ridge, inverse->data, error))
    return FALSE;
  job->filters
      = whitening_project (assay_matrix_view (centred), assay_matrix_view (inverse), error);
  for (gsize s = 0; job->filters != NULL && s < job->images.rows; s++) {
    const double square
        = assay_dot (assay_matrix_row (centred, s), assay_matrix_row (job->filters, s), cols);

    job->lengths[s] = sqrt (MAX (square, 0));
  }
  return job->filters != NULL;
}

static gboolean
refine_once (Refining *job, GError **error)
{
  job->n_found++;
  assay_parallel_for (job->mixtures.rows, explain_item, job);
  if (job->has_failed)
    return assay_fail (error, ASSAY_ERROR_NUMERIC,
                       "the weights of %zu public images cannot be fitted; expected images that "
                       "are not combinations of one another",
                       job->n_found);
  g_clear_pointer (&job->filtered, assay_matrix_free);
  job->filtered = whitening_project (assay_matrix_view (job->residual),
                                     assay_matrix_view (job->filters), error);
  if (job->filtered == NULL)
    return FALSE;
  assay_parallel_for (job->mixtures.rows, judge_item, job);
  return TRUE;
}

ASSAY_LOCAL_CLEAR (Refining, refining_clear, assay_arena_clear (&self->arena),
                   assay_drop (self->filters, assay_matrix_free),
                   assay_drop (self->first, assay_matrix_free),
                   assay_drop (self->residual, assay_matrix_free),
                   assay_drop (self->filtered, assay_matrix_free))

gboolean
whitened_refine (const WhitenedOptions *options, const WhiteningMoments *moments, AssayView images,
                 AssayView mixtures, float *inout_scores, GError **error)
{
  /* Moments of single images. */
  const WhiteningMoments single = { 1, 1, 1, 1 };
  const gsize n = mixtures.rows, m = images.rows, cols = images.cols, refine = options->refine;
  g_auto (Whitening) plain = { 0 };
  g_auto (Refining) job = { .options = options,
                            .moments = moments,
                            .plain = &plain,
                            .images = images,
                            .mixtures = mixtures,
                            .scores = inout_scores };

  g_return_val_if_fail (options->refine <= MIN (m, WHITENING_MAX_IMAGES), FALSE);
  if (!whitening_learn (images, WHITENING_PLAIN, &single, &plain, error))
    return FALSE;
  job.variance = assay_arena_alloc (&job.arena, cols, sizeof (double), "variances", error);
  job.lengths = assay_arena_alloc (&job.arena, m, sizeof (double), "refinement", error);
  job.found = assay_arena_alloc (&job.arena, n, refine * sizeof (gsize), "refinement", error);
  job.weights = assay_arena_alloc (&job.arena, n, refine * sizeof (double), "refinement", error);
  job.known = assay_arena_alloc (&job.arena, assay_parallel_threads (), cols * sizeof (double),
                                 "refinement", error);
  if (job.arena.has_failed)
    return FALSE;
  for (gsize a = 0; a < cols; a++)
    job.variance[a] = plain.covariance[a * cols + a];
  job.residual = assay_matrix_new (n, cols, error);
  job.first = assay_matrix_copy ((AssayView){ n, m, m, inout_scores }, error);
  if (job.residual == NULL || job.first == NULL
      || !make_filters (&job, options->form == WHITENING_PLAIN ? options->ridge : SIGN_RIDGE,
                        error))
    return FALSE;
  for (gsize i = 0; i < n; i++)
    assay_standardise (assay_matrix_row (job.first, i), m);
  while (job.n_found < options->refine)
    if (!refine_once (&job, error))
      return FALSE;
  return TRUE;
}
