/* The dictionary against its definition, and what rows keep of it. */
#include <criterion/criterion.h>
#include <math.h>
#include <string.h>

#include <glib/gstdio.h>

#include "core/base/parallel.h"
#include "core/base/shared-work.h"
#include "core/search/dictionary.h"
#include "core/search/disk-cache.h"
#include "tests/reference/fixtures.h"
#include "tests/reference/naive-k-means.h"
#include "tests/unit/assert-near.h"
#include "tests/unit/seeds.h"

static AssayMatrix *
scaled (const AssayMatrix *matrix, AssayScale scale)
{
  g_autoptr (AssayRows) rows = fixture_rows (matrix);
  AssayMatrix *copy = assay_matrix_new (matrix->rows, matrix->cols, NULL);

  assay_rows_read (rows, 0, matrix->rows, scale, copy->data);
  return copy;
}

static AssayArray *
dictionary_of (const AssayRows *rows, gsize entries, guint iterations, AssayScale scale,
               guint64 seed)
{
  const AssayDictionarySpec spec = { .entries = entries,
                                     .iterations = iterations,
                                     .scale = scale,
                                     .stream = assay_stream_key (seed, 0, "dictionary", "") };
  g_autoptr (GError) error = NULL;
  AssayArray *dictionary = assay_dictionary (rows, &spec, &error);

  cr_assert (dictionary != NULL, "%s", error != NULL ? error->message : "");
  return dictionary;
}

/* The start is rows; each iteration is the definition's, to the rounding of float32 (2^-24 of
 * numbers of order 1, and the same again from entries that were off by as much). Rows that lie
 * between two entries to within that could go either way; none of these do. */
Test (dictionary, iterates_as_defined)
{
  enum { ROWS = 900, ENTRIES = 15 };

  for (gsize cols = 3; cols <= 19; cols += 8)
    for (AssayScale scale = ASSAY_SCALE_NONE; scale <= ASSAY_SCALE_UNIT; scale++) {
      g_autoptr (AssayMatrix) raw = naive_clustered (ROWS, cols, 1);
      g_autoptr (AssayMatrix) matrix = scaled (raw, scale);
      g_autoptr (AssayRows) rows = fixture_rows (raw);
      g_autoptr (AssayArray) start = dictionary_of (rows, ENTRIES, 0, scale, 3);
      g_autoptr (AssayMatrix) naive = assay_matrix_copy (assay_array_view (start), NULL);
      double square;

      for (gsize i = 0; i < ENTRIES; i++) {
        naive_nearest_entry (assay_matrix_view (matrix), assay_matrix_row (naive, i), &square);
        cr_assert (square == 0, "entry %zu is no row", i);
        for (gsize j = 0; j < i; j++)
          cr_assert (memcmp (assay_matrix_row (naive, i), assay_matrix_row (naive, j),
                             naive->cols * sizeof (float)),
                     "row twice");
      }
      for (guint iterations = 1; iterations <= 3; iterations++) {
        g_autoptr (AssayArray) found = dictionary_of (rows, ENTRIES, iterations, scale, 3);

        cr_assert (naive_lloyd_iteration (naive, matrix, scale) == 0);
        for (gsize i = 0; i < ENTRIES * naive->cols; i++)
          assert_near ((double) assay_array_view (found).data[i], (double) naive->data[i], 1e-6,
                       "%zu columns, scale %d, iteration %u, number %zu", naive->cols, (int) scale,
                       iterations, i);
      }
    }
}

