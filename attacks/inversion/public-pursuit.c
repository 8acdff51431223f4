/* Steps of a pursuit for panels of mixtures. */
#include "attacks/inversion/public-pursuit.h"

#include <math.h>
#include <string.h>

#include "attacks/inversion/mixture-labels.h"
#include "core/base/parallel.h"
#include "core/base/vectorise.h"
#include "core/base/vectors.h"
#include "core/math/linalg.h"

#define PANEL 128
#define EVIDENCE 1.0 /* standard deviations above what the best of n by chance comes to */
#define FIT_ROUNDS 3
#define LEAST_SHARE 0.02 /* of public images that are not found */
#define MOST_FEATURES 64

/* P times the rows. */
static void
whiten (const float *precision, gsize n, gsize d, const float *rows, float *ret_whitened)
{
  assay_linalg_product_in_parallel (ASSAY_NN, assay_view_of (rows, n, d),
                                    assay_view_of (precision, d, d), ret_whitened);
}

gboolean
public_filter_init (const MixtureState *state, const float *precision, const double *mean,
                    AssayArena *arena, PublicFilter *ret_filter, GError **error)
{
  const gsize n = state->n_public, d = state->cols;
  const PublicFilter filter
      = { .precision = precision,
          .offsets = assay_arena_alloc (arena, n, sizeof (float), "public images", error),
          .whitened = assay_arena_alloc (arena, n, d * sizeof (float), "public images", error),
          .lengths = assay_arena_alloc (arena, n, sizeof (double), "public images", error) };
  float *mean_row;

  if (arena->has_failed)
    return FALSE;
  mean_row = assay_arena_alloc (arena, 2 * d, sizeof (float), "public images", error);
  if (mean_row == NULL)
    return FALSE;
  for (gsize j = 0; j < d; j++)
    mean_row[j] = (float) mean[j];
  whiten (precision, 1, d, mean_row, mean_row + d);
  whiten (precision, n, d, state->public_images, filter.whitened);
  for (gsize i = 0; i < n; i++) {
    float *whitened = filter.whitened + i * d;
    float square;

    for (gsize j = 0; j < d; j++)
      whitened[j] -= mean_row[d + j];
    filter.offsets[i] = assay_lanes_dot_float (mean_row, whitened, d);
    square = assay_lanes_dot_float (state->public_images + i * d, whitened, d) - filter.offsets[i];
    filter.lengths[i] = sqrt (MAX (square, 1e-30f));
  }
  *ret_filter = filter;
  return TRUE;
}

/* ---- One mixture ---- */

typedef struct {
  MixtureState *state;
  const PublicFilter *filter;
  const float *whitened_images; /* P x, n x d */
  const gsize *classes;
  float image_error;
  gboolean keeps_complete;
  gsize *n_found; /* a panel */
} Pursuit;

/* What a worker has of its panel. */
typedef struct {
  float *shares;    /* PANEL x (k - 2): of the images found */
  float *signed_e;  /* PANEL x d */
  float *residuals; /* PANEL x d */
  float *scores;    /* PANEL x n_public */
  float *part;      /* d */
} Room;

/* e tanh (e (u + v) / s^2), and that less u and v, where s^2 is @noise times the variance of each
 * pixel. tanh by its continued fraction, as for pixels. */
ASSAY_VECTORISED static void
expect_signs (const MixtureState *state, gsize t, const float *restrict u, float noise,
              float *restrict ret_signed, float *restrict ret_residual)
{
  const float *restrict e = state->magnitudes + t * state->cols;
  const float *restrict v = state->known + t * state->cols;
  const float *restrict variance = state->variance;

  for (gsize j = 0; j < state->cols; j++) {
    const float x = e[j] * (u[j] + v[j]) / (noise * variance[j]);

    ret_signed[j] = e[j] * mixture_soft_sign (x);
    ret_residual[j] = ret_signed[j] - u[j] - v[j];
  }
}

static gsize
count_found (const MixtureState *state, gsize t)
{
  gsize count = 0;

  while (count < state->n_partners && state->partners[t * state->n_partners + count] >= 0)
    count++;
  return count;
}

/* The noise that the share left over makes, and v, from weights and shares. */
static void
update_mixture (const Pursuit *job, gsize t, const float *shares)
{
  MixtureState *state = job->state;
  const gsize d = state->cols, m = state->n_partners, found = count_found (state, t);
  const gint32 *partners = state->partners + t * m;
  float *known = state->known + t * d;
  double left = 1 - state->weights[2 * t] - state->weights[2 * t + 1];

  memset (known, 0, d * sizeof *known);
  for (gsize i = 0; i < found; i++) {
    const float *image = state->public_images + (gsize) partners[i] * d;

    left -= shares[i];
    for (gsize j = 0; j < d; j++)
      known[j] += shares[i] * image[j];
  }
  state->noise[t] = found == m ? MIXTURE_LEAST_NOISE + state->added_noise
                               : mixture_state_noise (state, MAX (left, LEAST_SHARE), m - found);
}

