/* The approximate scan against its definition (the rows of the nearest lists, all of them looked
 * at), against the exact one, and the recall that is measured of it. */
#include <criterion/criterion.h>
#include <glib/gstdio.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/error.h"
#include "core/base/parallel.h"
#include "core/math/linalg.h"
#include "core/search/knn.h"
#include "core/search/scan-approximate.h"
#include "core/search/scan-prune.h"
#include "tests/reference/fixtures.h"
#include "tests/reference/naive-scan.h"

static const AssayStreamKey key = { { 3, 4 } };

typedef struct {
  gsize n, m, d;
  gsize n_rows;
  AssayScale scale;
} Case;

typedef struct {
  AssayMatrix *values; /* the rows as they are read: scaled */
  AssayRows *rows;
  AssayRelease *release;
  AssaySubspaces subspaces;
} Problem;

static void
clear_problem (Problem *problem)
{
  g_clear_pointer (&problem->values, assay_matrix_free);
  g_clear_pointer (&problem->rows, assay_rows_unref);
  g_clear_pointer (&problem->release, assay_release_free);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (Problem, clear_problem)

/* Rows about 20 centres; subspaces that go through a row each and are random otherwise. */
static Problem
make_problem (const Case *c)
{
  Problem problem = { .values = fixture_normal (c->n_rows, c->d, 1) };
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

static AssayNearest *
search (const Problem *problem, const Case *c, AssayProbing probing, gsize k)
{
  g_autoptr (GError) error = NULL;
  AssayNearest *nearest = assay_scan_approximately (&probing, &problem->subspaces, problem->rows,
                                                    c->scale, k, NULL, &error);

  cr_assert (nearest != NULL, "%s", error != NULL ? error->message : "");
  return nearest;
}

static AssayNearest *
scan (const Problem *problem, const Case *c, gsize k)
{
  return assay_scan_subspaces (&problem->subspaces, problem->rows, c->scale, k, NULL);
}

static gboolean
is_same (const AssayNearest *a, const AssayNearest *b)
{
  return a->n == b->n && a->k == b->k
         && memcmp (a->rows, b->rows, a->n * a->k * sizeof (gsize)) == 0
         && memcmp (a->distances, b->distances, a->n * a->k * sizeof (float)) == 0;
}

static const Case cases[] = { { 30, 4, 24, 1500, ASSAY_SCALE_UNIT },
                              { 300, 4, 128, 2000, ASSAY_SCALE_UNIT },
                              { 150, 16, 64, 1200, ASSAY_SCALE_NONE },
                              { 7, 1, 5, 300, ASSAY_SCALE_NONE },
                              { 90, 0, 16, 1000, ASSAY_SCALE_NONE } };

/* ---- Lists ---- */

static gboolean
is_sorted (const guint32 *numbers, gsize count)
{
  for (gsize i = 1; i < count; i++)
    if (numbers[i - 1] >= numbers[i])
      return FALSE;
  return TRUE;
}

/* Every row stands once, in the list of the centre nearest to it (up to rounding). */
Test (scan_approximate, lists_are_of_the_nearest_centres)
{
  for (gsize c = 0; c < G_N_ELEMENTS (cases); c++) {
    g_auto (Problem) problem = make_problem (&cases[c]);
    const gsize count = 40, d = cases[c].d, n = cases[c].n_rows;
    g_autoptr (AssayLists) lists = assay_lists_new (problem.rows, cases[c].scale, count, NULL);
    g_autoptr (AssayMatrix) centres = assay_matrix_new (count, d, NULL);
    const AssaySubspaces points = { .count = count, .cols = d, .translation = centres->data };
    g_autofree gboolean *is_seen = g_new0 (gboolean, n);
    gsize longest = 0;

    assay_rows_read (lists->centres, 0, count, ASSAY_SCALE_NONE, centres->data);
    cr_assert (lists->count == count && lists->starts[0] == 0 && lists->starts[count] == n);
    for (gsize l = 0; l < count; l++) {
      const gsize start = lists->starts[l], end = lists->starts[l + 1];

      longest = MAX (longest, end - start);
      cr_assert (is_sorted (lists->rows + start, end - start), "list %zu", l);
      for (gsize i = start; i < end; i++) {
        const float *row = assay_matrix_row (problem.values, lists->rows[i]);
        const double own = naive_scan_distance (&points, l, row);

        cr_assert (!is_seen[lists->rows[i]], "row %u twice", lists->rows[i]);
        is_seen[lists->rows[i]] = TRUE;
        for (gsize other = 0; other < count; other++)
          cr_assert (own <= naive_scan_distance (&points, other, row) + 1e-4,
                     "case %zu: row %u is in list %zu and nearer to %zu", c, lists->rows[i], l,
                     other);
      }
    }
    cr_assert_eq (lists->longest, longest);
    /* K-means moved the centres to where rows are: nearer than a row is to the mean of all. */
    cr_assert (longest < n / 2, "case %zu: %zu of %zu rows in one list", c, longest, n);
  }
}

Test (scan_approximate, as_many_lists_as_rows_ask_for)
{
  static const gsize counts[][2]
      = { { 1, 1 },         { 15, 1 },           { 32, 2 },         { 4096, 256 },
          { 179610, 1695 }, { 10000000, 12649 }, { 1 << 30, 16384 } };

  for (gsize i = 0; i < G_N_ELEMENTS (counts); i++)
    cr_assert (assay_lists_count (counts[i][0]) == counts[i][1], "%zu: %zu", counts[i][0],
               assay_lists_count (counts[i][0]));
}

/* Copies of three rows in ten lists: FAISS has to leave some empty, and all rows are found. */
Test (scan_approximate, lists_may_be_empty)
{
  AssayMatrix *values = assay_matrix_new (60, 4, NULL);
  g_autoptr (AssayRows) rows = NULL;
  g_autoptr (AssayLists) lists = NULL;
  const float origin[4] = { 0 };
  const AssaySubspaces point = { .count = 1, .cols = 4, .translation = origin };
  g_autoptr (AssayNearest) nearest = NULL;

  for (gsize i = 0; i < 60; i++)
    values->data[i * 4] = (float) (i % 3 + 1);
  rows = assay_rows_take_matrix (values);
  lists = assay_lists_new (rows, ASSAY_SCALE_NONE, 10, NULL);
  cr_assert (lists != NULL && lists->starts[10] == 60);
  /* Of one probe only, but 60 rows were asked for: it takes as many lists as it needs. */
  nearest = assay_scan_approximately (&(AssayProbing){ 10, 1 }, &point, rows, ASSAY_SCALE_NONE, 60,
                                      NULL, NULL);
  cr_assert (nearest != NULL);
  for (gsize i = 0; i < 60; i++)
    cr_assert (nearest->rows[i] == i % 20 * 3 + i / 20
                   && nearest->distances[i] == (float) (i / 20 + 1),
               "place %zu: row %zu at %g", i, nearest->rows[i], (double) nearest->distances[i]);
}

/* ---- The scan ---- */

/* Whether products of these shapes have bits that do not depend on the shape. */
static gboolean
has_chains (const Case *c)
{
  for (gsize n = 1; n <= 512 / (c->m + 1); n++)
    if (!prune_has_chains (n * (c->m + 1), 64, c->d))
      return FALSE;
  return TRUE;
}

Test (scan_approximate, all_lists_are_the_exact_scan)
{
  for (gsize c = 0; c < G_N_ELEMENTS (cases); c++) {
    g_auto (Problem) problem = make_problem (&cases[c]);
    const gboolean is_exact = has_chains (&cases[c]);
    for (gsize k = 1; k <= 201; k += 100) {
      g_autoptr (AssayNearest) exact = scan (&problem, &cases[c], k);
      g_autoptr (AssayNearest) found = search (&problem, &cases[c], (AssayProbing){ 25, 25 }, k);

      cr_assert (!is_exact || is_same (exact, found), "case %zu, k %zu", c, k);
      for (gsize i = 0; i < exact->n * k; i++)
        cr_assert (fabsf (exact->distances[i] - found->distances[i])
                       <= 1e-3f * (1 + exact->distances[i]),
                   "case %zu, k %zu, place %zu", c, k, i);
    }
  }
}

typedef struct {
  double distance;
  gsize number;
} Far;

static int
compare_far (const void *a, const void *b)
{
  const Far *x = a, *y = b;

  return (x->distance > y->distance) - (x->distance < y->distance);
}

/* The numbers of @count rows by their distance from subspace @index. */
static Far *
sort_by_distance (const Problem *problem, gsize index, const float *values, gsize count)
{
  Far *far = g_new (Far, count);

  for (gsize i = 0; i < count; i++)
    far[i] = (Far){
      naive_scan_distance (&problem->subspaces, index, values + i * problem->subspaces.cols), i
    };
  qsort (far, count, sizeof *far, compare_far);
  return far;
}

/* The rows that a subspace should be found, by definition: of the lists of the @probes nearest
 * centres, and of further ones while those hold fewer than @k rows. FALSE: rounding may decide. */
static gboolean
find_naively (const Problem *problem, const AssayLists *lists, const float *centres, gsize index,
              gsize probes, gsize k, Far *ret_found)
{
  g_autofree Far *by_centre = sort_by_distance (problem, index, centres, lists->count);
  g_autofree Far *all = g_new (Far, lists->starts[lists->count]);
  gsize n = 0, l = 0;

  for (; l < probes || n < k; l++) {
    const gsize list = by_centre[l].number;

    for (gsize i = lists->starts[list]; i < lists->starts[list + 1]; i++)
      all[n++] = (Far){ naive_scan_distance (&problem->subspaces, index,
                                             assay_matrix_row (problem->values, lists->rows[i])),
                        lists->rows[i] };
  }
  qsort (all, n, sizeof *all, compare_far);
  memcpy (ret_found, all, k * sizeof *all);
  return (l == lists->count || by_centre[l].distance - by_centre[l - 1].distance > 1e-4)
         && (n == k || all[k].distance - all[k - 1].distance > 1e-4);
}

static gboolean
has_row (const AssayNearest *nearest, gsize index, gsize row)
{
  for (gsize j = 0; j < nearest->k; j++)
    if (nearest->rows[index * nearest->k + j] == row)
      return TRUE;
  return FALSE;
}

static void
check_definition (const Case *c, const Problem *problem, AssayProbing probing, gsize k)
{
  g_autoptr (AssayLists) lists = assay_lists_new (problem->rows, c->scale, probing.lists, NULL);
  g_autoptr (AssayMatrix) centres = assay_matrix_new (lists->count, c->d, NULL);
  g_autoptr (AssayNearest) found = search (problem, c, probing, k);
  g_autofree Far *naive = g_new (Far, k);
  gsize n_clear = 0;

  assay_rows_read (lists->centres, 0, lists->count, ASSAY_SCALE_NONE, centres->data);
  for (gsize i = 0; i < c->n; i++) {
    if (!find_naively (problem, lists, centres->data, i, probing.probes, k, naive))
      continue;
    n_clear++;
    for (gsize j = 0; j < k; j++) {
      cr_assert (has_row (found, i, naive[j].number), "subspace %zu: row %zu was not found", i,
                 naive[j].number);
      cr_assert (fabs ((double) found->distances[i * k + j] - naive[j].distance) <= 2e-3,
                 "subspace %zu, place %zu: %g instead of %g", i, j,
                 (double) found->distances[i * k + j], naive[j].distance);
    }
  }
  cr_assert (n_clear >= c->n / 2, "%zu of %zu are clear", n_clear, c->n);
}

Test (scan_approximate, is_its_definition)
{
  static const struct {
    AssayProbing probing;
    gsize k;
  } searches[] = { { { 30, 1 }, 1 }, { { 30, 3 }, 20 }, { { 60, 7 }, 10 }, { { 30, 1 }, 150 } };

  for (gsize c = 0; c < G_N_ELEMENTS (cases); c++) {
    g_auto (Problem) problem = make_problem (&cases[c]);

    for (gsize s = 0; s < G_N_ELEMENTS (searches); s++)
      check_definition (&cases[c], &problem, searches[s].probing, searches[s].k);
  }
}

/* Fresh rows for each number of threads: lists, too, are made anew. */
Test (scan_approximate, threads_change_nothing)
{
  for (gsize c = 0; c < G_N_ELEMENTS (cases); c++) {
    g_autoptr (AssayNearest) first = NULL;
    g_autofree guint32 *first_rows = NULL;

    for (guint threads = 1; threads <= 4; threads++) {
      g_auto (Problem) problem = make_problem (&cases[c]);
      g_autoptr (AssayLists) lists = NULL;
      g_autoptr (AssayNearest) found = NULL;

      assay_parallel_set_threads (threads);
      lists = assay_lists_new (problem.rows, cases[c].scale, 30, NULL);
      found = search (&problem, &cases[c], (AssayProbing){ 30, 4 }, 15);
      if (first == NULL) {
        first = g_steal_pointer (&found);
        first_rows = g_memdup2 (lists->rows, cases[c].n_rows * sizeof (guint32));
        continue;
      }
      cr_assert (is_same (first, found), "case %zu, %u threads", c, threads);
      cr_assert (memcmp (first_rows, lists->rows, cases[c].n_rows * sizeof (guint32)) == 0,
                 "case %zu, lists with %u threads", c, threads);
    }
  }
}

Test (scan_approximate, says_what_it_looked_at)
{
  g_auto (Problem) problem = make_problem (&cases[0]);
  AssayProbingWork some, all;
  g_autoptr (AssayNearest) few = assay_scan_approximately (
      &(AssayProbing){ 30, 3 }, &problem.subspaces, problem.rows, cases[0].scale, 1, &some, NULL);
  g_autoptr (AssayNearest) many = assay_scan_approximately (
      &(AssayProbing){ 30, 30 }, &problem.subspaces, problem.rows, cases[0].scale, 1, &all, NULL);

  cr_assert (few != NULL && many != NULL);
  cr_assert (all.pairs == 30 * 1500 && all.looked == all.pairs && some.pairs == all.pairs);
  cr_assert (some.looked > 0 && some.looked < all.looked / 3, "%d", (int) some.looked);
}

/* ---- Keeping ---- */

/* A release keeps exact and approximate results apart, whichever came first. */
Test (scan_approximate, a_release_keeps_searches_apart)
{
  static const AssayProbing probing = { 60, 1 }, other = { 60, 2 }, all = { 60, 60 };
  g_auto (Problem) problem = make_problem (&cases[0]);
  g_autoptr (AssayNearest) exact = scan (&problem, &cases[0], 20);
  g_autoptr (AssayNearest) alone = search (&problem, &cases[0], probing, 5);

  for (guint round = 0; round < 2; round++) {
    g_autoptr (AssayNearest) of_20
        = assay_release_nearest_approximately (problem.release, &probing, problem.rows, 20, NULL);
    g_autoptr (AssayNearest) of_5
        = assay_release_nearest_approximately (problem.release, &probing, problem.rows, 5, NULL);
    g_autoptr (AssayNearest) with_2
        = assay_release_nearest_approximately (problem.release, &other, problem.rows, 5, NULL);
    g_autoptr (AssayNearest) whole
        = assay_release_nearest_approximately (problem.release, &all, problem.rows, 20, NULL);
    g_autoptr (AssayNearest) usual
        = assay_release_nearest (problem.release, problem.rows, 20, NULL);

    cr_assert (is_same (of_5, alone) && !is_same (of_5, with_2) && !is_same (of_20, usual));
    cr_assert (is_same (whole, exact) && is_same (usual, exact));
  }
}

/* Lists that took long are found on disk by those who have the same rows, and by no others. */
Test (scan_approximate, lists_are_kept_on_disk)
{
  static const Case large = { 1, 1, 64, 12000, ASSAY_SCALE_NONE };
  g_autofree char *folder = fixture_folder ();
  g_autofree char *kept = g_build_filename (folder, "lists", NULL);
  g_autofree guint32 *first_rows = NULL;

  g_setenv ("ASSAY_CACHE", folder, TRUE);
  for (guint round = 0; round < 2; round++) {
    g_auto (Problem) problem = make_problem (&large);
    g_autoptr (AssayLists) lists = assay_lists_new (problem.rows, large.scale, 1500, NULL);
    g_autoptr (GDir) dir = g_dir_open (kept, 0, NULL);

    cr_assert (lists != NULL && dir != NULL && g_dir_read_name (dir) != NULL
               && g_dir_read_name (dir) == NULL);
    if (round == 0)
      first_rows = g_memdup2 (lists->rows, large.n_rows * sizeof (guint32));
    else
      cr_assert (memcmp (first_rows, lists->rows, large.n_rows * sizeof (guint32)) == 0);
  }
  fixture_remove (folder);
}

/* ---- Recall ---- */

static gsize
count_naively (const Problem *problem, gsize index, const AssayNearest *found)
{
  g_autofree Far *far
      = sort_by_distance (problem, index, problem->values->data, problem->values->rows);
  gsize common = 0;

  for (gsize j = 0; j < found->k; j++)
    common += has_row (found, index, far[j].number);
  return common;
}

/* Recall that the sample says, recomputed by sorting all distances; in float32 rows that are
 * equally far may change places, which is rare. */
Test (scan_approximate, recall_is_what_it_says)
{
  static const AssayStreamKey other = { { 3, 5 } };

  for (gsize c = 0; c < G_N_ELEMENTS (cases); c++) {
    const gsize k = 20, size = MIN (cases[c].n, ASSAY_RECALL_SAMPLE);
    g_auto (Problem) problem = make_problem (&cases[c]);
    g_autoptr (AssayNearest) found = search (&problem, &cases[c], (AssayProbing){ 30, 2 }, k);
    g_autoptr (AssayNearest) exact = scan (&problem, &cases[c], k);
    g_autoptr (AssayArray) recall
        = assay_release_recall (problem.release, problem.rows, found, key, NULL);
    g_autoptr (AssayArray) again
        = assay_release_recall (problem.release, problem.rows, exact, other, NULL);
    const gint64 *values = assay_array_int64 (recall), *of_exact = assay_array_int64 (again);
    gsize n_same = 0, n_found = 0, n_other = 0;

    cr_assert (recall->shape[0] == size && recall->shape[1] == 3);
    for (gsize i = 0; i < size; i++) {
      cr_assert (values[3 * i] < (gint64) cases[c].n && values[3 * i + 2] == (gint64) k);
      cr_assert (i == 0 || values[3 * i] > values[3 * i - 3]);
      n_same
          += values[3 * i + 1] == (gint64) count_naively (&problem, (gsize) values[3 * i], found);
      n_found += (gsize) values[3 * i + 1];
      cr_assert (of_exact[3 * i + 1] >= (gint64) k - 1, "case %zu", c);
      n_other += values[3 * i] != of_exact[3 * i];
    }
    cr_assert (n_same >= size - size / 10, "case %zu: %zu of %zu", c, n_same, size);
    cr_assert (n_found < size * k, "case %zu: nothing was missed", c);
    cr_assert ((n_other > 0) == (cases[c].n > size), "case %zu: the sample is the stream's", c);
  }
}

/* ---- Errors ---- */

static void
check_search_error (const Problem *problem, AssayProbing probing, gsize k, const char *message)
{
  g_autofree char *why = NULL;
  GError *error = NULL;

  cr_assert (assay_scan_approximately (&probing, &problem->subspaces, problem->rows,
                                       ASSAY_SCALE_NONE, k, NULL, &error)
                 == NULL,
             "%s", message);
  cr_assert (fixture_error_is (&error, ASSAY_ERROR_MISMATCH, message, NULL, &why), "%s", why);
}

static void
check_lists_error (const float *values, gint code, const char *message)
{
  AssayMatrix *matrix = fixture_normal (600, 2, 7);
  g_autoptr (AssayRows) rows = NULL;
  GError *error = NULL;

  memcpy (assay_matrix_row (matrix, 300), values, 2 * sizeof (float));
  rows = assay_rows_take_matrix (matrix);
  /* With ten lists 300 may stand beside the sample, and be met when rows are put into lists. */
  for (gsize count = 10; count <= 600; count += 590) {
    cr_assert (assay_lists_new (rows, ASSAY_SCALE_NONE, count, &error) == NULL, "%s", message);
    cr_assert (error->code == code && strstr (error->message, message) != NULL, "%zu lists: %s",
               count, error->message);
    g_clear_error (&error);
  }
}

Test (scan_approximate, errors)
{
  static const Case wide = { 2, 600, 640, 700, ASSAY_SCALE_NONE };
  static const float no_number[] = { 1, NAN }, infinite[] = { INFINITY, 0 };
  g_auto (Problem) problem = make_problem (&cases[3]);
  g_auto (Problem) of_many = make_problem (&wide);
  AssayProbing probing;
  GError *error = NULL;

  check_search_error (&problem, (AssayProbing){ 301, 1 }, 1,
                      "lists = 301: expected at most 300, the number of rows that they are made "
                      "of");
  check_search_error (&problem, (AssayProbing){ 20, 21 }, 1,
                      "probes = 21: expected 1 to 20, the number of lists that 300 rows are in");
  check_search_error (&problem, (AssayProbing){ 20, 0 }, 1,
                      "probes = 0: expected 1 to 20, the number of lists that 300 rows are in");
  check_search_error (&problem, (AssayProbing){ 20, 2 }, 301,
                      "the nearest 301 of 300 rows were asked for");
  check_search_error (&problem, (AssayProbing){ 20, 2 }, 0,
                      "the nearest 0 of 300 rows were asked for");
  check_search_error (&of_many, (AssayProbing){ 20, 2 }, 1,
                      "subspaces of dimension 600 pass through all lists: expected the exact "
                      "search");
  check_lists_error (no_number, ASSAY_ERROR_DATA, "row 300");
  check_lists_error (infinite, ASSAY_ERROR_DATA, "row 300");
  cr_assert (assay_lists_new (problem.rows, ASSAY_SCALE_NONE, 301, &error) == NULL
             && strstr (error->message, "301 lists of 300 rows were asked for; expected 1 to 300"));
  g_clear_error (&error);

  cr_assert (assay_probing_init (&probing, 0, 0, 179610, NULL) && probing.lists == 1695
             && probing.probes == 105);
  cr_assert (assay_probing_init (&probing, 5, 0, 100, NULL) && probing.lists == 5
             && probing.probes == 1);
  cr_assert (!assay_probing_init (&probing, 0, 14, 212, &error)
             && strstr (error->message, "probes = 14: expected 1 to 13"));
  g_clear_error (&error);
}

/* FAISS would write beside its arrays where a distance overflows. */
Test (scan_approximate, centres_refuse_what_faiss_cannot_take)
{
  static const struct {
    float value;
    gsize count;
    const char *message;
  } wrong[] = { { 1e19f, 2, "row 1: distances are too large for float32" },
                { NAN, 2, "rows: row 1, column 0" },
                { 0, 5, "5 centres of 4 rows were asked for" },
                { 0, 0, "0 centres of 4 rows were asked for" } };

  for (gsize i = 0; i < G_N_ELEMENTS (wrong); i++) {
    const float values[] = { 1, wrong[i].value, 3, 4 };
    GError *error = NULL;

    cr_assert (assay_knn_centres ((AssayView){ 4, 1, 1, values }, wrong[i].count, 3, &error)
               == NULL);
    cr_assert (strstr (error->message, wrong[i].message) != NULL, "%s", error->message);
    g_clear_error (&error);
  }
}

/* Two groups on a line: their means. */
Test (scan_approximate, centres_are_means)
{
  static const float values[] = { 0, 1, 2, 100, 102, 104, 106, 1 };
  g_autoptr (AssayMatrix) centres = assay_knn_centres ((AssayView){ 8, 1, 1, values }, 2, 10, NULL);
  const float low = MIN (centres->data[0], centres->data[1]);

  cr_assert (low == 1 && centres->data[0] + centres->data[1] - low == 103, "%g %g",
             (double) centres->data[0], (double) centres->data[1]);
}
