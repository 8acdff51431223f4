/* Matching squares, and searching by likelihood. */
#include "attacks/inversion/mixture-pairs.h"

#include <math.h>
#include <string.h>

#include "attacks/inversion/mixture-labels.h"
#include "core/base/parallel.h"
#include "core/base/vectorise.h"
#include "core/base/vectors.h"
#include "core/data/arena.h"
#include "core/math/linalg.h"

#define PANEL 128
#define RATIOS 9
#define MOST_NOISE 0.06f /* above, structure in what is not known outweighs the likelihood */
#define FIT_ROUNDS 2
#define LEAST_WEIGHT 0.02f
#define MOST_WEIGHT 0.98f
#define IMAGE_ERROR 0.1f /* variance of the images there are, as a multiple of public pixels' */

/* ---- Matching squares ---- */

/* Squares x_a^2 in the metric P, without their part along the variance. */
typedef struct {
  MixtureState *state;
  const float *precision;   /* P */
  float noise;              /* variance of what was added to every number */
  float *whitened_variance; /* P v for the variance v of public pixels */
  double variance_square;   /* v' P v */
  float *squares;           /* n x d */
  float *whitened_squares;  /* n x d */
  float *square_products;   /* <x_a^2, P x_b^2>, n x n */
  float *likeness;          /* <P x_a^2, e^2>, N x n */
  gsize *classes;           /* n */
  float expected_share;     /* of both secrets, without labels */
  /* For each secret a and mixture t the best pair (a, b), b > a. */
  float *best; /* n x N; negative: none */
  guint32 *best_partner;
  float *best_weights; /* n x N x 2 */
} Squares;

/* Rows and P times them, both without the part of the rows along the variance. */
static void
whiten_rows (const Squares *job, gsize count, float *inout_rows, float *ret_whitened)
{
  const gsize d = job->state->cols;

  assay_linalg_product (ASSAY_NN, assay_view_of (inout_rows, count, d),
                        assay_view_of (job->precision, d, d), ret_whitened, d);
  for (gsize i = 0; i < count; i++) {
    float *row = inout_rows + i * d, *whitened = ret_whitened + i * d;
    const float part = (float) (assay_dot (row, job->whitened_variance, d) / job->variance_square);

    for (gsize j = 0; j < d; j++) {
      row[j] -= part * job->state->variance[j];
      whitened[j] -= part * job->whitened_variance[j];
    }
  }
}

static void
whiten_squares (gsize index, G_GNUC_UNUSED guint worker, gpointer data)
{
  const Squares *job = data;
  const gsize d = job->state->cols, first = index * 8;
  const gsize count = MIN (8, job->state->n_secrets - first);

  for (gsize i = first * d; i < (first + count) * d; i++)
    job->squares[i] = job->state->images[i] * job->state->images[i];
  whiten_rows (job, count, job->squares + first * d, job->whitened_squares + first * d);
}

/* The products that the cosine of one pair is made of. */
typedef struct {
  double aa, bb, ab;          /* with the mixture: of x_a^2, x_b^2, x_a x_b */
  double aa_aa, bb_bb, ab_ab; /* among themselves */
  double aa_bb, aa_ab, bb_ab;
} Products;

static double
cosine_of (const Products *p, double a, double b)
{
  const double aa = a * a, ab = a * b, bb = b * b;
  const double with = aa * p->aa + 2 * ab * p->ab + bb * p->bb;
  const double square = aa * aa * p->aa_aa + bb * bb * p->bb_bb + 4 * ab * ab * p->ab_ab
                        + 2 * ab * ab * p->aa_bb + 4 * aa * ab * p->aa_ab + 4 * ab * bb * p->bb_ab;

  return with > 0 && square > 0 ? with / sqrt (square) : -1;
}

/* The best weights of the pair: those of the label, or, where it has only their sum, a few ratios.
 * */
