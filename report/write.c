/* Writing the exports of a run. */
#include <stdio.h>

#include "core/base/output-file.h"
#include "report/exports/file.h"
#include "report/html/html.h"
#include "report/plots/compare-curves.h"
#include "report/plots/plots.h"
#include "report/report.h"
#include "runner/plan/folders.h"

static gboolean
write_piece (const char *text, gsize length, gpointer file)
{
  return fwrite (text, 1, length, file) == length;
}

/* What broke off in the middle is not closed. */
static gboolean
finish (AssayJson *json, gboolean is_ok)
{
  if (is_ok)
    return assay_json_finish_to (json);
  assay_json_free (json);
  return FALSE;
}

/* A kilobyte or more a cell: written as it is made. */
static gboolean
fill_results (FILE *file, gconstpointer results, GError **error)
{
  AssayJson *json = assay_json_new_to (write_piece, file);
  const gboolean is_ok = assay_report_write_json (results, json, error);

  return finish (json, is_ok);
}

typedef struct {
  const AssayResults *results;
  const AssayReportRun *run;
} About;

static gboolean
fill_about (FILE *file, gconstpointer data, GError **error)
{
  const About *about = data;
  AssayJson *json = assay_json_new_to (write_piece, file);
  const gboolean is_ok = assay_report_write_run_json (about->results, about->run, json, error);

  return finish (json, is_ok);
}

static gboolean
write_text (const char *folder, const char *file, char *taken, GError **error)
{
  return assay_report_write_text (folder, file, taken, error);
}

static gboolean
write_contact_sheet (const AssayResultContactSheet *sheet, const char *title, const char *folder,
                     GError **error)
{
  g_autofree char *picture = g_strconcat (sheet->name, ".png", NULL);
  g_autofree char *legend = g_strconcat (sheet->name, ".json", NULL);
  g_autoptr (GBytes) png = assay_contact_sheet_png (sheet, title, error);

  return png != NULL && assay_report_write_bytes (folder, picture, png, error)
         && write_text (folder, legend, assay_contact_sheet_json (sheet), error);
}

/* A contact sheet of which no cell had a picture has no files. */
static gboolean
write_contact_sheets (const AssayResults *results, const char *folder, GError **error)
{
  g_autofree char *pictures = g_build_filename (folder, ASSAY_PICTURE_FOLDER, NULL);

  ASSAY_FOR_EACH (const AssayResultContactSheet, sheet, results->sheets) {
    if (sheet->columns->len == 0)
      continue;
    if (!assay_output_folder_make (pictures, error)
        || !write_contact_sheet (sheet, results->title, pictures, error))
      return FALSE;
  }
  return TRUE;
}

/* The plots, and the report that holds them. */
static gboolean
write_page (const AssayResults *results, const char *folder, const AssayPlotOptions *options,
            GError **error)
{
  g_autoptr (GPtrArray) plots
      = assay_plots_write (assay_curves_new (results), folder, options, error);
  char *page = plots != NULL ? assay_report_html (results, plots, error) : NULL;

  return page != NULL && write_text (folder, "report.html", page, error);
}

static gboolean
write_claims (const AssayResults *results, const char *folder, gboolean has_durations,
              GError **error)
{
  g_autofree double *seconds = has_durations ? assay_report_durations (results, error) : NULL;

  return (!has_durations || seconds != NULL)
         && write_text (folder, "claims.xml", assay_report_junit (results, seconds), error);
}

gboolean
assay_report_write (const AssayResults *results, const char *folder, const AssayReportRun *run,
                    const AssayPlotOptions *plots, GError **error)
{
  const About about = { results, run };

  return assay_report_write_file (folder, "results.json", fill_results, results, error)
         && write_text (folder, "results.csv", assay_report_csv (results), error)
         && write_claims (results, folder, run->has_durations, error)
         && write_text (folder, "summary.md", assay_report_markdown (results), error)
         && write_contact_sheets (results, folder, error)
         && write_page (results, folder, plots, error)
         && assay_report_write_file (folder, "run.json", fill_about, &about, error);
}

gboolean
assay_report_write_mutants (const AssayResultMutants *mutants, const char *folder, GError **error)
{
  return write_text (folder, ASSAY_MUTANTS_FILE, assay_report_mutants_file (mutants), error);
}

gboolean
assay_report_write_mutants_part (const AssayResultMutants *mutants, const char *folder,
                                 GError **error)
{
  return write_text (folder, ASSAY_MUTANTS_PART_FILE, assay_report_mutants_file (mutants), error);
}

gboolean
assay_report_write_baseline (const AssayBaseline *baseline, const char *folder, GError **error)
{
  return write_text (folder, "baseline.json", assay_report_baseline_json (baseline), error);
}

gboolean
assay_compared_write (const AssayCompared *compared, const char *folder, GError **error)
{
  g_autoptr (GPtrArray) plots
      = assay_plots_write (assay_compare_curves (compared), folder, NULL, error);

  return plots != NULL
         && write_text (folder, "comparison.csv", assay_compared_csv (compared), error)
         && write_text (folder, "dominance.csv", assay_compared_pairs_csv (compared), error)
         && write_text (folder, "comparison.html", assay_compared_html (compared, plots), error);
}
