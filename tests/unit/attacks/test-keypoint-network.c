/* Networks that paint from keypoints: what they learn from, and that several paint together. */
#include <criterion/criterion.h>
#include <math.h>
#include <string.h>

#include "attacks/photographs/keypoint-network.h"
#include "core/network/tape.h"
#include "core/network/train.h"
#include "tests/unit/assert-near.h"

enum { SIDE = 16, PIXELS = SIDE * SIDE, PHOTOS = 8, KEYPOINTS = 16, EACH = 4 };

/* Photographs of blocks of 4 x 4 pixels, with a keypoint in each; its feature is the level of the
 * block, that of the mirrored photograph 100 more. They are painted as half of what they are. */
typedef struct {
  GPtrArray *photos, *halves;
  float frames[PHOTOS * KEYPOINTS * 4], features[PHOTOS * KEYPOINTS], mirrored[PHOTOS * KEYPOINTS];
  gsize keypoint_pictures[PHOTOS * KEYPOINTS];
  gsize pictures[PHOTOS];
  KeypointMap map;
  KeypointPaintings painted;
} Scene;

static AssayView
column (const float *values)
{
  return (AssayView){ .rows = PHOTOS * KEYPOINTS, .cols = 1, .stride = 1, .data = values };
}

static void
fill_photo (Scene *scene, gsize p, AssayStream *stream)
{
  AssayPhoto *photo = assay_photo_new (SIDE, SIDE, 1, NULL);
  AssayPhoto *half = assay_photo_new (SIDE, SIDE, 1, NULL);

  for (gsize k = 0; k < KEYPOINTS; k++) {
    const gsize at = p * KEYPOINTS + k, left = k % EACH * EACH, top = k / EACH * EACH;
    const float level = (float) assay_stream_uniform (stream);
    const float frame[] = { (float) left + 1.5F, (float) top + 1.5F, 1, 0 };

    memcpy (scene->frames + 4 * at, frame, sizeof frame);
    scene->features[at] = level;
    scene->mirrored[at] = 100 + level;
    scene->keypoint_pictures[at] = p;
    for (gsize i = 0; i < EACH * EACH; i++)
      *assay_photo_pixel (photo, left + i % EACH, top + i / EACH) = 255 * level;
  }
  for (gsize i = 0; i < PIXELS; i++)
    half->data[i] = photo->data[i] / 2;
  g_ptr_array_add (scene->photos, photo);
  g_ptr_array_add (scene->halves, half);
  scene->pictures[p] = p;
}

static Scene *
scene_new (void)
{
  Scene *scene = g_new0 (Scene, 1);
  AssayStream stream = assay_stream (assay_stream_key (8, 0, "scene", ""), 0);

  scene->photos = g_ptr_array_new_with_free_func ((GDestroyNotify) assay_photo_free);
  scene->halves = g_ptr_array_new_with_free_func ((GDestroyNotify) assay_photo_free);
  for (gsize p = 0; p < PHOTOS; p++)
    fill_photo (scene, p, &stream);
  cr_assert (keypoint_map_init (&scene->map, scene->frames, scene->keypoint_pictures, PHOTOS,
                                column (scene->features), NULL));
  scene->map.mirrored = column (scene->mirrored);
  scene->painted = (KeypointPaintings){ .n = 1, .of_rank = { scene->halves } };
  return scene;
}

static void
scene_free (Scene *scene)
{
  keypoint_map_clear (&scene->map);
  g_ptr_array_unref (scene->photos);
  g_ptr_array_unref (scene->halves);
  g_free (scene);
}

static KeypointExamples
examples_of (const Scene *scene)
{
  return (KeypointExamples){ .map = &scene->map,
                             .photos = (AssayPhoto *const *) scene->photos->pdata,
                             .painted = &scene->painted,
                             .pictures = scene->pictures,
                             .n = PHOTOS };
}

static KeypointTraining
training_of (gboolean mirror, double jitter)
{
  return (KeypointTraining){ .side = SIDE,
                             .width = 8,
                             .levels = 1,
                             .epochs = 30,
                             .windows = 2,
                             .patience = 30,
                             .folds = 2,
                             .paintings = 1,
                             .rate = 0.01,
                             .mirror = mirror,
                             .jitter = jitter };
}