static double
try_pair (const Products *products, MixtureLabels kind, float share, float *inout_weights)
{
  double best = -1, ratio;
  gsize chosen = 0;

  if (kind == MIXTURE_LABELS_EXCLUDE)
    return -1;
  if (kind == MIXTURE_LABELS_FIX)
    return cosine_of (products, inout_weights[0], inout_weights[1]);
  for (gsize i = 0; i < RATIOS; i++) {
    const double part = (double) (i + 1) / (RATIOS + 1.0);
    const double cosine = cosine_of (products, part, 1 - part);

    if (cosine > best) {
      best = cosine;
      chosen = i;
    }
  }
  ratio = (double) (chosen + 1) / (RATIOS + 1.0);
  inout_weights[0] = share * (float) ratio;
  inout_weights[1] = share * (float) (1 - ratio);
  return best;
}

/* e^2 of mixture @t less the noise. */
static void
take_square (const Squares *job, gsize t, float *ret_square)
{
  const float *e = job->state->magnitudes + t * job->state->cols;

  for (gsize j = 0; j < job->state->cols; j++)
    ret_square[j] = e[j] * e[j] - job->noise;
}

/* How like the squares of images some mixtures are. */
static void
compare_panel (gsize index, G_GNUC_UNUSED guint worker, gpointer data)
{
  const Squares *job = data;
  const gsize d = job->state->cols, n = job->state->n_secrets, first = index * PANEL;
  const gsize height = MIN (PANEL, job->state->n_mixtures - first);
  g_autofree float *squares = g_new (float, height *d);

  for (gsize i = 0; i < height; i++)
    take_square (job, first + i, squares + i * d);
  assay_linalg_product (ASSAY_NT, assay_view_of (squares, height, d),
                        assay_view_of (job->whitened_squares, n, d), job->likeness + first * n, n);
}

/* P x_a x_b of the pairs (a, b) with b > a, count x d, and all products that no mixture is in. */
static void
multiply_pairs (const Squares *job, gsize a, gsize count, float *ret_whitened,
                Products *ret_products)
{
  const MixtureState *state = job->state;
  const gsize n = state->n_secrets, d = state->cols;
  g_autofree float *rows = g_new (float, count *d);

  for (gsize i = 0; i < count; i++)
    for (gsize j = 0; j < d; j++)
      rows[i * d + j] = state->images[a * d + j] * state->images[(a + 1 + i) * d + j];
  whiten_rows (job, count, rows, ret_whitened);
  for (gsize i = 0; i < count; i++) {
    const gsize b = a + 1 + i;

    ret_products[i].aa_aa = job->square_products[a * n + a];
    ret_products[i].bb_bb = job->square_products[b * n + b];
    ret_products[i].aa_bb = job->square_products[a * n + b];
    ret_products[i].ab_ab = assay_dot (rows + i * d, ret_whitened + i * d, d);
    ret_products[i].aa_ab = assay_dot (job->squares + a * d, ret_whitened + i * d, d);
    ret_products[i].bb_ab = assay_dot (job->squares + b * d, ret_whitened + i * d, d);
  }
}

/* Mixture @t, whose products with the pairs are @likeness. */
static void
match_mixture (const Squares *job, gsize a, gsize t, const float *likeness, Products *products)
{
  const gsize n = job->state->n_secrets, at = a * job->state->n_mixtures + t;
  const float share = mixture_labels_share (job->state, t, job->expected_share);

  for (gsize b = a + 1; b < n; b++) {
    Products *p = products + (b - a - 1);
    float weights[2] = { 0, 0 };
    const MixtureLabels kind
        = mixture_labels_of (job->state, t, job->classes[a], job->classes[b], weights);
    double cosine;

    p->aa = job->likeness[t * n + a];
    p->bb = job->likeness[t * n + b];
    p->ab = likeness[b - a - 1];
    cosine = try_pair (p, kind, share, weights);
    if (cosine <= job->best[at])
      continue;
    job->best[at] = (float) cosine;
    job->best_partner[at] = (guint32) b;
    memcpy (job->best_weights + 2 * at, weights, sizeof weights);
  }
}

