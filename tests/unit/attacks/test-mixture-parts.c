/* The private parts of single mixtures, and the images that they are mixtures of. */
#include <criterion/criterion.h>
#include <math.h>

#include "attacks/inversion/mixture-parts.h"
#include "attacks/inversion/mixture-play.h"
#include "tests/unit/assert-near.h"
#include "tests/unit/attacks/mixture-scene.h"

/* Mixtures of public images that are moved by @shift, with @noise on every number, and the public
 * set that was used or one like it. */
static void
scene_make_moved (gsize shift, double noise, gboolean is_used, MixtureScene *scene)
{
  static const MixtureNumbers numbers = { .secrets = 12, .k = 4, .max_coefficient = 0.65 };
  InstaHideSizes other_sizes = mixture_scene_sizes, own_sizes = mixture_scene_sizes;
  g_autoptr (InstaHide) others = NULL;
  AssayStream stream = assay_stream (assay_stream_key (5, 0, "noise", "test"), 0);

  other_sizes.seed += 100;
  others = instahide_new (&other_sizes);
  own_sizes.public_shift = shift;
  scene->made = instahide_new (&own_sizes);
  for (gsize i = 0; i < scene->made->total * scene->made->cols; i++)
    scene->made->mixtures->data[i] += (float) (noise * assay_stream_normal (&stream));
  mixture_scene_take_in (is_used ? scene->made->publics : others->publics, &numbers,
                         mixture_scene_sizes.side, scene);
  cr_assert (mixture_intake_make_known (&scene->intake, NULL));
}

static void
scene_make (double noise, gboolean is_used, MixtureScene *scene)
{
  scene_make_moved (0, noise, is_used, scene);
}

/* The cosine of part @t with the private images as they were mixed, sign and all. */
static double
cosine (const MixtureScene *scene, gsize t)
{
  const InstaHide *made = scene->made;
  const float *part = assay_matrix_row (scene->parts.rows, t);
  const float *a = assay_matrix_row (made->secrets, made->sources[2 * t]);
  const float *b = assay_matrix_row (made->secrets, made->sources[2 * t + 1]);
  double with = 0, found = 0, right = 0;

  for (gsize j = 0; j < made->cols; j++) {
    const double mean = scene->intake.plain.image[j];
    const double wanted
        = made->weights[2 * t] * (a[j] - mean) + made->weights[2 * t + 1] * (b[j] - mean);

    with += wanted * part[j];
    found += (double) part[j] * part[j];
    right += wanted * wanted;
  }
  return with / sqrt (found * right);
}

/* Most public images are found and taken out, and what is left has the sign that it was mixed
 * with. */
Test (mixture_parts, are_what_was_private)
{
  g_auto (MixtureScene) scene = { 0 };
  gsize n_near = 0;

  scene_make (0, TRUE, &scene);
  cr_assert (mixture_parts_find (&scene.intake, 0, 0.25, &scene.parts, NULL));
  cr_assert_geq (scene.parts.standing, 0.6, "%g", scene.parts.standing);
  for (gsize t = 0; t < scene.made->total; t++)
    n_near += cosine (&scene, t) > 0.7;
  cr_assert_geq (n_near, scene.made->total * 65 / 100, "%zu of %zu", n_near, scene.made->total);
}

/* Where public images were moved, their windows stand out and are taken out; where they were not,
 * windows are not asked for. */
Test (mixture_parts, windows_are_taken_out)
{
  for (gsize moved = 0; moved < 2; moved++) {
    g_auto (MixtureScene) scene = { 0 };
    gsize n_near = 0, n_still = 0;

    scene_make_moved (moved, 0, TRUE, &scene);
    scene.intake.state.n_mixtures = 96;
    cr_assert (mixture_parts_find (&scene.intake, 1, 0.25, &scene.parts, NULL));
    if (!moved) {
      cr_assert_null (scene.parts.rows, "%g stand out", scene.parts.standing);
      continue;
    }
    cr_assert_not_null (scene.parts.rows, "%g stand out", scene.parts.standing);
    for (gsize t = 0; t < 96; t++) {
      n_near += cosine (&scene, t) > 0.7;
      n_still += scene.parts.windows[2 * t] == 4;
    }
    cr_assert_geq (n_near, 40, "%zu of 96", n_near);
    cr_assert_leq (n_still, 40, "%zu of 96", n_still);
  }
}

