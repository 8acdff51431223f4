/* HTML, escaped and closed. */
#include "report/html/writer.h"

#include <string.h>

/* A line ends after their tags ... */
static const char *const blocks[]
    = { "article", "body", "div", "dl",      "figure", "head",  "header", "html",
        "main",    "nav",  "ol",  "section", "table",  "tbody", "ul",     NULL };
/* ... or after the last of them. */
static const char *const lines[]
    = { "dd",  "details", "figcaption", "h1",      "h2",    "h3",    "li", "p",
        "pre", "script",  "style",      "summary", "thead", "title", "tr", NULL };
static const char *const without_end[] = { "img", "link", "meta", NULL };

AssayHtml *
assay_html_new (void)
{
  AssayHtml *html = g_new0 (AssayHtml, 1);

  html->text = g_string_new (NULL);
  html->open = g_ptr_array_new_with_free_func (g_free);
  return html;
}

void
assay_html_free (AssayHtml *html)
{
  g_string_free (html->text, TRUE);
  g_ptr_array_unref (html->open);
  g_free (html);
}

static const char *
innermost (const AssayHtml *html)
{
  return html->open->len > 0 ? html->open->pdata[html->open->len - 1] : NULL;
}

static void
end_tag (AssayHtml *html)
{
  const char *tag = innermost (html);

  if (!html->is_in_tag)
    return;
  html->is_in_tag = FALSE;
  g_string_append_c (html->text, '>');
  if (g_strv_contains (blocks, tag))
    g_string_append_c (html->text, '\n');
  if (g_strv_contains (without_end, tag)) {
    if (!g_str_equal (tag, "img"))
      g_string_append_c (html->text, '\n');
    g_ptr_array_set_size (html->open, (gint) html->open->len - 1);
  }
}

char *
assay_html_finish (AssayHtml *html)
{
  char *text;

  end_tag (html);
  g_assert_cmpstr (innermost (html), ==, NULL);
  text = g_strdup (html->text->str);
  assay_html_free (html);
  return text;
}

/* ---- Text ---- */

/* Overrides and isolates of the direction of writing, the marks beside them, and what no text may
 * hold. */
static gboolean
is_unwanted (gunichar c)
{
  return g_unichar_iscntrl (c) || (c >= 0x202A && c <= 0x202E) || (c >= 0x2066 && c <= 0x2069)
         || c == 0x2028 || c == 0x2029 || (c >= 0xFDD0 && c <= 0xFDEF) || (c & 0xFFFE) == 0xFFFE;
}

/* NULL: the character stands for itself. */
static const char *
escape_of (gunichar c)
{
  static const char *const escapes[] = { ['<'] = "&lt;",   ['>'] = "&gt;",   ['&'] = "&amp;",
                                         ['"'] = "&quot;", ['\''] = "&#39;", [0xA0] = "&nbsp;" };

  if (c < G_N_ELEMENTS (escapes) && escapes[c] != NULL)
    return escapes[c];
  return is_unwanted (c) ? " " : NULL;
}

static void
append_escaped (AssayHtml *html, const char *text)
{
  g_autofree char *valid = g_utf8_make_valid (text, -1);

  for (const char *at = valid; *at != '\0'; at = g_utf8_next_char (at)) {
    const gunichar c = g_utf8_get_char (at);
    const char *escape = escape_of (c);

    if (escape != NULL)
      g_string_append (html->text, escape);
    else
      g_string_append_unichar (html->text, c);
  }
}

/* ---- Elements ---- */

/* "td", of "td.n". */
static char *
element_of (const char *tag)
{
  return g_strndup (tag, strcspn (tag, "."));
}

void
assay_html_open (AssayHtml *html, const char *tag)
{
  const char *classes = tag != NULL ? strchr (tag, '.') : NULL;

  end_tag (html);
  if (tag == NULL)
    return;
  g_ptr_array_add (html->open, element_of (tag));
  g_string_append_printf (html->text, "<%s", innermost (html));
  html->is_in_tag = TRUE;
  if (classes != NULL) {
    g_autofree char *value = g_strdelimit (g_strdup (classes + 1), ".", ' ');

    assay_html_attribute (html, "class", value);
  }
}

