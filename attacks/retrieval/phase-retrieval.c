/* Expectation-maximisation with soft signs, for panels of pixels. */
#include "attacks/retrieval/phase-retrieval.h"

#include <math.h>
#include <string.h>

#include "core/base/parallel.h"
#include "core/base/vectorise.h"
#include "core/data/arena.h"
#include "core/math/linalg.h"

#define PANEL 64
#define POWER_ROUNDS 40
#define COOLING 0.8       /* the part of the rounds in which s^2 falls */
#define MODEL_ERROR 0.05f /* variance that rows have beside their noise when they are weighed */

/* One panel of at most PANEL pixels. */
typedef struct {
  const MixtureState *state;
  const float *row_weights; /* N */
  const float *inverse;     /* of the normal matrix, n x n */
  float *e;                 /* N x PANEL */
  float *v;                 /* N x PANEL */
  float *x;                 /* n x PANEL */
  float *right;             /* n x PANEL */
  float inverse_variance[PANEL];
} Panel;

/* right = A' W (e tanh (e u / (heat s^2)) - v), u = A x + v. */
ASSAY_VECTORISED static void
expect (const Panel *panel, float heat)
{
  const MixtureState *state = panel->state;
  const float *restrict inverse_variance = panel->inverse_variance;

  memset (panel->right, 0, state->n_secrets * PANEL * sizeof *panel->right);
  for (gsize t = 0; t < state->n_mixtures; t++) {
    const guint32 *pair = state->pairs + MIXTURE_PRIVATE * t;
    const float *weights = state->weights + MIXTURE_PRIVATE * t;
    const float *restrict xa = panel->x + pair[0] * PANEL;
    const float *restrict xb = panel->x + pair[1] * PANEL;
    const float *restrict e = panel->e + t * PANEL;
    const float *restrict v = panel->v + t * PANEL;
    float *restrict right_a = panel->right + pair[0] * PANEL;
    float *restrict right_b = panel->right + pair[1] * PANEL;
    const float a = weights[0], b = weights[1];
    const float wa = panel->row_weights[t] * a, wb = panel->row_weights[t] * b;
    const float cold = 1 / (heat * state->noise[t]);
    float signed_e[PANEL]; /* apart, so that both loops become vectors */

    for (gsize j = 0; j < PANEL; j++) {
      const float u = a * xa[j] + b * xb[j] + v[j];

      signed_e[j] = e[j] * mixture_soft_sign (e[j] * u * cold * inverse_variance[j]) - v[j];
    }
    for (gsize j = 0; j < PANEL; j++) {
      right_a[j] += wa * signed_e[j];
      right_b[j] += wb * signed_e[j];
    }
  }
}

/* right = A' W diag (e^2 - mean) A x. */
ASSAY_VECTORISED static void
multiply_moments (const Panel *panel, const float *mean)
{
  const MixtureState *state = panel->state;

  memset (panel->right, 0, state->n_secrets * PANEL * sizeof *panel->right);
  for (gsize t = 0; t < state->n_mixtures; t++) {
    const guint32 *pair = state->pairs + MIXTURE_PRIVATE * t;
    const float *weights = state->weights + MIXTURE_PRIVATE * t;
    const float *restrict xa = panel->x + pair[0] * PANEL;
    const float *restrict xb = panel->x + pair[1] * PANEL;
    const float *restrict e = panel->e + t * PANEL;
    float *restrict right_a = panel->right + pair[0] * PANEL;
    float *restrict right_b = panel->right + pair[1] * PANEL;
    const float a = weights[0], b = weights[1], w = panel->row_weights[t];

    for (gsize j = 0; j < PANEL; j++) {
      const float moment = w * (e[j] * e[j] - mean[j]) * (a * xa[j] + b * xb[j]);

      right_a[j] += a * moment;
      right_b[j] += b * moment;
    }
  }
}

