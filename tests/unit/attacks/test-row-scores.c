/* Scores of rows near subspaces: against their definition, and again after other requests. */
#include <criterion/criterion.h>
#include <string.h>

#include "attacks/lifting/row-scores.h"
#include "tests/reference/fixtures.h"

enum { N = 3, K = 40, ROWS = 60, COLS = 5 };

typedef struct {
  AssayMatrix *values;
  AssayRows *rows;
  AssayRelease *release;
  WithinSearch search;
  RowsWithin within;
  gsize listed[N * K];
} Scene;

/* Subspace i lists the rows from number 7 i on, in steps of 11. */
static void
make_scene (Scene *ret_scene)
{
  Scene *scene = ret_scene;

  scene->values = fixture_normal (ROWS, COLS, 4);
  scene->rows = fixture_rows (scene->values);
  scene->release = assay_release_new (ASSAY_RELEASE_SUBSPACES, "affine-lifting");
  scene->search = (WithinSearch){ .rows = scene->rows,
                                  .scale = ASSAY_SCALE_NONE,
                                  .subspaces = { .count = N, .cols = COLS } };
  for (gsize i = 0; i < N; i++)
    for (gsize j = 0; j < K; j++)
      scene->listed[i * K + j] = (7 * i + 11 * j) % ROWS;
  scene->within = (RowsWithin){ .n = N, .k = K, .rows = scene->listed };
}

static void
clear_scene (Scene *scene)
{
  assay_release_free (scene->release);
  assay_rows_unref (scene->rows);
  assay_matrix_free (scene->values);
}

static double
square_of (const Scene *scene, gsize item, gsize n_adversarial, gsize place)
{
  const float *row = assay_matrix_row (scene->values, scene->listed[item * K + place]);
  double least = G_MAXDOUBLE;

  for (gsize a = 0; a < n_adversarial; a++) {
    const float *other = assay_matrix_row (scene->values, scene->listed[item * K + a]);
    double square = 0;

    for (gsize j = 0; j < COLS; j++)
      square += ((double) row[j] - other[j]) * ((double) row[j] - other[j]);
    least = MIN (least, square);
  }
  return least;
}

/* Whether all scores are those of the definition; says how many the first list has. */
static gsize
check_scores (const Scene *scene, gsize n_adversarial, gsize count)
{
  const RowScoresWanted wanted[N]
      = { { n_adversarial, count }, { n_adversarial, count }, { n_adversarial, count } };
  g_autoptr (AssayShared) shared
      = row_scores_of (scene->release, &scene->search, &scene->within, wanted);
  const RowScores *scores = assay_shared_value (shared);

  for (gsize i = 0; i < N; i++) {
    cr_assert_geq (scores->lists[i].count, count);
    for (gsize j = 0; j < count; j++) {
      const double expected = square_of (scene, i, n_adversarial, n_adversarial + j);

      cr_assert_float_eq (scores->lists[i].squares[j], expected, 1e-5 * expected, "%zu %zu", i, j);
    }
  }
  return scores->lists[0].count;
}

/* Fewer are the first of more, and more begin with fewer; but not against other rows, nor where
 * the list changes. */
Test (row_scores, again)
{
  Scene scene;

  make_scene (&scene);
  cr_assert_eq (check_scores (&scene, 2, 5), 5);
  cr_assert_eq (check_scores (&scene, 2, 30), 30);
  cr_assert_eq (check_scores (&scene, 2, 12), 30);
  cr_assert_eq (check_scores (&scene, 3, 12), 12);
  scene.listed[0] = 59;
  cr_assert_eq (check_scores (&scene, 3, 12), 12);
  scene.listed[3 + 6] = 58;
  cr_assert_eq (check_scores (&scene, 3, 20), 20);
  scene.listed[K + 1] = 57;
  cr_assert_eq (check_scores (&scene, 3, 12), 20);
  clear_scene (&scene);
}

Test (row_scores, best)
{
  float squares[] = { 4, 9, 1, 9, 16, 2, 9 };
  const float distances[] = { 1, 3, 0.5F, 1, 8, 1, 2 };
  const RowScoreList list = { .count = 7, .squares = squares };
  static const struct {
    gboolean is_ratio;
    gsize count, n_best, expected[7];
  } cases[] = {
    { FALSE, 7, 3, { 4, 1, 3 } }, /* 16, then the nearer two of 9 */
    { FALSE, 4, 4, { 1, 3, 0, 2 } },
    { TRUE, 7, 7, { 3, 0, 2, 6, 5, 1, 4 } }, /* 9, 4, 4, 2.25, 2, 1, .25 */
    { TRUE, 2, 1, { 0 } },
  };

  for (gsize c = 0; c < G_N_ELEMENTS (cases); c++) {
    gsize places[7];

    row_scores_best (&list, cases[c].is_ratio ? distances : NULL, cases[c].count, cases[c].n_best,
                     places);
    cr_assert_eq (memcmp (places, cases[c].expected, cases[c].n_best * sizeof *places), 0,
                  "case %zu", c);
  }
}