static float
extra_noise (const Pursuit *job, gsize t)
{
  const float *weights = job->state->weights + 2 * t;

  return job->image_error * (weights[0] * weights[0] + weights[1] * weights[1]);
}

static void
expect_mixture (const Pursuit *job, gsize t, gsize row, const Room *room)
{
  MixtureState *state = job->state;
  const gsize d = state->cols;

  mixture_state_private_part (state, t, room->part);
  expect_signs (state, t, room->part, state->noise[t] + extra_noise (job, t),
                room->signed_e + row * d, room->residuals + row * d);
}

/* Whether the label leaves the weights of the two secrets to be fitted, as far as it does. */
static gboolean
is_open (const Pursuit *job, gsize t)
{
  const guint32 *pair = job->state->pairs + 2 * t;
  float unused[2];
  const MixtureLabels kind
      = mixture_labels_of (job->state, t, job->classes[pair[0]], job->classes[pair[1]], unused);

  return kind == MIXTURE_LABELS_OPEN || kind == MIXTURE_LABELS_SUM;
}

/* Features of the fit: the public images found, then, where their weights are open, the secrets. */
typedef struct {
  gsize count;
  const float *plain[MOST_FEATURES];
  const float *whitened[MOST_FEATURES];
  float offsets[MOST_FEATURES]; /* of public images, which are less their mean: <mean, whitened> */
  double gram[MOST_FEATURES * MOST_FEATURES];
} Features;

static void
gather_features (const Pursuit *job, gsize t, Features *ret_features)
{
  const MixtureState *state = job->state;
  const gsize d = state->cols, found = count_found (state, t);
  Features *f = ret_features;
  double trace = 0;

  f->count = 0;
  for (gsize i = 0; i < found; i++) {
    const gsize row = (gsize) state->partners[t * state->n_partners + i];

    f->plain[f->count] = state->public_images + row * d;
    f->offsets[f->count] = job->filter->offsets[row];
    f->whitened[f->count++] = job->filter->whitened + row * d;
  }
  for (gsize i = 0; is_open (job, t) && i < MIXTURE_PRIVATE; i++) {
    f->plain[f->count] = state->images + state->pairs[2 * t + i] * d;
    f->whitened[f->count++] = job->whitened_images + state->pairs[2 * t + i] * d;
  }
  for (gsize i = 0; i < f->count; i++)
    for (gsize j = 0; j <= i; j++)
      f->gram[i * f->count + j] = f->gram[j * f->count + i]
          = assay_lanes_dot_float (f->plain[i], f->whitened[j], d)
            - (i < found ? f->offsets[j] : 0);
  for (gsize i = 0; i < f->count; i++)
    trace += f->gram[i * f->count + i] / (double) f->count;
  for (gsize i = 0; i < f->count; i++)
    f->gram[i * f->count + i] += 1e-3 * trace;
}

/* Weights of secrets as far as the label leaves them open. All shares are at least 0 and sum to 1
 * at most, to 1 where every image is known. */
static void
take_solution (const Pursuit *job, gsize t, const double *solution, gsize found, float *ret_shares)
{
  MixtureState *state = job->state;
  float *weights = state->weights + 2 * t;
  const gboolean is_all = found == state->n_partners && found > 0;
  double sum = 0, private_share = (double) weights[0] + weights[1], scale;

  for (gsize i = 0; i < found; i++)
    sum += MAX (solution[i], 0);
  if (is_open (job, t)) {
    const double a = MAX (solution[found], LEAST_SHARE), b = MAX (solution[found + 1], LEAST_SHARE);
    const double total = a + b + sum;

    private_share = a + b;
    if (state->labels != NULL)
      private_share = mixture_labels_share (state, t, 0);
    else if (is_all || total > 1)
      private_share /= total;
    weights[0] = (float) (private_share * a / (a + b));
    weights[1] = (float) (private_share * b / (a + b));
  }
  scale = (1 - private_share) / MAX (sum, 1e-9);
  for (gsize i = 0; i < found; i++)
    ret_shares[i] = (float) (MAX (solution[i], 0) * (is_all ? scale : MIN (1, scale)));
}

static void
fit_mixture (const Pursuit *job, gsize t, gsize row, const Room *room)
{
  MixtureState *state = job->state;
  const gsize d = state->cols, found = count_found (state, t);
  const gboolean weights_are_open = is_open (job, t);
  float *shares = room->shares + row * state->n_partners;
  Features features;

  gather_features (job, t, &features);
  if (features.count == 0)
    return;
  for (gsize round = 0; round < FIT_ROUNDS; round++) {
    const float *target = room->signed_e + row * d;
    double right[MOST_FEATURES];
    g_autoptr (GError) error = NULL;

    expect_mixture (job, t, row, room);
    /* What the label tells of the secrets is no part of what is fitted. */
    for (gsize j = 0; !weights_are_open && j < d; j++)
      room->signed_e[row * d + j] -= room->part[j];
    for (gsize i = 0; i < features.count; i++)
      right[i] = assay_lanes_dot_float (target, features.whitened[i], d);
    /* Two features that are the same: what was fitted before stays. */
    if (!assay_linalg_solve_spd (features.count, 1, features.gram, right, &error))
      return;
    take_solution (job, t, right, found, shares);
    update_mixture (job, t, shares);
  }
}

