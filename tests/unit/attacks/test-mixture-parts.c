/* The private parts of single mixtures, and the images that they are mixtures of. */
#include <criterion/criterion.h>
#include <math.h>

#include "attacks/inversion/mixture-parts.h"
#include "attacks/inversion/mixture-play.h"
#include "core/base/parallel.h"
#include "tests/unit/assert-near.h"
#include "tests/unit/attacks/mixture-scene.h"

/* Large enough for all but one of these tests, in a quarter of the time. */
static const InstaHideSizes small_sizes = { .n_secrets = 12,
                                            .n_epochs = 20,
                                            .n_public = 600,
                                            .n_partners = 2,
                                            .side = 20,
                                            .n_classes = 4,
                                            .seed = 7 };

/* Mixtures of public images that are moved by @shift, with @noise on every number, and the public
 * set that was used or one like it. */
static void
scene_make_moved (const InstaHideSizes *sizes, gsize shift, double noise, gboolean is_used,
                  MixtureScene *scene)
{
  static const MixtureNumbers numbers = { .secrets = 12, .k = 4, .max_coefficient = 0.65 };
  InstaHideSizes other_sizes = *sizes, own_sizes = *sizes;
  g_autoptr (InstaHide) others = NULL;
  AssayStream stream = assay_stream (assay_stream_key (5, 0, "noise", "test"), 0);

  other_sizes.seed += 100;
  others = instahide_new (&other_sizes);
  own_sizes.public_shift = shift;
  scene->made = instahide_new (&own_sizes);
  for (gsize i = 0; i < scene->made->total * scene->made->cols; i++)
    scene->made->mixtures->data[i] += (float) (noise * assay_stream_normal (&stream));
  mixture_scene_take_in (is_used ? scene->made->publics : others->publics, &numbers, sizes->side,
                         scene);
  cr_assert (mixture_intake_make_known (&scene->intake, NULL));
}

static void
scene_make (double noise, gboolean is_used, MixtureScene *scene)
{
  scene_make_moved (&small_sizes, 0, noise, is_used, scene);
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
  scene.intake.state.n_mixtures = 120;
  cr_assert (mixture_parts_find (&scene.intake, 0, 0.25, &scene.parts, NULL));
  cr_assert_geq (scene.parts.standing, 0.6, "%g", scene.parts.standing);
  for (gsize t = 0; t < 120; t++)
    n_near += cosine (&scene, t) > 0.7;
  cr_assert_geq (n_near, 78, "%zu of 120", n_near);
}

/* Where public images were moved, their windows stand out and are taken out; where they were not,
 * windows are not asked for. */
Test (mixture_parts, windows_are_taken_out)
{
  for (gsize moved = 0; moved < 2; moved++) {
    g_auto (MixtureScene) scene = { 0 };
    gsize n_near = 0, n_still = 0;

    scene_make_moved (&small_sizes, moved, 0, TRUE, &scene);
    scene.intake.state.n_mixtures = moved ? 72 : 24;
    cr_assert (mixture_parts_find (&scene.intake, 1, 0.25, &scene.parts, NULL));
    if (!moved) {
      cr_assert_null (scene.parts.rows, "%g stand out", scene.parts.standing);
      continue;
    }
    cr_assert_not_null (scene.parts.rows, "%g stand out", scene.parts.standing);
    for (gsize t = 0; t < 72; t++) {
      n_near += cosine (&scene, t) > 0.7;
      n_still += scene.parts.windows[2 * t] == 4;
    }
    cr_assert_geq (n_near, 30, "%zu of 72", n_near);
    cr_assert_leq (n_still, 30, "%zu of 72", n_still);
  }
}

/* What somebody may know of the secrets: noise on their images, the right pairs and weights, or
 * those of the next mixture. */