/* More rows than a panel, of bytes at odd places, by 1 and by 2 threads; and other seeds. */
Test (dictionary, does_not_depend_on_threads)
{
  enum { ROWS = 20000, ENTRIES = 150, COLS = 24 };
  g_autoptr (AssayMatrix) matrix = naive_clustered (ROWS, COLS, 1);
  g_autoptr (AssayArray) first = NULL;
  g_autoptr (AssayArray) other = NULL;

  TEST_OF_RESULTS ();
  for (guint threads = 1; threads <= 3; threads++) {
    g_autoptr (AssayRows) rows = fixture_rows (matrix);
    g_autoptr (AssayArray) found = NULL;

    assay_parallel_set_threads (threads);
    found = dictionary_of (rows, ENTRIES, 4, ASSAY_SCALE_UNIT, 1);
    if (first == NULL)
      first = assay_array_copy (found);
    cr_assert (found->data == first->data
                   || memcmp (found->data, first->data, ENTRIES * COLS * sizeof (float)) == 0,
               "%u threads", threads);
    g_clear_pointer (&other, assay_array_free);
    other = dictionary_of (rows, ENTRIES, 4, ASSAY_SCALE_UNIT, 2);
    cr_assert (memcmp (other->data, first->data, ENTRIES * COLS * sizeof (float)) != 0);
  }
}

/* Against rows drawn at random, and against the definition from another start, to convergence. */
Test (dictionary, has_a_small_quantisation_error)
{
  enum { ROWS = 1500, ENTRIES = 60, COLS = 8, ITERATIONS = 25 };

  for (AssayScale scale = ASSAY_SCALE_NONE; scale <= ASSAY_SCALE_UNIT; scale++) {
    g_autoptr (AssayMatrix) raw = naive_clustered (ROWS, COLS, 1);
    g_autoptr (AssayMatrix) matrix = scaled (raw, scale);
    g_autoptr (AssayRows) rows = fixture_rows (raw);
    g_autoptr (AssayArray) random = dictionary_of (rows, ENTRIES, 0, scale, 3);
    g_autoptr (AssayArray) found = dictionary_of (rows, ENTRIES, ITERATIONS, scale, 3);
    g_autoptr (AssayArray) start = dictionary_of (rows, ENTRIES, 0, scale, 4);
    g_autoptr (AssayMatrix) naive = assay_matrix_copy (assay_array_view (start), NULL);
    const double error = naive_quantisation_error (assay_array_view (found), matrix);

    for (guint i = 0; i < ITERATIONS; i++)
      naive_lloyd_iteration (naive, matrix, scale);
    cr_assert (error < 0.8 * naive_quantisation_error (assay_array_view (random), matrix),
               "scale %d: %g", (int) scale, error);
    cr_assert (error < 1.03 * naive_quantisation_error (assay_matrix_view (naive), matrix),
               "scale %d: %g", (int) scale, error);
  }
}

/* 12 points, each five times: whichever rows the start has, every point becomes an entry, and the
 * mean of equal floats is exactly that float. */
Test (dictionary, leaves_no_entry_without_rows)
{
  enum { POINTS = 12, COPIES = 5, COLS = 6 };
  g_autoptr (AssayMatrix) distinct = fixture_normal (POINTS, COLS, 1);
  g_autoptr (AssayMatrix) matrix = assay_matrix_new (POINTS * COPIES, COLS, NULL);

  for (gsize i = 0; i < POINTS * COPIES; i++)
    memcpy (assay_matrix_row (matrix, i), assay_matrix_row (distinct, i % POINTS),
            COLS * sizeof (float));
  for (guint64 seed = 0; seed < 10; seed++) {
    g_autoptr (AssayRows) rows = fixture_rows (matrix);
    g_autoptr (AssayArray) start = dictionary_of (rows, POINTS, 0, ASSAY_SCALE_NONE, seed);
    g_autoptr (AssayArray) found = dictionary_of (rows, POINTS, 30, ASSAY_SCALE_NONE, seed);

    cr_assert (naive_quantisation_error (assay_array_view (start), distinct) > 0,
               "seed %d says nothing", (int) seed);
    cr_assert (naive_quantisation_error (assay_array_view (found), distinct) == 0, "seed %d",
               (int) seed);
  }
}

