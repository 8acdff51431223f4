/* What patches are taken from: public rows near to an item, as they would be to that of somebody
 * else. */
#include <criterion/criterion.h>

#include "attacks/photographs/keypoint-features.h"
#include "attacks/photographs/photograph-case.h"
#include "core/games/control.h"
#include "core/search/scan.h"
#include "runner/run/steps.h"
#include "tests/reference/fixtures.h"

extern const AssayAttack assay_attack_set_guess;
extern const AssayDefense assay_defense_affine_lifting, assay_defense_ldp_feat;

enum { PUBLIC = 12, SECRET = 6, COLS = 6 };

typedef struct {
  AssayControlCase of;
  AssayRows *others; /* a database that is none of the public rows */
  AssayTruth *own;   /* of the attacker's own release, which is made with public rows */
  KeypointFeatures features;
} Fixture;

static AssayRelease *
protect (const AssayDefense *defense, const char *assignments, const AssayArray *rows,
         AssayRows *database, AssayTruth **ret_truth)
{
  g_autoptr (AssaySettings) settings = fixture_settings (&defense->plugin, assignments);
  const AssayStreamKey key = assay_stream_key (6, rows->shape[0], "defense", "");
  const AssayKnowledge knowledge = { .database = database };
  const AssaySecrets secrets = { .rows = assay_array_view (rows) };
  AssayRelease *release = NULL;
  g_autoptr (GError) error = NULL;

  cr_assert (assay_step_protect (
                 defense,
                 &(AssayProtecting){
                     .settings = settings, .stream = key, .common = key, .knowledge = &knowledge },
                 &secrets, &release, ret_truth, &error),
             "%s", error != NULL ? error->message : "");
  return release;
}

/* The case of photographs, with what @defense makes of its rows in place of these. */
static void
fixture_init (Fixture *fixture, const AssayDefense *defense, const char *assignments)
{
  const PhotographCase control = { .n_public = PUBLIC, .n_secret = SECRET, .side = 16 };
  const KeypointMethod method
      = { .descriptors = KEYPOINT_EXPECTED, .patches = KEYPOINT_OF_LIKELIEST, .channels = 4 };
  g_autoptr (AssayMatrix) far = fixture_normal (400, COLS, 8);
  g_autoptr (AssayTruth) truth = NULL;
  g_autoptr (GError) error = NULL;
  AssayControlCase *of = &fixture->of;
  AssayObservation seen;
  AssayOwnRelease *own;
  AssayRelease *made, *made_own;

  *fixture = (Fixture){ .others = fixture_rows (far) };
  cr_assert (photograph_case_make (&control, assay_stream_key (4, 0, "case", ""), of, NULL));
  own = of->pairs->releases->pdata[0];
  made = protect (defense, assignments, assay_arrays_get (&of->release->arrays, "vectors"),
                  fixture->others, &truth);
  made_own = protect (defense, assignments, assay_arrays_get (&own->release->arrays, "vectors"),
                      of->public_rows, &fixture->own);
  assay_release_free (of->release);
  assay_release_free (own->release);
  of->release = made;
  own->release = made_own;
  seen = (AssayObservation){ .release = of->release,
                             .public_rows = of->public_rows,
                             .pairs = of->pairs,
                             .keypoints = of->keypoints,
                             .public_keypoints = of->public_keypoints };
  cr_assert (keypoint_features_init (&fixture->features, &seen, &method,
                                     assay_stream_key (5, 0, "attack", ""), &error),
             "%s", error != NULL ? error->message : "");
}

static void
fixture_clear (Fixture *fixture)
{
  keypoint_features_clear (&fixture->features);
  assay_truth_free (fixture->own);
  assay_rows_unref (fixture->others);
  assay_control_case_clear (&fixture->of);
}

/* A plane of the attacker's own holds a public row that it was laid through, at no distance, and
 * one of somebody else's does not: no patch is taken from it, nor from the row itself. */
Test (keypoint_features, rows_that_planes_were_laid_through_are_left_out)
{
  Fixture fixture;
  const KeypointFeatures *features = &fixture.features;
  const AssayArray *through;

  fixture_init (&fixture, &assay_defense_affine_lifting, "dimension=2 normalize=no");
  through = assay_arrays_get (&fixture.own->arrays, "adversarial");
  cr_assert (through->shape[0] == features->own->rows && through->shape[1] == 1);
  for (gsize i = 0; i < features->own->rows; i++)
    for (gsize j = 0; j < KEYPOINT_NEAR; j++) {
      const gsize row = features->own_near[i * KEYPOINT_NEAR + j];

      cr_assert_neq (row, (gsize) assay_array_int64 (through)[i], "item %zu", i);
      cr_assert_neq (row, features->rows[i], "item %zu", i);
    }
  fixture_clear (&fixture);
}

/* Rows near to a plane that holds none of them are those that a scan finds. */
Test (keypoint_features, rows_beside_planes_of_others)
{
  Fixture fixture;
  AssaySubspaces planes;
  g_autoptr (AssayNearest) nearest = NULL;

  fixture_init (&fixture, &assay_defense_affine_lifting, "dimension=2 normalize=no");
  planes = assay_release_subspaces (fixture.of.release);
  nearest = assay_scan_subspaces (&planes, fixture.of.public_rows, ASSAY_SCALE_NONE, KEYPOINT_NEAR,
                                  NULL);
  for (gsize i = 0; i < planes.count * KEYPOINT_NEAR; i++)
    cr_assert_eq (fixture.features.seen_near[i], nearest->rows[i], "%zu", i);
  fixture_clear (&fixture);
}

/* Of sets: near to the member that `set-guess` takes. */
Test (keypoint_features, patches_of_sets_are_of_the_likeliest_member)
{
  Fixture fixture;
  g_autoptr (AssaySettings) settings = fixture_settings (&assay_attack_set_guess.plugin, "");
  const AssayAttackContext context
      = { .settings = settings->values, .stream = assay_stream_key (5, 0, "attack", "") };
  g_autoptr (AssayGuess) guess = assay_guess_new ();
  g_autoptr (AssayNearest) nearest = NULL;
  AssayObservation seen;
  AssaySubspaces members;
  AssayView estimates;

  fixture_init (&fixture, &assay_defense_ldp_feat,
                "dictionary=64 members=2 epsilon=4 normalize=no");
  seen = (AssayObservation){ .release = fixture.of.release, .public_rows = fixture.of.public_rows };
  cr_assert (assay_attack_run (&assay_attack_set_guess, &context, &seen, guess, NULL));
  estimates = assay_array_view (assay_arrays_get (&guess->arrays, "estimates"));
  members = (AssaySubspaces){ .count = estimates.rows,
                              .cols = estimates.cols,
                              .translation = estimates.data };
  nearest = assay_scan_subspaces (&members, fixture.of.public_rows, ASSAY_SCALE_NONE, KEYPOINT_NEAR,
                                  NULL);
  for (gsize i = 0; i < members.count * KEYPOINT_NEAR; i++)
    cr_assert_eq (fixture.features.seen_near[i], nearest->rows[i], "%zu", i);
  fixture_clear (&fixture);
}
