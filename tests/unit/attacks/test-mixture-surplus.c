/* Twice as many images as there are secrets, and those that are kept of them. */
#include <criterion/criterion.h>
#include <math.h>
#include <string.h>

#include "attacks/evidence/mixture-surplus.h"
#include "core/base/vectors.h"
#include "tests/unit/attacks/mixture-scene.h"

#define ODD_ONE 5 /* one in so many mixtures has an image in its pair that is nothing */

/* Image 2 i is secret i, and 2 i + 1 noise, or, where secrets are mirrored, its mirror image. */
static void
make_images (const InstaHide *made, gboolean are_mirrored, MixtureState *state)
{
  const gsize n = mixture_scene_sizes.n_secrets, d = made->cols, side = mixture_scene_sizes.side;
  AssayStream stream = assay_stream (assay_stream_key (5, 0, "noise", "test"), 0);

  state->images = g_new (float, 2 * n * d);
  for (gsize i = 0; i < n; i++) {
    const float *secret = assay_matrix_row (made->secrets, i);
    float *other = state->images + (2 * i + 1) * d;

    memcpy (state->images + 2 * i * d, secret, d * sizeof *secret);
    for (gsize j = 0; j < d; j++)
      other[j] = are_mirrored ? secret[j / side * side + side - 1 - j % side]
                              : (float) assay_stream_normal (&stream);
  }
}

/* All of it is right, but for the mixtures that have a noise in place of a secret, and of which no
 * public image is known. */
static void
scene_make (gboolean are_mirrored, MixtureScene *scene)
{
  static const MixtureNumbers numbers = { .secrets = 12, .k = 4, .max_coefficient = 0.65 };
  MixtureState *state = &scene->intake.state;
  const InstaHide *made;

  scene->made = instahide_new (&mixture_scene_sizes);
  made = scene->made;
  mixture_scene_take_in (made->publics, &numbers, mixture_scene_sizes.side, scene);
  cr_assert (mixture_intake_make_known (&scene->intake, NULL));
  make_images (made, are_mirrored, state);
  state->labels = made->labels->data;
  state->n_classes = mixture_scene_sizes.n_classes;
  state->n_secrets = 2 * mixture_scene_sizes.n_secrets;
  for (gsize t = 0; t < made->total; t++) {
    const gboolean is_odd = t % ODD_ONE == 0;

    for (gsize i = 0; i < 2; i++) {
      const guint32 partner = made->partners[2 * t + i];

      state->pairs[2 * t + i] = 2 * made->sources[2 * t + i];
      state->weights[2 * t + i] = made->weights[2 * t + i];
      state->partners[2 * t + i] = is_odd ? -1 : (gint32) partner;
      for (gsize j = 0; !is_odd && j < made->cols; j++)
        state->known[t * made->cols + j]
            += made->shares[2 * t + i] * assay_matrix_row (made->publics, partner)[j];
    }
    if (is_odd)
      state->pairs[2 * t] = 2 * (guint32) (t / ODD_ONE % mixture_scene_sizes.n_secrets) + 1;
    state->noise[t] = is_odd ? 0.1f : MIXTURE_LEAST_NOISE;
  }
}

/* Which secret the image is. */
static guint32
secret_of (const InstaHide *made, const float *image)
{
  guint32 best = 0;

  for (guint32 i = 1; i < mixture_scene_sizes.n_secrets; i++)
    if (assay_correlation (image, assay_matrix_row (made->secrets, i), made->cols)
        > assay_correlation (image, assay_matrix_row (made->secrets, best), made->cols))
      best = i;
  return best;
}

/* The secrets are kept, and the mixtures that had a noise in their pair get its secret, with no
 * public image known. */
Test (mixture_surplus, what_is_nothing_is_dropped)
{
  g_auto (MixtureScene) scene = { 0 };
  g_autofree double *likeness = g_new (double, mixture_scene_sizes.n_secrets);
  MixtureState *state = &scene.intake.state;
  gsize n_right = 0, n_odd = 0;

  scene_make (FALSE, &scene);
  cr_assert (mixture_surplus_drop (mixture_scene_sizes.n_secrets, &scene.intake, NULL));
  cr_assert_eq (state->n_secrets, mixture_scene_sizes.n_secrets);
  instahide_compare (scene.made, state->images, likeness);
  for (gsize i = 0; i < mixture_scene_sizes.n_secrets; i++)
    cr_assert_geq (likeness[i], 0.999, "%zu: %g", i, likeness[i]);
  for (gsize t = 0; t < state->n_mixtures; t++) {
    const guint32 *sources = scene.made->sources + 2 * t;
    guint32 found[2];

    for (gsize i = 0; i < 2; i++)
      found[i] = secret_of (scene.made, state->images + state->pairs[2 * t + i] * state->cols);
    if (t % ODD_ONE != 0) {
      cr_assert (found[0] == sources[0] && found[1] == sources[1], "mixture %zu", t);
      cr_assert_geq (state->partners[2 * t], 0, "mixture %zu", t);
      continue;
    }
    n_odd++;
    n_right += (found[0] == sources[0] && found[1] == sources[1])
               || (found[0] == sources[1] && found[1] == sources[0]);
    cr_assert_eq (state->partners[2 * t], -1, "mixture %zu", t);
    cr_assert_gt (state->weights[2 * t] + state->weights[2 * t + 1], 0.2f, "mixture %zu", t);
  }
  cr_assert_geq (n_right, n_odd * 8 / 10, "%zu of %zu", n_right, n_odd);
}

/* Of secrets that were mirrored both images are wanted. */
Test (mixture_surplus, mirror_images_stay)
{
  g_auto (MixtureScene) scene = { 0 };

  scene_make (TRUE, &scene);
  cr_assert (mixture_surplus_drop (mixture_scene_sizes.n_secrets, &scene.intake, NULL));
  cr_assert_eq (scene.intake.state.n_secrets, 2 * mixture_scene_sizes.n_secrets);
}
