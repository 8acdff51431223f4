/* Which subspaces share a point: distances, their tolerance, the search; k-means. */
#include <criterion/criterion.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "attacks/lifting/intersections.h"
#include "core/base/parallel.h"
#include "core/learn/k-means.h"
#include "core/math/linalg.h"
#include "tests/reference/fixtures.h"
#include "tests/reference/naive-clustering.h"
#include "tests/unit/assert-near.h"
#include "tests/unit/attacks/shared-points.h"
#include "tests/unit/seeds.h"

static const double factor = 4; /* the default tolerance */

/* ---- Distances of two subspaces ---- */

typedef struct {
  gsize n, m, d;
  float *translation, *basis;
} Made;

static void
made_clear (Made *made)
{
  g_free (made->translation);
  g_free (made->basis);
}

G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (Made, made_clear)

static AssaySubspaces
subspaces_of (const Made *made)
{
  return (AssaySubspaces){ .count = made->n,
                           .dimension = made->m,
                           .cols = made->d,
                           .translation = made->translation,
                           .basis = made->basis };
}

/* Random subspaces; each holds points 0 to @shared (with the last) of @points, so that it is
 * spanned by @shared differences and m - @shared random directions. No points: wherever they
 * come to lie. */
static Made
make_subspaces (gsize n, gsize m, gsize d, const AssayMatrix *points, gsize shared)
{
  Made made = { n, m, d, g_new0 (float, n *d), g_new0 (float, n *m *d + 1) };
  g_autofree double *span = g_new (double, m *d + 1);

  for (gsize i = 0; i < n; i++) {
    AssayStream stream = assay_stream (key, 1000 * m + i);
    float *t = made.translation + i * d;

    for (gsize r = 0; r < m; r++)
      for (gsize j = 0; j < d; j++)
        span[r * d + j] = r < shared ? (double) points->data[(r + 1) * d + j] - points->data[j]
                                     : assay_stream_normal (&stream);
    cr_assert (assay_linalg_orthonormalize (span, m, d, NULL));
    for (gsize j = 0; j < d; j++)
      t[j] = points != NULL ? points->data[j] : (float) assay_stream_normal (&stream);
    for (gsize r = 0; r < m; r++) {
      const double shift = assay_stream_between (&stream, -1, 1);

      for (gsize j = 0; j < d; j++) {
        t[j] += (float) (shift * span[r * d + j]);
        made.basis[(i * m + r) * d + j] = (float) span[r * d + j];
      }
    }
  }
  return made;
}

/* Of subspaces in general position: both computations in double, of numbers of order 10, with
 * sines between them that are far from 0. */
Test (intersections, distance_is_that_of_the_stacked_bases)
{
  static const gsize sizes[][2]
      = { { 0, 3 }, { 1, 3 }, { 1, 64 }, { 2, 5 }, { 3, 9 }, { 4, 128 }, { 8, 40 }, { 16, 128 } };

  for (gsize s = 0; s < G_N_ELEMENTS (sizes); s++) {
    g_auto (Made) made = make_subspaces (6, sizes[s][0], sizes[s][1], NULL, 0);
    const AssaySubspaces subspaces = subspaces_of (&made);
    g_autoptr (Frames) frames = frames_new (&subspaces, NULL);

    cr_assert (frames != NULL);
    for (gsize a = 0; a < 6; a++)
      for (gsize b = 0; b < 6; b++) {
        const double found = frames_distance (frames, a, b, factor);

        assert_near (found, a == b ? 0 : naive_intersection_distance (&subspaces, a, b, 1e-5),
                     1e-11, "m %zu, d %zu: (%zu, %zu)", sizes[s][0], sizes[s][1], a, b);
        assert_near (frames_distance (frames, b, a, factor), found, 1e-11, "m %zu, d %zu",
                     sizes[s][0], sizes[s][1]);
      }
  }
}

/* With 1, 2 and 3 points in common the stack has rank 2m, 2m - 1 and 2m - 2, up to rounding. The
 * reference cuts singular values, which does not turn the shared direction the same way: either is
 * within the bound of 0. */
