/* Numbers, tables and pictures in pages of HTML. */
#include <criterion/criterion.h>
#include <math.h>
#include <string.h>

#include "core/base/error.h"
#include "report/exports/exports.h"
#include "report/html/html-page.h"
#include "report/html/html-parts.h"

static const AssayResultMeasure share
    = { .name = "rate", .high = 1, .unit = "share of secrets", .is_share = TRUE };
static const AssayResultMeasure plain = { .name = "rank", .high = G_MAXDOUBLE, .unit = "rank" };
static const AssayResultMeasure epsilon = {
  .name = "epsilon", .is_epsilon = TRUE, .high = G_MAXDOUBLE, .unit = "certified lower bound"
};

static void
check_percent (double value, const char *expected)
{
  g_autofree char *text = assay_html_percent (value);

  cr_assert_str_eq (text, expected, "%.17g: '%s' instead of '%s'", value, text, expected);
}

Test (html, percent)
{
  check_percent (0, "0");
  check_percent (1, "100");
  check_percent (0.1, "10");
  check_percent (0.9321, "93.2");
  check_percent (2.0 / 3, "66.7");
  /* What is not all is not said to be all, nor what is not nothing, nothing. */
  check_percent (0.9999, "99.99");
  check_percent (0.0001, "0.01");
  check_percent (NAN, "\u2013");
  check_percent (G_MAXDOUBLE, "\u2013");
}

/* As the terminal has them: a nothing that was rounded has no sign, and something below has. */
Test (html, shares_of_the_terminal)
{
  static const struct {
    double value;
    const char *text;
  } cases[] = { { 0, "0.0 %" },       { -0.0, "0.0 %" },     { -0.0004, "0.0 %" },
                { -0.0006, "-0.1 %" }, { 0.0004, "0.0 %" },  { 0.3433, "34.3 %" },
                { NAN, "? %" } };

  for (gsize i = 0; i < G_N_ELEMENTS (cases); i++) {
    g_autofree char *text = assay_report_value (&share, cases[i].value);

    cr_expect_str_eq (text, cases[i].text, "case %zu: %s", i, text);
  }
}

static void
check_interval (const AssayResultMeasure *measure, AssayInterval interval, const char *expected)
{
  AssayHtml *html = assay_html_new ();
  g_autofree char *text = NULL;

  assay_html_interval (html, NULL, measure, &interval);
  text = assay_html_finish (html);
  cr_assert_str_eq (text, expected, "'%s'", text);
}

Test (html, interval)
{
  check_interval (&share, (AssayInterval){ .estimate = 0.9321, .lower = 0.91, .upper = 0.95 },
                  "<span data-value=\"0.9321\">93.2</span>&nbsp;% "
                  "[<span data-value=\"0.91\">91</span>, <span data-value=\"0.95\">95</span>]");
  check_interval (&plain, (AssayInterval){ .estimate = 1.0 / 3, .lower = 0, .upper = G_MAXDOUBLE },
                  "<span data-value=\"0.3333333333333333\">0.3333</span> "
                  "[<span data-value=\"0\">0</span>, \u2013]");
  check_interval (&epsilon, (AssayInterval){ .estimate = 3, .lower = 2.5, .upper = G_MAXDOUBLE },
                  "at least <span data-value=\"2.5\">2.5</span>");
}

Test (html, rows_beyond_the_table)
{
  AssayHtml *html = assay_html_new ();
  g_autofree char *text = NULL;
  gsize n = 0;

  assay_html_open_table (html, "id", "What", ASSAY_HTML_HEADS ("a|b", "#c"));
  for (guint i = 0; i < 1234; i++)
    if (assay_html_open_row (html, i == 0)) {
      assay_html_close (html, "tr");
      n++;
    }
  assay_html_close_table (html, "rows", "a file");
  text = assay_html_finish (html);
  cr_assert_eq (n, ASSAY_HTML_MAX_ROWS);
  cr_assert (g_str_has_prefix (
                 text, "<div class=\"wide\" role=\"region\" tabindex=\"0\" aria-label=\"What\">\n"
                       "<table class=\"sortable\" id=\"id\">\n<thead><tr><th scope=\"col\">a|b</th>"
                       "<th scope=\"col\" class=\"n\">c</th></tr>\n</thead>\n<tbody>\n"
                       "<tr class=\"best\"></tr>\n<tr></tr>\n"),
             "%.400s", text);
  cr_assert (g_str_has_suffix (text, "</tbody>\n</table>\n</div>\n<p class=\"soft\">The first 300 "
                                     "of 1,234 rows stand here; a file has all.</p>\n"));
}

