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
#include "core/base/vectorise.h"
#include "core/base/vectors.h"

#define STEP 0.05 /* between shares that are tried */
#define BLOCK 256 /* images whose templates are made at a time */

/* One part of the templates of a block of B images, with what the metric makes of it, and its
 * products with the mixtures, N x B. Empty where the score has no such part. */
typedef struct {
  AssayMatrix *t, *projected, *products;
} Part;

static void
part_clear (Part *part)
{
  g_clear_pointer (&part->t, assay_matrix_free);
  g_clear_pointer (&part->projected, assay_matrix_free);
  g_clear_pointer (&part->products, assay_matrix_free);
}

G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (Part, part_clear)

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

static gboolean
has_squares (const WhitenedOptions *options)
{
  return options->form != WHITENING_PLAIN;
}

static gboolean
has_linear (const WhitenedOptions *options)
{
  return options->form == WHITENING_PLAIN || options->template != WHITENED_SQUARES;
}

/* t2 and t1 of the rows [first, first + count), those of them that there are. */
static void
make_templates (const Scoring *job, gsize first, gsize count, AssayMatrix *t2, AssayMatrix *t1)
{
  const gboolean is_plain = job->options->form == WHITENING_PLAIN;

  for (gsize i = 0; i < count; i++) {
    const float *image = assay_view_row (job->images, first + i);

    for (gsize a = 0; a < job->images.cols; a++) {
      const double m = job->whitening->image[a], c = image[a] - m;

      if (t1 != NULL)
        assay_matrix_row (t1, i)[a] = (float) (is_plain ? c : 2 * m * c);
      if (t2 != NULL)
        assay_matrix_row (t2, i)[a] = (float) (c * c - job->variance[a]);
    }
  }
}

static gboolean
project (const Scoring *job, Part *part, GError **error)
{
  const AssayView view = assay_matrix_view (part->t);

  part->products = whitening_project (job->weighted, view, error);
  part->projected = part->products != NULL ? whitening_project (view, job->metric, error) : NULL;
  return part->projected != NULL;
}

/* <t, P t'> of row @i of two parts. */
static double
metric_dot (const Scoring *job, const Part *left, const Part *right, gsize i)
{
  const float *a = assay_matrix_row (job->is_inverse ? left->t : left->projected, i);

  return assay_dot (a, assay_matrix_row (right->projected, i), right->projected->cols);
}

/* Of an image that is the mean image itself 0: it explains nothing. */
static double
root_of (double square)
{
  return square > 0 ? sqrt (square) : 0;
}

static gsize
count_shares (const WhitenedOptions *options)
{
  gsize n = 0;

  if (!has_squares (options) || !has_linear (options))
    return 1;
  while ((double) (n + 1) * STEP <= options->shares.max_coefficient + STEP / 2)
    n++;
  return n;
}

/* sqrt (<t, P t>) of each share and each of @count images: S x @count. */
static void
measure_roots (const Scoring *job, const Part *part2, const Part *part1, gsize count,
               double *ret_roots)
{
  const gsize n_shares = count_shares (job->options);

  for (gsize j = 0; j < count; j++) {
    const double square = part2->t != NULL ? metric_dot (job, part2, part2, j) : 0;
    const double linear = part1->t != NULL ? metric_dot (job, part1, part1, j) : 0;
    double mixed;

    if (part2->t == NULL || part1->t == NULL) {
      ret_roots[j] = root_of (part2->t != NULL ? square : linear);
      continue;
    }
    mixed = metric_dot (job, part1, part2, j);
    for (gsize s = 0; s < n_shares; s++) {
      const double l = (double) (s + 1) * STEP;

      ret_roots[s * count + j] = root_of (l * l * square + 2 * l * mixed + linear);
    }
  }
}

/* Of a mixture and @count images, by the only part. */
ASSAY_VECTORISED static void
divide (const float *y, const double *roots, gsize count, double *ret_scores)
{
  for (gsize j = 0; j < count; j++)
    ret_scores[j] = roots[j] > 0 ? y[j] / roots[j] : 0;
}

/* ... if they have the share @l, where that is more. */
ASSAY_VECTORISED static void
raise_scores (double l, const float *y2, const float *y1, const double *roots, gsize count,
              double *inout_scores)
{
  for (gsize j = 0; j < count; j++) {
    const double score = roots[j] > 0 ? (l * y2[j] + y1[j]) / roots[j] : 0;

    inout_scores[j] = MAX (inout_scores[j], score);
  }
}

/* Of mixture @i with the images of templates, the best share's. */
static void
score_row (const Scoring *job, const Part *part2, const Part *part1, const double *roots, gsize i,
           double *ret_scores)
{
  const gsize count = part2->t != NULL ? part2->t->rows : part1->t->rows;
  const gsize n_shares = count_shares (job->options);
  const float *y2 = part2->t != NULL ? assay_matrix_row (part2->products, i) : NULL;
  const float *y1 = part1->t != NULL ? assay_matrix_row (part1->products, i) : NULL;

  if (y2 == NULL || y1 == NULL) {
    divide (y2 != NULL ? y2 : y1, roots, count, ret_scores);
    return;
  }
  for (gsize j = 0; j < count; j++)
    ret_scores[j] = -G_MAXDOUBLE;
  for (gsize s = 0; s < n_shares; s++)
    raise_scores ((double) (s + 1) * STEP, y2, y1, roots + s * count, count, ret_scores);
}

static gboolean
make_parts (const Scoring *job, gsize first, gsize count, Part *part2, Part *part1, GError **error)
{
  const gsize cols = job->images.cols;

  if ((has_squares (job->options) && (part2->t = assay_matrix_new (count, cols, error)) == NULL)
      || (has_linear (job->options) && (part1->t = assay_matrix_new (count, cols, error)) == NULL))
    return FALSE;
  make_templates (job, first, count, part2->t, part1->t);
  return (part2->t == NULL || project (job, part2, error))
         && (part1->t == NULL || project (job, part1, error));
}

static gboolean
score_block (const Scoring *job, gsize first, gsize count, GError **error)
{
  g_auto (Part) part2 = { 0 }, part1 = { 0 };
  g_autofree double *roots
      = assay_alloc (count_shares (job->options) * count, sizeof *roots, "scores", error);
  g_autofree double *scores = assay_alloc (count, sizeof *scores, "scores", error);

  if (roots == NULL || scores == NULL || !make_parts (job, first, count, &part2, &part1, error))
    return FALSE;
  measure_roots (job, &part2, &part1, count, roots);
  for (gsize i = 0; i < job->weighted.rows; i++) {
    score_row (job, &part2, &part1, roots, i, scores);
    for (gsize j = 0; j < count; j++) {
      const gsize place = i * job->images.rows + first + j;
      const float score = (float) scores[j];

      if (score > job->scores[place] && job->options->best_windows != NULL)
        job->options->best_windows[place] = (guint16) job->window;
      job->scores[place] = MAX (job->scores[place], score);
    }
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
