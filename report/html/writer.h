/* A writer of HTML. Elements are closed in their turn, and everything is escaped: what stands in a
 * page as it is goes through assay_html_raw. */
#pragma once

#include "core/base/free.h"

typedef struct {
  GString *text;
  GPtrArray *open;    /* names of the elements that are open, outermost first */
  gboolean is_in_tag; /* attributes may follow */
  gsize n_rows;       /* of the open table: see html-page.h */
} AssayHtml;

AssayHtml *assay_html_new (void);
ASSAY_DECLARE_FREE (AssayHtml, assay_html_free)
/* The text; the writer is freed. It is a programming error, which ends the program, if an element
 * is open still. */
char *assay_html_finish (AssayHtml *html);

/* Opens "td", or with classes "td.n": then come attributes, then what is in it. What has no end
 * ("img") is not closed. NULL opens none, and closes none. */
void assay_html_open (AssayHtml *html, const char *tag);
/* @value NULL: none. */
void assay_html_attribute (AssayHtml *html, const char *name, const char *value);
/* Of "td.n" as of "td". It is a programming error, which ends the program, if that is not the
 * innermost element. */
void assay_html_close (AssayHtml *html, const char *tag);

/* These write what is in an element; with a @tag (not NULL) they open and close one for it.
 *
 * Text (NULL: none). Controls, and characters that turn the direction of what stands beside them,
 * become spaces; what is not UTF-8 is replaced. */
void assay_html_text (AssayHtml *html, const char *tag, const char *text);
/* The same, kept apart from the direction of what stands beside it; no text where it is empty. */
void assay_html_name (AssayHtml *html, const char *tag, const char *text);
/* Words of the program, in which `this` is code, *this* is strong and {this} a name, and which may
 * open and close elements: "<p.soft id=\"%s\">...</p>". @format is filled as by printf; marks in
 * what it is filled with are text. */
void assay_html_say (AssayHtml *html, const char *tag, const char *format, ...)
    G_GNUC_PRINTF (3, 4);

/* What is HTML already: the style, a script, a checked picture. */
void assay_html_raw (AssayHtml *html, const char *markup);
