/* Matched filters for the images of a mixture.
 *
 * A mixture is z = m + l c + u, with the mean image m, one image less m as c, its share l and the
 * rest u, of mean 0. Against all mixtures, those with share l of that image differ in mean by
 *   t = l c                              of z,
 *   t = l^2 (c^2 - v) + 2 l m c          of z^2, pixel by pixel, v the variance of public pixels.
 * With the features y (whitening.h) and the inverse P of their covariance, the score is
 *   <y, P t> / sqrt (<t, P t>),
 * the root of what t, in the amount that fits best, takes off <y, P y>. Of squares the direction of
 * t depends on l; the score is the largest over l = 0.05, 0.1 .. max_coefficient (`shares`).
 * `squares` is t = c^2 less its mean, right where m = 0.
 * Cost: N M d for each of the two parts of t, and M d^2 for P t. */
#include "attacks/whitened/whitened-scores.h"

#include <math.h>

#include "attacks/mixtures/mixture-windows.h"
#include "attacks/whitened/whitened-signs.h"
#include "core/base/parallel.h"
#include "core/base/vectors.h"

#define STEP 0.05 /* between shares that are tried */
#define BLOCK 256 /* images whose templates are made at a time */

/* What is known of each image for all mixtures: with t = a t2 + b t1. */
typedef struct {
  double square; /* <t2, P t2> */
  double mixed;  /* <t1, P t2> */
  double linear; /* <t1, P t1> */
} Norms;

typedef struct {
  const WhitenedOptions *options;
  const Whitening *whitening;
  AssayView images;
  AssayView metric; /* rows D with P = D' D; or P itself, symmetric */
  gboolean is_inverse;
  AssayView weighted; /* P y, N x d */
  double *variance;   /* of public squares' mean: v */
  float *scores;      /* N x M */
  gsize window;       /* that the images are */
} Scoring;

/* t2 and t1 of the rows [first, first + count). */
static void
make_templates (const Scoring *job, gsize first, gsize count, AssayMatrix *t2, AssayMatrix *t1)
{
  const gboolean is_plain = job->options->form == WHITENING_PLAIN;

  for (gsize i = 0; i < count; i++) {
    const float *image = assay_view_row (job->images, first + i);

    for (gsize a = 0; a < job->images.cols; a++) {
      const double m = job->whitening->image[a], c = image[a] - m;

      assay_matrix_row (t1, i)[a] = (float) (is_plain ? c : 2 * m * c);
      assay_matrix_row (t2, i)[a] = (float) (c * c - job->variance[a]);
    }
  }
}

/* <t, P t'> of the same rows of two matrices, of which what P makes of one, or D of both, is
 * given. */
static double
metric_dot (const Scoring *job, const AssayMatrix *rows, const AssayMatrix *left,
            const AssayMatrix *right, gsize i)
{
  const float *a = job->is_inverse ? rows->data + i * rows->cols : left->data + i * left->cols;

  return assay_dot (a, right->data + i * right->cols, right->cols);
}

static gboolean
measure_norms (const Scoring *job, const AssayMatrix *t2, const AssayMatrix *t1, Norms *ret_norms,
               GError **error)
{
  g_autoptr (AssayMatrix) p1 = whitening_project (assay_matrix_view (t1), job->metric, error);
  g_autoptr (AssayMatrix) p2
      = p1 != NULL ? whitening_project (assay_matrix_view (t2), job->metric, error) : NULL;

  if (p2 == NULL)
    return FALSE;
  for (gsize i = 0; i < t1->rows; i++)
    ret_norms[i] = (Norms){ .square = metric_dot (job, t2, p2, p2, i),
                            .mixed = metric_dot (job, t1, p1, p2, i),
                            .linear = metric_dot (job, t1, p1, p1, i) };
  return TRUE;
}

/* An image that is the mean image itself explains nothing. */
static double
divided (double product, double square)
{
  return square > 0 ? product / sqrt (square) : 0;
}

static double
best_score (const WhitenedOptions *options, const Norms *norms, double y2, double y1)
{
  double best = -G_MAXDOUBLE;

  if (options->form == WHITENING_PLAIN)
    return divided (y1, norms->linear);
  if (options->template == WHITENED_SQUARES)
    return divided (y2, norms->square);
  for (gsize i = 1; (double) i * STEP <= options->shares.max_coefficient + STEP / 2; i++) {
    const double l = (double) i * STEP;

    best = MAX (
        best, divided (l * y2 + y1, l * l * norms->square + 2 * l * norms->mixed + norms->linear));
  }
  return best;
}

static gboolean
score_block (const Scoring *job, gsize first, gsize count, GError **error)
{
  const gsize n = job->weighted.rows, cols = job->images.cols;
  g_autoptr (AssayMatrix) t2 = assay_matrix_new (count, cols, error);
  g_autoptr (AssayMatrix) t1 = assay_matrix_new (count, cols, error);
  g_autofree Norms *norms = assay_alloc (count, sizeof (Norms), "scores", error);
  g_autoptr (AssayMatrix) y2 = NULL, y1 = NULL;

  if (t2 == NULL || t1 == NULL || norms == NULL)
    return FALSE;
  make_templates (job, first, count, t2, t1);
  y2 = whitening_project (job->weighted, assay_matrix_view (t2), error);
  y1 = y2 != NULL ? whitening_project (job->weighted, assay_matrix_view (t1), error) : NULL;
  if (y1 == NULL || !measure_norms (job, t2, t1, norms, error))
    return FALSE;
  for (gsize i = 0; i < n; i++)
    for (gsize j = 0; j < count; j++) {
      const gsize place = i * job->images.rows + first + j;
      const float score = (float) best_score (job->options, norms + j, y2->data[i * count + j],
                                              y1->data[i * count + j]);

      if (score > job->scores[place] && job->options->best_windows != NULL)
        job->options->best_windows[place] = (guint16) job->window;
      job->scores[place] = MAX (job->scores[place], score);
    }
  return TRUE;
}

