/* What becomes of an attempt's images. */
#include <criterion/criterion.h>
#include <string.h>

#include "attacks/inversion/mixture-result.h"
#include "tests/unit/attacks/mixture-scene.h"

#define NOISE 0.4f

/* Right pairs, and secrets with noise in every pixel; the public images all known, or none. */
static void
scene_make (gboolean is_known, MixtureScene *scene)
{
  static const MixtureNumbers numbers = { .secrets = 12, .k = 4, .max_coefficient = 0.65 };
  AssayStream stream = assay_stream (assay_stream_key (5, 0, "noise", "test"), 0);
  MixtureState *state = &scene->intake.state;
  const InstaHide *made;

  scene->made = instahide_new (&mixture_scene_sizes);
  made = scene->made;
  mixture_scene_take_in (made->publics, &numbers, mixture_scene_sizes.side, scene);
  cr_assert (mixture_intake_make_known (&scene->intake, NULL));
  state->images = g_new (float, state->n_secrets * state->cols);
  for (gsize i = 0; i < state->n_secrets * state->cols; i++)
    state->images[i] = made->secrets->data[i] + NOISE * (float) assay_stream_normal (&stream);
  for (gsize t = 0; t < 2 * made->total; t++) {
    state->pairs[t] = made->sources[t];
    state->weights[t] = made->weights[t];
    state->partners[t] = is_known ? (gint32) made->partners[t] : -1;
    state->noise[t / 2] = 0.1f;
  }
}

/* The mean |correlation| of the result's images with the secrets. */
static double
take (MixtureScene *scene)
{
  const gsize n = scene->intake.state.n_secrets;
  const MixturePlay play = { .n_secrets = n, .n_mixtures = scene->intake.state.n_mixtures };
  g_auto (MixtureResult) result = { 0 };
  g_autofree double *likeness = g_new (double, n);
  double mean = 0;

  cr_assert (mixture_result_take (&play, &scene->intake, &result, NULL));
  instahide_compare (scene->made, result.images, likeness);
  for (gsize i = 0; i < n; i++)
    mean += likeness[i] / (double) n;
  return mean;
}

/* Noise of variance 0.16 leaves a correlation of 1.16^-1/2 = 0.93 with images of variance 1, which
 * vary in few directions. What public images are known of is left as it is. */
Test (mixture_result, unknown_images_are_smoothed)
{
  g_auto (MixtureScene) known = { 0 }, unknown = { 0 };
  double as_it_is, smoothed;

  scene_make (TRUE, &known);
  scene_make (FALSE, &unknown);
  as_it_is = take (&known);
  smoothed = take (&unknown);
  cr_assert (as_it_is > 0.9 && as_it_is < 0.95, "%g", as_it_is);
  cr_assert_geq (smoothed, 0.97, "%g", smoothed);
}
