#include "tests/unit/attacks/shared-points.h"

#include <criterion/criterion.h>
#include <math.h>

#include "tests/reference/fixtures.h"
#include "tests/unit/assert-near.h"

extern const AssayDefense assay_defense_affine_lifting;

void
shared_points_clear (SharedPoints *scene)
{
  g_clear_pointer (&scene->public_matrix, assay_matrix_free);
  g_clear_pointer (&scene->public_rows, assay_rows_unref);
  g_clear_pointer (&scene->database, assay_rows_unref);
  g_clear_pointer (&scene->release, assay_release_free);
  g_clear_pointer (&scene->truth, assay_truth_free);
}

/* Points around 12 centres, of length @length or so, and non-negative as those of SIFT are. */
static AssayMatrix *
make_points (gsize rows, gsize d, double length, guint64 trial)
{
  AssayMatrix *points = fixture_normal (rows, d, trial);
  g_autoptr (AssayMatrix) centres = fixture_normal (12, d, 99);

  for (gsize i = 0; i < rows * d; i++)
    points->data[i]
        = (float) (length / sqrt ((double) d)
                   * fabs (0.3 * (double) points->data[i] + centres->data[i / d % 12 * d + i % d]));
  return points;
}

void
shared_points_make (const char *lifting, gsize n, gsize n_database, gsize d, double length,
                    SharedPoints *scene)
{
  const AssayDefense *defense = &assay_defense_affine_lifting;
  g_autoptr (AssaySettings) settings = fixture_settings (&defense->plugin, lifting);
  g_autoptr (AssayMatrix) secrets = make_points (n, d, length, 1);
  g_autoptr (AssayMatrix) database = make_points (n_database, d, length, 2);
  g_autoptr (GError) error = NULL;

  scene->public_matrix = make_points (400, d, length, 3);
  scene->public_rows = fixture_rows (scene->public_matrix);
  scene->database = fixture_rows (database);
  cr_assert (fixture_protect (defense, settings, key, assay_matrix_view (secrets), scene->database,
                              &scene->release, &scene->truth, &error),
             "%s", error != NULL ? error->message : "");
  assay_rows_read (scene->public_rows, 0, 400,
                   scene->release->is_unit_norm ? ASSAY_SCALE_UNIT : ASSAY_SCALE_NONE,
                   scene->public_matrix->data);
  scene->subspaces = assay_release_subspaces (scene->release);
}

gsize
shared_points_count (const SharedPoints *scene, gsize a, gsize b)
{
  const AssayArray *rows = assay_arrays_get (&scene->truth->arrays, "adversarial");
  const gsize count = rows->shape[1];
  const gint64 *drawn = assay_array_int64 (rows);
  gsize shared = 0;

  for (gsize i = 0; i < count; i++)
    for (gsize j = 0; j < count; j++)
      shared += drawn[a * count + i] == drawn[b * count + j];
  return shared;
}
