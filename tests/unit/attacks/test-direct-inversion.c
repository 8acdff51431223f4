/* Photographs that a network paints: what it learns, what it is granted, and what is refused. */
#include <criterion/criterion.h>
#include <math.h>
#include <string.h>

#include "attacks/photographs/keypoint-map.h"
#include "attacks/photographs/photograph-case.h"
#include "core/base/parallel.h"
#include "core/games/control.h"
#include "core/games/guesses/photographs.h"
#include "core/math/image-quality.h"
#include "runner/run/steps.h"
#include "tests/reference/fixtures.h"
#include "tests/unit/assert-near.h"

extern const AssayAttack assay_attack_direct_inversion;
extern const AssayDefense assay_defense_affine_lifting;

#define SMALL "side=16 width=8 epochs=40 windows=4 patience=40 rate=0.01 folds=2"

enum { SIDE = 16, PIXELS = SIDE * SIDE };

static AssayControlCase
make_case (gsize n_public)
{
  const PhotographCase control = { .n_public = n_public, .n_secret = 6, .side = SIDE };
  AssayControlCase made = { 0 };

  cr_assert (photograph_case_make (&control, assay_stream_key (4, 0, "case", ""), &made, NULL));
  return made;
}

static AssayGuess *
play (const AssayControlCase *of, const char *assignments, GError **error)
{
  g_autoptr (AssaySettings) settings
      = fixture_settings (&assay_attack_direct_inversion.plugin, assignments);
  const AssayAttackContext context
      = { .settings = settings->values, .stream = assay_stream_key (5, 0, "attack", "") };
  const AssayObservation seen = { .release = of->release,
                                  .public_rows = of->public_rows,
                                  .database = of->database,
                                  .pairs = of->pairs,
                                  .keypoints = of->keypoints,
                                  .public_keypoints = of->public_keypoints };
  g_autoptr (AssayGuess) guess = assay_guess_new ();

  return assay_attack_run (&assay_attack_direct_inversion, &context, &seen, guess, error)
             ? g_steal_pointer (&guess)
             : NULL;
}

/* Mean absolute error of the pictures. */
static double
error_of (const AssayControlCase *of, const AssayGuess *guess)
{
  const AssayView pictures = assay_array_view (assay_arrays_get (&guess->arrays, "photographs"));
  const AssayView originals = assay_array_view (assay_arrays_get (&of->truth->arrays, "originals"));
  const gsize each = originals.rows / pictures.rows;
  double sum = 0;

  cr_assert_eq (pictures.cols, PIXELS);
  for (gsize u = 0; u < pictures.rows; u++)
    sum += assay_image_mae (assay_view_row (pictures, u), assay_view_row (originals, u * each),
                            PIXELS)
           / (double) pictures.rows;
  return sum;
}

/* Mean SSIM of the pictures. */
static double
ssim_of (const AssayControlCase *of, const AssayGuess *guess)
{
  const AssayView pictures = assay_array_view (assay_arrays_get (&guess->arrays, "photographs"));
  const AssayView originals = assay_array_view (assay_arrays_get (&of->truth->arrays, "originals"));
  const gsize each = originals.rows / pictures.rows;
  const AssaySsim ssim = { { SIDE, SIDE, 1 }, 255 };
  double sum = 0;

  for (gsize u = 0; u < pictures.rows; u++) {
    double value;

    cr_assert (assay_image_ssim (&ssim, assay_view_row (pictures, u),
                                 assay_view_row (originals, u * each), &value, NULL));
    sum += value / (double) pictures.rows;
  }
  return sum;
}

/* The network knows from the rows how bright a place is; patches are of the nearest of few rows,
 * of whose numbers most say nothing. The other photograph of a pair is 85 levels off. */
Test (direct_inversion, betters_the_patches)
{
  AssayControlCase of = make_case (12);
  g_autoptr (AssayGuess) learned = play (&of, SMALL, NULL);
  g_autoptr (AssayGuess) again = NULL;
  g_autoptr (AssayGuess) patches
      = play (&of, "side=16 width=8 epochs=1 windows=1 rate=0.000001", NULL);
  const AssayArray *pictures;

  cr_assert (learned != NULL && patches != NULL);
  cr_assert (strstr (learned->says, "learned nothing") == NULL, "%s", learned->says);
  cr_assert (strstr (patches->says, "learned nothing") != NULL, "%s", patches->says);
  cr_assert_lt (error_of (&of, patches), 60);
  cr_assert_lt (error_of (&of, learned), 0.75 * error_of (&of, patches), "%g, patches %g",
                error_of (&of, learned), error_of (&of, patches));
  cr_assert_gt (ssim_of (&of, learned), ssim_of (&of, patches) + 0.4, "%g, patches %g",
                ssim_of (&of, learned), ssim_of (&of, patches));
  assay_parallel_set_threads (1);
  again = play (&of, SMALL, NULL);
  assay_parallel_set_threads (0);
  pictures = assay_arrays_get (&learned->arrays, "photographs");
  cr_assert_eq (memcmp (pictures->data, assay_arrays_get (&again->arrays, "photographs")->data,
                        assay_array_count (pictures) * sizeof (float)),
                0, "the number of threads changes it");
  assay_control_case_clear (&of);
}

