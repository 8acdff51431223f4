/* The writer of HTML: what is escaped, and that elements are closed in their turn. */
#include <criterion/criterion.h>
#include <signal.h>
#include <string.h>

#include "report/html/writer.h"

#define HOSTILE "<b title=\"a\" id='b'>&amp;</b>"
#define HARMLESS "&lt;b title=&quot;a&quot; id=&#39;b&#39;&gt;&amp;amp;&lt;/b&gt;"

static void
check (AssayHtml *html, const char *expected)
{
  g_autofree char *text = assay_html_finish (html);

  cr_assert_str_eq (text, expected, "'%s' instead of '%s'", text, expected);
}

static void
check_text (const char *text, const char *expected)
{
  AssayHtml *html = assay_html_new ();

  assay_html_text (html, NULL, text);
  check (html, expected);
}

Test (html_writer, text)
{
  check_text (NULL, "");
  check_text (HOSTILE, HARMLESS);
  check_text ("93\u00a0%", "93&nbsp;%");
  /* Letters of any direction and pictures stay; what turns the direction of others does not. */
  check_text ("\u05e9\u202e\u2066\u0645 \U0001f512", "\u05e9  \u0645 \U0001f512");
  check_text ("a\x01\tb\x7f\xc2\x85\u2028\uffff\ufdd0", "a  b     ");
  check_text ("a\xff", "a\ufffd");
}

Test (html_writer, everything_is_escaped)
{
  AssayHtml *html = assay_html_new ();

  assay_html_open (html, "td.n");
  assay_html_attribute (html, "title", HOSTILE);
  assay_html_attribute (html, "id", NULL);
  assay_html_text (html, "q", HOSTILE);
  assay_html_name (html, NULL, HOSTILE);
  assay_html_say (html, "p", "%s", HOSTILE);
  assay_html_say (html, NULL, "<a href=\"%s\">%s</a>", HOSTILE, HOSTILE);
  assay_html_raw (html, "<br>");
  assay_html_close (html, "td");
  check (html, "<td class=\"n\" title=\"" HARMLESS "\"><q>" HARMLESS "</q><bdi>" HARMLESS "</bdi>"
               "<p>" HARMLESS "</p>\n<a href=\"" HARMLESS "\">" HARMLESS "</a><br></td>");
}

Test (html_writer, names)
{
  AssayHtml *html = assay_html_new ();

  assay_html_name (html, NULL, "");
  assay_html_name (html, NULL, NULL);
  assay_html_name (html, "td", "");
  assay_html_name (html, "td.n", "<");
  check (html, "<td></td><td class=\"n\"><bdi>&lt;</bdi></td>");
}

Test (html_writer, words)
{
  AssayHtml *html = assay_html_new ();
  g_autofree char *text = NULL;

  assay_html_say (html, "p.soft", "*{%s}*: `--out` is `%s` of %d %%, {%s}.", "a", "`b` *c* {d}", 3,
                  "");
  check (html, "<p class=\"soft\"><strong><bdi>a</bdi></strong>: <code>--out</code> is "
               "<code>`b` *c* {d}</code> of 3 %, .</p>\n");
  /* Whatever stands in what is filled in, elements are closed, and nothing is left unescaped. */
  html = assay_html_new ();
  assay_html_say (html, "p", "`%s` *%s*", "\1\2<\3", "\3\1");
  text = assay_html_finish (html);
  cr_assert (g_str_has_suffix (text, "</p>\n") && strstr (text, "&lt;") != NULL, "%s", text);
}

/* Elements come from the format alone: marks and controls in what is filled in are text. */
Test (html_writer, elements_in_words)
{
  AssayHtml *html = assay_html_new ();

  assay_html_say (html, NULL, "<ul.a id=\"%s\" lang=\"en\"><li>%s \"<img alt=\"%d\">{%s}</li>",
                  "\7 onclick=\7x\5\4b", "</li>\4script\5\024", 1, "");
  assay_html_say (html, NULL, "</ul>");
  check (html, "<ul class=\"a\" id=\"  onclick= x  b\" lang=\"en\">\n<li>&lt;/li&gt; script   "
               "&quot;<img alt=\"1\"></li>\n</ul>\n");
}

Test (html_writer, nesting)
{
  AssayHtml *html = assay_html_new ();

  assay_html_open (html, "ul.a.b");
  assay_html_open (html, "li");
  assay_html_open (html, "img");
  assay_html_attribute (html, "alt", "c");
  assay_html_text (html, NULL, "d");
  assay_html_close (html, "li");
  assay_html_close (html, "ul.a.b");
  assay_html_open (html, "meta");
  check (html, "<ul class=\"a b\">\n<li><img alt=\"c\">d</li>\n</ul>\n<meta>\n");
}

Test (html_writer, left_open, .signal = SIGABRT)
{
  AssayHtml *html = assay_html_new ();

  assay_html_open (html, "p");
  assay_html_finish (html);
}

Test (html_writer, closed_out_of_turn, .signal = SIGABRT)
{
  AssayHtml *html = assay_html_new ();

  assay_html_open (html, "p");
  assay_html_open (html, "code");
  assay_html_close (html, "p");
}

Test (html_writer, closed_twice, .signal = SIGABRT)
{
  AssayHtml *html = assay_html_new ();

  assay_html_text (html, "p", "");
  assay_html_close (html, "p");
}

Test (html_writer, attribute_after_text, .signal = SIGABRT)
{
  AssayHtml *html = assay_html_new ();

  assay_html_open (html, "p");
  assay_html_text (html, NULL, "a");
  assay_html_attribute (html, "id", "b");
}