static void
know_secrets (gsize next, MixtureScene *scene)
{
  const InstaHide *made = scene->made;
  MixtureState *state = &scene->intake.state;
  AssayStream stream = assay_stream (assay_stream_key (6, 0, "noise", "test"), 0);

  g_free (state->images);
  state->images = g_new (float, state->n_secrets * state->cols);
  for (gsize i = 0; i < state->n_secrets * state->cols; i++)
    state->images[i] = made->secrets->data[i] + 0.6f * (float) assay_stream_normal (&stream);
  for (gsize t = 0; t < 2 * made->total; t++) {
    const gsize from = (t + 2 * next) % (2 * made->total);

    state->pairs[t] = made->sources[from];
    state->weights[t] = made->weights[from];
  }
}

/* How many of the public images of mixtures are among those that were taken out. */
static gsize
count_right (const MixtureScene *scene)
{
  gsize n_right = 0;

  for (gsize t = 0; t < scene->parts.rows->rows; t++)
    for (gsize i = 0; i < 2; i++)
      for (gsize j = 0; j < 2; j++)
        n_right += scene->parts.partners[2 * t + i] == scene->made->partners[2 * t + j];
  return n_right;
}

/* What is found in some mixtures of public images that were moved. */
typedef struct {
  gsize n_right; /* public images, of twice as many */
  gsize n_near;  /* parts */
  double standing;
  AssayMatrix *rows;
} FoundWindows;

/* @prior: NULL where nothing is known of the secrets. */
static FoundWindows
find_windows (const ImagePrior *prior, gsize next, MixtureScene *scene)
{
  static const PartsAgain again = { .shift = 1, .image_error = 0.4, .least_standing = 0 };
  FoundWindows found = { 0 };

  know_secrets (next, scene);
  cr_assert (prior != NULL
                 ? mixture_parts_find_again (&scene->intake, prior, &again, &scene->parts, NULL)
                 : mixture_parts_find (&scene->intake, 1, 0, &scene->parts, NULL));
  for (gsize t = 0; t < scene->intake.state.n_mixtures; t++)
    found.n_near += cosine (scene, t) > 0.7;
  found.n_right = count_right (scene);
  found.standing = scene->parts.standing;
  found.rows = g_steal_pointer (&scene->parts.rows);
  mixture_parts_clear (&scene->parts);
  return found;
}

/* With what is known of the secrets more windows are found, and better parts; of secrets that are
 * not in the mixtures few. Threads change nothing. */
Test (mixture_parts, known_secrets_show_more_windows)
{
  g_auto (MixtureScene) scene = { 0 };
  g_auto (ImagePrior) prior = { 0 };
  FoundWindows squares, known, wrong, few, threads;

  scene_make_moved (&mixture_scene_sizes, 1, 0, TRUE, &scene);
  scene.intake.state.n_mixtures = 64;
  cr_assert (image_prior_learn (assay_matrix_view (scene.made->publics), &prior, NULL));
  squares = find_windows (NULL, 0, &scene);
  known = find_windows (&prior, 0, &scene);
  wrong = find_windows (&prior, 1, &scene);
  cr_assert_geq (known.n_right, squares.n_right + 8, "%zu, without %zu", known.n_right,
                 squares.n_right);
  cr_assert_geq (known.n_near, squares.n_near + 5, "%zu, without %zu", known.n_near,
                 squares.n_near);
  cr_assert_geq (known.standing, 0.6, "%g", known.standing);
  cr_assert_leq (wrong.n_right, 25, "%zu", wrong.n_right);
  cr_assert_leq (wrong.standing, 0.2, "%g", wrong.standing);
  scene.intake.state.n_mixtures = 12;
  few = find_windows (&prior, 0, &scene);
  assay_parallel_set_threads (3);
  threads = find_windows (&prior, 0, &scene);
  assay_parallel_set_threads (0);
  cr_assert_arr_eq (threads.rows->data, few.rows->data, 12 * few.rows->cols * sizeof (float));
  assay_matrix_free (squares.rows);
  assay_matrix_free (known.rows);
  assay_matrix_free (wrong.rows);
  assay_matrix_free (few.rows);
  assay_matrix_free (threads.rows);
}