/* As many networks as are asked for, whose mean is not that of others; and each sees the paintings
 * that are asked for. */
Test (direct_inversion, folds_and_paintings)
{
  static const char *const settings[]
      = { " folds=2 paintings=1", " folds=2 paintings=2", " folds=4 paintings=1" };
  AssayControlCase of = make_case (12);
  g_autofree float *first = NULL;

  for (guint i = 0; i < G_N_ELEMENTS (settings); i++) {
    g_autofree char *all
        = g_strconcat ("side=16 width=8 epochs=4 windows=2 rate=0.01", settings[i], NULL);
    g_autoptr (AssayGuess) guess = play (&of, all, NULL);
    const char *says = i < 2 ? "; 2 U-Nets of " : "; 4 U-Nets of ";
    const AssayArray *pictures;

    cr_assert (strstr (guess->says, says) != NULL, "%s", guess->says);
    cr_assert (strstr (guess->says, "learned nothing") == NULL, "%s", guess->says);
    pictures = assay_arrays_get (&guess->arrays, "photographs");
    if (first != NULL)
      cr_assert_neq (memcmp (first, pictures->data, assay_array_count (pictures) * sizeof (float)),
                     0);
    else
      first = g_memdup2 (pictures->data, assay_array_count (pictures) * sizeof (float));
  }
  assay_control_case_clear (&of);
}

/* Rows lifted to planes, each with a row of @database. */
static AssayRelease *
lift (const AssayArray *rows, AssayRows *database)
{
  g_autoptr (AssaySettings) settings
      = fixture_settings (&assay_defense_affine_lifting.plugin, "dimension=2 normalize=no");
  const AssayStreamKey key = assay_stream_key (6, rows->shape[0], "defense", "");
  const AssayKnowledge knowledge = { .database = database };
  const AssaySecrets secrets = { .rows = assay_array_view (rows) };
  AssayRelease *release = NULL;
  g_autoptr (AssayTruth) truth = NULL;
  g_autoptr (GError) error = NULL;

  cr_assert (assay_step_protect (
                 &assay_defense_affine_lifting,
                 &(AssayProtecting){
                     .settings = settings, .stream = key, .common = key, .knowledge = &knowledge },
                 &secrets, &release, &truth, &error),
             "%s", error != NULL ? error->message : "");
  return release;
}

/* Who has the database recovers descriptors from planes first. As above, 85 levels would be the
 * error of another photograph. */
Test (direct_inversion, refines_what_the_database_attack_recovers)
{
  AssayControlCase of = make_case (12);
  AssayOwnRelease *own = of.pairs->releases->pdata[0];
  AssayRelease *planes, *own_planes;
  g_autoptr (AssayMatrix) far = fixture_normal (400, 6, 8);
  g_autoptr (GError) error = NULL;
  g_autoptr (AssayGuess) none = NULL;
  g_autoptr (AssayGuess) guess = NULL;

  of.database = fixture_rows (far);
  planes = lift (assay_arrays_get (&of.release->arrays, "vectors"), of.database);
  own_planes = lift (assay_arrays_get (&own->release->arrays, "vectors"), of.database);
  assay_release_free (of.release);
  assay_release_free (own->release);
  of.release = planes;
  own->release = own_planes;
  guess = play (&of, SMALL " descriptors=recovered", &error);
  cr_assert (guess != NULL, "%s", error != NULL ? error->message : "");
  cr_assert (strstr (guess->says, "descriptors by the database attack") != NULL, "%s", guess->says);
  cr_assert_lt (error_of (&of, guess), 65, "%g", error_of (&of, guess));
  g_clear_pointer (&of.database, assay_rows_unref);
  none = play (&of, SMALL " descriptors=recovered", &error);
  cr_assert (none == NULL
                 && strstr (error->message,
                            "descriptors = recovered: expected subspaces, and the database that "
                            "they were lifted with (grants = database)")
                        != NULL,
             "%s", error != NULL ? error->message : "it was not refused");
  assay_control_case_clear (&of);
}

