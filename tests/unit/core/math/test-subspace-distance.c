/* Distances between affine subspaces, against the obvious forms: points by their coordinates, a
 * point and a subspace by projection, two subspaces by least squares through the singular value
 * decomposition of both bases together. */
#include <criterion/criterion.h>
#include <string.h>

#include "core/base/parallel.h"
#include "core/math/linalg.h"
#include "core/math/subspace-distance.h"
#include "tests/reference/fixtures.h"
#include "tests/unit/assert-near.h"

typedef struct {
  AssaySubspaces subspaces;
  float *translation;
  float *basis;
} Subspaces;

static void
subspaces_clear (Subspaces *subspaces)
{
  g_free (subspaces->translation);
  g_free (subspaces->basis);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (Subspaces, subspaces_clear)

/* Through @points (rows), along m directions each, n x m x d, which are made orthonormal. */
static Subspaces
subspaces_through (const AssayMatrix *points, const double *directions, gsize m)
{
  const gsize n = points->rows, d = points->cols;
  Subspaces made = { .translation = g_memdup2 (points->data, n * d * sizeof (float)),
                     .basis = g_new (float, n *m *d + 1) };
  g_autofree double *span = g_new (double, m *d + 1);

  for (gsize i = 0; i < n && m > 0; i++) {
    memcpy (span, directions + i * m * d, m * d * sizeof (double));
    cr_assert (assay_linalg_orthonormalize (span, m, d, NULL));
    for (gsize j = 0; j < m * d; j++)
      made.basis[i * m * d + j] = (float) span[j];
  }
  made.subspaces = (AssaySubspaces){ n, m, d, made.translation, made.basis };
  return made;
}

static Subspaces
random_subspaces (gsize n, gsize m, gsize d, guint64 trial)
{
  g_autoptr (AssayMatrix) points = fixture_normal (n, d, trial);
  g_autoptr (AssayMatrix) directions = fixture_normal (n * m + 1, d, trial + 1000);
  g_autofree double *wide = g_new (double, (n * m + 1) * d);

  for (gsize i = 0; i < (n * m + 1) * d; i++)
    wide[i] = directions->data[i];
  return subspaces_through (points, wide, m);
}

/* The part of t_a - t_b that is orthogonal to the row space of [B_a; B_b], by its SVD; singular
 * values of two unit directions that coincide are 0 but for float32. */
static double
naive_distance (const Subspaces *a, gsize i, const Subspaces *b, gsize j)
{
  const gsize m_a = a->subspaces.dimension, m_b = b->subspaces.dimension, d = a->subspaces.cols;
  const gsize rows = m_a + m_b, k = MIN (rows, d);
  g_autofree double *stack = g_new (double, rows *d + 1);
  g_autofree double *values = g_new (double, k + 1);
  g_autofree double *vt = g_new (double, k *d + 1);
  g_autofree double *gap = g_new (double, d);
  double sum = 0;

  for (gsize c = 0; c < d; c++)
    gap[c] = (double) a->translation[i * d + c] - b->translation[j * d + c];
  for (gsize c = 0; c < m_a * d; c++)
    stack[c] = a->basis[i * m_a * d + c];
  for (gsize c = 0; c < m_b * d; c++)
    stack[m_a * d + c] = b->basis[j * m_b * d + c];
  if (rows > 0)
    cr_assert (assay_linalg_svd (rows, d, stack, &(AssaySvd){ NULL, values, vt }, NULL));
  for (gsize r = 0; rows > 0 && r < k && values[r] > 5e-6; r++) {
    double part = 0;

    for (gsize c = 0; c < d; c++)
      part += gap[c] * vt[r * d + c];
    for (gsize c = 0; c < d; c++)
      gap[c] -= part * vt[r * d + c];
  }
  for (gsize c = 0; c < d; c++)
    sum += gap[c] * gap[c];
  return sqrt (sum);
}

/* All distances, in two rectangles that begin in the middle and cover all. */
static double *
all_distances (const Subspaces *a, const Subspaces *b)
{
  g_autoptr (AssayFlats) of_a = assay_flats_new (&a->subspaces, NULL, a->subspaces.count, NULL);
  g_autoptr (AssayFlats) of_b = assay_flats_new (&b->subspaces, NULL, b->subspaces.count, NULL);
  const gsize n = of_a->count, r = of_b->count, half = r / 2;
  double *distances = g_new (double, n *r);

  for (guint side = 0; side < 2; side++) {
    const AssayFlatPairs pairs = { of_a, of_b, 0, n, side * half, side == 0 ? half : r - half };
    g_autofree double *room = g_new (double, assay_flats_room (&pairs));
    g_autofree double *squares = g_new (double, n *pairs.count_b + 1);

    assay_flats_squares (&pairs, room, squares);
    for (gsize i = 0; i < n; i++)
      for (gsize j = 0; j < pairs.count_b; j++)
        distances[i * r + pairs.first_b + j] = sqrt (squares[i * pairs.count_b + j]);
  }
  return distances;
}

/* Bases of a release are orthonormal to float32: the two forms, of which one makes them so again,
 * may differ by some 1e-7 of the lengths (about 6 in 32 columns). Between points, they may not. */
Test (subspace_distance, equals_the_obvious_forms)
{
  static const struct {
    gsize m_a, m_b, d;
    double tolerance;
  } cases[] = {
    { 0, 0, 32, 1e-7 },  { 0, 0, 1, 1e-7 },     { 1, 0, 2, 1e-5 },  { 4, 0, 32, 1e-5 },
    { 16, 0, 32, 1e-5 }, { 0, 5, 32, 1e-5 },    { 2, 2, 32, 1e-5 }, { 3, 7, 32, 1e-5 },
    { 8, 2, 32, 1e-5 },  { 16, 16, 128, 1e-5 },
  };

  for (gsize c = 0; c < G_N_ELEMENTS (cases); c++) {
    g_auto (Subspaces) a = random_subspaces (7, cases[c].m_a, cases[c].d, 10 + c);
    g_auto (Subspaces) b = random_subspaces (5, cases[c].m_b, cases[c].d, 50 + c);
    g_autofree double *distances = all_distances (&a, &b);

    for (gsize i = 0; i < 7; i++)
      for (gsize j = 0; j < 5; j++)
        assert_near (distances[i * 5 + j], naive_distance (&a, i, &b, j), cases[c].tolerance,
                     "case %zu, %zu with %zu", c, i, j);
  }
}

/* Any two share two directions: either mixed with others, so that no row of the one basis is a row
 * of the other, or as their first rows. The stack is singular, and only what is orthogonal to its
 * span may count. */
Test (subspace_distance, shared_directions_count_once)
{
  enum { N = 12, M = 5, D = 40 };

  for (guint is_mixed = 0; is_mixed < 2; is_mixed++) {
    g_autoptr (AssayMatrix) shared = fixture_normal (2, D, 1);
    g_autoptr (AssayMatrix) own = fixture_normal (N * M, D, 2);
    g_autoptr (AssayMatrix) mix = fixture_normal (N * M, M, 3);
    g_autoptr (AssayMatrix) points = fixture_normal (N, D, 4);
    g_autofree double *directions = g_new0 (double, N *M *D);
    g_auto (Subspaces) all = { 0 };
    g_autofree double *distances = NULL;

    for (gsize row = 0; row < N * M; row++)
      for (gsize k = 0; k < M; k++) {
        const float *from = k < 2 ? shared->data + k * D : own->data + (row / M * M + k) * D;
        const double share = is_mixed ? (double) mix->data[row * M + k] : row % M == k;

        for (gsize c = 0; c < D; c++)
          directions[row * D + c] += share * from[c];
      }
    all = subspaces_through (points, directions, M);
    distances = all_distances (&all, &all);
    for (gsize i = 0; i < N; i++)
      for (gsize j = 0; j < N; j++) {
        const double expected = i == j ? 0 : naive_distance (&all, i, &all, j);

        assert_near (distances[i * N + j], expected, 1e-4, "%u: %zu with %zu", is_mixed, i, j);
        cr_assert (i == j || distances[i * N + j] > 1, "%u: %zu with %zu: %g", is_mixed, i, j,
                   distances[i * N + j]);
      }
  }
}

/* The lines (0, 0, 1) + span (e1) and (0, 5, 3) + span (e2) are 2 apart; from (7, 3, 5) it is
 * (3, 4) to the first and (7, 2) to the second. */
Test (subspace_distance, by_hand)
{
  static const float points[] = { 0, 0, 1, 0, 5, 3 }, basis[] = { 1, 0, 0, 0, 1, 0 };
  static const float point[] = { 7, 3, 5 };
  const AssaySubspaces lines = { 2, 1, 3, points, basis }, one = { 1, 0, 3, point, NULL };
  g_autoptr (AssayFlats) of_lines = assay_flats_new (&lines, (const gsize[]){ 1, 0 }, 2, NULL);
  g_autoptr (AssayFlats) of_point = assay_flats_new (&one, NULL, 1, NULL);
  AssayFlatPairs pairs = { of_lines, of_point, 0, 2, 0, 1 };
  double room[64], squares[2];

  cr_assert (assay_flats_room (&pairs) <= G_N_ELEMENTS (room));
  assay_flats_squares (&pairs, room, squares);
  assert_near (squares[0], 53, 1e-12, "the line that index names first");
  assert_near (squares[1], 25, 1e-12, "the other");
  pairs = (AssayFlatPairs){ of_lines, of_lines, 0, 1, 1, 1 };
  assay_flats_squares (&pairs, room, squares);
  assert_near (squares[0], 4, 1e-12, "the two lines");
}

/* span (e1, e2) and (0, 5, 3, 2) + span (e1, e3): what is left of e1 is exactly 0, and e3 is still
 * to be taken into account. */
Test (subspace_distance, a_direction_in_both)
{
  static const float points[] = { 0, 0, 0, 0, 0, 5, 3, 2 };
  static const float basis[] = { 1, 0, 0, 0, 0, 1, 0, 0, 1, 0, 0, 0, 0, 0, 1, 0 };
  const AssaySubspaces planes = { 2, 2, 4, points, basis };
  g_autoptr (AssayFlats) flats = assay_flats_new (&planes, NULL, 2, NULL);
  const AssayFlatPairs pairs = { flats, flats, 0, 1, 1, 1 };
  g_autofree double *room = g_new (double, assay_flats_room (&pairs));
  double square;

  assay_flats_squares (&pairs, room, &square);
  assert_near (square, 4, 1e-12, "only (0, 0, 0, 2) is orthogonal to both");
}

Test (subspace_distance, dependent_bases_are_refused)
{
  static const float points[] = { 0, 0, 0 }, basis[] = { 1, 0, 0, 1, 0, 0 };
  const AssaySubspaces bad = { 1, 2, 3, points, basis };
  g_autoptr (GError) error = NULL;

  cr_assert (assay_flats_new (&bad, NULL, 1, &error) == NULL);
  cr_assert (g_error_matches (error, ASSAY_ERROR, ASSAY_ERROR_NUMERIC));
  cr_assert (g_str_has_prefix (error->message, "subspace 0: "), "%s", error->message);
}
