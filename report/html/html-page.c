/* The frame of a page of HTML, and text and numbers in it. */
#include "report/html/html-page.h"

#include <math.h>
#include <string.h>

#include "config.h"
#include "core/base/text.h"

/* ---- Text ---- */

/* Overrides and isolates of the direction of writing, the marks beside them, and what no text may
 * hold. */
static gboolean
is_unwanted (gunichar c)
{
  return g_unichar_iscntrl (c) || (c >= 0x202A && c <= 0x202E) || (c >= 0x2066 && c <= 0x2069)
         || c == 0x2028 || c == 0x2029 || (c >= 0xFDD0 && c <= 0xFDEF) || (c & 0xFFFE) == 0xFFFE;
}

static void
append_character (GString *html, gunichar c)
{
  switch (c) {
  case '<':
    g_string_append (html, "&lt;");
    break;
  case '>':
    g_string_append (html, "&gt;");
    break;
  case '&':
    g_string_append (html, "&amp;");
    break;
  case '"':
    g_string_append (html, "&quot;");
    break;
  case '\'':
    g_string_append (html, "&#39;");
    break;
  default:
    g_string_append_unichar (html, is_unwanted (c) ? ' ' : c);
  }
}

void
assay_html_text (GString *html, const char *text)
{
  g_autofree char *valid = text != NULL ? g_utf8_make_valid (text, -1) : g_strdup ("");

  for (const char *at = valid; *at != '\0'; at = g_utf8_next_char (at))
    append_character (html, g_utf8_get_char (at));
}

void
assay_html_name (GString *html, const char *text)
{
  if (text != NULL && *text != '\0')
    assay_html_element (html, "bdi", text);
}

void
assay_html_element (GString *html, const char *tag, const char *text)
{
  g_string_append_printf (html, "<%s>", tag);
  assay_html_text (html, text);
  g_string_append_printf (html, "</%s>", tag);
}

/* ---- Numbers ---- */

static gboolean
is_known (double value)
{
  return isfinite (value) && fabs (value) < G_MAXDOUBLE; /* or no bound */
}

char *
assay_html_plain (double value)
{
  return is_known (value) ? g_strdup_printf ("%.4g", value) : g_strdup ("?");
}

char *
assay_html_percent (double share)
{
  g_autofree char *text = NULL;

  if (!is_known (share))
    return g_strdup ("?");
  text = g_strdup_printf ("%.1f", 100 * share);
  if ((g_str_equal (text, "0.0") && share > 0) || (g_str_equal (text, "100.0") && share < 1))
    return g_strdup_printf ("%.6g", 100 * share);
  if (g_str_has_suffix (text, ".0"))
    text[strlen (text) - 2] = '\0';
  return g_steal_pointer (&text);
}

static char *
show (const AssayResultMeasure *measure, double value)
{
  return measure->is_share ? assay_html_percent (value) : assay_html_plain (value);
}

void
assay_html_number (GString *html, double value, const char *shown)
{
  g_autofree char *exact = is_known (value) ? assay_text_number (value) : NULL;

  if (exact == NULL) {
    assay_html_text (html, shown);
    return;
  }
  g_string_append_printf (html, "<span data-value=\"%s\">", exact);
  assay_html_text (html, shown);
  g_string_append (html, "</span>");
}

void
assay_html_count (GString *html, guint64 count)
{
  g_autofree char *shown = assay_text_count (count);

  g_string_append_printf (html, "<span data-value=\"%" G_GUINT64_FORMAT "\">%s</span>", count,
                          shown);
}

static void
append_shown (GString *html, const AssayResultMeasure *measure, double value)
{
  g_autofree char *shown = show (measure, value);

  assay_html_number (html, value, shown);
}

void
assay_html_value (GString *html, const AssayResultMeasure *measure, double value)
{
  append_shown (html, measure, value);
  if (is_known (value) && measure->is_share)
    g_string_append (html, "&nbsp;%");
}

void
assay_html_interval (GString *html, const AssayResultMeasure *measure,
                     const AssayInterval *interval)
{
  if (measure->is_epsilon) {
    g_string_append (html, "at least ");
    append_shown (html, measure, interval->lower);
    return;
  }
  assay_html_value (html, measure, interval->estimate);
  g_string_append (html, " [");
  append_shown (html, measure, interval->lower);
  g_string_append (html, ", ");
  append_shown (html, measure, interval->upper);
  g_string_append_c (html, ']');
}

/* ---- Tables ---- */

void
assay_html_begin_table (GString *html, const char *id, const char *what, const char *heads)
{
  g_auto (GStrv) names = g_strsplit (heads, "|", -1);

  g_string_append (html, "<div class=\"wide\" role=\"region\" tabindex=\"0\" aria-label=\"");
  assay_html_text (html, what);
  g_string_append (html, "\">\n<table class=\"sortable\"");
  if (id != NULL)
    g_string_append_printf (html, " id=\"%s\"", id);
  g_string_append (html, ">\n<thead><tr>");
  for (guint i = 0; names[i] != NULL; i++) {
    const gboolean is_number = *names[i] == '#';

    g_string_append_printf (html, "<th scope=\"col\"%s>", is_number ? " class=\"n\"" : "");
    assay_html_text (html, names[i] + is_number);
    g_string_append (html, "</th>");
  }
  g_string_append (html, "</tr></thead>\n<tbody>\n");
}

void
assay_html_end_table (GString *html)
{
  g_string_append (html, "</tbody>\n</table>\n</div>\n");
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

void
assay_html_begin (GString *html, const char *title)
{
  g_autofree char *style = name_by_hash (assay_html_style);
  g_autofree char *script = name_by_hash (assay_html_script);

  g_string_append_printf (html,
                          "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
                          "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src "
                          "'none'; style-src %s; script-src %s; img-src data:; base-uri 'none'; "
                          "form-action 'none'\">\n",
                          style, script);
  g_string_append (html, "<meta name=\"viewport\" "
                         "content=\"width=device-width, initial-scale=1\">\n"
                         "<meta name=\"color-scheme\" content=\"light dark\">\n"
                         "<meta name=\"referrer\" content=\"no-referrer\">\n"
                         "<meta name=\"generator\" content=\"Assay " ASSAY_VERSION "\">\n"
                         "<link rel=\"icon\" href=\"data:,\">\n<title>");
  assay_html_text (html, title);
  /* A hash is of every byte between the tags. */
  g_string_append_printf (html,
                          "</title>\n<style>%s</style>\n</head>\n<body>\n"
                          "<a class=\"skip\" href=\"#main\">To the content</a>\n"
                          "<main id=\"main\">\n",
                          assay_html_style);
}

void
assay_html_end (GString *html)
{
  g_string_append_printf (html, "</main>\n<script>%s</script>\n</body>\n</html>\n",
                          assay_html_script);
}