/* ---- Pictures ---- */

#define ROOT "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 1 1\">"

static void
check_good (const char *inside)
{
  g_autofree char *svg = g_strconcat (ROOT, inside, "</svg>\n", NULL);
  g_autoptr (GError) error = NULL;

  cr_assert (assay_html_check_svg (svg, &error), "%s: %s", svg, error->message);
}

static void
check_bad (const char *svg, const char *says)
{
  g_autoptr (GError) error = NULL;

  cr_assert (!assay_html_check_svg (svg, &error), "%s is accepted", svg);
  cr_assert (g_error_matches (error, ASSAY_ERROR, ASSAY_ERROR_DATA), "%s", svg);
  cr_assert (strstr (error->message, says) != NULL, "%s: '%s', expected '%s'", svg, error->message,
             says);
}

Test (html, good_pictures)
{
  check_good ("");
  check_good ("<title>&lt;script&gt; url(http://a)</title><!-- drawn by a program -->"
              "<defs><circle id=\"p\" r=\"1\"/></defs><use xlink:href=\"#p\" fill=\"url(#g)\"/>"
              "<g stroke=\"currentColor\"><path d=\"M0,0 L1,1\"/><text x=\"0\">a</text></g>");
}

Test (html, bad_pictures)
{
  static const char *const bad[][2] = {
    { ROOT "<script>alert(1)</script></svg>", "<script>" },
    { ROOT "<foreignObject/></svg>", "<foreignObject>" },
    { ROOT "<a href=\"#b\"/></svg>", "<a>" },
    { ROOT "<image href=\"#b\"/></svg>", "<image>" },
    { ROOT "<animate/></svg>", "<animate>" },
    { ROOT "<style>@import 'a'</style></svg>", "<style>" },
    { ROOT "<svg/></svg>", "one <svg>" },
    { "<g/>", "one <svg>" },
    { ROOT "<g onload=\"alert(1)\"/></svg>", "a handler of events" },
    { ROOT "<g ONLOAD=\"alert(1)\"/></svg>", "a handler of events" },
    { ROOT "<g style=\"fill:red\"/></svg>", "a style" },
    { ROOT "<use href=\"http://a/b.svg#c\"/></svg>", "from elsewhere" },
    { ROOT "<use xlink:href=\"data:image/svg+xml,x\"/></svg>", "from elsewhere" },
    { ROOT "<g fill=\"URL(http://a)\"/></svg>", "from elsewhere" },
    { ROOT "<g fill=\"\\75rl(http://a)\"/></svg>", "from elsewhere" },
    /* A comment that ends earlier in HTML than in XML; text that HTML would read. */
    { ROOT "<!-- --!><script>alert(1)</script> --></svg>", "plain comments" },
    { ROOT "<!--><script>alert(1)</script>--></svg>", "plain comments" },
    { ROOT "<title><![CDATA[<script>alert(1)</script>]]></title></svg>", "plain comments" },
    { "<!DOCTYPE svg [<!ENTITY a \"b\">]>" ROOT "</svg>", "plain comments" },
    { "<?xml-stylesheet href=\"a\"?>" ROOT "</svg>", "plain comments" },
    { ROOT "<g>", "cannot be shown" },
    { "", "cannot be shown" },
    { ROOT "</svg>" ROOT "</svg>", "one <svg>" },
    { "  ", "cannot be shown" },
  };

  for (gsize i = 0; i < G_N_ELEMENTS (bad); i++)
    check_bad (bad[i][0], bad[i][1]);
}
