/* Runs that audits counted, in a run store. */
#include <criterion/criterion.h>

#include <string.h>

#include <glib/gstdio.h>
#include <sqlite3.h>

#include "runner/store/counted.h"
#include "runner/store/rows.h"

#define RUNS 3
#define COLS 2

/* Two hits on the second input, one mistake on the first. */
static const AssayAuditRecord swapped
    = { .counts = { .runs = RUNS, .hits = 2, .mistakes = 1 }, .is_swapped = TRUE };

static AssayCounted *
make_counted (void)
{
  static const double outputs[2][RUNS * COLS]
      = { { 1, 2, 3, 4, 5, 6 }, { -0.0, 8, 9, 10, 11, 12 } };
  static const guint8 marks[2 * RUNS] = { 0, 1, 0, 1, 0, 1 };
  const gsize shape[] = { RUNS, COLS };
  AssayCounted *counted = g_new0 (AssayCounted, 1);

  for (guint side = 0; side < 2; side++)
    counted->outputs[side] = assay_array_take (ASSAY_FLOAT64, 2, shape,
                                               g_memdup2 (outputs[side], sizeof outputs[side]));
  counted->marks = assay_array_take (ASSAY_UINT8, 2, (const gsize[]){ 2, RUNS },
                                     g_memdup2 (marks, sizeof marks));
  counted->python = g_strdup ("def event(y):\n    return y");
  return counted;
}

static AssayCounted *
load (AssayStore *store, gsize cell, const AssayAuditRecord *audit)
{
  AssayCounted *counted;

  cr_assert (assay_counted_load (store, cell, audit, &counted, NULL));
  return counted;
}

static void
expect_same (const AssayCounted *counted)
{
  g_autoptr (AssayCounted) made = make_counted ();

  cr_assert_not_null (counted);
  for (guint side = 0; side < 2; side++) {
    cr_assert_eq (counted->outputs[side]->type, ASSAY_FLOAT64);
    cr_assert_eq (counted->outputs[side]->shape[0], RUNS);
    cr_assert_eq (counted->outputs[side]->shape[1], COLS);
    cr_assert_eq (memcmp (counted->outputs[side]->data, made->outputs[side]->data,
                          RUNS * COLS * sizeof (double)),
                  0);
  }
  cr_assert_eq (memcmp (counted->marks->data, made->marks->data, 2 * RUNS), 0);
  cr_assert_str_eq (counted->python, made->python);
}

Test (counted, comes_back_bit_by_bit_and_from_workers)
{
  g_autoptr (AssayStore) worker = assay_store_new_in_memory (NULL);
  g_autoptr (AssayStore) run = assay_store_new_in_memory (NULL);
  g_autoptr (AssayCounted) made = make_counted ();
  g_autoptr (AssayCounted) here = NULL;
  g_autoptr (AssayCounted) there = NULL;
  g_autoptr (AssayCounted) left = NULL;
  g_autoptr (GBytes) rows = NULL;

  cr_assert (assay_counted_store (worker, 7, made, NULL));
  here = load (worker, 7, &swapped);
  expect_same (here);
  rows = assay_store_take_rows (worker, NULL);
  left = load (worker, 7, &swapped);
  cr_assert_null (left, "a worker keeps facts alone");
  cr_assert (assay_store_add_rows (run, rows, NULL));
  there = load (run, 7, &swapped);
  expect_same (there);
}

Test (counted, those_of_an_earlier_play_are_not_taken)
{
  g_autoptr (AssayStore) store = assay_store_new_in_memory (NULL);
  g_autoptr (AssayCounted) made = make_counted ();
  AssayAuditRecord other = swapped;

  cr_assert (assay_counted_store (store, 7, made, NULL));
  other.counts.mistakes = 0;
  cr_assert_null (load (store, 7, &other), "other counts");
  other = swapped;
  other.is_swapped = FALSE;
  cr_assert_null (load (store, 7, &other), "the other input's");
  other = swapped;
  other.counts.runs = RUNS + 1;
  cr_assert_null (load (store, 7, &other), "other sizes");
  cr_assert (assay_counted_store (store, 7, NULL, NULL));
  cr_assert_null (load (store, 7, &swapped), "taken away");
}

Test (counted, too_many_are_said)
{
  g_autoptr (AssayStore) store = assay_store_new_in_memory (NULL);
  const AssayCounted none = { 0 };
  g_autoptr (AssayCounted) found = NULL;

  cr_assert (assay_counted_store (store, 7, &none, NULL));
  found = load (store, 7, &swapped);
  cr_assert (found != NULL && found->marks == NULL);
}

Test (counted, a_store_without_the_table_is_refused)
{
  g_autofree char *folder = g_dir_make_tmp ("assay-counted-XXXXXX", NULL);
  g_autofree char *path = g_build_filename (folder, ASSAY_STORE_FILE, NULL);
  g_autoptr (AssayStore) store = assay_store_open (folder, TRUE, NULL);
  g_autoptr (GError) error = NULL;
  sqlite3 *database;

  cr_assert_not_null (store);
  g_clear_pointer (&store, assay_store_close);
  cr_assert_eq (sqlite3_open (path, &database), SQLITE_OK);
  cr_assert_eq (sqlite3_exec (database, "DROP TABLE counted", NULL, NULL, NULL), SQLITE_OK);
  sqlite3_close (database);
  cr_assert_null (assay_store_open (folder, FALSE, &error));
  cr_assert (strstr (error->message, "its tables are not those of a run store") != NULL);
  g_remove (path);
  g_rmdir (folder);
}