Test (intersections, shared_points_are_at_no_distance)
{
  for (gsize m = 2; m <= 16; m += 2)
    for (gsize shared = 0; shared <= 2; shared++) {
      g_autoptr (AssayMatrix) points = fixture_normal (3, 128, 7);
      g_auto (Made) made = make_subspaces (5, m, 128, points, shared);
      const AssaySubspaces subspaces = subspaces_of (&made);
      g_autoptr (Frames) frames = frames_new (&subspaces, NULL);

      for (gsize a = 0; a < 5; a++)
        for (gsize b = 0; b < a; b++) {
          const double bound = frames_rounding (frames, a, b, 14); /* sqrt (128) and a little */

          assert_near (frames_distance (frames, a, b, factor), 0, bound, "m %zu, shared %zu", m,
                       shared + 1);
          assert_near (naive_intersection_distance (&subspaces, a, b, 1e-5), 0, 2 * bound,
                       "reference, m %zu, shared %zu", m, shared + 1);
        }
    }
}

/* Axes of a space of 8. Two planes with the direction e0 in common and e5 between them: at 0.25
 * from each other, whatever rounding does to the e0 of one. A cut of rank at double precision takes
 * that rounding for a direction, along which the gap could be closed. */
Test (intersections, a_shared_direction_is_one)
{
  float basis[2 * 2 * 8] = { 0 }, translation[2 * 8] = { 0 };
  const AssaySubspaces subspaces
      = { .count = 2, .dimension = 2, .cols = 8, .translation = translation, .basis = basis };
  g_autoptr (Frames) frames = NULL;

  basis[0] = basis[8 + 1] = 1;
  basis[16] = basis[24 + 2] = 1;
  basis[16 + 5] = 1e-7f;
  translation[8 + 5] = 0.25f;
  translation[8] = 2; /* along the directions: of no consequence */
  translation[8 + 2] = 3;
  frames = frames_new (&subspaces, NULL);
  assert_near (frames_distance (frames, 0, 1, factor), 0.25, 1e-6, "with the cut");
  assert_near (frames_distance (frames, 0, 1, 0), 0, 1e-6, "without");
}

Test (intersections, subspaces_that_always_meet_are_refused)
{
  g_auto (Made) made = make_subspaces (2, 4, 8, NULL, 0);
  const AssaySubspaces subspaces = subspaces_of (&made);
  GError *error = NULL;
  g_autofree char *why = NULL;

  cr_assert (frames_new (&subspaces, &error) == NULL);
  cr_assert (fixture_error_is (&error, ASSAY_ERROR_MISMATCH,
                               "subspaces of dimension 4 in 8 columns always meet each other; "
                               "expected a dimension under half of the columns",
                               NULL, &why),
             "%s", why);
}

/* From m = 2 to 16, at length 1 and at SIFT's own: what float32 leaves of 0 is within the bound by
 * itself, and what is not shared is a thousand times as far as the tolerance. */
/* Every even m in the long tier, otherwise the powers of 2. */
Test (intersections, the_tolerance_separates_shared_from_unshared)
{
  const gboolean is_long = test_seeds (2) > 2;
  const gsize most = test_is_brief () ? 4 : 16;

  for (guint scale = 0; scale < 2; scale++)
    for (gsize m = 2; m <= most; m = is_long ? m + 2 : 2 * m) {
      const double length = scale == 0 ? 1 : 512;
      g_autofree char *lifting = g_strdup_printf ("variant=hybrid dimension=%zu normalize=%s", m,
                                                  scale == 0 ? "yes" : "no");
      g_auto (SharedPoints) scene = { 0 };
      g_autoptr (Frames) frames = NULL;
      double most_shared = 0, least_other = INFINITY;
      gsize n_shared[3] = { 0 };

      shared_points_make (lifting, 100, 20 * m, 128, length, &scene);
      frames = frames_new (&scene.subspaces, NULL);
      for (gsize a = 0; a < 100; a++)
        for (gsize b = 0; b < a; b++) {
          const gsize shared = shared_points_count (&scene, a, b);
          const double ratio = frames_distance (frames, a, b, factor)
                               / frames_rounding (frames, a, b, 1.5 * length);

          n_shared[MIN (shared, 2)]++;
          if (shared > 0)
            most_shared = MAX (most_shared, ratio);
          else
            least_other = MIN (least_other, ratio);
        }
      printf ("length %g, m %zu: shared up to %.3f of the bound, unshared from %.0f; %zu, %zu and "
              "%zu pairs with 0, 1 and more\n",
              length, m, most_shared, least_other, n_shared[0], n_shared[1], n_shared[2]);
      cr_assert (n_shared[1] > 50 && (m < 8 || n_shared[2] > 5));
      cr_assert (most_shared <= 1, "length %g, m %zu: %g", length, m, most_shared);
      cr_assert (least_other >= 1000 * factor, "length %g, m %zu: %g", length, m, least_other);
    }
}

