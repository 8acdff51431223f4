/* The frame of a page of HTML, and sections, tables and numbers in it. */
#include "report/html/html-page.h"

#include <math.h>
#include <string.h>

#include "config.h"
#include "core/base/text.h"

/* ---- Numbers ---- */

/* In place of a number that there is none of, such as the upper bound of a certified epsilon. */
#define ABSENT "\u2013"

static gboolean
is_known (double value)
{
  return isfinite (value) && fabs (value) < G_MAXDOUBLE; /* or no bound */
}

char *
assay_html_plain (double value)
{
  return is_known (value) ? g_strdup_printf ("%.4g", value) : g_strdup (ABSENT);
}

char *
assay_html_percent (double share)
{
  g_autofree char *text = NULL;

  if (!is_known (share))
    return g_strdup (ABSENT);
  text = g_strdup_printf ("%.1f", 100 * share);
  if ((g_str_equal (text, "0.0") && share > 0) || (g_str_equal (text, "100.0") && share < 1))
    return g_strdup_printf ("%.6g", 100 * share);
  if (g_str_has_suffix (text, ".0"))
    text[strlen (text) - 2] = '\0';
  return g_steal_pointer (&text);
}

/* Takes @shown. */
static void
append_number (AssayHtml *html, double value, char *shown)
{
  g_autofree char *exact = is_known (value) ? assay_text_number (value) : NULL;

  if (exact != NULL)
    assay_html_say (html, NULL, "<span data-value=\"%s\">%s</span>", exact, shown);
  else
    assay_html_text (html, NULL, shown);
  g_free (shown);
}

static void
append_shown (AssayHtml *html, const AssayResultMeasure *measure, double value)
{
  append_number (html, value,
                 measure->is_share ? assay_html_percent (value) : assay_html_plain (value));
}

void
assay_html_number_as (AssayHtml *html, const char *tag, double value, char *shown)
{
  assay_html_open (html, tag);
  append_number (html, value, shown);
  assay_html_close (html, tag);
}

void
assay_html_number (AssayHtml *html, const char *tag, double value)
{
  assay_html_number_as (html, tag, value, assay_html_plain (value));
}

void
assay_html_value (AssayHtml *html, const char *tag, const AssayResultMeasure *measure, double value)
{
  assay_html_open (html, tag);
  append_shown (html, measure, value);
  if (is_known (value) && measure->is_share)
    assay_html_text (html, NULL, "\u00a0%");
  assay_html_close (html, tag);
}

void
assay_html_interval (AssayHtml *html, const char *tag, const AssayResultMeasure *measure,
                     const AssayInterval *interval)
{
  assay_html_open (html, tag);
  if (measure->is_epsilon) {
    assay_html_text (html, NULL, "at least ");
    append_shown (html, measure, interval->lower);
  } else {
    assay_html_value (html, NULL, measure, interval->estimate);
    assay_html_text (html, NULL, " [");
    append_shown (html, measure, interval->lower);
    assay_html_text (html, NULL, ", ");
    append_shown (html, measure, interval->upper);
    assay_html_text (html, NULL, "]");
  }
  assay_html_close (html, tag);
}

/* ---- Sections and tables ---- */

void
assay_html_open_section (AssayHtml *html, const char *id, const char *heading)
{
  assay_html_say (html, NULL, "<section id=\"%s\"><h2>%s</h2>", id, heading);
}

void
assay_html_open_region (AssayHtml *html, const char *tag, const char *what)
{
  assay_html_open (html, tag);
  assay_html_attribute (html, "role", "region");
  assay_html_attribute (html, "tabindex", "0");
  assay_html_attribute (html, "aria-label", what);
}

void
assay_html_open_table (AssayHtml *html, const char *id, const char *what, const char *const *heads)
{
  html->n_rows = 0;
  assay_html_open_region (html, "div.wide", what);
  assay_html_open (html, "table.sortable");
  assay_html_attribute (html, "id", id);
  assay_html_say (html, NULL, "<thead><tr>");
  for (guint i = 0; heads[i] != NULL; i++) {
    const gboolean is_number = *heads[i] == '#';

    assay_html_say (html, NULL,
                    is_number ? "<th scope=\"col\" class=\"n\">%s</th>"
                              : "<th scope=\"col\">%s</th>",
                    heads[i] + is_number);
  }
  assay_html_say (html, NULL, "</tr></thead><tbody>");
}

gboolean
assay_html_open_row (AssayHtml *html, gboolean is_best)
{
  if (html->n_rows++ >= ASSAY_HTML_MAX_ROWS)
    return FALSE;
  assay_html_open (html, is_best ? "tr.best" : "tr");
  return TRUE;
}

void
assay_html_say_rest (AssayHtml *html, gsize shown, gsize n, const char *what, const char *file)
{
  g_autofree char *all = assay_text_count (n);
  g_autofree char *some = assay_text_count (shown);

  if (shown < n)
    assay_html_say (html, "p.soft", "The first %s of %s %s stand here; %s has all.", some, all,
                    what, file);
}

void
assay_html_close_table (AssayHtml *html, const char *what, const char *file)
{
  assay_html_say (html, NULL, "</tbody></table></div>");
  if (what != NULL)
    assay_html_say_rest (html, MIN (html->n_rows, ASSAY_HTML_MAX_ROWS), html->n_rows, what, file);
}

/* ---- The frame ---- */

/* "'sha256-...'" of what stands between the tags, as content-security policies name it. */
static char *
name_by_hash (const char *text)
{
  g_autoptr (GChecksum) checksum = g_checksum_new (G_CHECKSUM_SHA256);
  guint8 digest[32];
  gsize length = sizeof digest;
  g_autofree char *base64 = NULL;

  g_checksum_update (checksum, (const guchar *) text, (gssize) strlen (text));
  g_checksum_get_digest (checksum, digest, &length);
  base64 = g_base64_encode (digest, length);
  return g_strdup_printf ("'sha256-%s'", base64);
}

AssayHtml *
assay_html_begin_page (const char *title)
{
  AssayHtml *html = assay_html_new ();
  g_autofree char *style = name_by_hash (assay_html_style);
  g_autofree char *script = name_by_hash (assay_html_script);
  g_autofree char *policy
      = g_strdup_printf ("default-src 'none'; style-src %s; script-src %s; img-src data:; "
                         "base-uri 'none'; form-action 'none'",
                         style, script);

  assay_html_raw (html, "<!DOCTYPE html>\n");
  assay_html_say (html, NULL,
                  "<html lang=\"en\"><head><meta charset=\"utf-8\">"
                  "<meta http-equiv=\"Content-Security-Policy\" content=\"%s\">"
                  "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">"
                  "<meta name=\"color-scheme\" content=\"light dark\">"
                  "<meta name=\"referrer\" content=\"no-referrer\">"
                  "<meta name=\"generator\" content=\"Assay " ASSAY_VERSION "\">"
                  "<link rel=\"icon\" href=\"data:,\"><title>%s</title><style>",
                  policy, title);
  assay_html_raw (html, assay_html_style); /* its hash is of every byte between the tags */
  assay_html_say (html, NULL,
                  "</style></head><body><a.skip href=\"#main\">To the content</a>"
                  "<main id=\"main\">");
  return html;
}

char *
assay_html_end_page (AssayHtml *html)
{
  assay_html_say (html, NULL, "</main><script>");
  assay_html_raw (html, assay_html_script);
  assay_html_say (html, NULL, "</script></body></html>");
  return assay_html_finish (html);
}
