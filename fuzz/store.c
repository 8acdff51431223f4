/* Fuzz target: run stores, which are what reports and comparisons read (results.json is only ever
 * written). An input is a list of rows that are put into an empty store as anyone with SQLite could
 * do it, of any type and length; then the results of the run are loaded. */
#include "runner/plan/planner.h"
#include "fuzz/fuzz.h"

#include <stdlib.h>

#include "runner/judge/cells.h"
#include "runner/judge/load.h"
#include "runner/plan/plan.h"
#include "runner/store/sql.h"

#define MOST_ROWS 64

static const char scenario[]
    = "[scenario]\ntrials = 2\n"
      "[dataset]\nplugin = shapes\nsecrets = 4\ntune_secrets = 4\n"
      "[defense lift]\nplugin = affine-lifting\nvariant = random\ndimension = 2\n"
      "[defense noise]\nplugin = gaussian\nepsilon = 1\n"
      "[attack nearest]\nplugin = nearest\ngrants = public\ntune.project = yes; no\n"
      "tune_measure = recovery-rate\n"
      "[attack tell]\nplugin = distinguish\n"
      "[metric recovery-rate]\n[metric epsilon]\n[metric image-recovery]\n"
      "[pictures them]\nmetric = image-recovery\n"
      "[claim hidden]\nmeasure = recovery-rate\nattack = nearest\nat-most = 0.1\n"
      "[claim epsilon]\nmeasure = epsilon\ndefense = noise\nat-most = claimed\n";

static AssayPlan *plan;
static AssayStore *store;

/* Leaves nothing behind for the leak checker. */
static void
clear (void)
{
  assay_store_close (store);
  assay_plan_free (plan);
}

static void
set_up (void)
{
  static const AssayProbe probe
      = { .n_secrets = 1000,
          .n_public = 500,
          .cols = 64,
          .holdings = G_MAXUINT,
          .geometry = { .height = 8, .width = 8, .channels = 1, .white = 1 } };
  const AssayPlanOptions options = { .text = scenario, .probes = &probe, .n_probes = 1 };
  g_autoptr (GError) error = NULL;

  plan = assay_plan_new ("a.scenario", &options, &error);
  if (plan == NULL)
    g_error ("%s", error->message);
  store = assay_store_new_in_memory (&error);
  if (store == NULL)
    g_error ("%s", error->message);
  atexit (clear);
}

/* A value of any type. The blobs that are meant hold a few doubles or whole numbers. */
static void
bind (sqlite3_stmt *statement, int index, FuzzInput *input)
{
  const guint8 kind = fuzz_take_byte (input);
  const gsize length = kind / 4;

  switch (kind % 4) {
  case 0:
    sqlite3_bind_int64 (statement, index, (gint8) fuzz_take_byte (input));
    return;
  case 1: {
    g_autofree char *text = fuzz_take_text (input, '\0');

    sqlite3_bind_text (statement, index, text, -1, SQLITE_TRANSIENT);
    return;
  }
  case 2: {
    const gsize n = MIN (length, input->left);

    sqlite3_bind_blob64 (statement, index, input->data, n, SQLITE_TRANSIENT);
    input->data += n;
    input->left -= n;
    return;
  }
  default: {
    double numbers[64];

    for (gsize i = 0; i < length; i++)
      numbers[i] = (gint8) fuzz_take_byte (input) / 4.0;
    sqlite3_bind_blob64 (statement, index, numbers, length * sizeof *numbers, SQLITE_TRANSIENT);
    return;
  }
  }
}

/* @sql with @n_keys small whole numbers and @n_values values of any kind. */
static void
insert (const char *sql, guint n_keys, guint n_values, FuzzInput *input)
{
  sqlite3_stmt *statement;

  FUZZ_REQUIRE (sqlite3_prepare_v2 (store->database, sql, -1, &statement, NULL) == SQLITE_OK);
  for (guint i = 0; i < n_keys; i++)
    sqlite3_bind_int64 (statement, (int) i + 1, fuzz_take_byte (input) % 16);
  for (guint i = 0; i < n_values; i++)
    bind (statement, (int) (n_keys + i) + 1, input);
  sqlite3_step (statement); /* what breaks a constraint is not inserted */
  sqlite3_finalize (statement);
}

static void
add_row (FuzzInput *input)
{
  static const char *const tables[] = {
    "INSERT OR REPLACE INTO cells (cell, begun, status, message) VALUES (?1, 1, ?2, ?3)",
    "INSERT OR REPLACE INTO outcomes VALUES (?, ?, ?, ?)",
    "INSERT OR REPLACE INTO groups VALUES (?, ?, ?)",
    "INSERT OR REPLACE INTO tunings VALUES (?, ?, ?, ?, ?)",
    "INSERT OR REPLACE INTO thumbnails VALUES (?, ?, ?, ?, ?)",
    "INSERT OR REPLACE INTO pictures VALUES (?, ?, ?, ?, ?)",
    "INSERT OR REPLACE INTO meta VALUES (?, ?)",
  };
  static const guint8 n_keys[] = { 1, 3, 2, 3, 0, 4, 0 }, n_values[] = { 2, 1, 1, 2, 5, 1, 2 };
  const guint table = fuzz_take_byte (input) % G_N_ELEMENTS (tables);

  insert (tables[table], n_keys[table], n_values[table], input);
}

int
LLVMFuzzerTestOneInput (const uint8_t *data, size_t size)
{
  FuzzInput input = { data, size };
  g_autoptr (AssayResults) results = NULL;
  g_autoptr (GError) error = NULL;

  if (store == NULL)
    set_up ();
  FUZZ_REQUIRE (assay_sql_execute (store, "BEGIN", NULL));
  for (guint i = 0; i < MOST_ROWS && input.left > 0; i++)
    add_row (&input);
  results = assay_results_load (plan, store, &error);
  fuzz_check_outcome (results != NULL, error);
  FUZZ_REQUIRE (results == NULL || results->n_cells + results->n_missing == plan->cells->len);
  for (gsize i = 0; results != NULL && i < plan->cells->len; i++) {
    g_autoptr (AssayResultCell) cell = NULL;
    g_autoptr (GError) problem = NULL;
    const gboolean is_ok = assay_results_cell (results, i, TRUE, &cell, &problem);

    fuzz_check_outcome (is_ok, problem);
  }
  FUZZ_REQUIRE (assay_sql_execute (store, "ROLLBACK", NULL));
  return 0;
}