static void
take_kept (const AssayRows *rows, const char *key, gboolean is_expected)
{
  g_autoptr (AssayArray) kept = assay_rows_kept (rows, key);

  cr_assert ((kept != NULL) == is_expected, "%s", key);
}

static void
keep_nothing_at (const AssayRows *rows, const char *key, gsize n)
{
  g_autoptr (GBytes) bytes = g_bytes_new_static ("", 1);
  g_autoptr (AssayArray) held
      = assay_rows_keep (rows, key, assay_array_new (ASSAY_FLOAT32, 1, &n, bytes, 0));

  cr_assert (held->shape[0] == n);
}

/* Arrays whose bytes nobody reads can be of any size. */
Test (dictionary, rows_keep_no_more_than_the_budget)
{
  static const gsize mebibyte = 1 << 18; /* floats */
  g_autoptr (AssayMatrix) matrix = fixture_normal (3, 2, 1);
  g_autoptr (AssayRows) rows = fixture_rows (matrix);
  g_autoptr (GBytes) bytes = g_bytes_new_static ("", 1);
  g_autoptr (AssayArray) in_use = NULL;

  assay_shared_set_budget ((guint64) 256 << 20);
  keep_nothing_at (rows, "first", 100 * mebibyte);
  keep_nothing_at (rows, "second", 100 * mebibyte);
  keep_nothing_at (rows, "second", 100 * mebibyte);
  take_kept (rows, "first", TRUE);
  keep_nothing_at (rows, "third", 100 * mebibyte);
  keep_nothing_at (rows, "giant", 257 * mebibyte);
  take_kept (rows, "second", FALSE); /* the first was asked for since */
  take_kept (rows, "first", TRUE);
  take_kept (rows, "third", TRUE);
  take_kept (rows, "giant", FALSE);

  /* A copy of a copy holds it, whatever comes. */
  {
    g_autoptr (AssayArray) first = assay_rows_kept (rows, "first");

    in_use = assay_array_copy (first);
  }
  keep_nothing_at (rows, "fourth", 100 * mebibyte);
  keep_nothing_at (rows, "fifth", 100 * mebibyte);
  take_kept (rows, "first", TRUE);
  take_kept (rows, "third", FALSE);
  take_kept (rows, "fourth", FALSE);
  take_kept (rows, "fifth", TRUE);

  assay_rows_append (rows, bytes, (const guint8 *) matrix->data, ASSAY_FLOAT32, 8, 1);
  take_kept (rows, "first", FALSE);
  take_kept (rows, "fifth", FALSE);
}

/* What is made of one set is not that of another, nor of one that lies where it lay. */
Test (dictionary, rows_that_are_freed_take_with_them_what_was_made_of_them)
{
  const AssaySharedCounts before = assay_shared_counts ();

  for (guint i = 0; i < 3; i++) {
    g_autoptr (AssayMatrix) matrix = fixture_normal (3, 2, 1);
    g_autoptr (AssayRows) rows = fixture_rows (matrix);

    take_kept (rows, "made", FALSE);
    keep_nothing_at (rows, "made", 1000);
    take_kept (rows, "made", TRUE);
    cr_assert (assay_shared_counts ().bytes == before.bytes + 4000);
  }
  cr_assert (assay_shared_counts ().bytes == before.bytes);
  cr_assert (assay_shared_counts ().dropped == before.dropped);
}

/* ---- On disk ---- */

/* As many distinct rows as entries, repeated: iterations end soon, though many are allowed, which
 * is what decides whether the dictionary is kept on disk. */
static AssayMatrix *
repeated_rows (gsize n, gsize cols, gsize distinct)
{
  g_autoptr (AssayMatrix) once = fixture_normal (distinct, cols, 1);
  AssayMatrix *matrix = assay_matrix_new (n, cols, NULL);

  for (gsize i = 0; i < n; i++)
    memcpy (assay_matrix_row (matrix, i), assay_matrix_row (once, i % distinct),
            cols * sizeof (float));
  return matrix;
}