/* Raises scores to those of the job's images. */
static gboolean
score_images (const Scoring *job, GError **error)
{
  for (gsize first = 0; first < job->images.rows; first += BLOCK)
    if (!score_block (job, first, MIN (BLOCK, job->images.rows - first), error))
      return FALSE;
  return TRUE;
}

/* ... to those of all their windows. The metric is that of images: windows of them are much the
 * same set. */
static gboolean
score_windows (const Scoring *job, const WhitenedOptions *options, GError **error)
{
  const AssayView images = job->images;
  g_autoptr (AssayMatrix) windows = assay_matrix_new (images.rows, images.cols, error);
  Scoring moved = *job;

  if (windows == NULL)
    return FALSE;
  moved.images = assay_matrix_view (windows);
  for (gsize w = 0; w < mixture_windows_count (options->shift); w++) {
    for (gsize i = 0; i < images.rows; i++)
      mixture_window_take (options->windows, options->shift, w, assay_view_row (images, i),
                           assay_matrix_row (windows, i));
    moved.window = w;
    if (!score_images (&moved, error))
      return FALSE;
  }
  return TRUE;
}

/* v; of the template `squares` also c^2 less its mean, so that both are the same sums. */
static double *
measure_variance (const Whitening *whitening, AssayView images, GError **error)
{
  double *variance = assay_alloc (images.cols, sizeof (double), "variances", error);

  for (gsize i = 0; variance != NULL && i < images.rows; i++)
    for (gsize a = 0; a < images.cols; a++) {
      const double c = assay_view_row (images, i)[a] - whitening->image[a];

      variance[a] += c * c / (double) images.rows;
    }
  return variance;
}

/* P, or D. */
static AssayMatrix *
make_metric (const WhitenedOptions *options, const Whitening *whitening, GError **error)
{
  g_autoptr (AssayMatrix) inverse = NULL;

  if (options->components > 0 && options->components < whitening->cols)
    return whitening_directions (whitening, options->components, options->ridge, error);
  inverse = assay_matrix_new (whitening->cols, whitening->cols, error);
  if (inverse == NULL || !whitening_inverse (whitening, options->ridge, inverse->data, error))
    return NULL;
  return g_steal_pointer (&inverse);
}

/* D' D y from y; or P y. */
static AssayMatrix *
weigh (const AssayMatrix *metric, gboolean is_inverse, const AssayMatrix *features, GError **error)
{
  const AssayView view = assay_matrix_view (metric);
  g_autoptr (AssayMatrix) projected = whitening_project (assay_matrix_view (features), view, error);
  g_autoptr (AssayMatrix) transposed = NULL;

  if (projected == NULL || is_inverse)
    return g_steal_pointer (&projected);
  transposed = assay_matrix_new (metric->cols, metric->rows, error);
  if (transposed == NULL)
    return NULL;
  for (gsize i = 0; i < metric->rows; i++)
    for (gsize a = 0; a < metric->cols; a++)
      transposed->data[a * metric->rows + i] = metric->data[i * metric->cols + a];
  return whitening_project (assay_matrix_view (projected), assay_matrix_view (transposed), error);
}

gboolean
whitened_scores (const WhitenedOptions *options, AssayView images, AssayView mixtures,
                 float *ret_scores, GError **error)
{
  const WhiteningMoments moments = whitening_moments (&options->shares);
  g_auto (Whitening) whitening = { 0 };
  g_autoptr (AssayMatrix) metric = NULL, features = NULL, weighted = NULL;
  g_autofree double *variance = NULL;
  Scoring job
      = { .options = options, .whitening = &whitening, .images = images, .scores = ret_scores };

  if (!whitening_learn (images, options->form, &moments, &whitening, error))
    return FALSE;
  if (options->noise > 0)
    whitening_add_noise (&whitening, options->noise);
  if ((metric = make_metric (options, &whitening, error)) == NULL
      || (features = whitening_features (&whitening, mixtures, error)) == NULL)
    return FALSE;
  job.is_inverse = metric->rows == metric->cols;
  weighted = weigh (metric, job.is_inverse, features, error);
  variance = weighted != NULL ? measure_variance (&whitening, images, error) : NULL;
  if (variance == NULL)
    return FALSE;
  job.metric = assay_matrix_view (metric);
  job.weighted = assay_matrix_view (weighted);
  job.variance = variance;
  for (gsize i = 0; i < mixtures.rows * images.rows; i++)
    ret_scores[i] = -G_MAXFLOAT;
  if (options->windows != NULL)
    return score_windows (&job, options, error);
  if (!score_images (&job, error))
    return FALSE;
  return options->refine == 0
         || whitened_refine (options, &moments, images, mixtures, ret_scores, error);
}