static double
mean_likeness (const MixtureScene *scene)
{
  const gsize n = scene->intake.state.n_secrets;
  g_autofree double *likeness = g_new (double, n);
  double mean = 0;

  instahide_compare (scene->made, scene->intake.state.images, likeness);
  for (gsize i = 0; i < n; i++)
    mean += likeness[i] / (double) n;
  return mean;
}

/* From poor images to good ones; where public images are another set's, nothing is made of it. */
Test (mixture_parts, windows_lead_to_better_images)
{
  for (int is_used = 0; is_used < 2; is_used++) {
    g_auto (MixtureScene) scene = { 0 };
    const WindowPlay windows = { .shift = 1, .least_standing = 0.12 };
    MixturePlay play = { .stream = assay_stream_key (1, 0, "attack", "test"), .n_secrets = 12 };
    gboolean is_better;
    double before, after;

    scene_make_moved (&small_sizes, 1, 0, is_used, &scene);
    know_secrets (0, &scene);
    play.n_mixtures = scene.intake.state.n_mixtures = is_used ? 96 : 48;
    before = mean_likeness (&scene);
    cr_assert (mixture_play_windows (&play, &windows, &scene.intake, &is_better, NULL));
    after = mean_likeness (&scene);
    cr_assert_eq (is_better, is_used);
    cr_assert (!is_used || after >= before + 0.05, "%g after %g", after, before);
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
    scene.intake.state.n_mixtures = 96;
    cr_assert (mixture_parts_find (&scene.intake, 0, 0, &scene.parts, NULL));
    for (gsize t = 0; t < 96; t++)
      means[is_told] += cosine (&scene, t) / 96;
  }
  cr_assert_geq (means[1], means[0] + 0.05, "%g, without %g", means[1], means[0]);
}

/* Parts are told from the mean image on: one that is brighter by 5 makes them darker by 5. */
Test (mixture_parts, are_told_from_the_mean_image)
{
  g_autoptr (AssayMatrix) before = NULL;
  g_auto (MixtureScene) scene = { 0 };

  scene_make (0, TRUE, &scene);
  scene.intake.state.n_mixtures = 4;
  cr_assert (mixture_parts_find (&scene.intake, 0, 0, &scene.parts, NULL));
  before = g_steal_pointer (&scene.parts.rows);
  mixture_parts_clear (&scene.parts);
  for (gsize j = 0; j < scene.made->cols; j++)
    scene.intake.plain.image[j] += 5;
  cr_assert (mixture_parts_find (&scene.intake, 0, 0, &scene.parts, NULL));
  for (gsize i = 0; i < 4 * scene.made->cols; i++)
    assert_near ((double) scene.parts.rows->data[i], (double) before->data[i] - 5, 1e-4,
                 "number %zu", i);
}

/* Of another public set nothing stands out, and nothing is taken out. */
Test (mixture_parts, another_public_set_is_noticed)
{
  g_auto (MixtureScene) scene = { 0 };

  scene_make (0, FALSE, &scene);
  cr_assert (mixture_parts_find (&scene.intake, 0, 0.25, &scene.parts, NULL));
  cr_assert_leq (scene.parts.standing, 0.2, "%g", scene.parts.standing);
  cr_assert_null (scene.parts.rows);
}

/* With the right pairs and weights, images come out of parts that are exact, though every tenth is
 * that of another mixture. */
Test (mixture_parts, images_are_their_least_squares)
{
  g_auto (MixtureScene) scene = { 0 };
  g_autofree double *likeness = g_new (double, small_sizes.n_secrets);
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
  for (gsize i = 0; i < small_sizes.n_secrets; i++)
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
  cr_assert_lt (n_taken, state->n_mixtures);
  /* What is left may be the noise of every number: with enough of it all are explained. */
  state->added_noise = 10;
  mixture_parts_take_public (&scene.parts, scene.intake.plain.image, state);
  for (gsize t = 0; t < state->n_mixtures; t++)
    cr_assert (state->partners[2 * t] >= 0 && state->noise[t] >= 10, "mixture %zu", t);
}