/* Scales each pixel's vector to the length sqrt (n), that of normalised images. */
static void
normalise (gsize n, float *x)
{
  for (gsize j = 0; j < PANEL; j++) {
    double square = 0;
    float scale;

    for (gsize i = 0; i < n; i++)
      square += (double) x[i * PANEL + j] * x[i * PANEL + j];
    scale = square > 0 ? (float) sqrt ((double) n / square) : 0;
    for (gsize i = 0; i < n; i++)
      x[i * PANEL + j] *= scale;
  }
}

static void
start_cold (Panel *panel)
{
  const MixtureState *state = panel->state;
  const gsize n = state->n_secrets;
  AssayStream stream = assay_stream (assay_stream_key (0, 0, "phase-retrieval", ""), 0);
  double total = 0, sums[PANEL] = { 0 };
  float mean[PANEL];

  for (gsize t = 0; t < state->n_mixtures; t++) {
    total += panel->row_weights[t];
    for (gsize j = 0; j < PANEL; j++) {
      const float e = panel->e[t * PANEL + j];

      sums[j] += panel->row_weights[t] * e * e;
    }
  }
  for (gsize j = 0; j < PANEL; j++)
    mean[j] = (float) (sums[j] / total);
  for (gsize i = 0; i < n * PANEL; i++)
    panel->x[i] = (float) assay_stream_normal (&stream);
  for (gsize round = 0; round < POWER_ROUNDS; round++) {
    multiply_moments (panel, mean);
    memcpy (panel->x, panel->right, n * PANEL * sizeof *panel->x);
    normalise (n, panel->x);
  }
}

typedef struct {
  const PhaseRetrieval *options;
  MixtureState *state;
  const float *row_weights;
  const float *inverse;
} Job;

static void
retrieve_panel (gsize index, G_GNUC_UNUSED guint worker, gpointer data)
{
  const Job *job = data;
  MixtureState *state = job->state;
  const gsize n = state->n_secrets, total = state->n_mixtures, d = state->cols;
  const gsize first = index * PANEL, width = MIN (PANEL, d - first);
  g_autofree float *e = g_new0 (float, total *PANEL);
  g_autofree float *v = g_new0 (float, total *PANEL);
  g_autofree float *x = g_new0 (float, n *PANEL);
  g_autofree float *right = g_new (float, n *PANEL);
  Panel panel = { .state = state,
                  .row_weights = job->row_weights,
                  .inverse = job->inverse,
                  .e = e,
                  .v = v,
                  .x = x,
                  .right = right };

  for (gsize t = 0; t < total; t++) {
    memcpy (e + t * PANEL, state->magnitudes + t * d + first, width * sizeof *e);
    memcpy (v + t * PANEL, state->known + t * d + first, width * sizeof *v);
  }
  for (gsize j = 0; j < width; j++)
    panel.inverse_variance[j] = 1 / state->variance[first + j];
  if (job->options->is_cold)
    start_cold (&panel);
  else
    for (gsize i = 0; i < n; i++)
      memcpy (x + i * PANEL, state->images + i * d + first, width * sizeof *x);
  for (gsize round = 0; round < job->options->rounds; round++) {
    const double done = (double) round / (COOLING * (double) job->options->rounds);

    expect (&panel, (float) pow (job->options->heat, MAX (0, 1 - done)));
    assay_linalg_product (ASSAY_NN, assay_view_of (job->inverse, n, n),
                          assay_view_of (right, n, PANEL), x, PANEL);
  }
  for (gsize i = 0; i < n; i++)
    memcpy (state->images + i * d + first, x + i * PANEL, width * sizeof *x);
}

