/* Images by squares where no public image is known. */
#include <criterion/criterion.h>

#include "attacks/inversion/mixture-play.h"
#include "attacks/retrieval/phase-retrieval.h"
#include "attacks/retrieval/sign-tree.h"
#include "attacks/retrieval/smooth-retrieval.h"
#include "tests/unit/attacks/mixture-scene.h"

/* With the right pairs: what single pixels give by themselves, and what images do whose pixels have
 * to do with one another. */
Test (smooth_retrieval, smooth_images_are_better_than_single_pixels)
{
  static const MixtureNumbers numbers = { .secrets = 12, .k = 4, .max_coefficient = 0.65 };
  static const PhaseRetrieval cold = { .is_cold = TRUE, .heat = 12, .rounds = 40 };
  g_auto (MixtureScene) scene = { 0 };
  MixtureState *state = &scene.intake.state;
  double alone, smooth;

  scene.made = instahide_new (&mixture_scene_sizes);
  mixture_scene_take_in (scene.made->publics, &numbers, mixture_scene_sizes.side, &scene);
  mixture_scene_tell (FALSE, &scene);
  cr_assert (phase_retrieval (&cold, state, NULL));
  cr_assert (sign_tree_align (state, scene.intake.plain.image, NULL));
  alone = mixture_scene_likeness (&scene, state->images);
  cr_assert (smooth_retrieval (&scene.intake, NULL));
  smooth = mixture_scene_likeness (&scene, state->images);
  cr_assert (state->is_smooth);
  cr_assert_geq (smooth, alone + 0.05, "%g after %g", smooth, alone);
}

/* An image that is the mean stays, and white noise shrinks with each time that it is filtered. */
Test (smooth_retrieval, what_images_have_little_of_goes)
{
  static const MixtureNumbers numbers = { .secrets = 12, .k = 4, .max_coefficient = 0.65 };
  AssayStream stream = assay_stream (assay_stream_key (5, 0, "noise", "test"), 0);
  g_auto (MixtureScene) scene = { 0 };
  g_autofree float *images = NULL;
  double left[2] = { 0 };
  gsize d;

  scene.made = instahide_new (&mixture_scene_sizes);
  mixture_scene_take_in (scene.made->publics, &numbers, mixture_scene_sizes.side, &scene);
  d = scene.intake.state.cols;
  images = g_new (float, 2 * d);
  for (gsize j = 0; j < d; j++) {
    images[j] = (float) scene.intake.plain.image[j];
    images[d + j] = images[j] + (float) assay_stream_normal (&stream);
  }
  for (gsize time = 0; time < 2; time++) {
    cr_assert (smooth_retrieval_filter (&scene.intake, time == 0 ? 1 : 15, 2, images, NULL));
    for (gsize j = 0; j < d; j++) {
      const double gap = (double) images[d + j] - scene.intake.plain.image[j];

      cr_assert_float_eq (images[j], scene.intake.plain.image[j], 1e-5);
      left[time] += gap * gap / (double) d;
    }
  }
  cr_assert (left[0] < 0.5 && left[1] < 0.5 * left[0], "%g, %g", left[0], left[1]);
}

/* Of mixtures of secrets alone nothing is unknown: their images are made pixel by pixel. */
Test (smooth_retrieval, without_public_images_nothing_is_filtered)
{
  static const MixtureNumbers numbers = { .secrets = 12, .k = 2, .max_coefficient = 0.65 };
  InstaHideSizes sizes = mixture_scene_sizes;
  g_auto (MixtureScene) scene = { 0 };
  MixtureState *state = &scene.intake.state;
  MixturePlay play = {
    .stream = assay_stream_key (1, 0, "play", "test"), .forms = 1, .rounds = 2, .beaten = -1
  };
  gboolean is_better;

  sizes.n_partners = 0;
  scene.made = instahide_new (&sizes);
  mixture_scene_take_in (scene.made->publics, &numbers, sizes.side, &scene);
  play.n_secrets = state->n_secrets;
  play.n_mixtures = state->n_mixtures;
  cr_assert (mixture_play (&play, &scene.intake, &is_better, NULL));
  cr_assert_not (state->is_smooth);
  cr_assert_geq (mixture_scene_likeness (&scene, state->images), 0.9, "%g",
                 mixture_scene_likeness (&scene, state->images));
}
