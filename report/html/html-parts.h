/* The sections of report.html, in the order in which they stand there. */
#pragma once

#include "report/plots/figures.h"
#include "runner/judge/results.h"

G_BEGIN_DECLS

/* Rows of a table beyond these are not in the report but in the file that is named there. */
#define ASSAY_HTML_MOST_ROWS 300
/* Figures beyond these, in bytes, stay beside the page. */
#define ASSAY_HTML_MOST_FIGURES (1 << 20)

/* Title, what was run, what came out of it, and what is not as it should be. */
void assay_html_summary (GString *html, const AssayResults *results);
/* The verdicts in words, each with its witness and its hypotheses. */
void assay_html_claims (GString *html, const AssayResults *results);
/* @figures: of AssayFigure, or NULL. */
void assay_html_figures (GString *html, const GPtrArray *figures);
/* One of them; @inout_left: bytes of pictures that the page has room for. */
void assay_html_figure (GString *html, const AssayFigure *figure, gsize *inout_left);
/* Each headline measure as a grid, defenses down and attacks across. */
void assay_html_grids (GString *html, const AssayResults *results);
/* Every pooled measurement. */
void assay_html_pooled (GString *html, const AssayResults *results);
gboolean assay_html_sheets (GString *html, const AssayResults *results, GError **error);
void assay_html_controls (GString *html, const AssayResults *results);
/* Pairs that were skipped, measures left out, cells that went wrong. */
void assay_html_exceptions (GString *html, const AssayResults *results);
/* Every setting of every component, and what tuning chose. */
void assay_html_settings (GString *html, const AssayResults *results);
/* What makes the run again: versions, hashes, seed. */
void assay_html_provenance (GString *html, const AssayResults *results);
void assay_html_citations (GString *html, const AssayResults *results);

/* A dataset by its plugin and what varies: "scenes noise=3". */
void assay_html_dataset (GString *html, const AssayResultComponent *dataset);
/* <section id="@id"> with its heading. */
void assay_html_begin_section (GString *html, const char *id, const char *heading);
void assay_html_end_section (GString *html);
/* "All 4,000 are in results.json.", where @shown is less than @n. */
void assay_html_say_rest (GString *html, gsize shown, gsize n, const char *what, const char *file);

G_END_DECLS
