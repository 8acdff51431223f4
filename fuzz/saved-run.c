/* Fuzz target: whole run stores, up to every report that is made of them. An input is a SQLite
 * file, as fuzz/seeds makes it by a run; mutants keep the schema and change cells (cells.c).
 *
 * What assay_store_verify lets pass is read without a further look at its types: so that what comes
 * of it is held against what results promise, each export against its own form, and what is written
 * of it again against what was read. */
#include "fuzz/cells.h"
#include "fuzz/fuzz.h"
#include "fuzz/rewritten.h"

#include <glib/gstdio.h>
#include <json-glib/json-glib.h>
#include <math.h>
#include <stdio.h>

#include "core/base/text.h"
#include "report/html/html.h"
#include "report/report.h"
#include "runner/compare/saved-run.h"
#include "runner/judge/cells.h"
#include "runner/store/manifest.h"

#define TABLE_WIDTH 100

static const char *const names[] = { ASSAY_STORE_FILE, NULL };

/* Text for people: valid, and without what steers a terminal. */
static void
check_text (char *taken)
{
  g_autofree char *text = taken;

  FUZZ_REQUIRE (text != NULL && g_utf8_validate (text, -1, NULL));
  for (const char *at = text; *at != '\0'; at = g_utf8_next_char (at)) {
    const gunichar c = g_utf8_get_char (at);

    FUZZ_REQUIRE (c == '\n' || assay_text_is_shown (c));
  }
}

/* Text for the terminal alone, which the program makes plain as it prints it (cli/colour.c). */
static void
check_printed (char *taken)
{
  FUZZ_REQUIRE (taken != NULL && g_utf8_validate (taken, -1, NULL));
  check_text (assay_text_plain_lines (taken));
  g_free (taken);
}

static void
check_json (char *taken)
{
  g_autoptr (JsonParser) parser = json_parser_new_immutable ();

  FUZZ_REQUIRE (json_parser_load_from_data (parser, taken, -1, NULL));
  check_text (taken);
}

/* An export that can fail: a text, or an error. */
static void
check_export (void (*check) (char *taken), char *text, const GError *error)
{
  FUZZ_REQUIRE ((text == NULL) == (error != NULL));
  if (text != NULL)
    check (text);
}

static void
check_reports (const AssayResults *results)
{
  g_autoptr (GError) error = NULL, other = NULL;
  char *json = assay_report_json (results, &error);
  char *page = assay_report_html (results, NULL, &other);

  check_export (check_json, json, error);
  check_export (check_text, page, other);
  check_text (assay_report_csv (results));
  check_text (assay_report_junit (results, NULL));
  check_text (assay_report_markdown (results));
  check_printed (assay_report_table (results, TABLE_WIDTH));
  check_printed (assay_report_seal (results));
  check_text (assay_report_warnings (results));
}

/* What a comparison of runs says of programs; those of the other run are @others. */
static void
check_programs (const GPtrArray *components)
{
  static const char *const others[] = { "", "0123 /a/b\n4567 c\n", "\n\n\n89ab", NULL };

  ASSAY_FOR_EACH (const AssayResultComponent, component, components) {
    const char *own = component->programs;

    FUZZ_REQUIRE (assay_programs_difference (own, own) == NULL);
    FUZZ_REQUIRE (assay_programs_difference (own, NULL) == NULL);
    for (guint i = 0; own != NULL && others[i] != NULL; i++) {
      char *there = assay_programs_difference (own, others[i]);
      char *back = assay_programs_difference (others[i], own);

      FUZZ_REQUIRE ((there != NULL) == (back != NULL));
      if (there != NULL) {
        check_text (there);
        check_text (back);
      }
    }
  }
}

static void
check_run (const AssaySavedRun *run)
{
  FUZZ_REQUIRE (run->results->n_cells + run->results->n_missing == run->plan->cells->len);
  FUZZ_REQUIRE (g_utf8_validate (run->version, -1, NULL));
  for (gsize i = 0; i < run->plan->cells->len; i++) {
    g_autoptr (AssayResultCell) cell = NULL;
    g_autoptr (GError) error = NULL;
    const gboolean is_ok = assay_results_cell (run->results, i, TRUE, &cell, &error);

    fuzz_check_outcome (is_ok, error);
  }
  check_reports (run->results);
  check_programs (run->results->defenses);
  fuzz_check_rewritten (run);
}

/* What holds no run, and what is no folder. */
static void
check_refused (const char *folder)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (AssaySavedRun) run = assay_saved_run_open (folder, TRUE, &error);

  FUZZ_REQUIRE (run == NULL);
  fuzz_check_outcome (FALSE, error);
}

int
LLVMFuzzerTestOneInput (const uint8_t *data, size_t size)
{
  static gboolean is_set_up;
  const char *folder = fuzz_folder (names);
  g_autofree char *path = g_build_filename (folder, ASSAY_STORE_FILE, NULL);
  g_autoptr (AssaySavedRun) run = NULL;
  g_autoptr (GError) error = NULL;
  FILE *file;

  if (!is_set_up) {
    is_set_up = TRUE;
    check_refused (path);
    g_unlink (path);
    check_refused (folder);
  }
  file = fopen (path, "wb");
  FUZZ_REQUIRE (file != NULL && fwrite (data, 1, size, file) == size);
  FUZZ_REQUIRE (fclose (file) == 0);
  run = assay_saved_run_open (folder, TRUE, &error);
  fuzz_check_outcome (run != NULL, error);
  if (run != NULL)
    check_run (run);
  return 0;
}

/* libFuzzer's hook: without it, it would change bytes, of which nearly all are SQLite's own. */
size_t LLVMFuzzerCustomMutator (uint8_t *data, size_t size, size_t max_size, unsigned int seed);

size_t
LLVMFuzzerCustomMutator (uint8_t *data, size_t size, size_t max_size, unsigned int seed)
{
  return fuzz_cells_mutate (data, size, max_size, seed);
}