enum { KEPT_ROWS = 2000, KEPT_COLS = 8, KEPT_ENTRIES = 20, KEPT_ITERATIONS = 40000 };

static AssayArray *
make_from (const AssayMatrix *matrix, guint iterations)
{
  g_autoptr (AssayRows) rows = fixture_rows (matrix);

  return dictionary_of (rows, KEPT_ENTRIES, iterations, ASSAY_SCALE_NONE, 1);
}

static void
expect_made (const AssayMatrix *matrix, const AssayArray *expected, const char *when)
{
  g_autoptr (AssayArray) found = make_from (matrix, KEPT_ITERATIONS);

  cr_assert (found->n_dimensions == 2 && found->shape[0] == KEPT_ENTRIES
                 && found->shape[1] == KEPT_COLS && found->type == ASSAY_FLOAT32,
             "%s", when);
  cr_assert (memcmp (found->data, expected->data, KEPT_ENTRIES * KEPT_COLS * sizeof (float)) == 0,
             "%s", when);
}

static guint
list_kept (const char *cache, char **ret_last)
{
  g_autofree char *folder = g_build_filename (cache, "dictionary", NULL);
  g_autoptr (GDir) dir = g_dir_open (folder, 0, NULL);
  const char *name;
  guint n = 0;

  while (dir != NULL && (name = g_dir_read_name (dir)) != NULL) {
    n++;
    g_free (*ret_last);
    *ret_last = g_strdup (name);
  }
  return n;
}

/* Another array under the same key, which nothing but the cache can have given, shows that it is
 * read; whatever is damaged or of another size is made again, to the bit. */
Test (dictionary, disk_changes_nothing)
{
  g_autoptr (AssayMatrix) matrix = repeated_rows (KEPT_ROWS, KEPT_COLS, KEPT_ENTRIES);
  g_autoptr (AssayMatrix) planted = fixture_normal (KEPT_ENTRIES, KEPT_COLS, 2);
  g_autoptr (AssayArray) other = assay_array_take_matrix (g_steal_pointer (&planted));
  g_autoptr (AssayArray) first = NULL;
  g_autoptr (GBytes) part = g_bytes_new_from_bytes (other->bytes, 0, 64);
  g_autofree char *cache = fixture_folder (), *key = NULL, *path = NULL, *data = NULL;
  gsize length;

  assay_parallel_set_threads (1);
  g_setenv ("ASSAY_CACHE", "", TRUE);
  first = make_from (matrix, KEPT_ITERATIONS);
  g_setenv ("ASSAY_CACHE", cache, TRUE);
  expect_made (matrix, first, "cold");
  cr_assert_eq (list_kept (cache, &key), 1);
  expect_made (matrix, first, "warm");
  cr_assert_eq (list_kept (cache, &key), 1);
  path = g_build_filename (cache, "dictionary", key, NULL);
  assay_disk_cache_keep ("dictionary", key, other->bytes);
  expect_made (matrix, other, "not read");
  assay_disk_cache_keep ("dictionary", key, part);
  expect_made (matrix, first, "another size");
  cr_assert (g_file_get_contents (path, &data, &length, NULL));
  for (gsize i = 0; i < 8; i++) {
    data[i * (length - 1) / 7] ^= 16;
    cr_assert (g_file_set_contents (path, data, (gssize) (length - i % 2), NULL));
    expect_made (matrix, first, "damaged");
    g_clear_pointer (&data, g_free);
    cr_assert (g_file_get_contents (path, &data, &length, NULL));
  }
  expect_made (matrix, first, "repaired");
  cr_assert_eq (list_kept (cache, &key), 1);
  fixture_remove (cache);
}

static void
expect_another_file (const char *cache, const AssayRows *rows, const AssayDictionarySpec *spec,
                     guint *inout_files, const char *what)
{
  g_autofree char *last = NULL;
  g_autoptr (AssayArray) dictionary = assay_dictionary (rows, spec, NULL);

  cr_assert_not_null (dictionary, "%s", what);
  cr_assert_eq (list_kept (cache, &last), ++*inout_files, "%s", what);
}