/* The pairs (a, b) with b > a of the mixtures that may have a in them. */
static void
match_secret (gsize a, G_GNUC_UNUSED guint worker, gpointer data)
{
  const Squares *job = data;
  const MixtureState *state = job->state;
  const gsize d = state->cols, total = state->n_mixtures, count = state->n_secrets - 1 - a;
  g_autofree float *whitened = g_new (float, MAX (count * d, 1));
  g_autofree float *gathered = g_new (float, PANEL *d);
  g_autofree float *likeness = g_new (float, PANEL *MAX (count, 1));
  g_autofree Products *products = g_new0 (Products, MAX (count, 1));
  gsize listed[PANEL];

  for (gsize t = 0; t < total; t++)
    job->best[a * total + t] = -2;
  if (count == 0)
    return;
  multiply_pairs (job, a, count, whitened, products);
  for (gsize t = 0; t < total;) {
    gsize height = 0;

    for (; t < total && height < PANEL; t++)
      if (mixture_labels_allow (state, t, job->classes[a])) {
        take_square (job, t, gathered + height * d);
        listed[height++] = t;
      }
    assay_linalg_product (ASSAY_NT, assay_view_of (gathered, height, d),
                          assay_view_of (whitened, count, d), likeness, count);
    for (gsize l = 0; l < height; l++)
      match_mixture (job, a, listed[l], likeness + l * count, products);
  }
}

/* The best of all a. A mixture that nothing is like keeps its pair. */
static void
take_best (const Squares *job)
{
  MixtureState *state = job->state;
  const gsize n = state->n_secrets, total = state->n_mixtures;

  for (gsize t = 0; t < total; t++) {
    gsize best = 0;

    for (gsize a = 1; a < n; a++)
      if (job->best[a * total + t] > job->best[best * total + t])
        best = a;
    if (job->best[best * total + t] <= -1)
      continue;
    state->pairs[2 * t] = (guint32) best;
    state->pairs[2 * t + 1] = job->best_partner[best * total + t];
    memcpy (state->weights + 2 * t, job->best_weights + 2 * (best * total + t), 2 * sizeof (float));
  }
}

gboolean
mixture_pairs_match_squares (MixtureState *state, const float *precision, double noise,
                             GError **error)
{
  const gsize n = state->n_secrets, d = state->cols, total = state->n_mixtures;
  g_auto (AssayArena) arena = { 0 };
  Squares job
      = { .state = state,
          .precision = precision,
          .noise = (float) noise,
          .expected_share = (float) mixture_state_expected_share (state),
          .whitened_variance = assay_arena_alloc (&arena, d, sizeof (float), "squares", error),
          .squares = assay_arena_alloc (&arena, n, d * sizeof (float), "squares", error),
          .whitened_squares = assay_arena_alloc (&arena, n, d * sizeof (float), "squares", error),
          .square_products = assay_arena_alloc (&arena, n, n * sizeof (float), "squares", error),
          .likeness = assay_arena_alloc (&arena, total, n * sizeof (float), "likeness", error),
          .classes = assay_arena_alloc (&arena, n, sizeof (gsize), "classes", error),
          .best = assay_arena_alloc (&arena, total, n * sizeof (float), "pairs", error),
          .best_partner = assay_arena_alloc (&arena, total, n * sizeof (guint32), "pairs", error),
          .best_weights
          = assay_arena_alloc (&arena, total, 2 * n * sizeof (float), "pairs", error) };

  if (arena.has_failed)
    return FALSE;
  mixture_labels_find_classes (state, job.classes);
  assay_linalg_product (ASSAY_NN, assay_view_of (state->variance, 1, d),
                        assay_view_of (precision, d, d), job.whitened_variance, d);
  job.variance_square = assay_dot (state->variance, job.whitened_variance, d);
  assay_parallel_for ((n + 7) / 8, whiten_squares, &job);
  assay_linalg_product (ASSAY_NT, assay_view_of (job.squares, n, d),
                        assay_view_of (job.whitened_squares, n, d), job.square_products, n);
  assay_parallel_for ((total + PANEL - 1) / PANEL, compare_panel, &job);
  assay_parallel_for (n, match_secret, &job);
  take_best (&job);
  return TRUE;
}

