/* The sections of report.html, in the order in which they stand there. */
#pragma once

#include "report/html/writer.h"
#include "report/plots/plots.h"

/* Plots beyond these, in bytes, stay beside the page. */
#define ASSAY_HTML_MAX_PLOTS (1 << 20)

/* Title, what was run, what came out of it, and what is not as it should be. */
void assay_html_summary (AssayHtml *html, const AssayResults *results);
/* The verdicts in words, each with its witness and its hypotheses. */
void assay_html_claims (AssayHtml *html, const AssayResults *results);
/* The interval of @one against the claim's bound, drawn along the measure's range: a bar for the
 * interval, a thin line for what the test leaves, the estimate, and what the claim allows shaded.
 * Nothing where nothing was measured. */
void assay_html_strip (AssayHtml *html, const AssayResultClaim *claim,
                       const AssayResultHypothesis *one);
/* @plots: of AssayPlot, or NULL. */
void assay_html_plots (AssayHtml *html, const GPtrArray *plots);
/* One of them; @inout_left: bytes of pictures that the page has room for. */
void assay_html_plot (AssayHtml *html, const AssayPlot *plot, gsize *inout_left);
/* Where the run was compared with a baseline: what got worse, or that nothing did. */
void assay_html_baseline (AssayHtml *html, const AssayResults *results);
/* Each headline measure as a grid, defenses down and attacks across. */
void assay_html_grids (AssayHtml *html, const AssayResults *results);
/* Every pooled measurement. */
void assay_html_pooled (AssayHtml *html, const AssayResults *results);
gboolean assay_html_contact_sheets (AssayHtml *html, const AssayResults *results, GError **error);
void assay_html_controls (AssayHtml *html, const AssayResults *results);
/* Pairs that were skipped, measures left out, cells that went wrong. */
void assay_html_said (AssayHtml *html, const GPtrArray *said); /* of AssayReportSaid */
void assay_html_exceptions (AssayHtml *html, const AssayResults *results);
/* Every setting of every component, and what tuning chose. */
void assay_html_settings (AssayHtml *html, const AssayResults *results);
/* What makes the run again: versions, hashes, seed. */
void assay_html_provenance (AssayHtml *html, const AssayResults *results);
void assay_html_citations (AssayHtml *html, const AssayResults *results);

/* A dataset by its plugin and what varies: "scenes noise=3". */
void assay_html_dataset (AssayHtml *html, const AssayResultComponent *dataset);

/* Whether @svg can stand in a page as it is: one <svg> element, well-formed, of elements that draw;
 * no script, no handler of events, no style (the page's policy would stop it), nothing from
 * elsewhere, and nothing that HTML would read otherwise than XML does. ASSAY_ERROR_DATA naming what
 * was found. */
gboolean assay_html_check_svg (const char *svg, GError **error);