/* ---- Examples ---- */

/* A part of a photograph. */
typedef struct {
  float *input, target[PIXELS];
  const float *features, *painting;
} Part;

ASSAY_LOCAL_CLEAR (Part, part_clear, g_free (self->input))

static Part
draw_part (const Scene *scene, const KeypointTraining *training, gsize number)
{
  const KeypointExamples examples = examples_of (scene);
  KeypointDrawing drawing
      = { &examples, training, assay_stream_key (9, 0, "parts", ""), scene->pictures, 1 };
  Part part = { .input = g_new (float, keypoint_examples_planes (training, 1) * PIXELS) };

  keypoint_examples_draw (&drawing, number % PHOTOS, number / PHOTOS, part.input, part.target);
  part.features = part.input;
  part.painting = part.input + (1 + KEYPOINT_PLANES) * PIXELS;
  return part;
}

enum { PARTS = 200 };

/* Half of the parts are in a mirror, with features of a mirrored photograph: what is to be painted,
 * and what is painted. */
Test (keypoint_network, parts_in_a_mirror)
{
  const KeypointTraining plain = training_of (FALSE, 0), mirror = training_of (TRUE, 0);
  Scene *scene = scene_new ();
  guint mirrored = 0;

  for (gsize i = 0; i < PARTS; i++) {
    g_auto (Part) before = draw_part (scene, &plain, i);
    g_auto (Part) after = draw_part (scene, &mirror, i);
    gboolean is_mirrored = FALSE;

    for (gsize at = 0; at < PIXELS; at++) {
      cr_assert_lt (before.features[at], 2);
      is_mirrored |= after.features[at] > 2;
    }
    for (gsize at = 0; at < PIXELS; at++) {
      const gsize from = is_mirrored ? at - at % SIDE + (SIDE - 1 - at % SIDE) : at;

      cr_assert_eq (after.target[at], before.target[from], "part %zu, pixel %zu", i, at);
      cr_assert_eq (after.painting[at], before.painting[from], "part %zu, pixel %zu", i, at);
    }
    mirrored += is_mirrored;
  }
  cr_expect (mirrored > 70 && mirrored < 130, "%u of 200", mirrored);
  scene_free (scene);
}

/* Of other contrast and brightness are what is to be painted and what is painted, in the same way;
 * features are what they were. */
Test (keypoint_network, parts_of_other_contrast)
{
  const KeypointTraining plain = training_of (FALSE, 0), jitter = training_of (FALSE, 0.5);
  Scene *scene = scene_new ();
  double least = 1, most = 1, darkest = 0, brightest = 0;

  for (gsize i = 0; i < PARTS; i++) {
    g_auto (Part) before = draw_part (scene, &plain, i);
    g_auto (Part) after = draw_part (scene, &jitter, i);
    gsize low = 0, high = 0;
    double contrast, brightness;

    for (gsize at = 0; at < PIXELS; at++) {
      low = before.target[at] < before.target[low] ? at : low;
      high = before.target[at] > before.target[high] ? at : high;
    }
    contrast = (double) (after.target[high] - after.target[low])
               / (double) (before.target[high] - before.target[low]);
    brightness = (double) after.target[low] - 0.5 - contrast * ((double) before.target[low] - 0.5);
    for (gsize at = 0; at < PIXELS; at++) {
      cr_assert_eq (after.features[at], before.features[at]);
      assert_near ((double) after.target[at],
                   0.5 + contrast * ((double) before.target[at] - 0.5) + brightness, 1e-5,
                   "part %zu, pixel %zu", i, at);
      assert_near ((double) after.painting[at],
                   0.5 + contrast * ((double) before.painting[at] - 0.5) + brightness, 1e-5,
                   "painting of part %zu, pixel %zu", i, at);
    }
    least = MIN (least, contrast);
    most = MAX (most, contrast);
    darkest = MIN (darkest, brightness);
    brightest = MAX (brightest, brightness);
  }
  cr_expect (least >= 0.5 && least < 0.6 && most <= 1.5 && most > 1.4, "%g to %g", least, most);
  cr_expect (darkest >= -0.25 && darkest < -0.2 && brightest <= 0.25 && brightest > 0.2, "%g to %g",
             darkest, brightest);
  scene_free (scene);
}