Test (dictionary, files_are_named_after_what_they_depend_on)
{
  const AssayDictionarySpec usual = { .entries = KEPT_ENTRIES,
                                      .iterations = KEPT_ITERATIONS,
                                      .scale = ASSAY_SCALE_NONE,
                                      .stream = assay_stream_key (1, 0, "dictionary", "") };
  g_autofree char *cache = fixture_folder ();
  g_autoptr (AssayMatrix) matrix = repeated_rows (KEPT_ROWS, KEPT_COLS, KEPT_ENTRIES);
  g_autoptr (AssayRows) rows = fixture_rows (matrix);
  g_autoptr (AssayRows) changed = NULL, narrow = NULL;
  g_autoptr (GBytes) bytes = NULL;
  AssayDictionarySpec spec = usual;
  guint n = 0;

  assay_parallel_set_threads (1);
  g_setenv ("ASSAY_CACHE", cache, TRUE);
  expect_another_file (cache, rows, &spec, &n, "first");
  spec.entries--;
  expect_another_file (cache, rows, &spec, &n, "entries");
  spec = usual;
  spec.iterations++;
  expect_another_file (cache, rows, &spec, &n, "iterations");
  spec = usual;
  spec.scale = ASSAY_SCALE_UNIT;
  expect_another_file (cache, rows, &spec, &n, "scale");
  spec = usual;
  spec.stream = assay_stream_key (2, 0, "dictionary", "");
  expect_another_file (cache, rows, &spec, &n, "stream");
  assay_matrix_row (matrix, KEPT_ROWS - 1)[KEPT_COLS - 1] += 1;
  changed = fixture_rows (matrix);
  expect_another_file (cache, changed, &usual, &n, "a number");
  narrow = assay_rows_new (KEPT_COLS / 2);
  bytes = g_bytes_new (matrix->data, KEPT_ROWS * KEPT_COLS * sizeof (float));
  assay_rows_append (narrow, bytes, g_bytes_get_data (bytes, NULL), ASSAY_FLOAT32,
                     KEPT_COLS / 2 * sizeof (float), 2 * KEPT_ROWS);
  expect_another_file (cache, narrow, &usual, &n, "columns");
  assay_rows_append (rows, bytes, g_bytes_get_data (bytes, NULL), ASSAY_FLOAT32,
                     KEPT_COLS * sizeof (float), 1);
  expect_another_file (cache, rows, &usual, &n, "a row more");
  fixture_remove (cache);
}

/* Below either bound there is no file: 1e10 products, or 1000 for each number of the rows. */
Test (dictionary, little_work_leaves_no_file)
{
  static const struct {
    gsize rows, cols, entries;
    guint iterations;
    guint files;
  } cases[] = {
    { 1000, 8, 20, 62499, 0 },
    { 1000, 8, 20, 62500, 1 },
    { 160000, 64, 2, 499, 0 },
    { 160000, 64, 2, 500, 1 },
  };

  assay_parallel_set_threads (1);
  for (guint i = 0; i < G_N_ELEMENTS (cases); i++) {
    g_autofree char *cache = fixture_folder (), *last = NULL;
    g_autoptr (AssayMatrix) matrix = repeated_rows (cases[i].rows, cases[i].cols, cases[i].entries);
    g_autoptr (AssayRows) rows = fixture_rows (matrix);
    g_autoptr (AssayArray) dictionary = NULL;

    g_setenv ("ASSAY_CACHE", cache, TRUE);
    dictionary = dictionary_of (rows, cases[i].entries, cases[i].iterations, ASSAY_SCALE_NONE, 1);
    cr_expect_eq (list_kept (cache, &last), cases[i].files, "case %u", i);
    fixture_remove (cache);
  }
}
