/* A state of mixture-inversion in which everything is right, for tests of its steps. */
#pragma once

#include <criterion/criterion.h>
#include <math.h>

#include "attacks/mixtures/mixture-state.h"
#include "tests/unit/attacks/inversion-sizes.h"

typedef struct {
  InstaHide *made;
  MixtureState state;
} Scene;

static void
scene_clear (Scene *scene)
{
  instahide_free (scene->made);
  g_free (scene->state.magnitudes);
  g_free (scene->state.variance);
  g_free (scene->state.pairs);
  g_free (scene->state.weights);
  g_free (scene->state.images);
  g_free (scene->state.known);
  g_free (scene->state.noise);
  g_free (scene->state.partners);
}

G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (Scene, scene_clear)

/* The truth, with public images known or counted as noise. */
static void
scene_make (const InstaHideSizes *wanted, gboolean is_known, Scene *scene)
{
  InstaHide *made = scene->made = instahide_new (wanted);
  MixtureState *state = &scene->state;
  const gsize total = made->total, d = made->cols, p = wanted->n_partners;

  *state = (MixtureState){ .n_secrets = wanted->n_secrets,
                           .n_mixtures = total,
                           .cols = d,
                           .n_public = wanted->n_public,
                           .n_partners = p,
                           .n_classes = wanted->n_classes,
                           .geometry
                           = { .height = wanted->side, .width = wanted->side, .channels = 1 },
                           .labels = made->labels->data,
                           .public_images = made->publics->data };
  state->magnitudes = g_new (float, total *d);
  state->variance = g_new (float, d);
  state->pairs = g_memdup2 (made->sources, total * 2 * sizeof (guint32));
  state->weights = g_memdup2 (made->weights, total * 2 * sizeof (float));
  state->images = g_memdup2 (made->secrets->data, wanted->n_secrets * d * sizeof (float));
  state->known = g_new0 (float, total *d);
  state->noise = g_new (float, total);
  state->partners = g_new (gint32, total * (p + 1));
  for (gsize i = 0; i < total * d; i++)
    state->magnitudes[i] = fabsf (made->mixtures->data[i]);
  for (gsize j = 0; j < d; j++)
    state->variance[j] = 1;
  for (gsize t = 0; t < total; t++) {
    const float share = made->weights[2 * t] + made->weights[2 * t + 1];

    state->noise[t] = is_known ? MIXTURE_LEAST_NOISE : mixture_state_spread (1 - share, p);
    for (gsize i = 0; i < p; i++) {
      state->partners[t * p + i] = is_known ? (gint32) made->partners[t * p + i] : -1;
      for (gsize j = 0; is_known && j < d; j++)
        state->known[t * d + j]
            += made->shares[t * p + i] * made->publics->data[made->partners[t * p + i] * d + j];
    }
  }
}
