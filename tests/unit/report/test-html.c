/* Text, numbers and pictures in pages of HTML. */
#include <criterion/criterion.h>
#include <math.h>
#include <string.h>

#include "core/base/error.h"
#include "report/html/html-page.h"
#include "report/html/html-svg.h"

static const AssayResultMeasure share
    = { .name = "rate", .high = 1, .unit = "share of secrets", .is_share = TRUE };
static const AssayResultMeasure plain = { .name = "rank", .high = G_MAXDOUBLE, .unit = "rank" };
static const AssayResultMeasure epsilon = {
  .name = "epsilon", .is_epsilon = TRUE, .high = G_MAXDOUBLE, .unit = "certified lower bound"
};

static void
check_text (const char *text, const char *expected)
{
  GString *html = g_string_new (NULL);

  assay_html_text (html, text);
  cr_assert_str_eq (html->str, expected, "'%s' instead of '%s'", html->str, expected);
  g_string_free (html, TRUE);
}

Test (html, text)
{
  check_text (NULL, "");
  check_text ("<b title=\"a\" id='b'>&amp;</b>",
              "&lt;b title=&quot;a&quot; id=&#39;b&#39;&gt;&amp;amp;&lt;/b&gt;");
  /* Letters of any direction and pictures stay; what turns the direction of others does not. */
  check_text ("\u05e9\u202e\u2066\u0645 \U0001f512", "\u05e9  \u0645 \U0001f512");
  check_text ("a\x01\tb\x7f\xc2\x85\u2028\uffff\ufdd0", "a  b     ");
  check_text ("a\xff", "a\ufffd");
}

Test (html, name)
{
  GString *html = g_string_new (NULL);

  assay_html_name (html, "");
  assay_html_name (html, NULL);
  cr_assert_str_eq (html->str, "");
  assay_html_name (html, "<");
  cr_assert_str_eq (html->str, "<bdi>&lt;</bdi>");
  g_string_free (html, TRUE);
}

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
  check_percent (NAN, "?");
  check_percent (G_MAXDOUBLE, "?");
}

static void
check_interval (const AssayResultMeasure *measure, AssayInterval interval, const char *expected)
{
  GString *html = g_string_new (NULL);

  assay_html_interval (html, measure, &interval);
  cr_assert_str_eq (html->str, expected, "'%s'", html->str);
  g_string_free (html, TRUE);
}

Test (html, interval)
{
  check_interval (&share, (AssayInterval){ .estimate = 0.9321, .lower = 0.91, .upper = 0.95 },
                  "<span data-value=\"0.9321\">93.2</span>&nbsp;% "
                  "[<span data-value=\"0.91\">91</span>, <span data-value=\"0.95\">95</span>]");
  check_interval (&plain, (AssayInterval){ .estimate = 1.0 / 3, .lower = 0, .upper = G_MAXDOUBLE },
                  "<span data-value=\"0.3333333333333333\">0.3333</span> "
                  "[<span data-value=\"0\">0</span>, ?]");
  check_interval (&epsilon, (AssayInterval){ .estimate = 3, .lower = 2.5, .upper = G_MAXDOUBLE },
                  "at least <span data-value=\"2.5\">2.5</span>");
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
