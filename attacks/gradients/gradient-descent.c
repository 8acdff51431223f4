/* The distance of two gradients, made small by L-BFGS (Liu and Nocedal 1989) from liblbfgs.
 *
 * With g what was shared, x images and l numbers of which labels are y = softmax l, as in the code
 * of Zhu et al. 2019 (algorithm 3 of Huang et al. 2020 descends on y itself):
 *   D (x, l) = |g' (x, y) - g|^2 / |g|^2
 * and its gradient is (d g' / d (x, y))' v with v = 2 (g' - g) / |g|^2, which is a tangent of the
 * pass back (core/network/sigmoid-network.h). Starts are normal numbers, x and l.
 *
 * Of natural images a prior is that neighbours are alike (Geiping, Bauermeister, Droege and Moeller
 * 2020, "Inverting Gradients", section 4): `smooth` times the total variation is added to D. It
 * leads past starts of noise to which descent on D alone sticks; then its weight is lowered twice,
 * so that what the gradient does tell is matched.
 *
 * Labels of images that are of one class each need no search (Zhao, Mopuri and Bilen 2020, "iDLG",
 * of one image): the derivative by the last layer's biases is the mean over the batch of p - y, and
 * p hardly depends on the image where weights are random. So p is taken of random images, and the
 * b classes of which b (p - dL/db) is largest, one after the other, are the labels. Images that are
 * told apart by their labels are told apart from the first step on. */
#include "attacks/gradients/gradient-descent.h"

#include <lbfgs.h>
#include <math.h>
#include <string.h>

#include "core/base/error.h"
#include "core/data/arena.h"

#define CORRECTIONS 50 /* steps from which the curvature is estimated */
#define LINE_SEARCH 40
/* A start that in so many iterations does not come down by this share has come to its end. */
#define PAST 50
#define LEAST_PROGRESS 0.005
/* Descents in a row where there is a prior, each with a tenth of the weight before. */
#define ROUNDS 3
#define LOWER 0.1
#define SOFTENS 1e-3 /* total variation, which has a kink where neighbours are equal */

typedef struct {
  const GradientTarget *target;
  const GradientSearch *search;
  AssaySigmoidPass *pass;
  double scale;     /* 1 / |g|^2 */
  double smooth;    /* weight of the total variation, now */
  double *gradient; /* g', then v */
  double *labels;   /* y */
  double *slopes;   /* dD / dy */
} Descent;

/* ---- The distance ---- */

static void
soften (const GradientTarget *target, const double *logits, double *ret_labels)
{
  for (gsize first = 0; first < target->n_labels; first += target->classes) {
    double most = logits[first], sum = 0;

    for (gsize c = 1; c < target->classes; c++)
      most = MAX (most, logits[first + c]);
    for (gsize c = 0; c < target->classes; c++)
      sum += ret_labels[first + c] = exp (logits[first + c] - most);
    for (gsize c = 0; c < target->classes; c++)
      ret_labels[first + c] /= sum;
  }
}

/* From dD / dy to dD / dl. */
static void
pull_logits (const Descent *descent, double *ret_slopes)
{
  const gsize classes = descent->target->classes;

  for (gsize first = 0; first < descent->target->n_labels; first += classes) {
    const double *y = descent->labels + first, *slope = descent->slopes + first;
    double mean = 0;

    for (gsize c = 0; c < classes; c++)
      mean += y[c] * slope[c];
    for (gsize c = 0; c < classes; c++)
      ret_slopes[first + c] = y[c] * (slope[c] - mean);
  }
}

/* The mean over all numbers of sqrt (right^2 + down^2 + SOFTENS), the differences of a number to
 * its neighbours, times the weight; its slopes are added. */
static double
add_variation (const Descent *descent, const double *images, double *inout_slopes)
{
  const GradientTarget *target = descent->target;
  const gsize c = target->channels, row = target->width * c, image = target->height * row;
  const double weight = descent->smooth / (double) target->n_images;
  double sum = 0;

  for (gsize i = 0; i < target->n_images; i++) {
    const gboolean has_right = i % row + c < row, has_down = i % image + row < image;
    const double right = has_right ? images[i + c] - images[i] : 0;
    const double down = has_down ? images[i + row] - images[i] : 0;
    const double length = sqrt (right * right + down * down + SOFTENS);

    sum += weight * length;
    inout_slopes[i] -= weight * (right + down) / length;
    if (has_right)
      inout_slopes[i + c] += weight * right / length;
    if (has_down)
      inout_slopes[i + row] += weight * down / length;
  }
  return sum;
}

static lbfgsfloatval_t
evaluate (void *instance, const lbfgsfloatval_t *point, lbfgsfloatval_t *ret_slope,
          const int n, G_GNUC_UNUSED const lbfgsfloatval_t step)
{
  const Descent *descent = instance;
  const GradientTarget *target = descent->target;
  const gboolean knows_labels = descent->search->knows_labels;
  double distance = 0;

  if (!knows_labels)
    soften (target, point + target->n_images, descent->labels);
  assay_sigmoid_differentiate (descent->pass, point, descent->labels, descent->gradient);
  for (gsize i = 0; i < target->n_weights; i++) {
    const double difference = descent->gradient[i] - (double) target->gradient[i];

    distance += difference * difference * descent->scale;
    descent->gradient[i] = 2 * difference * descent->scale;
  }
  /* Near enough is flat, where the search ends. */
  if (distance < descent->search->enough) {
    memset (ret_slope, 0, (gsize) n * sizeof (double));
    return distance;
  }
  assay_sigmoid_pull (descent->pass, descent->gradient, ret_slope, descent->slopes);
  if (!knows_labels)
    pull_logits (descent, ret_slope + target->n_images);
  if (descent->smooth > 0)
    distance += add_variation (descent, point, ret_slope);
  return distance;
}