/* Won, and lost where what was released says nothing. */
Test (direct_inversion, control)
{
  AssayAttack attack = assay_attack_direct_inversion;
  g_autoptr (AssaySettings) settings = fixture_settings (&attack.plugin, SMALL);
  g_autoptr (AssaySettings) lifted
      = fixture_settings (&attack.plugin, SMALL " descriptors=recovered");
  AssayControlCase of = make_case (12);
  AssayControlOutcome outcome;
  g_autoptr (AssayMatrix) nothing
      = assay_matrix_new (assay_release_count (of.release), assay_release_cols (of.release), NULL);
  g_autoptr (AssayGuess) blind = NULL;

  cr_assert (assay_control_run (&attack, settings, 1, &outcome, NULL));
  cr_assert (outcome.is_won && outcome.n == 6, "share %g", outcome.share);
  cr_assert (assay_control_run (&attack, lifted, 1, &outcome, NULL));
  cr_assert (outcome.is_won && outcome.n == 6, "share %g of planes", outcome.share);
  assay_arrays_take_matrix (&of.release->arrays, "vectors", &nothing);
  blind = play (&of, SMALL, NULL);
  cr_assert (assay_photographs_judge (&of, blind, &outcome, NULL));
  cr_assert_leq (outcome.share, 0.5, "share %g of nothing", outcome.share);
  assay_control_case_clear (&of);
}

static void
refuses (const AssayControlCase *of, const char *assignments, const char *says)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (AssayGuess) guess = play (of, assignments, &error);

  cr_assert_null (guess, "not refused: %s", says);
  cr_assert (strstr (error->message, says) != NULL, "%s", error->message);
}

Test (direct_inversion, bad_input)
{
  g_autoptr (AssaySettings) odd
      = fixture_settings (&assay_attack_direct_inversion.plugin, "side=20");
  g_autoptr (AssaySettings) many
      = fixture_settings (&assay_attack_direct_inversion.plugin, "neighbours=9 averaged=10");
  const AssayShape shape = { 0 };
  AssayControlCase of = make_case (12), few = make_case (4);
  AssayOwnRelease *own = of.pairs->releases->pdata[0];
  AssayKeypoints *known = g_steal_pointer (&of.public_keypoints);
  gsize *numbers = own->numbers;
  g_autoptr (GError) error = NULL;

  refuses (&of, SMALL, "no keypoints and photographs to learn from");
  of.public_keypoints = known;
  own->numbers = NULL;
  refuses (&of, SMALL, "do not say which public rows they are of");
  own->numbers = numbers;
  refuses (&few, SMALL, "4 public photographs have keypoints");
  cr_assert (!assay_attack_direct_inversion.check (odd->values, &shape, &error));
  cr_assert (strstr (error->message, "expected multiples of 8") != NULL, "%s", error->message);
  g_clear_error (&error);
  cr_assert (!assay_attack_direct_inversion.check (many->values, &shape, &error));
  cr_assert_str_eq (error->message, "averaged = 10: expected at most neighbours = 9");
  assay_control_case_clear (&of);
  assay_control_case_clear (&few);
}

/* Of a secret photograph without a keypoint there is no picture, and the others are as before; how
 * much a network holds is told before it is trained; codes have no place in space. */
Test (direct_inversion, what_is_missing)
{
  static const char quick[] = "side=16 width=8 epochs=1 windows=1";
  const gsize shape[] = { 7, 2 };
  const AssayShape sizes = { .n_secrets = 100, .cols = 128, .n_public = 1000 };
  g_autoptr (AssaySettings) small = fixture_settings (&assay_attack_direct_inversion.plugin, quick);
  g_autoptr (AssaySettings) large
      = fixture_settings (&assay_attack_direct_inversion.plugin, "side=256 width=128");
  AssayControlCase of = make_case (6);
  g_autoptr (AssayGuess) six = play (&of, quick, NULL);
  g_autoptr (AssayGuess) again = NULL;
  const AssayArray *pictures = assay_arrays_get (&six->arrays, "photographs");
  gint64 *sides = g_new0 (gint64, 14);

  memcpy (sides, of.keypoints->sides->data, 12 * sizeof (gint64));
  assay_array_free (of.keypoints->sides);
  of.keypoints->sides = assay_array_take (ASSAY_INT64, 2, shape, sides);
  again = play (&of, quick, NULL);
  cr_assert_eq (assay_arrays_get (&again->arrays, "photographs")->shape[0], 6);
  cr_assert_eq (memcmp (pictures->data, assay_arrays_get (&again->arrays, "photographs")->data,
                        assay_array_count (pictures) * sizeof (float)),
                0);
  cr_assert_lt (assay_attack_direct_inversion.memory (small->values, &sizes), 64 << 20);
  cr_assert_gt (assay_attack_direct_inversion.memory (large->values, &sizes), G_MAXUINT32);
  cr_assert_eq (assay_attack_direct_inversion.reads & ASSAY_RELEASE_CODES, 0);
  assay_control_case_clear (&of);
}