/* ---- Searching ---- */

typedef struct {
  MixtureState *state;
  const gsize *classes;
  gsize *n_changed; /* a panel */
} Search;

/* Sum of (e - |a x + rest|)^2 / variance, in eight sums, so that it becomes vectors. */
ASSAY_VECTORISED static float
misfit (const float *restrict e, const float *restrict rest, const float *restrict x, float a,
        const float *restrict inverse_variance, gsize d)
{
  float sums[8] = { 0 };

  for (gsize j = 0; j + 8 <= d; j += 8)
    for (gsize l = 0; l < 8; l++) {
      const float gap = e[j + l] - fabsf (a * x[j + l] + rest[j + l]);

      sums[l] += gap * gap * inverse_variance[j + l];
    }
  for (gsize j = d / 8 * 8; j < d; j++) {
    const float gap = e[j] - fabsf (a * x[j] + rest[j]);

    sums[0] += gap * gap * inverse_variance[j];
  }
  return ((sums[0] + sums[4]) + (sums[1] + sums[5])) + ((sums[2] + sums[6]) + (sums[3] + sums[7]));
}

/* The weight of x with which a x + rest is nearest to e with the signs that it has with @a. */
ASSAY_VECTORISED static float
fit_weight (const float *restrict e, const float *restrict rest, const float *restrict x, float a,
            const float *restrict inverse_variance, gsize d)
{
  float with[8] = { 0 }, square[8] = { 0 };
  float sum_with = 0, sum_square = 0;

  for (gsize j = 0; j + 8 <= d; j += 8)
    for (gsize l = 0; l < 8; l++) {
      const float scaled = x[j + l] * inverse_variance[j + l];
      const float u = a * x[j + l] + rest[j + l];

      with[l] += scaled * ((u < 0 ? -e[j + l] : e[j + l]) - rest[j + l]);
      square[l] += scaled * x[j + l];
    }
  for (gsize l = 0; l < 8; l++) {
    sum_with += with[l];
    sum_square += square[l];
  }
  return sum_square > 0 ? CLAMP (sum_with / sum_square, LEAST_WEIGHT, MOST_WEIGHT) : a;
}

/* -2 log likelihood of a pair, but for constants. */
static double
unlikelihood (const MixtureState *state, gsize t, double square, const float *weights)
{
  const double s
      = state->noise[t] + IMAGE_ERROR * (weights[0] * weights[0] + weights[1] * weights[1]);

  return square / s + (double) state->cols * log (s);
}

typedef struct {
  guint32 pair[MIXTURE_PRIVATE];
  float weights[MIXTURE_PRIVATE];
  double unlikelihood;
} Choice;

