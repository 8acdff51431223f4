/* What becomes of an attempt's images. */
#include <criterion/criterion.h>

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
  mixture_scene_tell (is_known, scene);
  for (gsize i = 0; i < state->n_secrets * state->cols; i++)
    state->images[i] = made->secrets->data[i] + NOISE * (float) assay_stream_normal (&stream);
}

/* The mean |correlation| of the result's images with the secrets. */
static double
take (MixtureScene *scene)
{
  const MixturePlay play = { .n_secrets = scene->intake.state.n_secrets,
                             .n_mixtures = scene->intake.state.n_mixtures };
  g_auto (MixtureResult) result = { 0 };

  cr_assert (mixture_result_take (&play, &scene->intake, &result, NULL));
  return mixture_scene_likeness (scene, result.images);
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