/* The public image that stands out most from all others, if one does. */
static void
take_best (const Pursuit *job, gsize t, const float *scores)
{
  MixtureState *state = job->state;
  const gsize n = state->n_public, m = state->n_partners, found = count_found (state, t);
  gint32 *partners = state->partners + t * m;
  double sum = 0, square = 0, most = 0, mean, deviation;
  gsize best = G_MAXSIZE;

  for (gsize z = 0; z < n; z++) {
    const double score = scores[z] / job->filter->lengths[z];
    gboolean is_taken = FALSE;

    sum += score;
    square += score * score;
    for (gsize i = 0; i < found; i++)
      is_taken |= partners[i] == (gint32) z;
    if (!is_taken && (best == G_MAXSIZE || score > most)) {
      best = z;
      most = score;
    }
  }
  if (best == G_MAXSIZE)
    return;
  mean = sum / (double) n;
  deviation = sqrt (MAX (square / (double) n - mean * mean, 0));
  if (most - mean > (sqrt (2 * log ((double) n)) + EVIDENCE) * deviation)
    partners[found] = (gint32) best;
}

/* One more public image for each of the @height mixtures from @first on that has @step of them. */
static void
take_step (const Pursuit *job, gsize step, gsize first, gsize height, const Room *room)
{
  const MixtureState *state = job->state;
  const gsize d = state->cols, n = state->n_public;
  gsize listed[PANEL], count = 0;

  for (gsize row = 0; row < height; row++)
    if (count_found (state, first + row) == step) {
      expect_mixture (job, first + row, count, room);
      listed[count++] = row;
    }
  if (count == 0)
    return;
  assay_linalg_product (ASSAY_NT, assay_view_of (room->residuals, count, d),
                        assay_view_of (job->filter->whitened, n, d), room->scores, n);
  for (gsize i = 0; i < count; i++) {
    take_best (job, first + listed[i], room->scores + i * n);
    fit_mixture (job, first + listed[i], listed[i], room);
  }
}

static void
pursue_panel (gsize index, G_GNUC_UNUSED guint worker, gpointer data)
{
  const Pursuit *job = data;
  MixtureState *state = job->state;
  const gsize d = state->cols, m = state->n_partners;
  const gsize first = index * PANEL, height = MIN (PANEL, state->n_mixtures - first);
  g_autofree float *shares = g_new0 (float, PANEL *MAX (m, 1));
  g_autofree float *signed_e = g_new (float, PANEL *d);
  g_autofree float *residuals = g_new (float, PANEL *d);
  g_autofree float *scores = g_new (float, PANEL * state->n_public);
  g_autofree float *part = g_new (float, d);
  const Room room = {
    .shares = shares, .signed_e = signed_e, .residuals = residuals, .scores = scores, .part = part
  };

  for (gsize row = 0; row < height; row++) {
    if (job->keeps_complete && count_found (state, first + row) == m)
      continue;
    for (gsize i = 0; i < m; i++)
      state->partners[(first + row) * m + i] = -1;
    update_mixture (job, first + row, shares);
    fit_mixture (job, first + row, row, &room);
  }
  for (gsize step = 0; step < m; step++)
    take_step (job, step, first, height, &room);
  for (gsize row = 0; row < height; row++)
    job->n_found[index] += count_found (state, first + row);
}

gboolean
public_pursuit (const PublicPursuit *options, const PublicFilter *filter, MixtureState *state,
                gsize *ret_found, GError **error)
{
  const gsize n = state->n_secrets, d = state->cols;
  const gsize n_panels = (state->n_mixtures + PANEL - 1) / PANEL;
  g_auto (AssayArena) arena = { 0 };
  float *whitened = assay_arena_alloc (&arena, n, d * sizeof (float), "images", error);
  gsize *classes = assay_arena_alloc (&arena, n, sizeof (gsize), "classes", error);
  Pursuit job
      = { .state = state,
          .filter = filter,
          .whitened_images = whitened,
          .classes = classes,
          .image_error = (float) options->image_error,
          .keeps_complete = options->keeps_complete,
          .n_found = assay_arena_alloc (&arena, n_panels, sizeof (gsize), "public images", error) };
  gsize sum = 0;

  if (arena.has_failed)
    return FALSE;
  whiten (filter->precision, n, d, state->images, whitened);
  mixture_labels_find_classes (state, classes);
  assay_parallel_for (n_panels, pursue_panel, &job);
  for (gsize i = 0; i < n_panels; i++)
    sum += job.n_found[i];
  *ret_found = sum;
  return TRUE;
}
