#include "tests/unit/core/search/scan-problem.h"

#include <criterion/criterion.h>
#include <string.h>

#include "core/math/linalg.h"
#include "tests/reference/fixtures.h"

void
scan_problem_clear (ScanProblem *problem)
{
  g_clear_pointer (&problem->values, assay_matrix_free);
  g_clear_pointer (&problem->rows, assay_rows_unref);
  g_clear_pointer (&problem->release, assay_release_free);
}

ScanProblem
scan_problem_make (const ScanCase *c)
{
  ScanProblem problem = { .values = fixture_normal (c->n_rows, c->d, 1) };
  g_autoptr (AssayMatrix) centres = fixture_normal (20, c->d, 2);
  g_autoptr (AssayMatrix) translation = assay_matrix_new (c->n, c->d, NULL);
  g_autoptr (AssayMatrix) directions = fixture_normal (c->n, c->m * c->d + 1, 3);
  float *basis = g_new (float, c->n * c->m * c->d + 1);
  g_autofree double *own = g_new (double, c->m * c->d + 1);

  for (gsize i = 0; i < c->n_rows * c->d; i++)
    problem.values->data[i]
        = 0.4f * problem.values->data[i] + centres->data[i / c->d % 20 * c->d + i % c->d];
  problem.rows = fixture_rows (problem.values);
  assay_rows_read (problem.rows, 0, c->n_rows, c->scale, problem.values->data);
  for (gsize i = 0; i < c->n; i++) {
    for (gsize j = 0; j < c->m * c->d; j++)
      own[j] = (double) assay_matrix_row (directions, i)[j];
    cr_assert (c->m == 0 || assay_linalg_orthonormalize (own, c->m, c->d, NULL));
    memcpy (assay_matrix_row (translation, i), assay_matrix_row (problem.values, 3 * i % c->n_rows),
            c->d * sizeof (float));
    for (gsize j = 0; j < c->d; j++)
      assay_matrix_row (translation, i)[j] += 0.05f * (float) ((i + j) % 3);
    for (gsize j = 0; j < c->m * c->d; j++)
      basis[i * c->m * c->d + j] = (float) own[j];
  }
  problem.release
      = assay_release_new (c->m > 0 ? ASSAY_RELEASE_SUBSPACES : ASSAY_RELEASE_VECTORS, "test");
  problem.release->is_unit_norm = c->scale == ASSAY_SCALE_UNIT;
  assay_arrays_take (&problem.release->arrays, c->m > 0 ? "translation" : "vectors",
                     assay_array_take_matrix (g_steal_pointer (&translation)));
  if (c->m > 0)
    assay_arrays_take (
        &problem.release->arrays, "basis",
        assay_array_take (ASSAY_FLOAT32, 3, (const gsize[]){ c->n, c->m, c->d }, basis));
  else
    g_free (basis);
  problem.subspaces = assay_release_subspaces (problem.release);
  return problem;
}