/* The search against the truth, over the borders of its blocks (53 and 181 subspaces at m = 2). */
Test (intersections, search_finds_those_that_share)
{
  static const struct {
    const char *lifting;
    gsize n, database, d;
  } cases[] = { { "variant=hybrid dimension=2", 200, 60, 32 },
                { "variant=sub-hybrid dimension=4 sub_databases=4", 120, 200, 24 },
                { "variant=adversarial dimension=3", 70, 90, 16 },
                { "variant=hybrid dimension=16", 60, 80, 128 } };

  for (gsize c = 0; c < G_N_ELEMENTS (cases); c++)
    for (gsize n_others = 1; n_others <= 4096; n_others *= 16) {
      g_auto (SharedPoints) scene = { 0 };
      g_autoptr (Frames) frames = NULL;
      g_autoptr (GPtrArray) found = NULL;
      g_autofree double *lengths = g_new (double, cases[c].n);

      shared_points_make (cases[c].lifting, cases[c].n, cases[c].database, cases[c].d, 1, &scene);
      for (gsize i = 0; i < cases[c].n; i++)
        lengths[i] = 1;
      frames = frames_new (&scene.subspaces, NULL);
      found = frames_find_intersections (frames, n_others, lengths, factor, NULL);
      cr_assert (found->len == cases[c].n);
      for (gsize a = 0; a < cases[c].n; a++) {
        const GArray *others = found->pdata[a];
        gsize place = 0;

        for (gsize b = 0; b < MIN (n_others, cases[c].n); b++)
          if (a != b && shared_points_count (&scene, a, b) > 0) {
            cr_assert (place < others->len && g_array_index (others, gsize, place) == b,
                       "%s, %zu others: %zu meets %zu", cases[c].lifting, n_others, a, b);
            place++;
          }
        cr_assert (place == others->len, "%s, %zu others: %zu meets %u, not %zu", cases[c].lifting,
                   n_others, a, others->len, place);
      }
    }
}

/* ---- k-means ---- */

static double
cluster (const float rows[static 9 * 3], gsize k, gsize starts, gsize labels[static 9])
{
  const AssayKMeans job = { .rows = rows, .n = 9, .d = 3, .k = k, .rounds = 50, .starts = starts };
  AssayStream stream = assay_stream (key, k);

  return assay_k_means (&job, &stream, labels, NULL);
}

/* Nine rows at the corners of three triangles of side sqrt (6) (each row at 2 from its mean,
 * squared): the sum is 18, and rows of a triangle stand together. */
Test (intersections, k_means_finds_what_is_apart)
{
  float rows[9 * 3] = { 0 };
  gsize labels[9];

  for (gsize i = 0; i < 9; i++) {
    rows[i * 3 + i % 3] = (float) sqrt (3.0);
    rows[i * 3] += 100.0f * (float) (i / 3);
  }
  assert_near (cluster (rows, 3, 5, labels), 18, 1e-3, "sum");
  for (gsize i = 0; i < 9; i++)
    for (gsize j = 0; j < 9; j++)
      cr_assert ((labels[i] == labels[j]) == (i / 3 == j / 3), "%zu and %zu", i, j);
  assert_near (cluster (rows, 9, 1, labels), 0, 0, "as many as rows");
  assert_near (cluster (rows, 1, 1, labels), 18 + 6 * 1e4, 0.1, "one");
  memset (rows, 0, sizeof rows);
  assert_near (cluster (rows, 4, 2, labels), 0, 0, "equal rows");
}