/* With noise on every number, whoever counts with it finds more. */
Test (mixture_parts, noise_is_counted_with)
{
  double means[2] = { 0 };

  for (int is_told = 0; is_told < 2; is_told++) {
    g_auto (MixtureScene) scene = { 0 };

    scene_make (0.3, TRUE, &scene);
    assert_near (sqrt (scene.intake.noise), 0.3, 0.05, "noise");
    if (!is_told)
      scene.intake.noise = 0;
    cr_assert (mixture_parts_find (&scene.intake, 0, 0, &scene.parts, NULL));
    for (gsize t = 0; t < scene.made->total; t++)
      means[is_told] += cosine (&scene, t) / (double) scene.made->total;
  }
  cr_assert_geq (means[1], means[0] + 0.05, "%g, without %g", means[1], means[0]);
}

/* Of another public set nothing stands out, and nothing is taken out. */
Test (mixture_parts, another_public_set_is_noticed)
{
  g_auto (MixtureScene) scene = { 0 };

  scene_make (0, FALSE, &scene);
  cr_assert (mixture_parts_find (&scene.intake, 0, 0.25, &scene.parts, NULL));
  cr_assert_leq (scene.parts.standing, 0.15, "%g", scene.parts.standing);
  cr_assert_null (scene.parts.rows);
}

/* With the right pairs and weights, images come out of parts that are exact, though every tenth is
 * that of another mixture. */
Test (mixture_parts, images_are_their_least_squares)
{
  g_auto (MixtureScene) scene = { 0 };
  g_autofree double *likeness = g_new (double, mixture_scene_sizes.n_secrets);
  MixtureState *state = &scene.intake.state;

  scene_make (0, TRUE, &scene);
  state->images = g_new0 (float, state->n_secrets * state->cols);
  scene.parts.rows = assay_matrix_new (state->n_mixtures, state->cols, NULL);
  for (gsize t = 0; t < state->n_mixtures; t++) {
    const gsize from = t % 10 == 3 ? (t + 7) % state->n_mixtures : t;

    for (gsize i = 0; i < 2; i++) {
      const float *sources = scene.made->weights + 2 * from;
      const float *x = assay_matrix_row (scene.made->secrets, scene.made->sources[2 * from + i]);

      state->pairs[2 * t + i] = scene.made->sources[2 * t + i];
      state->weights[2 * t + i] = scene.made->weights[2 * t + i];
      for (gsize j = 0; j < state->cols; j++)
        assay_matrix_row (scene.parts.rows, t)[j] += sources[i] / (sources[0] + sources[1])
                                                     * (x[j] - (float) scene.intake.plain.image[j]);
    }
  }
  cr_assert (mixture_parts_solve (&scene.parts, scene.intake.plain.image, state, NULL));
  instahide_compare (scene.made, state->images, likeness);
  for (gsize i = 0; i < mixture_scene_sizes.n_secrets; i++)
    cr_assert_geq (likeness[i], 0.999, "%zu: %g", i, likeness[i]);
}

/* Parts tell pairs; those that the images explain give their public images and weights. */
Test (mixture_parts, public_images_are_taken_over)
{
  g_auto (MixtureScene) scene = { 0 };
  MixtureState *state = &scene.intake.state;
  gsize n_taken = 0, n_right = 0;
  double error = 0;

  scene_make (0, TRUE, &scene);
  state->images = g_new0 (float, state->n_secrets * state->cols);
  cr_assert (mixture_parts_find (&scene.intake, 0, 0.25, &scene.parts, NULL));
  cr_assert (mixture_start_parts (assay_stream_key (1, 0, "attack", "test"), 0,
                                  assay_matrix_view (scene.parts.rows), &scene.intake, NULL));
  cr_assert (mixture_parts_solve (&scene.parts, scene.intake.plain.image, state, NULL));
  mixture_parts_take_public (&scene.parts, scene.intake.plain.image, state);
  for (gsize t = 0; t < state->n_mixtures; t++) {
    const gint32 *right = (const gint32 *) scene.made->partners + 2 * t;
    const gint32 *found = state->partners + 2 * t;
    const double wanted = (double) scene.made->weights[2 * t] + scene.made->weights[2 * t + 1];

    if (found[0] < 0)
      continue;
    n_taken++;
    n_right += (found[0] == right[0] && found[1] == right[1])
               || (found[0] == right[1] && found[1] == right[0]);
    error += fabs ((double) state->weights[2 * t] + state->weights[2 * t + 1] - wanted);
  }
  cr_assert_geq (n_taken, state->n_mixtures * 55 / 100, "%zu taken", n_taken);
  cr_assert_geq (n_right, n_taken * 65 / 100, "%zu of %zu", n_right, n_taken);
  cr_assert_leq (error / (double) n_taken, 0.06, "%g", error / (double) n_taken);
}
