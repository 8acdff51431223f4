/* HTML, escaped and closed. */
#include "report/html/writer.h"

#include <string.h>

#include "core/base/text.h"

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

ASSAY_FREE_FUNC (AssayHtml, assay_html_free, g_string_free (self->text, TRUE),
                 g_ptr_array_unref (self->open))

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

/* NULL: the character stands for itself. */
static const char *
escape_of (gunichar c)
{
  static const char *const escapes[] = { ['<'] = "&lt;",   ['>'] = "&gt;",   ['&'] = "&amp;",
                                         ['"'] = "&quot;", ['\''] = "&#39;", [0xA0] = "&nbsp;" };

  if (c < G_N_ELEMENTS (escapes) && escapes[c] != NULL)
    return escapes[c];
  return !assay_text_is_shown (c) ? " " : NULL;
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

/* ---- Words and marks ---- */

/* Marks of a format are controls while it is filled in. It is filled in twice, with other controls:
 * a mark is where the two differ, whatever stands in what it was filled with. */
static const char marks[] = "`*{}<>\"";
#define FIRST_CONTROL '\1'
#define OTHER_CONTROL '\016'

typedef struct {
  const char *text, *other;
} Filled;

/* @format with controls from @first on for its marks, in @ret_own. */
static G_GNUC_FORMAT (1) const char *replace_marks (const char *format, char first, char **ret_own)
{
  *ret_own = g_strdup (format);
  for (guint m = 0; marks[m] != '\0'; m++)
    g_strdelimit (*ret_own, (const char[]){ marks[m], '\0' }, (char) (first + (char) m));
  return *ret_own;
}

/* The mark that stands at @at; 0: text, or the end. */
static char
mark_at (const Filled *filled, gsize at)
{
  const char c = filled->text[at];

  return c == filled->other[at] ? '\0' : marks[c - FIRST_CONTROL];
}

/* Where the next @mark stands (0: the next of all), or the end. */
static gsize
find_mark (const Filled *filled, gsize at, char mark)
{
  while (filled->text[at] != '\0'
         && (mark_at (filled, at) == '\0' || (mark != '\0' && mark_at (filled, at) != mark)))
    at++;
  return at;
}

/* The attribute before whose value the quote at @quote stands: its name begins at @at. Returns
 * where it ends. */
static gsize
append_attribute (AssayHtml *html, const Filled *filled, gsize at, gsize quote)
{
  const gsize end = find_mark (filled, quote + 1, '"');
  g_autofree char *name = g_strstrip (g_strndup (filled->text + at, quote - 1 - at));
  g_autofree char *value = g_strndup (filled->text + quote + 1, end - quote - 1);

  assay_html_attribute (html, name, value);
  return end + 1;
}

/* The tag that begins at @at: "<td.n>", "<a href=\"%s\">", "</td>". Returns where it ends. */
static gsize
append_tag (AssayHtml *html, const Filled *filled, gsize at)
{
  const gsize end = find_mark (filled, at, '>');
  const gsize length = strcspn (filled->text + at + 1, " ");
  g_autofree char *tag = g_strndup (filled->text + at + 1, MIN (length, end - at - 1));

  if (*tag == '/') {
    assay_html_close (html, tag + 1);
    return end + 1;
  }
  assay_html_open (html, tag);
  at += 1 + strlen (tag);
  for (gsize quote; (quote = find_mark (filled, at, '"')) < end;)
    at = append_attribute (html, filled, at, quote);
  return end + 1;
}

static void
toggle (AssayHtml *html, const char *tag)
{
  if (g_strcmp0 (innermost (html), tag) == 0)
    assay_html_close (html, tag);
  else
    assay_html_open (html, tag);
}

/* What the mark at @at says, and where what follows it begins. */
static gsize
append_mark (AssayHtml *html, const Filled *filled, gsize at)
{
  const char mark = mark_at (filled, at);

  if (mark == '<')
    return append_tag (html, filled, at);
  if (mark == mark_at (filled, at + 1) || (mark == '{' && mark_at (filled, at + 1) == '}'))
    return at + 2; /* nothing between the marks */
  if (mark == '"')
    assay_html_text (html, NULL, "\"");
  else
    toggle (html, mark == '`' ? "code" : mark == '*' ? "strong" : "bdi");
  return at + 1;
}

static void
append_filled (AssayHtml *html, const Filled *filled)
{
  for (gsize at = 0; filled->text[at] != '\0';) {
    const gsize end = find_mark (filled, at, '\0');
    g_autofree char *plain = g_strndup (filled->text + at, end - at);

    if (end > at)
      assay_html_text (html, NULL, plain);
    at = filled->text[end] != '\0' ? append_mark (html, filled, end) : end;
  }
}

void
assay_html_say (AssayHtml *html, const char *tag, const char *format, ...)
{
  g_autofree char *own = NULL, *other_own = NULL;
  g_autofree char *text = NULL, *other = NULL;
  va_list arguments, again;

  va_start (arguments, format);
  va_copy (again, arguments);
  text = g_strdup_vprintf (replace_marks (format, FIRST_CONTROL, &own), arguments);
  other = g_strdup_vprintf (replace_marks (format, OTHER_CONTROL, &other_own), again);
  va_end (again);
  va_end (arguments);
  assay_html_open (html, tag);
  append_filled (html, &(Filled){ text, other });
  assay_html_close (html, tag);
}

void
assay_html_raw (AssayHtml *html, const char *markup)
{
  end_tag (html);
  g_string_append (html->text, markup);
}