void
assay_html_attribute (AssayHtml *html, const char *name, const char *value)
{
  g_assert (html->is_in_tag);
  if (value == NULL)
    return;
  g_string_append_printf (html->text, " %s=\"", name);
  append_escaped (html, value);
  g_string_append_c (html->text, '"');
}

void
assay_html_close (AssayHtml *html, const char *tag)
{
  g_autofree char *element = NULL;

  end_tag (html);
  if (tag == NULL)
    return;
  element = element_of (tag);
  g_assert_cmpstr (innermost (html), ==, element);
  g_string_append_printf (html->text, "</%s>", element);
  if (g_strv_contains (blocks, element) || g_strv_contains (lines, element))
    g_string_append_c (html->text, '\n');
  g_ptr_array_set_size (html->open, (gint) html->open->len - 1);
}

void
assay_html_text (AssayHtml *html, const char *tag, const char *text)
{
  assay_html_open (html, tag);
  end_tag (html);
  if (text != NULL)
    append_escaped (html, text);
  assay_html_close (html, tag);
}

void
assay_html_name (AssayHtml *html, const char *tag, const char *text)
{
  assay_html_open (html, tag);
  if (text != NULL && *text != '\0')
    assay_html_text (html, "bdi", text);
  assay_html_close (html, tag);
}

/* What marks stand for. While text is filled in they are controls, which no text keeps; where it
 * holds them all the same, an element more stands there, and is closed. */
static const struct {
  char mark, end, control;
  const char *tag;
} marks[] = { { '`', '`', '\1', "code" }, { '*', '*', '\2', "strong" }, { '{', '}', '\3', "bdi" } };

static void
append_marked (AssayHtml *html, const char *text)
{
  const guint depth = html->open->len;

  while (*text != '\0') {
    const gsize length = strcspn (text, "\1\2\3");
    g_autofree char *plain = g_strndup (text, length);
    const char mark = text[length];

    assay_html_text (html, NULL, plain);
    text += length + (mark != '\0');
    if (mark != '\0' && *text == mark) { /* nothing between the marks */
      text++;
      continue;
    }
    for (guint m = 0; m < G_N_ELEMENTS (marks); m++)
      if (mark == marks[m].control) {
        if (html->open->len > depth && g_str_equal (innermost (html), marks[m].tag))
          assay_html_close (html, marks[m].tag);
        else
          assay_html_open (html, marks[m].tag);
      }
  }
  while (html->open->len > depth)
    assay_html_close (html, innermost (html));
}

/* @format with controls for its marks, in @ret_own. */
static G_GNUC_FORMAT (1) const char *replace_marks (const char *format, char **ret_own)
{
  *ret_own = g_strdup (format);
  for (guint m = 0; m < G_N_ELEMENTS (marks); m++)
    g_strdelimit (*ret_own, (const char[]){ marks[m].mark, marks[m].end, '\0' }, marks[m].control);
  return *ret_own;
}

void
assay_html_say (AssayHtml *html, const char *tag, const char *format, ...)
{
  g_autofree char *own = NULL;
  g_autofree char *said = NULL;
  va_list arguments;

  va_start (arguments, format);
  said = g_strdup_vprintf (replace_marks (format, &own), arguments);
  va_end (arguments);
  assay_html_open (html, tag);
  append_marked (html, said);
  assay_html_close (html, tag);
}

void
assay_html_link (AssayHtml *html, const char *target, const char *text)
{
  assay_html_open (html, "a");
  assay_html_attribute (html, "href", target);
  assay_html_text (html, NULL, text);
  assay_html_close (html, "a");
}

void
assay_html_raw (AssayHtml *html, const char *markup)
{
  end_tag (html);
  g_string_append (html->text, markup);
}