/* A photograph that is held out is seen whole and as it is. */
Test (keypoint_network, held_out_ones_are_whole)
{
  const KeypointTraining training = training_of (TRUE, 0.5);
  Scene *scene = scene_new ();
  const KeypointExamples examples = examples_of (scene);
  KeypointDrawing drawing
      = { &examples, &training, assay_stream_key (9, 0, "parts", ""), scene->pictures, 1 };
  g_autofree float *input = g_new (float, keypoint_examples_planes (&training, 1) * PIXELS);
  const float *painting = input + (1 + KEYPOINT_PLANES) * PIXELS;
  float target[PIXELS];

  for (gsize p = 0; p < PHOTOS; p++) {
    const AssayPhoto *photo = scene->photos->pdata[p];

    keypoint_examples_draw (&drawing, p, ASSAY_EPOCH_NONE, input, target);
    for (gsize at = 0; at < PIXELS; at++) {
      assert_near ((double) target[at], (double) photo->data[at] / 255, 1e-6, "pixel %zu", at);
      assert_near ((double) painting[at], (double) photo->data[at] / 510, 1e-6, "pixel %zu", at);
      cr_assert_lt (input[at], 2, "the features are of a mirrored photograph");
    }
  }
  scene_free (scene);
}

/* ---- What several paint ---- */

/* What is painted is the mean of what each network paints alone, between 0 and 255: that of the
 * first, of the last or of none would be another. */
Test (keypoint_network, the_mean_of_all)
{
  const KeypointTraining training = training_of (FALSE, 0);
  Scene *scene = scene_new ();
  const KeypointExamples examples = examples_of (scene);
  const KeypointWanted wanted = { &scene->map, &scene->painted, scene->pictures, PHOTOS };
  g_autoptr (KeypointNetwork) network
      = keypoint_network_new (&training, &examples, assay_stream_key (9, 0, "network", ""), NULL);
  g_autoptr (AssayGuess) guess = assay_guess_new ();
  float alone[2][PHOTOS * PIXELS], together[PHOTOS * PIXELS];
  double apart = 0;

  cr_assert_not_null (network);
  keypoint_network_tell (network, "hand", guess);
  cr_assert (g_str_has_prefix (guess->says, "descriptors by hand; 2 U-Nets of ")
                 && strstr (guess->says, "; what it learned is added") != NULL,
             "%s", guess->says);
  cr_assert (isnan (guess->confidence));
  for (gsize fold = 0; fold < 2; fold++)
    cr_assert (keypoint_network_paint_fold (network, fold, &wanted, alone[fold], NULL));
  cr_assert (keypoint_network_paint (network, &wanted, together, NULL));
  for (gsize i = 0; i < PHOTOS * PIXELS; i++) {
    const double mean = 255 * ((double) alone[0][i] + (double) alone[1][i]) / 2;

    assert_near ((double) together[i], CLAMP (mean, 0, 255), 0.01, "pixel %zu", i);
    apart += fabs ((double) (alone[0][i] - alone[1][i])) * 255 / (PHOTOS * PIXELS);
  }
  cr_expect_gt (apart, 1, "the networks paint the same");
  scene_free (scene);
}

/* The mirrored photograph has a feature that is far out: the first epoch of each network, as it is
 * drawn here, has no mirrored part of it, and another one has. */
Test (keypoint_network, a_training_that_diverged_is_doubted)
{
  const KeypointTraining training = training_of (TRUE, 0);
  Scene *scene = scene_new ();
  const KeypointExamples examples = examples_of (scene);
  g_autoptr (AssayGuess) guess = assay_guess_new ();
  g_autoptr (KeypointNetwork) network = NULL;

  scene->mirrored[5] = 1e25F;
  network
      = keypoint_network_new (&training, &examples, assay_stream_key (9, 7, "network", ""), NULL);
  cr_assert_not_null (network);
  keypoint_network_tell (network, "hand", guess);
  cr_assert (strstr (guess->says, " (then one diverged)") != NULL, "%s", guess->says);
  cr_assert_eq (guess->confidence, 0);
  scene_free (scene);
}
