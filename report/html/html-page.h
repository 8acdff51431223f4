/* What every page of HTML that Assay writes is made with: its frame, sections, tables, numbers. */
#pragma once

#include "report/html/writer.h"
#include "runner/judge/results.h"

/* The style and the script of all pages: report/style.css and report/report.js. */
extern const char assay_html_style[];
extern const char assay_html_script[];

/* Rows of a table beyond these are not in the page but in the file that is named there. */
#define ASSAY_HTML_MAX_ROWS 300

/* From the doctype to <main>, and from there to the end, which frees the writer and returns the
 * page. The policy allows this style, this script (by their hashes) and pictures that stand in the
 * page; nothing is fetched, sent or framed. */
AssayHtml *assay_html_begin_page (const char *title);
char *assay_html_end_page (AssayHtml *html);

/* <section id="@id"> with its heading. */
void assay_html_open_section (AssayHtml *html, const char *id, const char *heading);
/* An element that keyboards reach, and scroll: tables and pictures may be wide. */
void assay_html_open_region (AssayHtml *html, const char *tag, const char *what);

/* How numbers stand in the report, a dash where there is none: four significant digits ... */
char *assay_html_plain (double value);
/* ... or "93.2", of a share; not 0 or 100 where it is something else. */
char *assay_html_percent (double share);

/* Numbers; with a @tag in an element of their own.
 *
 * <span data-value="0.9321">@shown</span>: the number as results.json has it stands beside what is
 * shown, which is taken. Without a number the text alone. */
void assay_html_number_as (AssayHtml *html, const char *tag, double value, char *shown);
/* Four significant digits of it. */
void assay_html_number (AssayHtml *html, const char *tag, double value);
/* "93.2 % [91, 95]", "0.142 [0.136, 0.15]", of epsilon "at least 2.3". */
void assay_html_interval (AssayHtml *html, const char *tag, const AssayResultMeasure *measure,
                          const AssayInterval *interval);
/* One value of @measure: "93.2 %", "0.142". */
void assay_html_value (AssayHtml *html, const char *tag, const AssayResultMeasure *measure,
                       double value);

/* A table that scrolls by itself where it is wide; @id may be NULL. Heads are the names of columns;
 * a '#' before one says that it holds numbers; NULL ends. Tables do not stand in one another. */
void assay_html_open_table (AssayHtml *html, const char *id, const char *what,
                            const char *const *heads);
#define ASSAY_HTML_HEADS(...) ((const char *const[]){ __VA_ARGS__, NULL })
/* Opens the next row, where the table has room for it: FALSE only counts it. */
gboolean assay_html_open_row (AssayHtml *html, gboolean is_best);
/* And says below it, where there were more rows than stand in it, that @file has all of @what.
 * @what NULL: does not. */
void assay_html_close_table (AssayHtml *html, const char *what, const char *file);
/* "The first 300 of 4,000 rows stand here; FILE has all.", where @shown is less than @n. */
void assay_html_say_rest (AssayHtml *html, gsize shown, gsize n, const char *what,
                          const char *file);