/* ---- What is granted ---- */

static AssayArray *
frames_of (gsize n, float size)
{
  const gsize shape[] = { n, 4 };
  float *frames = g_new (float, 4 * n);

  for (gsize i = 0; i < n; i++) {
    frames[4 * i] = (float) i;
    frames[4 * i + 1] = 2;
    frames[4 * i + 2] = size;
    frames[4 * i + 3] = 90;
  }
  return assay_array_take (ASSAY_FLOAT32, 2, shape, frames);
}

/* Of the secrets no photograph, and the sides of those alone that are among them. */
Test (direct_inversion, grant)
{
  const gsize n = 3;
  const gint64 numbers[] = { 2, 0, 2 };
  g_autoptr (GPtrArray) photos = g_ptr_array_new_with_free_func ((GDestroyNotify) assay_photo_free);
  AssayRoleData public = { .frames = frames_of (n, 1) };
  const AssayKnowledge knowledge = { .secret_photos = photos, .public_data = &public };
  g_autoptr (AssayRelease) release = assay_release_new (ASSAY_RELEASE_VECTORS, "test");
  g_autoptr (AssayTruth) truth = assay_truth_new ();
  AssayGranted granted = { .release = release, .knowledge = &knowledge, .truth = truth };

  for (gsize i = 0; i < 3; i++)
    g_ptr_array_add (photos, assay_photo_new (10 + i, 20, 1, NULL));
  public.pictures = assay_array_take (ASSAY_INT64, 1, &n, g_memdup2 (numbers, sizeof numbers));
  public.photos = photos;
  assay_arrays_take (&truth->arrays, "frames", frames_of (n, 1));
  assay_arrays_take (&truth->arrays, "groups", assay_array_copy (public.pictures));
  for (guint step = 0; step < 4; step++) {
    static const guint grants[]
        = { ASSAY_GRANT_PUBLIC, ASSAY_GRANT_KEYPOINTS, ASSAY_GRANT_KEYPOINTS | ASSAY_GRANT_PUBLIC,
            ASSAY_GRANT_KEYPOINTS };
    g_auto (AssaySight) sight = { 0 };

    granted.grants = grants[step];
    if (step == 3) /* a keypoint without a size is none */
      assay_arrays_take (&truth->arrays, "frames", frames_of (n, 0));
    cr_assert (assay_sight_open (&granted, &sight, NULL));
    cr_assert_eq (sight.seen.keypoints != NULL, step == 1 || step == 2, "step %u", step);
    cr_assert_eq (sight.seen.public_keypoints != NULL, step == 2, "step %u", step);
    if (sight.seen.keypoints == NULL)
      continue;
    cr_assert_null (sight.seen.keypoints->photos);
    cr_assert_eq (assay_keypoints_sides (sight.seen.keypoints, 0)[0], 10);
    cr_assert_eq (assay_keypoints_sides (sight.seen.keypoints, 1)[0], 0);
    cr_assert_eq (assay_keypoints_sides (sight.seen.keypoints, 2)[0], 12);
    if (step == 2)
      cr_assert_eq (sight.seen.public_keypoints->photos, photos);
  }
  assay_array_free (public.frames);
  assay_array_free (public.pictures);
}

/* ---- Planes ---- */