/* Keeps one secret of a mixture and tries all others beside it. */
static void
search_other (const Search *job, gsize t, gsize kept, const float *inverse_variance, float *rest,
              Choice *inout_best)
{
  const MixtureState *state = job->state;
  const gsize n = state->n_secrets, d = state->cols, other = 1 - kept;
  const guint32 a = state->pairs[2 * t + kept];
  const float *weights = state->weights + 2 * t, *e = state->magnitudes + t * d;
  const float *x = state->images + a * d, *v = state->known + t * d;
  float last = -1;

  for (guint32 b = 0; b < n; b++) {
    float told[2] = { weights[kept], weights[other] };
    const MixtureLabels kind = mixture_labels_of (state, t, job->classes[a], job->classes[b], told);
    double value;

    if (b == a || kind == MIXTURE_LABELS_EXCLUDE)
      continue;
    if (kind == MIXTURE_LABELS_SUM)
      memcpy (told, (const float[]){ weights[kept], weights[other] }, sizeof told);
    for (gsize j = 0; told[0] != last && j < d; j++)
      rest[j] = told[0] * x[j] + v[j];
    last = told[0];
    for (gsize i = 0; kind == MIXTURE_LABELS_OPEN && i < FIT_ROUNDS; i++)
      told[1] = fit_weight (e, rest, state->images + b * d, told[1], inverse_variance, d);
    value = unlikelihood (
        state, t, misfit (e, rest, state->images + b * d, told[1], inverse_variance, d), told);
    if (value < inout_best->unlikelihood) {
      inout_best->unlikelihood = value;
      inout_best->pair[kept] = a;
      inout_best->pair[other] = b;
      inout_best->weights[kept] = told[0];
      inout_best->weights[other] = told[1];
    }
  }
}

/* Keeps either secret, whichever leads to the likelier pair. */
static gboolean
search_pair (const Search *job, gsize t, const float *inverse_variance, float *rest)
{
  MixtureState *state = job->state;
  guint32 *pair = state->pairs + 2 * t;
  Choice best = { .unlikelihood = G_MAXDOUBLE };
  gboolean is_changed;

  search_other (job, t, 0, inverse_variance, rest, &best);
  search_other (job, t, 1, inverse_variance, rest, &best);
  if (best.unlikelihood == G_MAXDOUBLE)
    return FALSE;
  is_changed = best.pair[0] != pair[0] || best.pair[1] != pair[1];
  memcpy (pair, best.pair, sizeof best.pair);
  memcpy (state->weights + 2 * t, best.weights, sizeof best.weights);
  return is_changed;
}

/* A mixture that its pair does not explain has more noise than what is unknown of its public part.
 * */
static void
judge_noise (const Search *job, gsize t, const float *inverse_variance, float *rest)
{
  MixtureState *state = job->state;
  const gsize d = state->cols;
  const float *x = state->images + state->pairs[2 * t] * d, *v = state->known + t * d;
  float square;

  for (gsize j = 0; j < d; j++)
    rest[j] = state->weights[2 * t] * x[j] + v[j];
  square = misfit (state->magnitudes + t * d, rest, state->images + state->pairs[2 * t + 1] * d,
                   state->weights[2 * t + 1], inverse_variance, d);
  state->noise[t] = MAX (state->noise[t], 2 * square / (float) d);
}

static void
search_panel (gsize index, G_GNUC_UNUSED guint worker, gpointer data)
{
  const Search *job = data;
  const gsize d = job->state->cols, first = index * PANEL;
  const gsize last = MIN (first + PANEL, job->state->n_mixtures);
  g_autofree float *inverse_variance = g_new (float, d);
  g_autofree float *rest = g_new (float, d);

  for (gsize j = 0; j < d; j++)
    inverse_variance[j] = 1 / job->state->variance[j];
  for (gsize t = first; t < last; t++) {
    if (job->state->noise[t] <= MOST_NOISE + job->state->added_noise)
      job->n_changed[index] += search_pair (job, t, inverse_variance, rest) ? 1 : 0;
    judge_noise (job, t, inverse_variance, rest);
  }
}

gsize
mixture_pairs_search (MixtureState *state)
{
  const gsize n_panels = (state->n_mixtures + PANEL - 1) / PANEL;
  g_autofree gsize *classes = g_new (gsize, state->n_secrets);
  g_autofree gsize *n_changed = g_new0 (gsize, n_panels);
  Search job = { .state = state, .classes = classes, .n_changed = n_changed };
  gsize sum = 0;

  mixture_labels_find_classes (state, classes);
  assay_parallel_for (n_panels, search_panel, &job);
  for (gsize i = 0; i < n_panels; i++)
    sum += n_changed[i];
  return sum;
}