/* ---- Labels ---- */

/* From the images @point, of random numbers. */
static void
find_labels (Descent *descent, const double *point)
{
  const GradientTarget *target = descent->target;
  const gsize classes = target->classes, batch = target->n_labels / classes;
  const gsize biases = target->n_weights - classes;
  g_autofree double *counts = g_new (double, classes);

  for (gsize k = 0; k < target->n_labels; k++)
    descent->labels[k] = 1 / (double) classes;
  assay_sigmoid_differentiate (descent->pass, point, descent->labels, descent->gradient);
  for (gsize c = 0; c < classes; c++)
    counts[c] = (double) batch
                * (descent->gradient[biases + c] + 1 / (double) classes
                   - (double) target->gradient[biases + c]);
  for (gsize i = 0; i < batch; i++) {
    gsize best = 0;

    for (gsize c = 1; c < classes; c++)
      best = counts[c] > counts[best] ? c : best;
    counts[best]--;
    for (gsize c = 0; c < classes; c++)
      descent->labels[i * classes + c] = c == best;
  }
}

/* ---- Starts ---- */

/* Descends from @inout_point; the misfit that is left, or infinite where it diverged. */
static double
descend_once (Descent *descent, double *inout_point, double *spare)
{
  const GradientTarget *target = descent->target;
  const int n
      = (int) (target->n_images + (descent->search->knows_labels ? 0 : target->n_labels));
  lbfgs_parameter_t parameters;
  double before, after;

  lbfgs_parameter_init (&parameters);
  parameters.m = CORRECTIONS;
  parameters.epsilon = 0;
  parameters.past = PAST;
  parameters.delta = LEAST_PROGRESS;
  parameters.max_iterations = (int) descent->search->iterations;
  parameters.max_linesearch = LINE_SEARCH;
  before = evaluate (descent, inout_point, spare, n, 0);
  descent->smooth = descent->search->smooth;
  for (guint round = 0; round < (descent->smooth > 0 ? ROUNDS : 1); round++) {
    lbfgs (n, inout_point, NULL, evaluate, NULL, descent, &parameters);
    descent->smooth *= LOWER;
  }
  descent->smooth = 0;
  after = evaluate (descent, inout_point, spare, n, 0);
  return isfinite (after) && after < before ? after : INFINITY;
}

static void
search_starts (Descent *descent, AssayStream *stream, double *point, double *spare,
               GradientMatch *match)
{
  const gsize n_images = descent->target->n_images;
  const gsize n = n_images + descent->target->n_labels;

  match->misfit = INFINITY;
  match->n_diverged = 0;
  memset (match->images, 0, n_images * sizeof (float));
  for (gsize s = 0; s < descent->search->starts && !(match->misfit < descent->search->enough);
       s++) {
    double misfit;

    for (gsize i = 0; i < n; i++)
      point[i] = assay_stream_normal (stream);
    if (descent->search->knows_labels)
      find_labels (descent, point);
    misfit = descend_once (descent, point, spare);
    match->n_diverged += !isfinite (misfit);
    if (!(misfit < match->misfit))
      continue;
    match->misfit = misfit;
    for (gsize i = 0; i < n_images; i++)
      match->images[i] = (float) point[i];
  }
}

gboolean
gradient_descend (const GradientTarget *target, const GradientSearch *search,
                  AssaySigmoidPass *pass, AssayStream *stream, GradientMatch *inout_match,
                  GError **error)
{
  const gsize n = target->n_images + target->n_labels;
  g_auto (AssayArena) arena = { 0 };
  Descent descent = { .target = target, .search = search, .pass = pass };
  double *spare, *point, square = 0;

  descent.gradient
      = assay_arena_alloc (&arena, target->n_weights, sizeof (double), "a gradient", error);
  descent.labels = assay_arena_alloc (&arena, target->n_labels, sizeof (double), "labels", error);
  descent.slopes = assay_arena_alloc (&arena, target->n_labels, sizeof (double), "labels", error);
  spare = assay_arena_alloc (&arena, n, sizeof (double), "images", error);
  if (arena.has_failed)
    return FALSE;
  point = n <= G_MAXINT ? lbfgs_malloc ((int) n) : NULL;
  if (point == NULL)
    return assay_fail (error, ASSAY_ERROR_MEMORY, "no memory for %zu numbers of images", n);
  for (gsize i = 0; i < target->n_weights; i++)
    square += (double) target->gradient[i] * (double) target->gradient[i];
  descent.scale = square > 0 ? 1 / square : 1;
  search_starts (&descent, stream, point, spare, inout_match);
  lbfgs_free (point);
  return TRUE;
}

guint64
gradient_descent_bytes (guint64 n_weights, guint64 n_images, guint64 n_labels)
{
  /* The point, its slope and direction, these before, and the corrections. */
  return (n_weights + 2 * n_labels + (6 + 2 * CORRECTIONS) * (n_images + n_labels))
         * sizeof (double);
}
