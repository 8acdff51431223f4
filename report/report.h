/* Reports: made from results alone, and written into a folder. */
#pragma once

#include "report/exports/compare.h"
#include "report/exports/exports.h"
#include "report/plots/plots.h"

/* Writes results.json, results.csv, claims.xml, summary.md, run.json, the contact sheets in
 * pictures/, the plots in plots/ (@plots NULL: as SVG alone) and report.html into @folder,
 * each atomically. ASSAY_ERROR_IO, _MEMORY. */
gboolean assay_report_write (const AssayResults *results, const char *folder,
                             const AssayReportRun *run, const AssayPlotOptions *plots,
                             GError **error);

/* mutants.json, in the same way. */
gboolean assay_report_write_mutants (const AssayResultMutants *mutants, const char *folder,
                                     GError **error);

/* And mutants.part.json, of those that were played until now. */
gboolean assay_report_write_mutants_part (const AssayResultMutants *mutants, const char *folder,
                                          GError **error);

gboolean assay_report_write_baseline (const AssayBaseline *baseline, const char *folder,
                                      GError **error);

/* Writes comparison.csv (the points of every axis), dominance.csv (the pairs), comparison.html and
 * the plots in plots/ into @folder, each atomically. ASSAY_ERROR_IO. */
gboolean assay_compared_write (const AssayCompared *compared, const char *folder, GError **error);
