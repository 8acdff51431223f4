/* What attacks get to see, and what they refuse. */
#include <criterion/criterion.h>
#include <math.h>
#include <string.h>

#include "core/base/parallel.h"
#include "runner/run/steps.h"
#include "tests/reference/fixtures.h"
#include "tests/unit/attacks/lifting-case.h"

extern const AssayAttack assay_attack_verbatim;

/* Lists that cannot be are found when a scenario is loaded, or where rows are not known then. */
Test (attack_inputs, lists_that_cannot_be)
{
  static const struct {
    const char *assignments;
    gsize rows;
    const char *message; /* NULL: it can */
  } cases_of[] = {
    { "search=exact lists=5000 probes=6000", 700, NULL },
    { "search=approximate", 700, NULL },
    { "search=approximate lists=700 probes=700", 700, NULL },
    { "search=approximate lists=701 probes=1", 700,
      "lists = 701: expected at most 700, the number of rows that they are made of" },
    { "search=approximate lists=40 probes=41", 700,
      "probes = 41: expected 1 to 40, the number of lists that 700 rows are in" },
    { "search=approximate probes=44", 700,
      "probes = 44: expected 1 to 43, the number of lists that 700 rows are in" },
    { "search=approximate lists=701", 0, NULL },
    { "search=approximate probes=1025", 10000000,
      "probes = 1025: expected at most 1024, or of how many: lists = N" },
    { "search=approximate probes=1025 lists=2000", 10000000, NULL },
  };

  for (gsize i = 0; i < G_N_ELEMENTS (cases_of); i++) {
    g_autoptr (AssaySettings) settings
        = fixture_settings (&assay_attack_database.plugin, cases_of[i].assignments);
    const AssayShape shape
        = { .n_secrets = 10, .dimension = 4, .cols = 24, .n_database = cases_of[i].rows };
    g_autoptr (GError) error = NULL;

    cr_assert (assay_attack_database.check (settings->values, &shape, &error)
                   == (cases_of[i].message == NULL),
               "%s", cases_of[i].assignments);
    cr_assert_str_eq (error != NULL ? error->message : "",
                      cases_of[i].message != NULL ? cases_of[i].message : "");
  }
}

Test (attack_inputs, verbatim_is_what_was_released)
{
  for (gsize c = 0; c < 2; c++) {
    const LiftingCase problem = { c == 0 ? NULL : "dimension=2", FALSE, 20, 50, 8 };
    g_auto (LiftingScene) scene = { 0 };
    g_autoptr (AssayGuess) guess = NULL;
    const AssayArray *estimates;

    lifting_scene_make (&problem, &scene);
    guess = lifting_scene_attack (&assay_attack_verbatim, "", &scene);
    estimates = assay_arrays_get (&guess->arrays, "estimates");
    cr_assert (memcmp (estimates->data, scene.subspaces.translation, 20 * 8 * sizeof (float)) == 0);
  }
}

/* ---- What an attack gets to see ---- */

static AssayObservation recorded;
static gboolean recorded_settings; /* whether how the release was made could be read */
static float recorded_first;       /* of the release's first array */
static gsize spy_rows;
static float spy_value;

static gboolean
spy_attack (const AssayAttackContext *context, const AssayObservation *seen, AssayGuess *ret_guess,
            GError **error)
{
  AssayMatrix *estimates = assay_matrix_new (spy_rows, 8, error);

  (void) context;
  recorded = *seen;
  recorded_settings = !g_str_equal (seen->release->settings, "{}");
  recorded_first = assay_release_subspaces (seen->release).translation[0];
  estimates->data[0] = spy_value;
  assay_arrays_take (&ret_guess->arrays, "estimates", assay_array_take_matrix (estimates));
  return TRUE;
}

static const AssayAttack spy = { .type = ASSAY_PLUGIN_ATTACK,
                                 .id = "spy",
                                 .reads = ASSAY_RELEASE_VECTORS | ASSAY_RELEASE_SUBSPACES,
                                 .game = ASSAY_GAME_RECONSTRUCT,
                                 .attack = spy_attack };

static gboolean
run (const AssayAttack *plugin, const LiftingScene *scene, guint grants,
     const AssayKnowledge *knowledge, const gint64 *groups, GError **error)
{
  g_autoptr (AssaySettings) settings = fixture_settings (
      &plugin->plugin, plugin == &assay_attack_database ? "adversarial=half" : "");
  g_autoptr (AssayGuess) guess = NULL;
  const AssayGranted granted
      = { .grants = grants, .release = scene->release, .knowledge = knowledge, .groups = groups };

  return assay_step_attack (plugin, settings, key, &granted, &guess, error);
}