/* Two keypoints in a pixel are its mean, one outside of the window is not there. */
Test (direct_inversion, planes)
{
  enum { N = 4 };
  const float frames[N * 4] = { 0, 0, 2, 0, 0.4F, 0, 2, 90, 6, 5, 4, 180, 7.6F, 7, 1, 0 };
  const float values[N] = { 1, 3, 5, 7 };
  const gsize pictures[N] = { 1, 1, 1, 1 };
  const AssayPhotoWindow window = { 0, 0, 8, 8 }, part = { 4, 4, 4, 4 };
  float planes[(1 + KEYPOINT_PLANES) * 16];
  g_auto (KeypointMap) map = { 0 };

  cr_assert (keypoint_map_init (&map, frames, pictures, 2,
                                (AssayView){ .rows = N, .cols = 1, .stride = 1, .data = values },
                                NULL));
  cr_assert (keypoint_map_count (&map, 0) == 0 && keypoint_map_count (&map, 1) == N);
  keypoint_map_fill (&map, 1, &(KeypointLook){ window, FALSE }, 4, planes);
  assert_near ((double) planes[0], 2, 1e-6, "mean of two");
  assert_near ((double) planes[16], log (3), 1e-6, "how many");
  assert_near ((double) planes[32], 0.5, 1e-6, "cosine");
  assert_near ((double) planes[48], 0.5, 1e-6, "sine");
  assert_near ((double) planes[64], 0, 1e-6, "ln of a size of 2 pixels of 8, in pixels of 4");
  assert_near ((double) planes[2 * 4 + 3], 5, 1e-6, "third");
  keypoint_map_fill (&map, 1, &(KeypointLook){ part, FALSE }, 4, planes);
  assert_near ((double) planes[1 * 4 + 2], 5, 1e-6, "in its part");
  cr_assert_eq (planes[0], 0);
}

/* In a mirror what was on the left is on the right, with the features that are of a mirrored
 * photograph, and directions are mirrored: cosines change their sign, sines do not. */
Test (direct_inversion, planes_in_a_mirror)
{
  enum { N = 2, SIDES = 4, PLANE = SIDES * SIDES };
  const float frames[N * 4] = { 0, 2, 2, 30, 5, 3, 2, 100 };
  const float values[N] = { 1, 2 }, mirrored[N] = { 7, 9 };
  const gsize pictures[N] = { 0, 0 };
  const KeypointLook straight = { { 0, 0, 8, 8 }, FALSE }, mirror = { { 0, 0, 8, 8 }, TRUE };
  float before[(1 + KEYPOINT_PLANES) * PLANE], after[(1 + KEYPOINT_PLANES) * PLANE];
  g_auto (KeypointMap) map = { 0 };

  cr_assert (keypoint_map_init (&map, frames, pictures, 1,
                                (AssayView){ .rows = N, .cols = 1, .stride = 1, .data = values },
                                NULL));
  map.mirrored = (AssayView){ .rows = N, .cols = 1, .stride = 1, .data = mirrored };
  keypoint_map_fill (&map, 0, &straight, SIDES, before);
  keypoint_map_fill (&map, 0, &mirror, SIDES, after);
  cr_assert_eq (after[1 * SIDES + 3], 7);
  cr_assert_eq (after[1 * SIDES + 1], 9);
  for (gsize i = PLANE; i < (1 + KEYPOINT_PLANES) * PLANE; i++) {
    const gsize other = i - i % SIDES + (SIDES - 1 - i % SIDES);
    const float sign = i / PLANE == 2 ? -1 : 1;

    cr_assert_eq (after[i], sign * before[other], "number %zu", i);
  }
}

/* By area, in fractions of pixels, against many samples. */
Test (direct_inversion, reduce)
{
  enum { W = 7, H = 5, TO = 3, FINE = 240 };
  const AssayPhotoWindow windows[] = { { 0, 0, W, H }, { 1.3, 0.6, 4.4, 3.1 }, { 2.2, 2, 1.5, 2 } };
  g_autoptr (AssayPhoto) photo = assay_photo_new (W, H, 1, NULL);
  AssayStream stream = assay_stream (assay_stream_key (6, 0, "photo", ""), 0);

  for (gsize i = 0; i < W * H; i++)
    photo->data[i] = (float) (255 * assay_stream_uniform (&stream));
  for (gsize w = 0; w < G_N_ELEMENTS (windows); w++) {
    float reduced[TO * TO];

    assay_photo_reduce (photo, &windows[w], TO, reduced);
    for (gsize at = 0; at < TO * TO; at++) {
      double sum = 0;

      for (gsize s = 0; s < FINE * FINE; s++) {
        const double u = ((double) (s % FINE) + 0.5) / FINE, v = ((double) (s / FINE) + 0.5) / FINE;
        const double x = windows[w].left + windows[w].width * ((double) (at % TO) + u) / TO;
        const double y = windows[w].top + windows[w].height * ((double) (at / TO) + v) / TO;

        sum += (double) *assay_photo_pixel (photo, (gsize) x, (gsize) y);
      }
      assert_near ((double) reduced[at], sum / (FINE * FINE), 0.7, "window %zu, pixel %zu", w, at);
    }
  }
}
