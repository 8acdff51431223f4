/* What every page of HTML that Assay writes is made with: its frame, and text and numbers in it. */
#pragma once

#include "runner/judge/results.h"

G_BEGIN_DECLS

/* The style and the script of all pages: report/style.css and report/report.js. */
extern const char assay_html_style[];
extern const char assay_html_script[];

/* From the doctype to <main>, and from there to the end. The policy allows this style, this script
 * (by their hashes) and pictures that stand in the page; nothing is fetched, sent or framed. */
void assay_html_begin (GString *html, const char *title);
void assay_html_end (GString *html);

/* @text (NULL: none) as text of an element or of a quoted attribute. Controls, and characters that
 * turn the direction of what stands beside them, become spaces; what is not UTF-8 is replaced. */
void assay_html_text (GString *html, const char *text);
/* The same, kept apart from the direction of what stands beside it; nothing where it is empty. */
void assay_html_name (GString *html, const char *text);
/* <TAG>text</TAG> */
void assay_html_element (GString *html, const char *tag, const char *text);

/* How numbers stand in the report, "?" where there is none: four significant digits ... */
char *assay_html_plain (double value);
/* ... or "93.2", of a share; not 0 or 100 where it is something else. */
char *assay_html_percent (double share);

/* <span data-value="0.9321">@shown</span>: the number as results.json has it stands beside what is
 * shown. Without a number the text alone. */
void assay_html_number (GString *html, double value, const char *shown);
/* A count, with commas. */
void assay_html_count (GString *html, guint64 count);
/* "93.2 % [91, 95]", "0.142 [0.136, 0.15]", of epsilon "at least 2.3". */
void assay_html_interval (GString *html, const AssayResultMeasure *measure,
                          const AssayInterval *interval);
/* One value of @measure: "93.2 %", "0.142". */
void assay_html_value (GString *html, const AssayResultMeasure *measure, double value);

/* A table that scrolls by itself where it is wide; @id may be NULL. Heads are the names of columns,
 * separated by '|'; a '#' before one says that it holds numbers. */
void assay_html_begin_table (GString *html, const char *id, const char *what, const char *heads);
void assay_html_end_table (GString *html);

G_END_DECLS
