/* The approximate scan against its definition (the rows of the nearest lists, all of them looked
 * at), against the exact one, and the recall that is measured of it. */
#include <criterion/criterion.h>
#include <glib/gstdio.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/error.h"
#include "core/base/parallel.h"
#include "core/search/scan-approximate.h"
#include "core/search/scan-prune.h"
#include "tests/reference/fixtures.h"
#include "tests/reference/naive-scan.h"
#include "tests/unit/core/search/scan-problem.h"
#include "tests/unit/seeds.h"

static const AssayStreamKey key = { { 3, 4 } };

static AssayNearest *
search (const ScanProblem *problem, const ScanCase *c, AssayProbing probing, gsize k)
{
  g_autoptr (GError) error = NULL;
  AssayNearest *nearest = assay_scan_approximately (
      &probing, &problem->subspaces, &(AssaySearchSet){ .rows = problem->rows, .scale = c->scale },
      k, NULL, &error);

  cr_assert (nearest != NULL, "%s", error != NULL ? error->message : "");
  return nearest;
}

static AssayNearest *
scan (const ScanProblem *problem, const ScanCase *c, gsize k)
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

/* ---- The scan ---- */

/* Whether products of these shapes have bits that do not depend on the shape. */
static gboolean
has_chains (const ScanCase *c)
{
  for (gsize n = 1; n <= 512 / (c->m + 1); n++)
    if (!prune_has_chains (n * (c->m + 1), 64, c->d))
      return FALSE;
  return TRUE;
}

Test (scan_approximate, all_lists_are_the_exact_scan)
{
  for (gsize c = 0; c < G_N_ELEMENTS (cases); c++) {
    g_auto (ScanProblem) problem = scan_problem_make (&cases[c]);
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
sort_by_distance (const ScanProblem *problem, gsize index, const float *values, gsize count)
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
find_naively (const ScanProblem *problem, const AssayLists *lists, const float *centres,
              gsize index, gsize probes, gsize k, Far *ret_found)
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
check_definition (const ScanCase *c, const ScanProblem *problem, AssayProbing probing, gsize k)
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
    g_auto (ScanProblem) problem = scan_problem_make (&cases[c]);

    for (gsize s = 0; s < G_N_ELEMENTS (searches); s++)
      check_definition (&cases[c], &problem, searches[s].probing, searches[s].k);
  }
}

/* Fresh rows for each number of threads: lists, too, are made anew. */
Test (scan_approximate, threads_change_nothing)
{
  TEST_OF_RESULTS ();

  for (gsize c = 0; c < G_N_ELEMENTS (cases); c++) {
    g_autoptr (AssayNearest) first = NULL;
    g_autofree guint32 *first_rows = NULL;

    for (guint threads = 1; threads <= 4; threads++) {
      g_auto (ScanProblem) problem = scan_problem_make (&cases[c]);
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
  g_auto (ScanProblem) problem = scan_problem_make (&cases[0]);
  const AssaySearchSet set = { .rows = problem.rows, .scale = cases[0].scale };
  AssayProbingWork some, all;
  g_autoptr (AssayNearest) few = assay_scan_approximately (
      &(AssayProbing){ 30, 3 }, &problem.subspaces, &set, 1, &some, NULL);
  g_autoptr (AssayNearest) many = assay_scan_approximately (
      &(AssayProbing){ 30, 30 }, &problem.subspaces, &set, 1, &all, NULL);

  cr_assert (few != NULL && many != NULL);
  cr_assert (all.pairs == 30 * 1500 && all.looked == all.pairs && some.pairs == all.pairs);
  cr_assert (some.looked > 0 && some.looked < all.looked / 3, "%d", (int) some.looked);
}

/* ---- Keeping ---- */

/* A release keeps exact and approximate results apart, whichever came first. */
Test (scan_approximate, a_release_keeps_searches_apart)
{
  static const AssayProbing probing = { 60, 1 }, other = { 60, 2 }, all = { 60, 60 };
  g_auto (ScanProblem) problem = scan_problem_make (&cases[0]);
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

/* ---- Recall ---- */

static gsize
count_naively (const ScanProblem *problem, gsize index, const AssayNearest *found)
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
    g_auto (ScanProblem) problem = scan_problem_make (&cases[c]);
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
check_search_error (const ScanProblem *problem, AssayProbing probing, gsize k, const char *message)
{
  g_autofree char *why = NULL;
  GError *error = NULL;

  cr_assert (assay_scan_approximately (&probing, &problem->subspaces,
                                       &(AssaySearchSet){ .rows = problem->rows }, k, NULL, &error)
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
  static const ScanCase wide = { 2, 600, 640, 700, ASSAY_SCALE_NONE };
  static const float no_number[] = { 1, NAN }, infinite[] = { INFINITY, 0 };
  g_auto (ScanProblem) problem = scan_problem_make (&cases[3]);
  g_auto (ScanProblem) of_many = scan_problem_make (&wide);
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
