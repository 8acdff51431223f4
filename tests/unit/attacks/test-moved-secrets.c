/* Secrets that were moved and mirrored, from private parts that are exact. */
#include <criterion/criterion.h>
#include <math.h>
#include <string.h>

#include "attacks/moved/moved-explain.h"
#include "attacks/moved/moved-secrets.h"
#include "core/base/vectors.h"
#include "tests/unit/assert-near.h"
#include "tests/unit/attacks/mixture-scene.h"
#include "tests/unit/seeds.h"

#define SHIFT 2

static const InstaHideSizes sizes = { .n_secrets = 6,
                                      .n_epochs = 30,
                                      .n_public = 600,
                                      .n_partners = 2,
                                      .side = 28,
                                      .n_classes = 2,
                                      .seed = 3 };

typedef struct {
  MixtureScene of;
  AssayArena arena;
  Moves moves;
} Scene;

static void
scene_clear (Scene *scene)
{
  assay_arena_clear (&scene->arena);
  mixture_scene_clear (&scene->of);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (Scene, scene_clear)

/* What the attack has before it looks for moves; parts are yet to be made. */
static void
scene_make (Scene *scene)
{
  const MixtureNumbers numbers
      = { .secrets = (gint64) sizes.n_secrets, .k = 4, .max_coefficient = 0.65 };
  g_auto (ImagePrior) prior = { 0 };

  scene->of.made = instahide_new (&sizes);
  mixture_scene_take_in (scene->of.made->publics, &numbers, sizes.side, &scene->of);
  cr_assert (image_prior_learn (assay_matrix_view (scene->of.made->publics), &prior, NULL));
  scene->of.parts.directions = mixture_parts_directions (&prior, NULL);
  scene->of.parts.rows = assay_matrix_new (scene->of.made->total, scene->of.made->cols, NULL);
  cr_assert (
      moves_init (&scene->of.intake.state.geometry, SHIFT, &scene->arena, &scene->moves, NULL));
}

/* Part @t is of images @a and @b of @images, as @moves have them. */
static void
make_part (Scene *scene, gsize t, AssayMatrix *images, const gsize *which, const gsize *moves)
{
  const gsize d = scene->of.made->cols;
  const float *weights = scene->of.made->weights + 2 * t;
  g_autofree float *moved = g_new (float, d);

  for (gsize i = 0; i < 2; i++) {
    moves_take (&scene->moves, moves[i], assay_matrix_row (images, which[i]), moved);
    for (gsize j = 0; j < d; j++)
      assay_matrix_row (scene->of.parts.rows, t)[j]
          += weights[i] / (weights[0] + weights[1])
             * (moved[j] - (float) scene->of.intake.plain.image[j]);
  }
}

static void
draw_moves (Scene *scene, AssayStream *stream, gsize *ret_moves)
{
  for (gsize i = 0; i < 2; i++)
    ret_moves[i] = assay_stream_below (stream, (guint32) scene->moves.n_moves);
}

/* Of a move and what undoes it nothing is left but at the border. */
Test (moved_secrets, moves_are_undone)
{
  g_auto (Scene) scene = { 0 };
  const gsize side = sizes.side;
  g_autofree float *there = g_new (float, side *side);
  g_autofree float *back = g_new (float, side *side);
  const float *image;

  scene_make (&scene);
  image = assay_matrix_row (scene.of.made->secrets, 0);
  cr_assert_eq (scene.moves.n_moves, 50);
  for (gsize move = 0; move < scene.moves.n_moves; move++) {
    const gint64 down = moves_down (&scene.moves, move), right = moves_right (&scene.moves, move);

    cr_assert_eq (moves_of (&scene.moves, down, right, moves_is_mirrored (&scene.moves, move)),
                  move);
    moves_take (&scene.moves, move, image, there);
    moves_take (&scene.moves, moves_inverse (&scene.moves, move), there, back);
    for (gsize y = SHIFT; y < side - SHIFT; y++)
      for (gsize x = SHIFT; x < side - SHIFT; x++)
        cr_assert_eq (back[y * side + x], image[y * side + x], "%zu: %zu, %zu", move, y, x);
  }
}

/* Images that are known are found in parts, with their moves. */
Test (moved_secrets, parts_are_explained)
{
  g_auto (Scene) scene = { 0 };
  AssayStream stream = assay_stream (assay_stream_key (1, 0, "moves", "test"), 0);
  const gsize d = sizes.side * sizes.side, n = sizes.n_secrets;
  g_autofree MovedPart *found = g_new (MovedPart, 2 * n * sizes.n_epochs);
  g_autofree double *left = g_new (double, n *sizes.n_epochs);
  g_autofree gsize *drawn = g_new (gsize, 2 * n * sizes.n_epochs);
  g_autoptr (AssayMatrix) features = NULL;
  MovedRows rows;
  gsize n_right = 0;

  scene_make (&scene);
  features = assay_matrix_new (scene.of.made->total, scene.of.parts.directions->rows, NULL);
  for (gsize t = 0; t < scene.of.made->total; t++) {
    const gsize which[2] = { scene.of.made->sources[2 * t], scene.of.made->sources[2 * t + 1] };
    float *row = assay_matrix_row (features, t);

    draw_moves (&scene, &stream, drawn + 2 * t);
    make_part (&scene, t, scene.of.made->secrets, which, drawn + 2 * t);
    for (gsize c = 0; c < features->cols; c++)
      for (gsize j = 0; j < d; j++)
        row[c] += assay_matrix_row (scene.of.parts.directions, c)[j]
                  * assay_matrix_row (scene.of.parts.rows, t)[j];
    moved_normalise (row, features->cols);
  }
  rows = (MovedRows){ assay_matrix_view (scene.of.parts.rows),
                      assay_matrix_view (scene.of.parts.directions), assay_matrix_view (features) };
  cr_assert (moved_explain (&scene.moves, &rows, assay_matrix_view (scene.of.made->secrets), found,
                            left, NULL));
  for (gsize t = 0; t < scene.of.made->total; t++)
    for (gsize i = 0; i < 2; i++)
      for (gsize j = 0; j < 2; j++)
        n_right += found[2 * t + j].image == scene.of.made->sources[2 * t + i]
                   && found[2 * t + j].move == drawn[2 * t + i];
  cr_assert_geq (n_right, 2 * scene.of.made->total * 9 / 10, "%zu of %zu", n_right,
                 2 * scene.of.made->total);
}

/* Nothing is known but the parts: images come back, each both ways. */
Test (moved_secrets, come_back)
{
  g_auto (Scene) scene = { 0 };
  g_auto (MovedSecrets) found = { 0 };
  g_autoptr (GError) error = NULL;
  AssayStream stream = assay_stream (assay_stream_key (2, 0, "moves", "test"), 0);
  gsize n_back = 0;

  scene_make (&scene);
  for (gsize t = 0; t < scene.of.made->total; t++) {
    const gsize which[2] = { scene.of.made->sources[2 * t], scene.of.made->sources[2 * t + 1] };
    gsize moves[2];

    draw_moves (&scene, &stream, moves);
    make_part (&scene, t, scene.of.made->secrets, which, moves);
  }
  cr_assert (
      moved_secrets_find (&scene.of.intake, &scene.of.parts, sizes.n_secrets, SHIFT, &found,
                          &error),
      "%s", error != NULL ? error->message : "");
  for (gsize i = 0; i < sizes.n_secrets; i++) {
    double best = 0;

    for (gsize e = 0; e < found.n; e++)
      best = MAX (best,
                  fabs (assay_correlation (assay_matrix_row (scene.of.made->secrets, i),
                                           found.images + e * scene.of.made->cols,
                                           scene.of.made->cols)));
    n_back += best > 0.9;
  }
  cr_assert_geq (n_back, 5, "%zu of %zu", n_back, sizes.n_secrets);
  cr_assert_geq (found.explained, 0.8, "%g", found.explained);
  cr_assert_geq (found.moved, 0.8, "%g", found.moved);
}

/* Parts of public images, of which no two share one, are explained no better than others. */
Test (moved_secrets, nothing_is_found_where_nothing_is)
{
  g_auto (Scene) scene = { 0 };
  g_auto (MovedSecrets) found = { 0 };
  AssayStream stream = assay_stream (assay_stream_key (3, 0, "moves", "test"), 0);

  TEST_OF_RESULTS ();
  scene_make (&scene);
  for (gsize t = 0; t < scene.of.made->total; t++) {
    const gsize which[2] = { 2 * t, 2 * t + 1 };
    gsize moves[2];

    draw_moves (&scene, &stream, moves);
    make_part (&scene, t, scene.of.made->publics, which, moves);
  }
  cr_assert (
      moved_secrets_find (&scene.of.intake, &scene.of.parts, sizes.n_secrets, SHIFT, &found, NULL));
  cr_assert_leq (found.explained, 0.25, "%g", found.explained);
}
