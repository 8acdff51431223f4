/* Split halves, as tests of aptitude are judged by. */
#include "attacks/evidence/mixture-halves.h"

#include <math.h>
#include <string.h>

#include "attacks/retrieval/phase-retrieval.h"
#include "core/base/vectors.h"
#include "core/data/arena.h"

#define LEAST_MIXTURES 4 /* two in each half */

static const PhaseRetrieval refit = { .heat = 3, .rounds = 20 };

void
mixture_halves_deal (const guint32 *pairs, gsize n_mixtures, gsize n_images,
                     gboolean *ret_is_second)
{
  g_autofree gint64 *excess = g_new0 (gint64, n_images); /* of the first half over the second */

  for (gsize t = 0; t < n_mixtures; t++) {
    const guint32 *pair = pairs + MIXTURE_PRIVATE * t;
    const gboolean is_second = excess[pair[0]] + excess[pair[1]] > 0;

    ret_is_second[t] = is_second;
    for (gsize i = 0; i < MIXTURE_PRIVATE; i++)
      excess[pair[i]] += is_second ? -1 : 1;
  }
}

double
mixture_halves_reliability (double halves)
{
  return halves > 0 ? sqrt (2 * halves / (1 + halves)) : 0;
}

/* The mixtures of one half. */
static gboolean
take_half (const MixtureState *state, const gboolean *is_second, gboolean which, AssayArena *arena,
           MixtureState *ret_half, GError **error)
{
  const gsize d = state->cols, total = state->n_mixtures;
  MixtureState half = *state;

  half.labels = NULL;
  half.magnitudes = assay_arena_alloc (arena, total, d * sizeof (float), "half of it", error);
  half.known = assay_arena_alloc (arena, total, d * sizeof (float), "half of it", error);
  half.pairs = assay_arena_alloc (arena, total, 2 * sizeof (guint32), "half of it", error);
  half.weights = assay_arena_alloc (arena, total, 2 * sizeof (float), "half of it", error);
  half.noise = assay_arena_alloc (arena, total, sizeof (float), "half of it", error);
  half.images = assay_arena_alloc (arena, state->n_secrets, d * sizeof (float), "images", error);
  if (arena->has_failed)
    return FALSE;
  half.n_mixtures = 0;
  for (gsize t = 0; t < total; t++) {
    const gsize to = half.n_mixtures;

    if (is_second[t] != which)
      continue;
    memcpy (half.magnitudes + to * d, state->magnitudes + t * d, d * sizeof (float));
    memcpy (half.known + to * d, state->known + t * d, d * sizeof (float));
    memcpy (half.pairs + 2 * to, state->pairs + 2 * t, 2 * sizeof (guint32));
    memcpy (half.weights + 2 * to, state->weights + 2 * t, 2 * sizeof (float));
    half.noise[to] = state->noise[t];
    half.n_mixtures++;
  }
  memcpy (half.images, state->images, state->n_secrets * d * sizeof (float));
  *ret_half = half;
  return phase_retrieval (&refit, &half, error);
}

gboolean
mixture_halves_agree (const MixtureState *state, double *ret_agreement, GError **error)
{
  const gsize n = state->n_secrets, d = state->cols;
  g_auto (AssayArena) arena = { 0 };
  g_autofree gboolean *is_second = g_new (gboolean, state->n_mixtures);
  g_autofree gsize *counts = g_new0 (gsize, n);
  MixtureState halves[2];

  mixture_halves_deal (state->pairs, state->n_mixtures, n, is_second);
  for (gsize h = 0; h < 2; h++)
    if (!take_half (state, is_second, h == 1, &arena, &halves[h], error))
      return FALSE;
  for (gsize t = 0; t < MIXTURE_PRIVATE * state->n_mixtures; t++)
    counts[state->pairs[t]]++;
  for (gsize i = 0; i < n; i++)
    ret_agreement[i]
        = counts[i] < LEAST_MIXTURES
              ? 0
              : mixture_halves_reliability (
                  fabs (assay_correlation (halves[0].images + i * d, halves[1].images + i * d, d)));
  return TRUE;
}