Test (attack_inputs, what_is_not_granted_is_not_there)
{
  const LiftingCase problem = { "dimension=2", FALSE, 4, 20, 8 };
  static const gint64 groups[] = { 1, 1, 2, 2 };
  g_autoptr (AssayRows) public_rows = fixture_normal_rows (5, 8, 3);
  g_auto (LiftingScene) scene = { 0 };
  AssayKnowledge knowledge;

  lifting_scene_make (&problem, &scene);
  knowledge = (AssayKnowledge){ .database = scene.rows, .public_rows = public_rows };
  spy_rows = 4;
  for (guint grants = 0; grants < 16; grants++) {
    cr_assert (run (&spy, &scene, grants, &knowledge, groups, NULL), "%u", grants);
    cr_assert (!recorded_settings, "%u", grants);
    cr_assert (recorded_first == scene.subspaces.translation[0], "%u", grants);
    cr_assert (recorded.database == (grants & ASSAY_GRANT_DATABASE ? scene.rows : NULL), "%u",
               grants);
    cr_assert (recorded.public_rows == (grants & ASSAY_GRANT_PUBLIC ? public_rows : NULL), "%u",
               grants);
    cr_assert (recorded.groups == (grants & ASSAY_GRANT_GROUPS ? groups : NULL), "%u", grants);
    cr_assert (recorded.other_releases
                   == (grants & ASSAY_GRANT_OTHER_RELEASES ? recorded.release : NULL),
               "%u", grants);
  }
}

#define check_error(call, code, message)                                                           \
  do {                                                                                             \
    GError *error = NULL;                                                                          \
    g_autofree char *why = NULL;                                                                   \
                                                                                                   \
    cr_assert (!(call), "%s", message);                                                            \
    cr_assert (fixture_error_is (&error, code, message, NULL, &why), "%s", why);                   \
  } while (0)

Test (attack_inputs, errors)
{
  const LiftingCase problem = { "dimension=2", FALSE, 4, 20, 8 }, plain = { NULL, FALSE, 4, 20, 8 };
  g_autoptr (AssayRows) narrow = fixture_normal_rows (5, 7, 3);
  g_autoptr (AssayRows) single = fixture_normal_rows (1, 8, 3);
  const AssayKnowledge nothing = { 0 }, of_seven = { .database = narrow, .public_rows = narrow };
  const AssayKnowledge of_one = { .database = single };
  g_auto (LiftingScene) scene = { 0 };
  g_auto (LiftingScene) vectors = { 0 };
  AssayKnowledge all;

  lifting_scene_make (&problem, &scene);
  lifting_scene_make (&plain, &vectors);
  all = (AssayKnowledge){ .database = scene.rows, .public_rows = scene.rows };
  check_error (run (&assay_attack_database, &vectors, G_MAXUINT, &all, NULL, &error),
               ASSAY_ERROR_MISMATCH,
               "attack 'database' reads subspaces, but the release of 'none' holds vectors");
  check_error (run (&assay_attack_database, &scene, ASSAY_GRANT_PUBLIC, &all, NULL, &error),
               ASSAY_ERROR_MISMATCH, "attack 'database' needs 'database', which was not granted");
  check_error (run (&assay_attack_nearest, &scene, ASSAY_GRANT_PUBLIC, &nothing, NULL, &error),
               ASSAY_ERROR_MISMATCH, "attack 'nearest' needs 'public', which was not granted");
  check_error (run (&assay_attack_database, &scene, ASSAY_GRANT_DATABASE, &of_seven, NULL, &error),
               ASSAY_ERROR_MISMATCH, "the database has 7 columns, but the release has 8");
  check_error (run (&assay_attack_nearest, &scene, ASSAY_GRANT_PUBLIC, &of_seven, NULL, &error),
               ASSAY_ERROR_MISMATCH,
               "the public set has 7 columns, but the release has 8; expected public rows of as "
               "many, or a scenario with grants = public; mechanism, where what the defense makes "
               "of public rows is compared");
  check_error (run (&assay_attack_database, &scene, ASSAY_GRANT_DATABASE, &of_one, NULL, &error),
               ASSAY_ERROR_MISMATCH,
               "attack database: the database has 1 rows, expected more than the 1 adversarial "
               "ones of a subspace");
  spy_rows = 3;
  check_error (run (&spy, &scene, 0, &nothing, NULL, &error), ASSAY_ERROR_MISMATCH,
               "attack spy: expected an estimate for each of 4 secrets");
  spy_rows = 4;
  spy_value = NAN;
  check_error (run (&spy, &scene, 0, &nothing, NULL, &error), ASSAY_ERROR_NUMERIC,
               "attack spy: guess: estimates: row 0, column 0 is not a finite number");
}
