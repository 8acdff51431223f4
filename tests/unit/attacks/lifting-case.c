#include "tests/unit/attacks/lifting-case.h"

#include <criterion/criterion.h>

#include "runner/run/steps.h"
#include "tests/reference/fixtures.h"

extern const AssayDefense assay_defense_none;

void
lifting_scene_clear (LiftingScene *scene)
{
  g_clear_pointer (&scene->database, assay_matrix_free);
  g_clear_pointer (&scene->rows, assay_rows_unref);
  g_clear_pointer (&scene->release, assay_release_free);
  g_clear_pointer (&scene->truth, assay_truth_free);
}

/* Normal rows, or rows around 12 centres with a deviation of 0.15. */
static AssayMatrix *
make_points (const LiftingCase *problem, gsize rows, guint64 trial)
{
  AssayMatrix *points = fixture_normal (rows, problem->cols, trial);
  g_autoptr (AssayMatrix) centres = fixture_normal (12, problem->cols, 99);

  for (gsize i = 0; problem->is_clustered && i < rows * problem->cols; i++)
    points->data[i] = 0.15f * points->data[i]
                      + centres->data[i / problem->cols % 12 * problem->cols + i % problem->cols];
  return points;
}

void
lifting_scene_make (const LiftingCase *problem, LiftingScene *scene)
{
  const AssayDefense *defense
      = problem->lifting != NULL ? &assay_defense_affine_lifting : &assay_defense_none;
  g_autoptr (AssaySettings) settings
      = fixture_settings (&defense->plugin, problem->lifting != NULL ? problem->lifting : "");
  g_autoptr (AssayMatrix) secrets = make_points (problem, problem->n, 1);
  g_autoptr (GError) error = NULL;

  scene->database = make_points (problem, problem->rows, 2);
  scene->rows = fixture_rows (scene->database);
  cr_assert (fixture_protect (defense, settings, key, assay_matrix_view (secrets), scene->rows,
                              &scene->release, &scene->truth, &error),
             "%s", error != NULL ? error->message : "");
  assay_rows_read (scene->rows, 0, problem->rows,
                   scene->release->is_unit_norm ? ASSAY_SCALE_UNIT : ASSAY_SCALE_NONE,
                   scene->database->data);
  scene->subspaces = assay_release_subspaces (scene->release);
}

AssayGuess *
lifting_scene_attack (const AssayAttack *plugin, const char *assignments, const LiftingScene *scene)
{
  g_autoptr (AssaySettings) settings = fixture_settings (&plugin->plugin, assignments);
  const AssayKnowledge knowledge = { .database = scene->rows, .public_rows = scene->rows };
  g_autoptr (GError) error = NULL;
  AssayGuess *guess = NULL;

  cr_assert (assay_step_attack (plugin, settings, key,
                                &(AssayGranted){ .release = scene->release,
                                                 .grants = plugin->needs,
                                                 .knowledge = &knowledge },
                                &guess, &error),
             "%s %s: %s", plugin->id, assignments, error != NULL ? error->message : "");
  return guess;
}
