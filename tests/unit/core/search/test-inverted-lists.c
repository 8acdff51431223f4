/* Inverted lists: their centres, the rows of each, and lists that are kept on disk. */
#include <criterion/criterion.h>
#include <glib/gstdio.h>
#include <math.h>
#include <string.h>

#include "core/search/knn.h"
#include "core/search/scan-approximate.h"
#include "tests/reference/fixtures.h"
#include "tests/reference/naive-scan.h"
#include "tests/unit/core/search/scan-problem.h"

static gboolean
is_sorted (const guint32 *numbers, gsize count)
{
  for (gsize i = 1; i < count; i++)
    if (numbers[i - 1] >= numbers[i])
      return FALSE;
  return TRUE;
}

/* Every row stands once, in the list of the centre nearest to it (up to rounding). */
Test (inverted_lists, lists_are_of_the_nearest_centres)
{
  for (gsize c = 0; c < G_N_ELEMENTS (cases); c++) {
    g_auto (ScanProblem) problem = scan_problem_make (&cases[c]);
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

Test (inverted_lists, as_many_lists_as_rows_ask_for)
{
  static const gsize counts[][2]
      = { { 1, 1 },         { 15, 1 },           { 32, 2 },         { 4096, 256 },
          { 179610, 1695 }, { 10000000, 12649 }, { 1 << 30, 16384 } };

  for (gsize i = 0; i < G_N_ELEMENTS (counts); i++)
    cr_assert (assay_lists_count (counts[i][0]) == counts[i][1], "%zu: %zu", counts[i][0],
               assay_lists_count (counts[i][0]));
}

/* Copies of three rows in ten lists: FAISS has to leave some empty, and all rows are found. */
Test (inverted_lists, lists_may_be_empty)
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
  nearest = assay_scan_approximately (&(AssayProbing){ 10, 1 }, &point,
                                      &(AssaySearchSet){ .rows = rows }, 60, NULL, NULL);
  cr_assert (nearest != NULL);
  for (gsize i = 0; i < 60; i++)
    cr_assert (nearest->rows[i] == i % 20 * 3 + i / 20
                   && nearest->distances[i] == (float) (i / 20 + 1),
               "place %zu: row %zu at %g", i, nearest->rows[i], (double) nearest->distances[i]);
}

/* Lists that took long are found on disk by those who have the same rows, and by no others. */
Test (inverted_lists, lists_are_kept_on_disk)
{
  static const ScanCase large = { 1, 1, 64, 12000, ASSAY_SCALE_NONE };
  g_autofree char *folder = fixture_folder ();
  g_autofree char *kept = g_build_filename (folder, "lists", NULL);
  g_autofree guint32 *first_rows = NULL;

  g_setenv ("ASSAY_CACHE", folder, TRUE);
  for (guint round = 0; round < 2; round++) {
    g_auto (ScanProblem) problem = scan_problem_make (&large);
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

/* FAISS would write beside its arrays where a distance overflows. */
Test (inverted_lists, centres_refuse_what_faiss_cannot_take)
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
Test (inverted_lists, centres_are_means)
{
  static const float values[] = { 0, 1, 2, 100, 102, 104, 106, 1 };
  g_autoptr (AssayMatrix) centres = assay_knn_centres ((AssayView){ 8, 1, 1, values }, 2, 10, NULL);
  const float low = MIN (centres->data[0], centres->data[1]);

  cr_assert (low == 1 && centres->data[0] + centres->data[1] - low == 103, "%g %g",
             (double) centres->data[0], (double) centres->data[1]);
}