/* (A' W A + I)^-1. */
static gboolean
invert_normal_matrix (const MixtureState *state, const float *row_weights, float *ret_inverse,
                      GError **error)
{
  const gsize n = state->n_secrets;
  g_autofree double *matrix = assay_alloc (n * n, sizeof (double), "normal matrix", error);
  g_autofree double *right = assay_alloc (n * n, sizeof (double), "normal matrix", error);

  if (matrix == NULL || right == NULL)
    return FALSE;
  for (gsize i = 0; i < n; i++)
    matrix[i * n + i] = right[i * n + i] = 1;
  for (gsize t = 0; t < state->n_mixtures; t++)
    for (gsize i = 0; i < MIXTURE_PRIVATE; i++)
      for (gsize j = 0; j < MIXTURE_PRIVATE; j++)
        matrix[state->pairs[MIXTURE_PRIVATE * t + i] * n + state->pairs[MIXTURE_PRIVATE * t + j]]
            += (double) row_weights[t] * state->weights[MIXTURE_PRIVATE * t + i]
               * state->weights[MIXTURE_PRIVATE * t + j];
  if (!assay_linalg_solve_spd (n, n, matrix, right, error))
    return FALSE;
  for (gsize i = 0; i < n * n; i++)
    ret_inverse[i] = (float) right[i];
  return TRUE;
}

gboolean
phase_retrieval (const PhaseRetrieval *options, MixtureState *state, GError **error)
{
  const gsize n = state->n_secrets;
  g_auto (AssayArena) arena = { 0 };
  float *row_weights
      = assay_arena_alloc (&arena, state->n_mixtures, sizeof (float), "weights of mixtures", error);
  float *inverse = assay_arena_alloc (&arena, n * n, sizeof (float), "normal matrix", error);
  const Job job
      = { .options = options, .state = state, .row_weights = row_weights, .inverse = inverse };

  if (arena.has_failed)
    return FALSE;
  for (gsize t = 0; t < state->n_mixtures; t++)
    row_weights[t] = 1 / (state->noise[t] + MODEL_ERROR);
  if (!invert_normal_matrix (state, row_weights, inverse, error))
    return FALSE;
  assay_parallel_for ((state->cols + PANEL - 1) / PANEL, retrieve_panel, (gpointer) &job);
  state->is_smooth = FALSE;
  return TRUE;
}

/* ---- Signs of pixels ---- */

typedef struct {
  MixtureState *state;
  gsize *n_turned; /* a panel */
} Turn;

/* (e - |u + v|)^2 - (e - |u - v|)^2 = 4 u v - 2 e (|u + v| - |u - v|). */
static void
turn_panel (gsize index, G_GNUC_UNUSED guint worker, gpointer data)
{
  const Turn *job = data;
  MixtureState *state = job->state;
  const gsize d = state->cols, first = index * PANEL, width = MIN (PANEL, d - first);
  double excess[PANEL] = { 0 };

  for (gsize t = 0; t < state->n_mixtures; t++) {
    const guint32 *pair = state->pairs + MIXTURE_PRIVATE * t;
    const float *weights = state->weights + MIXTURE_PRIVATE * t;
    const float *xa = state->images + pair[0] * d + first;
    const float *xb = state->images + pair[1] * d + first;
    const float *e = state->magnitudes + t * d + first, *v = state->known + t * d + first;

    for (gsize j = 0; j < width; j++) {
      const float u = weights[0] * xa[j] + weights[1] * xb[j];

      excess[j]
          += (4 * u * v[j] - 2 * e[j] * (fabsf (u + v[j]) - fabsf (u - v[j]))) / state->noise[t];
    }
  }
  for (gsize j = 0; j < width; j++)
    if (excess[j] > 0) {
      job->n_turned[index]++;
      for (gsize i = 0; i < state->n_secrets; i++)
        state->images[i * d + first + j] *= -1;
    }
}

gsize
phase_retrieval_turn_pixels (MixtureState *state)
{
  const gsize n_panels = (state->cols + PANEL - 1) / PANEL;
  g_autofree gsize *n_turned = g_new0 (gsize, n_panels);
  Turn job = { .state = state, .n_turned = n_turned };
  gsize sum = 0;

  assay_parallel_for (n_panels, turn_panel, &job);
  for (gsize i = 0; i < n_panels; i++)
    sum += n_turned[i];
  return sum;
}
